//! The two hooks of a connector: after each pass and after the end of the execution.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use codemode_conformance::fixtures::EventKind::{ExecutionEnded, PassEnded};
use codemode_conformance::fixtures::{Event, EventKind};
use codemode_conformance::harness::{Host, anna, approve_all, error_of, id_of, pending_of, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::{ExecutionId, Outcome, Picks, Seq, Status};
use serde_json::json;
use tokio::sync::Barrier;

use crate::kit::{hooks, shared, soon, stored};

const PUT: &str = "async () => shelf.put({ title: 'z' })";

/// Covers LIFECYCLE-01, LIFECYCLE-02, runtime#27, runtime#23.
#[tokio::test(flavor = "multi_thread")]
async fn each_pass_ends_for_the_connectors_and_only_the_end_disposes() {
    let host = Host::new();
    let runtime = host.runtime();
    let paused = runtime.execute(PUT).await.unwrap();
    assert_eq!(hooks(&host, PassEnded, &paused), ["paused"]);
    assert_eq!(hooks(&host, ExecutionEnded, &paused), Vec::<String>::new());
    let done = approve_all(&runtime, paused).await;
    assert_eq!(hooks(&host, PassEnded, &done), ["paused", "completed"]);
    assert_eq!(hooks(&host, ExecutionEnded, &done), ["completed"]);
    let numbers: Vec<String> =
        host.ledger.events().into_iter().filter(|e| e.kind == PassEnded).map(|e| e.key).collect();
    assert_eq!(numbers, ["1", "2"]);
}

/// Covers LIFECYCLE-02, runtime#22.
#[tokio::test(flavor = "multi_thread")]
async fn an_execution_is_disposed_of_once_when_it_completes_fails_or_is_rejected() {
    let host = Host::new();
    let runtime = host.runtime();
    let done = runtime.execute("async () => shelf.whoami()").await.unwrap();
    assert_eq!(host.ledger.hooks(ExecutionEnded, "shelf"), [(id_of(&done).to_string(), "completed".to_owned())]);
    let failed = runtime.execute("async () => { throw new Error('boom'); }").await.unwrap();
    assert_eq!(hooks(&host, ExecutionEnded, &failed), ["error"]);
    let syntax = runtime.execute("async () => { const x = ; }").await.unwrap();
    assert_eq!(hooks(&host, ExecutionEnded, &syntax), ["error"]);
    let paused = runtime.execute(PUT).await.unwrap();
    assert!(runtime.reject(&id_of(&paused), Seq(0), anna()).await.unwrap());
    assert_eq!(hooks(&host, ExecutionEnded, &paused), ["rejected"]);
    assert_eq!(hooks(&host, PassEnded, &paused), ["paused"]);
}

/// Covers LIFECYCLE-03, LIFECYCLE-04.
#[tokio::test(flavor = "multi_thread")]
async fn all_passes_end_before_anything_is_disposed_of_and_unused_connectors_take_part() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let watcher = |name: &'static str| {
        let (passes, ends) = (seen.clone(), seen.clone());
        let note = |list: &Arc<Mutex<Vec<String>>>, text: String| {
            list.lock().unwrap().push(text);
            async { Ok(()) }
        };
        let nothing = Native::new(name).method(Method::read("nothing"), |_, _| async { Ok(()) });
        shared(
            nothing
                .on_pass_ended(move |_, _, status| note(&passes, format!("pass {name} {status}")))
                .on_execution_ended(move |_, status| note(&ends, format!("end {name} {status}"))),
        )
    };
    // One without hooks has nothing to do, and does nothing.
    let quiet = Native::new("quiet").method(Method::read("nothing"), |_, _| async { Ok(()) });
    let host = Host::new().with("a", watcher("a")).with("b", watcher("b")).with("quiet", shared(quiet));
    let outcome = host.runtime().execute("async () => t.echo(1)").await.unwrap();
    assert_eq!(result_of(&outcome), "1");
    let mut seen = seen.lock().unwrap().clone();
    assert_eq!(seen.len(), 4, "{seen:?}");
    seen[..2].sort();
    seen[2..].sort();
    assert_eq!(seen, ["pass a completed", "pass b completed", "end a completed", "end b completed"]);
}

