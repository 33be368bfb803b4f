//! Two people do something to one execution at the same moment, as often as it takes to meet in every order: through one
//! runtime, through two over one store, and through two handles on one file.
//!
//! `CODEMODE_ROUNDS` sets how often each pair races; the default is small.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codemode_conformance::harness::{Host, id_of};
use codemode_runtime::{ExecutionId, Runtime, Status};
use tokio::sync::Barrier;

use crate::deeds::{Deed, abandon};
use crate::homes::{Home, homes};
use crate::kit::{Dice, Door, soon};
use crate::laws::{Left, moved_lawfully};

/// Three calls that can be undone, the second of which waits for a person.
pub(crate) const GATED: &str =
    "async () => { await t.add({ n: 1 }); await t.gate({ n: 2 }); return (await t.add({ n: 3 })).n; }";

/// Where an execution stands when they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scene {
    /// It waits for a person.
    Paused,
    /// A pass runs, with calls that take a moment.
    Running,
    /// It completed.
    Ended,
    /// The process that took the approval is gone.
    Abandoned,
}

pub(crate) fn rounds(by_default: usize) -> usize {
    std::env::var("CODEMODE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(by_default)
}

/// Brings an execution to where it is to stand.
pub(crate) async fn set(scene: Scene, host: &Host, runtime: &Runtime) -> ExecutionId {
    if scene == Scene::Running {
        let code = "async () => { for (let n = 0; n < 4; n++) await t.slowAdd({ ms: 1, n }); return 1; }";
        let id = runtime.start(code).await.unwrap().execution().unwrap().clone();
        // Also for whoever looks from another side: who reads here sees it there.
        assert!(runtime.record(&id).unwrap().is_some());
        return id;
    }
    let id = id_of(&runtime.execute(GATED).await.unwrap());
    match scene {
        Scene::Ended => assert_eq!(Deed::Approve.act(runtime, &id).await, "completed"),
        Scene::Abandoned => abandon(&host.store, &id),
        Scene::Paused | Scene::Running => {}
    }
    id
}

/// Both at once, each after a moment that differs from round to round.
async fn meet(doors: [&Runtime; 2], deeds: [Deed; 2], id: &ExecutionId, dice: &mut Dice) -> Vec<String> {
    let start = Arc::new(Barrier::new(2));
    let acting = [0, 1].map(|n| {
        let (start, runtime, id, deed) = (start.clone(), doors[n].clone(), id.clone(), deeds[n]);
        let moments = dice.below(6) * dice.below(40);
        tokio::spawn(async move {
            start.wait().await;
            for _ in 0..moments {
                std::hint::spin_loop();
                tokio::task::yield_now().await;
            }
            deed.act(&runtime, &id).await
        })
    });
    let mut said = Vec::new();
    for one in acting {
        said.push(soon(one).await.unwrap());
    }
    said
}

/// Waits until nobody works on it, and gives the statuses that were seen on the way.
async fn come_to_rest(runtime: &Runtime, id: &ExecutionId) {
    crate::kit::until(|| {
        let record = runtime.record(id).unwrap();
        record.is_none_or(|r| r.execution.status != Status::Running && r.execution.owner.is_none()).then_some(())
    })
    .await;
}

/// Looks at the status all the time until it is told to stop; gives each change that it saw.
fn watch(runtime: &Runtime, id: &ExecutionId) -> (Arc<AtomicBool>, std::thread::JoinHandle<Vec<Status>>) {
    let stop = Arc::new(AtomicBool::new(false));
    let (runtime, id, stopped) = (runtime.clone(), id.clone(), stop.clone());
    let watching = std::thread::spawn(move || {
        let mut seen: Vec<Status> = Vec::new();
        loop {
            let last = stopped.load(Ordering::SeqCst);
            if let Some(record) = runtime.record(&id).unwrap()
                && seen.last() != Some(&record.execution.status)
            {
                seen.push(record.execution.status);
            }
            if last {
                return seen;
            }
            std::thread::yield_now();
        }
    });
    (stop, watching)
}

/// What the answers say about each other and about what is left.
pub(crate) fn answers_fit(scene: Scene, deeds: [Deed; 2], said: &[String], left: &Left) {
    let context = format!("{scene:?} {deeds:?}: {said:?} left {:?}", left.status());
    let count = |answer: &str| said.iter().filter(|s| *s == answer).count();
    // Of those who decide, one wins.
    let winners = count("completed") + count("rejected true") + count("expired true") + count("recovered completed");
    assert!(winners <= 1, "{context}");
    if count("rejected true") + count("expired true") == 1 {
        assert_eq!(left.gates(), 0, "{context}");
    }
    if count("completed") == 1 {
        assert_eq!(left.gates(), 1, "{context}");
    }
    // Whoever lost is told that there was nothing to decide, or what became of the pass that they had begun.
    let honest = ["refused not_resumable", "failed cancelled", "completed", "recovered failed cancelled"];
    for word in said.iter().filter(|s| ["refused", "failed", "recovered failed"].iter().any(|w| s.starts_with(w))) {
        assert!(honest.contains(&word.as_str()), "{context}");
    }
    if scene != Scene::Running && !matches!(left.status(), None | Some(Status::Error | Status::RolledBack)) {
        assert_eq!(left.gates(), usize::from(left.status() == Some(Status::Completed)), "{context}");
    }
    let deleted = count("deleted true");
    if deeds.contains(&Deed::Delete) {
        assert_eq!(left.status(), None, "{context}");
        assert!(deleted == 1 || deeds.contains(&Deed::Prune), "one of them deleted it: {context}");
    }
    let pruned = count("pruned 1");
    assert!(deleted + pruned <= 1, "{context}");
    assert_eq!(left.status().is_none(), deleted + pruned == 1, "{context}");
    let undone: usize =
        said.iter().filter_map(|s| s.strip_prefix("undone ")?.split(' ').next()?.parse::<usize>().ok()).sum();
    assert_eq!(undone, left.undone(), "{context}");
    if undone > 0 && left.record.is_some() {
        assert_eq!(left.status(), Some(Status::RolledBack), "{context}");
    }
}

/// Races one pair in one home.
async fn race(home: &Home, scene: Scene, deeds: [Deed; 2], times: usize) {
    let mut dice = Dice(u64::from(scene as u8) * 1_000 + deeds.iter().map(|d| *d as u64).sum::<u64>());
    let host = home.host();
    let mut neighbour = host.clone();
    neighbour.store = home.opened_again();
    let (one, same, other) = (host.runtime(), host.runtime(), neighbour.runtime());
    for round in 0..times {
        let doors = [[&one, &one], [&one, &same], [&one, &other]][round % 3];
        let id = set(scene, &host, &one).await;
        let (stop, watching) = watch(&same, &id);
        let said = meet(doors, deeds, &id, &mut dice).await;
        come_to_rest(&one, &id).await;
        stop.store(true, Ordering::SeqCst);
        moved_lawfully(&watching.join().unwrap());
        let left = Left::of(&one, &host.ledger, &id);
        left.is_lawful(&said);
        answers_fit(scene, deeds, &said, &left);
        // Nothing of it disturbs the next round.
        Deed::Delete.act(&one, &id).await;
        assert!(one.executions(&Default::default()).unwrap().is_empty(), "{scene:?} {deeds:?}");
    }
}

async fn races(scene: Scene, pairs: &[[Deed; 2]], times: usize) {
    for home in homes() {
        for deeds in pairs {
            race(&home, scene, *deeds, rounds(times)).await;
        }
    }
}

/// Covers BUG-APR-13, CONCURRENCY-03, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn decisions_on_one_pause_have_one_winner() {
    use Deed::*;
    let pairs = [
        [Approve, Approve],
        [Approve, Reject],
        [Approve, Expire],
        [Reject, Expire],
        [Reject, Reject],
        [Expire, Expire],
    ];
    races(Scene::Paused, &pairs, 30).await;
}

