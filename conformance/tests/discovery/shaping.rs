//! Cutting results for a model: what is recorded stays whole.

use std::sync::Arc;

use codemode_conformance::harness::{executor, id_of, result_of};
use codemode_runtime::Runtime;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::truncate::{Budget, truncated};

/// Covers TRUNCATE-08, TRUNCATE-01, TRUNCATE-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_cut_result_is_recorded_whole_and_replayed_whole() {
    let budget = Budget { chars: Some(20), ..Budget::default() };
    let runtime = Runtime::builder()
        .store(Arc::new(MemoryStore::new()))
        .executor(executor())
        .transform(move |result| async move { Ok(truncated(result, budget)) })
        .build()
        .unwrap();
    let outcome =
        runtime.execute("async () => codemode.step('much', () => ({ rows: 'x'.repeat(100) }))").await.unwrap();
    let shown: String = serde_json::from_str(&result_of(&outcome)).unwrap();
    assert!(shown.starts_with("{\n  \"rows\": \"xxxxxxx\n\n--- cut here ---\n"), "{shown}");
    let record = runtime.record(&id_of(&outcome)).unwrap().unwrap();
    let whole = format!(r#"{{"rows":"{}"}}"#, "x".repeat(100));
    assert_eq!(record.execution.result.as_ref().map(|json| json.as_str()), Some(whole.as_str()));
    let small = runtime.execute("async () => [1, 2]").await.unwrap();
    assert_eq!(result_of(&small), "[1,2]");
}
