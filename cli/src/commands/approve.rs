//! `approve`: shows the pending calls, asks, and runs the next pass with exactly what was shown.

use codemode_runtime::{PendingCall, Pick, Picks, Seq, Status};

use super::drive::{Running, drive, last_event};
use super::standing::{self, Standing};
use super::{Said, ask, by};
use crate::args::{Approve, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{call, many};
use crate::output::{Ui, WAITS, styled};
use crate::select;
use crate::setup::{Opening, Setup};

pub(super) fn run(args: Approve, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.id)?;
    let record = standing::load(&store, &id)?;
    let gone = Standing::of(&store, &record.execution)? == Standing::Gone;
    let status = record.execution.status;
    if status.is_terminal() {
        return Err(Fault::conflict("not_resumable", format!("execution {id} is not paused: its status is {status}"))
            .with_hint("only a paused execution can be resumed"));
    }
    let pending: Vec<PendingCall> = record.entries.iter().filter_map(|e| PendingCall::of(&id, e)).collect();
    if gone && status == Status::Running {
        // A decision would be stored and nobody would act on it.
        return Err(Fault::conflict(
            "not_resumable",
            format!("nothing can be approved: {id} stands still, its process is gone"),
        )
        .with_hint(format!("first: {}", setup.command(&["recover", id.as_str()]))));
    }
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
    let after = last_event(&record.entries);
    let runtime = setup.runtime(store)?;
    let code = record.execution.start.code;
    let outcome = runtime.approve(&id, Picks::These(picks), by(args.reason));
    drive(setup, ui, &runtime, after, &code, async { Ok(Running { id: Some(id.clone()), outcome }) })
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
