//! RUN: how an execution starts and what its record says from the first moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codemode_conformance::fixtures::{Ledger, shelf};
use codemode_conformance::harness::{Host, approve_all, id_of, json, result_of};
use codemode_runtime::clock::Clock;
use codemode_runtime::connector::native::{Native, Undo};
use codemode_runtime::connector::{BoxFuture, Call, CallOutput, Connector, Description, Method, Revert, Reverted};
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::{Code, Error, Outcome, Query, Runtime};
use serde_json::json;

use crate::support::{memory, parsed, record, status, wire};

/// Covers RUN-01, RUN-03, executor#6, runtime-handle#4.
#[tokio::test(flavor = "multi_thread")]
async fn a_function_becomes_a_durable_outcome() {
    let runtime = Host::new().runtime();
    let outcome = runtime.execute("async () => 42").await.unwrap();
    let id = id_of(&outcome);
    assert_eq!(wire(&outcome), json!({ "status": "completed", "executionId": id.as_str(), "result": 42, "calls": [] }));
    let kept = record(&runtime, &id).execution;
    assert_eq!((kept.status.as_str(), kept.result), ("completed", Some(json("42"))));
}

/// Covers runtime#1.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_goes_to_its_connector_and_back() {
    let host = Host::new();
    let outcome = host.runtime().execute("async () => shelf.list()").await.unwrap();
    assert_eq!(result_of(&outcome), "[]");
    assert_eq!(host.ledger.count("shelf", "list"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_input_is_the_argument_of_the_function_in_each_pass() {
    let host = Host::new();
    let code = Code::new("async (input) => { await shelf.put({ title: input.who }); return input; }");
    let paused = host.runtime().execute(code.with_input(json(r#"{"who":"me"}"#))).await.unwrap();
    assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), r#"{"who":"me"}"#);
}

/// Covers RUN-04.
#[tokio::test(flavor = "multi_thread")]
async fn ids_have_the_published_form_and_sort_by_creation() {
    let runtime = Host::new().runtime();
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(id_of(&runtime.execute("async () => 1").await.unwrap()));
    }
    for id in &ids {
        let (millis, uuid) = id.as_str().strip_prefix("exec_").unwrap().split_once('_').unwrap();
        assert!(millis.len() == 16 && millis.bytes().all(|b| b.is_ascii_digit()), "{id}");
        let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12], "{id}");
        assert!(uuid.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'-')), "{id}");
    }
    assert_ne!(ids[0], ids[1]);
    assert!(ids[0].as_str()[..21] <= ids[1].as_str()[..21], "{ids:?}");
}

/// Covers RUN-05.
#[tokio::test(flavor = "multi_thread")]
async fn the_record_keeps_the_code_as_given_and_all_configured_connectors() {
    let ledger = Ledger::in_memory();
    let other = Native::new("other").method_sync(Method::read("one"), |_, _| Ok(json!(1)));
    let host = Host::bare(memory()).with("shelf", Arc::new(shelf(&ledger))).with("other", Arc::new(other));
    let runtime = host.runtime();
    let code = "\n```js\nasync () => (await shelf.list()).length\n```\n";
    let outcome = runtime.execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), "0");
    let start = record(&runtime, &id_of(&outcome)).execution.start;
    assert_eq!(start.code, code);
    let names: Vec<&str> = start.namespaces.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["shelf", "other"]);
}

/// A clock that stands still.
struct Still(u64);

impl Clock for Still {
    fn epoch_ms(&self) -> u64 {
        self.0
    }

