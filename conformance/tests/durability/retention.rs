//! RUN-06 and PRUNE: what has ended goes when enough others ended after it, and nothing else ever does.

use codemode_conformance::harness::{Host, anna, approve_all, id_of, journal_of, result_of};
use codemode_runtime::store::Summary;
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::{ErrorKind, ExecutionId, Outcome, Query, Runtime, SaveSnippet, Seq, Status};

use crate::books::Books;
use crate::dial::{START, dialled};
use crate::homes::{ends, homes, record, status};
use crate::kit::{Door, Place, rounds, soon};

const PUT: &str = "async () => shelf.put({ title: 'x' })";

fn listed(runtime: &Runtime) -> Vec<Summary> {
    runtime.executions(&Query::default()).unwrap()
}

fn ids(runtime: &Runtime) -> Vec<ExecutionId> {
    listed(runtime).into_iter().map(|s| s.id).collect()
}

/// The results of all that is listed, newest first.
fn results(runtime: &Runtime) -> Vec<String> {
    let result = |s: Summary| record(runtime, &s.id).execution.result.map_or(String::new(), |r| r.as_str().to_owned());
    listed(runtime).into_iter().map(result).collect()
}

async fn run(runtime: &Runtime, code: &str) -> ExecutionId {
    id_of(&runtime.execute(code).await.unwrap())
}

/// Runs `async () => n` for each.
async fn run_numbers(runtime: &Runtime, numbers: std::ops::Range<u32>) -> Vec<ExecutionId> {
    let mut ids = Vec::new();
    for n in numbers {
        ids.push(run(runtime, &format!("async () => {n}")).await);
    }
    ids
}

/// Covers PRUNE-01, PRUNE-11, runtime#17.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_removes_what_ended_before_the_newest_few() {
    for home in homes() {
        let host = home.host().limits(|l| l.executions = 2);
        let runtime = host.runtime();
        let gone = run_numbers(&runtime, 0..5).await;
        assert_eq!(results(&runtime), ["4", "3", "2"], "{}", home.name);
        assert_eq!(runtime.record(&gone[0]).unwrap(), None);
        assert_eq!(ends(&host), ["completed"; 5], "they were disposed of when they ended, once");
    }
}

/// Covers PRUNE-02.
#[tokio::test(flavor = "multi_thread")]
async fn by_default_fifty_are_kept_beside_the_one_that_ran_last() {
    for home in homes() {
        let runtime = home.host().runtime();
        assert_eq!(runtime.limits().executions, 50);
        run_numbers(&runtime, 0..51).await;
        assert_eq!(results(&runtime).len(), 51, "at the limit and one more");
        run_numbers(&runtime, 51..53).await;
        let results = results(&runtime);
        let (newest, oldest) = (results[0].as_str(), results[50].as_str());
        assert_eq!((results.len(), newest, oldest), (51, "52", "2"));
        assert_eq!(runtime.prune_executions(50).unwrap(), 1);
    }
}

/// Covers RUN-06.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_execution_is_there_before_older_ones_go() {
    for home in homes() {
        let (door, connector) = Door::new();
        let (host, dial) = dialled(home.host().with("door", connector).limits(|l| l.executions = 1));
        let runtime = host.runtime();
        let old = run_numbers(&runtime, 0..2).await;
        assert_eq!(ids(&runtime), [old[1].clone(), old[0].clone()]);
        dial.pass(5);
        let started = runtime.start("async () => door.wait({ v: 1 })").await.unwrap();
        let id = started.execution().unwrap().clone();
        door.entered(1).await;
        let begun = record(&runtime, &id).execution;
        assert_eq!((begun.status, begun.start.created_at, begun.updated_at), (Status::Running, START + 5, START + 5));
        assert_eq!(ids(&runtime), [id, old[1].clone()], "it runs, and does not count");
        door.let_go(1);
        soon(started.outcome()).await.unwrap();
    }
}

