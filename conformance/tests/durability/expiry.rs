//! EXPIRE, item by item: what nobody decided in time ends, and what somebody works on never does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{anna, approve_seq, error_of, id_of, journal_of, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::retention::MAX_AGE_MS;
use codemode_runtime::{ErrorKind, ExecutionId, Picks, Query, Runtime, Status};
use tokio::sync::Barrier;

use crate::dial::{START, dialled};
use crate::homes::{ends, homes, pass_ends, record, status};
use crate::kit::{Door, asked, soon, the_execution, until};
use crate::mortal::Mortal;

const PUT: &str = "async () => shelf.put({ title: 'x' })";
const DAY: u64 = 86_400_000;

async fn paused(runtime: &Runtime) -> ExecutionId {
    id_of(&runtime.execute(PUT).await.unwrap())
}

async fn expire(runtime: &Runtime, max_age_ms: u64) -> Vec<ExecutionId> {
    soon(runtime.expire_paused(max_age_ms)).await.unwrap()
}

/// Covers EXPIRE-01, EXPIRE-03, WEAK-36.
#[tokio::test(flavor = "multi_thread")]
async fn a_pause_is_stale_from_the_last_millisecond_of_its_day_on() {
    for home in homes() {
        let (host, dial) = dialled(home.host());
        let runtime = host.runtime();
        let id = paused(&runtime).await;
        assert_eq!(MAX_AGE_MS, DAY);
        assert_eq!(expire(&runtime, MAX_AGE_MS).await, []);
        dial.pass(DAY - 1);
        assert_eq!((expire(&runtime, MAX_AGE_MS).await, status(&runtime, &id)), (vec![], Status::Paused));
        dial.pass(1);
        assert_eq!(expire(&runtime, MAX_AGE_MS).await, std::slice::from_ref(&id));
        assert_eq!(record(&runtime, &id).execution.ended_at, Some(START + DAY));
        // An age of zero takes what paused in this very millisecond.
        let id = paused(&runtime).await;
        assert_eq!(expire(&runtime, 0).await, [id]);
        // An age before the beginning of time takes nothing.
        paused(&runtime).await;
        assert_eq!(expire(&runtime, u64::MAX).await, []);
    }
}

/// Covers EXPIRE-02, EXPIRE-04, EXPIRE-05, EXPIRE-06, EXPIRE-07, EXPIRE-08, DIFF-08, runtime#32.
#[tokio::test(flavor = "multi_thread")]
async fn a_stale_pause_ends_as_rejected_and_cannot_be_revived() {
    for home in homes() {
        let (host, dial) = dialled(home.host());
        let runtime = host.runtime();
        let code = "async () => { await shelf.jot({ text: 'a' }); await shelf.put({ title: 'x' }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        assert_eq!(expire(&runtime, 60_000).await, []);
        assert_eq!((status(&runtime, &id), ends(&host)), (Status::Paused, vec![]));
        dial.pass(60_000);
        assert_eq!(expire(&runtime, 60_000).await, std::slice::from_ref(&id));

        let after = record(&runtime, &id);
        let error = after.execution.error.clone().unwrap();
        assert_eq!((after.execution.status, error.kind), (Status::Rejected, ErrorKind::Expired));
        assert!(error.message.starts_with("Expired awaiting approval"), "{error:?}");
        assert_eq!((after.execution.owner, &after.hooks[..]), (None, &[][..]));
        assert_eq!(journal_of(&runtime, &id), ["0 shelf.jot applied", "1 shelf.put reverted"]);
        assert_eq!(runtime.pending(None).unwrap(), []);
        assert_eq!(host.ledger.hooks(EventKind::ExecutionEnded, "shelf"), [(id.to_string(), "rejected".to_owned())]);
        assert_eq!(pass_ends(&host), ["1 paused"], "that was no end of a pass");

        assert_eq!(expire(&runtime, 0).await, [], "it has ended already");
        let late = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
        assert_eq!(error_of(&late).message, format!("execution {id} is not paused: its status is rejected"));
        assert!(!runtime.reject(&id, codemode_runtime::Seq(1), anna()).await.unwrap());
        assert_eq!(record(&runtime, &id), after);
        assert_eq!((ends(&host).len(), host.ledger.count("shelf", "put")), (1, 0));
    }
}

