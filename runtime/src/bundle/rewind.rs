//! The journal as it was before the end of its last pass, and the end that this pass came to. What happened afterwards (a
//! rejection, a rollback, somebody's word on a call in doubt) is no work of the code, and no replay can show it again.

use super::Bundle;
use crate::durable::execution::Status;
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::journal::{Entry, EntryState, Verdict};
use crate::durable::value::Json;

/// How the last recorded pass ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Recorded {
    /// With this result.
    Completed(Option<Json>),
    /// Waiting for a person.
    Paused,
    /// With an error that the code comes to each time.
    Failed(CodeError),
    /// One of the two: it was rolled back, and its row does not tell any more.
    CompletedOrPaused,
    /// The host ended it, at a place that the journal cannot tell.
    Cut(CodeError),
    /// It has not ended, or its process was lost.
    Open,
}

impl Recorded {
    /// The end of a bundle's last pass.
    pub(super) fn of(bundle: &Bundle) -> Self {
        let standing = &bundle.standing;
        match (standing.status, &standing.error) {
            (Status::Running, _) | (Status::Error, None) => Self::Open,
            (Status::Paused | Status::Rejected, _) => Self::Paused,
            (Status::Completed, _) => Self::Completed(standing.result.clone()),
            // It was rejected before it was rolled back.
            (Status::RolledBack, Some(error)) if matches!(error.kind, ErrorKind::Rejected | ErrorKind::Expired) => {
                Self::Paused
            }
            (Status::Error | Status::RolledBack, Some(error)) => failed(error, &bundle.entries),
            (Status::RolledBack, None) if standing.result.is_some() => Self::Completed(standing.result.clone()),
            (Status::RolledBack, None) => Self::CompletedOrPaused,
        }
    }

    /// Whether the pass may have gone on behind the last entry.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Open | Self::Cut(_))
    }
}

fn failed(error: &CodeError, entries: &[Entry]) -> Recorded {
    let lost_answer = || entries.iter().any(|e| e.state == EntryState::Unrecordable);
    let by_code = match error.kind {
        ErrorKind::Thrown | ErrorKind::Syntax | ErrorKind::Divergence | ErrorKind::NeverSettles => true,
        // What a connector answered is not there to be refused again.
        ErrorKind::Unrecordable => !lost_answer(),
        _ => false,
    };
    if by_code { Recorded::Failed(error.clone()) } else { Recorded::Cut(error.clone()) }
}

/// The entries of a journal as the last pass left them, before it ended.
pub(super) fn rewound(entries: &[Entry]) -> Vec<Entry> {
    entries.iter().cloned().map(rewind).collect()
}

fn rewind(entry: Entry) -> Entry {
    let state = match (entry.state, &entry.revert) {
        (EntryState::Reverting | EntryState::Reverted, Some(revert)) => revert.from,
        (state, _) => state,
    };
    let resolved = entry.resolution.as_ref().map(|r| r.verdict);
    match (state, resolved) {
        // Somebody said what became of it, and no pass came to hear of that.
        (EntryState::Applied | EntryState::Failed, Some(Verdict::Applied | Verdict::Failed))
            if entry.delivery.is_none() =>
        {
            Entry { state: EntryState::Unknown, answer: None, ..entry }
        }
        (EntryState::Withdrawn, Some(_)) => Entry { state: EntryState::Unknown, ..entry },
        // A call that was pending; consent that came while the pass ran changed nothing in it.
        (EntryState::Withdrawn, None) if entry.digest.is_some() => {
            Entry { state: EntryState::Pending, decision: None, ..entry }
        }
        (EntryState::Withdrawn, None) => Entry { state: EntryState::Executing, ..entry },
        _ => Entry { state, ..entry },
    }
}
