//! Two people, or two processes, decide at the same moment: one wins, the other gets an honest answer.

use std::path::Path;
use std::sync::Arc;

use codemode_conformance::harness::{Host, anna, error_of, id_of, result_of};
use codemode_runtime::{ErrorKind, ExecutionId, Outcome, Pick, Picks, Runtime, Seq, Status};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::kit::{Place, Process, given_folder, host_of, role, rounds, soon, until};

/// Everybody approves at once. Returns how many got the continuation; all others were refused.
async fn approve_together(runtime: &Runtime, id: &ExecutionId, picks: &Picks, people: usize) -> usize {
    let start = Arc::new(Barrier::new(people));
    let mut together = JoinSet::new();
    for _ in 0..people {
        let (runtime, id, picks, start) = (runtime.clone(), id.clone(), picks.clone(), start.clone());
        together.spawn(async move {
            start.wait().await;
            runtime.approve(&id, picks, anna()).await.unwrap()
        });
    }
    let mut winners = 0;
    for outcome in soon(together.join_all()).await {
        match outcome {
            Outcome::Completed { .. } => winners += 1,
            Outcome::Failed { error, calls: None, execution: Some(of), .. } => {
                assert_eq!((error.kind, &of), (ErrorKind::NotResumable, id), "{error:?}");
            }
            other => panic!("{other:#?}"),
        }
    }
    winners
}

async fn fifty_people(host: &Host) {
    let runtime = host.runtime();
    for named in [true, false] {
        let paused = runtime.execute("async () => t.gate({ pay: 1 })").await.unwrap();
        let id = id_of(&paused);
        let shown = runtime.pending(Some(&id)).unwrap().remove(0);
        let named = named.then(|| Picks::These(vec![Pick { seq: shown.seq, digest: shown.digest.clone() }]));
        let before = host.ledger.count("t", "gate");
        let winners = approve_together(&runtime, &id, &named.unwrap_or(Picks::AllPending), 50).await;
        assert_eq!((winners, host.ledger.count("t", "gate") - before), (1, 1));
        // Whoever comes later is told how it ended.
        let late = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
        assert_eq!(error_of(&late).message, format!("execution {id} is not paused: its status is completed"));
    }
}

/// Covers BUG-APR-01, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn fifty_approvals_at_once_run_the_call_once() {
    fifty_people(&Host::new()).await;
    fifty_people(&Place::new().host()).await;
}

