//! Two processes on one file: what the second one may do to what the first one runs, and that neither disturbs the other.

use std::sync::Arc;

use codemode_conformance::fixtures::{EventKind, Ledger};
use codemode_conformance::harness::{error_of, id_of, result_of};
use codemode_runtime::{ErrorKind, ExecutionId, Outcome, Query, Runtime, Started, Status};

use crate::deeds::{Deed, abandon};
use crate::homes::{record, status};
use crate::kit::{Dice, Door, Place, asked, host_of, soon, until};
use crate::laws::Left;
use crate::races::{GATED, Scene, answers_fit, rounds, set};
use crate::second::Second;

/// The first process: this one.
struct First {
    place: Place,
    door: Arc<Door>,
    runtime: Runtime,
}

fn first() -> First {
    let place = Place::new();
    let (door, connector) = Door::new();
    let host = host_of(place.folder()).with("door", connector);
    First { runtime: host.runtime(), door, place }
}

impl First {
    async fn begins(&self, code: &str) -> (Started, ExecutionId) {
        let started = self.runtime.start(code).await.unwrap();
        let id = started.execution().unwrap().clone();
        (started, id)
    }

    /// What connectors of both processes were told of the end.
    fn ends(&self, id: &ExecutionId) -> Vec<String> {
        let events = self.ledger().events().into_iter();
        let ended = events.filter(|e| e.kind == EventKind::ExecutionEnded && e.execution == id.as_str());
        ended.map(|e| e.method).collect()
    }

    /// The lines of both processes.
    fn ledger(&self) -> Arc<Ledger> {
        Ledger::in_file(&self.place.folder().join("ledger")).unwrap()
    }
}

/// Covers WEAK-03, CONCURRENCY-03.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_from_another_process_is_stored_and_taken_at_the_next_pause() {
    let first = first();
    let mut second = Second::over(first.place.folder());
    let code = "async () => { const g = t.gate({ i: 5 }); await door.wait({}); return (await g).i; }";
    let (started, id) = first.begins(code).await;
    first.door.entered(1).await;
    asked(&first.runtime, &id, 1).await;
    assert_eq!(second.does(Deed::Approve, &id).await, "deferred");
    assert_eq!((status(&first.runtime, &id), first.ledger().count("t", "gate")), (Status::Running, 0));
    assert_eq!(second.does(Deed::Approve, &id).await, "refused not_resumable", "once is enough");
    first.door.let_go(1);
    assert_eq!(result_of(&soon(started.outcome()).await.unwrap()), "5");
    assert_eq!((record(&first.runtime, &id).execution.pass, first.ledger().count("t", "gate")), (2, 1));
    assert_eq!(first.ends(&id), ["completed"]);
}

/// Covers CONCURRENCY-03.
#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_from_another_process_counts_only_while_nothing_runs() {
    let first = first();
    let mut second = Second::over(first.place.folder());
    let (started, id) = first.begins("async () => { const w = door.wait({}); await t.gate({}); await w; }").await;
    first.door.entered(1).await;
    asked(&first.runtime, &id, 1).await;
    assert_eq!(second.does(Deed::Reject, &id).await, "rejected false");
    first.door.let_go(1);
    assert!(matches!(soon(started.outcome()).await.unwrap(), Outcome::Paused { .. }));
    assert_eq!(second.does(Deed::Reject, &id).await, "rejected true");
    assert_eq!((status(&first.runtime, &id), first.ends(&id)), (Status::Rejected, vec!["rejected".to_owned()]));
    assert_eq!(Deed::Approve.act(&first.runtime, &id).await, "refused not_resumable");
}

/// Covers WEAK-16, PRUNE-10.
#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_from_another_process_stops_the_pass_first() {
    let first = first();
    let mut second = Second::over(first.place.folder());
    for code in ["async () => t.hang()", "async () => { for (;;) await null; }", "async () => { for (;;) {} }"] {
        let (started, id) = first.begins(code).await;
        until(|| first.runtime.record(&id).unwrap().map(drop)).await;
        assert_eq!(second.does(Deed::Delete, &id).await, "deleted true", "{code}");
        let outcome = soon(started.outcome()).await.unwrap();
        assert_eq!(error_of(&outcome).kind, ErrorKind::Cancelled, "{code}");
        assert_eq!(first.runtime.record(&id).unwrap(), None);
        assert_eq!(first.ends(&id), ["error"]);
        assert_eq!(second.does(Deed::Delete, &id).await, "deleted false");
    }
}

/// Covers WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_from_another_process_stops_the_pass_and_undoes_what_it_did() {
    let first = first();
    let mut second = Second::over(first.place.folder());
    let (started, id) =
        first.begins("async () => { await t.add({ n: 1 }); await t.add({ n: 2 }); await t.hang(); }").await;
    asked(&first.runtime, &id, 2).await;
    assert_eq!(second.does(Deed::Rollback, &id).await, "undone 2 failed 0 rolled_back");
    assert_eq!(error_of(&soon(started.outcome()).await.unwrap()).kind, ErrorKind::Cancelled);
    assert_eq!((status(&first.runtime, &id), first.ledger().reverts("t", "add")), (Status::RolledBack, 2));
    assert_eq!(first.ends(&id), ["error", "rolled_back"]);
    let error = record(&first.runtime, &id).execution.error.unwrap();
    assert_eq!(error.kind, ErrorKind::Cancelled, "it says why it ended");
}

