//! The real store with a point before and after everything that it is asked to write, and with a word to the parent about
//! everything that it said was durable: that must be in the file whenever the process dies afterwards.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use codemode_runtime::ExecutionId;
use codemode_runtime::durable::id::{OwnerId, Token, Version};
use codemode_runtime::durable::snippet::{Snippet, SnippetLabel};
use codemode_runtime::durable::write::{StateValue, Write};
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::store::{
    Barrier, Query, Record, StateLock, StateQuery, Store, StoreError, Summary, Ticket, ticket,
};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::points::{Place, Said, pass};

/// The store of a child.
pub(crate) struct Watched {
    inner: SqliteStore,
    said: Said,
    tasks: Handle,
    unsaid: Arc<Mutex<Unsaid>>,
    /// Dropped after the inner store, so that its end is the end of the store.
    open: Arc<()>,
}

/// What was appended of each execution, without conditions, and not said to be durable yet.
type Unsaid = BTreeMap<ExecutionId, Vec<Value>>;

impl Watched {
    pub(crate) fn new(inner: SqliteStore, said: Said) -> Self {
        Self { inner, said, tasks: Handle::current(), unsaid: Arc::default(), open: Arc::default() }
    }

    /// Held as long as the store is open.
    pub(crate) fn open(&self) -> Weak<()> {
        Arc::downgrade(&self.open)
    }

    /// Appends, and gives everything of that execution up to here, for the moment when the store says that it is durable.
    fn promised(&self, id: &ExecutionId, token: Token, writes: Vec<Write>, barrier: Barrier) -> (Ticket, Vec<Value>) {
        let mut own: Vec<Value> = writes.iter().filter_map(fact).collect();
        let is_conditional = writes.iter().any(|w| matches!(w, Write::Require { .. } | Write::Expect(_)));
        // Under the lock, so that nothing is promised that the store was not given.
        let mut unsaid = lock(&self.unsaid);
        let facts = unsaid.entry(id.clone()).or_default();
        let given = self.inner.append(id, token, writes, barrier);
        if !is_conditional {
            facts.append(&mut own);
        }
        let promised = facts.iter().cloned().chain(own).collect();
        (given, promised)
    }

    fn around<T>(&self, what: &str, write: impl FnOnce(&SqliteStore) -> T) -> T {
        pass(Place::BeforeCommit, || what.to_owned());
        let written = write(&self.inner);
        pass(Place::AfterCommit, || what.to_owned());
        written
    }
}

fn lock(unsaid: &Mutex<Unsaid>) -> MutexGuard<'_, Unsaid> {
    unsaid.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says what is durable, once.
fn tell(said: &Said, unsaid: &Mutex<Unsaid>, id: &ExecutionId, facts: &[Value]) {
    lock(unsaid).entry(id.clone()).or_default().retain(|fact| !facts.contains(fact));
    if !facts.is_empty() {
        said.say(json!({ "durable": id.as_str(), "facts": facts }));
    }
}

/// What of a write the parent can find again.
fn fact(write: &Write) -> Option<Value> {
    match write {
        Write::Begin(execution) => Some(json!({ "pass": execution.pass, "status": execution.status.as_str() })),
        Write::Moved(moved) => Some(json!({ "pass": moved.pass, "status": moved.status.as_str() })),
        Write::Asked(entry) => Some(json!({ "op": entry.op.0 })),
        Write::Answered { op, state, .. } => Some(json!({ "op": op.0, "answered": state.as_str() })),
        Write::Decided { op, .. } => Some(json!({ "op": op.0, "decided": true })),
        Write::Resolved { op, .. } => Some(json!({ "op": op.0, "resolved": true })),
        Write::Reverted { op, state, .. } => Some(json!({ "op": op.0, "revert": state.as_str() })),
        _ => None,
    }
}

/// A batch in a few words.
fn words(writes: &[Write]) -> String {
    let word = |write: &Write| match write {
        Write::Begin(_) => "begin".to_owned(),
        Write::Asked(entry) => format!("asked {}", entry.request.title()),
        Write::Answered { op, state, .. } => format!("{op} {}", state.as_str()),
        Write::Require { .. } => "require".to_owned(),
        Write::Delivered { op, .. } => format!("{op} delivered"),
        Write::TimerLeft { .. } => "timer".to_owned(),
        Write::Decided { op, .. } => format!("{op} decided"),
        Write::Sweep { .. } => "sweep".to_owned(),
        Write::Reverted { op, state, .. } => format!("{op} {}", state.as_str()),
        Write::Resolved { op, .. } => format!("{op} resolved"),
        Write::Moved(moved) => moved.status.as_str().to_owned(),
        Write::Owned { owner, .. } => if owner.is_some() { "claim" } else { "rest" }.to_owned(),
        Write::Cancel => "cancel".to_owned(),
        Write::Prune { .. } => "prune".to_owned(),
        Write::Logged { .. } => "logs".to_owned(),
        Write::HookDue(_) => "hook due".to_owned(),
        Write::HookDone { .. } => "hook done".to_owned(),
        Write::State(_) => "state".to_owned(),
        Write::Expect(_) => "expect".to_owned(),
        Write::Delete => "delete".to_owned(),
    };
    writes.iter().map(word).collect::<Vec<_>>().join(", ")
}

