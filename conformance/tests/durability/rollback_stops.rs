//! A rollback beside something else that works on the execution: a pass, hooks, another rollback, a decision.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::harness::{Host, anna, error_of, id_of, result_of};
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{Connector, Flag, Hooks, Method};
use codemode_runtime::{
    EntryState, Error, ErrorKind, ExecutionId, Outcome, Picks, Resolved, RollbackReport, Runtime, Seq, Status, Word,
};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use crate::books::Books;
use crate::homes::{Home, ends, entry, homes, lines, record, status};
use crate::kit::{Door, asked, rounds, soon, until};
use crate::mortal::Mortal;

/// The same host in another process, as far as its connectors are concerned.
fn next_door(home: &Home, host: &Host) -> Runtime {
    let mut other = host.clone();
    other.store = home.opened_again();
    other.runtime()
}

async fn begun(runtime: &Runtime, code: &str) -> (ExecutionId, JoinHandle<Outcome>) {
    let started = runtime.start(code).await.unwrap();
    let id = started.execution().unwrap().clone();
    (id, tokio::spawn(async move { started.outcome().await.unwrap() }))
}

fn rolling_back(runtime: &Runtime, id: &ExecutionId) -> JoinHandle<Result<RollbackReport, Error>> {
    let (runtime, id) = (runtime.clone(), id.clone());
    tokio::spawn(async move { runtime.rollback(&id).await })
}

const WAITING: &str = "async () => { await t.add({ n: 1 }); await door.wait({}); await t.add({ n: 2 }); }";

/// Covers BUG-RBK-07, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_is_stopped_first_and_nothing_of_it_happens_afterwards() {
    for home in homes() {
        for elsewhere in [false, true] {
            let (door, connector) = Door::new();
            let host = home.host().with("door", connector);
            let runtime = host.runtime();
            let (id, running) = begun(&runtime, WAITING).await;
            door.entered(1).await;
            let by = if elsewhere { next_door(&home, &host) } else { runtime.clone() };
            let report = soon(by.rollback(&id)).await.unwrap();
            assert_eq!(lines(&report), ["1 door.wait nothing_to_revert", "0 t.add reverted"], "{}", home.name);
            let ended = soon(running).await.unwrap();
            assert_eq!(error_of(&ended).kind, ErrorKind::Cancelled);
            door.let_go(1);
            runtime.execute("async () => { await t.slow({ ms: 30, v: 1 }); }").await.unwrap();
            assert_eq!((host.ledger.count("t", "add"), host.ledger.reverts("t", "add")), (1, 1));
            let record = record(&runtime, &id);
            assert_eq!((record.execution.status, record.execution.owner), (Status::RolledBack, None));
            assert_eq!((record.entries.len(), record.execution.error.unwrap().kind), (2, ErrorKind::Cancelled));
            assert_eq!(ends(&host)[..2], ["error", "rolled_back"]);
        }
    }
}

/// Covers BUG-RBK-07.
#[tokio::test(flavor = "multi_thread")]
async fn the_case_as_reported_with_its_own_times() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { await t.add({ n: 1 }); await t.slow({ ms: 3000, v: 1 }); await t.add({ n: 2 }); }";
    let (id, running) = begun(&runtime, code).await;
    asked(&runtime, &id, 1).await;
    assert_eq!(soon(runtime.rollback(&id)).await.unwrap().reverted(), 1);
    assert_eq!(error_of(&soon(running).await.unwrap()).kind, ErrorKind::Cancelled);
    runtime.execute("async () => { await t.slow({ ms: 3500, v: 1 }); }").await.unwrap();
    assert_eq!((host.ledger.count("t", "add"), host.ledger.reverts("t", "add")), (1, 1));
    assert_eq!(status(&runtime, &id), Status::RolledBack);
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_only_computes_is_stopped_too() {
    for home in homes() {
        let host = home.host().limits(|l| l.cpu_ms = 60_000);
        let runtime = host.runtime();
        let (id, running) = begun(&runtime, "async () => { await t.add({ n: 1 }); for (;;) {} }").await;
        until(|| (runtime.record(&id).unwrap()?.entries.first()?.state == EntryState::Applied).then_some(())).await;
        assert_eq!(lines(&soon(runtime.rollback(&id)).await.unwrap()), ["0 t.add reverted"]);
        assert_eq!(error_of(&soon(running).await.unwrap()).kind, ErrorKind::Cancelled);
    }
}

