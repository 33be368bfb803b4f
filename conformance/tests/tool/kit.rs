//! What the stories share: connectors made of a line each, an executor that only notes what it is given, and schemas that
//! check.

use std::sync::{Arc, Mutex};

use codemode_conformance::harness::executor;
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{BoxFuture, Method};
use codemode_runtime::executor::{Dispatch, Executor, Ran, Request};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::tool::{CodeTool, CodeToolOptions};
use codemode_runtime::{Runtime, RuntimeBuilder};
use serde_json::{Value, json};

/// A runtime without connectors, in memory.
pub(crate) fn bare() -> RuntimeBuilder {
    Runtime::builder().store(Arc::new(MemoryStore::new())).executor(executor())
}

/// A code tool over nothing but these options.
pub(crate) async fn code_tool(options: CodeToolOptions) -> CodeTool {
    bare().build().unwrap().code_tool(options).await.unwrap()
}

/// A method that takes two numbers.
pub(crate) fn add_method() -> Method {
    Method {
        description: Some("Adds two numbers.".to_owned()),
        input_schema: Some(
            r#"{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}"#
                .to_owned(),
        ),
        ..Method::read("addNumbers")
    }
}

/// `addNumbers`.
pub(crate) fn numbers() -> Native {
    Native::new("numbers").method_sync(add_method(), |args, _| {
        let args = args.unwrap_or_default();
        Ok(json!({ "sum": args["a"].as_i64().unwrap_or(0) + args["b"].as_i64().unwrap_or(0) }))
    })
}

/// A method of that name that gives what it gets.
pub(crate) fn echoing(native: Native, method: Method) -> Native {
    native.method_sync(method, |args, _| Ok(args))
}

/// What a tool gives for that code.
pub(crate) async fn called(tool: &CodeTool, code: &str) -> Value {
    tool.call(&json!({ "code": code })).await.unwrap()
}

/// Notes the requests, and returns nothing to each.
#[derive(Clone, Default)]
pub(crate) struct Noting(pub(crate) Arc<Mutex<Vec<Request>>>);

impl Noting {
    /// The code of each request, and the methods that it could call.
    pub(crate) fn seen(&self) -> Vec<(String, Vec<String>)> {
        let paths = |request: &Request| {
            let all = request.namespaces.iter();
            all.flat_map(|n| n.methods.iter().map(move |m| format!("{}.{m}", n.name))).collect()
        };
        self.0.lock().unwrap().iter().map(|request| (request.code.clone(), paths(request))).collect()
    }
}

impl Executor for Noting {
    fn digest(&self) -> &str {
        "noting"
    }

    fn runtime(&self) -> tokio::runtime::Handle {
        executor().runtime()
    }

    fn run(&self, request: Request, dispatch: Box<dyn Dispatch>) -> BoxFuture<'_, (Ran, Box<dyn Dispatch>)> {
        self.0.lock().unwrap().push(request);
        Box::pin(async move { (Ran::Returned(None), dispatch) })
    }
}

/// A schema that checks. The formats of JSON Schema 2020-12 only.
pub(crate) fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::draft202012::meta::validate(schema).expect("the schema is one");
    jsonschema::draft202012::new(schema).expect("the schema compiles")
}
