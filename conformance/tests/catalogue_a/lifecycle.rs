//! The reference suite's cases about hooks, sizes and deletion that go through a pause.

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, anna, approve_all, error_of, id_of, journal_of, result_of};
use codemode_runtime::{ErrorKind, Outcome, Seq};

use crate::support::{disposed, parsed, pass_ends, record, status};

const PUT: &str = "async () => shelf.put({ title: 'x' })";

/// Covers LIFECYCLE-02, runtime#22.
#[tokio::test(flavor = "multi_thread")]
async fn connectors_are_told_once_of_a_completion() {
    let host = Host::new();
    let outcome = host.runtime().execute("async () => shelf.whoami()").await.unwrap();
    let id = id_of(&outcome).to_string();
    assert_eq!(host.ledger.hooks(EventKind::ExecutionEnded, "shelf"), [(id, "completed".to_owned())]);
}

/// Covers LIFECYCLE-01, LIFECYCLE-02, runtime#23, runtime#27.
#[tokio::test(flavor = "multi_thread")]
async fn a_pause_ends_a_pass_and_not_the_execution() {
    let host = Host::new();
    let paused = host.runtime().execute(PUT).await.unwrap();
    assert_eq!((pass_ends(&host), disposed(&host)), (vec!["paused".to_owned()], vec![]));
    approve_all(&host.runtime(), paused).await;
    let ends = vec!["paused".to_owned(), "completed".to_owned()];
    assert_eq!((pass_ends(&host), disposed(&host)), (ends, vec!["completed".to_owned()]));
}

/// Covers LIMIT-03, LIMIT-05, runtime#30.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_over_the_limit_ends_the_execution_with_advice() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { try { await shelf.huge({ n: 999999 }) } catch {} await shelf.jot({ text: 'x' });
        return 'done'; }";
    let outcome = runtime.execute(code).await.unwrap();
    let error = error_of(&outcome);
    assert_eq!(error.kind, ErrorKind::Unrecordable);
    let said = "result of shelf.huge is too large: 1000001 characters, the limit is 1000000 (limit `value size`)";
    assert_eq!(error.message, said);
    assert!(error.hint.as_ref().unwrap().contains("for example to a file"), "{error:?}");
    assert_eq!(status(&runtime, &id_of(&outcome)), "error");
    assert_eq!(journal_of(&runtime, &id_of(&outcome)), ["0 shelf.huge error"]);
    assert_eq!((host.ledger.count("shelf", "huge"), host.ledger.count("shelf", "jot")), (1, 0));
}

/// Covers LIMIT-09, runtime#31.
#[tokio::test(flavor = "multi_thread")]
async fn a_final_result_over_the_limit_is_returned_and_noted() {
    let runtime = Host::new().runtime();
    let outcome = runtime.execute("async () => 'y'.repeat(1_100_000)").await.unwrap();
    assert_eq!(result_of(&outcome).len(), 1_100_002);
    let kept = record(&runtime, &id_of(&outcome)).execution;
    assert_eq!(kept.status.as_str(), "completed");
    let note = parsed(kept.result.unwrap().as_str()).as_str().unwrap().to_owned();
    assert!(
        note.starts_with("result omitted from the audit trail: 1100002 characters, the limit is 1000000"),
        "{note}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_end_of_a_pass_carries_its_number() {
    let host = Host::new();
    let paused = host.runtime().execute(PUT).await.unwrap();
    approve_all(&host.runtime(), paused).await;
    let passes: Vec<String> =
        host.ledger.events().into_iter().filter(|e| e.kind == EventKind::PassEnded).map(|e| e.key).collect();
    assert_eq!(passes, ["1", "2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_after_a_second_pause_keeps_what_the_first_approval_did() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { await shelf.put({ title: 'one' }); await shelf.put({ title: 'two' }); }";
    let first = runtime.execute(code).await.unwrap();
    let second = codemode_conformance::harness::approve_seq(&runtime, &id_of(&first), 0).await;
    let Outcome::Paused { execution, .. } = &second else { panic!("{second:?}") };
    assert!(!runtime.reject(execution, Seq(0), anna()).await.unwrap());
    assert!(runtime.reject(execution, Seq(1), anna()).await.unwrap());
    assert_eq!(journal_of(&runtime, execution), ["0 shelf.put applied", "1 shelf.put reverted"]);
    assert_eq!((pass_ends(&host), disposed(&host)), (vec!["paused".to_owned(); 2], vec!["rejected".to_owned()]));
}
