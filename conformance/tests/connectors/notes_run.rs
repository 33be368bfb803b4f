//! The note-keeping example as a whole: found by search, described, approved, listed and taken back.

use std::sync::Arc;

use codemode_conformance::harness::{Host, anna, approve_seq, id_of, pending_of, result_of};
use codemode_runtime::connector::component::ComponentConnector;
use codemode_runtime::{Code, Outcome, Runtime, Seq};
use serde_json::{Value, json};

use crate::desk::stores;
use crate::kit::{NOTES, bytes, engine, options};

/// What a model would run to see what there is: search, the docs of the first hit, and the notes.
const LOOK: &str = "async () => {
  const { results } = await codemode.search('create a note');
  const docs = await codemode.describe(results[0].path);
  return { first: results[0].path, docs, notes: await notes.listNotes() };
}";

const WRITE: &str = "async ({ text }) => notes.createNote({ text })";

async fn looked(runtime: &Runtime) -> Value {
    let outcome = runtime.execute(LOOK).await.unwrap();
    serde_json::from_str(&result_of(&outcome)).unwrap()
}

/// Covers EXAMPLE-04, APPROVE-01, APPROVE-03, ROLLBACK-01.
#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_found_out_about_approved_listed_and_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let notes = ComponentConnector::load(engine(), &bytes(NOTES), options("notes", &[])).unwrap();
        let host = Host::bare(Arc::clone(&store)).with("notes", Arc::new(notes));
        let runtime = host.runtime();
        let before = looked(&runtime).await;
        assert_eq!((&before["first"], &before["notes"]), (&json!("notes.createNote"), &json!([])));
        assert!(before["docs"].to_string().contains("Creates a note"), "{before}");

        let input = r#"{"text":"buy milk"}"#;
        let paused =
            runtime.execute(Code::new(WRITE).with_input(codemode_conformance::harness::json(input))).await.unwrap();
        assert_eq!(pending_of(&paused), [format!("0 notes.createNote {input}")]);
        assert_eq!(looked(&runtime).await["notes"], json!([]), "nothing happens before a person says so");
        let id = id_of(&paused);
        let done = approve_seq(&runtime, &id, 0).await;
        let note: Value = serde_json::from_str(&result_of(&done)).unwrap();
        assert_eq!(note, json!({ "id": format!("{id}:0"), "text": "buy milk" }));
        assert_eq!(looked(&runtime).await["notes"], json!([note]));

        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!((report.left(), report.error()), (0, None), "{report:?}");
        assert_eq!(looked(&runtime).await["notes"], json!([]));

        let again =
            runtime.execute(Code::new(WRITE).with_input(codemode_conformance::harness::json(input))).await.unwrap();
        assert!(runtime.reject(&id_of(&again), Seq(0), anna()).await.unwrap());
        assert_eq!(looked(&runtime).await["notes"], json!([]));
        assert!(matches!(again, Outcome::Paused { .. }));
    }
}