/// What is not stored removes nothing.
///
/// Covers RUN-06.
#[tokio::test(flavor = "multi_thread")]
async fn code_that_is_refused_before_it_is_stored_removes_nothing() {
    for home in homes() {
        let host = home.host();
        run_numbers(&host.runtime(), 0..3).await;
        let strict = host.clone().limits(|l| (l.executions, l.code_units) = (0, 20)).runtime();
        let refused = strict.execute("async () => 'more than twenty'").await.unwrap();
        assert_eq!((refused.execution(), listed(&strict).len()), (None, 3));
        // What does not parse is stored, and counts as a start.
        let broken = strict.execute("async () => {{").await.unwrap();
        assert_eq!(ids(&strict), [id_of(&broken)]);
    }
}

/// Covers PRUNE-03, PRUNE-11, DIFF-06.
#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_end_counts() {
    for home in homes() {
        let host = home.host().limits(|l| l.executions = 2);
        let runtime = host.runtime();
        for _ in 0..5 {
            let id = run(&runtime, PUT).await;
            assert!(runtime.reject(&id, Seq(0), anna()).await.unwrap());
        }
        assert_eq!(listed(&runtime).len(), 3);
        assert_eq!(runtime.prune_executions(0).unwrap(), 3);

        let roomy = host.clone().limits(|l| l.executions = 50).runtime();
        run(&roomy, "async () => 1").await;
        run(&roomy, "async () => { throw new Error('no'); }").await;
        run(&roomy, "not code {{").await;
        let rejected = run(&roomy, PUT).await;
        assert!(roomy.reject(&rejected, Seq(0), anna()).await.unwrap());
        let expired = run(&roomy, PUT).await;
        assert_eq!(roomy.expire_paused(0).await.unwrap(), [expired]);
        let undone = run(&roomy, "async () => shelf.jot({ text: 'a' })").await;
        assert_eq!(roomy.rollback(&undone).await.unwrap().status, Some(Status::RolledBack));
        let disposed = ends(&host);
        assert_eq!((roomy.prune_executions(3).unwrap(), roomy.prune_executions(0).unwrap()), (3, 3));
        assert_eq!((listed(&roomy), ends(&host)), (vec![], disposed));
    }
}

/// Covers PRUNE-04, EXPIRE-10.
#[tokio::test(flavor = "multi_thread")]
async fn what_has_not_ended_stays_however_many_come_after_it() {
    for home in homes() {
        let (door, connector) = Door::new();
        let (host, dial) = dialled(home.host().with("door", connector).limits(|l| l.executions = 1));
        let runtime = host.runtime();
        let mut waiting = Vec::new();
        for _ in 0..3 {
            waiting.push(run(&runtime, PUT).await);
        }
        let running = runtime.start("async () => door.wait({ v: 'ran' })").await.unwrap();
        waiting.push(running.execution().unwrap().clone());
        door.entered(1).await;
        dial.pass(365 * 86_400_000);
        run_numbers(&runtime, 0..20).await;
        assert_eq!(runtime.prune_executions(0).unwrap(), 2);
        waiting.reverse();
        assert_eq!(ids(&runtime), waiting, "{}", home.name);
        door.let_go(1);
        assert_eq!(result_of(&soon(running.outcome()).await.unwrap()), "\"ran\"");
        let paused = Outcome::Paused { execution: waiting[3].clone(), pending: Vec::new(), calls: Vec::new() };
        assert!(matches!(approve_all(&runtime, paused).await, Outcome::Completed { .. }));
    }
}

/// Covers PRUNE-05, PRUNE-07.
#[tokio::test(flavor = "multi_thread")]
async fn pruning_says_how_many_are_gone() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        run_numbers(&runtime, 0..3).await;
        assert_eq!((runtime.prune_executions(3).unwrap(), listed(&runtime).len()), (0, 3));
        assert_eq!((runtime.prune_executions(1).unwrap(), results(&runtime)), (2, vec!["2".to_owned()]));
        assert_eq!((runtime.prune_executions(0).unwrap(), listed(&runtime)), (1, vec![]));
        assert_eq!(runtime.prune_executions(0).unwrap(), 0);

        let keeps_none = host.clone().limits(|l| l.executions = 0).runtime();
        run_numbers(&keeps_none, 1..3).await;
        assert_eq!(results(&keeps_none), ["2"], "the one that just ended stays until the next start");
    }
}

