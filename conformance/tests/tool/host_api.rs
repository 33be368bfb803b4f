//! The whole handle that a host has, used once each with the type that it gives back: whoever changes one of them changes
//! this file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::harness::{Host, anna, id_of};
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{BoxFuture, Call, CallOutput, Connector, Description, Revert, Reverted};
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::store::Record;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::tool::{CodeTool, CodeToolOptions, Tool, ToolOptions};
use codemode_runtime::{
    Docs, Error, ExecutionId, Found, Outcome, PendingCall, Picks, RollbackReport, Runtime, SaveSnippet, Seq, Snippet,
    Started,
};

use crate::kit::{Noting, bare};

const WAITS: &str = "async () => shelf.put({ title: 'a' })";

/// Covers HOSTAPI-01, HOSTAPI-02, HOSTAPI-06, runtime-handle#9.
#[tokio::test(flavor = "multi_thread")]
async fn every_operation_is_there_and_names_the_execution_that_it_is_about() {
    let runtime: Runtime = Host::new().runtime();
    let _: Tool = runtime.tool(ToolOptions::new()).await.unwrap();
    let _: CodeTool = runtime.code_tool(CodeToolOptions::new()).await.unwrap();
    let paused: Outcome = runtime.execute(WAITS).await.unwrap();
    let started: Started = runtime.start("async () => 1").await.unwrap();
    let _: Outcome = started.outcome().await.unwrap();
    let _: Found = runtime.search("put").await.unwrap();
    let _: Docs = runtime.describe("shelf.put").await.unwrap();
    let id: ExecutionId = id_of(&paused);

    let pending: Vec<PendingCall> = runtime.pending(Some(&id)).unwrap();
    let of_all: Vec<PendingCall> = runtime.pending(None).unwrap();
    assert_eq!((pending.len(), of_all.len()), (1, 1));
    let approved: Outcome = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
    assert!(matches!(approved, Outcome::Completed { .. }), "{approved:?}");
    let rejected: bool = runtime.reject(&id, Seq(0), anna()).await.unwrap();
    let record: Option<Record> = runtime.record(&id).unwrap();
    assert!(!rejected && record.is_some());
    let all = runtime.executions(&Default::default()).unwrap();
    assert_eq!(all.len(), 2);

    let snippet: Snippet = runtime.save_snippet("put", SaveSnippet::from(id.clone())).unwrap();
    let snippets: Vec<Snippet> = runtime.snippets().unwrap();
    let one: Option<Snippet> = runtime.snippet("put").unwrap();
    assert_eq!((snippets.as_slice(), one.as_ref()), ([snippet.clone()].as_slice(), Some(&snippet)));
    let was_there: bool = runtime.delete_snippet("put").unwrap();
    let is_gone: bool = runtime.delete_snippet("put").unwrap();
    assert!(was_there && !is_gone);

    let report: RollbackReport = runtime.rollback(&id).await.unwrap();
    assert_eq!(report.calls.len(), 1);
    let waits = id_of(&runtime.execute(WAITS).await.unwrap());
    let expired: Vec<ExecutionId> = runtime.expire_paused(0).await.unwrap();
    assert_eq!(expired, std::slice::from_ref(&waits));
    let deleted: bool = runtime.delete(&waits).await.unwrap();
    let deleted_again: bool = runtime.delete(&waits).await.unwrap();
    assert!(deleted && !deleted_again);
    let pruned: u64 = runtime.prune_executions(0).unwrap();
    assert_eq!(pruned, 2);
    assert_eq!(runtime.connectors().collect::<Vec<_>>(), ["shelf", "t"]);
}

/// Covers HOSTAPI-04.
#[tokio::test(flavor = "multi_thread")]
async fn each_tool_is_a_new_one_and_its_clones_are_the_same() {
    let runtime = Host::new().runtime();
    let one = runtime.tool(ToolOptions::new()).await.unwrap();
    let other = runtime.tool(ToolOptions::new().hint("shelf", "rows")).await.unwrap();
    assert!(!std::ptr::eq(one.description(), other.description()) && one.description() != other.description());
    assert!(std::ptr::eq(one.description(), one.clone().description()));
    for _ in 0..2 {
        assert!(matches!(one.execute("async () => 1").await.unwrap(), Outcome::Completed { .. }));
    }
}

/// Covers HOSTAPI-05.
#[tokio::test(flavor = "multi_thread")]
async fn tools_search_and_describe_run_no_code() {
    let noting = Noting::default();
    let runtime = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(Arc::new(noting.clone()));
    let runtime = runtime.connector("k", Arc::new(Native::new("k"))).build().unwrap();
    runtime.tool(ToolOptions::new()).await.unwrap();
    runtime.code_tool(CodeToolOptions::new()).await.unwrap();
    runtime.search("anything").await.unwrap();
    runtime.describe("k").await.unwrap();
    assert!(noting.seen().is_empty());
    runtime.execute("async () => 1").await.unwrap();
    assert_eq!(noting.seen().len(), 1);
}

/// A connector that cannot say what it is the first time.
struct Late(Native, AtomicU32);

impl Connector for Late {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        match self.1.fetch_add(1, Ordering::SeqCst) {
            0 => Box::pin(async { Err(Failure::new(code::UNAVAILABLE, "not yet")) }),
            _ => self.0.describe(),
        }
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.0.call(call)
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        self.0.revert(revert)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_cannot_be_described_is_found_before_a_model_writes_code() {
    let runtime = bare().connector("late", Arc::new(Late(Native::new("late"), AtomicU32::new(0)))).build().unwrap();
    let error = runtime.tool(ToolOptions::new()).await.unwrap_err();
    assert!(matches!(&error, Error::Describe { connector, .. } if connector == "late"), "{error}");
    assert!(error.to_string().contains("not yet"));
    let tool = runtime.tool(ToolOptions::new()).await.unwrap();
    assert!(tool.description().contains("- `late`"), "a failure is not kept");
    assert!(matches!(tool.execute("async () => 1").await.unwrap(), Outcome::Completed { .. }));
}
