//! Several hosts at one file: a process that is really killed, and others that go on with its work at the same moment.

use std::path::Path;
use std::sync::Arc;

use codemode_conformance::fixtures::{EventKind, Ledger};
use codemode_conformance::harness::{Host, anna, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::{EntryState, ExecutionId, Outcome, Picks, Query, Recovered, Seq, Status};
use serde_json::json;
use tokio::task::JoinSet;

use crate::homes::{entry, record, status};
use crate::kit::{Place, Process, given_folder, host_of, role, rounds, soon, until};
use crate::recover_crash::says_what_happened;

/// The files' host, with a read that answers only where it is told to.
fn host(folder: &Path, answers: bool) -> Host {
    let native = Native::new("sign").method(Method::read("wait"), move |_, _| async move {
        if !answers {
            std::future::pending::<()>().await;
        }
        Ok(json!("gone on"))
    });
    host_of(folder).with("sign", Arc::new(native))
}

/// Its next call after the interruption is the second `add`.
const CODE: &str = "async () => {
    await t.add({ n: 1 });
    const s = await codemode.step('s', () => Math.random());
    await sign.wait();
    const last = await t.add({ n: 2, s });
    return last.n; }";

/// Not a test of its own: what a child process does until it is killed.
#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_work_until_killed() {
    let Some(role) = role() else { return };
    let runtime = host(&given_folder(), false).runtime();
    if role == "approves" {
        let id = runtime.pending(None).unwrap().remove(0).execution;
        drop(runtime.approve(&id, Picks::AllPending, anna()).await);
    } else {
        drop(runtime.execute(std::env::var("CODEMODE_CODE").unwrap()).await);
    }
    unreachable!("the sign never changes here");
}

/// Kills a process that runs this code once `seen` says so.
async fn killed(place: &Place, role: &str, code: &str, seen: impl Fn(&ExecutionId) -> bool) -> ExecutionId {
    let mut child = Process::playing("recover_hosts::as_a_child_work_until_killed", role)
        .with("CODEMODE_FOLDER", place.folder())
        .with("CODEMODE_CODE", code)
        .start();
    let watching = host(place.folder(), true).runtime();
    let first = || watching.executions(&Query::default()).unwrap().into_iter().next().map(|s| s.id);
    let id = until(|| first().filter(&seen)).await;
    child.kill().unwrap();
    child.wait().unwrap();
    id
}

fn ledger(place: &Place) -> Arc<Ledger> {
    Ledger::in_file(&place.folder().join("ledger")).unwrap()
}

async fn interrupted(place: &Place) -> ExecutionId {
    let store = place.host().store;
    let waits = |id: &ExecutionId| {
        store.load(id).unwrap().is_some_and(|r| r.entries.iter().any(|e| e.request.title() == "sign.wait"))
    };
    killed(place, "works", CODE, waits).await
}

/// Each effect happened once, and the execution is over.
async fn check(place: &Place, id: &ExecutionId) {
    let adds: Vec<_> = ledger(place).results("t", "add").iter().map(|r| r["n"].as_u64().unwrap()).collect();
    assert_eq!(adds, [1, 2]);
    let runtime = place.host().runtime();
    // The word that all is done may still be on its way from the other store.
    let execution = until(|| Some(record(&runtime, id).execution).filter(|e| e.owner.is_none())).await;
    assert_eq!((execution.status, execution.pass), (Status::Completed, 2));
}

/// Covers WEAK-14, BUG-DUR-17.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_was_killed_is_recovered_at_once_by_the_next() {
    let place = Place::new();
    let id = interrupted(&place).await;
    let runtime = host(place.folder(), true).runtime();
    assert_eq!(status(&runtime, &id), Status::Running);
    let recovered = soon(runtime.recover()).await.unwrap();
    let [(of, Recovered::Resumed(outcome))] = &recovered[..] else { panic!("{recovered:#?}") };
    assert_eq!((of, result_of(outcome)), (&id, "2".to_owned()));
    check(&place, &id).await;
    // The hooks of both passes ran, the first one for the pass that was lost.
    let hooks = ledger(&place).hooks(EventKind::PassEnded, "shelf");
    assert_eq!(hooks.iter().map(|(_, s)| s.as_str()).collect::<Vec<_>>(), ["error", "completed"]);
}

/// Not a test of its own: a host process that recovers when it is told to, and says how often it won.
#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_recover() {
    let Some(number) = role() else { return };
    let folder = given_folder();
    let runtime = host(&folder, true).runtime();
    std::fs::write(folder.join(format!("ready-{number}")), "").unwrap();
    until(|| folder.join("go").exists().then_some(())).await;
    let recovered = soon(runtime.recover()).await.expect("no error of the store reaches the caller");
    for (_, how) in &recovered {
        assert!(matches!(how, Recovered::Resumed(Outcome::Completed { .. })), "{how:?}");
    }
    std::fs::write(folder.join(format!("won-{number}")), recovered.len().to_string()).unwrap();
}

