//! `reject`: refuses one pending call, which ends the execution.

use codemode_runtime::{Seq, Status};

use super::standing::{self, Standing};
use super::{block_on, by};
use crate::args::{Output, Reject};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::{GOOD, Ui, styled};
use crate::select;
use crate::setup::{Opening, Setup};

pub(super) fn run(args: Reject, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.id)?;
    let runtime = setup.runtime(store.clone())?;
    let done = block_on(async { Ok(runtime.reject(&id, Seq(args.seq), by(args.reason)).await?) })?;
    if !done {
        let record = standing::load(&store, &id)?;
        let status = record.execution.status;
        let gone = status == Status::Running && Standing::of(&store, &record.execution)? == Standing::Gone;
        let hint = match gone {
            true => format!("its process is gone; first: {}", setup.command(&["recover", id.as_str()])),
            false => format!("see what is: {}", setup.command(&["pending", id.as_str()])),
        };
        let what = format!("seq {} of {id} is not pending: the status is {status}", args.seq);
        return Err(Fault::conflict("not_resumable", what).with_hint(hint));
    }
    if ui.form() == Output::Json {
        ui.json(&serde_json::json!({ "status": "rejected", "executionId": id.as_str(), "seq": args.seq }))?;
    }
    ui.talk(format!("{} seq {} of {id}; what was applied stays applied", styled(GOOD, "rejected"), args.seq));
    Ok(Exit::Completed)
}
