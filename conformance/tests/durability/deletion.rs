//! PRUNE-09, PRUNE-10 and LIFECYCLE-12: an execution is removed by its id, and what does nothing tells nobody.

use std::sync::Arc;

use codemode_conformance::harness::{anna, error_of, id_of, journal_of, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::{Error, ErrorKind, ExecutionId, Outcome, Pick, Picks, Query, Runtime, Seq, Status};

use crate::homes::{ends, homes, pass_ends, record, status};
use crate::kit::{Door, Place, asked, overwrite, soon, the_execution};
use crate::mortal::Mortal;

const PUT: &str = "async () => shelf.put({ title: 'x' })";

async fn run(runtime: &Runtime, code: &str) -> ExecutionId {
    id_of(&runtime.execute(code).await.unwrap())
}

async fn delete(runtime: &Runtime, id: &ExecutionId) -> bool {
    soon(runtime.delete(id)).await.unwrap()
}

fn is_gone(runtime: &Runtime, id: &ExecutionId) -> bool {
    let listed = runtime.executions(&Query::default()).unwrap();
    runtime.record(id).unwrap().is_none() && listed.iter().all(|s| s.id != *id)
}

/// Covers PRUNE-09, runtime#20.
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_execution_is_gone_and_the_others_are_as_they_were() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let ids =
            [run(&runtime, "async () => t.add({ n: 1 })").await, run(&runtime, "async () => t.add({ n: 2 })").await];
        let other = record(&runtime, &ids[1]);
        assert!(delete(&runtime, &ids[0]).await);
        assert!(is_gone(&runtime, &ids[0]));
        assert!(!delete(&runtime, &ids[0]).await);
        assert!(!delete(&runtime, &ExecutionId::from_text("exec_nobody")).await);
        assert_eq!(record(&runtime, &ids[1]), other);
        assert_eq!(host.ledger.count("t", "add"), 2, "what it did is done");
    }
}

/// Covers PRUNE-10.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_has_ended_is_deleted_without_a_word() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let rejected = run(&runtime, PUT).await;
        assert!(runtime.reject(&rejected, Seq(0), anna()).await.unwrap());
        let undone = run(&runtime, "async () => shelf.jot({ text: 'a' })").await;
        runtime.rollback(&undone).await.unwrap();
        let ids =
            [run(&runtime, "async () => 1").await, run(&runtime, "async () => { throw 1; }").await, rejected, undone];
        let told = host.ledger.events();
        for id in &ids {
            assert!(delete(&runtime, id).await && is_gone(&runtime, id));
        }
        assert_eq!(host.ledger.events(), told);
    }
}

/// Covers PRUNE-10, runtime#34.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_paused_is_disposed_of_as_rejected() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let id = run(&runtime, PUT).await;
        let shown = runtime.pending(Some(&id)).unwrap().remove(0);
        assert!(delete(&runtime, &id).await);
        assert!(is_gone(&runtime, &id));
        assert_eq!((ends(&host), pass_ends(&host)), (vec!["rejected".to_owned()], vec!["1 paused".to_owned()]));
        assert_eq!(runtime.pending(None).unwrap(), []);
        let picks = Picks::These(vec![Pick { seq: shown.seq, digest: shown.digest }]);
        let late = runtime.approve(&id, picks, anna()).await.unwrap();
        assert_eq!(error_of(&late).message, format!("there is no execution {id} to resume"));
        assert!(!runtime.reject(&id, Seq(0), anna()).await.unwrap());
        assert!(!delete(&runtime, &id).await);
        assert_eq!((ends(&host).len(), host.ledger.count("shelf", "put")), (1, 0));
    }
}