/// Covers BUG-APR-01.
#[tokio::test(flavor = "multi_thread")]
async fn approvals_of_two_processes_at_once_run_the_call_once() {
    let place = Place::new();
    let host = place.host();
    for round in 0..rounds(10, 3) {
        let folder = place.folder();
        let paused = host.runtime().execute("async () => t.gate({ pay: 1 })").await.unwrap();
        let id = id_of(&paused);
        let name = |of: &str, n: usize| folder.join(format!("{of}-{round}-{n}"));
        let children: Vec<_> = (0..2)
            .map(|n| {
                Process::playing("apr_races::as_a_child_that_approves", "approves")
                    .with("CODEMODE_FOLDER", folder)
                    .with("CODEMODE_ID", id.as_str())
                    .with("CODEMODE_READY", name("ready", n))
                    .with("CODEMODE_GO", name("go", 0))
                    .with("CODEMODE_WON", name("won", n))
                    .start()
            })
            .collect();
        until(|| (name("ready", 0).exists() && name("ready", 1).exists()).then_some(())).await;
        std::fs::write(name("go", 0), "").unwrap();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let won = |n: usize| std::fs::read_to_string(name("won", n)).unwrap().parse::<usize>().unwrap();
        assert_eq!(won(0) + won(1), 1, "{} and {}", won(0), won(1));
        assert_eq!(place.host().ledger.count("t", "gate"), round as u64 + 1);
        assert_eq!(host.store.load(&id).unwrap().unwrap().execution.status, Status::Completed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_that_approves() {
    if role().is_none() {
        return;
    }
    let variable = |name: &str| std::env::var(name).unwrap();
    let id = ExecutionId::from_text(&variable("CODEMODE_ID"));
    let host = host_of(&given_folder());
    let runtime = host.runtime();
    let shown = runtime.pending(Some(&id)).unwrap().remove(0);
    std::fs::write(variable("CODEMODE_READY"), "").unwrap();
    let go = variable("CODEMODE_GO");
    until(|| Path::new(&go).exists().then_some(())).await;
    let picks = Picks::These(vec![Pick { seq: shown.seq, digest: shown.digest }]);
    let won = approve_together(&runtime, &id, &picks, 25).await;
    std::fs::write(variable("CODEMODE_WON"), won.to_string()).unwrap();
}

/// One approval against one rejection. Returns whether the approval won.
async fn approve_against_reject(host: &Host, runtime: &Runtime) -> bool {
    let id = id_of(&runtime.execute("async () => t.gate({ i: 1 })").await.unwrap());
    let shown = runtime.pending(Some(&id)).unwrap().remove(0);
    let picks = Picks::These(vec![Pick { seq: shown.seq, digest: shown.digest }]);
    let start = Arc::new(Barrier::new(2));
    let approving = tokio::spawn({
        let (runtime, id, picks, start) = (runtime.clone(), id.clone(), picks.clone(), start.clone());
        async move {
            start.wait().await;
            runtime.approve(&id, picks, anna()).await.unwrap()
        }
    });
    let rejecting = tokio::spawn({
        let (runtime, id) = (runtime.clone(), id.clone());
        async move {
            start.wait().await;
            runtime.reject(&id, Seq(0), anna()).await.unwrap()
        }
    });
    let (approved, rejected) = (soon(approving).await.unwrap(), soon(rejecting).await.unwrap());
    let performed = host.ledger.events().iter().filter(|e| e.execution == id.to_string() && e.method == "gate").count();
    let status = || runtime.record(&id).unwrap().unwrap().execution.status;
    let before = status();
    match (&approved, rejected) {
        (Outcome::Completed { .. }, false) => assert_eq!((performed, before), (1, Status::Completed)),
        (Outcome::Failed { error, calls: None, .. }, true) => {
            assert_eq!((performed, before, error.kind), (0, Status::Rejected, ErrorKind::NotResumable));
        }
        other => panic!("{other:#?}"),
    }
    assert!(!runtime.reject(&id, Seq(0), anna()).await.unwrap());
    let again = runtime.approve(&id, picks, anna()).await.unwrap();
    assert_eq!(error_of(&again).kind, ErrorKind::NotResumable);
    assert_eq!(status(), before, "the end is the end");
    !rejected
}

/// Covers BUG-APR-02, DIFF-07.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_and_a_rejection_at_once_never_both_count() {
    let place = Place::new();
    for (host, times) in [(Host::new(), 300), (place.host(), rounds(300, 60))] {
        // Two handles, as two doors of one product would have.
        let runtime = host.runtime();
        for _ in 0..times {
            approve_against_reject(&host, &runtime).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn approvals_of_different_calls_at_once_all_count() {
    let host = Host::new();
    let runtime = host.runtime();
    for _ in 0..rounds(100, 20) {
        let code = "async () => (await Promise.all([1, 2, 3, 4].map((i) => t.gate({ i })))).map((g) => g.i).join('')";
        let id = id_of(&runtime.execute(code).await.unwrap());
        let shown = runtime.pending(Some(&id)).unwrap();
        let mut together = JoinSet::new();
        for call in shown {
            let (runtime, id) = (runtime.clone(), id.clone());
            together.spawn(async move {
                let pick = Pick { seq: call.seq, digest: call.digest };
                runtime.approve(&id, Picks::These(vec![pick]), anna()).await.unwrap()
            });
        }
        let outcomes = soon(together.join_all()).await;
        let completed = outcomes.iter().filter(|o| matches!(o, Outcome::Completed { .. })).collect::<Vec<_>>();
        assert_eq!(completed.len(), 1, "{outcomes:#?}");
        assert_eq!(result_of(completed[0]), "\"1234\"");
        let performed =
            host.ledger.events().iter().filter(|e| e.execution == id.to_string() && e.method == "gate").count();
        assert_eq!(performed, 4);
        assert_eq!(runtime.record(&id).unwrap().unwrap().execution.status, Status::Completed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delete_against_an_approval_leaves_one_of_both() {
    let host = Host::new();
    let runtime = host.runtime();
    for _ in 0..rounds(300, 100) {
        let id = id_of(&runtime.execute("async () => t.gate({ i: 1 })").await.unwrap());
        let (deleting, approving) = (runtime.clone(), runtime.clone());
        let (a, b) = (id.clone(), id.clone());
        let deleted = tokio::spawn(async move { deleting.delete(&a).await });
        let approved = tokio::spawn(async move { approving.approve(&b, Picks::AllPending, anna()).await });
        let (deleted, approved) = (soon(deleted).await.unwrap().unwrap(), soon(approved).await.unwrap());
        assert!(deleted, "it existed");
        let performed =
            host.ledger.events().iter().filter(|e| e.execution == id.to_string() && e.method == "gate").count();
        match approved.unwrap() {
            Outcome::Completed { .. } => assert_eq!(performed, 1),
            Outcome::Failed { error, .. } => match error.kind {
                ErrorKind::NotResumable => assert_eq!(performed, 0),
                kind => assert_eq!(kind, ErrorKind::Cancelled),
            },
            other => panic!("{other:#?}"),
        }
        assert!(runtime.record(&id).unwrap().is_none(), "it is gone");
    }
}
