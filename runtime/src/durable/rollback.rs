//! Undoing what an execution did, newest first, one call after another (ROLLBACK-01, ROLLBACK-13). Newest means the
//! reverse of the journal: what depends on something was asked for after it, so it is undone before it.
//!
//! Compensation, not isolation: a call is undone by its connector, which may fail; that is reported entry by entry and
//! stays on the entry, and another rollback tries only what is left. `reverting` is durable before a connector is asked,
//! so that a rollback that was interrupted goes on with the same key.

use super::ending::only_ended;
use super::execution::{Execution, Status};
use super::failure::{EffectState, Failure, code};
use super::finish::{HookWish, due_hooks};
use super::id::{ExecutionId, Seq};
use super::journal::{Effect, Entry, EntryState, Request, RevertAttempt};
use super::value::Json;
use super::write::{Move, Write};

/// What a revert did, as its connector says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reverted {
    /// It is undone.
    Reverted,
    /// There was nothing to undo.
    NothingToRevert,
}

/// What is configured for a call now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configured {
    /// A method that its connector can undo.
    Revertible,
    /// A method that it cannot.
    NotRevertible,
    /// No connector of that name.
    Missing,
}

/// What became of one call in a rollback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// It is undone.
    Reverted,
    /// There was no effect, or somebody undid it before.
    NothingToRevert,
    /// The connector does not say how.
    NoRevert,
    /// The connector is not configured now.
    ConnectorMissing,
    /// The revert failed and changed nothing.
    Failed(Failure),
    /// The revert failed, and may have undone the call all the same.
    Unknown(Failure),
}

impl Undone {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Reverted => "reverted",
            Self::NothingToRevert => "nothing_to_revert",
            Self::NoRevert => "no_revert",
            Self::ConnectorMissing => "connector_missing",
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Whether the effect of the call may still be there.
    #[must_use]
    pub fn is_left(&self) -> bool {
        !matches!(self, Self::Reverted | Self::NothingToRevert)
    }

    /// Why the revert failed, if it did.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        if let Self::Failed(failure) | Self::Unknown(failure) = self { Some(failure) } else { None }
    }
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneCall {
    /// Which call.
    pub seq: Seq,
    /// Its connector.
    pub connector: String,
    /// Its method.
    pub method: String,
    /// What became of it.
    pub undone: Undone,
}

/// What a rollback did, in the order in which it did it. Calls that an earlier rollback undid are not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollbackReport {
    /// Which execution.
    pub execution: ExecutionId,
    /// Its status afterwards; `None`: there is no such execution (ROLLBACK-12).
    pub status: Option<Status>,
    /// Newest first.
    pub calls: Vec<UndoneCall>,
}

impl RollbackReport {
    /// How many calls it undid.
    #[must_use]
    pub fn reverted(&self) -> usize {
        self.calls.iter().filter(|c| c.undone == Undone::Reverted).count()
    }

    /// How many reverts failed, surely or perhaps.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.calls.iter().filter(|c| c.undone.failure().is_some()).count()
    }

    /// How many calls may still have their effect.
    #[must_use]
    pub fn left(&self) -> usize {
        self.calls.iter().filter(|c| c.undone.is_left()).count()
    }

    /// The failures as one text (ROLLBACK-05); `None` where nothing failed.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        let reason = |c: &UndoneCall| {
            c.undone.failure().map(|failure| format!("{}.{}: {}", c.connector, c.method, failure.message))
        };
        let reasons: Vec<String> = self.calls.iter().filter_map(reason).collect();
        let (reverted, failed) = (self.reverted(), reasons.len());
        (failed > 0).then(|| format!("{reverted} reverted, {failed} failed: {}", reasons.join("; ")))
    }
}

/// What a rollback is to do with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Nothing: it never happened, is undone already, or is no call (ROLLBACK-10).
    Pass,
    /// Nothing, but people are to read why.
    Report(Undone),
    /// Ask its connector.
    Revert,
}

/// What is done about an entry. Also calls that failed after their effect, or may have happened, are offered (WEAK-18).
#[must_use]
pub fn offer(entry: &Entry, configured: Configured) -> Offer {
    if !matches!(entry.request, Request::Call { .. }) || !may_have_effect(entry) {
        return Offer::Pass;
    }
    let read_only = entry.terms.effect == Effect::ReadOnly;
    match configured {
        Configured::Revertible => Offer::Revert,
        _ if read_only => Offer::Report(Undone::NothingToRevert),
        Configured::NotRevertible => Offer::Report(Undone::NoRevert),
        Configured::Missing => Offer::Report(Undone::ConnectorMissing),
    }
}

/// A call that a rollback would deal with now, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedCall {
    /// Which call.
    pub seq: Seq,
    /// Its connector.
    pub connector: String,
    /// Its method.
    pub method: String,
    /// The recorded arguments.
    pub args: Option<Json>,
    /// What would be done; never [`Offer::Pass`].
    pub offer: Offer,
}

