//! `pending`: the calls that wait for a person.

use codemode_runtime::outcome::pending_to_wire;
use codemode_runtime::store::StoreError;
use codemode_runtime::{ExecutionId, PendingCall, Query, Status, Store};

use crate::args::{Output, Pending};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{call, many};
use crate::output::{BOLD, Ui, styled};
use crate::select;
use crate::setup::{Opening, Setup};

pub(super) fn run(args: &Pending, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let ids = match &args.id {
        Some(text) => vec![select::find(&*store, text)?],
        None => {
            let query = Query { status: Some(Status::Paused), ..Query::default() };
            store.list(&query)?.into_iter().map(|s| s.id).collect()
        }
    };
    let mut all = Vec::new();
    let mut blocks = Vec::new();
    for id in &ids {
        let pending = of(&*store, id)?;
        if pending.is_empty() {
            continue;
        }
        let calls: Vec<String> = pending.iter().map(call).collect();
        blocks.push(format!("{}\n{}", styled(BOLD, id), calls.join("\n")));
        all.extend(pending);
    }
    if ui.form() == Output::Json {
        ui.data(pending_to_wire(&all))?;
    } else if !blocks.is_empty() {
        ui.data(blocks.join("\n"))?;
    }
    match all.first() {
        None => ui.talk("nothing waits for approval"),
        Some(first) => {
            let command = setup.command(&["approve", first.execution.as_str()]);
            ui.talk(format!("{} pending; approve: {}", many(all.len(), "call"), styled(BOLD, command)));
        }
    }
    Ok(Exit::Completed)
}

/// One that cannot be read back must not hide the others.
fn of(store: &dyn Store, id: &ExecutionId) -> Result<Vec<PendingCall>, Fault> {
    let record = match store.load(id) {
        Ok(Some(record)) => record,
        Ok(None) | Err(StoreError::Damaged { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    if record.execution.status.is_terminal() {
        return Ok(Vec::new());
    }
    Ok(record.entries.iter().filter_map(|e| PendingCall::of(id, e)).collect())
}
