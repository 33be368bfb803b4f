//! Whether what a bundle says can be the journal of an execution. Whoever made the bundle may have computed its digest
//! anew; replay indexes by these numbers, and must be able to rely on them.

use crate::durable::id::{Op, Seq};
use crate::durable::journal::{Entry, EntryState};

/// No time or number of a journal comes near it, and JavaScript can still say it.
const LARGEST: u64 = (1 << 53) - 1;
/// Replay counts on from attempts and passes.
const LARGEST_COUNT: u32 = u32::MAX / 2;

/// Checks entries one after the other, as they are read.
#[derive(Default)]
pub(super) struct Checker {
    entries: u32,
    numbered: u32,
    /// Place, clock and op of each delivery.
    deliveries: Vec<(u32, u64, Op)>,
}

impl Checker {
    /// Checks the next entry.
    pub(super) fn entry(&mut self, entry: &Entry) -> Result<(), String> {
        if entry.op != Op(self.entries) {
            return Err(format!("entry {} stands where entry {} must", entry.op, self.entries));
        }
        self.entries += 1;
        let seq = entry.request.is_numbered().then_some(Seq(self.numbered));
        if entry.seq != seq {
            let word = |seq: Option<Seq>| seq.map_or_else(|| "none".to_owned(), |seq| seq.to_string());
            return Err(format!("entry {} has seq {}, and must have {}", entry.op, word(entry.seq), word(seq)));
        }
        self.numbered += u32::from(seq.is_some());
        let answered = match (entry.state, &entry.answer) {
            (EntryState::Applied, answer) => matches!(answer, Some(Ok(_))),
            (EntryState::Failed, answer) => matches!(answer, Some(Err(_))),
            _ => true,
        };
        if !answered {
            return Err(format!("the answer of entry {} does not fit its state {}", entry.op, entry.state.as_str()));
        }
        if let Some(delivery) = entry.delivery {
            if entry.answer.is_none() && entry.state != EntryState::Unrecordable {
                return Err(format!("entry {} was delivered without an answer", entry.op));
            }
            self.deliveries.push((delivery.place, delivery.now, entry.op));
        }
        numbers(entry)
    }

    /// Checks what only all of them show.
    pub(super) fn end(mut self) -> Result<(), String> {
        self.deliveries.sort_unstable();
        let mut clock = 0;
        for (at, (place, now, op)) in self.deliveries.into_iter().enumerate() {
            if usize::try_from(place) != Ok(at) {
                return Err(format!("the delivery of entry {op} has place {place} where place {at} must follow"));
            }
            if now < clock {
                return Err(format!("the code's clock goes back with the delivery of entry {op}"));
            }
            clock = now;
        }
        Ok(())
    }
}

fn numbers(entry: &Entry) -> Result<(), String> {
    let times = [Some(entry.asked_at), entry.answered_at, entry.delivery.map(|d| d.now)];
    let others = [Some(entry.asked_event), entry.answered_event, entry.remaining_ms];
    let too_large = times.into_iter().chain(others).flatten().any(|number| number > LARGEST);
    if too_large || entry.attempt > LARGEST_COUNT || entry.pass > LARGEST_COUNT {
        return Err(format!("a number of entry {} is larger than any can be", entry.op));
    }
    Ok(())
}
