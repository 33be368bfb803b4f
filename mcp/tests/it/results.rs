//! What a model gets: three tools, results as text and as values, and failures that are results.

use codemode_runtime::Query;
use serde_json::{Value, json};

use crate::kit::{Person, call, connect, refused, run, server, server_with, text, value};

/// Covers MCP-20, mcp#1.
#[tokio::test]
async fn a_client_finds_the_tool_that_runs_code_and_two_that_look() {
    let (server, _) = server();
    let client = connect(&server, Person::default()).await;
    let info = client.peer_info().expect("the server said who it is");
    assert_eq!(info.server_info.as_ref().expect("a name").name, "codemode");
    let tools = client.list_all_tools().await.expect("a list");
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["codemode", "search", "describe"]);
    let properties = |at: usize| tools[at].input_schema["properties"].as_object().expect("properties").keys().cloned();
    assert_eq!(properties(0).collect::<Vec<_>>(), ["code"]);
    assert_eq!(properties(1).collect::<Vec<_>>(), ["query"]);
    assert_eq!(properties(2).collect::<Vec<_>>(), ["target"]);
    for (at, reads) in [(0, false), (1, true), (2, true)] {
        let hints = tools[at].annotations.as_ref().expect("annotations");
        assert_eq!(hints.read_only_hint, Some(reads));
        assert_eq!(hints.destructive_hint, Some(!reads));
        assert_eq!(tools[at].output_schema.as_ref().expect("a schema")["type"], "object");
    }
    assert!(tools[0].description.as_deref().expect("a description").contains("async () =>"));
}

/// Covers MCP-25, mcp#6, mcp#7.
#[tokio::test]
async fn a_result_is_a_text_and_a_value() {
    let (server, _) = server();
    let client = connect(&server, Person::default()).await;
    for (code, said) in [
        ("async () => 'a \"text\"\\nof two lines'", "a \"text\"\nof two lines"),
        ("async () => undefined", "undefined"),
        ("async () => null", "null"),
        ("async () => ({ a: 1, b: [true, 'x'] })", "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    \"x\"\n  ]\n}"),
        ("async () => 0.1 + 0.2", "0.30000000000000004"),
        ("async () => ''", ""),
    ] {
        let result = run(&client, code).await;
        assert_eq!(text(&result), said, "{code}");
        assert_eq!(result.is_error, Some(false));
        assert_eq!(value(&result)["status"], "completed");
    }
    let result = run(&client, "async () => ({ a: 1 })").await;
    assert_eq!(value(&result)["result"], json!({ "a": 1 }));
    assert!(value(&result)["executionId"].as_str().expect("an id").starts_with("exec_"));
    assert!(value(&run(&client, "async () => undefined").await).get("result").is_none());
}

/// Covers mcp#3, mcp#4, e2e-executor#17, e2e-executor#18.
#[tokio::test]
async fn code_composes_calls() {
    let (server, _) = server();
    let client = connect(&server, Person::default()).await;
    assert_eq!(text(&run(&client, "async () => calc.add({ a: 19, b: 23 })").await), "42");
    let chain = "async () => {
        const sum = await calc.add({ a: 3, b: 5 });
        return calc.greet({ name: sum });
    }";
    assert_eq!(text(&run(&client, chain).await), "hello 8");
}

/// Covers MCP-26, mcp#5, mcp#9, mcp#13, e2e-executor#19, e2e-executor#21.
#[tokio::test]
async fn a_failure_of_the_code_is_a_result_that_says_where_and_what_to_do() {
    let (server, _) = server();
    let client = connect(&server, Person::default()).await;
    let result = run(&client, "async () => {\n  throw new Error('test error');\n}").await;
    assert_eq!(result.is_error, Some(true));
    assert!(text(&result).starts_with("Error: test error (line 2, column "), "{}", text(&result));
    assert!(text(&result).contains("\n  throw new Error('test error');"), "{}", text(&result));
    let info = &value(&result)["errorInfo"];
    assert_eq!((&info["name"], &info["message"], &info["line"]), (&json!("Error"), &json!("test error"), &json!(2)));
    let failed = run(&client, "async () => calc.broken()").await;
    assert!(text(&failed).starts_with("Error: something went wrong"), "{}", text(&failed));
    assert_eq!(failed.is_error, Some(true));
    let unknown = run(&client, "async () => shelf.ecco(1)").await;
    assert_eq!(unknown.is_error, Some(true));
    assert!(text(&unknown).contains("shelf.ecco") && text(&unknown).contains("echo"), "{}", text(&unknown));
    let syntax = run(&client, "async () => {").await;
    assert_eq!(value(&syntax)["errorInfo"]["kind"], "syntax");
    let undefined = run(&client, "async () => host.x").await;
    assert!(text(&undefined).contains("the only globals"), "{}", text(&undefined));
}

/// Covers MCP-27, mcp#12, e2e-executor#20.
#[tokio::test]
async fn the_code_can_catch_what_a_connector_throws() {
    let (server, _) = server();
    let client = connect(&server, Person::default()).await;
    let code = "async () => { try { await shelf.fail(); } catch (error) { return 'caught: ' + error.message; } }";
    assert_eq!(text(&run(&client, code).await), "caught: shelf fail");
}

