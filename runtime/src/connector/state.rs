//! A connector's state as one call sees it: the last commit plus the call's own writes. What it wrote leaves as writes
//! for the transaction that records the call's answer, so that the two can never disagree.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::durable::id::ExecutionId;
use crate::durable::journal::Reach;
use crate::durable::write::{Scope, StateKey, StateRead, StateWrite, Write};
use crate::store::{StateLock, StateQuery, Store, StoreError};

/// Whether this call may change anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateAccess {
    /// Reads and writes.
    ReadWrite,
    /// A method declared read-only or reexecute: a write is refused.
    ReadOnly,
    /// `describe`: nothing at all.
    Denied,
}

/// Why a state operation was refused; the same cases as in the WIT contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateFault {
    /// Not allowed for this call.
    Denied(String),
    /// Over a limit; the limit.
    TooLarge(u64),
    /// Another call changed what this one read before its first write.
    Conflict,
    /// The store cannot be reached.
    Unavailable(String),
}

/// The longest key, in bytes.
pub const MAX_KEY_BYTES: u64 = 1_024;
/// The largest value, in bytes.
pub const MAX_VALUE_BYTES: u64 = 1_000_000;
/// The most keys on one page.
pub const MAX_PAGE: u32 = 1_000;
/// The most bytes that one call may write, keys included.
pub const MAX_CALL_BYTES: u64 = 16_000_000;

/// How two calls of one connector that write at the same time are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writers {
    /// What a call read is checked when its writes are committed; the call is performed again if it changed. For
    /// connectors that can reach nothing but their state.
    Validated,
    /// One at a time, over all processes, from the first write of a call to the commit of its answer: such a call cannot
    /// simply be performed again. Others wait for so many milliseconds.
    Exclusive(u64),
}

/// How often a lock that is taken is looked at, in milliseconds.
const LOOK_MS: u64 = 5;

/// One call's view of its connector's state.
pub struct StateSession {
    store: Arc<dyn Store>,
    connector: String,
    execution: ExecutionId,
    access: StateAccess,
    writers: Writers,
    seen: Mutex<Seen>,
    held: Mutex<Option<StateLock>>,
}

#[derive(Default)]
struct Seen {
    reads: BTreeMap<StateKey, u64>,
    writes: BTreeMap<StateKey, Option<Vec<u8>>>,
    written_bytes: u64,
}

