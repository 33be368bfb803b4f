//! The native fixtures themselves: each execution is one line outside.

use std::sync::Arc;

use codemode_conformance::fixtures::{EventKind, Ledger, shelf, t};
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{Connector, Revert, Reverted, StateAccess};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::failure::EffectState;
use codemode_runtime::durable::journal::{Answer, Approval, ReplayPolicy};
use codemode_runtime::durable::value::{Json, ValueLimits};
use serde_json::{Value, json};

use crate::kit::{call, context, execution, session, store};

async fn give(native: &Native, method: &str, args: Value) -> Value {
    let text = call(native, method, Some(&args.to_string())).await.unwrap().unwrap();
    serde_json::from_str(&text).unwrap()
}

async fn revert(native: &Native, method: &str, args: &str, outcome: Option<Answer>) -> Result<Reverted, String> {
    let revert = Revert {
        context: context(7, 1_000),
        call_key: "exec_1:7".to_owned(),
        method: method.to_owned(),
        args: Some(args.to_owned()),
        outcome,
        state: session(&store(), StateAccess::ReadWrite),
    };
    native.revert(revert).await.map_err(|f| f.message)
}

fn returned(text: &str) -> Option<Answer> {
    Some(Ok(Some(Json::from_tagged(text, &ValueLimits::default()).unwrap())))
}

#[tokio::test]
async fn the_shelf_does_what_the_catalogue_says() {
    let ledger = Ledger::in_memory();
    let shelf = shelf(&ledger);
    assert_eq!(give(&shelf, "list", Value::Null).await, json!([]));
    assert_eq!(give(&shelf, "put", json!({ "title": "x" })).await, json!({ "id": 1, "title": "x" }));
    assert_eq!(give(&shelf, "list", Value::Null).await, json!([{ "id": 1, "title": "x" }]));
    assert_eq!(give(&shelf, "tick", Value::Null).await, json!({ "reads": 1 }));
    assert_eq!(give(&shelf, "tick", Value::Null).await, json!({ "reads": 2 }));
    assert_eq!(give(&shelf, "jot", json!({ "text": "n" })).await, json!({ "index": 0 }));
    assert_eq!(give(&shelf, "huge", json!({ "n": 3 })).await, json!("xxx"));
    assert_eq!(give(&shelf, "whoami", Value::Null).await, json!({ "executionId": "exec_1" }));
    assert_eq!(give(&shelf, "nap", json!({ "ms": 1 })).await, json!(1));
    assert_eq!(call(&shelf, "echo", None).await.unwrap(), None);
    assert_eq!(call(&shelf, "fail", None).await.unwrap_err().message, "shelf fail");
    assert_eq!(ledger.count("shelf", "list"), 2);
    let put = revert(&shelf, "put", r#"{"title":"x"}"#, returned(r#"{"id":1,"title":"x"}"#)).await;
    assert_eq!(put, Ok(Reverted::Reverted));
    assert_eq!(ledger.undone("shelf", "put"), [json!({ "id": 1, "title": "x" })]);
    assert_eq!(revert(&shelf, "list", "null", None).await, Ok(Reverted::NothingToRevert));
    let state = session(&store(), StateAccess::ReadWrite);
    shelf.pass_ended(&execution(), 1, Status::Paused, Arc::clone(&state)).await.unwrap();
    shelf.execution_ended(&execution(), Status::Completed, state).await.unwrap();
    assert_eq!(ledger.hooks(EventKind::PassEnded, "shelf"), [("exec_1".to_owned(), "paused".to_owned())]);
    assert_eq!(ledger.hooks(EventKind::ExecutionEnded, "shelf"), [("exec_1".to_owned(), "completed".to_owned())]);
}

#[tokio::test]
async fn the_other_fixture_counts_effects_that_fail_too() {
    let ledger = Ledger::in_memory();
    let t = t(&ledger);
    assert_eq!(give(&t, "add", json!({ "n": 5 })).await, json!({ "id": 1, "n": 5 }));
    assert_eq!(give(&t, "add", json!({ "n": 5 })).await, json!({ "id": 2, "n": 5 }));
    assert_eq!(give(&t, "gate", json!({ "op": "x" })).await, json!({ "ok": true, "op": "x" }));
    assert_eq!(give(&t, "addBig", json!({ "n": 1, "chars": 3 })).await, json!({ "id": 1, "s": "xxx" }));
    assert_eq!(give(&t, "live", Value::Null).await, json!({ "n": 1 }));
    assert_eq!(give(&t, "raw", json!({ "json": "{\"$cm\":1}" })).await, json!({ "$$cm": 1 }));
    let failed = call(&t, "addThenFail", Some("{\"n\":1}")).await.unwrap_err();
    assert_eq!(failed.effect, EffectState::Happened);
    assert_eq!(ledger.count("t", "addThenFail"), 1);
    let failed = call(&t, "fail", Some("{\"msg\":\"m\"}")).await.unwrap_err();
    assert_eq!((failed.code.as_str(), failed.name.as_deref()), ("429", Some("RateLimit")));
    assert!(call(&t, "flaky", Some("{\"failTimes\":1}")).await.is_err());
    assert_eq!(give(&t, "flaky", json!({ "failTimes": 1 })).await, json!("ok"));
}

#[tokio::test]
async fn a_revert_fails_as_often_as_it_was_asked_to() {
    let ledger = Ledger::in_memory();
    let t = t(&ledger);
    let args = r#"{"n":1,"revertFails":2}"#;
    for _ in 0..2 {
        assert!(revert(&t, "add", args, None).await.unwrap_err().contains("as asked"));
    }
    assert_eq!(revert(&t, "add", args, None).await, Ok(Reverted::Reverted));
    assert_eq!((ledger.count("t", "add"), ledger.reverts("t", "add")), (0, 1));
}

#[tokio::test]
async fn descriptions_pass_the_checks_for_connectors() {
    let ledger = Ledger::in_memory();
    let described = shelf(&ledger).describe().await.unwrap();
    let method = |name: &str| described.methods.iter().find(|m| m.name == name).unwrap();
    assert_eq!(method("put").approval, Approval::Required);
    assert_eq!(method("tick").replay, ReplayPolicy::Reexecute);
    assert!(t(&ledger).describe().await.is_ok());
}