impl Store for Watched {
    fn claim_owner(&self) -> Result<OwnerId, StoreError> {
        self.around("owner", SqliteStore::claim_owner)
    }

    fn release_owner(&self, owner: OwnerId) {
        self.inner.release_owner(owner);
    }

    fn owner_is_alive(&self, owner: OwnerId) -> Result<bool, StoreError> {
        self.inner.owner_is_alive(owner)
    }

    fn owned(&self) -> Result<Vec<(ExecutionId, OwnerId)>, StoreError> {
        self.inner.owned()
    }

    fn cancelled(&self, owner: OwnerId) -> Result<Vec<ExecutionId>, StoreError> {
        self.inner.cancelled(owner)
    }

    fn unresolved(&self) -> Result<Vec<ExecutionId>, StoreError> {
        self.inner.unresolved()
    }

    fn consented(&self) -> Result<Vec<ExecutionId>, StoreError> {
        self.inner.consented()
    }

    fn prune(&self, keep: u32) -> Result<u64, StoreError> {
        self.around("prune", |store| store.prune(keep))
    }

    fn append(&self, id: &ExecutionId, token: Token, writes: Vec<Write>, barrier: Barrier) -> Ticket {
        let what = words(&writes);
        pass(Place::BeforeAppend, || what.clone());
        let (mut given, facts) = self.promised(id, token, writes, barrier);
        pass(Place::AfterAppend, || what.clone());
        if barrier == Barrier::Later
            && let Some(settled) = (&mut given).now_or_never()
        {
            return Ticket::settled(settled);
        }
        let (settle, waiting) = ticket();
        let (said, unsaid, id) = (self.said.clone(), self.unsaid.clone(), id.clone());
        self.tasks.spawn(async move {
            let result = given.await;
            if result.is_ok() {
                tell(&said, &unsaid, &id, &facts);
                pass(Place::Durable, || what);
            }
            settle.with(result);
        });
        waiting
    }

    fn commit(&self, id: &ExecutionId, expected: Version, writes: Vec<Write>) -> Result<Version, StoreError> {
        let what = words(&writes);
        let facts: Vec<Value> = writes.iter().filter_map(fact).collect();
        self.around(&what, |store| {
            let committed = store.commit(id, expected, writes);
            if committed.is_ok() {
                tell(&self.said, &self.unsaid, id, &facts);
            }
            committed
        })
    }

    fn load(&self, id: &ExecutionId) -> Result<Option<Record>, StoreError> {
        self.inner.load(id)
    }

    fn list(&self, query: &Query) -> Result<Vec<Summary>, StoreError> {
        self.inner.list(query)
    }

    fn state(
        &self,
        connector: &str,
        execution: Option<&ExecutionId>,
        key: &str,
    ) -> Result<Option<StateValue>, StoreError> {
        pass(Place::StateRead, || format!("{connector} {key}"));
        self.inner.state(connector, execution, key)
    }

    fn try_lock_state(&self, connector: &str) -> Result<Option<StateLock>, StoreError> {
        pass(Place::StateRead, || format!("{connector} is locked"));
        self.inner.try_lock_state(connector)
    }

    fn state_keys(&self, query: &StateQuery<'_>) -> Result<Vec<String>, StoreError> {
        pass(Place::StateRead, || format!("{} {}*", query.connector, query.prefix));
        self.inner.state_keys(query)
    }

    fn save_snippet(&self, snippet: &Snippet) -> Result<(), StoreError> {
        self.around("save snippet", |store| store.save_snippet(snippet))
    }

    fn delete_snippet(&self, name: &str) -> Result<bool, StoreError> {
        self.around("delete snippet", |store| store.delete_snippet(name))
    }

    fn snippet(&self, name: &str) -> Result<Option<Snippet>, StoreError> {
        self.inner.snippet(name)
    }

    fn snippets(&self) -> Result<Vec<Snippet>, StoreError> {
        self.inner.snippets()
    }

    fn snippet_labels(&self) -> Result<Vec<SnippetLabel>, StoreError> {
        self.inner.snippet_labels()
    }
}