/// Covers PRUNE-06, BUG-SQL-09.
#[tokio::test(flavor = "multi_thread")]
async fn an_execution_that_waited_long_is_as_new_as_its_end() {
    for home in homes() {
        let (host, dial) = dialled(home.host().limits(|l| l.executions = 5));
        let runtime = host.runtime();
        let code = "async () => { await shelf.jot({ text: 'a' }); return shelf.put({ title: 'x' }); }";
        let old = runtime.execute(code).await.unwrap();
        let id = id_of(&old);
        dial.pass(3 * 86_400_000);
        run_numbers(&runtime, 0..20).await;
        dial.pass(1);
        approve_all(&runtime, old).await;
        run_numbers(&runtime, 20..21).await;
        assert_eq!(ids(&runtime).last(), Some(&id), "listed by its beginning, kept by its end");
        assert_eq!(journal_of(&runtime, &id), ["0 shelf.jot applied", "1 shelf.put applied"]);
        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!((report.reverted(), status(&runtime, &id)), (2, Status::RolledBack));
        // Five that ended after it, and it is gone: undoing it made it no younger.
        dial.pass(1);
        run_numbers(&runtime, 21..27).await;
        assert_eq!(runtime.record(&id).unwrap(), None, "{}", home.name);
    }
}

/// Covers BUG-SQL-09.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_being_undone_stays_until_that_is_done() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let runtime = host.runtime();
        let id = run(&runtime, "async () => books.write({ n: 1, revert: 'waits' })").await;
        let undoing = tokio::spawn({
            let (runtime, id) = (runtime.clone(), id.clone());
            async move { runtime.rollback(&id).await.unwrap() }
        });
        books.entered().await;
        let mut neighbour = host.clone();
        neighbour.store = home.opened_again();
        assert_eq!((runtime.prune_executions(0).unwrap(), neighbour.runtime().prune_executions(0).unwrap()), (0, 0));
        books.let_go();
        assert_eq!(soon(undoing).await.unwrap().reverted(), 1);
        assert_eq!(ends(&host), ["completed", "rolled_back"]);
        assert_eq!((runtime.prune_executions(0).unwrap(), listed(&runtime)), (1, vec![]));
    }
}

/// Covers BUG-SQL-09.
#[tokio::test(flavor = "multi_thread")]
async fn prunings_and_starts_at_once_remove_no_more_than_asked() {
    for home in homes() {
        let host = home.host().limits(|l| l.executions = 4);
        let mut neighbour = host.clone();
        neighbour.store = home.opened_again();
        let (one, two) = (host.runtime(), neighbour.runtime());
        for _ in 0..rounds(100, 10) {
            one.prune_executions(0).unwrap();
            run_numbers(&host.clone().limits(|l| l.executions = 50).runtime(), 0..10).await;
            let prune = |runtime: &Runtime| {
                let runtime = runtime.clone();
                tokio::spawn(async move { runtime.prune_executions(4).unwrap() })
            };
            let start = |runtime: &Runtime| {
                let runtime = runtime.clone();
                tokio::spawn(async move { run(&runtime, "async () => 'late'").await })
            };
            let (a, b, c, d) = tokio::join!(prune(&one), prune(&two), start(&one), start(&two));
            assert!(a.unwrap() + b.unwrap() <= 8);
            let left = ids(&one);
            // The last start may have seen the other one ended already; whoever ended since then is above the limit.
            assert!((4..=6).contains(&left.len()), "{}", left.len());
            assert!(left.contains(&c.unwrap()) && left.contains(&d.unwrap()), "what ended last is there");
        }
    }
}

