//! One execution's calls of the connector `files`, each with a view of the state of its own that is committed as a pass
//! commits it: what a successful call wrote, all at once; nothing of a failed one.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use codemode_conformance::harness::{Host, engine, id_of};
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::connector::{Call, CallContext, Connector, Revert, Reverted, StateAccess, StateSession};
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::id::{ExecutionId, Seq};
use codemode_runtime::durable::journal::Entry;
use codemode_runtime::durable::write::Scope;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::store::sqlite::{Options, SqliteStore};
use codemode_runtime::store::{StateQuery, Store};
use serde_json::{Value, json};

/// The component, compiled once.
pub(crate) static FILES: LazyLock<ComponentConnector> = LazyLock::new(|| {
    let bytes = std::fs::read(env!("CODEMODE_FILES_WASM")).unwrap();
    ComponentConnector::load(engine(), &bytes, ComponentOptions::new("files")).unwrap()
});

/// One store of each kind.
pub(crate) fn stores(folder: &Path) -> [Arc<dyn Store>; 2] {
    let sqlite = SqliteStore::open(folder.join("files.db"), Options::default()).unwrap();
    [Arc::new(MemoryStore::new()), Arc::new(sqlite)]
}

pub(crate) struct Desk {
    store: Arc<dyn Store>,
    pub(crate) id: ExecutionId,
}

impl Desk {
    /// An execution of its own.
    pub(crate) async fn over(store: &Arc<dyn Store>) -> Self {
        let outcome = Host::bare(Arc::clone(store)).runtime().execute("async () => 1").await.unwrap();
        Self::of(store, &id_of(&outcome))
    }

    /// An execution that is there.
    pub(crate) fn of(store: &Arc<dyn Store>, id: &ExecutionId) -> Self {
        Self { store: Arc::clone(store), id: id.clone() }
    }

    /// A call with this text as its argument.
    pub(crate) async fn text(&self, seq: u32, method: &str, args: &str) -> Result<String, Failure> {
        let access = if matches!(method, "read" | "list") { StateAccess::ReadOnly } else { StateAccess::ReadWrite };
        let state = self.session(access);
        let key = Entry::idempotency_key(&self.id, Seq(seq));
        let call = Call {
            context: self.context(seq, key),
            method: method.to_owned(),
            args: Some(args.to_owned()),
            state: Arc::clone(&state),
        };
        let given = FILES.call(call).await?.expect("every method gives something");
        self.commit(&state);
        Ok(given)
    }

    pub(crate) async fn call(&self, seq: u32, method: &str, args: Value) -> Result<Value, Failure> {
        let given = self.text(seq, method, &args.to_string()).await?;
        Ok(serde_json::from_str(&given).unwrap())
    }

    pub(crate) async fn write(&self, seq: u32, path: &str, text: &str) -> Value {
        self.call(seq, "write", json!({ "path": path, "text": text })).await.unwrap()
    }

    pub(crate) async fn append(&self, seq: u32, path: &str, text: &str) -> Value {
        self.call(seq, "write", json!({ "path": path, "text": text, "append": true })).await.unwrap()
    }

    /// The text of a file, as an execution sees it after all its calls.
    pub(crate) async fn read(&self, path: &str) -> Result<String, Failure> {
        let text = self.call(u32::MAX, "read", json!({ "path": path })).await?;
        Ok(text.as_str().unwrap().to_owned())
    }

    /// Takes back the call with that seq.
    pub(crate) async fn revert(&self, seq: u32) -> Result<Reverted, Failure> {
        let state = self.session(StateAccess::ReadWrite);
        let call_key = Entry::idempotency_key(&self.id, Seq(seq));
        let revert = Revert {
            context: self.context(seq, format!("{call_key}:revert")),
            call_key,
            method: "write".to_owned(),
            args: None,
            outcome: None,
            state: Arc::clone(&state),
        };
        let reverted = FILES.revert(revert).await?;
        self.commit(&state);
        Ok(reverted)
    }

    /// The keys of a scope, all of them.
    pub(crate) fn keys(&self, scope: Scope) -> Vec<String> {
        let execution = (scope == Scope::Execution).then_some(&self.id);
        let query = StateQuery { connector: "files", execution, prefix: "", after: None, limit: u32::MAX };
        self.store.state_keys(&query).unwrap()
    }

    fn session(&self, access: StateAccess) -> Arc<StateSession> {
        StateSession::new(Arc::clone(&self.store), "files", &self.id, access)
    }

    fn context(&self, seq: u32, idempotency_key: String) -> CallContext {
        let (execution, seq) = (self.id.clone(), Seq(seq));
        CallContext { execution, seq, pass: 1, idempotency_key, attempt: 1, remaining_ms: 30_000 }
    }

    fn commit(&self, state: &StateSession) {
        let writes = state.take_writes();
        if !writes.is_empty() {
            let version = self.store.load(&self.id).unwrap().unwrap().execution.version;
            self.store.commit(&self.id, version, writes).unwrap();
        }
    }
}
