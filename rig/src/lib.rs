//! Gives agents made with [rig](https://docs.rs/rig-core) the codemode tool: one tool that runs what the model writes,
//! durably, with approvals.
//!
//! ```no_run
//! # use codemode_rig::CodemodeTool;
//! # use codemode_runtime::tool::{Budget, ToolOptions};
//! # async fn give(runtime: codemode_runtime::Runtime) -> Result<(), codemode_runtime::Error> {
//! let tool = CodemodeTool::new(runtime.tool(ToolOptions::new().budget(Budget::default())).await?);
//! // Then, with the agent builder of your choice: `agent.tool(tool)`.
//! # Ok(())
//! # }
//! ```
//!
//! What the model gets is the outcome as JSON. One that is `paused` is an ordinary result: the agent tells its user, a
//! person approves through [`Runtime::approve`](codemode_runtime::Runtime::approve), and the application gives the outcome
//! of that to the agent in its next turn, in the form of [`Tool::for_model`].
#![warn(missing_docs)]

use codemode_runtime::Error;
use codemode_runtime::tool::Tool;
use rig_core::message::{EmptyToolName, ToolName};
use rig_core::tool::{DynamicTool, PortableTool, ToolExecutionError, ToolOutput};
use serde_json::Value;

/// The codemode tool, as rig wants one. Cheap to clone.
///
/// To rig its name is always `codemode`; a tool that [`ToolOptions::name`](codemode_runtime::tool::ToolOptions::name) calls otherwise is given to an agent as a
/// [`CodemodeTool::dynamic`].
#[derive(Clone, Debug)]
pub struct CodemodeTool(Tool);

impl CodemodeTool {
    /// Wraps the tool of a runtime.
    #[must_use]
    pub fn new(tool: Tool) -> Self {
        Self(tool)
    }

    /// The same tool under the name that it has.
    ///
    /// # Errors
    /// Never: a name of ours is not empty.
    pub fn dynamic(self) -> Result<DynamicTool, EmptyToolName> {
        let name = ToolName::new(self.0.name())?;
        let (description, schema) = (self.0.description().to_owned(), self.0.input_schema().clone());
        Ok(DynamicTool::new(name, description, schema, move |arguments| {
            let tool = self.0.clone();
            Box::pin(async move { tool.call(&arguments).await.map(ToolOutput::json).map_err(failed) })
        }))
    }
}

impl From<Tool> for CodemodeTool {
    fn from(tool: Tool) -> Self {
        Self::new(tool)
    }
}

impl PortableTool for CodemodeTool {
    const NAME: &'static str = "codemode";
    // As the model wrote them: what is wrong with them is for the tool to say, in words that help.
    type Args = Value;
    type Output = Value;
    type Error = Error;

    fn description(&self) -> String {
        self.0.description().to_owned()
    }

    fn parameters(&self) -> Value {
        self.0.input_schema().clone()
    }

    fn map_error(&self, error: Error) -> ToolExecutionError {
        failed(error)
    }

    async fn call(&self, arguments: Value) -> Result<Value, Error> {
        self.0.call(&arguments).await
    }
}

/// The host could not do its work. What happened is for the operator; the model learns that trying the same again now is
/// of no use.
fn failed(error: Error) -> ToolExecutionError {
    let code = error.code();
    ToolExecutionError::from_error(error)
        .with_code(code)
        .with_model_feedback("the host could not run the code; nothing is known to be wrong with it")
}