/// Covers EXPIRE-09, WEAK-14, DIFF-17.
#[tokio::test(flavor = "multi_thread")]
async fn another_process_expires_prunes_and_recovers_nothing_that_lives_here() {
    let first = first();
    let mut second = Second::over(first.place.folder());
    let (started, id) = first.begins("async () => { await t.add({ n: 1 }); return door.wait({ v: 7 }); }").await;
    first.door.entered(1).await;
    let paused = id_of(&first.runtime.execute(GATED).await.unwrap());
    for (deed, said) in [
        (Deed::Prune, "pruned 0"),
        (Deed::Expire, "expired false"),
        (Deed::Recover, "recovered nothing"),
        (Deed::Approve, "refused not_resumable"),
    ] {
        assert_eq!(second.does(deed, &id).await, said);
    }
    first.door.let_go(1);
    assert_eq!(result_of(&soon(started.outcome()).await.unwrap()), "7");
    assert_eq!((first.ledger().count("t", "add"), first.ends(&id)), (2, vec!["completed".to_owned()]));
    // What only waited was the second's to end.
    assert_eq!((status(&first.runtime, &paused), first.ends(&paused)), (Status::Rejected, vec!["rejected".to_owned()]));
}

/// Its process is gone: whoever is there may end it, and only once it is really gone.
///
/// Covers WEAK-14, EXPIRE-02.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_process_ran_can_be_expired_at_once() {
    let first = first();
    let mut second = Second::over(first.place.folder());
    second.told_to_run(1, "async () => { await t.add({ n: 1 }); await t.hang(); }");
    let id = until(|| first.runtime.executions(&Query::default()).unwrap().pop().map(|s| s.id)).await;
    asked(&first.runtime, &id, 1).await;
    assert_eq!(Deed::Expire.act(&first.runtime, &id).await, "expired false");
    second.kill();
    assert_eq!(Deed::Expire.act(&first.runtime, &id).await, "expired true");
    assert_eq!((status(&first.runtime, &id), first.ends(&id)), (Status::Error, vec!["error".to_owned()]));
}

/// Covers WEAK-24.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_process_had_printed_is_in_the_record() {
    let first = first();
    let mut second = Second::over(first.place.folder());
    let code = "async () => { console.log('one'); await t.add({ n: 1 }); console.log('two'); await t.hang(); }";
    second.told_to_run(1, code);
    let id = until(|| first.runtime.executions(&Query::default()).unwrap().pop().map(|s| s.id)).await;
    asked(&first.runtime, &id, 1).await;
    second.kill();
    let left = record(&first.runtime, &id).execution;
    assert_eq!((left.status, left.logs), (Status::Running, vec!["one".to_owned(), "two".to_owned()]));
}

/// However often the pass that was asked to stop pauses, and the next one begins, before it hears of it.
///
/// Covers WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_from_another_process_outlasts_many_short_passes() {
    let first = first();
    let mut second = Second::over(first.place.folder());
    let code = "async () => { for (let i = 0; ; i++) await t.gate({ i }); }";
    let id = id_of(&first.runtime.execute(code).await.unwrap());
    let approving = tokio::spawn({
        let (runtime, id) = (first.runtime.clone(), id.clone());
        async move {
            loop {
                let said = Deed::Approve.act(&runtime, &id).await;
                if said != "paused" {
                    return said;
                }
            }
        }
    });
    until(|| (record(&first.runtime, &id).execution.pass > 5).then_some(())).await;
    assert_eq!(second.does(Deed::Delete, &id).await, "deleted true");
    let last = soon(approving).await.unwrap();
    assert!(["refused not_resumable", "failed cancelled"].contains(&last.as_str()), "{last}");
    assert_eq!((first.runtime.record(&id).unwrap(), first.ends(&id).len()), (None, 1));
}

/// Both processes at once, each after a moment that differs from round to round.
async fn race(scene: Scene, deeds: [Deed; 2], times: usize) {
    let place = Place::new();
    let host = host_of(place.folder());
    let runtime = host.runtime();
    let mut second = Second::over(place.folder());
    let mut dice = Dice(deeds.iter().map(|d| *d as u64).sum::<u64>());
    for _ in 0..times {
        let id = set(scene, &host, &runtime).await;
        second.told(deeds[1], &id);
        for _ in 0..dice.below(6) * dice.below(60) {
            tokio::task::yield_now().await;
        }
        let mine = soon(deeds[0].act(&runtime, &id)).await;
        let said = vec![mine, tokio::task::block_in_place(|| second.hears())];
        until(|| {
            let at_rest = |e: &codemode_runtime::Execution| e.status != Status::Running && e.owner.is_none();
            runtime.record(&id).unwrap().is_none_or(|r| at_rest(&r.execution)).then_some(())
        })
        .await;
        let ledger = Ledger::in_file(&place.folder().join("ledger")).unwrap();
        let left = Left::of(&runtime, &ledger, &id);
        left.is_lawful(&said);
        answers_fit(scene, deeds, &said, &left);
        Deed::Delete.act(&runtime, &id).await;
    }
    assert_eq!(host.store.owned().unwrap(), []);
}

