//! What a connector says about itself, and when the host believes it. The components are the real ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::fixtures::{Ledger, shelf};
use codemode_conformance::harness::{Host, anna, engine, id_of, pending_of, result_of};
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::connector::native::{Native, Recorded};
use codemode_runtime::connector::{
    BoxFuture, Call, CallContext, CallOutput, Connector, Description, Flag, Method, Revert, Reverted, StateAccess,
    StateSession,
};
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::durable::journal::{Approval, ReplayPolicy};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{Error, ExecutionId, Json, Picks, Seq, ValueLimits};
use serde_json::json;

use crate::kit::shared;

/// The testkit component with one of its fixtures.
pub(crate) fn testkit(fixture: &str) -> Arc<dyn Connector> {
    let mut options = ComponentOptions::new("kit");
    options.config = [("fixture".to_owned(), fixture.to_owned())].into();
    load(env!("CODEMODE_TESTKIT_WASM"), options)
}

fn load(path: &str, options: ComponentOptions) -> Arc<dyn Connector> {
    let bytes = std::fs::read(path).unwrap();
    Arc::new(ComponentConnector::load(engine(), &bytes, options).unwrap())
}

/// A connector that is another one with something changed in what it says: how a host decorates methods.
struct Decorated<C, F> {
    inner: C,
    change: F,
    described: Arc<AtomicU32>,
}

impl<C: Connector, F: Fn(u32, Description) -> Result<Description, Failure> + Send + Sync> Connector
    for Decorated<C, F>
{
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        Box::pin(async {
            let times = self.described.fetch_add(1, Ordering::SeqCst) + 1;
            (self.change)(times, self.inner.describe().await?)
        })
    }
    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.inner.call(call)
    }
    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        self.inner.revert(revert)
    }
}

fn decorated<F>(change: F) -> (Arc<dyn Connector>, Arc<Ledger>, Arc<AtomicU32>)
where
    F: Fn(u32, Description) -> Result<Description, Failure> + Send + Sync + 'static,
{
    let (ledger, described) = (Ledger::in_memory(), Arc::new(AtomicU32::new(0)));
    let connector = Decorated { inner: shelf(&ledger), change, described: described.clone() };
    (shared(connector), ledger, described)
}

/// Covers CONNECTOR-01.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_of_one_method_is_a_global_with_that_method() {
    let k = Native::new("k").method(Method::read("a"), |_, _| async { Ok(json!("from a")) });
    let host = Host::new().with("k", shared(k));
    let outcome =
        host.runtime().execute("async () => [await k.a(), typeof k, typeof k.a, Object.keys(k)]").await.unwrap();
    assert_eq!(result_of(&outcome), r#"["from a","object","function",["a"]]"#);
    // The host's name wins over the suggested one.
    let k = Native::new("k").method(Method::read("a"), |_, _| async { Ok(json!("from a")) });
    let renamed = Host::new().with("other", shared(k));
    let outcome = renamed.runtime().execute("async () => [await other.a(), typeof k]").await.unwrap();
    assert_eq!(result_of(&outcome), r#"["from a","undefined"]"#);
}

/// Covers CONNECTOR-03, connectors#1, connectors#4.
#[tokio::test(flavor = "multi_thread")]
async fn a_description_has_name_instructions_and_the_methods_in_order_with_what_is_special() {
    let described = shelf(&Ledger::in_memory()).describe().await.unwrap();
    assert_eq!(described.suggested_name, "shelf");
    assert_eq!(described.instructions.as_deref(), Some("Rows and notes on a shelf."));
    let names: Vec<&str> = described.methods.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["list", "tick", "bytes", "huge", "echo", "whoami", "fail", "nap", "put", "jot"]);
    let of = |special: fn(&Method) -> bool| -> Vec<&str> {
        described.methods.iter().filter(|m| special(m)).map(|m| m.name.as_str()).collect()
    };
    assert_eq!(of(|m| m.approval == Approval::Required), ["put"]);
    assert_eq!(of(|m| m.replay == ReplayPolicy::Reexecute), ["tick"]);
    assert_eq!(of(|m| m.revertible == Flag::Yes), ["put", "jot"]);

    let notes = load(env!("CODEMODE_NOTES_WASM"), ComponentOptions::new("notes")).describe().await.unwrap();
    let [list, create] = &notes.methods[..] else { panic!("{notes:?}") };
    assert_eq!((list.name.as_str(), list.description.as_deref()), ("listNotes", Some("All notes, oldest first.")));
    assert_eq!(list.approval, Approval::NotNeeded);
    assert_eq!((create.name.as_str(), create.approval), ("createNote", Approval::Required));
    assert!(create.input_schema.is_some() && create.output_schema.is_some());
}

