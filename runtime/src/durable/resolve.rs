//! Calls in doubt: they had begun when their pass or process ended, and may or may not have happened. Nothing here can
//! know; a person, or a connector that can be asked, says it.

use super::execution::{Execution, Status};
use super::failure::{CodeError, ErrorKind, Failure};
use super::id::{ExecutionId, Seq};
use super::journal::{Decision, Entry, EntryState, Resolution, Verdict};
use super::value::Json;
use super::write::Write;

/// What somebody says of a call in doubt.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// It is to be performed once more. Only where the execution can still go on. It waits for the next pass like an
    /// approved call: if somebody rejects another call before that, it never happens.
    Retry,
    /// It happened, and this is what it returned; `None` is `undefined`.
    Applied(Option<Json>),
    /// It failed like this; the failure says whether something happened all the same.
    Failed(Failure),
}

/// A call in doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedCall {
    /// Which execution.
    pub execution: ExecutionId,
    /// Where that stands.
    pub status: Status,
    /// Which call.
    pub seq: Seq,
    /// The connector.
    pub connector: String,
    /// The method.
    pub method: String,
    /// The recorded arguments.
    pub args: Option<Json>,
    /// The key that the call carried, to ask the other side about.
    pub idempotency_key: String,
    /// How often it was begun.
    pub attempt: u32,
    /// Epoch milliseconds of the first ask.
    pub asked_at: u64,
}

impl UnresolvedCall {
    /// The call in doubt of an entry, if it is one.
    #[must_use]
    pub fn of(execution: &Execution, entry: &Entry) -> Option<Self> {
        let seq = entry.seq.filter(|_| entry.is_in_doubt())?;
        let (connector, method) = entry.request.path();
        Some(Self {
            execution: execution.id().clone(),
            status: execution.status,
            seq,
            connector: connector.to_owned(),
            method: method.to_owned(),
            args: entry.request.args().cloned(),
            idempotency_key: Entry::idempotency_key(execution.id(), seq),
            attempt: entry.attempt,
            asked_at: entry.asked_at,
        })
    }
}

/// Records what somebody says of a call in doubt.
///
/// # Errors
/// Why not, for them to read; nothing changes then.
pub fn resolve(
    execution: &Execution,
    entries: &[Entry],
    seq: Seq,
    word: Word,
    decision: &Decision,
) -> Result<Vec<Write>, CodeError> {
    let refused = |message: String| CodeError::new(ErrorKind::NotResumable, message);
    let Some(entry) = entries.iter().find(|e| e.seq == Some(seq) && e.state == EntryState::Unknown) else {
        return Err(refused(format!("seq {seq} of execution {} is not in doubt", execution.id()))
            .with_hint("list what is unresolved; it may have been resolved, or answered late"));
    };
    let consent = match word {
        Word::Retry if execution.status != Status::Paused => {
            let status = execution.status;
            return Err(refused(format!("{} cannot be tried again: the status is {status}", entry.request.title()))
                .with_hint("the code will not go on; say whether the call was applied or failed"));
        }
        // Its own consent, if it needed one, still covers it: it is the same call.
        Word::Retry => Some(entry.decision.clone().unwrap_or_else(|| decision.clone())),
        _ => entry.decision.clone(),
    };
    let (verdict, state, answer) = match word {
        // Pending with consent: the next pass performs it.
        Word::Retry => (Verdict::Retry, EntryState::Pending, None),
        Word::Applied(value) => (Verdict::Applied, EntryState::Applied, Some(Ok(value))),
        Word::Failed(failure) => (Verdict::Failed, EntryState::Failed, Some(Err(failure))),
    };
    let resolution = Resolution { verdict, decision: decision.clone() };
    Ok(vec![
        Write::Require { op: entry.op, states: &[EntryState::Unknown] },
        Write::Resolved { op: entry.op, state, answer, consent, resolution },
    ])
}

/// Whether a paused execution waits for nobody any more.
#[must_use]
pub fn may_go_on(execution: &Execution, entries: &[Entry]) -> bool {
    let waits = |e: &Entry| match e.state {
        EntryState::Pending => e.decision.is_none(),
        EntryState::Unknown => !e.terms.may_repeat(),
        EntryState::Reverting | EntryState::Reverted => true,
        _ => false,
    };
    execution.status == Status::Paused && !entries.iter().any(waits)
}

#[cfg(test)]
mod tests;