/// Its pass is stopped, which is an error like any other, and it is told once.
///
/// Covers PRUNE-10.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_runs_is_stopped_told_of_once_and_gone() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let runtime = host.runtime();
        let started = runtime.start("async () => { await door.work({}); return 1; }").await.unwrap();
        let id = started.execution().unwrap().clone();
        door.entered(1).await;
        assert!(delete(&runtime, &id).await);
        assert!(is_gone(&runtime, &id));
        assert_eq!(error_of(&soon(started.outcome()).await.unwrap()).kind, ErrorKind::Cancelled);
        assert_eq!((ends(&host), pass_ends(&host)), (vec!["error".to_owned()], vec!["1 error".to_owned()]));
        door.let_go(1);
        assert_eq!(result_of(&runtime.execute("async () => 2").await.unwrap()), "2");
        assert!(is_gone(&runtime, &id), "a late answer brings nothing back");
    }
}

/// Covers PRUNE-10.
#[tokio::test(flavor = "multi_thread")]
async fn one_whose_process_is_gone_is_disposed_of_as_error() {
    for home in homes() {
        let host = home.host();
        let mut lost = host.clone();
        let mortal = Mortal::of(&home.store);
        lost.store = mortal.clone();
        let before = lost.runtime();
        drop(before.start("async () => { await shelf.jot({ text: 'a' }); await t.hang(); }").await.unwrap());
        let id = the_execution(&before).await;
        asked(&before, &id, 1).await;
        mortal.die();
        let runtime = host.runtime();
        assert!(delete(&runtime, &id).await);
        assert!(is_gone(&runtime, &id));
        assert_eq!(ends(&host), ["error"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connectors_that_cannot_clean_up_or_never_answer_keep_nothing_alive() {
    for home in homes() {
        let bad = Native::new("bad").method(Method::read("x"), |_, _| async { Ok(()) });
        let bad = bad.on_execution_ended(|_, _| async { Err(Failure::new("internal", "no")) });
        let hangs = Native::new("hangs").method(Method::read("x"), |_, _| async { Ok(()) });
        let hangs = hangs.on_execution_ended(|_, _| std::future::pending());
        let host = home.host().with("bad", Arc::new(bad)).with("hangs", Arc::new(hangs)).limits(|l| l.call_ms = 50);
        let runtime = host.runtime();
        let id = run(&runtime, PUT).await;
        assert!(delete(&runtime, &id).await);
        assert!(is_gone(&runtime, &id));
        assert_eq!(ends(&host), ["rejected"]);
    }
}

/// The limit `cancel time`: whoever asks is told, nothing of the record changes, and later it works.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_somebody_works_on_for_too_long_is_left_as_it_is() {
    for home in homes() {
        let (door, _) = Door::new();
        let slow = {
            let door = door.clone();
            let native = Native::new("slow").method(Method::read("x"), |_, _| async { Ok(()) });
            native.on_execution_ended(move |_, _| {
                let door = door.clone();
                async move {
                    door.stand().await;
                    Ok(())
                }
            })
        };
        let host = home.host().with("slow", Arc::new(slow)).limits(|l| l.cancel_ms = 60);
        let runtime = host.runtime();
        let ending = tokio::spawn({
            let runtime = runtime.clone();
            async move { run(&runtime, "async () => 1").await }
        });
        door.entered(1).await;
        let id = the_execution(&runtime).await;
        let mut neighbour = host.clone();
        neighbour.store = home.opened_again();
        let before = record(&runtime, &id);
        for anybody in [&runtime, &host.runtime(), &neighbour.runtime()] {
            let refused = soon(anybody.delete(&id)).await;
            assert!(matches!(&refused, Err(Error::StillRunning(of)) if *of == id), "{refused:?}");
            let refused = soon(anybody.rollback(&id)).await.map(|_| ());
            assert!(matches!(&refused, Err(Error::StillRunning(of)) if *of == id), "{refused:?}");
        }
        assert_eq!(record(&runtime, &id), before);
        door.let_go(1);
        assert_eq!(soon(ending).await.unwrap(), id);
        assert!(delete(&neighbour.runtime(), &id).await);
    }
}

/// Covers LIFECYCLE-12.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_changes_nothing_tells_no_connector() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let nobody = ExecutionId::from_text("exec_nobody");
        let read = run(&runtime, "async () => shelf.list()").await;
        let paused = run(&runtime, PUT).await;
        let shown = runtime.pending(Some(&paused)).unwrap().remove(0);
        let before: Vec<_> = [&read, &paused].map(|id| record(&runtime, id)).into();
        let told = host.ledger.events();

        for id in [&nobody, &read, &paused] {
            assert!(!runtime.reject(id, Seq(7), anna()).await.unwrap());
            let picks = Picks::These(vec![Pick { seq: shown.seq, digest: "another".to_owned() }]);
            let refused = runtime.approve(id, picks, anna()).await.unwrap();
            assert!(matches!(refused, Outcome::Failed { calls: None, .. }), "{refused:?}");
            assert_eq!(runtime.rollback(id).await.unwrap().reverted(), 0);
            assert!(runtime.recover_one(id).await.unwrap().is_none());
        }
        let without = host.clone().without("shelf").runtime();
        let refused = without.approve(&paused, Picks::AllPending, anna()).await.unwrap();
        assert_eq!(error_of(&refused).kind, ErrorKind::MissingConnector);
        assert!(!runtime.reject(&read, Seq(0), anna()).await.unwrap());
        assert!(!delete(&runtime, &nobody).await);
        assert_eq!(runtime.expire_paused(86_400_000).await.unwrap(), []);
        assert_eq!(runtime.prune_executions(9).unwrap(), 0);
        assert!(runtime.recover().await.unwrap().is_empty());

        assert_eq!(host.ledger.events(), told, "{}", home.name);
        assert_eq!([&read, &paused].map(|id| record(&runtime, id)).to_vec(), before);
        assert_eq!((status(&runtime, &paused), journal_of(&runtime, &paused).len()), (Status::Paused, 1));
    }
}

/// Whoever gets an id can name it at once.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_has_just_begun_is_there() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        for _ in 0..20 {
            let started = runtime.start("async () => t.hang()").await.unwrap();
            let id = started.execution().unwrap().clone();
            assert!(delete(&runtime, &id).await);
            assert!(is_gone(&runtime, &id));
            assert_eq!(error_of(&soon(started.outcome()).await.unwrap()).kind, ErrorKind::Cancelled);

            let started = runtime.start("async () => t.echo(1)").await.unwrap();
            let id = started.execution().unwrap().clone();
            assert_eq!(record(&runtime, &id).execution.id(), &id);
            let first = soon(runtime.events(&id, 0).next()).await.unwrap();
            assert_eq!(first[0].method, "echo", "its events are followed from the first one on");
            assert_eq!(result_of(&soon(started.outcome()).await.unwrap()), "1");
        }
        assert_eq!(ends(&host).len(), 40);
    }
}

