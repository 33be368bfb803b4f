//! Calls that reach more than their state take turns when they write to it: they cannot simply be performed again, so
//! none of them may lose what another wrote.

use std::sync::Arc;

use codemode_conformance::harness::{Host, result_of};
use codemode_runtime::connector::component::ComponentConnector;
use codemode_runtime::connector::{
    BoxFuture, Call, CallOutput, Connector, Description, Revert, Reverted, StateAccess, StateFault, StateSession,
};
use codemode_runtime::durable::id::Version;
use codemode_runtime::durable::journal::Reach;
use codemode_runtime::durable::write::Scope;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::store::sqlite::{Options, SqliteStore};
use codemode_runtime::{Failure, Store};
use serde_json::Value;

use crate::kit::{execution, testkit};

/// The testkit, as if it could reach the network too.
struct Reaching(ComponentConnector);

impl Connector for Reaching {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        self.0.describe()
    }

    fn reach(&self) -> Reach {
        Reach::Outside
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.0.call(call)
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        self.0.revert(revert)
    }
}

fn session(store: &Arc<dyn Store>, wait_ms: u64) -> Arc<StateSession> {
    StateSession::with_reach(store.clone(), "kit", &execution(), StateAccess::ReadWrite, Reach::Outside, wait_ms)
}

fn stores() -> (tempfile::TempDir, Vec<Arc<dyn Store>>) {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(folder.path().join("turns.db"), Options::default()).unwrap();
    (folder, vec![Arc::new(MemoryStore::new()), Arc::new(sqlite)])
}

#[tokio::test]
async fn the_turn_lasts_from_the_first_write_to_the_commit() {
    let (_folder, stores) = stores();
    for store in stores {
        let first = session(&store, 0);
        first.take_turn().await.unwrap();
        first.take_turn().await.unwrap();
        let late = session(&store, 0).take_turn().await;
        assert!(matches!(&late, Err(StateFault::Unavailable(m)) if m.contains("limit `call time`")), "{late:?}");
        let lock = first.take_lock();
        assert!(lock.is_some());
        assert!(session(&store, 0).take_turn().await.is_err(), "the lock outlives the call until its commit");
        drop(lock);
        session(&store, 0).take_turn().await.unwrap();
    }
}

#[tokio::test]
async fn calls_that_only_have_state_never_wait() {
    let (_folder, stores) = stores();
    for store in stores {
        let first = session(&store, 0);
        first.take_turn().await.unwrap();
        StateSession::new(store, "kit", &execution(), StateAccess::ReadWrite).take_turn().await.unwrap();
    }
}

#[tokio::test]
async fn what_was_read_before_the_turn_must_still_be_true() {
    let (_folder, stores) = stores();
    for store in stores {
        let (one, other) = (session(&store, 0), session(&store, 0));
        assert_eq!(one.get(Scope::Connector, "k"), Ok(None));
        other.take_turn().await.unwrap();
        other.set(Scope::Connector, "k", b"1".to_vec()).unwrap();
        let writes = other.take_writes();
        // Connector state belongs to no execution; any right will do.
        assert!(store.commit(&execution(), Version(1), writes.clone()).is_err());
        let host = Host::over(store.clone());
        let id = host.runtime().execute("async () => 1").await.unwrap().execution().unwrap().clone();
        let version = store.load(&id).unwrap().unwrap().execution.version;
        store.commit(&id, version, writes).unwrap();
        drop(other.take_lock());
        assert_eq!(one.take_turn().await, Err(StateFault::Conflict));
    }
}

/// How many of the counts succeeded; the others were told that somebody was faster.
fn counted(results: &Value) -> u64 {
    let results = results.as_array().unwrap();
    let (done, told): (Vec<&Value>, Vec<&Value>) = results.iter().partition(|r| r.is_u64());
    assert!(told.iter().all(|r| *r == "conflict"), "{results:?}");
    done.len() as u64
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_runtimes_on_one_file_lose_no_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.db");
    let runtime = || {
        let store = Arc::new(SqliteStore::open(&path, Options::default()).unwrap());
        Host::bare(store).with("kit", Arc::new(Reaching(testkit("misc")))).runtime()
    };
    let code = "async () => Promise.all(Array.from({ length: 20 }, () =>
        kit.count().then(r => r.count ?? r, e => e.code)))";
    let (one, two) = (runtime(), runtime());
    let (a, b) = tokio::join!(one.execute(code), two.execute(code));
    let parse = |o| serde_json::from_str::<Value>(&result_of(&o)).unwrap();
    let done = counted(&parse(a.unwrap())) + counted(&parse(b.unwrap()));
    assert!(done > 0);
    let seen = one.execute("async () => Number(await kit.peek())").await.unwrap();
    assert_eq!(result_of(&seen), done.to_string());
}
