//! APPROVE: one call waits for a person, and what a person approves is what runs, once.

use std::sync::Arc;

use codemode_conformance::harness::{
    Host, anna, approve_all, approve_seq, error_of, id_of, json, pending_of, result_of,
};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::durable::journal::ReplayPolicy;
use codemode_runtime::{By, Error, ErrorKind, ExecutionId, Outcome, Pick, Picks, Query, Seq};
use serde_json::{Value, json};

use crate::support::{created, memory, parsed, record, soon, status, wire};

/// Covers APPROVE-01, APPROVE-02, APPROVE-03, OUTPUT-02, runtime#4, runtime-handle#7.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_waits_is_shown_and_runs_once_it_is_approved() {
    let host = Host::new();
    let runtime = host.runtime();
    let paused = runtime.execute("async () => shelf.put({ title: 'hello' })").await.unwrap();
    let id = id_of(&paused);
    let shown = wire(&paused);
    let pending = shown["pending"].as_array().unwrap();
    assert_eq!(pending.len(), 1);
    let mut item = pending[0].as_object().unwrap().clone();
    // Our one addition: what an approval names.
    assert!(item.remove("digest").unwrap().as_str().is_some_and(|d| d.len() > 16));
    assert_eq!(
        Value::Object(item),
        json!({
            "executionId": id.as_str(), "seq": 0, "connector": "shelf", "method": "put", "args": { "title": "hello" }
        })
    );
    assert_eq!((created(&host), status(&runtime, &id)), (vec![], "paused"));

    let outcome = approve_seq(&runtime, &id, 0).await;
    assert_eq!(
        wire(&outcome),
        json!({
            "status": "completed", "executionId": id.as_str(), "result": { "id": 1, "title": "hello" },
            "calls": [{
                "seq": 0, "connector": "shelf", "method": "put", "args": { "title": "hello" },
                "result": { "id": 1, "title": "hello" }, "requiresApproval": true, "state": "applied",
                "approvedBy": "anna"
            }]
        })
    );
    assert_eq!((created(&host), status(&runtime, &id)), (vec!["hello".to_owned()], "completed"));
}