/// A write that stands at its door before its effect.
fn late(came: &Arc<Semaphore>, open: &Arc<Semaphore>, effects: &Arc<AtomicU32>) -> Arc<dyn Connector> {
    let (came, open, effects) = (came.clone(), open.clone(), effects.clone());
    Arc::new(Native::new("late").method(Method::write("work"), move |_, _| {
        let (came, open, effects) = (came.clone(), open.clone(), effects.clone());
        async move {
            came.add_permits(1);
            open.acquire().await.unwrap().forget();
            effects.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_flight_is_given_up_so_that_it_does_not_happen_after_its_rollback() {
    for home in homes() {
        for pass_ms in [60_000, 1_000] {
            let (came, open) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
            let effects = Arc::new(AtomicU32::new(0));
            let host = home.host().with("late", late(&came, &open, &effects));
            let runtime = host.limits(|l| l.pass_ms = pass_ms).runtime();
            let code = "async () => { await t.add({ n: 1 }); await late.work(); }";
            let (id, running) = begun(&runtime, code).await;
            soon(came.acquire()).await.unwrap().forget();
            if pass_ms < 60_000 {
                // Out of time: its answer would still be taken, by nobody but the journal.
                until(|| (status(&runtime, &id) == Status::Error).then_some(())).await;
            }
            let report = soon(runtime.rollback(&id)).await.unwrap();
            assert_eq!(lines(&report), ["1 late.work no_revert", "0 t.add reverted"]);
            soon(running).await.unwrap();
            nobody_comes(&open, &effects).await;
            assert_eq!(entry(&runtime, &id, 1).state, EntryState::Unknown);
        }
    }
}

/// Opens the door, and gives whoever stands there the time to go through.
async fn nobody_comes(open: &Semaphore, effects: &AtomicU32) {
    open.add_permits(1);
    let host = Host::new();
    host.runtime().execute("async () => { await t.slow({ ms: 50, v: 1 }); }").await.unwrap();
    assert_eq!((effects.load(Ordering::SeqCst), open.available_permits()), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_flight_of_a_deleted_execution_is_given_up_too() {
    for home in homes() {
        let (came, open) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let effects = Arc::new(AtomicU32::new(0));
        let host = home.host().with("late", late(&came, &open, &effects)).limits(|l| l.pass_ms = 1_000);
        let runtime = host.runtime();
        let (id, running) = begun(&runtime, "async () => late.work()").await;
        soon(came.acquire()).await.unwrap().forget();
        assert_eq!(error_of(&soon(running).await.unwrap()).kind, ErrorKind::Limit);
        assert!(soon(runtime.delete(&id)).await.unwrap());
        nobody_comes(&open, &effects).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_who_does_not_stop_in_time_is_not_rolled_back_under_their_feet() {
    for home in homes() {
        let open = Arc::new(Semaphore::new(0));
        let waits = open.clone();
        let native = Native::new("slow").on_pass_ended(move |_, _, _| {
            let waits = waits.clone();
            async move {
                drop(waits.acquire().await);
                Ok(())
            }
        });
        let host = home.host().with("slow", Arc::new(native)).limits(|l| l.cancel_ms = 50);
        let runtime = host.runtime();
        let (id, running) = begun(&runtime, "async () => t.add({ n: 1 })").await;
        until(|| (runtime.record(&id).unwrap()?.execution.status == Status::Completed).then_some(())).await;
        for by in [&runtime, &next_door(&home, &host)] {
            let refused = soon(by.rollback(&id)).await.unwrap_err();
            assert_eq!((refused.code(), host.ledger.reverts("t", "add")), ("still_running", 0));
        }
        open.add_permits(9);
        assert!(matches!(soon(running).await.unwrap(), Outcome::Completed { .. }));
        assert_eq!(lines(&soon(runtime.rollback(&id)).await.unwrap()), ["0 t.add reverted"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_rollbacks_at_once_one_asks_and_the_others_find_it_done() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let runtime = host.runtime();
        let other = next_door(&home, &host);
        for _ in 0..rounds(100, 10) {
            let code = "async () => { for (const n of [1, 2, 3]) await books.write({ n }); }";
            let id = id_of(&runtime.execute(code).await.unwrap());
            let before = (books.asked().len(), ends(&host).len());
            let mut together = JoinSet::new();
            for n in 0..6 {
                let (by, id) = (if n % 2 == 0 { runtime.clone() } else { other.clone() }, id.clone());
                together.spawn(async move { by.rollback(&id).await.unwrap() });
            }
            let mut asking = 0;
            for report in soon(together.join_all()).await {
                assert_eq!(report.status, Some(Status::RolledBack));
                asking += usize::from(!report.calls.is_empty());
                assert_eq!(report.reverted(), report.calls.len());
            }
            assert_eq!((asking, books.asked().split_off(before.0)), (1, vec![3, 2, 1]), "{}", home.name);
            assert_eq!(ends(&host).split_off(before.1), ["rolled_back"]);
        }
        assert_eq!(books.most_at_work(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_while_a_rollback_works_waits_for_it() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let runtime = host.runtime();
        let code = "async () => { await books.write({ n: 1, revert: 'waits' }); await t.gate({}); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        let first = rolling_back(&runtime, &id);
        books.entered().await;
        assert_eq!(entry(&runtime, &id, 0).state, EntryState::Reverting);

        let hasty = host.clone().limits(|l| l.cancel_ms = 30).runtime();
        assert_eq!(soon(hasty.rollback(&id)).await.unwrap_err().code(), "still_running");
        assert_eq!(soon(hasty.recover()).await.unwrap().len(), 0, "whoever works on it lives");

        let second = rolling_back(&next_door(&home, &host), &id);
        let (approving, rejecting, resolving) = (runtime.clone(), runtime.clone(), runtime.clone());
        let (a, b, c) = (id.clone(), id.clone(), id.clone());
        let approving = tokio::spawn(async move { approving.approve(&a, Picks::AllPending, anna()).await });
        let rejecting = tokio::spawn(async move { rejecting.reject(&b, Seq(1), anna()).await });
        let resolving = tokio::spawn(async move { resolving.resolve(&c, Seq(0), Word::Retry, anna()).await });
        books.let_go();
        assert_eq!(lines(&soon(first).await.unwrap().unwrap()), ["0 books.write reverted"]);
        let second = soon(second).await.unwrap().unwrap();
        assert_eq!((second.calls.len(), second.status), (0, Some(Status::RolledBack)));
        assert_eq!(error_of(&soon(approving).await.unwrap().unwrap()).kind, ErrorKind::NotResumable);
        assert!(!soon(rejecting).await.unwrap().unwrap());
        let resolved = soon(resolving).await.unwrap().unwrap();
        assert!(matches!(resolved, Resolved::Refused(_)), "{resolved:?}");
        assert_eq!((books.asked(), host.ledger.count("t", "gate")), (vec![1], 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_stops_listening_does_not_stop_the_rollback() {
    for home in homes() {
        let books = Books::new();
        let runtime = home.host().with("books", books.connector()).runtime();
        let code = "async () => { await books.write({ n: 1 }); await books.write({ n: 2, revert: 'waits' }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        let first = rolling_back(&runtime, &id);
        books.entered().await;
        first.abort();
        assert!(soon(first).await.unwrap_err().is_cancelled());
        books.let_go();
        let report = soon(runtime.rollback(&id)).await.unwrap();
        assert_eq!((report.calls.len(), books.asked()), (0, vec![2, 1]));
    }
}

/// An approval that runs is stopped like a first pass; what it did is undone.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_against_a_rollback_never_leaves_an_effect() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        for _ in 0..rounds(300, 40) {
            let code = "async () => { await t.add({ n: 1 }); await t.gate({}); return t.add({ n: 2 }); }";
            let id = id_of(&runtime.execute(code).await.unwrap());
            let (approving, a) = (runtime.clone(), id.clone());
            let approving = tokio::spawn(async move { approving.approve(&a, Picks::AllPending, anna()).await });
            let report = soon(runtime.rollback(&id)).await.unwrap();
            let approved = soon(approving).await.unwrap().unwrap();
            assert_eq!((report.status, report.left()), (Some(Status::RolledBack), 0), "{report:?}\n{approved:#?}");
            assert_eq!(status(&runtime, &id), Status::RolledBack);
            match approved {
                Outcome::Completed { .. } => {}
                Outcome::Failed { error, .. } => {
                    assert!(matches!(error.kind, ErrorKind::NotResumable | ErrorKind::Cancelled), "{error:?}");
                }
                other => panic!("{other:#?}"),
            }
            for method in ["add", "gate"] {
                let (done, undone) = (host.ledger.count("t", method), host.ledger.reverts("t", method));
                assert_eq!(done, undone, "t.{method} in {}", home.name);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_execution_is_ended_and_rolled_back_instead_of_resumed() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let mortal = Mortal::of(&home.store);
        let mut dying = host.clone();
        dying.store = mortal.clone();
        let (id, _running) = begun(&dying.runtime(), WAITING).await;
        door.entered(1).await;
        mortal.die();

        let runtime = host.runtime();
        assert_eq!(status(&runtime, &id), Status::Running);
        let report = soon(runtime.rollback(&id)).await.unwrap();
        assert_eq!(lines(&report), ["0 t.add reverted"], "{}", home.name);
        let execution = record(&runtime, &id).execution;
        assert_eq!((execution.status, execution.error.unwrap().kind), (Status::RolledBack, ErrorKind::Abandoned));
        assert_eq!(ends(&host), ["error", "rolled_back"]);
        assert_eq!(soon(runtime.recover()).await.unwrap().len(), 0);

        // The call of the process that was cut off is answered into the void.
        door.let_go(1);
        runtime.execute("async () => { await t.slow({ ms: 30, v: 1 }); }").await.unwrap();
        assert_eq!((host.ledger.count("t", "add"), record(&runtime, &id).entries.len()), (1, 2));
        assert_eq!(result_of(&runtime.execute("async () => 1").await.unwrap()), "1");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_an_abandoned_execution_that_may_have_happened_is_offered_too() {
    for home in homes() {
        let mortal = Mortal::of(&home.store);
        let host = home.host();
        let mut dying = host.clone();
        dying.store = mortal.clone();
        let (id, _running) = begun(&dying.runtime(), "async () => t.slowAdd({ n: 1, ms: 20000 })").await;
        until(|| (host.ledger.count("t", "slowAdd") == 1).then_some(())).await;
        mortal.die();
        let report = soon(host.runtime().rollback(&id)).await.unwrap();
        assert_eq!(lines(&report), ["0 t.slowAdd reverted"]);
        assert_eq!(host.ledger.undone("t", "slowAdd"), [json!({ "unknown": true })]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_of_a_rollback_that_fails_changes_nothing() {
    for home in homes() {
        let native = Native::new("h").on_execution_ended(|_, status| async move {
            if status == Status::RolledBack { panic!("a hook that panics") } else { Ok(()) }
        });
        let description = native.describe().await.unwrap();
        assert_eq!(description.hooks, Hooks { execution_ended: Flag::Yes, ..Hooks::default() });
        let host = home.host().with("h", Arc::new(native));
        let runtime = host.runtime();
        let id = id_of(&runtime.execute("async () => t.add({ n: 1 })").await.unwrap());
        assert_eq!(soon(runtime.rollback(&id)).await.unwrap().reverted(), 1);
        let record = record(&runtime, &id);
        assert_eq!(
            (record.execution.status, record.execution.owner, record.hooks.len()),
            (Status::RolledBack, None, 0)
        );
        assert_eq!(ends(&host), ["completed", "rolled_back"]);
    }
}
