//! What passes between host and guest: context, values, failures, state, configuration; and what does not.

use codemode_runtime::connector::{Connector, StateAccess};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::failure::EffectState;
use codemode_runtime::durable::write::{Scope, Write};
use serde_json::{Value, json};

use crate::kit::{call, call_in, execution, options, session, store, testkit};

async fn give(method: &str, args: Option<&str>) -> Value {
    let text = call(&testkit("misc"), method, args).await.unwrap().unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn the_context_of_the_call_arrives() {
    let expected = json!({
        "executionId": "exec_1", "seq": 7, "pass": 2, "idempotencyKey": "exec_1:7", "attempt": 3, "remaining": true
    });
    assert_eq!(give("context", None).await, expected);
}

#[tokio::test]
async fn values_pass_as_text_and_absent_is_not_null() {
    let kit = testkit("misc");
    for args in [None, Some("null"), Some(r#"{"$cm":["bigint","10"]}"#), Some(r#""é🙂\u0000""#)] {
        assert_eq!(call(&kit, "echo", args).await.unwrap().as_deref(), args);
    }
    let big = format!("\"{}\"", "x".repeat(2_000_000));
    assert_eq!(call(&kit, "echo", Some(&big)).await.unwrap(), Some(big));
}

#[tokio::test]
async fn text_that_is_no_json_is_left_to_the_host_to_refuse() {
    assert_eq!(call(&testkit("misc"), "invalidJson", None).await.unwrap().as_deref(), Some("{\"a\":"));
}

#[tokio::test]
async fn a_failure_arrives_in_full() {
    let args = json!({
        "code": "429", "message": "slow down", "details": "{\"retryAfter\":3}", "effect": "happened",
        "retryAfterMs": 5, "name": "RateLimit"
    });
    let failure = call(&testkit("misc"), "failWith", Some(&args.to_string())).await.unwrap_err();
    assert_eq!((failure.code.as_str(), failure.message.as_str()), ("429", "slow down"));
    assert_eq!(failure.name.as_deref(), Some("RateLimit"));
    assert_eq!(failure.details.unwrap().as_str(), "{\"retryAfter\":3}");
    assert_eq!((failure.effect, failure.retry_after_ms), (EffectState::Happened, Some(5)));
}

#[tokio::test]
async fn nothing_is_granted() {
    let found = give("granted", None).await;
    for closed in ["file", "folder", "udp", "names"] {
        assert_eq!(found[closed], false, "{closed}: {found}");
    }
    assert_eq!((&found["environment"], &found["arguments"]), (&json!(0), &json!(0)));
    assert_ne!(found["tcp"], Value::Null, "{found}");
    assert_eq!(give("stdin", None).await["bytes"], 0);
}

#[tokio::test]
async fn output_without_end_is_cut_and_does_not_fail_the_call() {
    assert_eq!(give("flood", Some(r#"{"n":2000}"#)).await, 2_000);
}

#[tokio::test]
async fn configuration_is_read_and_what_is_not_set_is_absent() {
    let bytes = crate::kit::bytes(crate::kit::TESTKIT);
    let options = options("kit", &[("region", "eu")]);
    let kit = codemode_runtime::connector::component::ComponentConnector::load(crate::kit::engine(), &bytes, options)
        .unwrap();
    assert_eq!(call(&kit, "configGet", Some(r#"{"key":"region"}"#)).await.unwrap().as_deref(), Some("\"eu\""));
    assert_eq!(call(&kit, "configGet", Some(r#"{"key":"other"}"#)).await.unwrap(), None);
}

#[tokio::test]
async fn a_call_sees_its_own_writes_and_leaves_them_for_the_commit() {
    let kit = testkit("misc");
    let state = session(&store(), StateAccess::ReadWrite);
    let set = r#"{"scope":"execution","key":"k","value":{"a":1}}"#;
    assert_eq!(call_in(&kit, &state, 0, "stateSet", Some(set)).await.unwrap(), None);
    let get = |scope: &str| format!(r#"{{"scope":"{scope}","key":"k"}}"#);
    let seen = call_in(&kit, &state, 1, "stateGet", Some(&get("execution"))).await.unwrap();
    assert_eq!(seen.as_deref(), Some(r#"{"a":1}"#));
    assert_eq!(call_in(&kit, &state, 2, "stateGet", Some(&get("connector"))).await.unwrap(), None);
    let keys = call_in(&kit, &state, 3, "stateKeys", Some(r#"{"scope":"execution","prefix":"","limit":0}"#)).await;
    assert_eq!(keys.unwrap().as_deref(), Some(r#"{"keys":["k"],"next":null}"#));
    let gone = call_in(&kit, &state, 4, "stateDelete", Some(&get("execution"))).await.unwrap();
    assert_eq!(gone.as_deref(), Some("true"));
    let writes = state.take_writes();
    let [.., Write::State(last)] = &writes[..] else { panic!("{writes:?}") };
    assert_eq!((last.at.connector.as_str(), last.at.scope, &last.value), ("kit", Scope::Execution, &None));
}

#[tokio::test]
async fn state_is_refused_with_a_reason_where_it_may_not_be_written() {
    let kit = testkit("misc");
    let state = session(&store(), StateAccess::ReadOnly);
    let set = r#"{"key":"k","value":1}"#;
    let failure = call_in(&kit, &state, 0, "stateSetReadOnly", Some(set)).await.unwrap_err();
    assert_eq!(failure.code, "denied");
    assert!(failure.message.contains("read-only"), "{}", failure.message);
    let state = session(&store(), StateAccess::ReadWrite);
    let long = json!({ "key": "k".repeat(1_025), "value": 1 }).to_string();
    let failure = call_in(&kit, &state, 0, "stateSet", Some(&long)).await.unwrap_err();
    assert_eq!((failure.code.as_str(), failure.message.as_str()), ("too-large", "over a limit of 1024"));
}

#[tokio::test]
async fn hooks_run_with_the_ends_that_the_contract_knows() {
    let kit = testkit("misc");
    let state = session(&store(), StateAccess::ReadWrite);
    kit.pass_ended(&execution(), 2, Status::Paused, state.clone()).await.unwrap();
    kit.pass_ended(&execution(), 2, Status::Rejected, state.clone()).await.unwrap();
    kit.execution_ended(&execution(), Status::RolledBack, state.clone()).await.unwrap();
    kit.execution_ended(&execution(), Status::Running, state.clone()).await.unwrap();
    let (keys, _) = state.list_keys(Scope::Connector, "hook/", None, 10).unwrap();
    assert_eq!(keys, ["hook/exec_1/end", "hook/exec_1/pass/2"]);
}