    fn monotonic_ms(&self) -> u64 {
        0
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_is_there_as_running_before_the_code_does_anything() {
    let store = memory();
    let seen = store.clone();
    let look = Native::new("eye").method_sync(Method::read("look"), move |_, context| {
        let row = seen.load(&context.execution).unwrap().unwrap().execution;
        Ok(json!([row.status.as_str(), row.start.created_at, row.updated_at, row.ended_at]))
    });
    let runtime = Runtime::builder()
        .store(store)
        .executor(codemode_conformance::harness::executor())
        .connector("eye", Arc::new(look))
        .clock(Arc::new(Still(1_700_000_000_000)))
        .build()
        .unwrap();
    let outcome = runtime.execute("async () => eye.look()").await.unwrap();
    assert_eq!(parsed(&result_of(&outcome)), json!(["running", 1_700_000_000_000_u64, 1_700_000_000_000_u64, null]));
}

/// Covers RUN-07, DIFF-01, runtime#35.
#[tokio::test(flavor = "multi_thread")]
async fn code_of_a_million_characters_runs_and_one_more_is_refused_unstored() {
    let runtime = Host::new().runtime();
    let padded = |units: usize, filler: &str| {
        let body = "async () => 1";
        let each = filler.encode_utf16().count();
        let left = units - body.len() - 4;
        format!("{body}/*{}{}*/", "x".repeat(left % each), filler.repeat(left / each))
    };
    for filler in ["x", "é", "🙂"] {
        let refused = runtime.execute(padded(1_000_001, filler)).await.unwrap();
        let Outcome::Failed { execution: None, error, calls: None, .. } = &refused else { panic!("{refused:?}") };
        assert_eq!(
            error.message,
            "the execution code is too large: 1000001 characters, the limit is 1000000 (limit `code size`)"
        );
        let advice = "write the data elsewhere, for example to a file with a connector such as `files`, and pass a short \
                      reference such as its path";
        assert_eq!(error.hint.as_deref(), Some(advice));
        assert_eq!(wire(&refused)["executionId"], "");
    }
    assert_eq!(runtime.executions(&Query::default()).unwrap(), []);
    for filler in ["x", "é", "🙂"] {
        assert_eq!(result_of(&runtime.execute(padded(1_000_000, filler)).await.unwrap()), "1");
    }
}

/// A connector that cannot say what it is until its server is up.
struct Shy {
    up: AtomicBool,
    inner: Native,
}

impl Connector for Shy {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        if self.up.load(Ordering::SeqCst) {
            return self.inner.describe();
        }
        Box::pin(async { Err(Failure::new(code::UNAVAILABLE, "the server is down")) })
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.inner.call(call)
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        self.inner.revert(revert)
    }
}

/// Covers RUN-08, WEAK-31.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_cannot_be_described_stops_the_call_before_anything_is_stored() {
    let inner = Native::new("shy")
        .method_sync(Method::write("one"), |_, _| Ok(json!(1)))
        .on_revert(|_: Undo| async { Ok(Reverted::NothingToRevert) });
    let shy = Arc::new(Shy { up: AtomicBool::new(false), inner });
    let host = Host::bare(memory()).with("shy", shy.clone());
    let runtime = host.runtime();
    let refused = runtime.execute("async () => shy.one()").await.unwrap_err();
    assert!(matches!(&refused, Error::Describe { connector, .. } if connector == "shy"), "{refused:?}");
    assert_eq!(refused.to_string(), "connector `shy` cannot be described: the server is down");
    assert_eq!(runtime.executions(&Query::default()).unwrap(), []);

    shy.up.store(true, Ordering::SeqCst);
    let outcome = runtime.execute("async () => shy.one()").await.unwrap();
    assert_eq!(result_of(&outcome), "1");
}

/// Covers RUN-19.
#[tokio::test(flavor = "multi_thread")]
async fn code_runs_without_any_connector() {
    let runtime = Host::bare(memory()).runtime();
    let outcome =
        runtime.execute("async () => [typeof shelf, typeof codemode.step, await codemode.step('k', () => 1)]");
    let outcome = outcome.await.unwrap();
    assert_eq!(result_of(&outcome), r#"["undefined","function",1]"#);
    assert_eq!(status(&runtime, &id_of(&outcome)), "completed");
}
