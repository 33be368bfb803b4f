//! `approve`: shows the pending calls, asks, and runs the next pass with exactly what was shown.

use codemode_runtime::durable::journal::Entry;
use codemode_runtime::{PendingCall, Pick, Picks, Seq, Status, Store as _};

use super::drive::drive;
use super::{Said, ask, by};
use crate::args::{Approve, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{call, many};
use crate::output::{Ui, WAITS, styled};
use crate::select;
use crate::setup::{Opening, Setup};
use crate::watch::Watched;

pub(super) fn run(args: Approve, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.id)?;
    let Some(record) = store.load(&id)? else {
        return Err(Fault::conflict("not_found", format!("there is no execution {id}")));
    };
    let status = record.execution.status;
    if status.is_terminal() {
        return Err(Fault::conflict("not_resumable", format!("execution {id} is not paused: its status is {status}"))
            .with_hint("only a paused execution can be resumed"));
    }
    let pending: Vec<PendingCall> = record.entries.iter().filter_map(|e| PendingCall::of(&id, e)).collect();
    let chosen = choose(&pending, &args.seq, status)?;
    if !chosen.is_empty() {
        let shown: Vec<String> = chosen.iter().map(|p| call(p)).collect();
        ui.talk(format!("{} {id}\n{}", styled(WAITS, status), shown.join("\n")));
    }
    if !args.yes && !chosen.is_empty() {
        let what =
            if chosen.len() == 1 { "this call".to_owned() } else { format!("these {}", many(chosen.len(), "call")) };
        if ask(ui, &format!("Approve {what}?"))? == Said::No {
            ui.talk("nothing was approved; it stays as it is");
            if ui.form() == Output::Json {
                ui.json(&serde_json::json!({ "status": status.as_str(), "executionId": id.as_str(), "approved": [] }))?;
            }
            return Ok(Exit::Paused);
        }
    }
    let picks = chosen.iter().map(|p| Pick { seq: p.seq, digest: p.digest.clone() }).collect();
    let after = record.entries.iter().map(last_event).max().unwrap_or(0);
    let (watched, begun) = Watched::new(store);
    let runtime = setup.runtime(watched.clone())?;
    watched.announce(&id);
    let code = record.execution.start.code;
    drive(setup, ui, &runtime, begun, after, &code, runtime.approve(&id, Picks::These(picks), by(args.reason)))
}

fn choose<'a>(pending: &'a [PendingCall], seqs: &[u32], status: Status) -> Result<Vec<&'a PendingCall>, Fault> {
    if seqs.is_empty() {
        if pending.is_empty() && status == Status::Running {
            return Err(Fault::conflict("not_resumable", "nothing waits for approval: a pass is running"));
        }
        return Ok(pending.iter().collect());
    }
    let find = |seq: &u32| {
        pending.iter().find(|p| p.seq == Seq(*seq)).ok_or_else(|| {
            let known: Vec<String> = pending.iter().map(|p| p.seq.to_string()).collect();
            let known = if known.is_empty() {
                "nothing is pending".to_owned()
            } else {
                format!("pending: {}", known.join(", "))
            };
            Fault::conflict("not_resumable", format!("seq {seq} is not pending")).with_hint(known)
        })
    };
    let mut seqs = seqs.to_vec();
    seqs.sort_unstable();
    seqs.dedup();
    seqs.iter().map(find).collect()
}

/// The number of the last event of an entry: what came before the new pass.
fn last_event(entry: &Entry) -> u64 {
    entry.answered_event.unwrap_or(0).max(entry.asked_event)
}
