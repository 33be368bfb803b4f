//! The example connector.

use std::sync::Arc;

use codemode_runtime::connector::component::ComponentConnector;
use codemode_runtime::connector::{Connector, Flag, Revert, Reverted, StateAccess, StateSession};
use codemode_runtime::durable::journal::{Approval, Effect, Reach};
use serde_json::{Value, json};

use crate::kit::{NOTES, bytes, call, call_in, context, engine, options, session, store};

fn notes() -> ComponentConnector {
    ComponentConnector::load(engine(), &bytes(NOTES), options("notes", &[])).unwrap()
}

async fn list(state: &Arc<StateSession>) -> Value {
    serde_json::from_str(&call_in(&notes(), state, 0, "listNotes", None).await.unwrap().unwrap()).unwrap()
}

fn revert_of(state: &Arc<StateSession>, seq: u32) -> Revert {
    Revert {
        context: context(seq, 20_000),
        call_key: format!("exec_1:{seq}"),
        method: "createNote".to_owned(),
        args: None,
        outcome: None,
        state: Arc::clone(state),
    }
}

#[tokio::test]
async fn it_describes_a_read_and_an_approved_revertible_write() {
    let notes = notes();
    let description = notes.describe().await.unwrap();
    assert_eq!(description.suggested_name, "notes");
    let [list, create] = &description.methods[..] else { panic!("{description:?}") };
    assert_eq!((list.name.as_str(), list.effect, list.approval), ("listNotes", Effect::ReadOnly, Approval::NotNeeded));
    assert_eq!(
        (create.name.as_str(), create.approval, create.revertible),
        ("createNote", Approval::Required, Flag::Yes)
    );
    let schema: Value = serde_json::from_str(create.input_schema.as_deref().unwrap()).unwrap();
    assert_eq!(schema["required"], json!(["text"]));
    assert_eq!(notes.reach(), Reach::StateOnly);
    assert!(notes.inspection().offending.is_empty());
}

#[tokio::test]
async fn notes_are_listed_in_order_of_creation_and_reverted_by_key() {
    let state = session(&store(), StateAccess::ReadWrite);
    assert_eq!(list(&state).await, json!([]));
    for (seq, text) in [(9, "first"), (1, "second")] {
        let args = json!({ "text": text }).to_string();
        let made = call_in(&notes(), &state, seq, "createNote", Some(&args)).await.unwrap().unwrap();
        assert_eq!(made, json!({ "id": format!("exec_1:{seq}"), "text": text }).to_string());
        // The clock of the guest has milliseconds.
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    let both = json!([{ "id": "exec_1:9", "text": "first" }, { "id": "exec_1:1", "text": "second" }]);
    assert_eq!(list(&state).await, both);
    assert_eq!(notes().revert(revert_of(&state, 9)).await.unwrap(), Reverted::Reverted);
    assert_eq!(notes().revert(revert_of(&state, 9)).await.unwrap(), Reverted::NothingToRevert);
    assert_eq!(list(&state).await, json!([{ "id": "exec_1:1", "text": "second" }]));
}

#[tokio::test]
async fn a_repeated_call_finds_its_own_note() {
    let state = session(&store(), StateAccess::ReadWrite);
    let first = call_in(&notes(), &state, 4, "createNote", Some(r#"{"text":"a"}"#)).await;
    let again = call_in(&notes(), &state, 4, "createNote", Some(r#"{"text":"a"}"#)).await;
    assert_eq!(first, again);
    assert_eq!(list(&state).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn wrong_arguments_are_refused_with_what_is_expected() {
    let long = json!({ "text": "x".repeat(100_001) }).to_string();
    let cases = [
        (None, "nothing"),
        (Some("null"), "no object"),
        (Some("{}"), "without `text`"),
        (Some(r#"{"text":1}"#), "no string"),
        (Some(r#"{"text":""}"#), "empty"),
        (Some(r#"{"text":"a","x":1}"#), "unknown member `x`"),
        (Some(long.as_str()), "100001 characters"),
    ];
    for (args, got) in cases {
        let failure = call(&notes(), "createNote", args).await.unwrap_err();
        assert_eq!(failure.code, "invalid-arguments");
        assert!(failure.message.contains("{ text: string }") && failure.message.contains(got), "{}", failure.message);
    }
    assert_eq!(call(&notes(), "nope", None).await.unwrap_err().code, "unknown-method");
}