/// Covers LIFECYCLE-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_fails_or_panics_changes_nothing() {
    let broken = Native::new("broken")
        .method(Method::read("nothing"), |_, _| async { Ok(()) })
        .on_pass_ended(|_, _, _| async { if true { panic!("no") } else { Ok(()) } })
        .on_execution_ended(|_, _| async { Err(Failure::new(code::INTERNAL, "no")) });
    let host = Host::new().with("broken", shared(broken));
    let runtime = host.runtime();
    let outcome = runtime.execute("async () => 'fine'").await.unwrap();
    assert_eq!(result_of(&outcome), "\"fine\"");
    let record = stored(&runtime, &outcome);
    assert_eq!((record.execution.status, record.hooks), (Status::Completed, vec![]));
    // The others had theirs.
    assert_eq!(hooks(&host, ExecutionEnded, &outcome), ["completed"]);
}

/// Covers LIFECYCLE-06, codemode-eviction#2.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_the_hooks_arrive_at_the_new_connector() {
    let host = Host::new();
    let paused = host.runtime().execute(PUT).await.unwrap();
    let fresh = host.clone().fresh_fixtures();
    let done = approve_all(&fresh.runtime(), paused).await;
    assert!(matches!(done, Outcome::Completed { .. }), "{done:#?}");
    assert_eq!(hooks(&fresh, PassEnded, &done), ["completed"]);
    assert_eq!(hooks(&fresh, ExecutionEnded, &done), ["completed"]);
    assert_eq!(hooks(&host, PassEnded, &done), ["paused"]);
    assert_eq!(hooks(&host, ExecutionEnded, &done), Vec::<String>::new());
}

/// Covers LIFECYCLE-07, runtime#21.
#[tokio::test(flavor = "multi_thread")]
async fn methods_get_the_id_of_the_execution_in_each_pass() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { const a = await shelf.whoami(); await shelf.put({ title: 'z' });
        const b = await shelf.whoami(); return [a, b]; }";
    let outcome = approve_all(&runtime, runtime.execute(code).await.unwrap()).await;
    let id = id_of(&outcome);
    assert_eq!(
        result_of(&outcome),
        json!([{ "executionId": id.as_str() }, { "executionId": id.as_str() }]).to_string()
    );
    let opened: Vec<Event> = host.ledger.events().into_iter().filter(|e| e.method == "whoami").collect();
    assert_eq!(opened.len(), 2);
    assert!(opened.iter().all(|e| e.execution == id.as_str()));
    assert_eq!((opened[0].key.clone(), opened[1].key.clone()), (format!("{id}:0"), format!("{id}:2")));
}

/// Covers LIFECYCLE-08.
#[tokio::test(flavor = "multi_thread")]
async fn hooks_of_one_event_run_side_by_side_and_all_end_before_the_outcome() {
    let ended: Arc<Mutex<BTreeSet<&str>>> = Arc::default();
    let (pass, end) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let meeting = |name: &'static str| {
        let (pass, end, ended) = (pass.clone(), end.clone(), ended.clone());
        let nothing = Native::new(name).method(Method::read("nothing"), |_, _| async { Ok(()) });
        // Each waits inside its hook for the other's.
        let meet = |barrier: Arc<Barrier>| async move {
            barrier.wait().await;
            Ok(())
        };
        shared(nothing.on_pass_ended(move |_, _, _| meet(pass.clone())).on_execution_ended(move |_, _| {
            let (end, ended) = (end.clone(), ended.clone());
            async move {
                end.wait().await;
                ended.lock().unwrap().insert(name);
                Ok(())
            }
        }))
    };
    let host = Host::new().with("a", meeting("a")).with("b", meeting("b"));
    let outcome = soon(host.runtime().execute("async () => 1")).await.unwrap();
    assert_eq!(result_of(&outcome), "1");
    assert_eq!(*ended.lock().unwrap(), BTreeSet::from(["a", "b"]));
}

