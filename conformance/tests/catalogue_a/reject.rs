//! REJECT: a refusal ends the execution, once, and undoes nothing.

use codemode_conformance::harness::{Host, anna, approve_all, id_of, journal_of};
use codemode_conformance::store_suite::samples;
use codemode_runtime::durable::id::{Op, Seq};
use codemode_runtime::durable::journal::{Decision, Entry, EntryState};
use codemode_runtime::durable::write::Write;
use codemode_runtime::store::Barrier;
use codemode_runtime::{By, ErrorKind, ExecutionId, Picks, Status};

use crate::support::{Disk, Door, created, disposed, pass_ends, record, soon, status};

const PUT: &str = "async () => shelf.put({ title: 'x' })";

/// Covers REJECT-01, AUDIT-04, runtime#7.
#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_ends_the_execution_and_says_who_rejected_what() {
    let host = Host::new();
    let runtime = host.runtime();
    let id = id_of(&runtime.execute(PUT).await.unwrap());
    let by = By { reason: Some("too expensive".to_owned()), ..anna() };
    assert!(runtime.reject(&id, Seq(0), by).await.unwrap());
    let kept = record(&runtime, &id);
    let error = kept.execution.error.unwrap();
    assert_eq!(kept.execution.status, Status::Rejected);
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Rejected, "shelf.put was rejected by anna: too expensive")
    );
    assert_eq!(journal_of(&runtime, &id), ["0 shelf.put reverted"]);
    assert_eq!(kept.entries[0].decision.as_ref().unwrap().reason.as_deref(), Some("too expensive"));
    assert_eq!((created(&host), runtime.pending(None).unwrap()), (vec![], vec![]));
}

/// Covers REJECT-02, LIFECYCLE-12, runtime#25.
#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_of_what_does_not_wait_changes_nothing() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { await shelf.list(); return shelf.put({ title: 'x' }); }";
    let paused = runtime.execute(code).await.unwrap();
    let id = id_of(&paused);
    let before = record(&runtime, &id);
    for seq in [999, 0] {
        assert!(!runtime.reject(&id, Seq(seq), anna()).await.unwrap());
    }
    assert!(!runtime.reject(&ExecutionId::from_text("zz"), Seq(0), anna()).await.unwrap());
    assert_eq!(record(&runtime, &id), before);
    assert_eq!(disposed(&host), Vec::<String>::new());
    approve_all(&runtime, paused).await;
    assert_eq!((created(&host), disposed(&host)), (vec!["x".to_owned()], vec!["completed".to_owned()]));
    assert!(!runtime.reject(&id, Seq(1), anna()).await.unwrap());
    assert_eq!((status(&runtime, &id), disposed(&host).len()), ("completed", 1));
}

/// Covers REJECT-03.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_before_stays_done() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { await shelf.jot({ text: 'first' }); await shelf.put({ title: 'x' }); }";
    let id = id_of(&runtime.execute(code).await.unwrap());
    assert!(runtime.reject(&id, Seq(1), anna()).await.unwrap());
    assert_eq!(journal_of(&runtime, &id), ["0 shelf.jot applied", "1 shelf.put reverted"]);
    assert_eq!((host.ledger.count("shelf", "jot"), host.ledger.reverts("shelf", "jot")), (1, 0));
}

/// Covers REJECT-04, runtime#24.
#[tokio::test(flavor = "multi_thread")]
async fn connectors_are_told_once_of_the_end_and_of_no_further_pass() {
    let host = Host::new();
    let runtime = host.runtime();
    let id = id_of(&runtime.execute(PUT).await.unwrap());
    runtime.reject(&id, Seq(0), anna()).await.unwrap();
    assert!(!runtime.reject(&id, Seq(0), anna()).await.unwrap());
    assert_eq!((pass_ends(&host), disposed(&host)), (vec!["paused".to_owned()], vec!["rejected".to_owned()]));
}

