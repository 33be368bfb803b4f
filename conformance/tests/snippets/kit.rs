//! What the stories share: a home in memory and one in a file, and short words for saving and running.

use std::sync::Arc;

use codemode_conformance::harness::{Host, error_of, executor, id_of, result_of};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::store::sqlite::{Durability, Options, SqliteStore};
use codemode_runtime::{CodeError, Outcome, Runtime, SaveSnippet, Snippet, Store};
use serde_json::Value;

/// Where a store is, which outlives every runtime.
pub(crate) struct Home {
    folder: Option<tempfile::TempDir>,
    memory: Arc<MemoryStore>,
}

/// One of each kind. A story that holds in both says nothing of the store.
pub(crate) fn both() -> [Home; 2] {
    let folder = tempfile::tempdir().unwrap();
    [None, Some(folder)].map(|folder| Home { folder, memory: Arc::default() })
}

impl Home {
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        match &self.folder {
            None => self.memory.clone(),
            Some(folder) => {
                let options = Options { durability: Durability::Process, ..Options::default() };
                Arc::new(SqliteStore::open(folder.path().join("store.db"), options).unwrap())
            }
        }
    }

    /// The fixtures over this store.
    pub(crate) fn host(&self) -> Host {
        Host::over(self.store())
    }

    /// The host after its process ended: the file is opened anew, the world outside stays as it is.
    pub(crate) fn restart(&self, mut host: Host) -> Host {
        host.store = Arc::new(MemoryStore::new());
        host.store = self.store();
        host
    }
}

/// A runtime over a store without connectors.
pub(crate) fn bare(store: Arc<dyn Store>) -> Runtime {
    Runtime::builder().store(store).executor(executor()).build().unwrap()
}

/// Saves code as an application does that tried it out somewhere else: what it did there is in no ledger of the test.
pub(crate) async fn save(store: &Arc<dyn Store>, name: &str, code: &str) -> Snippet {
    save_with(store, name, code, |save| save).await
}

/// The same with a description or a schema.
pub(crate) async fn save_with(
    store: &Arc<dyn Store>,
    name: &str,
    code: &str,
    with: impl FnOnce(SaveSnippet) -> SaveSnippet,
) -> Snippet {
    let runtime = Host::over(store.clone()).runtime();
    let tried = runtime.execute(code).await.unwrap();
    runtime.save_snippet(name, with(SaveSnippet::from(id_of(&tried)))).unwrap()
}

/// What code returned.
pub(crate) async fn result(runtime: &Runtime, code: &str) -> Value {
    value(&runtime.execute(code).await.unwrap())
}

/// How code failed.
pub(crate) async fn error(runtime: &Runtime, code: &str) -> CodeError {
    error_of(&runtime.execute(code).await.unwrap()).clone()
}

/// The result of an outcome; `undefined` is null.
pub(crate) fn value(outcome: &Outcome) -> Value {
    let text = result_of(outcome);
    if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() }
}

/// The console lines of a completed outcome.
pub(crate) fn logs(outcome: &Outcome) -> &[String] {
    match outcome {
        Outcome::Completed { logs, .. } => logs,
        other => panic!("not completed: {other:#?}"),
    }
}
