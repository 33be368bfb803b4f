//! The reference store: everything in maps behind one lock, gone with the process. It says what a store means; others
//! are compared with it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::check::{Right, Seen, check, expectations, requirements, version_after};
use super::{Barrier, Query, Record, StateQuery, Store, StoreError, Summary, Ticket, apply};
use crate::durable::id::{ExecutionId, OwnerId, Token, Version};
use crate::durable::write::{Scope, StateKey, StateValue, Write};

/// Keeps journals in memory. Every append is settled when it returns; nothing is durable.
#[derive(Debug, Default)]
pub struct MemoryStore {
    inner: Mutex<Inner>,
}

/// Where a piece of state is: execution (`None`: the connector's own), connector, key.
type Place = (Option<ExecutionId>, String, String);

#[derive(Debug, Default)]
struct Inner {
    /// With their numbers, which give the order of insertion.
    executions: BTreeMap<ExecutionId, (u64, Record)>,
    state: BTreeMap<Place, StateValue>,
    last_execution: u64,
    last_version: u64,
    last_hook: u64,
    last_owner: u64,
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
                let record = Record { execution: *execution, entries: Vec::new(), hooks: Vec::new() };
                self.executions.insert(id.clone(), (self.last_execution, record));
            }
            Write::Delete => {
                self.executions.remove(id);
                self.state.retain(|(execution, _, _), _| execution.as_ref() != Some(id));
            }
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
                if let Some((_, record)) = self.executions.get_mut(id) {
                    let mut next_hook = self.last_hook + 1;
                    apply::apply(record, other, &mut next_hook);
                    self.last_hook = next_hook - 1;
                }
            }
        }
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
        Ok(OwnerId(inner.last_owner))
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
}
