//! Whether a batch of writes is to be refused, decided before any of it is done. Every store asks here first; what is
//! left to go wrong afterwards is the medium, so all-or-nothing never depends on undoing half a batch.

use super::StoreError;
use crate::durable::id::{ExecutionId, Op, Token, Version};
use crate::durable::journal::EntryState;
use crate::durable::write::{Scope, StateRead, Write};

/// The highest op of an execution: a store's row number has 24 bits for it.
pub(crate) const MAX_OP: u32 = (1 << 24) - 1;

/// In which right somebody writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// The owner of the running execution.
    Owner(Token),
    /// Somebody outside who looked at this version.
    Decider(Version),
    /// Somebody who removes an execution that cannot be read back, so that nobody could have seen its version.
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "nothing in memory is ever damaged"))]
    Remover,
}

/// What a check needs to know of an execution that exists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Its current ownership.
    pub(crate) token: Token,
    /// Its current version.
    pub(crate) version: Version,
    /// How many entries it has.
    pub(crate) entries: u32,
}

/// Checks everything but what the batch wants of single rows, for which see [`requirements`] and [`expectations`].
///
/// # Errors
/// Why the batch must be refused as a whole.
pub(crate) fn check(id: &ExecutionId, right: Right, seen: Option<Seen>, writes: &[Write]) -> Result<(), StoreError> {
    let begins = matches!(writes.first(), Some(Write::Begin(_)));
    match (right, seen) {
        (Right::Owner(_), _) if begins => {}
        (_, None) => return Err(StoreError::NotFound(id.clone())),
        (Right::Owner(token), Some(seen)) if token != seen.token => return Err(StoreError::Fenced(id.clone())),
        (Right::Decider(version), Some(seen)) if version != seen.version => {
            return Err(StoreError::Conflict(id.clone()));
        }
        _ => {}
    }
    let mut entries = seen.map(|s| s.entries);
    for write in writes {
        match (write, entries) {
            (Write::Begin(_), Some(_)) => return Err(StoreError::Conflict(id.clone())),
            (Write::Begin(execution), None) if execution.id() != id => {
                return Err(StoreError::Failed(format!("{id} cannot begin as {}", execution.id())));
            }
            (Write::Begin(_), None) => entries = Some(0),
            (Write::Delete, Some(_)) => entries = None,
            (Write::Asked(entry), Some(count)) if entry.op.0 > count || entry.op.0 > MAX_OP => {
                return Err(StoreError::Failed(format!("{id} has {count} entries, op {} cannot be next", entry.op)));
            }
            (Write::Asked(entry), Some(count)) => entries = Some(count.max(entry.op.0 + 1)),
            (Write::State(write), None) if write.at.scope == Scope::Connector => {}
            (Write::Expect(_), None) => {}
            (_, None) => return Err(StoreError::NotFound(id.clone())),
            _ => {}
        }
    }
    Ok(())
}

/// The entries that must be in certain states, all as of before the batch. One that is not there is in none.
pub(crate) fn requirements(writes: &[Write]) -> impl Iterator<Item = (Op, &'static [EntryState])> {
    writes
        .iter()
        .filter_map(|write| if let Write::Require { op, states } = write { Some((*op, *states)) } else { None })
}

/// Whether only the outcome tells if the batch was taken.
pub(crate) fn is_conditional(writes: &[Write]) -> bool {
    writes.iter().any(|write| matches!(write, Write::Require { .. } | Write::Expect(_)))
}

/// What the batch expects of connector state: all of it as of before the batch.
pub(crate) fn expectations(writes: &[Write]) -> impl Iterator<Item = &StateRead> {
    writes.iter().filter_map(|write| if let Write::Expect(read) = write { Some(read) } else { None })
}

/// The version after a batch that was not refused: up by one for a decision, and for an append that moves the
/// execution or its ownership; as its first row says for one that begins.
pub(crate) fn version_after(right: Right, before: Option<Version>, writes: &[Write]) -> Version {
    if let Some(execution) = writes.iter().rev().find_map(|w| if let Write::Begin(e) = w { Some(e) } else { None }) {
        return execution.version;
    }
    let before = before.unwrap_or(Version(0));
    let moves = writes.iter().any(|w| matches!(w, Write::Moved(_) | Write::Owned { .. }));
    if matches!(right, Right::Owner(_)) && !moves { before } else { Version(before.0.saturating_add(1)) }
}
