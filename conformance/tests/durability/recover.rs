//! Going on with what a process left behind: what it had recorded is replayed, hooks are told, and nobody who lives is
//! touched.

use std::sync::{Arc, Mutex};

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, anna, error_of, id_of, journal_of, pending_of, result_of};
use codemode_conformance::store_suite::samples;
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::id::Token;
use codemode_runtime::durable::journal::Repeatable;
use codemode_runtime::durable::write::Write;
use codemode_runtime::store::Barrier;
use codemode_runtime::{
    EntryState, ErrorKind, Event, EventKind as Happened, ExecutionId, Outcome, Picks, Query, Recovered, Runtime, Seq,
    Status,
};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::homes::{Home, ends, entry, homes, pass_ends, record, status};
use crate::kit::{Door, asked, soon, until};
use crate::mortal::{BOTH, Mortal};
use crate::recover_crash::says_what_happened;

/// A process that can be lost, with the same world around it.
struct Dying {
    mortal: Arc<Mortal>,
    runtime: Runtime,
}

impl Dying {
    fn of(home: &Home, host: &Host) -> Self {
        let mortal = Mortal::of(&home.store);
        let mut dying = host.clone();
        dying.store = mortal.clone();
        Self { mortal, runtime: dying.runtime() }
    }

    async fn begins(&self, code: &str) -> ExecutionId {
        self.runtime.start(code).await.unwrap().execution().unwrap().clone()
    }
}

fn resumed(recovered: Vec<(ExecutionId, Recovered)>) -> Outcome {
    match <[_; 1]>::try_from(recovered) {
        Ok([(_, Recovered::Resumed(outcome))]) => outcome,
        other => panic!("{other:#?}"),
    }
}

/// Covers WEAK-14.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_that_was_lost_goes_on_at_once_and_repeats_nothing() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let dying = Dying::of(&home, &host);
        let code = "async () => {
            const a = await t.add({ n: 1 });
            const s = await codemode.step('s', () => Math.random());
            const [w, b] = await Promise.all([door.wait({ v: 'through' }), t.add({ n: 2 })]);
            await new Promise((r) => setTimeout(r, 5));
            return [a.n, b.n, w, s === (await t.echo({ s })).s]; }";
        let id = dying.begins(code).await;
        door.entered(1).await;
        until(|| (home.store.load(&id).unwrap()?.entries.get(3)?.state == EntryState::Applied).then_some(())).await;
        dying.mortal.die();
        assert_eq!(status(&host.runtime(), &id), Status::Running);

        let runtime = host.runtime();
        door.let_go(2);
        let outcome = resumed(soon(runtime.recover()).await.unwrap());
        assert_eq!(result_of(&outcome), r#"[1,2,"through",true]"#, "{}", home.name);
        assert_eq!(host.ledger.count("t", "add"), 2);
        assert_eq!(journal_of(&runtime, &id).len(), 5);
        let wait = entry(&runtime, &id, 2);
        assert_eq!((wait.attempt, wait.pass, entry(&runtime, &id, 0).pass), (2, 2, 1));
        assert_eq!(soon(runtime.recover()).await.unwrap().len(), 0);
        assert_eq!(soon(runtime.recover_one(&id)).await.unwrap().map(|_| ()), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connectors_are_told_of_the_lost_pass_before_the_next_one_begins() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let dying = Dying::of(&home, &host);
        dying.begins("async () => { await door.wait({ v: 1 }); return shelf.whoami(); }").await;
        door.entered(1).await;
        dying.mortal.die();
        assert_eq!(pass_ends(&host), Vec::<String>::new());
        // Nothing is heard from the dead process any more; the door of the next one is another.
        let (door, connector) = Door::new();
        let host = host.with("door", connector);
        door.let_go(1);
        resumed(soon(host.runtime().recover()).await.unwrap());
        assert_eq!(
            (pass_ends(&host), ends(&host)),
            (vec!["1 error".into(), "2 completed".into()], vec!["completed".to_owned()])
        );
        // The hook of the lost pass came first.
        let order: Vec<_> = host.ledger.events().into_iter().map(|e| (e.kind, e.method)).collect();
        assert_eq!(order[0], (EventKind::PassEnded, "error".to_owned()));
        assert_eq!(order[1], (EventKind::Performed, "whoami".to_owned()));
    }
}

/// Covers WEAK-14.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_lives_is_left_alone_however_slow() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let slow = host.runtime();
        let started = slow.start("async () => door.wait({ v: 'slow' })").await.unwrap();
        let id = started.execution().unwrap().clone();
        door.entered(1).await;
        let mut other = host.clone();
        other.store = home.opened_again();
        for runtime in [host.runtime(), other.runtime(), slow.clone()] {
            assert_eq!(soon(runtime.recover()).await.unwrap().len(), 0);
            assert!(soon(runtime.recover_one(&id)).await.unwrap().is_none());
            assert_eq!(soon(runtime.expire_paused(0)).await.unwrap(), []);
        }
        door.let_go(1);
        assert_eq!(result_of(&soon(started.outcome()).await.unwrap()), r#""slow""#);
        assert_eq!(record(&slow, &id).execution.pass, 1);
    }
}

