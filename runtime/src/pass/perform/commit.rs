//! The batch that keeps an answer together with what its call wrote to its connector's state: all of it or nothing.

use super::Arrived;
use crate::durable::id::Op;
use crate::durable::journal::Answer;
use crate::durable::replay::ANSWERABLE;
use crate::durable::write::Write;
use crate::store::{StateLock, StoreError, Ticket};

/// With state the whole batch depends on the entry still taking its answer; so nothing else may be in it.
pub(in crate::pass) fn batch(op: Op, answer: Write, state: Vec<Write>) -> Vec<Write> {
    let mut writes = Vec::with_capacity(state.len() + 2);
    if !state.is_empty() {
        writes.push(Write::Require { op, states: ANSWERABLE });
    }
    writes.push(answer);
    writes.extend(state);
    writes
}

/// Waits until the batch is durable; until then nobody else gets the turn to write.
pub(in crate::pass) async fn wait(op: Op, answer: Answer, ticket: Ticket, turn: Option<StateLock>) -> Arrived {
    let committed = ticket.await;
    drop(turn);
    match committed {
        Ok(()) => Arrived::Committed { op, answer },
        Err(StoreError::StateConflict) => Arrived::Conflict { op },
        Err(error) => Arrived::Store { error },
    }
}
