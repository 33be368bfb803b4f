//! The locks of a file between connections, as SQLite's protocol wants them, and the memory that connections share for
//! a write-ahead log.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

/// How a connection holds a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    #[default]
    None,
    Shared,
    Reserved,
    Pending,
    Exclusive,
}

/// The locks of one file, by the number of the opened file.
#[derive(Debug, Default)]
pub(super) struct Locks(BTreeMap<u64, Level>);

/// Whether something was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Granted {
    Yes,
    No,
}

impl Locks {
    /// Raises the lock of that connection.
    pub(super) fn raise(&mut self, who: u64, to: Level) -> Granted {
        let mine = self.0.get(&who).copied().unwrap_or_default();
        let others = self.others(who);
        if mine >= to {
            return Granted::Yes;
        }
        let free = match to {
            Level::None | Level::Shared => others < Level::Pending,
            _ => others < Level::Reserved,
        };
        if !free {
            return Granted::No;
        }
        if to == Level::Exclusive && others >= Level::Shared {
            // Nobody new comes in while it waits for those who read.
            self.set(who, Level::Pending);
            return Granted::No;
        }
        self.set(who, to);
        Granted::Yes
    }

    /// Lowers it.
    pub(super) fn set(&mut self, who: u64, to: Level) {
        if to == Level::None {
            self.0.remove(&who);
        } else {
            self.0.insert(who, to);
        }
    }

    /// Whether anybody is about to write.
    pub(super) fn is_reserved(&self) -> bool {
        self.0.values().any(|level| *level >= Level::Reserved)
    }

    fn others(&self, who: u64) -> Level {
        self.0.iter().filter(|(other, _)| **other != who).map(|(_, level)| *level).max().unwrap_or_default()
    }
}

/// How many locks a log has.
const SLOTS: usize = 8;

/// What the connections to one file share: pieces of memory, which stay where they are until the last one is gone, and
/// locks on them.
#[derive(Debug, Default)]
pub(super) struct Shared {
    regions: Vec<Box<[AtomicU64]>>,
    users: BTreeMap<u64, ()>,
    slots: [Slot; SLOTS],
}

#[derive(Debug, Default)]
struct Slot {
    readers: BTreeMap<u64, ()>,
    writer: Option<u64>,
}

/// How a slot is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    Shared,
    Exclusive,
}

impl Shared {
    /// Where that piece of so many bytes is, all zero when it is new. `None` where there is none and none is to be made.
    pub(super) fn region(&mut self, who: u64, number: usize, size: usize, make: Granted) -> Option<*const AtomicU64> {
        self.users.insert(who, ());
        if make == Granted::Yes {
            while self.regions.len() <= number {
                self.regions.push((0..size.div_ceil(8)).map(|_| AtomicU64::new(0)).collect());
            }
        }
        self.regions.get(number).map(|region| region.as_ptr())
    }

    /// Locks slots, all or none.
    pub(super) fn hold(&mut self, who: u64, from: usize, count: usize, hold: Hold) -> Granted {
        let slots = &mut self.slots[from..from + count];
        let taken = slots.iter().any(|slot| {
            let written = slot.writer.is_some_and(|writer| writer != who);
            let read = slot.readers.keys().any(|reader| *reader != who);
            written || hold == Hold::Exclusive && read
        });
        if taken {
            return Granted::No;
        }
        for slot in slots {
            match hold {
                Hold::Shared => drop(slot.readers.insert(who, ())),
                Hold::Exclusive => slot.writer = Some(who),
            }
        }
        Granted::Yes
    }

    /// Gives slots back.
    pub(super) fn release(&mut self, who: u64, from: usize, count: usize, hold: Hold) {
        for slot in &mut self.slots[from..from + count] {
            match hold {
                Hold::Shared => drop(slot.readers.remove(&who)),
                Hold::Exclusive => slot.writer = slot.writer.filter(|writer| *writer != who),
            }
        }
    }

    /// The connection looks no longer. With the last one the memory goes.
    pub(super) fn leave(&mut self, who: u64) {
        self.release(who, 0, SLOTS, Hold::Shared);
        self.release(who, 0, SLOTS, Hold::Exclusive);
        self.users.remove(&who);
        if self.users.is_empty() {
            self.regions.clear();
        }
    }
}
