//! What the stories of this target share: a store in a file that can be closed and opened again, and connectors that
//! wait for the test to go on.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, executor};
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{Connector, Method};
use codemode_runtime::store::Record;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::store::sqlite::{Durability, Options, SqliteStore};
use codemode_runtime::{Determinism, ExecutionId, Runtime, Store};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// An in-memory store.
pub(crate) fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

/// A file that outlives the stores that are opened on it.
pub(crate) struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn open(&self, name: &str) -> Arc<dyn Store> {
        let options = Options { durability: Durability::Process, ..Options::default() };
        Arc::new(SqliteStore::open(self.path(name), options).unwrap())
    }

    /// The fixtures over this file.
    pub(crate) fn host(&self) -> Host {
        Host::over(self.open("default"))
    }

    /// The host after its process ended and another one took over the file: the world outside stays as it is.
    pub(crate) fn restart(&self, mut host: Host) -> Host {
        host.store = memory();
        host.store = self.open("default");
        host
    }

    /// The same, and the fixtures have forgotten everything: their counters are at zero.
    pub(crate) fn evict(&self, host: Host) -> Host {
        self.restart(host).fresh_fixtures()
    }
}

/// Fixtures whose code sees the clock and the randomness of the moment, as in the reference system.
pub(crate) fn live_host() -> Host {
    let mut host = Host::new();
    host.determinism = Determinism::Live;
    host
}

/// A runtime of that name over a store, with these connectors.
pub(crate) fn named(name: &str, store: Arc<dyn Store>, connectors: &[(&str, Arc<dyn Connector>)]) -> Runtime {
    let mut builder = Runtime::builder().name(name).store(store).executor(executor());
    for (name, connector) in connectors {
        builder = builder.connector(*name, connector.clone());
    }
    builder.build().unwrap()
}

/// The record of an execution that is there.
pub(crate) fn record(runtime: &Runtime, id: &ExecutionId) -> Record {
    runtime.record(id).unwrap().unwrap()
}

/// The status in the record.
pub(crate) fn status(runtime: &Runtime, id: &ExecutionId) -> &'static str {
    record(runtime, id).execution.status.as_str()
}

/// An outcome as a client gets it.
pub(crate) fn wire(outcome: &codemode_runtime::Outcome) -> Value {
    serde_json::from_str(&outcome.to_wire()).unwrap()
}

/// JSON text as a value.
pub(crate) fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The titles that `shelf.put` really stored.
pub(crate) fn created(host: &Host) -> Vec<String> {
    host.ledger.results("shelf", "put").iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect()
}

/// The statuses that a hook of `shelf` got, in order.
pub(crate) fn statuses(host: &Host, kind: EventKind) -> Vec<String> {
    host.ledger.hooks(kind, "shelf").into_iter().map(|(_, status)| status).collect()
}

/// Hooks after passes.
pub(crate) fn pass_ends(host: &Host) -> Vec<String> {
    statuses(host, EventKind::PassEnded)
}

/// Hooks after ends.
pub(crate) fn disposed(host: &Host) -> Vec<String> {
    statuses(host, EventKind::ExecutionEnded)
}

/// Nothing here waits for long; a test that hangs is to fail, not to stop the suite.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("this takes no time unless it hangs")
}

/// Waits until something that another task does is to be seen.
pub(crate) async fn until(what: impl Fn() -> bool) {
    soon(async {
        while !what() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// Where calls wait until the test lets them go on.
pub(crate) struct Door {
    entered: Semaphore,
    open: Semaphore,
    waiting: AtomicU32,
}

impl Door {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { entered: Semaphore::new(0), open: Semaphore::new(0), waiting: AtomicU32::new(0) })
    }

    /// A call comes to the door and waits.
    pub(crate) async fn pass(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.entered.add_permits(1);
        self.open.acquire().await.unwrap().forget();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Waits until one more call stands at the door.
    pub(crate) async fn entered(&self) {
        soon(self.entered.acquire()).await.unwrap().forget();
    }

    /// Whether a call has come to the door and has not gone through.
    pub(crate) fn is_held(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Lets `calls` of them through.
    pub(crate) fn open(&self, calls: usize) {
        self.open.add_permits(calls);
    }

    /// The connector `door`: `hold` needs approval, `keep` does not; both wait at the door and are writes, `look` is a
    /// read that waits.
    pub(crate) fn connector(self: &Arc<Self>) -> Arc<dyn Connector> {
        let mut native = Native::new("door");
        for method in [Method::write("hold").needs_approval(), Method::write("keep"), Method::read("look")] {
            let door = self.clone();
            native = native.method(method, move |args, _| {
                let door = door.clone();
                async move {
                    door.pass().await;
                    Ok(args.unwrap_or(json!("through")))
                }
            });
        }
        Arc::new(native)
    }
}
