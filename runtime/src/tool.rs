//! The one tool that a model is given instead of one per method: it takes code, and gives back what became of it.
//!
//! A [`Tool`] has everything that an agent library wants to know, in plain data: a name, a description for the model, and
//! JSON Schemas of what goes in and comes out.
//!
//! ```
//! # use codemode_runtime::{Error, Runtime};
//! # use codemode_runtime::tool::{Budget, ToolOptions};
//! # async fn offer(runtime: &Runtime) -> Result<(), Error> {
//! let options = ToolOptions::new().hint("shelf", "manage the item store").budget(Budget::default());
//! let tool = runtime.tool(options).await?;
//! let outcome = tool.call(&serde_json::json!({ "code": "async () => 42" })).await?;
//! assert_eq!(outcome["status"], "completed");
//! # Ok(())
//! # }
//! ```

mod arguments;
mod code_tool;
mod description;
mod provider;
mod schemas;
mod shape;
mod template;

use std::sync::Arc;

use serde_json::Value;

pub use crate::truncate::Budget;
pub use code_tool::{CodeOutcome, CodeTool, CodeToolOptions};
pub use description::{MAX_HINT, NAMED};
pub(crate) use provider::Immediate;
pub use provider::{DEFAULT_NAMESPACE, Provider};

use crate::durable::id::check_tool_name;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::runtime::{Code, Runtime};

/// What a tool is called and says of itself, and how much it gives to the model.
///
/// Defaults: name `codemode`, the description that the runtime writes, at most [`ToolOptions::DESCRIPTION_SIZE`] long; no
/// hints; results are given whole.
#[derive(Clone, Debug)]
pub struct ToolOptions {
    name: String,
    description: Option<String>,
    description_size: usize,
    hints: Vec<(String, String)>,
    budget: Option<Budget>,
}

impl ToolOptions {
    /// The default of the limit `tool description size`, in UTF-16 code units: what some hundred connectors take.
    pub const DESCRIPTION_SIZE: usize = 8_000;

    /// All defaults.
    #[must_use]
    pub fn new() -> Self {
        Self {
            name: "codemode".to_owned(),
            description: None,
            description_size: Self::DESCRIPTION_SIZE,
            hints: Vec::new(),
            budget: None,
        }
    }

    /// What the model calls it: 1 to 64 ASCII letters, digits, `_` and `-`, as the interfaces of models want it.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// A description in place of the whole one that the runtime writes, hints included (TOOL-DESCRIPTION-11). No limit.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        Self { description: Some(text.into()), ..self }
    }

    /// The limit `tool description size`, in UTF-16 code units. Connectors that have no room are left out of the
    /// description, which says so; `codemode.search` finds their methods all the same. The text around the list is never
    /// cut.
    #[must_use]
    pub fn description_size(self, units: usize) -> Self {
        Self { description_size: units, ..self }
    }

    /// What a connector is good for, in a few words: shown after its name, as one line of at most [`MAX_HINT`] UTF-16
    /// code units. The last one for a connector counts; one for a connector that is not there is ignored.
    #[must_use]
    pub fn hint(mut self, connector: impl Into<String>, text: impl Into<String>) -> Self {
        self.hints.push((connector.into(), text.into()));
        self
    }

    /// How much of a result, of an error, of console lines and of pending arguments [`Tool::call`] gives, each; what is
    /// over is cut and says so. The record keeps everything, and a replay sees it (TRUNCATE-08). [`Tool::execute`] is not
    /// for the model and cuts nothing.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget: Some(budget), ..self }
    }
}

impl Default for ToolOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// The tool of a runtime, for a model. Cheap to clone; all clones are the same tool.
#[derive(Clone, Debug)]
pub struct Tool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    runtime: Runtime,
    name: String,
    description: String,
    budget: Option<Budget>,
}

impl Tool {
    /// `connectors` are the globals that code has, in configured order.
    pub(crate) fn new(runtime: Runtime, connectors: &[&str], options: ToolOptions) -> Result<Self, Error> {
        let ToolOptions { name, description, description_size, hints, budget } = options;
        check_tool_name(&name)?;
        let description = description.unwrap_or_else(|| description::describe(connectors, &hints, description_size));
        Ok(Self(Arc::new(Inner { runtime, name, description, budget })))
    }

    /// What the model calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What the model is told: how to write code, and which connectors there are. Neither methods nor schemas, which code
    /// asks for (TOOL-DESCRIPTION-01).
    #[must_use]
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// JSON Schema of the arguments: an object with the text `code` (RUN-02).
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        schemas::input()
    }

    /// JSON Schema (2020-12) of what [`Tool::call`] gives: completed, paused, or error.
    #[must_use]
    pub fn output_schema(&self) -> &Value {
        schemas::output()
    }

    /// Runs code for a model: takes the arguments as the model wrote them, and gives the outcome in its wire form. The
    /// journal's `calls` are not in it: what code did not return is nothing that the model should have to read (DIFF-02);
    /// hosts get them from [`Tool::execute`] and [`Runtime::record`].
    ///
    /// Arguments that are no object with the text `code` are an outcome with an error; nothing is stored for them.
    /// Members beside `code` are ignored (RUN-02).
    ///
    /// # Errors
    /// As for [`Runtime::execute`].
    pub async fn call(&self, arguments: &Value) -> Result<Value, Error> {
        let outcome = match arguments::code(arguments) {
            Ok(code) => self.execute(code).await?,
            Err(error) => Outcome::Failed { execution: None, error, logs: Vec::new(), calls: None },
        };
        Ok(self.for_model(outcome))
    }

    /// Runs code, and gives all that is known of the outcome.
    ///
    /// # Errors
    /// As for [`Runtime::execute`].
    pub async fn execute(&self, code: impl Into<Code>) -> Result<Outcome, Error> {
        self.0.runtime.execute(code).await
    }

    /// The form in which the model gets an outcome, cut to the budget: for outcomes that come from somewhere else, such as
    /// an approval. What is running ([`Outcome::Deferred`]) is no outcome of [`Tool::call`], but has a form as well.
    #[must_use]
    pub fn for_model(&self, outcome: Outcome) -> Value {
        shape::for_model(outcome, self.0.budget)
    }
}
