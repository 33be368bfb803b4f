//! `delete`: removes an execution and its journal.

use codemode_runtime::store::StoreError;
use codemode_runtime::{Status, Store as _};

use super::standing::{self, Standing};
use super::{Said, ask, block_on};
use crate::args::{Delete, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::many;
use crate::output::{GOOD, Ui, styled};
use crate::select;
use crate::setup::{Opening, Setup};

pub(super) fn run(args: &Delete, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.id)?;
    let mut running = None;
    let what = match store.load(&id) {
        Ok(Some(record)) => {
            let calls = record.entries.iter().filter(|e| e.seq.is_some()).count();
            let waits = if record.execution.status == Status::Paused { " and ends what waits" } else { "" };
            let what =
                format!("{id} ({}, {}): this removes its journal{waits}", record.execution.status, many(calls, "call"));
            running = Some((Standing::of(&store, &record.execution)?, record));
            what
        }
        // What cannot be read back can still be removed.
        Err(StoreError::Damaged { reason, .. }) => format!("{id}, which cannot be read back ({reason})"),
        Ok(None) => return Err(Fault::conflict("not_found", format!("there is no execution {id}"))),
        Err(error) => return Err(error.into()),
    };
    if !args.yes {
        ui.talk(&what);
        if ask(ui, "Delete it?")? == Said::No {
            ui.talk("nothing was deleted");
            return Ok(Exit::Conflict);
        }
    }
    let runtime = setup.runtime(store)?;
    if let Some((standing, record)) = &running {
        standing::say_stopping(ui, *standing, record, runtime.limits().cancel_ms);
    }
    let standing = running.map_or(Standing::AtRest, |(standing, _)| standing);
    if !block_on(async { runtime.delete(&id).await.map_err(|error| standing::fault(error, standing)) })? {
        return Err(Fault::conflict("not_found", format!("execution {id} was deleted by somebody else meanwhile")));
    }
    if ui.form() == Output::Json {
        ui.json(&serde_json::json!({ "executionId": id.as_str(), "deleted": true }))?;
    }
    ui.talk(format!("{} {id}", styled(GOOD, "deleted")));
    Ok(Exit::Completed)
}