/// Covers APPROVE-04.
#[tokio::test(flavor = "multi_thread")]
async fn each_approved_call_runs_exactly_once_over_the_life_of_its_execution() {
    let host = Host::new();
    let runtime = host.runtime();
    let code =
        "async () => { await shelf.put({ title: 'one' }); await shelf.put({ title: 'two' }); return shelf.list(); }";
    let first = runtime.execute(code).await.unwrap();
    assert_eq!(pending_of(&first), [r#"0 shelf.put {"title":"one"}"#]);
    let second = approve_seq(&runtime, &id_of(&first), 0).await;
    assert_eq!(pending_of(&second), [r#"1 shelf.put {"title":"two"}"#]);
    assert_eq!(created(&host), ["one"]);
    let outcome = approve_seq(&runtime, &id_of(&first), 1).await;
    assert_eq!(parsed(&result_of(&outcome)), json!([{ "id": 1, "title": "one" }, { "id": 2, "title": "two" }]));
    assert_eq!(created(&host), ["one", "two"]);
}

/// Covers APPROVE-05, APPROVE-11, REJECT-07, LIFECYCLE-12, OUTPUT-04, runtime#8.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_over_cannot_be_approved() {
    let host = Host::new();
    let runtime = host.runtime();
    let put = "async () => shelf.put({ title: 'x' })";
    let rejected = id_of(&runtime.execute(put).await.unwrap());
    assert!(runtime.reject(&rejected, Seq(0), anna()).await.unwrap());
    let completed = id_of(&runtime.execute("async () => 1").await.unwrap());
    let failed = id_of(&runtime.execute("async () => { throw 1 }").await.unwrap());
    for (id, word) in [(rejected, "rejected"), (completed, "completed"), (failed, "error")] {
        let (before, events) = (record(&runtime, &id), host.ledger.events());
        let refused = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
        let Outcome::Failed { execution: Some(echoed), error, calls: None, .. } = &refused else {
            panic!("{refused:?}")
        };
        assert_eq!(*echoed, id);
        assert_eq!(error.kind, ErrorKind::NotResumable);
        assert_eq!(error.message, format!("execution {id} is not paused: its status is {word}"));
        assert_eq!(wire(&refused).get("calls"), None);
        assert_eq!((record(&runtime, &id), host.ledger.events()), (before, events));
    }
    assert_eq!((runtime.pending(None).unwrap(), created(&host)), (vec![], vec![]));
}

/// Covers APPROVE-06, APPROVE-11, OUTPUT-04.
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_id_is_echoed() {
    let runtime = Host::new().runtime();
    let id = ExecutionId::from_text("zz");
    let refused = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
    assert_eq!(error_of(&refused).message, "there is no execution zz to resume");
    let wire = wire(&refused);
    assert_eq!((&wire["status"], &wire["executionId"], wire.get("calls")), (&json!("error"), &json!("zz"), None));
    assert_eq!(runtime.pending(Some(&id)).unwrap(), []);
    assert_eq!(runtime.executions(&Query::default()).unwrap(), []);
}

/// Covers APPROVE-07, WEAK-03.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_names_the_call_and_the_digest_of_what_was_shown() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = |title: &str| format!("async () => shelf.put({{ title: '{title}' }})");
    let id = id_of(&runtime.execute(code("harmless")).await.unwrap());
    let other = runtime.execute(code("harmful")).await.unwrap();
    let Outcome::Paused { pending: of_other, .. } = &other else { panic!("{other:?}") };
    let own = runtime.pending(Some(&id)).unwrap();
    assert_ne!(own[0].digest, of_other[0].digest);
    let pick = |seq: u32, digest: &str| Picks::These(vec![Pick { seq: Seq(seq), digest: digest.to_owned() }]);
    for (picks, said) in [
        (pick(0, &of_other[0].digest), "the digest given for seq 0 is not that of the pending shelf.put".to_owned()),
        (pick(1, &own[0].digest), format!("seq 1 of execution {id} is not pending")),
        (Picks::These(Vec::new()), "the approval names no call".to_owned()),
    ] {
        let refused = runtime.approve(&id, picks, anna()).await.unwrap();
        assert_eq!(
            (error_of(&refused).kind, error_of(&refused).message.as_str()),
            (ErrorKind::NotResumable, said.as_str())
        );
        assert_eq!((status(&runtime, &id), created(&host)), ("paused", vec![]));
    }
    let outcome = runtime.approve(&id, pick(0, &own[0].digest), anna()).await.unwrap();
    assert_eq!(parsed(&result_of(&outcome)), json!({ "id": 1, "title": "harmless" }));
    assert_eq!(created(&host), ["harmless"]);
}

/// Covers APPROVE-08, OUTPUT-09.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_answers_in_the_shapes_of_an_execution() {
    let runtime = Host::new().runtime();
    let keys = |outcome: &Outcome| wire(outcome).as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for (direct, after, shape) in [
        (
            "async () => 1",
            "async () => { await shelf.put({ title: 'x' }); return 1; }",
            vec!["calls", "executionId", "result", "status"],
        ),
        (
            "async () => { throw 1 }",
            "async () => { await shelf.put({ title: 'x' }); throw 1; }",
            vec!["calls", "error", "errorInfo", "executionId", "status"],
        ),
        (
            "async () => shelf.put({ title: 'x' })",
            "async () => { await shelf.put({ title: 'x' }); await shelf.put({ title: 'y' }); }",
            vec!["calls", "executionId", "pending", "status"],
        ),
    ] {
        let direct = runtime.execute(direct).await.unwrap();
        let paused = runtime.execute(after).await.unwrap();
        let approved = approve_seq(&runtime, &id_of(&paused), 0).await;
        assert_eq!((direct.status(), keys(&direct)), (approved.status(), keys(&approved)));
        let mut sorted = keys(&approved);
        sorted.sort();
        assert_eq!(sorted, shape);
    }
}

/// Covers APPROVE-09, runtime#37.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_without_the_recorded_connectors_leaves_the_execution_paused() {
    let host = Host::new();
    let paused = host.runtime().execute("async () => shelf.put({ title: 'x' })").await.unwrap();
    let id = id_of(&paused);
    let bare = Host::bare(host.store.clone()).runtime();
    let refused = bare.approve(&id, Picks::AllPending, anna()).await.unwrap();
    let error = error_of(&refused);
    assert_eq!(error.kind, ErrorKind::MissingConnector);
    assert_eq!(error.message, format!("execution {id} requires connector(s) \"shelf\", \"t\" that are not configured"));
    assert_eq!((status(&bare, &id), created(&host)), ("paused", vec![]));
    assert_eq!(pending_of(&paused).len(), bare.pending(Some(&id)).unwrap().len());
    assert_eq!(parsed(&result_of(&approve_all(&host.runtime(), paused).await)), json!({ "id": 1, "title": "x" }));
    // Whatever the status: what is missing is said first.
    let again = bare.approve(&id, Picks::AllPending, anna()).await.unwrap();
    assert_eq!(error_of(&again).kind, ErrorKind::MissingConnector);
}

