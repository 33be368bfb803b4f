//! A store whose process dies at a write that the test chooses: that write is lost or the last one, nothing is heard
//! from it any more, and what it owned is abandoned. The store itself lives on, for whoever comes next.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use codemode_runtime::ExecutionId;
use codemode_runtime::durable::id::{OwnerId, Token, Version};
use codemode_runtime::durable::snippet::{Snippet, SnippetLabel};
use codemode_runtime::durable::write::{StateValue, Write};
use codemode_runtime::store::{Barrier, Query, Record, StateLock, StateQuery, Store, StoreError, Summary, Ticket};

/// What becomes of the write at which the process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastWrite {
    /// It never reached the store.
    Lost,
    /// It is kept, and nobody heard of it.
    Kept,
}

pub(crate) const BOTH: [LastWrite; 2] = [LastWrite::Lost, LastWrite::Kept];

/// A process's way to a store.
pub(crate) struct Mortal {
    store: Arc<dyn Store>,
    last: LastWrite,
    life: Mutex<Life>,
}

/// Held over each write, so that nobody finds a process half dead.
struct Life {
    /// Writes until death; below zero: dead.
    left: i64,
    owners: Vec<OwnerId>,
}

impl Mortal {
    /// Dies at its write number `at`, from 0.
    pub(crate) fn at(store: &Arc<dyn Store>, at: i64, last: LastWrite) -> Arc<Self> {
        Arc::new(Self { store: store.clone(), last, life: Mutex::new(Life { left: at, owners: Vec::new() }) })
    }

    /// Lives until it is told to die.
    pub(crate) fn of(store: &Arc<dyn Store>) -> Arc<Self> {
        Self::at(store, i64::MAX, LastWrite::Lost)
    }

    /// Dies at its write number `at` from now on.
    pub(crate) fn dies_at(&self, at: i64) {
        self.life.lock().unwrap().left = at;
    }

    /// Ends the process as far as the store is concerned.
    pub(crate) fn die(&self) {
        self.ends(&mut self.life.lock().unwrap());
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.life.lock().unwrap().left < 0
    }

    fn ends(&self, life: &mut Life) {
        life.left = -1;
        for owner in life.owners.drain(..) {
            self.store.release_owner(owner);
            // A child that another test starts at this moment has all files of this process until it runs its own program.
            while self.store.owner_is_alive(owner).unwrap() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    fn alive(&self) -> Result<(), StoreError> {
        if self.is_dead() { Err(StoreError::Closed) } else { Ok(()) }
    }

    /// One more write.
    fn write<T>(&self, write: impl FnOnce() -> T, dead: impl Fn() -> T) -> T {
        let mut life = self.life.lock().unwrap();
        match life.left {
            0 => {
                if self.last == LastWrite::Kept {
                    drop(write());
                }
                self.ends(&mut life);
                dead()
            }
            1.. => {
                life.left -= 1;
                write()
            }
            _ => dead(),
        }
    }
}

impl Store for Mortal {
    fn claim_owner(&self) -> Result<OwnerId, StoreError> {
        let mut life = self.life.lock().unwrap();
        if life.left < 0 {
            return Err(StoreError::Closed);
        }
        let owner = self.store.claim_owner()?;
        life.owners.push(owner);
        Ok(owner)
    }

    fn release_owner(&self, owner: OwnerId) {
        if !self.is_dead() {
            self.store.release_owner(owner);
        }
    }

    fn owner_is_alive(&self, owner: OwnerId) -> Result<bool, StoreError> {
        self.alive().and_then(|()| self.store.owner_is_alive(owner))
    }

    fn owned(&self) -> Result<Vec<(ExecutionId, OwnerId)>, StoreError> {
        self.alive().and_then(|()| self.store.owned())
    }

    fn cancelled(&self, owner: OwnerId) -> Result<Vec<ExecutionId>, StoreError> {
        self.alive().and_then(|()| self.store.cancelled(owner))
    }

    fn unresolved(&self) -> Result<Vec<ExecutionId>, StoreError> {
        self.alive().and_then(|()| self.store.unresolved())
    }

    fn consented(&self) -> Result<Vec<ExecutionId>, StoreError> {
        self.alive().and_then(|()| self.store.consented())
    }

    fn try_lock_state(&self, connector: &str) -> Result<Option<StateLock>, StoreError> {
        self.alive().and_then(|()| self.store.try_lock_state(connector))
    }

    fn prune(&self, keep: u32) -> Result<u64, StoreError> {
        self.write(|| self.store.prune(keep), || Err(StoreError::Closed))
    }

    fn append(&self, id: &ExecutionId, token: Token, writes: Vec<Write>, barrier: Barrier) -> Ticket {
        let write = || self.store.append(id, token, writes, barrier);
        self.write(write, || Ticket::settled(Err(StoreError::Closed)))
    }

    fn commit(&self, id: &ExecutionId, expected: Version, writes: Vec<Write>) -> Result<Version, StoreError> {
        self.write(|| self.store.commit(id, expected, writes), || Err(StoreError::Closed))
    }

    fn load(&self, id: &ExecutionId) -> Result<Option<Record>, StoreError> {
        self.alive().and_then(|()| self.store.load(id))
    }

    fn list(&self, query: &Query) -> Result<Vec<Summary>, StoreError> {
        self.alive().and_then(|()| self.store.list(query))
    }

    fn state(
        &self,
        connector: &str,
        execution: Option<&ExecutionId>,
        key: &str,
    ) -> Result<Option<StateValue>, StoreError> {
        self.alive().and_then(|()| self.store.state(connector, execution, key))
    }

    fn state_keys(&self, query: &StateQuery<'_>) -> Result<Vec<String>, StoreError> {
        self.alive().and_then(|()| self.store.state_keys(query))
    }

    fn save_snippet(&self, snippet: &Snippet) -> Result<(), StoreError> {
        self.write(|| self.store.save_snippet(snippet), || Err(StoreError::Closed))
    }

    fn delete_snippet(&self, name: &str) -> Result<bool, StoreError> {
        self.write(|| self.store.delete_snippet(name), || Err(StoreError::Closed))
    }

    fn snippet(&self, name: &str) -> Result<Option<Snippet>, StoreError> {
        self.alive().and_then(|()| self.store.snippet(name))
    }

    fn snippets(&self) -> Result<Vec<Snippet>, StoreError> {
        self.alive().and_then(|()| self.store.snippets())
    }

    fn snippet_labels(&self) -> Result<Vec<SnippetLabel>, StoreError> {
        self.alive().and_then(|()| self.store.snippet_labels())
    }
}
