//! The tool in rig's own hands, without a model: what an agent sends to a model, what it makes of the model's call, and
//! what it puts into the history.

use codemode_conformance::harness::{Host, anna};
use codemode_rig::CodemodeTool;
use codemode_runtime::tool::ToolOptions;
use codemode_runtime::{Error, ExecutionId, Picks};
use rig_core::tool::{
    ErasedTool, PortableTool, Tool as RigTool, ToolContext, ToolErrorKind, ToolResult, tool_definition,
};
use serde_json::{Value, json};

async fn tool(host: &Host, options: ToolOptions) -> CodemodeTool {
    CodemodeTool::new(host.runtime().tool(options).await.unwrap())
}

/// What rig does with the text that a model wrote as arguments.
async fn dispatched(tool: &CodemodeTool, arguments: &str) -> ToolResult {
    tool.execute(arguments.to_owned(), &mut ToolContext::new()).await
}

fn shown(result: &ToolResult) -> Value {
    assert!(!result.is_error(), "{result:?}");
    result.output().as_json().expect("an outcome is JSON").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_publishes_name_description_and_schema() {
    let tool = tool(&Host::new(), ToolOptions::new().hint("shelf", "manage the item store")).await;
    let definition = tool_definition(&tool);
    assert_eq!(definition.name.to_string(), "codemode");
    assert!(definition.description.contains("- `shelf` - manage the item store"));
    assert_eq!(definition.parameters["required"], json!(["code"]));
    fn takes(_: impl RigTool) {}
    takes(tool);
}

#[tokio::test(flavor = "multi_thread")]
async fn code_runs_pauses_and_completes_after_an_approval_elsewhere() {
    let host = Host::new();
    let tool = tool(&host, ToolOptions::new()).await;
    let done = shown(&dispatched(&tool, r#"{"code":"async () => [await shelf.list(), 42]"}"#).await);
    assert_eq!((&done["status"], &done["result"]), (&json!("completed"), &json!([[], 42])));

    let paused = shown(&dispatched(&tool, r#"{"code":"async () => shelf.put({ title: 'a' })"}"#).await);
    assert_eq!((&paused["status"], &paused["pending"][0]["method"]), (&json!("paused"), &json!("put")));
    assert_eq!(host.ledger.count("shelf", "put"), 0);

    // Somebody else's handle on the same store.
    let elsewhere = host.runtime();
    let id = ExecutionId::from_text(paused["executionId"].as_str().unwrap());
    elsewhere.approve(&id, Picks::AllPending, anna()).await.unwrap();
    let list = shown(&dispatched(&tool, r#"{"code":"async () => (await shelf.list()).map(row => row.title)"}"#).await);
    assert_eq!((&list["result"], host.ledger.count("shelf", "put")), (&json!(["a"]), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_code_does_wrong_is_a_result_that_the_model_can_read() {
    let tool = tool(&Host::new(), ToolOptions::new()).await;
    for (arguments, kind) in [
        (r#"{"code":"async () => { throw new Error('boom') }"}"#, "thrown"),
        (r#"{"code":"const x = ;"}"#, "syntax"),
        (r#"{"code":1}"#, "invalid_arguments"),
        ("{}", "invalid_arguments"),
        ("null", "invalid_arguments"),
    ] {
        let outcome = shown(&dispatched(&tool, arguments).await);
        assert_eq!((&outcome["status"], &outcome["errorInfo"]["kind"]), (&json!("error"), &json!(kind)), "{arguments}");
    }
    let no_json = dispatched(&tool, "{").await;
    assert!(no_json.is_error_kind(ToolErrorKind::InvalidArgs), "{no_json:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_under_another_name_is_given_as_a_dynamic_one() {
    let host = Host::new();
    let dynamic = tool(&host, ToolOptions::new().name("run_code")).await.dynamic().unwrap();
    assert_eq!((dynamic.name().to_string(), dynamic.is_live()), ("run_code".to_owned(), true));
    assert_eq!(dynamic.definition().parameters["required"], json!(["code"]));
    let output = dynamic.execute(json!({ "code": "async () => 7" })).await.unwrap();
    assert_eq!(output.as_json().unwrap()["result"], 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_failed_is_an_error_whose_details_are_for_the_operator() {
    let tool = tool(&Host::new(), ToolOptions::new()).await;
    let error = PortableTool::map_error(&tool, Error::Lost("the disk of db-7 is gone".to_owned()));
    assert_eq!(error.code(), Some("lost"));
    let given = ToolResult::failed(error);
    assert!(given.is_error());
    let text = given.output().render();
    assert!(text.contains("the host could not run the code") && !text.contains("db-7"), "{text}");
}