/// Covers MCP-28.
#[tokio::test]
async fn what_the_code_logs_is_not_in_the_text() {
    let (server, _) = server();
    let client = connect(&server, Person::default()).await;
    let result = run(&client, "async () => { console.log('noise'); return 1; }").await;
    assert_eq!(text(&result), "1");
    assert_eq!(value(&result)["logs"], json!(["noise"]));
}

/// Covers TRUNCATE-07.
#[tokio::test]
async fn a_result_over_the_limit_is_cut_and_says_so() {
    let (server, runtime) = server();
    let client = connect(&server, Person::default()).await;
    let whole = run(&client, "async () => 'x'.repeat(24000)").await;
    assert_eq!(text(&whole).len(), 24_000);
    let cut = run(&client, "async () => 'x'.repeat(24001)").await;
    assert!(text(&cut).starts_with(&"x".repeat(24_000)) && text(&cut).contains("\n--- cut here ---\n"));
    assert_eq!(value(&cut)["result"].as_str(), Some(text(&cut)));
    let recorded = &runtime.executions(&Query::default()).expect("the store answers")[0];
    let record = runtime.record(&recorded.id).expect("the store answers").expect("it is there");
    assert_eq!(record.execution.result.expect("a result").units(), 24_003, "the record is whole");
    let big = run(&client, "async () => [123456789012345678901234567890n, 'x'.repeat(30000)]").await;
    assert!(text(&big).len() < 24_500, "a big integer is no way around the limit");
}

#[tokio::test]
async fn a_result_that_no_client_could_read_is_given_as_its_text() {
    let (server, _) = server();
    let client = connect(&server, Person::default()).await;
    let deep = run(&client, "async () => { let v = 1; for (let i = 0; i < 400; i++) v = [v]; return v; }").await;
    assert!(text(&deep).starts_with("[\n  [\n") && text(&deep).contains("--- cut here ---"), "{}", text(&deep));
    let half = run(&client, "async () => ({ a: '\\ud800' })").await;
    assert_eq!(text(&half), "{\"a\":\"\\ud800\"}");
}

#[tokio::test]
async fn wrong_arguments_are_named_and_an_unknown_tool_is_an_error_of_the_protocol() {
    let (server, runtime) = server();
    let client = connect(&server, Person::default()).await;
    for (tool, arguments, said) in [
        ("codemode", json!({}), "`code` is missing"),
        ("codemode", json!({ "Code": "x" }), "`code` is missing; there is \"Code\""),
        ("codemode", json!({ "code": 7 }), "`code` is a number"),
        ("codemode", Value::Null, "`code` is missing"),
        ("search", json!({ "query": ["x"] }), "`query` is a list"),
        ("describe", json!({ "target": null }), "`target` is null"),
    ] {
        let result = call(&client, tool, arguments).await;
        assert_eq!(result.is_error, Some(true));
        assert!(text(&result).contains(said), "{tool}: {}", text(&result));
        assert_eq!(value(&result)["errorInfo"]["kind"], "invalid_arguments");
        assert!(value(&result)["errorInfo"]["hint"].as_str().expect("a hint").starts_with("send {"));
    }
    assert_eq!(runtime.executions(&Query::default()).expect("the store answers").len(), 0, "nothing ran");
    let unknown = refused(&client, "approve", json!({ "execution": "exec_1" })).await;
    assert_eq!(unknown.code.0, -32_602);
    assert!(unknown.message.contains("codemode, search and describe"), "{}", unknown.message);
}

#[tokio::test]
async fn search_and_describe_need_no_code() {
    let (server, runtime) = server();
    let client = connect(&server, Person::default()).await;
    let found = call(&client, "search", json!({ "query": "send a letter" })).await;
    assert_eq!(value(&found)["results"][0]["path"], "mail.send");
    assert_eq!(value(&found)["results"][0]["requiresApproval"], true);
    assert!(serde_json::from_str::<Value>(text(&found)).expect("JSON") == *value(&found));
    let docs = call(&client, "describe", json!({ "target": "mail.read" })).await;
    assert_eq!(value(&docs)["kind"], "method");
    assert!(text(&docs).starts_with("mail.read: Reads all letters.\n\n"), "{}", text(&docs));
    let nothing = call(&client, "describe", json!({ "target": "mail.reed" })).await;
    assert!(text(&nothing).contains("mail.re"), "{}", text(&nothing));
    assert_eq!(runtime.executions(&Query::default()).expect("the store answers").len(), 0, "nothing ran");
}

#[tokio::test]
async fn what_a_search_finds_is_cut_to_whole_results() {
    let (server, _) = server_with(|limits| limits.result.chars = Some(600));
    let client = connect(&server, Person::default()).await;
    let found = call(&client, "search", json!({ "query": "shelf" })).await;
    let value = value(&found);
    let shown = value["results"].as_array().expect("a list").len() as u64;
    let total = value["total"].as_u64().expect("a number");
    assert!(shown > 0 && shown < total && value["truncated"] == true, "{value}");
    assert!(text(&found).len() <= 600);
}
