//! What the stories share: the fixture of the catalogue's search vectors, connectors made of lists, and short words for
//! running code.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use codemode_conformance::harness::{Host, executor, id_of, result_of};
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{BoxFuture, Call, CallOutput, Connector, Description, Method, Revert, Reverted};
use codemode_runtime::durable::execution::Determinism;
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::executor::{Dispatch, Executor, Ran, Request};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{Runtime, SaveSnippet, Store};
use serde_json::{Value, json};

/// What code returned; `undefined` is null.
pub(crate) async fn result(runtime: &Runtime, code: &str) -> Value {
    let text = result_of(&runtime.execute(code).await.unwrap());
    if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() }
}

/// A method with a description; an empty one is none.
pub(crate) fn said(method: Method, text: &str) -> Method {
    Method { description: (!text.is_empty()).then(|| text.to_owned()), ..method }
}

/// A connector whose methods return what they are given.
pub(crate) fn echoing(name: &str, methods: impl IntoIterator<Item = Method>) -> Native {
    methods
        .into_iter()
        .fold(Native::new(name), |native, method| native.method(method, |args, _| async move { Ok(args) }))
}

/// A method that takes this schema.
pub(crate) fn taking(name: &str, schema: &str) -> Method {
    Method { input_schema: Some(schema.to_owned()), ..Method::read(name) }
}

/// A runtime over a store with these connectors and nothing else.
pub(crate) fn runtime(store: Arc<dyn Store>, connectors: Vec<(&str, Arc<dyn Connector>)>) -> Runtime {
    let builder = Runtime::builder().store(store).executor(executor());
    let add = |builder: codemode_runtime::RuntimeBuilder, (name, connector): (&str, Arc<dyn Connector>)| {
        builder.connector(name, connector)
    };
    connectors.into_iter().fold(builder, add).build().unwrap()
}

/// A runtime with one connector.
pub(crate) fn with(name: &str, connector: Native) -> Runtime {
    runtime(Arc::new(MemoryStore::new()), vec![(name, Arc::new(connector))])
}

/// The fixture of the search vectors: `github`, `repoApi` and two snippets (SEARCH-16).
pub(crate) async fn library() -> Runtime {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    save(&store, "list-open-prs", "Show open pull requests").await;
    save(&store, "triage", "").await;
    let github = echoing(
        "github",
        [
            said(Method::read("list_pull_requests"), "Show the pull requests of one repo"),
            said(Method::read("search_issues"), "Find issues by text"),
            Method {
                input_schema: Some(r#"{"type":"object"}"#.to_owned()),
                ..said(Method::write("create_issue").needs_approval(), "Open an issue")
            },
        ],
    );
    let repo = echoing(
        "repoApi",
        [
            said(Method::read("getRepository"), "Fetch repo facts"),
            said(Method::read("list_releases"), "Show release tags"),
        ],
    );
    runtime(store, vec![("github", Arc::new(github.instructions("Use me."))), ("repoApi", Arc::new(repo))])
}

/// Saves a snippet that gives the number 1.
pub(crate) async fn save(store: &Arc<dyn Store>, name: &str, description: &str) {
    let runtime = Host::bare(store.clone()).runtime();
    let tried = runtime.execute("async () => 1").await.unwrap();
    runtime.save_snippet(name, SaveSnippet::from(id_of(&tried)).description(description)).unwrap();
}

/// Counts how often a connector is described.
pub(crate) struct Described(pub(crate) Native, pub(crate) Arc<AtomicU32>);

impl Connector for Described {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.describe()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.0.call(call)
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        self.0.revert(revert)
    }
}

/// Counts how often code runs.
pub(crate) struct Running(pub(crate) Arc<AtomicU32>);

impl Executor for Running {
    fn digest(&self) -> &str {
        "counting"
    }

    fn runtime(&self) -> tokio::runtime::Handle {
        executor().runtime()
    }

    fn run(&self, request: Request, dispatch: Box<dyn Dispatch>) -> BoxFuture<'_, (Ran, Box<dyn Dispatch>)> {
        self.0.fetch_add(1, Ordering::SeqCst);
        assert_eq!(request.determinism, Determinism::Recorded);
        Box::pin(async move { (Ran::Returned(None), dispatch) })
    }
}

/// What arrived at a third party: the original name with the argument.
pub(crate) type Wire = Arc<Mutex<Vec<(String, Value)>>>;

/// Tools of a third party under callable names, and what arrived there.
pub(crate) fn third_party(names: &[codemode_runtime::names::Callable]) -> (Native, Wire) {
    let wire = Wire::default();
    let native = names.iter().fold(Native::new("third"), |native, callable| {
        let (wire, original) = (wire.clone(), callable.original.clone());
        native.method(said(Method::read(&callable.name), &callable.original), move |args, _| {
            wire.lock().unwrap().push((original.clone(), args.unwrap_or(Value::Null)));
            async { Ok(json!("done")) }
        })
    });
    (native, wire)
}