impl StateSession {
    /// A fresh view for one call of a connector that can reach nothing but its state.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, connector: &str, execution: &ExecutionId, access: StateAccess) -> Arc<Self> {
        Arc::new(Self {
            store,
            connector: connector.to_owned(),
            execution: execution.clone(),
            access,
            writers: Writers::Validated,
            seen: Mutex::default(),
            held: Mutex::default(),
        })
    }

    /// A fresh view for one call of a connector with that reach. `wait_ms` is how long its first write waits for others.
    #[must_use]
    pub fn with_reach(
        store: Arc<dyn Store>,
        connector: &str,
        execution: &ExecutionId,
        access: StateAccess,
        reach: Reach,
        wait_ms: u64,
    ) -> Arc<Self> {
        let mut session = Self::new(store, connector, execution, access);
        if reach == Reach::Outside
            && let Some(session) = Arc::get_mut(&mut session)
        {
            session.writers = Writers::Exclusive(wait_ms);
        }
        session
    }

    /// Takes turns with other calls that write; to be awaited before each write.
    ///
    /// # Errors
    /// [`StateFault::Conflict`] when something that was read changed meanwhile; [`StateFault::Unavailable`] when the turn
    /// does not come in time.
    pub async fn take_turn(&self) -> Result<(), StateFault> {
        let Writers::Exclusive(wait_ms) = self.writers else { return Ok(()) };
        if self.access != StateAccess::ReadWrite || self.held().is_some() {
            return Ok(());
        }
        let mut waited = 0;
        let lock = loop {
            match self.store.try_lock_state(&self.connector).map_err(unavailable)? {
                Some(lock) => break lock,
                None if waited >= wait_ms => {
                    let message = format!("other calls wrote for more than {wait_ms} ms (limit `call time`)");
                    return Err(StateFault::Unavailable(message));
                }
                None => tokio::time::sleep(Duration::from_millis(LOOK_MS)).await,
            }
            waited = waited.saturating_add(LOOK_MS);
        };
        let reads: Vec<(StateKey, u64)> =
            self.seen().reads.iter().map(|(at, version)| (at.clone(), *version)).collect();
        for (at, version) in reads {
            let found = self.store.state(&self.connector, self.scoped(at.scope), &at.key).map_err(unavailable)?;
            if found.map_or(0, |v| v.version) != version {
                return Err(StateFault::Conflict);
            }
        }
        *self.held() = Some(lock);
        Ok(())
    }

    /// The turn, to be kept until the writes are committed.
    #[must_use]
    pub fn take_lock(&self) -> Option<StateLock> {
        self.held().take()
    }

    /// The value of a key.
    ///
    /// # Errors
    /// See [`StateFault`].
    pub fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, StateFault> {
        let at = self.check(scope, key)?;
        if let Some(own) = self.seen().writes.get(&at) {
            return Ok(own.clone());
        }
        let found = self.store.state(&self.connector, self.scoped(scope), key).map_err(unavailable)?;
        let version = found.as_ref().map_or(0, |v| v.version);
        self.seen().reads.entry(at).or_insert(version);
        Ok(found.map(|v| v.value))
    }

    /// Sets a key.
    ///
    /// # Errors
    /// See [`StateFault`].
    pub fn set(&self, scope: Scope, key: &str, value: Vec<u8>) -> Result<(), StateFault> {
        let size = value.len() as u64;
        if size > MAX_VALUE_BYTES {
            return Err(StateFault::TooLarge(MAX_VALUE_BYTES));
        }
        self.write(scope, key, Some(value), size)
    }

    /// Removes a key; says whether it existed.
    ///
    /// # Errors
    /// See [`StateFault`].
    pub fn delete(&self, scope: Scope, key: &str) -> Result<bool, StateFault> {
        let existed = self.get(scope, key)?.is_some();
        self.write(scope, key, None, 0)?;
        Ok(existed)
    }

    /// A page of keys in byte order, and the `after` of the next page if there is one. `limit` is clamped to 1 to 1,000.
    ///
    /// # Errors
    /// See [`StateFault`].
    pub fn list_keys(
        &self,
        scope: Scope,
        prefix: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<(Vec<String>, Option<String>), StateFault> {
        if self.access == StateAccess::Denied {
            return Err(denied());
        }
        let limit = limit.clamp(1, MAX_PAGE);
        let own: Vec<(String, bool)> = self
            .seen()
            .writes
            .iter()
            .filter(|(k, _)| k.scope == scope && k.key.starts_with(prefix) && after.is_none_or(|a| k.key.as_str() > a))
            .map(|(k, v)| (k.key.clone(), v.is_some()))
            .collect();
        // Removed keys make a page shorter, so ask for as many more.
        let removed = own.iter().filter(|(_, present)| !present).count();
        let query = StateQuery {
            connector: &self.connector,
            execution: self.scoped(scope),
            prefix,
            after,
            limit: limit.saturating_add(u32::try_from(removed).unwrap_or(u32::MAX)).saturating_add(1),
        };
        let mut keys: std::collections::BTreeSet<String> =
            self.store.state_keys(&query).map_err(unavailable)?.into_iter().collect();
        for (key, present) in own {
            if present {
                keys.insert(key)
            } else {
                keys.remove(&key)
            };
        }
        let more = keys.len() > limit as usize;
        let page: Vec<String> = keys.into_iter().take(limit as usize).collect();
        let next = if more { page.last().cloned() } else { None };
        Ok((page, next))
    }

    /// What the call read and wrote, as writes for the transaction of its answer. Empties the view.
    #[must_use]
    pub fn take_writes(&self) -> Vec<Write> {
        let seen = std::mem::take(&mut *self.seen());
        if seen.writes.is_empty() {
            return Vec::new();
        }
        let reads = seen.reads.into_iter().map(|(at, version)| Write::Expect(StateRead { at, version }));
        let writes = seen.writes.into_iter().map(|(at, value)| Write::State(StateWrite { at, value }));
        reads.chain(writes).collect()
    }

    fn write(&self, scope: Scope, key: &str, value: Option<Vec<u8>>, size: u64) -> Result<(), StateFault> {
        let at = self.check(scope, key)?;
        if self.access == StateAccess::ReadOnly {
            return Err(StateFault::Denied(
                "this method is declared read-only or reexecute; declare its effect as write".to_owned(),
            ));
        }
        let mut seen = self.seen();
        let total = seen.written_bytes.saturating_add(size).saturating_add(key.len() as u64);
        if total > MAX_CALL_BYTES {
            return Err(StateFault::TooLarge(MAX_CALL_BYTES));
        }
        seen.written_bytes = total;
        seen.writes.insert(at, value);
        Ok(())
    }

    fn check(&self, scope: Scope, key: &str) -> Result<StateKey, StateFault> {
        if self.access == StateAccess::Denied {
            return Err(denied());
        }
        if key.is_empty() {
            return Err(StateFault::Denied("a key needs at least one byte".to_owned()));
        }
        if key.len() as u64 > MAX_KEY_BYTES {
            return Err(StateFault::TooLarge(MAX_KEY_BYTES));
        }
        Ok(StateKey { connector: self.connector.clone(), scope, key: key.to_owned() })
    }

    fn scoped(&self, scope: Scope) -> Option<&ExecutionId> {
        (scope == Scope::Execution).then_some(&self.execution)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Option<StateLock>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn denied() -> StateFault {
    StateFault::Denied("`describe` may not use state".to_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "used as a function in `map_err`")]
fn unavailable(error: StoreError) -> StateFault {
    StateFault::Unavailable(error.to_string())
}
