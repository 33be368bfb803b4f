//! What is done about an execution whose process is gone. Nothing is lost by that: the journal says how far it came, and
//! the same code runs again against it.

use super::execution::{Execution, Status};
use super::finish::{HookWish, due_hooks};
use super::id::{OwnerId, Token};
use super::journal::{Entry, EntryState};
use super::write::{Hook, HookKind, Move, Write};

/// What a process that is gone left undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A pass: the code runs again against the journal.
    Pass,
    /// A rollback: what is not undone yet is still to be undone.
    Rollback,
    /// Hooks, or only the word that all is done.
    Hooks,
}

/// What there is to do.
#[must_use]
pub fn left_undone(execution: &Execution, entries: &[Entry], hooks: &[Hook]) -> Work {
    let reverting = entries.iter().any(|e| e.state == EntryState::Reverting);
    match execution.status {
        Status::Running => Work::Pass,
        _ if reverting => Work::Rollback,
        // Its hooks are written when all is undone that can be.
        Status::RolledBack if hooks.is_empty() => Work::Rollback,
        _ => Work::Hooks,
    }
}

/// Takes a running execution over for its next pass. The pass that was lost did end: connectors are told so.
#[must_use]
pub fn take_over(execution: &Execution, owner: OwnerId, wishes: &[HookWish], at: u64) -> (Vec<Write>, Execution) {
    let told: Vec<HookWish> = wishes
        .iter()
        .filter(|w| w.kinds.contains(&HookKind::PassEnded))
        .map(|w| HookWish { connector: w.connector.clone(), kinds: vec![HookKind::PassEnded] })
        .collect();
    let mut writes = due_hooks(&told, execution.pass, Status::Error);
    let (moved, next) = next_pass(execution, owner, at);
    writes.push(moved);
    (writes, next)
}

/// The write that begins the next pass, and the execution as it is then.
#[must_use]
pub fn next_pass(execution: &Execution, owner: OwnerId, at: u64) -> (Write, Execution) {
    let next = Execution {
        status: Status::Running,
        pass: execution.pass.saturating_add(1),
        token: Token(execution.token.0 + 1),
        owner: Some(owner),
        updated_at: at,
        ..execution.clone()
    };
    let moved = Move {
        status: next.status,
        pass: next.pass,
        token: next.token,
        owner: next.owner,
        result: None,
        error: None,
        at,
    };
    (Write::Moved(Box::new(moved)), next)
}

/// Takes the ownership of an execution at rest, for hooks or a rollback.
#[must_use]
pub fn claim(execution: &Execution, owner: OwnerId) -> (Vec<Write>, Execution) {
    let claimed = Execution { token: Token(execution.token.0 + 1), owner: Some(owner), ..execution.clone() };
    (vec![Write::Owned { token: claimed.token, owner: claimed.owner }], claimed)
}

#[cfg(test)]
mod tests;