/// Covers CONNECTOR-08, connectors#3.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_may_decorate_what_a_connector_says_and_is_obeyed() {
    let (guarded, ledger, described) = decorated(|_, mut description| {
        for method in description.methods.iter_mut().filter(|m| m.name == "list") {
            method.approval = Approval::Required;
        }
        Ok(description)
    });
    let host = Host::new().with("shelf", guarded);
    let runtime = host.runtime();
    let paused = runtime.execute("async () => shelf.list()").await.unwrap();
    assert_eq!(pending_of(&paused), ["0 shelf.list "]);
    assert_eq!(ledger.count("shelf", "list"), 0);
    let done = runtime.approve(&id_of(&paused), Picks::AllPending, anna()).await.unwrap();
    assert_eq!(result_of(&done), "[]");
    assert_eq!((ledger.count("shelf", "list"), described.load(Ordering::SeqCst)), (1, 1));
}

/// Covers CONNECTOR-09, connectors#5.
#[tokio::test(flavor = "multi_thread")]
async fn approval_and_reexecute_together_are_refused_before_anything_is_stored() {
    let both = Method { replay: ReplayPolicy::Reexecute, ..Method::read("both").needs_approval() };
    let k = Native::new("k").method(both, |_, _| async { Ok(()) });
    let runtime = Host::new().with("k", shared(k)).runtime();
    let error = runtime.execute("async () => 1").await.unwrap_err();
    let Error::Describe { connector, message } = &error else { panic!("{error:?}") };
    assert_eq!(connector, "k");
    assert!(message.contains("`k.both` cannot combine approval with `replay: \"reexecute\"`"), "{message}");
    assert_eq!(runtime.executions(&Default::default()).unwrap(), []);

    let mut options = ComponentOptions::new("kit");
    options.config = [("describe".to_owned(), "combine".to_owned())].into();
    let kit = load(env!("CODEMODE_TESTKIT_WASM"), options);
    let error = Host::new().with("kit", kit).runtime().execute("async () => 1").await.unwrap_err();
    assert!(error.to_string().contains("cannot combine"), "{error}");
}

/// Covers CONNECTOR-10.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_is_asked_for_its_description_once_for_many_executions() {
    let (counted, ledger, described) = decorated(|_, description| Ok(description));
    let runtime = Host::new().with("shelf", counted).runtime();
    for _ in 0..3 {
        let outcome =
            runtime.execute("async () => { for (let i = 0; i < 3; i++) await shelf.list(); return 1; }").await;
        assert_eq!(result_of(&outcome.unwrap()), "1");
    }
    assert_eq!((described.load(Ordering::SeqCst), ledger.count("shelf", "list")), (1, 9));
}

/// Covers CONNECTOR-10, WEAK-31.
#[tokio::test(flavor = "multi_thread")]
async fn a_description_that_failed_is_asked_for_again() {
    let (flaky, _, described) =
        decorated(
            |times, description| {
                if times == 1 { Err(Failure::new(code::UNAVAILABLE, "not connected yet")) } else { Ok(description) }
            },
        );
    let runtime = Host::new().with("shelf", flaky).runtime();
    let error = runtime.execute("async () => 1").await.unwrap_err();
    assert_eq!(error.to_string(), "connector `shelf` cannot be described: not connected yet");
    assert_eq!(runtime.executions(&Default::default()).unwrap(), []);
    assert_eq!(result_of(&runtime.execute("async () => shelf.list()").await.unwrap()), "[]");
    assert_eq!(described.load(Ordering::SeqCst), 2);
}

/// Covers WEAK-28.
#[tokio::test(flavor = "multi_thread")]
async fn a_method_has_one_name_that_code_can_write_and_no_two_share_it() {
    for (name, complaint) in [
        ("get-item", "the method name \"get-item\" of connector `k` cannot be called"),
        ("a.b", "the method name \"a.b\" of connector `k` cannot be called"),
        ("then", "the method name \"then\" of connector `k` cannot be called"),
        ("ok", "Duplicate method `ok` of connector `k`"),
    ] {
        let k = Native::new("k")
            .method(Method::read("ok"), |_, _| async { Ok(()) })
            .method(Method::read(name), |_, _| async { Ok(()) });
        let error = Host::new().with("k", shared(k)).runtime().execute("async () => 1").await.unwrap_err();
        assert!(error.to_string().contains(complaint), "{error}");
    }
}