/// Covers WEAK-34.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_may_be_repeated_with_its_key_is_repeated_with_it() {
    for home in homes() {
        let pay = Method { repeatable: Repeatable::WithKey, ..Method::write("pay") };
        let seen: Arc<Mutex<Vec<(String, u32)>>> = Arc::default();
        let open = Arc::new(Semaphore::new(0));
        let (keys, door) = (seen.clone(), open.clone());
        let native = Native::new("bank").method(pay, move |_, context| {
            let (keys, door) = (keys.clone(), door.clone());
            async move {
                keys.lock().unwrap().push((context.idempotency_key, context.attempt));
                door.acquire().await.unwrap().forget();
                Ok(json!("paid"))
            }
        });
        let host = home.host().with("bank", Arc::new(native));
        let dying = Dying::of(&home, &host);
        let id = dying.begins("async () => { await t.echo({}); return bank.pay({ sum: 5 }); }").await;
        until(|| (seen.lock().unwrap().len() == 1).then_some(())).await;
        dying.mortal.die();
        open.add_permits(2);
        let outcome = resumed(soon(host.runtime().recover()).await.unwrap());
        assert_eq!(result_of(&outcome), r#""paid""#);
        let key = format!("{id}:1");
        assert_eq!(*seen.lock().unwrap(), [(key.clone(), 1), (key, 2)], "{}", home.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_that_was_stored_for_a_process_that_died_counts_for_the_next() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let dying = Dying::of(&home, &host);
        let code = "async () => {
            const g = t.gate({ x: 1 });
            const w = await door.wait({ v: 1 });
            return [w, (await g).x]; }";
        let id = dying.begins(code).await;
        door.entered(1).await;
        let runtime = host.runtime();
        let stored = soon(runtime.approve(&id, Picks::AllPending, anna())).await.unwrap();
        assert!(matches!(&stored, Outcome::Deferred { seqs, .. } if *seqs == [Seq(0)]), "{stored:#?}");
        dying.mortal.die();
        assert_eq!(host.ledger.count("t", "gate"), 0);

        door.let_go(2);
        let outcome = resumed(soon(runtime.recover()).await.unwrap());
        assert_eq!(result_of(&outcome), "[1,1]", "{}", home.name);
        assert_eq!(host.ledger.count("t", "gate"), 1);
        assert_eq!(entry(&runtime, &id, 0).decision.unwrap().actor, "anna");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_approval_counts_wherever_between_two_passes_the_process_dies() {
    for home in homes() {
        for last in BOTH {
            for at in 0.. {
                let (door, connector) = Door::new();
                // Its hooks take a moment, so that somebody could come in between.
                let hooks = Native::new("slow").on_pass_ended(|_, _, _| async {
                    for _ in 0..10 {
                        tokio::task::yield_now().await;
                    }
                    Ok(())
                });
                let host = home.host().with("door", connector).with("slow", Arc::new(hooks));
                let mortal = Mortal::at(&home.store, i64::MAX, last);
                let mut dying = host.clone();
                dying.store = mortal.clone();
                let code = "async () => { const g = t.gate({ x: 1 }); await door.wait({}); return (await g).x; }";
                let started = dying.runtime().start(code).await.unwrap();
                let id = started.execution().unwrap().clone();
                door.entered(1).await;
                let runtime = host.runtime();
                soon(runtime.approve(&id, Picks::AllPending, anna())).await.unwrap();
                mortal.dies_at(at);
                door.let_go(9);
                let outcome = soon(started.outcome()).await;
                let died = mortal.is_dead();
                drop(dying);
                until(|| {
                    home.store
                        .owned()
                        .unwrap()
                        .iter()
                        .all(|(_, o)| !home.store.owner_is_alive(*o).unwrap())
                        .then_some(())
                })
                .await;
                let recovered = soon(runtime.recover()).await.unwrap();
                let context = format!("write {at} {last:?} in {}: {outcome:#?}\n{recovered:#?}", home.name);
                for call in runtime.unresolved(Some(&id)).unwrap() {
                    says_what_happened(&host, &runtime, &call).await.unwrap();
                }
                let end = record(&runtime, &id).execution;
                assert_eq!((end.status, end.owner), (Status::Completed, None), "{context}");
                assert_eq!(end.result.unwrap().as_str(), "1", "{context}");
                assert_eq!(host.ledger.count("t", "gate"), 1, "{context}");
                if !died {
                    break;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_of_what_a_process_left_pending_waits_for_its_recovery() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let dying = Dying::of(&home, &host);
        let id = dying.begins("async () => { const g = t.gate({}); await door.wait({}); await g; return 1; }").await;
        door.entered(1).await;
        dying.mortal.die();
        let runtime = host.runtime();
        let stored = soon(runtime.approve(&id, Picks::AllPending, anna())).await.unwrap();
        assert!(matches!(stored, Outcome::Deferred { .. }), "{stored:#?}");
        assert_eq!((status(&runtime, &id), host.ledger.count("t", "gate")), (Status::Running, 0));
        door.let_go(2);
        assert_eq!(result_of(&resumed(soon(runtime.recover()).await.unwrap())), "1");
        assert_eq!(host.ledger.count("t", "gate"), 1);
    }
}

/// Covers BUG-APR-14.
#[tokio::test(flavor = "multi_thread")]
async fn a_consent_that_was_used_before_the_crash_is_not_used_again() {
    for home in homes() {
        for last in BOTH {
            for at in 0.. {
                let host = home.host();
                let code = "async () => { await t.gate({ a: 1 }); return t.gate({ a: 1 }); }";
                let id = id_of(&host.runtime().execute(code).await.unwrap());
                let mortal = Mortal::at(&home.store, at, last);
                let mut dying = host.clone();
                dying.store = mortal.clone();
                drop(soon(dying.runtime().approve(&id, Picks::AllPending, anna())).await);
                let gates = || host.ledger.count("t", "gate");
                assert!(gates() <= 1, "one consent, one call");
                let runtime = host.runtime();
                soon(runtime.recover()).await.unwrap();
                for call in runtime.unresolved(Some(&id)).unwrap() {
                    says_what_happened(&host, &runtime, &call).await.unwrap();
                }
                if status(&runtime, &id) == Status::Paused && gates() == 0 {
                    // It died before the approval was stored.
                    soon(runtime.approve(&id, Picks::AllPending, anna())).await.unwrap();
                }
                assert_eq!((gates(), status(&runtime, &id)), (1, Status::Paused), "write {at} {last:?}");
                let pending = runtime.pending(Some(&id)).unwrap();
                assert_eq!(pending.iter().map(|p| p.seq).collect::<Vec<_>>(), [Seq(1)], "it waits on its own");
                let outcome = soon(runtime.approve(&id, Picks::AllPending, anna())).await.unwrap();
                assert_eq!((result_of(&outcome), gates()), (r#"{"ok":true,"a":1}"#.to_owned(), 2));
                if !mortal.is_dead() {
                    break;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_the_connectors_leaves_it_for_one_that_has_them() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let dying = Dying::of(&home, &host);
        let id = dying.begins("async () => door.wait({ v: 1 })").await;
        door.entered(1).await;
        dying.mortal.die();
        let bare = host.clone().without("door").runtime();
        let recovered = soon(bare.recover()).await.unwrap();
        let [(of, Recovered::Left(error))] = &recovered[..] else { panic!("{recovered:?}") };
        assert_eq!((of, error.kind), (&id, ErrorKind::MissingConnector));
        assert_eq!((status(&bare, &id), pass_ends(&host)), (Status::Running, vec![]));
        door.let_go(2);
        assert_eq!(result_of(&resumed(soon(host.runtime().recover()).await.unwrap())), "1");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_cannot_be_recovered_holds_up_no_other() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let gone = home.store.claim_owner().unwrap();
        let mut strange = samples::execution(&samples::id(1));
        (strange.start.replay_version, strange.owner) = (99, Some(gone));
        let (id, token) = (strange.id().clone(), strange.token);
        let begin = vec![Write::Begin(Box::new(strange))];
        home.store.append(&id, token, begin, Barrier::Now).await.unwrap();
        home.store.release_owner(gone);
        let dying = Dying::of(&home, &host);
        let other = dying.begins("async () => door.wait({ v: 1 })").await;
        door.entered(1).await;
        dying.mortal.die();
        door.let_go(2);
        let runtime = host.runtime();
        let recovered = soon(runtime.recover()).await.unwrap();
        assert_eq!(recovered.len(), 2, "{recovered:?}");
        for (of, how) in recovered {
            match how {
                Recovered::Failed(error) => assert_eq!((of, error.code()), (id.clone(), "replay_version")),
                Recovered::Resumed(outcome) => assert_eq!((of, result_of(&outcome)), (other.clone(), "1".to_owned())),
                how => panic!("{how:?}"),
            }
        }
        assert_eq!(status(&runtime, &id), Status::Running);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_there_is_nobody_to_recover() {
    for home in homes() {
        let runtime = home.host().runtime();
        assert_eq!(runtime.recover().await.unwrap().len(), 0);
        assert!(runtime.recover_one(&ExecutionId::from_text("zz")).await.unwrap().is_none());
        let paused = runtime.execute("async () => t.gate({})").await.unwrap();
        assert!(runtime.recover_one(&id_of(&paused)).await.unwrap().is_none());
        assert_eq!(pending_of(&paused).len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_sees_each_event_once_over_the_loss_of_the_process() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let dying = Dying::of(&home, &host);
        let code = "async () => { await t.add({ n: 1 }); await door.wait({}); await t.add({ n: 2 }); }";
        let id = dying.begins(code).await;
        door.entered(1).await;
        let before = host.runtime().events(&id, 0).next().await.unwrap();
        dying.mortal.die();
        door.let_go(2);
        let runtime = host.runtime();
        resumed(soon(runtime.recover()).await.unwrap());
        let mut events: Vec<Event> = before;
        let mut follower = runtime.events(&id, events.last().unwrap().number);
        loop {
            let more = soon(follower.next()).await.unwrap();
            if more.is_empty() {
                break;
            }
            events.extend(more);
        }
        let seen: Vec<_> = events.iter().map(|e| (e.number, e.seq.0, e.kind)).collect();
        let answered = Happened::Answered(EntryState::Applied);
        let asked = Happened::Asked;
        assert_eq!(
            seen,
            [(1, 0, asked), (2, 0, answered), (3, 1, asked), (4, 1, answered), (5, 2, asked), (6, 2, answered)]
        );
    }
}

/// The end of a pass that could not be stored is no end: the same runtime goes on with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_whose_end_was_lost_is_recovered_by_the_runtime_that_lost_it() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let runtime = host.runtime();
        let started =
            runtime.start("async () => { await t.add({ n: 1 }); return door.wait({ v: 1 }); }").await.unwrap();
        let id = started.execution().unwrap().clone();
        door.entered(1).await;
        // Somebody takes its token: whatever it appends is refused from here on.
        let seen = record(&runtime, &id).execution;
        let token = Token(seen.token.0 + 1);
        home.store.commit(&id, seen.version, vec![Write::Owned { token, owner: seen.owner }]).unwrap();
        door.let_go(1);
        let lost = soon(started.outcome()).await.unwrap_err();
        assert_eq!(lost.code(), "store_fenced");
        assert_eq!(status(&runtime, &id), Status::Running);
        door.let_go(1);
        assert_eq!(result_of(&resumed(soon(runtime.recover()).await.unwrap())), "1", "{}", home.name);
        assert_eq!((host.ledger.count("t", "add"), record(&runtime, &id).execution.pass), (1, 2));
    }
}

/// The last clone of a runtime takes its ownership with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_runtime_that_is_dropped_leaves_what_its_lost_passes_owned() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let runtime = host.runtime();
        let started = runtime.start("async () => door.wait({ v: 1 })").await.unwrap();
        let id = started.execution().unwrap().clone();
        asked(&runtime, &id, 0).await;
        door.entered(1).await;
        let seen = record(&runtime, &id).execution;
        let token = Token(seen.token.0 + 1);
        home.store.commit(&id, seen.version, vec![Write::Owned { token, owner: seen.owner }]).unwrap();
        door.let_go(1);
        soon(started.outcome()).await.unwrap_err();
        let next = host.runtime();
        assert_eq!(soon(next.recover()).await.unwrap().len(), 0, "its owner lives");
        drop(runtime);
        door.let_go(1);
        until(|| (!home.store.owner_is_alive(seen.owner.unwrap()).unwrap()).then_some(())).await;
        assert_eq!(result_of(&resumed(soon(next.recover()).await.unwrap())), "1");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_does_not_parse_is_ended_by_its_recovery_too() {
    for home in homes() {
        let host = home.host();
        let gone = home.store.claim_owner().unwrap();
        let mut execution = samples::execution(&samples::id(1));
        execution.start.code = "async () => {".to_owned();
        execution.start.namespaces = Vec::new();
        (execution.start.executor, execution.owner) = (String::new(), Some(gone));
        let (id, token) = (execution.id().clone(), execution.token);
        home.store.append(&id, token, vec![Write::Begin(Box::new(execution))], Barrier::Now).await.unwrap();
        home.store.release_owner(gone);
        let runtime = host.runtime();
        let outcome = resumed(soon(runtime.recover()).await.unwrap());
        assert_eq!(error_of(&outcome).kind, ErrorKind::Syntax);
        assert_eq!((status(&runtime, &id), record(&runtime, &id).execution.owner), (Status::Error, None));
        assert_eq!(runtime.executions(&Query::default()).unwrap().len(), 1);
    }
}