/// Covers EXPIRE-02, EXPIRE-06, DIFF-08, REPLAY-27, runtime#33.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_lost_process_left_running_ends_as_error_when_it_is_old_enough() {
    for home in homes() {
        let (host, dial) = dialled(home.host());
        let mut lost = host.clone();
        let mortal = Mortal::of(&home.store);
        lost.store = mortal.clone();
        let before = lost.runtime();
        let code = "async () => { await shelf.jot({ text: 'a' }); await t.hang(); }";
        drop(before.start(code).await.unwrap());
        let id = the_execution(&before).await;
        asked(&before, &id, 1).await;
        mortal.die();

        let runtime = host.runtime();
        let refused = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
        assert_eq!(error_of(&refused).message, format!("execution {id} is not paused: its status is running"));
        dial.pass(59_999);
        assert_eq!((expire(&runtime, 60_000).await, status(&runtime, &id)), (vec![], Status::Running));
        dial.pass(1);
        assert_eq!(expire(&runtime, 60_000).await, std::slice::from_ref(&id));
        let after = record(&runtime, &id).execution;
        let error = after.error.unwrap();
        assert_eq!((after.status, error.kind, after.owner), (Status::Error, ErrorKind::Expired, None));
        assert!(error.message.starts_with("Expired while running"), "{error:?}");
        assert_eq!(host.ledger.hooks(EventKind::ExecutionEnded, "shelf"), [(id.to_string(), "error".to_owned())]);
        assert_eq!(journal_of(&runtime, &id), ["0 shelf.jot applied", "1 t.hang reverted"]);
        assert_eq!(expire(&runtime, 0).await, []);
        assert_eq!(ends(&host), ["error"]);
    }
}

/// Nobody knows whether it happened, and the end of the execution does not change that.
///
/// Covers EXPIRE-02.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_doubt_stays_in_doubt_when_its_execution_expires() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let mut lost = host.clone();
        let mortal = Mortal::of(&home.store);
        lost.store = mortal.clone();
        let before = lost.runtime();
        drop(before.start("async () => door.work({ v: 1 })").await.unwrap());
        let id = the_execution(&before).await;
        door.entered(1).await;
        mortal.die();

        let runtime = host.runtime();
        assert_eq!(expire(&runtime, 0).await, std::slice::from_ref(&id));
        assert_eq!(
            (status(&runtime, &id), journal_of(&runtime, &id)),
            (Status::Error, vec!["0 door.work unknown".into()])
        );
        let doubts = runtime.unresolved(None).unwrap();
        assert_eq!(doubts.iter().map(|c| (&c.execution, c.seq.0)).collect::<Vec<_>>(), [(&id, 0)]);
    }
}

/// Covers EXPIRE-09, WEAK-14, DIFF-17.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_that_lives_is_never_expired_however_slow_it_is() {
    for home in homes() {
        let (door, connector) = Door::new();
        let (host, dial) = dialled(home.host().with("door", connector));
        let mut neighbour = host.clone();
        neighbour.store = home.opened_again();
        let (runtime, same_process, other_process) = (host.runtime(), host.runtime(), neighbour.runtime());
        let running = tokio::spawn({
            let runtime = runtime.clone();
            async move { runtime.execute("async () => door.wait({ v: 7 })").await.unwrap() }
        });
        door.entered(1).await;
        dial.pass(30 * DAY);
        for anybody in [&runtime, &same_process, &other_process] {
            assert_eq!(expire(anybody, 0).await, [], "{}", home.name);
        }
        door.let_go(1);
        assert_eq!(result_of(&soon(running).await.unwrap()), "7");
        assert_eq!((ends(&host), pass_ends(&host)), (vec!["completed".to_owned()], vec!["1 completed".to_owned()]));
    }
}

/// Its hooks may take their time; when they are done it is at rest, and may expire.
///
/// Covers WEAK-14.
#[tokio::test(flavor = "multi_thread")]
async fn a_pause_whose_hooks_still_run_is_not_expired_yet() {
    for home in homes() {
        let (door, _) = Door::new();
        let host = home.host().with("slow", slow_to_end(&door));
        let runtime = host.runtime();
        let running = tokio::spawn({
            let runtime = runtime.clone();
            async move { runtime.execute(PUT).await.unwrap() }
        });
        door.entered(1).await;
        let id = the_execution(&runtime).await;
        assert_eq!(status(&runtime, &id), Status::Paused);
        assert_eq!(expire(&host.runtime(), 0).await, []);
        door.let_go(1);
        assert_eq!(id_of(&soon(running).await.unwrap()), id);
        assert_eq!(expire(&host.runtime(), 0).await, [id]);
    }
}

/// A connector whose hook after a pass waits at the door.
fn slow_to_end(door: &Arc<Door>) -> Arc<Native> {
    let door = door.clone();
    Arc::new(Native::new("slow").method(Method::read("x"), |_, _| async { Ok(()) }).on_pass_ended(move |_, _, _| {
        let door = door.clone();
        async move {
            door.stand().await;
            Ok(())
        }
    }))
}

/// Covers EXPIRE-03.
#[tokio::test(flavor = "multi_thread")]
async fn age_counts_from_the_last_change_of_row_or_journal() {
    for home in homes() {
        let (door, connector) = Door::new();
        let (host, dial) = dialled(home.host().with("door", connector));
        let runtime = host.runtime();
        // Approved and paused again: as young as its second pause.
        let twice = "async () => { await shelf.put({ title: 'a' }); await shelf.put({ title: 'b' }); }";
        let id = id_of(&runtime.execute(twice).await.unwrap());
        dial.pass(50);
        approve_seq(&runtime, &id, 0).await;
        dial.pass(59);
        assert_eq!(expire(&runtime, 60).await, []);
        dial.pass(1);
        assert_eq!(expire(&runtime, 60).await, [id]);

        // A call that was recorded in a pass that was lost: as young as its answer.
        let mut lost = host.clone();
        let mortal = Mortal::of(&home.store);
        lost.store = mortal.clone();
        let before = lost.runtime();
        drop(before.start("async () => { await door.wait({}); await door.wait({}); }").await.unwrap());
        door.entered(1).await;
        dial.pass(50);
        door.let_go(1);
        door.entered(1).await;
        mortal.die();
        dial.pass(59);
        assert_eq!(expire(&runtime, 60).await, []);
        dial.pass(1);
        assert_eq!(expire(&runtime, 60).await.len(), 1);
    }
}

