//! The three tools as a client lists them. What they say of themselves is true for any connector: of code nobody knows
//! beforehand what it does; looking changes nothing.

use std::sync::Arc;

use codemode_runtime::tool;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::arguments::Wanted;

/// Runs code.
pub(crate) const CODEMODE: &str = "codemode";
/// Finds methods and snippets.
pub(crate) const SEARCH: &str = "search";
/// Shows the docs of one.
pub(crate) const DESCRIBE: &str = "describe";

/// What `codemode` takes.
pub(crate) const CODE: Wanted = Wanted { name: "code", example: "async () => { … }" };
/// What `search` takes.
pub(crate) const QUERY: Wanted = Wanted { name: "query", example: "send a message" };
/// What `describe` takes.
pub(crate) const TARGET: Wanted = Wanted { name: "target", example: "connector.method" };

const SEARCH_SAYS: &str = "\
Finds methods of connectors, and snippets, by a short phrase for what you want to do. The best come first, with the paths \
by which code calls them. The same as codemode.search in code; looking needs no code.";

const DESCRIBE_SAYS: &str = "\
Shows the TypeScript declarations of one target: a connector, a method by its path, or a snippet. The same as \
codemode.describe in code. With the id of an execution as target it shows what became of that execution, and its result.";

/// All of them.
pub(crate) fn all(codemode: &tool::Tool) -> Vec<Tool> {
    vec![self::codemode(codemode), search(), describe()]
}

fn codemode(tool: &tool::Tool) -> Tool {
    let hints = ToolAnnotations::from_raw(None, Some(false), Some(true), Some(false), Some(true));
    Tool::new(CODEMODE, tool.description().to_owned(), object(tool.input_schema()))
        .with_title("Run code")
        .with_raw_output_schema(object(tool.output_schema()))
        .with_annotations(hints)
}

fn search() -> Tool {
    let input = text("query", "A short phrase for what you want to do.");
    let output = json!({
        "type": "object",
        "required": ["results", "total", "truncated"],
        "properties": {
            "results": {
                "description": "The best first.",
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["path", "connector", "method", "kind", "score"],
                    "properties": {
                        "path": { "description": "What `describe` takes.", "type": "string" },
                        "connector": { "type": "string" },
                        "method": { "type": "string" },
                        "description": { "type": "string" },
                        "kind": { "enum": ["method", "snippet"] },
                        "score": { "type": "integer" },
                        "requiresApproval": { "description": "A person is asked first.", "type": "boolean" }
                    }
                }
            },
            "total": { "description": "How many there are.", "type": "integer" },
            "truncated": { "description": "Whether some are left out.", "type": "boolean" }
        }
    });
    looks(SEARCH, "Search methods", SEARCH_SAYS, &input, &output)
}

fn describe() -> Tool {
    let input = text("target", "A connector, `connector.method`, the name of a snippet, or the id of an execution.");
    let output = json!({
        "type": "object",
        "required": ["path", "kind", "types"],
        "properties": {
            "path": { "type": "string" },
            "description": { "type": "string" },
            "types": { "description": "Declarations, code, or what became of the execution.", "type": "string" },
            "kind": { "enum": ["connector", "method", "snippet", "execution"] },
            "requiresApproval": { "description": "A person is asked first.", "type": "boolean" },
            "effect": { "enum": ["read-only", "write"] },
            "outcome": { "description": "Of an execution: its status, and its result or error.", "type": "object" }
        }
    });
    looks(DESCRIBE, "Describe a method", DESCRIBE_SAYS, &input, &output)
}

/// A tool that changes nothing and reaches nothing outside.
fn looks(name: &'static str, title: &str, says: &'static str, input: &Value, output: &Value) -> Tool {
    let hints = ToolAnnotations::from_raw(None, Some(true), Some(false), Some(true), Some(false));
    Tool::new(name, says, object(input))
        .with_title(title)
        .with_raw_output_schema(object(output))
        .with_annotations(hints)
}

fn text(name: &str, description: &str) -> Value {
    json!({
        "type": "object",
        "properties": { name: { "type": "string", "description": description } },
        "required": [name]
    })
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