/// What a rollback would do now, in the order in which it would. Calls that it would pass over are not in it.
#[must_use]
pub fn preview(entries: &[Entry], configured: impl Fn(&Entry) -> Configured) -> Vec<OfferedCall> {
    let offered = |entry: &Entry| {
        let offer = Some(offer(entry, configured(entry))).filter(|offer| *offer != Offer::Pass)?;
        let (connector, method) = entry.request.path();
        Some(OfferedCall {
            seq: entry.seq?,
            connector: connector.to_owned(),
            method: method.to_owned(),
            args: entry.request.args().cloned(),
            offer,
        })
    };
    entries.iter().rev().filter_map(offered).collect()
}

fn may_have_effect(entry: &Entry) -> bool {
    match entry.state {
        EntryState::Applied | EntryState::Unrecordable | EntryState::Unknown | EntryState::Reverting => true,
        EntryState::Failed => {
            entry.answer.as_ref().is_some_and(|a| a.as_ref().is_err_and(|f| f.effect != EffectState::None))
        }
        EntryState::Executing | EntryState::Pending | EntryState::Reverted | EntryState::Withdrawn => false,
    }
}

/// The state that a call had before a rollback touched it; it says what the connector is told of the outcome, and what a
/// follower of the execution once read of it.
#[must_use]
pub fn original_state(entry: &Entry) -> EntryState {
    match &entry.revert {
        Some(revert) if matches!(entry.state, EntryState::Reverting | EntryState::Reverted) => revert.from,
        _ => entry.state,
    }
}

/// The attempt that is about to begin. Its write is durable before the connector is asked.
#[must_use]
pub fn begin_revert(entry: &Entry, at: u64) -> (Write, RevertAttempt) {
    let number = entry.revert.as_ref().map_or(0, |r| r.number).saturating_add(1);
    let attempt = RevertAttempt { from: original_state(entry), number, failure: None, at };
    (Write::Reverted { op: entry.op, state: EntryState::Reverting, revert: attempt.clone() }, attempt)
}

/// The end of an attempt in an execution of that status: what is written, and what people read.
///
/// A paused execution goes on unless something was undone. So there a call without anything to undo keeps its state: the
/// code still waits for its answer, or somebody's word on it.
#[must_use]
pub fn end_revert(
    entry: &Entry,
    attempt: RevertAttempt,
    outcome: Result<Reverted, Failure>,
    status: Status,
    at: u64,
) -> (Write, Undone) {
    let (state, failure, undone) = match outcome {
        Ok(Reverted::Reverted) => (EntryState::Reverted, None, Undone::Reverted),
        Ok(Reverted::NothingToRevert) if status == Status::Paused => (attempt.from, None, Undone::NothingToRevert),
        Ok(Reverted::NothingToRevert) => (EntryState::Reverted, None, Undone::NothingToRevert),
        Err(failure) => {
            let undone = match failure.effect {
                EffectState::None => Undone::Failed(failure.clone()),
                EffectState::Possible | EffectState::Happened => Undone::Unknown(failure.clone()),
            };
            (attempt.from, Some(failure), undone)
        }
    };
    (Write::Reverted { op: entry.op, state, revert: RevertAttempt { failure, at, ..attempt } }, undone)
}

/// The end of an attempt whose process is gone, where nobody can be asked again: it may have undone the call. `None`: there
/// is no such attempt.
#[must_use]
pub fn end_interrupted(entry: &Entry, at: u64) -> Option<Write> {
    let attempt = entry.revert.clone().filter(|_| entry.state == EntryState::Reverting)?;
    let message = "the process that asked for this revert is gone, and now there is nobody to be asked";
    let failure = Failure::new(code::UNAVAILABLE, message).with_effect(EffectState::Possible);
    let state = attempt.from;
    Some(Write::Reverted { op: entry.op, state, revert: RevertAttempt { failure: Some(failure), at, ..attempt } })
}

/// The execution is rolled back from the first call on that is undone; what was pending is withdrawn (ROLLBACK-11). In
/// the batch of that call, so that no crash leaves an undone call in an execution that could go on.
#[must_use]
pub fn rolled_back(execution: &Execution, at: u64) -> Vec<Write> {
    vec![
        Write::Sweep { from: &[EntryState::Pending, EntryState::Executing], to: EntryState::Withdrawn, at },
        Write::Moved(Box::new(Move {
            status: Status::RolledBack,
            pass: execution.pass,
            token: execution.token,
            owner: execution.owner,
            result: execution.result.clone(),
            error: execution.error.clone(),
            at,
        })),
    ]
}

/// The hooks that are due when all is undone that can be (ROLLBACK-07).
#[must_use]
pub fn due_at_end(execution: &Execution, wishes: &[HookWish]) -> Vec<Write> {
    due_hooks(&only_ended(wishes), execution.pass, Status::RolledBack)
}

#[cfg(test)]
mod tests;
