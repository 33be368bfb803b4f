//! Cancelling a pass from outside: it ends with a clear error, once, and nothing else changes.

use codemode_conformance::harness::{Host, error_of, id_of, journal_of};
use codemode_runtime::{ErrorKind, ExecutionId, Query, Status};

const LONG: &str = "async () => {
    await shelf.jot({ text: 'a' });
    try { await shelf.nap({ ms: 20000 }); } catch {}
    await shelf.jot({ text: 'never' });
}";

#[tokio::test]
async fn a_cancelled_pass_ends_with_an_error_of_its_own_kind() {
    let host = Host::new();
    let runtime = host.runtime();
    let started = runtime.start(LONG).await.unwrap();
    let id = started.execution().unwrap().clone();
    let mut events = runtime.events(&id, 2);
    events.next().await.unwrap();
    assert!(runtime.cancel(&id).await.unwrap());
    let outcome = started.outcome().await.unwrap();
    assert_eq!((error_of(&outcome).kind, error_of(&outcome).name.as_str()), (ErrorKind::Cancelled, "Cancelled"));
    assert_eq!(host.ledger.results("shelf", "jot").len(), 1, "the code cannot catch it");
    assert!(!runtime.cancel(&id).await.unwrap(), "there is nothing left to cancel");
    let report = runtime.rollback(&id).await.unwrap();
    assert_eq!(report.status, Some(Status::RolledBack), "what was done can be undone");
}

#[tokio::test]
async fn what_does_not_run_is_left_as_it_is() {
    let runtime = Host::new().runtime();
    let paused = runtime.execute("async () => shelf.put({ title: 'x' })").await.unwrap();
    let done = runtime.execute("async () => 1").await.unwrap();
    let before = journal_of(&runtime, &id_of(&paused));
    for id in [id_of(&paused), id_of(&done), ExecutionId::from_text("exec_unknown")] {
        assert!(!runtime.cancel(&id).await.unwrap());
    }
    assert_eq!(journal_of(&runtime, &id_of(&paused)), before);
    let paused = Query { status: Some(Status::Paused), ..Query::default() };
    assert_eq!(runtime.executions(&paused).unwrap().len(), 1);
}

#[tokio::test]
async fn an_endless_loop_is_cancelled_too() {
    let runtime = Host::new().runtime();
    let started = runtime.start("async () => { await shelf.list(); for (;;); }").await.unwrap();
    let id = started.execution().unwrap().clone();
    runtime.events(&id, 1).next().await.unwrap();
    assert!(runtime.cancel(&id).await.unwrap());
    assert_eq!(error_of(&started.outcome().await.unwrap()).kind, ErrorKind::Cancelled);
}

#[tokio::test]
async fn another_process_cancels_it_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let path = folder.path().join("store.db");
        let options = codemode_runtime::store::sqlite::Options::default();
        std::sync::Arc::new(codemode_runtime::store::sqlite::SqliteStore::open(&path, options).unwrap())
    };
    let (here, there) = (Host::over(open()).runtime(), Host::over(open()).runtime());
    let started = here.start(LONG).await.unwrap();
    let id = started.execution().unwrap().clone();
    here.events(&id, 2).next().await.unwrap();
    assert!(there.cancel(&id).await.unwrap());
    assert_eq!(error_of(&started.outcome().await.unwrap()).kind, ErrorKind::Cancelled);
}