/// Covers PRUNE-08.
#[tokio::test(flavor = "multi_thread")]
async fn a_snippet_outlives_the_execution_that_it_was_made_of() {
    for home in homes() {
        let runtime = home.host().runtime();
        let id = run(&runtime, "async (n) => (n ?? 1) * 2").await;
        runtime.save_snippet("twice", SaveSnippet::from(id.clone())).unwrap();
        let deleted = run(&runtime, "async () => 'kept'").await;
        runtime.save_snippet("kept", SaveSnippet::from(deleted.clone())).unwrap();
        assert!(runtime.delete(&deleted).await.unwrap());
        assert_eq!(runtime.prune_executions(0).unwrap(), 1);
        assert_eq!(runtime.record(&id).unwrap(), None);
        let code = "async () => [await codemode.run('twice', 21), await codemode.run('kept')]";
        let runs = runtime.execute(code).await.unwrap();
        assert_eq!(result_of(&runs), r#"[42,"kept"]"#);
    }
}

/// Covers WEAK-35.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_executions_of_one_millisecond_keep_their_order() {
    for home in homes() {
        let (host, dial) = dialled(home.host().limits(|l| l.executions = 1_000));
        let runtime = host.runtime();
        let mut begun = run_numbers(&runtime, 0..100).await;
        // A clock that is set back changes nothing about it.
        dial.set(START - 1_000_000);
        begun.extend(run_numbers(&runtime, 100..105).await);
        begun.reverse();
        assert_eq!(ids(&runtime), begun);
        let by_end: Vec<_> = listed(&runtime).iter().map(|s| s.ended_at).collect();
        assert_eq!((by_end[0], by_end[5]), (Some(START - 1_000_000), Some(START)));
        // Those that seem to have ended first go first, and of one millisecond those that began first.
        assert_eq!(runtime.prune_executions(40).unwrap(), 65);
        assert_eq!(ids(&runtime), begun[5..45]);
    }
}

/// Covers BUG-DUR-23.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_pruned_leaves_no_row_and_the_file_stops_growing() {
    let place = Place::new();
    let host: Host = place.host().limits(|l| l.executions = 10_000);
    let runtime = host.runtime();
    let code = "async () => {
        for (let i = 0; i < 30; i++) { await t.echo({ i, pad: 'x'.repeat(100) }); console.log('line', i); }
        for (const s of ['a', 'b', 'c']) await codemode.step(s, () => s.repeat(50));
        await t.gate({});
        return 1; }";
    let mut sizes = Vec::new();
    for round in 0..rounds(20, 8) {
        for _ in 0..rounds(200, 20) {
            let paused = runtime.execute(code).await.unwrap();
            approve_all(&runtime, paused).await;
        }
        runtime.prune_executions(10).unwrap();
        let kept = ids(&runtime);
        assert_eq!(kept.len(), 10, "round {round}");
        for id in &kept[..5] {
            assert!(runtime.delete(id).await.unwrap());
        }
        for id in &kept[5..] {
            let left = record(&runtime, id);
            assert_eq!((left.entries.len(), left.execution.logs.len()), (34, 60));
        }
        let looks = SqliteStore::open(place.path(), Default::default()).unwrap();
        assert_eq!(looks.integrity_check(), Ok(vec![]), "no row belongs to nothing");
        drop(looks);
        sizes.push(std::fs::metadata(place.path()).unwrap().len());
    }
    assert_eq!((runtime.prune_executions(0).unwrap(), listed(&runtime)), (5, vec![]));
    let (settled, last) = (sizes[sizes.len() / 2], sizes[sizes.len() - 1]);
    assert!(last <= settled + settled / 10, "it grows with each round: {sizes:?}");
}

/// It is not read from the record.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_for_an_outcome_gets_it_although_its_record_is_pruned() {
    for home in homes() {
        let host = home.host().limits(|l| l.executions = 0);
        let runtime = host.runtime();
        let together = (0..30).map(|n| {
            let runtime = runtime.clone();
            tokio::spawn(
                async move { runtime.execute(format!("async () => (await t.add({{ n: {n} }})).n")).await.unwrap() },
            )
        });
        for (n, task) in together.collect::<Vec<_>>().into_iter().enumerate() {
            assert_eq!(result_of(&soon(task).await.unwrap()), n.to_string());
        }
        let (late, gone) = (run(&runtime, "async () => 1").await, run(&runtime, "async () => 2").await);
        let refused = runtime.approve(&late, codemode_runtime::Picks::AllPending, anna()).await.unwrap();
        assert!(matches!(&refused, Outcome::Failed { error, .. } if error.kind == ErrorKind::NotResumable));
        assert_eq!((ids(&runtime), ends(&host).len()), (vec![gone], 32));
    }
}