/// Covers LIFECYCLE-09.
#[tokio::test(flavor = "multi_thread")]
async fn a_resource_of_the_execution_stays_open_over_a_pause_and_one_of_the_pass_does_not() {
    let open: Arc<Mutex<BTreeSet<(&str, String)>>> = Arc::default();
    let (opening, passing, ending) = (open.clone(), open.clone(), open.clone());
    let close = |open: &Arc<Mutex<BTreeSet<(&'static str, String)>>>, kind: &'static str, id: &ExecutionId| {
        open.lock().unwrap().remove(&(kind, id.to_string()));
        async { Ok(()) }
    };
    let k = Native::new("k")
        .method_sync(Method::read("open"), move |_, context| {
            let id = context.execution.to_string();
            opening.lock().unwrap().extend([("pass", id.clone()), ("execution", id)]);
            Ok(())
        })
        .on_pass_ended(move |id, _, _| close(&passing, "pass", &id))
        .on_execution_ended(move |id, _| close(&ending, "execution", &id));
    let host = Host::new().with("k", shared(k));
    let runtime = host.runtime();
    let paused = runtime.execute("async () => { await k.open(); await shelf.put({ title: 'z' }); }").await.unwrap();
    assert_eq!(pending_of(&paused), [r#"1 shelf.put {"title":"z"}"#]);
    let id = id_of(&paused).to_string();
    assert_eq!(*open.lock().unwrap(), BTreeSet::from([("execution", id)]));
    approve_all(&runtime, paused).await;
    assert_eq!(*open.lock().unwrap(), BTreeSet::new());
}

/// Covers LIFECYCLE-12.
#[tokio::test(flavor = "multi_thread")]
async fn a_decision_that_changes_nothing_runs_no_hook() {
    let host = Host::new();
    let runtime = host.runtime();
    let paused = runtime.execute(PUT).await.unwrap();
    let id = id_of(&paused);
    let hooks_run = |host: &Host| {
        let of = |kind: EventKind| host.ledger.hooks(kind, "shelf").len();
        (of(PassEnded), of(ExecutionEnded))
    };
    assert_eq!(hooks_run(&host), (1, 0));
    assert!(!runtime.reject(&id, Seq(7), anna()).await.unwrap());
    assert!(!runtime.reject(&ExecutionId::from_text("zz"), Seq(0), anna()).await.unwrap());
    let unknown = runtime.approve(&ExecutionId::from_text("zz"), Picks::AllPending, anna()).await.unwrap();
    assert_eq!(error_of(&unknown).kind, codemode_runtime::ErrorKind::NotResumable);
    assert_eq!(hooks_run(&host), (1, 0));
    let done = approve_all(&runtime, paused).await;
    assert_eq!(hooks_run(&host), (2, 1));
    assert!(!runtime.reject(&id, Seq(0), anna()).await.unwrap());
    let again = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
    assert_eq!(error_of(&again).kind, codemode_runtime::ErrorKind::NotResumable);
    assert_eq!(hooks_run(&host), (2, 1));
    assert_eq!(stored(&runtime, &done).execution.status, Status::Completed);
}

/// Covers LIFECYCLE-01, LIFECYCLE-02.
#[tokio::test(flavor = "multi_thread")]
async fn the_hooks_of_a_component_commit_their_state() {
    let host = Host::new().with("kit", crate::connector::testkit("misc"));
    let runtime = host.runtime();
    let outcome = runtime.execute(PUT).await.unwrap();
    let id = id_of(&outcome);
    let state = |key: String| host.store.state("kit", None, &key).unwrap().map(|v| String::from_utf8(v.value).unwrap());
    assert_eq!(state(format!("hook/{id}/pass/1")).as_deref(), Some("PassStatus::Paused"));
    assert_eq!(state(format!("hook/{id}/end")), None);
    approve_all(&runtime, outcome).await;
    assert_eq!(state(format!("hook/{id}/pass/2")).as_deref(), Some("PassStatus::Completed"));
    assert_eq!(state(format!("hook/{id}/end")).as_deref(), Some("EndStatus::Completed"));
}