/// Covers BUG-APR-13, CONCURRENCY-03, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn decisions_of_two_processes_on_one_pause_have_one_winner() {
    use Deed::*;
    for deeds in [
        [Approve, Approve],
        [Approve, Reject],
        [Reject, Approve],
        [Approve, Expire],
        [Expire, Approve],
        [Reject, Expire],
    ] {
        race(Scene::Paused, deeds, rounds(12)).await;
    }
}

/// Covers CONCURRENCY-03, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn one_process_removes_or_undoes_what_the_other_decides_on() {
    use Deed::*;
    let pairs = [
        [Approve, Rollback],
        [Rollback, Approve],
        [Approve, Prune],
        [Approve, Delete],
        [Delete, Approve],
        [Rollback, Reject],
    ];
    for deeds in pairs {
        race(Scene::Paused, deeds, rounds(8)).await;
    }
}

/// Covers WEAK-14, WEAK-16, DIFF-17.
#[tokio::test(flavor = "multi_thread")]
async fn one_process_runs_a_pass_while_the_other_wants_something_of_it() {
    use Deed::*;
    for deed in [Rollback, Delete, Expire, Recover, Prune] {
        race(Scene::Running, [Nothing, deed], rounds(4)).await;
    }
}

/// Covers BUG-DUR-17, WEAK-14, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_take_one_lost_execution_once() {
    use Deed::*;
    for deeds in [[Recover, Recover], [Recover, Expire], [Recover, Rollback], [Delete, Recover], [Expire, Delete]] {
        race(Scene::Abandoned, deeds, rounds(8)).await;
    }
    for deeds in [[Delete, Rollback], [Rollback, Delete], [Rollback, Rollback], [Prune, Rollback]] {
        race(Scene::Ended, deeds, rounds(8)).await;
    }
}

/// Covers BUG-SQL-02.
#[tokio::test(flavor = "multi_thread")]
async fn two_busy_processes_keep_the_log_file_small_and_each_others_lock_short() {
    let place = Place::new();
    let host = host_of(place.folder());
    let runtime = host.runtime();
    let mut second = Second::over(place.folder());
    let code = "async () => { await t.echo({ s: 'x'.repeat(100000) }); await t.add({ n: 1 }); return 1; }";
    let times = rounds(150);
    second.told_to_run(times, code);
    let log = place.path().with_extension("db-wal");
    let mut largest = 0;
    for _ in 0..times {
        assert_eq!(result_of(&runtime.execute(code).await.unwrap()), "1");
        largest = largest.max(std::fs::metadata(&log).map_or(0, |m| m.len()));
    }
    assert_eq!(tokio::task::block_in_place(|| second.hears()), format!("completed {times}"));
    assert!(largest < 32 << 20, "the log file grew to {largest} bytes");
    assert_eq!(host.store.list(&Query { status: Some(Status::Running), ..Query::default() }).unwrap(), []);
    let ledger = Ledger::in_file(&place.folder().join("ledger")).unwrap();
    assert_eq!(ledger.count("t", "add"), 2 * times as u64);
}

/// The whole recovery at once, by both, of many: each execution is taken by one of them.
///
/// Covers BUG-DUR-17.
#[tokio::test(flavor = "multi_thread")]
async fn many_lost_executions_are_shared_out_between_those_who_recover() {
    let place = Place::new();
    let host = host_of(place.folder());
    let neighbour = host_of(place.folder());
    let (one, two) = (host.runtime(), neighbour.runtime());
    let mut lost = Vec::new();
    for _ in 0..20 {
        let id = id_of(&one.execute(GATED).await.unwrap());
        abandon(&host.store, &id);
        lost.push(id);
    }
    let recover = |runtime: &Runtime| {
        let runtime = runtime.clone();
        tokio::spawn(async move { runtime.recover().await.unwrap() })
    };
    let (a, b) = tokio::join!(recover(&one), recover(&two));
    let mut taken: Vec<_> = a.unwrap().into_iter().chain(b.unwrap()).map(|(id, _)| id).collect();
    taken.sort();
    lost.sort();
    assert_eq!(taken, lost, "each once");
    let ledger = Ledger::in_file(&place.folder().join("ledger")).unwrap();
    assert_eq!((ledger.count("t", "gate"), ledger.count("t", "add")), (20, 40));
    assert!(lost.iter().all(|id| status(&one, id) == Status::Completed));
}