/// Covers CONCURRENCY-03, CONCURRENCY-04, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_removes_or_undoes_a_pause_meets_whoever_decides_on_it() {
    use Deed::*;
    let pairs = [
        [Rollback, Approve],
        [Rollback, Reject],
        [Rollback, Expire],
        [Rollback, Delete],
        [Rollback, Rollback],
        [Prune, Approve],
        [Prune, Rollback],
        [Delete, Approve],
        [Delete, Reject],
        [Delete, Expire],
        [Delete, Delete],
        [Delete, Prune],
    ];
    races(Scene::Paused, &pairs, 21).await;
}

/// Covers WEAK-14, WEAK-16, DIFF-17.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_that_runs_meets_everybody() {
    use Deed::*;
    let pairs = [
        [Nothing, Rollback],
        [Nothing, Delete],
        [Nothing, Expire],
        [Nothing, Recover],
        [Nothing, Reject],
        [Nothing, Approve],
        [Nothing, Prune],
        [Rollback, Rollback],
        [Rollback, Delete],
        [Delete, Delete],
        [Expire, Rollback],
    ];
    races(Scene::Running, &pairs, 9).await;
}

/// Covers WEAK-16, BUG-SQL-09.
#[tokio::test(flavor = "multi_thread")]
async fn what_has_ended_is_undone_or_removed_by_one() {
    use Deed::*;
    let pairs = [
        [Delete, Rollback],
        [Prune, Rollback],
        [Rollback, Rollback],
        [Delete, Prune],
        [Delete, Delete],
        [Prune, Prune],
        [Approve, Delete],
        [Approve, Rollback],
        [Reject, Rollback],
    ];
    races(Scene::Ended, &pairs, 21).await;
}

/// Covers WEAK-14, BUG-DUR-17.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_lost_process_left_is_taken_by_one() {
    use Deed::*;
    let pairs = [
        [Recover, Recover],
        [Recover, Expire],
        [Recover, Delete],
        [Recover, Rollback],
        [Recover, Prune],
        [Expire, Expire],
        [Expire, Delete],
        [Expire, Rollback],
        [Delete, Rollback],
        [Delete, Delete],
    ];
    races(Scene::Abandoned, &pairs, 21).await;
}

/// The pass that the first one began may take as long as it likes.
///
/// Covers APPROVE-15, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_decides_second_is_told_at_once_and_not_when_the_pass_has_ended() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector).limits(|l| l.cancel_ms = 100);
        let runtime = host.runtime();
        for _ in 0..rounds(40) {
            let code = "async () => { await t.gate({}); return door.wait({ v: 1 }); }";
            let id = id_of(&runtime.execute(code).await.unwrap());
            let start = Arc::new(Barrier::new(6));
            let (sender, mut answers) = tokio::sync::mpsc::channel(6);
            for _ in 0..6 {
                let (start, runtime, id, sender) = (start.clone(), runtime.clone(), id.clone(), sender.clone());
                tokio::spawn(async move {
                    start.wait().await;
                    sender.send(Deed::Approve.act(&runtime, &id).await).await.unwrap();
                });
            }
            for _ in 0..5 {
                assert_eq!(soon(answers.recv()).await.unwrap(), "refused not_resumable");
            }
            door.entered(1).await;
            door.let_go(1);
            assert_eq!(soon(answers.recv()).await.unwrap(), "completed");
        }
    }
}
