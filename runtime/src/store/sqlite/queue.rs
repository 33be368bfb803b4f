//! What waits for the writer thread, in order. Producers never touch the database; a full queue makes them wait, so
//! memory stays bounded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::durable::id::{ExecutionId, Token};
use crate::durable::write::Write;
use crate::store::StoreError;

use super::writer::Item;

/// More items than this make an append wait.
const CAPACITY: usize = 65_536;
/// At most so many items that somebody waits for share a commit.
const MAX_URGENT: usize = 256;
/// At most so many items share a commit; with so many waiting it starts at once.
const MAX_ITEMS: usize = 4_096;
/// How long items that nobody waits for stay unwritten.
const LINGER: Duration = Duration::from_millis(5);

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Queue {
    inner: Mutex<Inner>,
    arrived: Condvar,
    room: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    items: VecDeque<Item>,
    urgent: usize,
    phase: Phase,
    stuck: Stuck,
    closed: bool,
}

/// What the writer does.
#[derive(Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Waiting,
    Writing,
}

/// Ownerships whose writes were lost. Whatever is appended under such a token, or under one that a lost write was to
/// bring, fails in the same way, or there would be a hole in the journal.
#[derive(Debug, Default)]
pub(super) struct Stuck(BTreeMap<ExecutionId, (Token, StoreError)>);

impl Stuck {
    /// Remembers a loss; the first reason stays.
    pub(super) fn remember(&mut self, id: &ExecutionId, token: Token, error: &StoreError) {
        if self.reason(id, token, &[]).is_none() {
            self.0.insert(id.clone(), (token, error.clone()));
        }
    }

    /// Why that append cannot be taken, if so. A new beginning is a new life.
    pub(super) fn reason(&self, id: &ExecutionId, token: Token, writes: &[Write]) -> Option<StoreError> {
        let (stuck, error) = self.0.get(id)?;
        (token >= *stuck && !matches!(writes.first(), Some(Write::Begin(_)))).then(|| error.clone())
    }

    /// Somebody looked at what is really there and decided from it: nothing is missing from here on.
    pub(super) fn forget(&mut self, id: &ExecutionId) {
        self.0.remove(id);
    }
}

impl Queue {
    /// Adds an item, or says why it cannot be taken.
    pub(super) fn push(&self, item: Item) -> Result<(), StoreError> {
        let mut inner = self.lock();
        while inner.items.len() >= CAPACITY && !inner.closed {
            inner = self.room.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        if inner.closed {
            return Err(StoreError::Closed);
        }
        if let Some((id, token, writes)) = item.appends() {
            if let Some(error) = inner.stuck.reason(id, token, writes) {
                return Err(error);
            }
            if matches!(writes.first(), Some(Write::Begin(_))) {
                inner.stuck.forget(id);
            }
        }
        let urgent = item.is_urgent();
        inner.urgent += usize::from(urgent);
        inner.items.push_back(item);
        // The writer sleeps through items that nobody waits for, but the first one starts its linger.
        if urgent || inner.items.len() == 1 || inner.items.len() >= MAX_ITEMS {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// Whether everything that was added is written.
    pub(super) fn is_idle(&self) -> bool {
        let inner = self.lock();
        inner.items.is_empty() && inner.phase == Phase::Waiting
    }

    /// For the writer: waits for work and takes it, in order. `None` when the queue is closed and empty.
    pub(super) fn next_group(&self) -> Option<Vec<Item>> {
        let mut inner = self.lock();
        inner.phase = Phase::Waiting;
        while inner.items.is_empty() {
            if inner.closed {
                return None;
            }
            inner = self.arrived.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        let nothing_presses = |inner: &mut Inner| inner.urgent == 0 && inner.items.len() < MAX_ITEMS && !inner.closed;
        let (mut inner, _) =
            self.arrived.wait_timeout_while(inner, LINGER, nothing_presses).unwrap_or_else(PoisonError::into_inner);
        let mut group = Vec::new();
        let mut urgent = 0;
        while group.len() < MAX_ITEMS && urgent < MAX_URGENT {
            let Some(item) = inner.items.pop_front() else { break };
            urgent += usize::from(item.is_urgent());
            group.push(item);
        }
        inner.urgent -= urgent;
        inner.phase = Phase::Writing;
        self.room.notify_all();
        Some(group)
    }

    /// The losses so far, for the writer to look at and to change.
    pub(super) fn with_stuck<T>(&self, look: impl FnOnce(&mut Stuck) -> T) -> T {
        look(&mut self.lock().stuck)
    }

    /// Takes no more items; those that are there are still written.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
        self.room.notify_all();
    }

    /// For a writer that ends early: nothing is written any more. Dropping an item tells whoever waits for it.
    pub(super) fn abandon(&self) {
        self.close();
        let items = std::mem::take(&mut self.lock().items);
        drop(items);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
