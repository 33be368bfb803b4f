//! The reference store: everything in maps behind one lock, gone with the process. It says what a store means; others
//! are compared with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::check::{Right, Seen, check, expectations, requirements, version_after};
use super::{Barrier, Query, Record, StateLock, StateQuery, Store, StoreError, Summary, Ticket, apply};
use crate::durable::execution::Status;
use crate::durable::id::{ExecutionId, OwnerId, Token, Version};
use crate::durable::journal::{Entry, EntryState};
use crate::durable::retention::{EndedAt, beyond};
use crate::durable::snippet::{Snippet, SnippetLabel};
use crate::durable::write::{Scope, StateKey, StateValue, Write};

/// Keeps journals in memory. Every append is settled when it returns; nothing is durable.
#[derive(Debug, Default)]
pub struct MemoryStore {
    inner: Mutex<Inner>,
    /// Connectors whose state is being written.
    locked: Arc<Mutex<BTreeSet<String>>>,
}

/// Frees the state of a connector when dropped.
struct Turn {
    locked: Arc<Mutex<BTreeSet<String>>>,
    connector: String,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.locked.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.connector);
    }
}

/// Where a piece of state is: execution (`None`: the connector's own), connector, key.
type Place = (Option<ExecutionId>, String, String);

#[derive(Debug, Default)]
struct Inner {
    /// With their numbers, which give the order of insertion.
    executions: BTreeMap<ExecutionId, (u64, Record)>,
    state: BTreeMap<Place, StateValue>,
    snippets: BTreeMap<String, Snippet>,
    last_execution: u64,
    last_version: u64,
    last_hook: u64,
    last_owner: u64,
    owners: BTreeSet<OwnerId>,
    /// Those that are asked to stop.
    cancelled: BTreeSet<ExecutionId>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn write(&mut self, id: &ExecutionId, right: Right, writes: Vec<Write>) -> Result<Version, StoreError> {
        let seen = self.executions.get(id).map(|(_, record)| Seen {
            token: record.execution.token,
            version: record.execution.version,
            entries: u32::try_from(record.entries.len()).unwrap_or(u32::MAX),
        });
        check(id, right, seen, &writes)?;
        for (op, states) in requirements(&writes) {
            let entries = self.executions.get(id).map(|(_, record)| record.entries.as_slice()).unwrap_or_default();
            let entry = usize::try_from(op.0).ok().and_then(|at| entries.get(at));
            if !entry.is_some_and(|e| states.contains(&e.state)) {
                return Err(StoreError::Stale);
            }
        }
        for read in expectations(&writes) {
            if self.state.get(&place(id, &read.at)).map_or(0, |v| v.version) != read.version {
                return Err(StoreError::StateConflict);
            }
        }
        let version = version_after(right, seen.map(|s| s.version), &writes);
        for write in writes {
            self.apply(id, write);
        }
        if let Some((_, record)) = self.executions.get_mut(id) {
            record.execution.version = version;
        }
        Ok(version)
    }

    fn apply(&mut self, id: &ExecutionId, write: Write) {
        match write {
            Write::Begin(execution) => {
                self.last_execution += 1;
                let mut record = Record { execution: *execution, entries: Vec::new(), hooks: Vec::new() };
                let lines = std::mem::take(&mut record.execution.logs);
                record.execution.logged.clear();
                apply::apply(&mut record, Write::Logged { lines }, &mut 0);
                self.executions.insert(id.clone(), (self.last_execution, record));
            }
            Write::Delete => self.remove(id),
            Write::Prune { keep } => drop(self.prune(keep, Some(id))),
            Write::Cancel => drop(self.cancelled.insert(id.clone())),
            Write::State(write) => {
                self.last_version += 1;
                let version = self.last_version;
                let at = place(id, &write.at);
                match write.value {
                    Some(value) => drop(self.state.insert(at, StateValue { value, version })),
                    None => drop(self.state.remove(&at)),
                }
            }
            other => {
                if matches!(other, Write::Moved(_)) {
                    self.cancelled.remove(id);
                }
                if let Some((_, record)) = self.executions.get_mut(id) {
                    let mut next_hook = self.last_hook + 1;
                    apply::apply(record, other, &mut next_hook);
                    self.last_hook = next_hook - 1;
                }
            }
        }
    }

