//! The mode that keeps nothing: everything is declared, nobody is asked, and what code returns is all that is left of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::harness::{Host, executor};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::tool::{Budget, CodeOutcome, CodeToolOptions, Provider, ToolOptions};
use codemode_runtime::{Error, Runtime};
use serde_json::json;

use crate::kit::{Noting, bare, called, code_tool, echoing, numbers, validator};

/// Covers CODETOOL-01, CODETOOL-07, tool#1, tool#11, tool#14, tanstack-ai#14, tanstack-ai#18.
#[tokio::test(flavor = "multi_thread")]
async fn code_gives_its_result_and_console_lines_only_if_there_are_any() {
    let tool = code_tool(CodeToolOptions::new().provider(numbers())).await;
    assert_eq!((tool.name(), tool.description().is_empty()), ("codemode", false));
    assert_eq!(called(&tool, "async () => ({ answer: 42 })").await, json!({ "result": { "answer": 42 } }));
    let said = called(&tool, "async () => { console.log('a'); console.log('b'); return 1 }").await;
    assert_eq!(said, json!({ "result": 1, "logs": ["a", "b"] }));
    assert_eq!(called(&tool, "async () => {}").await, json!({}));
    let outcome = tool.execute("async () => codemode.addNumbers({ a: 17, b: 25 })").await.unwrap();
    assert!(
        matches!(&outcome, CodeOutcome::Returned { result: Some(r), logs } if r.as_str() == "{\"sum\":42}" && logs.is_empty()),
        "{outcome:?}"
    );
    assert_eq!(outcome.failure(), None);
    assert_eq!(tool.input_schema(), bare().build().unwrap().tool(ToolOptions::new()).await.unwrap().input_schema());
    let output = validator(tool.output_schema());
    for (code, fits) in [("async () => 1", 0), ("async () => { console.log(1) }", 0), ("async () => { throw 1 }", 1)] {
        let given = called(&tool, code).await;
        assert!(output.is_valid(&given), "{given}");
        assert!(validator(&tool.output_schema()["oneOf"][fits]).is_valid(&given), "{given}");
        assert!(!validator(&tool.output_schema()["oneOf"][1 - fits]).is_valid(&given), "{given}");
    }
}

