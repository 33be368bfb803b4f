//! An agent's turn with the codemode tool, with rig's parts and without a model: what a model would be sent, a call as it
//! would write one, and the approval of a person in between.

use std::error::Error;
use std::sync::Arc;

use codemode_rig::CodemodeTool;
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::tool::{Budget, ToolOptions};
use codemode_runtime::{By, ComponentExecutor, Engine, EngineOptions, ExecutionId, Picks, Runtime};
use rig_core::completion::CompletionRequest;
use rig_core::tool::{DynamicTool, tool_definition};
use serde_json::json;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what happens")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mail = Native::new("mail").method_sync(Method::write("send").needs_approval(), |_, _| Ok(json!("sent")));
    let runtime = Runtime::builder()
        .store(Arc::new(MemoryStore::new()))
        .executor(Arc::new(ComponentExecutor::bundled(&Engine::new(EngineOptions::default())?)?))
        .connector("mail", Arc::new(mail))
        .build()?;
    let options = ToolOptions::new().hint("mail", "write to people").budget(Budget::default());
    let given = runtime.tool(options).await?;
    let tool = CodemodeTool::new(given.clone());

    // With an agent, this is all: `agent.tool(tool)`. Below is what the agent does with it.
    let request = CompletionRequest::new("Tell Ada that the build is green.").tool(tool_definition(&tool));
    println!("{} tool for the model", request.tools.len());
    let dynamic: DynamicTool = tool.dynamic()?;
    let call = json!({ "code": "async () => mail.send({ to: 'ada', text: 'The build is green.' })" });
    let paused = dynamic.execute(call).await?;
    println!("{}", paused.render());

    // The user says yes, and the application tells the model how it went on.
    let paused = paused.as_json().cloned().unwrap_or_default();
    let id = ExecutionId::from_text(paused["executionId"].as_str().unwrap_or_default());
    let outcome = runtime.approve(&id, Picks::AllPending, By::library("ada")).await?;
    println!("{}", given.for_model(outcome));
    Ok(())
}
