//! The state of the connector under test: as a store has it, but looked into, counted and made to fail on demand. Nothing
//! but connector state is kept; what else a store does is refused.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codemode_runtime::durable::id::{OwnerId, Token, Version};
use codemode_runtime::durable::snippet::{Snippet, SnippetLabel};
use codemode_runtime::durable::write::{Scope, StateValue, Write};
use codemode_runtime::host::Fixed;
use codemode_runtime::store::{Barrier, Record, StateLock, StateQuery, StoreError, Summary, Ticket};
use codemode_runtime::{ExecutionId, Query, Store};
use tokio::sync::Notify;

/// Where a piece of state is: the execution for scope execution, and the key.
pub(super) type Place = (Option<String>, String);

/// What is stored.
pub(super) type Contents = BTreeMap<Place, Vec<u8>>;

/// A connector's state. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Cabinet(Arc<Mutex<Inside>>);

#[derive(Default)]
struct Inside {
    values: BTreeMap<Place, StateValue>,
    version: u64,
    /// How often it was looked into.
    asked: u64,
    /// The look that fails, from 1.
    fails_at: Option<u64>,
    /// The look at which somebody is told, from 1.
    tells_at: Option<(u64, Arc<Notify>)>,
    /// The clock that each look moves on, and by how many milliseconds.
    slow: Option<(Fixed, u64)>,
}

impl Cabinet {
    /// What is in it.
    pub(super) fn contents(&self) -> Contents {
        self.inside().values.iter().map(|(place, found)| (place.clone(), found.value.clone())).collect()
    }

    /// A cabinet of its own with the same contents.
    pub(super) fn copy(&self) -> Self {
        let inside = self.inside();
        let (values, version) = (inside.values.clone(), inside.version);
        Self(Arc::new(Mutex::new(Inside { values, version, ..Inside::default() })))
    }

    /// How often it was looked into so far.
    pub(super) fn asked(&self) -> u64 {
        self.inside().asked
    }

    /// From here on, the look of that number fails, from 1.
    pub(super) fn fail_at(&self, look: u64) {
        let mut inside = self.inside();
        inside.asked = 0;
        inside.fails_at = Some(look);
    }

    /// From here on, somebody is told at the look of that number, from 1.
    pub(super) fn tell_at(&self, look: u64) -> Arc<Notify> {
        let mut inside = self.inside();
        let told = Arc::new(Notify::new());
        inside.asked = 0;
        inside.tells_at = Some((look, Arc::clone(&told)));
        told
    }

    /// From here on, each look takes so many milliseconds of that clock.
    pub(super) fn slow_down(&self, clock: &Fixed, ms: u64) {
        self.inside().slow = Some((clock.clone(), ms));
    }

    /// Keeps what a call wrote.
    pub(super) fn keep(&self, execution: &ExecutionId, writes: Vec<Write>) {
        let mut inside = self.inside();
        for write in writes {
            let Write::State(write) = write else { continue };
            let scope = (write.at.scope == Scope::Execution).then(|| execution.as_str().to_owned());
            let place = (scope, write.at.key);
            inside.version += 1;
            let version = inside.version;
            match write.value {
                Some(value) => drop(inside.values.insert(place, StateValue { value, version })),
                None => drop(inside.values.remove(&place)),
            }
        }
    }

    fn look(&self) -> Result<MutexGuard<'_, Inside>, StoreError> {
        let mut inside = self.inside();
        inside.asked += 1;
        if let Some((look, told)) = &inside.tells_at
            && *look == inside.asked
        {
            told.notify_one();
        }
        if let Some((clock, ms)) = &inside.slow {
            clock.skip(*ms);
        }
        if inside.fails_at == Some(inside.asked) {
            return Err(StoreError::Failed("a fault of this check".to_owned()));
        }
        Ok(inside)
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn nothing_else<T>() -> Result<T, StoreError> {
    Err(StoreError::Failed("this store keeps connector state only".to_owned()))
}

impl Store for Cabinet {
    fn state(&self, _: &str, execution: Option<&ExecutionId>, key: &str) -> Result<Option<StateValue>, StoreError> {
        let place = (execution.map(|id| id.as_str().to_owned()), key.to_owned());
        Ok(self.look()?.values.get(&place).cloned())
    }

    fn state_keys(&self, query: &StateQuery<'_>) -> Result<Vec<String>, StoreError> {
        let scope = query.execution.map(|id| id.as_str().to_owned());
        let inside = self.look()?;
        let fits = |(place, key): &&Place| {
            *place == scope && key.starts_with(query.prefix) && query.after.is_none_or(|after| key.as_str() > after)
        };
        Ok(inside.values.keys().filter(fits).take(query.limit as usize).map(|(_, key)| key.clone()).collect())
    }

    fn try_lock_state(&self, _: &str) -> Result<Option<StateLock>, StoreError> {
        Ok(Some(StateLock::new(())))
    }

    fn claim_owner(&self) -> Result<OwnerId, StoreError> {
        nothing_else()
    }
    fn release_owner(&self, _: OwnerId) {}
    fn owner_is_alive(&self, _: OwnerId) -> Result<bool, StoreError> {
        nothing_else()
    }
    fn owned(&self) -> Result<Vec<(ExecutionId, OwnerId)>, StoreError> {
        nothing_else()
    }
    fn cancelled(&self, _: OwnerId) -> Result<Vec<ExecutionId>, StoreError> {
        nothing_else()
    }
    fn unresolved(&self) -> Result<Vec<ExecutionId>, StoreError> {
        nothing_else()
    }
    fn consented(&self) -> Result<Vec<ExecutionId>, StoreError> {
        nothing_else()
    }
    fn prune(&self, _: u32) -> Result<u64, StoreError> {
        nothing_else()
    }
    fn append(&self, _: &ExecutionId, _: Token, _: Vec<Write>, _: Barrier) -> Ticket {
        Ticket::settled(nothing_else())
    }
    fn commit(&self, _: &ExecutionId, _: Version, _: Vec<Write>) -> Result<Version, StoreError> {
        nothing_else()
    }
    fn load(&self, _: &ExecutionId) -> Result<Option<Record>, StoreError> {
        nothing_else()
    }
    fn list(&self, _: &Query) -> Result<Vec<Summary>, StoreError> {
        nothing_else()
    }
    fn save_snippet(&self, _: &Snippet) -> Result<(), StoreError> {
        nothing_else()
    }
    fn delete_snippet(&self, _: &str) -> Result<bool, StoreError> {
        nothing_else()
    }
    fn snippet(&self, _: &str) -> Result<Option<Snippet>, StoreError> {
        nothing_else()
    }
    fn snippets(&self) -> Result<Vec<Snippet>, StoreError> {
        nothing_else()
    }
    fn snippet_labels(&self) -> Result<Vec<SnippetLabel>, StoreError> {
        nothing_else()
    }
}