    fn remove(&mut self, id: &ExecutionId) {
        self.executions.remove(id);
        self.cancelled.remove(id);
        self.state.retain(|(execution, _, _), _| execution.as_ref() != Some(id));
    }

    /// `own`: whose batch does it, if it is one's.
    fn prune(&mut self, keep: u32, own: Option<&ExecutionId>) -> u64 {
        let ended = self.executions.values().filter_map(|(number, record)| {
            let execution = &record.execution;
            let (id, owner) = (execution.id().clone(), execution.owner);
            execution.ended_at.map(|at| EndedAt { at, number: *number, id, owner })
        });
        let mut gone = beyond(keep, ended.collect());
        gone.retain(|id| Some(id) != own);
        gone.iter().for_each(|id| self.remove(id));
        gone.len() as u64
    }

    /// The number that a page must stay below. A page that starts at an execution which was deleted meanwhile goes on
    /// at the next older id.
    fn before(&self, id: &ExecutionId) -> u64 {
        match self.executions.get(id) {
            Some((n, _)) => *n,
            None => self.executions.range(..id.clone()).map(|(_, (n, _))| n + 1).max().unwrap_or(0),
        }
    }
}

fn place(id: &ExecutionId, at: &StateKey) -> Place {
    let execution = (at.scope == Scope::Execution).then(|| id.clone());
    (execution, at.connector.clone(), at.key.clone())
}

impl Store for MemoryStore {
    fn claim_owner(&self) -> Result<OwnerId, StoreError> {
        let mut inner = self.lock();
        inner.last_owner += 1;
        let owner = OwnerId(inner.last_owner);
        inner.owners.insert(owner);
        Ok(owner)
    }

    fn release_owner(&self, owner: OwnerId) {
        self.lock().owners.remove(&owner);
    }

    fn owner_is_alive(&self, owner: OwnerId) -> Result<bool, StoreError> {
        Ok(self.lock().owners.contains(&owner))
    }

    fn owned(&self) -> Result<Vec<(ExecutionId, OwnerId)>, StoreError> {
        let inner = self.lock();
        let mut owned: Vec<_> =
            inner.executions.iter().filter_map(|(id, (n, r))| r.execution.owner.map(|owner| (*n, id, owner))).collect();
        owned.sort_unstable();
        Ok(owned.into_iter().map(|(_, id, owner)| (id.clone(), owner)).collect())
    }

    fn cancelled(&self, owner: OwnerId) -> Result<Vec<ExecutionId>, StoreError> {
        let inner = self.lock();
        let theirs = |id: &ExecutionId| {
            let (n, record) = inner.executions.get(id)?;
            (record.execution.owner == Some(owner)).then(|| (*n, id.clone()))
        };
        let mut found: Vec<_> = inner.cancelled.iter().filter_map(theirs).collect();
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }

    fn unresolved(&self) -> Result<Vec<ExecutionId>, StoreError> {
        let inner = self.lock();
        let unknown = |record: &Record| record.entries.iter().any(|e| e.state == EntryState::Unknown);
        let mut found: Vec<_> = inner.executions.iter().filter(|(_, (_, record))| unknown(record)).collect();
        found.sort_by_key(|(_, (number, _))| std::cmp::Reverse(*number));
        Ok(found.into_iter().map(|(id, _)| id.clone()).collect())
    }

    fn consented(&self) -> Result<Vec<ExecutionId>, StoreError> {
        let inner = self.lock();
        let waits = |record: &Record| {
            record.execution.status == Status::Paused && record.entries.iter().any(Entry::has_consent)
        };
        Ok(inner.executions.iter().filter(|(_, (_, record))| waits(record)).map(|(id, _)| id.clone()).collect())
    }

