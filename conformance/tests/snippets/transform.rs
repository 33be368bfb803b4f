//! TRANSFORM: the host shapes what callers get of a completed execution; the record keeps what the code returned.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::fixtures::{Ledger, shelf};
use codemode_conformance::harness::{approve_seq, error_of, executor, id_of, json as tagged};
use codemode_runtime::{Json, Runtime, RuntimeBuilder, Store};
use serde_json::{Value, json};

use crate::kit::{both, value};

fn builder(store: Arc<dyn Store>) -> RuntimeBuilder {
    Runtime::builder().store(store).executor(executor()).connector("shelf", Arc::new(shelf(&Ledger::in_memory())))
}

/// `{shaped: result}`, and how often.
fn shaping(store: Arc<dyn Store>) -> (Runtime, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let counted = count.clone();
    let runtime = builder(store).transform(move |result: Option<Json>| {
        let counted = counted.clone();
        async move {
            // Something to wait for: a transform may be asynchronous.
            tokio::task::yield_now().await;
            counted.fetch_add(1, Ordering::SeqCst);
            let raw = result.as_ref().map_or("null", Json::as_str);
            Ok(Some(tagged(&format!("{{\"shaped\":{raw}}}"))))
        }
    });
    (runtime.build().unwrap(), count)
}

fn recorded(runtime: &Runtime, outcome: &codemode_runtime::Outcome) -> Value {
    let result = runtime.record(&id_of(outcome)).unwrap().unwrap().execution.result;
    serde_json::from_str(result.unwrap().as_str()).unwrap()
}

/// Covers TRANSFORM-01, TRANSFORM-02, APPROVE-08, runtime#39.
#[tokio::test(flavor = "multi_thread")]
async fn results_are_shaped_after_the_first_pass_and_after_a_resumed_one() {
    for home in both() {
        let (runtime, count) = shaping(home.store());
        let first = runtime.execute("async () => shelf.list()").await.unwrap();
        assert_eq!((value(&first), recorded(&runtime, &first)), (json!({ "shaped": [] }), json!([])));
        let paused = runtime.execute("async () => shelf.put({ title: 'z' })").await.unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 1);
        let resumed = approve_seq(&runtime, &id_of(&paused), 0).await;
        let row = json!({ "id": 1, "title": "z" });
        assert_eq!((value(&resumed), recorded(&runtime, &resumed)), (json!({ "shaped": row }), row));
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }
}

/// Covers TRANSFORM-03.
#[tokio::test(flavor = "multi_thread")]
async fn a_transform_that_fails_or_panics_gives_the_raw_result() {
    for home in both() {
        let fails = builder(home.store()).transform(|_| async { Err("the transform's own trouble".into()) });
        let panics = builder(home.store()).transform(|_| async { panic!("out of luck") });
        let undefined = builder(home.store()).transform(|_| async { Ok(None) });
        for failing in [fails, panics] {
            let outcome = failing.build().unwrap().execute("async () => [1]").await.unwrap();
            assert_eq!(value(&outcome), json!([1]));
        }
        let nothing = undefined.build().unwrap().execute("async () => 1").await.unwrap();
        assert_eq!(value(&nothing), Value::Null, "a transform may give nothing");
    }
}

/// Covers TRANSFORM-04.
#[tokio::test(flavor = "multi_thread")]
async fn pauses_errors_and_results_of_calls_are_not_shaped() {
    for home in both() {
        let (runtime, count) = shaping(home.store());
        runtime.execute("async () => shelf.put({ title: 'z' })").await.unwrap();
        let failed = runtime.execute("async () => { throw new Error('no') }").await.unwrap();
        assert_eq!(error_of(&failed).message, "no");
        runtime.execute("async () => (((").await.unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 0);
        let seen =
            runtime.execute("async () => [await shelf.list(), await codemode.step('s', () => 1)]").await.unwrap();
        assert_eq!(value(&seen), json!({ "shaped": [[], 1] }));
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}