/// Covers APPROVE-14, connectors#5.
#[tokio::test(flavor = "multi_thread")]
async fn approval_and_reexecution_of_one_method_are_refused_when_the_connector_is_described() {
    let put = Method { replay: ReplayPolicy::Reexecute, ..Method::write("put").needs_approval() };
    let host = Host::bare(memory()).with("crm", Arc::new(Native::new("crm").method_sync(put, |_, _| Ok(json!(1)))));
    let runtime = host.runtime();
    let refused = runtime.execute("async () => 1").await.unwrap_err();
    assert!(matches!(&refused, Error::Describe { connector, .. } if connector == "crm"), "{refused:?}");
    assert!(
        refused.to_string().contains("`crm.put` cannot combine approval with `replay: \"reexecute\"`"),
        "{refused}"
    );
    assert_eq!(runtime.executions(&Query::default()).unwrap(), []);
}

/// Covers APPROVE-15, CONCURRENCY-03, WEAK-16.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_approvals_at_once_one_resumes_and_the_other_is_told_so() {
    for _ in 0..10 {
        let host = Host::new();
        // Two handles, as two processes would have.
        let (a, b) = (host.runtime(), host.runtime());
        let id = id_of(&a.execute("async () => shelf.put({ title: 'x' })").await.unwrap());
        let both = async {
            tokio::join!(a.approve(&id, Picks::AllPending, anna()), b.approve(&id, Picks::AllPending, anna()))
        };
        let (one, two) = soon(both).await;
        let mut outcomes = [one.unwrap(), two.unwrap()];
        outcomes.sort_by_key(|o| o.status().as_str());
        assert_eq!(parsed(&result_of(&outcomes[0])), json!({ "id": 1, "title": "x" }));
        let error = error_of(&outcomes[1]);
        assert_eq!(error.kind, ErrorKind::NotResumable);
        assert!(
            error.message.starts_with(&format!("execution {id} is not paused: its status is ")),
            "{}",
            error.message
        );
        assert_eq!((created(&host), status(&a, &id)), (vec!["x".to_owned()], "completed"));
    }
}

/// Covers APPROVE-16.
#[tokio::test(flavor = "multi_thread")]
async fn an_approved_call_that_fails_ends_the_run_like_any_other() {
    let failing = Native::new("k").method_sync(Method::write("put").needs_approval(), |_, _| {
        Err::<Value, _>(Failure::new(code::CONFLICT, "the row is taken"))
    });
    let host = Host::new().with("k", Arc::new(failing));
    let runtime = host.runtime();
    let paused = runtime.execute("async () => k.put({})").await.unwrap();
    let outcome = approve_all(&runtime, paused).await;
    let id = id_of(&outcome);
    assert_eq!(error_of(&outcome).message, "the row is taken");
    assert_eq!(status(&runtime, &id), "error");
    let entry = record(&runtime, &id).entries.remove(0);
    assert_eq!(entry.state.as_str(), "failed");
    assert_eq!(entry.answer, Some(Err(Failure::new(code::CONFLICT, "the row is taken"))));
}

/// Covers WEAK-33.
#[tokio::test(flavor = "multi_thread")]
async fn the_record_says_who_approved_through_which_door_and_why() {
    let host = Host::new();
    let runtime = host.runtime();
    let id = id_of(&runtime.execute("async () => shelf.put({ title: 'x' })").await.unwrap());
    let by = By { actor: "bob".to_owned(), channel: "cli".to_owned(), reason: Some("agreed by mail".to_owned()) };
    runtime.approve(&id, Picks::AllPending, by).await.unwrap();
    let entry = record(&runtime, &id).entries.remove(0);
    let decision = entry.decision.unwrap();
    assert_eq!((decision.actor.as_str(), decision.channel.as_str()), ("bob", "cli"));
    assert_eq!(decision.reason.as_deref(), Some("agreed by mail"));
    assert_eq!(entry.request.args(), Some(&json(r#"{"title":"x"}"#)));
}