/// Covers EXPIRE-06.
#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_names_exactly_what_it_ended_newest_first() {
    for home in homes() {
        let (host, dial) = dialled(home.host());
        let runtime = host.runtime();
        let done = id_of(&runtime.execute("async () => 1").await.unwrap());
        let old = [paused(&runtime).await, paused(&runtime).await, paused(&runtime).await];
        assert!(runtime.reject(&old[1], codemode_runtime::Seq(0), anna()).await.unwrap());
        dial.pass(100);
        let young = paused(&runtime).await;
        assert_eq!(expire(&runtime, 100).await, [old[2].clone(), old[0].clone()]);
        assert_eq!((status(&runtime, &young), status(&runtime, &done)), (Status::Paused, Status::Completed));
        assert_eq!(expire(&runtime, 0).await, [young]);
        assert_eq!(runtime.executions(&Query { status: Some(Status::Rejected), ..Query::default() }).unwrap().len(), 4);
    }
}

/// Covers EXPIRE-08.
#[tokio::test(flavor = "multi_thread")]
async fn executions_are_disposed_of_one_after_another_and_their_connectors_side_by_side() {
    for home in homes() {
        // Each end waits for the other connector's end of the same execution.
        let (both, at_work) = (Arc::new(Barrier::new(2)), Arc::new(AtomicU32::new(0)));
        let most = Arc::new(AtomicU32::new(0));
        let meets = |name: &str| {
            let (both, at_work, most) = (both.clone(), at_work.clone(), most.clone());
            let native = Native::new(name).method(Method::read("x"), |_, _| async { Ok(()) });
            Arc::new(native.on_execution_ended(move |_, _| {
                let (both, at_work, most) = (both.clone(), at_work.clone(), most.clone());
                async move {
                    most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    both.wait().await;
                    // Whoever came too early would be seen here.
                    for _ in 0..20 {
                        tokio::task::yield_now().await;
                    }
                    at_work.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                }
            }))
        };
        let host = home.host().with("one", meets("one")).with("two", meets("two"));
        let runtime = host.runtime();
        for _ in 0..3 {
            paused(&runtime).await;
        }
        assert_eq!(expire(&runtime, 0).await.len(), 3);
        assert_eq!((ends(&host).len(), pass_ends(&host)), (3, vec!["1 paused".to_owned(); 3]));
        assert_eq!(most.load(Ordering::SeqCst), 2, "the two of one execution, and no third");
    }
}

/// Covers EXPIRE-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_cannot_clean_up_stops_no_sweep() {
    for home in homes() {
        let bad = Native::new("bad").method(Method::read("x"), |_, _| async { Ok(()) });
        let bad = bad.on_execution_ended(|_, _| async { Err(Failure::new("internal", "no")) });
        let panics = Native::new("panics").method(Method::read("x"), |_, _| async { Ok(()) });
        let panics = panics.on_execution_ended(|_, _| async { panic!("a hook that panics") });
        let host = home.host().with("bad", Arc::new(bad)).with("panics", Arc::new(panics));
        let runtime = host.runtime();
        let ids = [paused(&runtime).await, paused(&runtime).await];
        assert_eq!(expire(&runtime, 0).await, [ids[1].clone(), ids[0].clone()]);
        assert_eq!(ends(&host), ["rejected", "rejected"]);
        until(|| ids.iter().all(|id| record(&runtime, id).hooks.is_empty()).then_some(())).await;
    }
}

/// A second sweep over the same, at the same time, from another door.
///
/// Covers EXPIRE-06.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_sweeps_at_once_each_names_only_its_own() {
    for home in homes() {
        let host = home.host();
        let mut neighbour = host.clone();
        neighbour.store = home.opened_again();
        let (one, two) = (host.runtime(), neighbour.runtime());
        let mut all = Vec::new();
        for _ in 0..20 {
            all.push(paused(&one).await);
        }
        let (a, b) = tokio::join!(
            tokio::spawn({
                let one = one.clone();
                async move { one.expire_paused(0).await.unwrap() }
            }),
            tokio::spawn(async move { two.expire_paused(0).await.unwrap() })
        );
        let mut named: Vec<_> = a.unwrap().into_iter().chain(b.unwrap()).collect();
        named.sort();
        all.sort();
        assert_eq!(named, all, "{}: each once", home.name);
        assert_eq!(ends(&host), vec!["rejected"; 20]);
    }
}