fn context() -> CallContext {
    CallContext {
        execution: ExecutionId::from_text("e"),
        seq: Seq(0),
        pass: 1,
        idempotency_key: "e:0".to_owned(),
        attempt: 1,
        remaining_ms: 1_000,
    }
}

fn state() -> Arc<StateSession> {
    StateSession::new(Arc::new(MemoryStore::new()), "k", &ExecutionId::from_text("e"), StateAccess::ReadWrite)
}

async fn call(connector: &dyn Connector, method: &str, args: Option<&str>) -> CallOutput {
    let args = args.map(str::to_owned);
    connector.call(Call { context: context(), method: method.to_owned(), args, state: state() }).await
}

/// Covers EXECUTOR-26, executor#1, executor#2, executor#3, executor#4, executor#5, CODEC-02.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_a_method_and_an_optional_json_text_and_gives_a_json_text_or_a_failure() {
    let k = Native::new("k")
        .tagged()
        .method(Method::read("double"), |args, _| async move { Ok(json!(args.unwrap()["n"].as_i64().unwrap() * 2)) })
        .method(Method::read("given"), |args, _| async move { Ok(json!(args.is_some())) })
        .method(Method::read("throws"), |_, _| async { Err::<(), _>(Failure::new(code::INTERNAL, "tool error")) })
        .method(Method::read("bytes"), |_, _| async { Ok(json!({ "$cm": ["bytes", "Uint8Array", "AQID"] })) });
    assert_eq!(call(&k, "double", Some(r#"{"n":5}"#)).await, Ok(Some("10".to_owned())));
    let unknown = call(&k, "nope", None).await.unwrap_err();
    assert_eq!(unknown.code, code::UNKNOWN_METHOD);
    assert!(unknown.message.contains("nope"), "{}", unknown.message);
    assert_eq!(call(&k, "throws", None).await.unwrap_err().message, "tool error");
    assert_eq!(call(&k, "given", None).await, Ok(Some("false".to_owned())));
    assert_eq!(call(&k, "given", Some("[1]")).await, Ok(Some("true".to_owned())));
    assert_eq!(call(&k, "bytes", None).await, Ok(Some(r#"{"$cm":["bytes","Uint8Array","AQID"]}"#.to_owned())));
}

/// Covers CONNECTOR-07, CONNECTOR-18, connectors#2.
#[tokio::test(flavor = "multi_thread")]
async fn a_revert_gets_argument_and_result_of_its_call_and_says_whether_there_was_anything_to_undo() {
    let ledger = Ledger::in_memory();
    let shelf = shelf(&ledger);
    assert_eq!(call(&shelf, "list", None).await, Ok(Some("[]".to_owned())));
    assert_eq!(call(&shelf, "put", Some(r#"{"title":"z"}"#)).await, Ok(Some(r#"{"id":1,"title":"z"}"#.to_owned())));
    let revert = |method: &str| Revert {
        context: CallContext { idempotency_key: "e:0:revert".to_owned(), ..context() },
        call_key: "e:0".to_owned(),
        method: method.to_owned(),
        args: Some(r#"{"title":"z"}"#.to_owned()),
        outcome: Some(Ok(Some(Json::from_plain(r#"{"id":1,"title":"z"}"#, &ValueLimits::default()).unwrap()))),
        state: state(),
    };
    assert_eq!(shelf.revert(revert("put")).await, Ok(Reverted::Reverted));
    assert_eq!(ledger.undone("shelf", "put"), [json!({ "id": 1, "title": "z" })]);
    assert_eq!(shelf.revert(revert("list")).await, Ok(Reverted::NothingToRevert));
    let nope = shelf.revert(revert("nope")).await.unwrap_err();
    assert!(nope.message.contains("nope") && nope.message.contains("shelf"), "{}", nope.message);
    let nope = call(&shelf, "nope", None).await.unwrap_err();
    assert!(nope.message.contains("nope") && nope.message.contains("shelf"), "{}", nope.message);

    let seen =
        Native::new("k").method(Method::write("w"), |_, _| async { Ok(json!(7)) }).on_revert(|undo| async move {
            assert_eq!(undo.args(), Some(json!({ "title": "z" })));
            assert_eq!(undo.outcome, Recorded::Returned(Some(r#"{"id":1,"title":"z"}"#.to_owned())));
            assert_eq!((undo.call_key.as_str(), undo.context.idempotency_key.as_str()), ("e:0", "e:0:revert"));
            Ok(Reverted::Reverted)
        });
    assert_eq!(seen.revert(revert("w")).await, Ok(Reverted::Reverted));
}
