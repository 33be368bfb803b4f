//! The same tool for work that never waits: nothing is recorded, nobody is asked, and everything that code can call is
//! declared in the description. For a few small tools in one request; many tools, approvals and restarts are what
//! [`Tool`](super::Tool) is for.
//!
//! It is a mode of the runtime, not another one: code runs in the same sandbox under the same limits, and arguments are
//! checked in the same way. Only its store is one in memory that keeps nothing.

use std::sync::Arc;

use serde_json::{Value, json};

use super::provider::Provider;
use super::{Budget, arguments, schemas, shape, template};
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::value::Json;
use crate::error::Error;
use crate::outcome::{Outcome, error_text};
use crate::runtime::{Code, Runtime};

/// What a code tool is called, says and offers.
///
/// Defaults: name `codemode`, the description that the runtime writes, no providers beside the runtime's own connectors,
/// no example, results are given whole.
#[derive(Clone, Debug, Default)]
pub struct CodeToolOptions {
    pub(crate) name: Option<String>,
    pub(crate) providers: Vec<Provider>,
    description: Option<String>,
    example: Option<String>,
    budget: Option<Budget>,
}

impl CodeToolOptions {
    /// All defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What the model calls it; see [`ToolOptions::name`](super::ToolOptions::name).
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Offers these methods as well, after the runtime's own connectors. A [`Native`](crate::connector::native::Native) is
    /// one provider without a name (RESOLVE-05).
    #[must_use]
    pub fn provider(mut self, provider: impl Into<Provider>) -> Self {
        self.providers.push(provider.into());
        self
    }

    /// A description of the host. The first `{{types}}` in it becomes the declarations, the first `{{example}}` the
    /// example; both are put in as they are.
    #[must_use]
    pub fn description(self, template: impl Into<String>) -> Self {
        Self { description: Some(template.into()), ..self }
    }

    /// An example of good code, for the description.
    #[must_use]
    pub fn example(self, code: impl Into<String>) -> Self {
        Self { example: Some(code.into()), ..self }
    }

    /// How much [`CodeTool::call`] gives; see [`ToolOptions::budget`](super::ToolOptions::budget).
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget: Some(budget), ..self }
    }
}

/// How code ended.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeOutcome {
    /// It returned.
    Returned {
        /// What; `None` is `undefined`.
        result: Option<Json>,
        /// Console lines.
        logs: Vec<String>,
    },
    /// It failed.
    Failed {
        /// Why.
        error: CodeError,
        /// Console lines.
        logs: Vec<String>,
    },
}

impl CodeOutcome {
    /// What to tell of a failure in one text: that the code failed, why, and what it had said on the console.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        match self {
            Self::Returned { .. } => None,
            Self::Failed { error, logs } => Some(failure(&error_text(error), logs)),
        }
    }
}

impl From<Outcome> for CodeOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Completed { result, logs, .. } => Self::Returned { result, logs },
            Outcome::Failed { error, logs, .. } => Self::Failed { error, logs },
            // No method that could be called waits for anybody.
            Outcome::Paused { .. } | Outcome::Deferred { .. } => {
                let error = CodeError::new(ErrorKind::Sandbox, "the code waits for a person, whom nobody can ask here");
                Self::Failed { error, logs: Vec::new() }
            }
        }
    }
}

fn failure(error: &str, logs: &[String]) -> String {
    let said = if logs.is_empty() { String::new() } else { format!("\n\nConsole output:\n{}", logs.join("\n")) };
    format!("Code execution failed: {error}{said}")
}

/// A tool that runs code and keeps nothing. Cheap to clone; all clones are the same tool.
#[derive(Clone, Debug)]
pub struct CodeTool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    runtime: Runtime,
    name: String,
    description: String,
    budget: Option<Budget>,
}

impl CodeTool {
    /// `runtime` has the connectors; `types` are their declarations, in the same order.
    pub(crate) fn new(runtime: Runtime, name: String, types: &[String], options: CodeToolOptions) -> Self {
        let CodeToolOptions { description, example, budget, .. } = options;
        let template = description.as_deref().unwrap_or(template::DEFAULT);
        let description = template::filled(template, &types.join("\n\n"), example.as_deref());
        Self(Arc::new(Inner { runtime, name, description, budget }))
    }

    /// What the model calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What the model is told, with the declarations of everything that it can call.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// JSON Schema of the arguments: an object with the text `code`.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        schemas::input()
    }

    /// JSON Schema (2020-12) of what [`CodeTool::call`] gives.
    #[must_use]
    pub fn output_schema(&self) -> &Value {
        schemas::code_output()
    }

    /// Runs code for a model: `{"result": …, "logs": […]}`, where `logs` is there only if there are any and `result` only if
    /// it is not `undefined`; or `{"error": "…"}`. Arguments as for [`Tool::call`](super::Tool::call).
    ///
    /// # Errors
    /// As for [`Runtime::execute`].
    pub async fn call(&self, arguments: &Value) -> Result<Value, Error> {
        let outcome = match arguments::code(arguments) {
            Ok(code) => self.0.runtime.execute(code).await?,
            Err(error) => Outcome::Failed { execution: None, error, logs: Vec::new(), calls: None },
        };
        let mut wire = shape::for_model(outcome, self.0.budget);
        let part = |wire: &mut Value, name: &str| wire.as_object_mut().and_then(|members| members.shift_remove(name));
        let (result, logs) = (part(&mut wire, "result"), part(&mut wire, "logs"));
        if let Some(error) = part(&mut wire, "error") {
            let lines = logs.iter().flat_map(|logs| logs.as_array()).flatten();
            let lines: Vec<String> = lines.filter_map(|line| line.as_str().map(str::to_owned)).collect();
            return Ok(json!({ "error": failure(error.as_str().unwrap_or_default(), &lines) }));
        }
        let members = [("result", result), ("logs", logs)];
        let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Ok(Value::Object(members.collect()))
    }

    /// Runs code once. Closures of native connectors keep their state from call to call (CODETOOL-08).
    ///
    /// # Errors
    /// As for [`Runtime::execute`].
    pub async fn execute(&self, code: impl Into<Code>) -> Result<CodeOutcome, Error> {
        Ok(self.0.runtime.execute(code).await?.into())
    }
}