/// Covers BUG-DUR-17.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_hosts_that_recover_at_the_same_moment_one_wins() {
    for _ in 0..rounds(20, 3) {
        let place = Place::new();
        let id = interrupted(&place).await;
        let child = |n: &str| {
            Process::playing("recover_hosts::as_a_child_recover", n).with("CODEMODE_FOLDER", place.folder()).start()
        };
        let children = ["1", "2"].map(child);
        let exists = |name: &str| place.folder().join(name).exists();
        until(|| (exists("ready-1") && exists("ready-2")).then_some(())).await;
        std::fs::write(place.folder().join("go"), "").unwrap();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let won = |n: &str| std::fs::read_to_string(place.folder().join(format!("won-{n}"))).unwrap();
        let mut both = [won("1"), won("2")];
        both.sort();
        assert_eq!(both, ["0", "1"]);
        check(&place, &id).await;
    }
}

/// Covers BUG-DUR-17.
#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_that_resume_one_execution_at_once_one_wins() {
    for several_hosts in [false, true] {
        let place = Place::new();
        let id = interrupted(&place).await;
        let one = host(place.folder(), true);
        let shared = one.runtime();
        let runtimes: Vec<_> = (0..20)
            .map(|n| match n % 4 {
                // Some share a store, some have opened the file themselves.
                _ if !several_hosts => shared.clone(),
                0 => host(place.folder(), true).runtime(),
                _ => one.runtime(),
            })
            .collect();
        let start = Arc::new(tokio::sync::Barrier::new(20));
        let mut together = JoinSet::new();
        for runtime in runtimes {
            let (id, start) = (id.clone(), start.clone());
            together.spawn(async move {
                start.wait().await;
                runtime.recover_one(&id).await.expect("no error of the store reaches the caller")
            });
        }
        let ended = soon(together.join_all()).await;
        let won: Vec<_> = ended.into_iter().flatten().collect();
        let [Recovered::Resumed(outcome)] = &won[..] else { panic!("{won:#?}") };
        assert_eq!(result_of(outcome), "2");
        check(&place, &id).await;
    }
}

/// Covers BUG-APR-14.
#[tokio::test(flavor = "multi_thread")]
async fn a_consent_is_used_up_although_the_process_that_used_it_was_killed() {
    let place = Place::new();
    let code = "async () => { await t.gate({ a: 1 }); await sign.wait(); return t.gate({ a: 1 }); }";
    let paused = host(place.folder(), true).runtime().execute(code).await.unwrap();
    assert!(matches!(paused, Outcome::Paused { .. }));
    let store = place.host().store;
    let waits = |id: &ExecutionId| store.load(id).unwrap().is_some_and(|r| r.entries.len() == 2);
    let id = killed(&place, "approves", "", waits).await;
    assert_eq!(ledger(&place).count("t", "gate"), 1);

    let runtime = host(place.folder(), true).runtime();
    let recovered = soon(runtime.recover()).await.unwrap();
    let [(_, Recovered::Resumed(Outcome::Paused { pending, .. }))] = &recovered[..] else { panic!("{recovered:#?}") };
    assert_eq!(pending.iter().map(|p| p.seq).collect::<Vec<_>>(), [Seq(2)]);
    assert_eq!(ledger(&place).count("t", "gate"), 1);
    let outcome = soon(runtime.approve(&id, Picks::AllPending, anna())).await.unwrap();
    assert_eq!((result_of(&outcome), ledger(&place).count("t", "gate")), (r#"{"ok":true,"a":1}"#.to_owned(), 2));
}

/// Covers WEAK-34.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_was_killed_between_the_effect_and_its_record_leaves_a_call_in_doubt() {
    let place = Place::new();
    let code = "async () => { await t.add({ n: 1 }); return t.slowAdd({ n: 2, ms: 60000 }); }";
    let happened = |_: &ExecutionId| ledger(&place).count("t", "slowAdd") == 1;
    let id = killed(&place, "works", code, happened).await;

    let host = host(place.folder(), true);
    let runtime = host.runtime();
    let recovered = soon(runtime.recover()).await.unwrap();
    let [(_, Recovered::Resumed(Outcome::Paused { pending, .. }))] = &recovered[..] else { panic!("{recovered:#?}") };
    assert_eq!((pending.len(), entry(&runtime, &id, 1).state), (0, EntryState::Unknown));
    let doubts = runtime.unresolved(None).unwrap();
    assert_eq!(doubts.len(), 1);
    assert_eq!(doubts[0].idempotency_key, format!("{id}:1"));
    let outcome = says_what_happened(&host, &runtime, &doubts[0]).await.unwrap().unwrap();
    assert_eq!(result_of(&outcome), r#"{"id":1,"n":2}"#);
    assert_eq!((ledger(&place).count("t", "add"), ledger(&place).count("t", "slowAdd")), (1, 1));
}
