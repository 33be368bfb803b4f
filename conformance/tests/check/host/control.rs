//! The five operations: which refusal is which, and that none changes anything.

use codemode_conformance::harness::engine;
use codemode_runtime::control::{Control, ControlError};
use codemode_runtime::{By, Pick, Seq};
use serde_json::Value;

use super::driver::runtime;

fn control() -> Control {
    Control::new(runtime(engine()))
}

fn by() -> By {
    By::library("anna")
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// An execution that waits for one approval: its id and what would approve it.
async fn paused(control: &Control) -> (String, Pick) {
    let outcome = read(&control.execute(r#"async () => ledger.gate({ text: "a" })"#, None).await.unwrap());
    let call = &outcome["pending"][0];
    let seq = Seq(u32::try_from(call["seq"].as_u64().unwrap()).unwrap());
    let digest = call["digest"].as_str().unwrap().to_owned();
    (outcome["executionId"].as_str().unwrap().to_owned(), Pick { seq, digest })
}

#[tokio::test]
async fn each_refused_approval_says_why_and_changes_nothing() {
    let control = control();
    let (id, pick) = paused(&control).await;
    let refused = |picks: Vec<Pick>| {
        let (control, id) = (control.clone(), id.clone());
        async move { control.approve(&id, picks, by()).await.unwrap_err() }
    };
    let elsewhere = Pick { seq: Seq(7), ..pick.clone() };
    assert!(matches!(refused(vec![elsewhere]).await, ControlError::NotFound(said) if said.contains("seq 7")));
    let otherwise = Pick { digest: "0".repeat(64), ..pick.clone() };
    assert!(matches!(refused(vec![otherwise]).await, ControlError::Invalid(said) if said.contains("digest")));
    assert!(matches!(refused(Vec::new()).await, ControlError::Invalid(_)));
    let unknown = control.approve("exec_0", vec![pick.clone()], by()).await;
    assert!(matches!(unknown, Err(ControlError::NotFound(said)) if said.contains("exec_0")));
    let outcome = read(&control.approve(&id, vec![pick.clone()], by()).await.unwrap());
    assert_eq!(outcome["status"], "completed");
    assert!(matches!(refused(vec![pick]).await, ControlError::Conflict(said) if said.contains("completed")));
}

#[tokio::test]
async fn a_call_that_was_decided_before_is_a_conflict_while_others_wait() {
    let control = control();
    let code = r#"async () => Promise.all(["a", "b"].map((text) => ledger.gate({ text })))"#;
    let outcome = read(&control.execute(code, None).await.unwrap());
    let id = outcome["executionId"].as_str().unwrap();
    let pick = Pick { seq: Seq(0), digest: outcome["pending"][0]["digest"].as_str().unwrap().to_owned() };
    assert_eq!(read(&control.approve(id, vec![pick.clone()], by()).await.unwrap())["status"], "paused");
    assert!(matches!(control.approve(id, vec![pick], by()).await, Err(ControlError::Conflict(_))));
}

#[tokio::test]
async fn unknown_executions_are_not_found_and_have_nothing_pending() {
    let control = control();
    assert!(matches!(control.reject("exec_0", 0, by()).await, Err(ControlError::NotFound(_))));
    assert!(matches!(control.rollback("exec_0").await, Err(ControlError::NotFound(_))));
    assert_eq!(control.pending(Some("exec_0")), Ok("[]".to_owned()));
    let (id, _) = paused(&control).await;
    assert_eq!(control.reject(&id, 9, by()).await, Ok(false));
    assert_eq!(control.reject(&id, 0, by()).await, Ok(true));
}

#[tokio::test]
async fn an_input_is_tagged_json_up_to_the_limit_of_a_value() {
    let control = control();
    let code = "async (input) => input instanceof Date ? 'date' : input.length";
    let date = control.execute(code, Some(r#"{"$cm":["date",0]}"#)).await.unwrap();
    assert_eq!(read(&date)["result"], "date");
    let text = |units: usize| format!("\"{}\"", "a".repeat(units - 2));
    let largest = control.execute(code, Some(&text(1_000_000))).await.unwrap();
    assert_eq!(read(&largest)["result"], 999_998);
    for wrong in [text(1_000_001), "{".to_owned(), String::new(), r#"{"$cm":["nothing"]}"#.to_owned()] {
        assert!(matches!(control.execute(code, Some(&wrong)).await, Err(ControlError::Invalid(_))), "{wrong:.20}");
    }
}
