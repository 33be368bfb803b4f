//! What somebody may do to an execution, with the answer that they get as a line of words, so that it can also be done and
//! said in another process.

use std::sync::Arc;

use codemode_conformance::harness::anna;
use codemode_runtime::durable::approval::resume;
use codemode_runtime::durable::journal::EntryState;
use codemode_runtime::durable::write::Write;
use codemode_runtime::{ExecutionId, Outcome, Picks, Recovered, Runtime, Seq, Store};

/// Something to do to an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Approve whatever is pending.
    Approve,
    /// Reject the gate, which is call number 1.
    Reject,
    /// Expire whatever nobody works on.
    Expire,
    Delete,
    /// Keep no ended execution.
    Prune,
    Rollback,
    Recover,
    /// Only watch.
    Nothing,
}

impl Deed {
    const ALL: [Self; 8] = [
        Self::Approve,
        Self::Reject,
        Self::Expire,
        Self::Delete,
        Self::Prune,
        Self::Rollback,
        Self::Recover,
        Self::Nothing,
    ];

    /// The deed of that name, as `Debug` writes it.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|deed| format!("{deed:?}") == name)
    }

    /// Does it. A host that fails says `host CODE`; the other answers are those of the deed.
    pub(crate) async fn act(self, runtime: &Runtime, id: &ExecutionId) -> String {
        let said = match self {
            Self::Approve => runtime.approve(id, Picks::AllPending, anna()).await.map(outcome),
            Self::Reject => runtime.reject(id, Seq(1), anna()).await.map(|done| format!("rejected {done}")),
            Self::Expire => runtime.expire_paused(0).await.map(|ids| format!("expired {}", ids.contains(id))),
            Self::Delete => runtime.delete(id).await.map(|done| format!("deleted {done}")),
            Self::Prune => runtime.prune_executions(0).map(|gone| format!("pruned {gone}")),
            Self::Rollback => runtime.rollback(id).await.map(|report| {
                let status = report.status.map_or("none", |s| s.as_str());
                format!("undone {} failed {} {status}", report.reverted(), report.failed())
            }),
            Self::Recover => runtime.recover_one(id).await.map(|done| match done {
                None => "recovered nothing".to_owned(),
                Some(Recovered::Resumed(ended)) => format!("recovered {}", outcome(ended)),
                Some(Recovered::Finished(status)) => format!("recovered finished {status}"),
                Some(other) => format!("recovered {other:?}"),
            }),
            Self::Nothing => Ok("nothing".to_owned()),
        };
        said.unwrap_or_else(|error| format!("host {} {error}", error.code()))
    }
}

/// `completed`, `paused`, `deferred`, `refused KIND` where nothing ran, `failed KIND` where a pass did.
fn outcome(outcome: Outcome) -> String {
    match outcome {
        Outcome::Completed { .. } => "completed".to_owned(),
        Outcome::Paused { .. } => "paused".to_owned(),
        Outcome::Deferred { .. } => "deferred".to_owned(),
        Outcome::Failed { error, calls: None, .. } => format!("refused {}", error.kind.as_str()),
        Outcome::Failed { error, .. } => format!("failed {}", error.kind.as_str()),
        other => format!("{other:?}"),
    }
}

/// Leaves a paused execution as a process leaves it that was killed right after it had taken an approval.
pub(crate) fn abandon(store: &Arc<dyn Store>, id: &ExecutionId) {
    let record = store.load(id).unwrap().unwrap();
    let gone = store.claim_owner().unwrap();
    store.release_owner(gone);
    let at = record.execution.updated_at;
    let pending = record.entries.iter().filter(|e| e.state == EntryState::Pending);
    let mut writes: Vec<Write> = pending.map(|e| Write::Decided { op: e.op, decision: decision(at) }).collect();
    let (moved, _) = resume(&record.execution, gone, at);
    writes.extend(moved);
    store.commit(id, record.execution.version, writes).unwrap();
}

fn decision(at: u64) -> codemode_runtime::durable::journal::Decision {
    let by = anna();
    codemode_runtime::durable::journal::Decision { actor: by.actor, channel: by.channel, reason: by.reason, at }
}
