//! `unresolved`: the calls of which nobody knows whether they happened, and how to say what did.

use codemode_runtime::outcome::unresolved_to_wire;
use codemode_runtime::store::StoreError;
use codemode_runtime::{ExecutionId, Status, Store, UnresolvedCall};

use crate::args::{Output, Unresolved};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{many, tone};
use crate::output::text::{indent, json, path, safe};
use crate::output::time::utc;
use crate::output::{BOLD, DIM, Ui, styled};
use crate::select;
use crate::setup::{Opening, Setup};

pub(super) fn run(args: &Unresolved, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let ids = match &args.id {
        Some(text) => vec![select::find(&*store, text)?],
        None => store.unresolved()?,
    };
    let mut all = Vec::new();
    for id in &ids {
        all.extend(of(&*store, id)?);
    }
    if ui.form() == Output::Json {
        ui.data(unresolved_to_wire(&all))?;
    } else if !all.is_empty() {
        let blocks = all.chunk_by(|a, b| a.execution == b.execution).map(|calls| block(setup, calls));
        ui.data(blocks.collect::<Vec<_>>().join("\n\n"))?;
    }
    ui.talk(match all.len() {
        0 => "nothing is in doubt".to_owned(),
        1 => "1 call is in doubt: ask the other side about its key, then say what happened".to_owned(),
        n => format!("{} are in doubt: ask the other side about their keys, then say what happened", many(n, "call")),
    });
    Ok(Exit::Completed)
}

/// One that cannot be read back must not hide the others.
fn of(store: &dyn Store, id: &ExecutionId) -> Result<Vec<UnresolvedCall>, Fault> {
    match store.load(id) {
        Ok(Some(record)) => {
            Ok(record.entries.iter().filter_map(|e| UnresolvedCall::of(&record.execution, e)).collect())
        }
        Ok(None) | Err(StoreError::Damaged { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The calls of one execution.
fn block(setup: &Setup, calls: &[UnresolvedCall]) -> String {
    let head = calls.first().map(|call| {
        let status = call.status.as_str();
        format!("{} {}", styled(BOLD, &call.execution), styled(tone(status), status))
    });
    head.into_iter().chain(calls.iter().map(|call| one(setup, call))).collect::<Vec<_>>().join("\n")
}

fn one(setup: &Setup, call: &UnresolvedCall) -> String {
    let (id, seq) = (call.execution.as_str(), call.seq.to_string());
    let name = styled(BOLD, safe(&path(&call.connector, &call.method)));
    let begun = styled(DIM, format!("begun {}, attempt {}", utc(call.asked_at), call.attempt));
    let args = call.args.as_ref().map_or_else(|| "no arguments".to_owned(), |args| json(args.as_str()));
    let resolve = |words: &[&str]| setup.command(&[&["resolve", id, &seq], words].concat());
    let mut lines = vec![
        format!("  #{seq} {name} {begun}"),
        indent(&args, "     "),
        format!("     {} {}", styled(DIM, "key:"), call.idempotency_key),
        format!("     {} {}", styled(DIM, "it happened: "), resolve(&["--applied", "RESULT"])),
        format!("     {} {}", styled(DIM, "it failed:   "), resolve(&["--failed", "MESSAGE"])),
    ];
    // The code of any other one does not go on, so nobody would ask for the call again.
    if call.status == Status::Paused {
        lines.push(format!("     {} {}", styled(DIM, "do it again: "), resolve(&["--retry"])));
    }
    lines.join("\n")
}