    fn prune(&self, keep: u32) -> Result<u64, StoreError> {
        Ok(self.lock().prune(keep, None))
    }

    fn append(&self, id: &ExecutionId, token: Token, writes: Vec<Write>, _barrier: Barrier) -> Ticket {
        Ticket::settled(self.lock().write(id, Right::Owner(token), writes).map(drop))
    }

    fn commit(&self, id: &ExecutionId, expected: Version, writes: Vec<Write>) -> Result<Version, StoreError> {
        self.lock().write(id, Right::Decider(expected), writes)
    }

    fn load(&self, id: &ExecutionId) -> Result<Option<Record>, StoreError> {
        let mut record = self.lock().executions.get(id).map(|(_, record)| record.clone());
        if let Some(record) = &mut record {
            record.execution.updated_at = apply::last_change(record.execution.updated_at, &record.entries);
        }
        Ok(record)
    }

    fn list(&self, query: &Query) -> Result<Vec<Summary>, StoreError> {
        let inner = self.lock();
        let below = query.before.as_ref().map_or(u64::MAX, |id| inner.before(id));
        let mut found: Vec<_> = inner
            .executions
            .iter()
            .filter(|(_, (n, _))| *n < below)
            .filter(|(id, _)| query.id_prefix.as_ref().is_none_or(|p| id.as_str().starts_with(p)))
            .filter(|(_, (_, record))| query.status.is_none_or(|s| record.execution.status == s))
            .filter(|(_, (_, record))| query.idle_since.is_none_or(|at| record.execution.updated_at <= at))
            .filter(|(_, (_, record))| query.attention.is_none_or(|why| apply::needs(record, why)))
            .map(|(_, row)| row)
            .collect();
        found.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
        found.truncate(query.limit.map_or(usize::MAX, |l| usize::try_from(l).unwrap_or(usize::MAX)));
        Ok(found.into_iter().map(|(_, record)| apply::summary(record)).collect())
    }

    fn state(
        &self,
        connector: &str,
        execution: Option<&ExecutionId>,
        key: &str,
    ) -> Result<Option<StateValue>, StoreError> {
        let at = (execution.cloned(), connector.to_owned(), key.to_owned());
        Ok(self.lock().state.get(&at).cloned())
    }

    fn try_lock_state(&self, connector: &str) -> Result<Option<StateLock>, StoreError> {
        let taken = self.locked.lock().unwrap_or_else(PoisonError::into_inner).insert(connector.to_owned());
        let turn = || Turn { locked: self.locked.clone(), connector: connector.to_owned() };
        Ok(taken.then(|| StateLock::new(turn())))
    }

    fn state_keys(&self, query: &StateQuery<'_>) -> Result<Vec<String>, StoreError> {
        let inner = self.lock();
        let keys = inner
            .state
            .keys()
            .filter(|(execution, connector, _)| execution.as_ref() == query.execution && connector == query.connector)
            .map(|(_, _, key)| key.as_str())
            .filter(|key| key.starts_with(query.prefix) && query.after.is_none_or(|after| *key > after));
        Ok(keys.take(usize::try_from(query.limit).unwrap_or(usize::MAX)).map(str::to_owned).collect())
    }

    fn save_snippet(&self, snippet: &Snippet) -> Result<(), StoreError> {
        self.lock().snippets.insert(snippet.name.clone(), snippet.clone());
        Ok(())
    }

    fn delete_snippet(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.lock().snippets.remove(name).is_some())
    }

    fn snippet(&self, name: &str) -> Result<Option<Snippet>, StoreError> {
        Ok(self.lock().snippets.get(name).cloned())
    }

    fn snippets(&self) -> Result<Vec<Snippet>, StoreError> {
        Ok(self.lock().snippets.values().cloned().collect())
    }

    fn snippet_labels(&self) -> Result<Vec<SnippetLabel>, StoreError> {
        let label = |s: &Snippet| SnippetLabel { name: s.name.clone(), description: s.description.clone() };
        Ok(self.lock().snippets.values().map(label).collect())
    }
}
