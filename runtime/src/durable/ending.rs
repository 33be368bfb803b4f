//! The end of an execution outside of a pass: a person refuses, nobody decides in time, it is deleted, or the process
//! that ran it is gone and nobody takes it over.

use super::execution::{Execution, Status};
use super::failure::{CodeError, ErrorKind};
use super::finish::{HookWish, due_hooks};
use super::id::{OwnerId, Token};
use super::journal::{Entry, EntryState, Request, Rerun};
use super::write::{HookKind, Move, Write};

/// In which circumstances an execution is ended.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// The hooks that connectors want.
    pub wishes: &'a [HookWish],
    /// Who runs the hooks.
    pub owner: OwnerId,
    /// Epoch milliseconds.
    pub at: u64,
}

/// Ends an execution that no pass runs: a paused one as rejected, an abandoned one as error. That is no end of a pass:
/// only `execution_ended` fires (REJECT-04, EXPIRE-08). A call of which nobody knows whether it happened stays in doubt.
#[must_use]
pub fn end_at_rest(execution: &Execution, entries: &[Entry], error: CodeError, ending: Ending<'_>) -> Vec<Write> {
    let Ending { wishes, owner, at } = ending;
    let status = if execution.status == Status::Running { Status::Error } else { Status::Rejected };
    let mut writes = close_open(entries, at);
    let hooks = due_hooks(&only_ended(wishes), execution.pass, status);
    let owner = (!hooks.is_empty()).then_some(owner);
    writes.extend(hooks);
    writes.push(Write::Moved(Box::new(Move {
        status,
        pass: execution.pass,
        token: Token(execution.token.0 + 1),
        owner,
        result: None,
        error: Some(error),
        at,
    })));
    writes
}

/// Ends an execution that is to be deleted, so that its connectors can clean up (PRUNE-10).
#[must_use]
pub fn dispose(execution: &Execution, entries: &[Entry], ending: Ending<'_>) -> Vec<Write> {
    let error = if execution.status == Status::Running {
        abandoned("it was deleted")
    } else {
        CodeError::new(ErrorKind::Cancelled, "the execution was deleted while it was paused")
    };
    end_at_rest(execution, entries, error, ending)
}

/// Why an execution ended that was taken from a process that is gone. `instead` says what was done with it.
#[must_use]
pub fn abandoned(instead: &str) -> CodeError {
    CodeError::new(ErrorKind::Abandoned, format!("the process that ran the execution is gone, and {instead}"))
        .with_hint("calls that were in flight may have taken effect; see which are unresolved")
}

/// The wish for `execution_ended` only.
pub(super) fn only_ended(wishes: &[HookWish]) -> Vec<HookWish> {
    wishes
        .iter()
        .filter(|w| w.kinds.contains(&HookKind::ExecutionEnded))
        .map(|w| HookWish { connector: w.connector.clone(), kinds: vec![HookKind::ExecutionEnded] })
        .collect()
}

/// What is pending, or goes on only in a later pass, is withdrawn. A call that a lost pass had begun may have happened.
fn close_open(entries: &[Entry], at: u64) -> Vec<Write> {
    let open = &[EntryState::Pending, EntryState::Executing];
    let in_doubt = entries.iter().filter(|e| {
        let begun = e.state == EntryState::Executing && e.attempt > 0 && e.terms.needs_barrier();
        begun && matches!(e.request, Request::Call { .. } | Request::Fetch { .. })
    });
    let unknown = in_doubt.map(|e| Write::Answered {
        op: e.op,
        from: open,
        state: EntryState::Unknown,
        answer: None,
        rerun: Rerun::No,
        at,
        event: None,
    });
    unknown.chain([Write::Sweep { from: open, to: EntryState::Withdrawn, at }]).collect()
}

#[cfg(test)]
mod tests;
