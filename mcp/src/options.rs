//! What a host decides about its server.

use std::fmt;
use std::sync::Arc;

use codemode_runtime::ExecutionId;
use codemode_runtime::tool::ToolOptions;

use crate::limits::Limits;

type Command = dyn Fn(&[&str]) -> String + Send + Sync;

/// How a server behaves. Defaults: [`Limits::default`], the tool as the runtime describes it, and commands as they are
/// typed where the command `codemode` finds the store by itself.
#[derive(Clone)]
pub struct Options {
    pub(crate) limits: Limits,
    pub(crate) tool: ToolOptions,
    command: Arc<Command>,
}

impl Options {
    /// Other bounds.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// What the tool `codemode` says of itself. Its name and budget are the server's.
    #[must_use]
    pub fn tool(self, tool: ToolOptions) -> Self {
        Self { tool, ..self }
    }

    /// What a person types to reach the same store: the closure gets the words of a command, such as `approve` and an
    /// id, and gives the whole line.
    #[must_use]
    pub fn command(self, line: impl Fn(&[&str]) -> String + Send + Sync + 'static) -> Self {
        Self { command: Arc::new(line), ..self }
    }

    pub(crate) fn line(&self, verb: &str, id: &ExecutionId) -> String {
        (self.command)(&[verb, id.as_str()])
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            tool: ToolOptions::default(),
            command: Arc::new(|words| format!("codemode {}", words.join(" "))),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("limits", &self.limits).field("tool", &self.tool).finish_non_exhaustive()
    }
}
