//! `resolve`: a person says what happened to a call in doubt, and the execution goes on if it waits for nothing else.

use std::io::{self, Read as _};

use codemode_runtime::durable::failure::code;
use codemode_runtime::store::Record;
use codemode_runtime::{Entry, Failure, Json, PendingCall, Resolved, Runtime, Seq, Status, Word};

use super::by;
use super::drive::{Ended, Running, follow, last_event};
use super::standing::{self, Standing};
use crate::args::{Output, Resolve};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{self, code_error};
use crate::output::{BOLD, GOOD, Ui, styled};
use crate::select;
use crate::setup::{Opening, Setup};

pub(super) fn run(args: Resolve, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.id)?;
    let record = standing::load(&store, &id)?;
    if record.execution.status == Status::Running && Standing::of(&store, &record.execution)? == Standing::Gone {
        return Err(Fault::conflict("not_resumable", format!("nothing is in doubt yet: the process of {id} is gone"))
            .with_hint(format!("first: {}", setup.command(&["recover", id.as_str()]))));
    }
    let runtime = setup.runtime(store)?;
    let word = word(&args, &runtime)?;
    let seq = Seq(args.seq);
    let after = last_event(&record.entries);
    let outcome = runtime.resolve(&id, seq, word, by(args.reason));
    let work = async { Ok(Running { id: Some(id.clone()), outcome }) };
    match follow(setup, ui, &runtime, after, work)? {
        Ended::Interrupted(exit) => Ok(exit),
        Ended::Done(Resolved::Resumed(ended)) => {
            outcome::show(ui, setup, &ended, &record.execution.start.code)?;
            Ok(Exit::of(&ended))
        }
        Ended::Done(Resolved::Refused(error)) => {
            let code = error.kind.as_str();
            if ui.form() == Output::Json {
                ui.json(
                    &serde_json::json!({ "error": { "code": code, "message": error.message, "hint": error.hint } }),
                )?;
            }
            ui.talk(code_error(&error, ""));
            ui.talk(format!("resolve: {}", styled(BOLD, setup.command(&["unresolved", id.as_str()]))));
            Ok(Exit::Conflict)
        }
        Ended::Done(_) => recorded(setup, ui, &runtime, seq, &record),
    }
}

/// What the person says.
fn word(args: &Resolve, runtime: &Runtime) -> Result<Word, Fault> {
    if let Some(message) = &args.failed {
        return Ok(Word::Failed(Failure::new(code::UNAVAILABLE, message)));
    }
    let Some(value) = &args.applied else { return Ok(Word::Retry) };
    let Some(text) = value else { return Ok(Word::Applied(None)) };
    let text = if text == "-" {
        io::read_to_string(io::stdin().lock().take(MAX_BYTES))
            .map_err(|error| Fault::usage("not_json", format!("stdin cannot be read as text: {error}")))?
    } else {
        text.clone()
    };
    let value = Json::from_plain(text.trim(), &runtime.limits().of_values()).map_err(|error| {
        Fault::usage("not_json", format!("the result is no value that can be recorded: {error}"))
            .with_hint("give JSON as the method would have returned it, such as --applied '{\"id\": 7}'")
    })?;
    Ok(Word::Applied(Some(value)))
}

/// More than any limit allows.
const MAX_BYTES: u64 = 64 << 20;

/// It is recorded, and something else is waited for.
fn recorded(setup: &Setup, ui: &Ui, runtime: &Runtime, seq: Seq, before: &Record) -> Result<Exit, Fault> {
    let id = before.execution.id();
    let Some(record) = runtime.record(id)? else {
        return Err(Fault::conflict("not_found", format!("execution {id} was deleted meanwhile")));
    };
    let status = record.execution.status;
    if ui.form() == Output::Json {
        ui.json(&serde_json::json!({ "status": status.as_str(), "executionId": id.as_str(), "seq": seq.0 }))?;
    }
    let pending: Vec<PendingCall> = record.entries.iter().filter_map(|e| PendingCall::of(id, e)).collect();
    let more = if status == Status::Paused {
        let waits = outcome::waits(&pending, &record.entries);
        if waits.is_empty() { "it cannot go on here".to_owned() } else { waits }
    } else {
        format!("the status stays {status}")
    };
    ui.talk(format!("{} seq {seq} of {id}; {more}", styled(GOOD, "resolved")));
    if status != Status::Paused {
        return Ok(Exit::Completed);
    }
    let verb = if record.entries.iter().any(Entry::is_in_doubt) { "unresolved" } else { "approve" };
    ui.talk(format!("next: {}", styled(BOLD, setup.command(&[verb, id.as_str()]))));
    Ok(Exit::Paused)
}
