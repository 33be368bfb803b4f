//! What may have happened in the world, and what surely did not. The journal must never call a call undone that was
//! begun, nor leave one in doubt that was not.

use super::super::id::Op;
use super::super::journal::{Answer, Entry, EntryState, Rerun};
use super::super::write::Write;
use super::entry::{kept, state_of};
use super::{ANSWERABLE, Replay, Work};

impl Replay {
    /// What is performed right now.
    pub fn performing(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().zip(&self.work).filter(|(_, w)| **w == Work::Performing).map(|(e, _)| e)
    }

    /// Whether a call that is left executing may have happened: it is performed right now, or was begun by an earlier
    /// pass, of which nobody knows how far it came.
    #[must_use]
    pub fn may_have_happened(&self, op: Op) -> bool {
        let index = op.0 as usize;
        let begun_before = |e: &Entry| index < self.recorded && e.attempt > 0;
        self.work.get(index) == Some(&Work::Performing) || self.entries.get(index).is_some_and(begun_before)
    }

    /// The pass ended before this performance began; it never will.
    pub fn never_began(&mut self, op: Op) {
        let index = op.0 as usize;
        if self.work.get(index) == Some(&Work::Performing) {
            self.in_flight -= 1;
            self.work[index] = Work::Queued;
            self.entries[index].attempt = self.entries[index].attempt.saturating_sub(1);
        }
    }

    /// The answer of a call could not be kept, because another call changed what it had read. Whether it may be performed
    /// once more; if so, that is its next attempt.
    pub fn perform_again(&mut self, op: Op) -> bool {
        let index = op.0 as usize;
        if self.work.get(index) != Some(&Work::Performing) || !self.entries[index].terms.may_repeat() {
            return false;
        }
        let entry = &mut self.entries[index];
        entry.attempt = entry.attempt.saturating_add(1);
        self.writes.push(Write::Asked(Box::new(entry.clone())));
        true
    }

    /// The write that keeps an answer which came after the end of the pass (`None`: one that cannot be kept).
    #[must_use]
    pub fn late_write(&self, op: Op, answer: Option<&Answer>, at: u64) -> Option<Write> {
        let entry = self.entry(op)?;
        Some(Write::Answered {
            op,
            from: ANSWERABLE,
            state: answer.map_or(EntryState::Unrecordable, state_of),
            answer: answer.map(|answer| kept(entry, answer)),
            rerun: Rerun::No,
            at,
            event: None,
        })
    }

    /// Only a person can say whether this call happened; the journal says so from here on.
    pub(super) fn unsure(&mut self, op: Op, at: u64) {
        let index = op.0 as usize;
        self.work[index] = Work::Waiting;
        if self.entries[index].state == EntryState::Executing {
            self.entries[index].state = EntryState::Unknown;
            self.writes.push(Write::Answered {
                op,
                from: &[EntryState::Executing],
                state: EntryState::Unknown,
                answer: None,
                rerun: Rerun::No,
                at,
                event: None,
            });
        }
    }

    /// Whether this is a step whose closure runs and whose outcome is not recorded yet.
    #[must_use]
    pub fn is_stepping(&self, op: Op) -> bool {
        self.work.get(op.0 as usize) == Some(&Work::Stepping)
    }
}
