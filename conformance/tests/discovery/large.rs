//! A catalogue of thousands of methods is asked for once, and costs a pass nothing that does not look at it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::catalogues::{names, openapi};
use codemode_runtime::store::memory::MemoryStore;
use serde_json::json;

use crate::kit::{Described, echoing, result, runtime, said, taking};

/// Covers BUG-MCP-14.
#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_methods_are_described_once_for_all_passes() {
    let schema = openapi().swap_remove(0).input;
    assert!(schema.len() >= 4_000, "{}", schema.len());
    let methods = (0..7).flat_map(names).map(|(name, text)| said(taking(&name, &schema), &text));
    let zone = said(taking("zone_purge", &schema), "Empties the cache of a zone");
    let asked = Arc::new(AtomicU32::new(0));
    let large = Described(echoing("api", methods.chain([zone])), asked.clone());
    let runtime = runtime(Arc::new(MemoryStore::new()), vec![("api", Arc::new(large))]);
    for _ in 0..50 {
        assert_eq!(result(&runtime, "async () => 1").await, 1);
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let code = "async () => {
        const found = await codemode.search('zone');
        const { path, types } = await codemode.describe(found.results[0].path);
        return [found.total, path, types.length < 20000, types.includes('type ZonePurgeInput = '), types.includes('Issue')]; }";
    for _ in 0..2 {
        assert_eq!(result(&runtime, code).await, json!([1, "api.zone_purge", true, true, false]));
    }
    let docs = runtime.describe("api").await.unwrap();
    assert!(docs.types.len() <= 100_000 && docs.types.contains("more methods are left out"), "{}", docs.types.len());
    assert_eq!(runtime.search("issue").await.unwrap().results.len(), 50);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}
