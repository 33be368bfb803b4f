//! Learns the id of an execution while it still runs. `Runtime::execute` says it only with the outcome, but whoever
//! presses Ctrl-C, and whoever watches, needs it before: this store tells which execution it was asked to begin.

use std::sync::Arc;

use codemode_runtime::durable::id::{OwnerId, Token, Version};
use codemode_runtime::durable::write::{StateValue, Write};
use codemode_runtime::store::{Barrier, Record, StateQuery, StoreError, Summary, Ticket};
use codemode_runtime::{ExecutionId, Query, Store};
use tokio::sync::watch;

/// A store that tells what begins in it.
pub(crate) struct Watched {
    inner: Arc<dyn Store>,
    begun: watch::Sender<Option<ExecutionId>>,
}

/// The id of the execution that began last.
pub(crate) type Begun = watch::Receiver<Option<ExecutionId>>;

impl Watched {
    /// Watches that store.
    pub(crate) fn new(inner: Arc<dyn Store>) -> (Arc<Self>, Begun) {
        let (begun, receiver) = watch::channel(None);
        (Arc::new(Self { inner, begun }), receiver)
    }

    /// Names an execution that began in another process.
    pub(crate) fn announce(&self, id: &ExecutionId) {
        self.begun.send_replace(Some(id.clone()));
    }
}

impl Store for Watched {
    fn claim_owner(&self) -> Result<OwnerId, StoreError> {
        self.inner.claim_owner()
    }

    fn append(&self, id: &ExecutionId, token: Token, writes: Vec<Write>, barrier: Barrier) -> Ticket {
        let begins = matches!(writes.first(), Some(Write::Begin(_)));
        let ticket = self.inner.append(id, token, writes, barrier);
        if begins {
            self.begun.send_replace(Some(id.clone()));
        }
        ticket
    }

    fn commit(&self, id: &ExecutionId, expected: Version, writes: Vec<Write>) -> Result<Version, StoreError> {
        self.inner.commit(id, expected, writes)
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
        self.inner.state(connector, execution, key)
    }

    fn state_keys(&self, query: &StateQuery<'_>) -> Result<Vec<String>, StoreError> {
        self.inner.state_keys(query)
    }
}
