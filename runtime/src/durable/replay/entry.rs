//! How entries come to be, and what is kept of their answers.

use super::super::failure::{CodeError, ErrorKind};
use super::super::id::{Op, Seq};
use super::super::journal::{Answer, Entry, EntryState, Request, Rerun, Terms};
use super::{Replay, Work};

impl Replay {
    /// The step of that name whose closure runs; of several the one that was begun last.
    #[must_use]
    pub fn running_step(&self, name: &str) -> Option<Op> {
        let named = |e: &Entry| matches!(&e.request, Request::Step { name: n } if n == name);
        let mut steps = self.entries.iter().zip(&self.work).filter(|(e, w)| **w == Work::Stepping && named(e));
        steps.next_back().map(|(e, _)| e.op)
    }
}

pub(super) fn state_of(answer: &Answer) -> EntryState {
    if answer.is_ok() { EntryState::Applied } else { EntryState::Failed }
}

/// What the journal keeps of an answer: of an ephemeral one only that it succeeded.
pub(super) fn kept(entry: &Entry, answer: &Answer) -> Answer {
    match answer {
        Ok(_) if entry.is_ephemeral() => Ok(None),
        other => other.clone(),
    }
}

pub(super) fn never_settles() -> CodeError {
    CodeError::new(ErrorKind::NeverSettles, "the code waits for something that never settles")
        .with_hint("a promise that nothing resolves was awaited; await the calls themselves")
}

/// The next event's number, for what people see.
pub(super) fn number(next: &mut u64, seq: Option<Seq>) -> Option<u64> {
    seq.map(|_| {
        let event = *next;
        *next += 1;
        event
    })
}

pub(super) fn fresh_entry(op: Op, seq: Option<Seq>, request: Request, pass: u32, at: u64, event: Option<u64>) -> Entry {
    Entry {
        asked_event: event.unwrap_or(0),
        answered_event: None,
        op,
        seq,
        request,
        terms: Terms::default(),
        state: EntryState::Executing,
        answer: None,
        rerun: Rerun::No,
        digest: None,
        decision: None,
        resolution: None,
        revert: None,
        delivery: None,
        remaining_ms: None,
        attempt: 0,
        pass,
        asked_at: at,
        answered_at: None,
    }
}