/// Covers CODETOOL-02, CODETOOL-11, tool#2, tool#3, tanstack-ai#11, tanstack-ai#12.
#[tokio::test(flavor = "multi_thread")]
async fn everything_that_can_be_called_is_declared() {
    let weather = Method {
        description: Some("Weather of a place.".to_owned()),
        output_schema: Some(r#"{"type":"object","properties":{"temperature":{"type":"number"}}}"#.to_owned()),
        ..Method::read("getWeather")
    };
    let options = CodeToolOptions::new()
        .provider(numbers())
        .provider(Provider::from(echoing(Native::new("w"), weather)).named("weather"))
        .example("async () => codemode.addNumbers({ a: 1, b: 2 })");
    let tool = code_tool(options).await;
    insta::assert_snapshot!("two_providers", tool.description());
    for part in [
        "addNumbers",
        "getWeather",
        "type AddNumbersInput = {",
        "declare const codemode: {",
        "declare const weather: {",
        "async arrow function",
        "temperature?: number;",
        "}\n\ntype GetWeatherInput",
    ] {
        assert!(tool.description().contains(part), "{part:?} is not in:\n{}", tool.description());
    }
    assert!(!tool.description().contains("{{"));
}

/// Covers CODETOOL-03, tool#4, tanstack-ai#13, WEAK-30.
#[tokio::test(flavor = "multi_thread")]
async fn a_description_of_the_host_gets_the_declarations_as_they_are() {
    let hostile =
        Method { description: Some("$& costs $$5 {{types}} {{example}} $1".to_owned()), ..Method::read("pay") };
    let options = CodeToolOptions::new().provider(echoing(Native::new("p"), hostile));
    let tool = code_tool(options.description("pre {{types}} post {{types}}").example("unused")).await;
    let text = tool.description();
    assert!(text.starts_with("pre ") && text.ends_with(" post {{types}}"), "{text}");
    assert!(text.contains("$& costs $$5 {{types}} {{example}} $1") && text.contains("pay"), "{text}");
}

/// Covers CODETOOL-04, tool#5, tanstack-ai#15, tanstack-ai#21.
#[tokio::test(flavor = "multi_thread")]
async fn the_executor_gets_normalized_code_and_the_methods() {
    let noting = Noting::default();
    let runtime = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(Arc::new(noting.clone()));
    let tools = echoing(numbers(), Method::read("getWeather"));
    let tool = runtime.build().unwrap().code_tool(CodeToolOptions::new().provider(tools)).await.unwrap();
    let codes = [
        "async () => codemode.addNumbers({ a: 1, b: 2 })",
        "(async () => 1)",
        "const r = codemode.addNumbers({});\nr",
        "const x = 1",
        "if (true) { codemode.getWeather() }",
        "return 7",
        "",
    ];
    for code in codes {
        called(&tool, code).await;
    }
    let seen = noting.seen();
    assert!(seen.iter().all(|(_, paths)| *paths == ["codemode.addNumbers", "codemode.getWeather"]), "{seen:?}");
    assert_eq!(seen[0].0, codes[0], "an arrow is left as it is");
    assert!(seen[1].0.contains("async () => 1") && seen[2].0.contains("return (r)"), "{seen:?}");
    assert!(!seen[3].0.contains("return const") && !seen[4].0.contains("return if"), "{seen:?}");
    assert_eq!((seen[5].0.matches("return").count(), seen.len()), (1, 7));
}

/// Covers CODETOOL-05, CODETOOL-08, tool#6, tool#8, tool#10, tool#24, tool#25, tanstack-ai#20, tanstack-ai#24.
#[tokio::test(flavor = "multi_thread")]
async fn closures_are_called_with_their_arguments_and_keep_their_state() {
    let count = Arc::new(AtomicU32::new(0));
    let counter = count.clone();
    let state = Native::new("state")
        .method_sync(Method::write("increment"), move |_, _| Ok(json!(counter.fetch_add(1, Ordering::SeqCst) + 1)))
        .method_sync(Method::write("dangerous").needs_approval(), |_, _| Ok(json!("done")));
    let options = CodeToolOptions::new().provider(Provider::from(state).named("state")).provider(numbers());
    let tool = code_tool(options).await;
    assert_eq!(called(&tool, "async () => state.increment()").await["result"], 1);
    assert_eq!(called(&tool, "async () => state.increment()").await["result"], 2);
    assert_eq!(count.load(Ordering::SeqCst), 2);
    let both = "async () => [await codemode.addNumbers({ a: 40, b: 2 }), Object.keys(state)]";
    assert_eq!(called(&tool, both).await["result"], json!([{ "sum": 42 }, ["increment"]]));
    assert!(tool.description().contains("increment") && !tool.description().contains("dangerous"));
    let refused = called(&tool, "async () => state.dangerous()").await;
    assert!(refused["error"].as_str().unwrap().contains("Tool \"dangerous\" not found on state"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_a_mode_of_the_handle_and_leaves_nothing_behind() {
    let host = Host::new();
    let runtime = host.runtime();
    let tool = runtime.code_tool(CodeToolOptions::new()).await.unwrap();
    assert!(tool.description().contains("declare const shelf") && !tool.description().contains("\tput: ("));
    let given = called(&tool, "async () => { await shelf.jot({ text: 'a' }); return shelf.list() }").await;
    assert_eq!(given["result"], json!([]));
    assert_eq!(host.ledger.count("shelf", "jot"), 1, "the runtime's own connectors are called");
    assert!(runtime.executions(&Default::default()).unwrap().is_empty());
    let search = "async () => (await codemode.search('put')).results.map(hit => hit.path)";
    assert_eq!(called(&tool, search).await["result"], json!([]), "what cannot be called is not found either");
    // The same limits.
    let small = host.limits(|limits| limits.calls = 1).runtime().code_tool(CodeToolOptions::new()).await.unwrap();
    let twice = called(&small, "async () => { await shelf.list(); await shelf.list() }").await;
    assert!(twice["error"].as_str().unwrap().contains("limit `calls`"), "{twice}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_runs_leave_no_record_and_do_not_mix() {
    let tool = code_tool(CodeToolOptions::new().provider(numbers())).await;
    let run = |n: usize| {
        let tool = tool.clone();
        async move { called(&tool, &format!("async () => codemode.addNumbers({{ a: {n}, b: 0 }})")).await }
    };
    let all = futures_util::future::join_all((0..50).map(run)).await;
    for (n, given) in all.iter().enumerate() {
        assert_eq!(given["result"]["sum"].as_u64(), Some(n as u64), "{given}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_would_hide_something_are_refused_when_the_tool_is_made() {
    let runtime = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(executor()).build().unwrap();
    let refused = |options: CodeToolOptions| {
        let runtime = runtime.clone();
        async move { runtime.code_tool(options).await.unwrap_err() }
    };
    for name in ["search", "describe", "step", "run", "length", "toString"] {
        let tools = echoing(Native::new("x"), Method::read(name));
        let error = refused(CodeToolOptions::new().provider(tools)).await;
        assert!(matches!(error, Error::Name(_)) && error.to_string().contains(name), "{error}");
        let named =
            CodeToolOptions::new().provider(Provider::from(echoing(Native::new("x"), Method::read(name))).named("own"));
        let tool = runtime.code_tool(named).await.unwrap();
        assert_eq!(called(&tool, &format!("async () => own.{name}(1)")).await["result"], 1, "{name}");
    }
    for options in [
        CodeToolOptions::new().provider(numbers()).provider(numbers()),
        CodeToolOptions::new().provider(Provider::from(numbers()).named("Promise")),
        CodeToolOptions::new().provider(Provider::from(numbers()).named("my-box")),
        CodeToolOptions::new().name("no good"),
    ] {
        assert!(matches!(refused(options).await, Error::Name(_)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_cuts_what_the_model_gets() {
    let budget = Budget { chars: Some(20), ..Budget::default() };
    let tool = code_tool(CodeToolOptions::new().budget(budget)).await;
    let given = called(&tool, "async () => { console.log('y'.repeat(50)); return 'x'.repeat(21) }").await;
    assert!(given["result"].as_str().unwrap().starts_with(&format!("{}\n\n---", "x".repeat(20))), "{given}");
    assert_eq!(given["logs"][0], "y".repeat(20));
    assert_eq!(called(&tool, "async () => 'x'.repeat(20)").await["result"], "x".repeat(20));
}

#[tokio::test(flavor = "multi_thread")]
async fn declarations_of_all_providers_share_one_limit() {
    let many = |prefix: &str| {
        (0..50).fold(Native::new("x"), |native, n| echoing(native, Method::read(format!("{prefix}{n}"))))
    };
    let described = |units: u32| {
        let options = CodeToolOptions::new()
            .provider(Provider::from(many("a")).named("first"))
            .provider(Provider::from(many("b")).named("second"));
        let runtime = Host::new().without("shelf").without("t").limits(|limits| limits.docs_units = units).runtime();
        async move { runtime.code_tool(options.description("{{types}}")).await.unwrap().description().to_owned() }
    };
    let whole = described(100_000).await;
    assert!(whole.contains("a49:") && whole.contains("b49:"));
    let size = u32::try_from(whole.len() - "\n\n".len()).unwrap();
    assert_eq!(described(size).await, whole, "what fits exactly is whole");
    let cut = described(size - 1).await;
    assert!(cut.len() < whole.len() && cut.contains("a49:") && cut.contains("left out"), "{cut}");
    let least = described(1_000).await;
    assert!(least.contains("declare const first") && least.contains("declare const second"), "{least}");
    assert!(least.len() < 1_200);
}
