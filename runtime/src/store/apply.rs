//! What each write does to a record: the meaning of [`Write`], as a pure function. The memory store is made of it, and
//! other stores are compared with it.

use super::{Attention, Record, Summary};
use crate::durable::execution::Execution;
use crate::durable::id::Op;
use crate::durable::journal::{Entry, EntryState};
use crate::durable::write::{Hook, Move, Write};

/// How many characters of the code a list shows.
pub(crate) const CODE_START: usize = 200;

/// Applies one write that was checked before. What is not kept in a record is the store's own business: the beginning
/// and the end of the execution, and connector state. A write about an entry that is not there changes nothing.
pub(crate) fn apply(record: &mut Record, write: Write, next_hook: &mut u64) {
    match write {
        Write::Begin(_) | Write::Delete | Write::State(_) | Write::Expect(_) | Write::Require { .. } => {}
        Write::Prune { .. } | Write::Cancel => {}
        Write::Asked(new) => match entry(record, new.op) {
            Some(old) => *old = *new,
            None => record.entries.push(*new),
        },
        Write::Answered { op, from, state, answer, rerun, at, event } => {
            if let Some(entry) = entry(record, op).filter(|e| from.contains(&e.state)) {
                entry.state = state;
                entry.answer = answer;
                entry.rerun = rerun;
                entry.answered_at = Some(at);
                entry.answered_event = event;
            }
        }
        Write::Delivered { op, delivery } => {
            if let Some(entry) = entry(record, op) {
                entry.delivery = Some(delivery);
            }
        }
        Write::TimerLeft { op, remaining_ms } => {
            if let Some(entry) = entry(record, op) {
                entry.remaining_ms = Some(remaining_ms);
            }
        }
        Write::Decided { op, decision } => {
            let at = decision.at;
            if let Some(entry) = entry(record, op).filter(|e| e.state == EntryState::Pending) {
                entry.decision = Some(decision);
                record.execution.updated_at = record.execution.updated_at.max(at);
            }
        }
        Write::Reverted { op, state, revert } => {
            if let Some(entry) = entry(record, op) {
                entry.state = state;
                entry.revert = Some(revert);
            }
        }
        Write::Resolved { op, state, answer, consent, resolution } => {
            if let Some(entry) = entry(record, op).filter(|e| e.state == EntryState::Unknown) {
                entry.state = state;
                entry.answer = answer;
                entry.answered_at = Some(resolution.decision.at);
                entry.decision = consent;
                entry.resolution = Some(resolution);
            }
        }
        Write::Owned { token, owner } => {
            record.execution.token = token;
            record.execution.owner = owner;
        }
        Write::Sweep { from, to, at } => {
            for entry in record.entries.iter_mut().filter(|e| from.contains(&e.state)) {
                entry.state = to;
                entry.answered_at = Some(at);
            }
        }
        Write::Moved(change) => moved(&mut record.execution, *change),
        Write::Logged { lines } => {
            let pass = record.execution.pass;
            lines.into_iter().for_each(|line| record.execution.log(pass, line));
        }
        Write::HookDue(hook) => {
            record.hooks.push(Hook { id: *next_hook, ..hook });
            *next_hook += 1;
        }
        Write::HookDone { id } => record.hooks.retain(|h| h.id != id),
    }
}

fn entry(record: &mut Record, op: Op) -> Option<&mut Entry> {
    record.entries.get_mut(usize::try_from(op.0).ok()?)
}

/// An execution that ended keeps the time of its first end, also when it is rolled back later: retention ranks by it.
fn moved(execution: &mut Execution, change: Move) {
    execution.status = change.status;
    execution.pass = change.pass;
    execution.token = change.token;
    execution.owner = change.owner;
    execution.result = change.result;
    execution.error = change.error;
    execution.updated_at = execution.updated_at.max(change.at);
    execution.ended_at = if change.status.is_terminal() { Some(execution.ended_at.unwrap_or(change.at)) } else { None };
}

/// The last change of the row or of its journal (AUDIT-05). Derived when a record is read, so that recording a call need not
/// touch the execution's row.
pub(crate) fn last_change(row: u64, entries: &[Entry]) -> u64 {
    let changes = |e: &Entry| [Some(e.asked_at), e.answered_at, e.revert.as_ref().map(|r| r.at)];
    entries.iter().flat_map(changes).flatten().fold(row, u64::max)
}

/// The start of the code, for lists.
pub(crate) fn code_start(code: &str) -> &str {
    code.char_indices().nth(CODE_START).map_or(code, |(end, _)| &code[..end])
}

/// Whether a call of it needs attention for that reason.
pub(crate) fn needs(record: &Record, why: Attention) -> bool {
    let wanted = match why {
        Attention::Unresolved => Entry::is_in_doubt,
        Attention::NotReverted => Entry::is_not_reverted,
    };
    record.entries.iter().any(wanted)
}

/// A record's line in a list.
pub(crate) fn summary(record: &Record) -> Summary {
    let execution = &record.execution;
    let count = |wanted: fn(&Entry) -> bool| {
        u32::try_from(record.entries.iter().filter(|e| wanted(e)).count()).unwrap_or(u32::MAX)
    };
    Summary {
        id: execution.id().clone(),
        status: execution.status,
        created_at: execution.start.created_at,
        updated_at: last_change(execution.updated_at, &record.entries),
        ended_at: execution.ended_at,
        pass: execution.pass,
        calls: count(|e| e.seq.is_some()),
        pending: count(|e| e.state == EntryState::Pending),
        unresolved: count(Entry::is_in_doubt),
        not_reverted: count(Entry::is_not_reverted),
        code_start: code_start(&execution.start.code).to_owned(),
        damaged: None,
    }
}