/// Covers REJECT-05, REPLAY-10, CONCURRENCY-03, runtime#14.
#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_that_comes_while_the_approved_call_works_is_too_late() {
    let door = Door::new();
    let host = Host::new().with("door", door.connector());
    let runtime = host.runtime();
    let id = id_of(&runtime.execute("async () => door.hold(1)").await.unwrap());
    let approval = {
        let (runtime, id) = (runtime.clone(), id.clone());
        tokio::spawn(async move { runtime.approve(&id, Picks::AllPending, anna()).await })
    };
    door.entered().await;
    assert_eq!(journal_of(&runtime, &id), ["0 door.hold executing"]);
    // From here and from another process.
    assert!(!runtime.reject(&id, Seq(0), anna()).await.unwrap());
    assert!(!host.runtime().reject(&id, Seq(0), anna()).await.unwrap());
    assert_eq!(status(&runtime, &id), "running");
    door.open(1);
    let outcome = soon(approval).await.unwrap().unwrap();
    assert_eq!(codemode_conformance::harness::result_of(&outcome), "1");
    assert_eq!(journal_of(&runtime, &id), ["0 door.hold applied"]);
}

/// Covers REJECT-06, codemode-eviction#3.
#[tokio::test(flavor = "multi_thread")]
async fn an_execution_that_was_read_back_from_the_file_can_be_rejected() {
    let disk = Disk::new();
    let host = disk.host();
    let id = id_of(&host.runtime().execute(PUT).await.unwrap());
    let host = disk.evict(host);
    assert!(host.runtime().reject(&id, Seq(0), anna()).await.unwrap());
    assert_eq!((disposed(&host), created(&host)), (vec!["rejected".to_owned()], vec![]));
    let host = disk.evict(host);
    let runtime = host.runtime();
    assert_eq!((status(&runtime, &id), runtime.pending(None).unwrap()), ("rejected", vec![]));
    assert_eq!(disposed(&host), Vec::<String>::new());
}

/// Covers REJECT-08, DIFF-07, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn only_a_paused_execution_is_rejected_although_another_has_an_entry_left_pending() {
    let host = Host::new();
    let runtime = host.runtime();
    let completed = id_of(&runtime.execute("async () => 1").await.unwrap());
    let failed = id_of(&runtime.execute("async () => { throw 1 }").await.unwrap());
    let running = samples::id(1);
    let execution = samples::execution(&running);
    let token = execution.token;
    host.store.append(&running, token, vec![Write::Begin(Box::new(execution))], Barrier::Now).await.unwrap();
    for (id, word) in [(completed, "completed"), (failed, "error"), (running, "running")] {
        let left = Entry { op: Op(0), seq: Some(Seq(0)), ..samples::pending(0) };
        let version = record(&runtime, &id).execution.version;
        host.store.commit(&id, version, vec![Write::Asked(Box::new(left))]).unwrap();
        let before = record(&runtime, &id);
        assert_eq!(
            (before.entries[0].state, before.entries[0].decision.clone()),
            (EntryState::Pending, None::<Decision>)
        );
        assert!(!runtime.reject(&id, Seq(0), anna()).await.unwrap(), "{word}");
        assert_eq!(record(&runtime, &id), before);
        assert_eq!(status(&runtime, &id), word);
    }
}

/// Covers WEAK-16, CONCURRENCY-03.
#[tokio::test(flavor = "multi_thread")]
async fn of_an_approval_and_a_rejection_at_once_one_wins_and_the_end_stays_the_end() {
    for round in 0..20 {
        let host = Host::new();
        let (a, b) = (host.runtime(), host.runtime());
        let id = id_of(&a.execute(PUT).await.unwrap());
        let (approved, rejected) = if round % 2 == 0 {
            soon(async { tokio::join!(a.approve(&id, Picks::AllPending, anna()), b.reject(&id, Seq(0), anna())) }).await
        } else {
            let (r, a) =
                soon(async { tokio::join!(b.reject(&id, Seq(0), anna()), a.approve(&id, Picks::AllPending, anna())) })
                    .await;
            (a, r)
        };
        let (end, titles) = match rejected.unwrap() {
            true => ("rejected", vec![]),
            false => ("completed", vec!["x".to_owned()]),
        };
        assert_eq!(approved.unwrap().status().as_str(), if end == "rejected" { "error" } else { end });
        assert_eq!((status(&a, &id), created(&host), disposed(&host)), (end, titles, vec![end.to_owned()]));
    }
}