/// Covers BUG-SQL-05.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_cannot_be_read_back_is_in_nobodys_way() {
    let place = Place::new();
    let paused = "async () => { await t.echo(['AAAA', 'MARK'].join('-')); await t.gate({}); }";
    let ended = "async () => ['BBBB', 'MARK'].join('-')";
    let (bad, gone, waiting) = {
        let runtime = place.host().runtime();
        (run(&runtime, paused).await, run(&runtime, ended).await, run(&runtime, "async () => t.gate({})").await)
    };
    for (from, to) in [(b"\"AAAA-MARK\"", b"\"AAAA\xff\xfeARK\""), (b"\"BBBB-MARK\"", b"\"BBBB\xff\xfeARK\"")] {
        overwrite(&place.path(), from, to);
    }
    let runtime = place.host().runtime();
    assert_eq!(runtime.expire_paused(0).await.unwrap(), [waiting], "the sweep goes on after it");
    assert!(runtime.recover().await.unwrap().is_empty());
    assert!(runtime.unresolved(None).unwrap().is_empty());
    assert_eq!(runtime.prune_executions(0).unwrap(), 2);
    assert!(is_gone(&runtime, &gone) && delete(&runtime, &bad).await);
    assert!(runtime.executions(&Query::default()).unwrap().is_empty());
}
