//! What a client gets for a tool call: the structured value, and next to it the text that most clients show the model.
//! Texts are given as they are, other values as JSON with an indent of two; a failure of the code is a result that says
//! so, never an error of the protocol.

use codemode_runtime::store::Record;
use codemode_runtime::tool::Tool;
use codemode_runtime::truncate::{Budget, truncated_text};
use codemode_runtime::{CodeError, Docs, Error, ErrorKind, Found, Outcome, PendingCall, Status};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::options::Options;

/// Whether the result says that something failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Went {
    Well,
    Wrong,
}

fn result(structured: Value, text: String, went: Went) -> CallToolResult {
    let content = vec![ContentBlock::text(text)];
    let mut result = match went {
        Went::Well => CallToolResult::success(content),
        Went::Wrong => CallToolResult::error(content),
    };
    result.structured_content = Some(structured);
    result
}

/// For an outcome; `tool` shapes it for a model.
pub(crate) fn outcome(tool: &Tool, options: &Options, outcome: Outcome) -> CallToolResult {
    let waits = match &outcome {
        Outcome::Paused { .. } => Some(waiting(options, &outcome)),
        _ => None,
    };
    let shaped = tool.for_model(outcome);
    let went = if shaped["status"] == "error" { Went::Wrong } else { Went::Well };
    let text = waits.unwrap_or_else(|| text_of(&shaped));
    result(shaped, text, went)
}

/// For arguments or a call that the server refuses, in the form of a failed outcome.
pub(crate) fn refusal(tool: &Tool, error: CodeError) -> CallToolResult {
    let shaped = tool.for_model(Outcome::Failed { execution: None, error, logs: Vec::new(), calls: None });
    let text = text_of(&shaped);
    result(shaped, text, Went::Wrong)
}

/// For a failure of the host: no fault of the code, and nothing that sending it again in another form would mend.
pub(crate) fn host_failure(error: &Error) -> CallToolResult {
    let message = error.to_string();
    let info = json!({ "kind": error.code(), "name": "HostFailure", "message": message });
    let structured = json!({ "status": "error", "executionId": "", "error": message, "errorInfo": info });
    result(structured, format!("Error: {message}\nThe host failed, not the code: tell the user."), Went::Wrong)
}

/// For what a search found; what is over the budget is left out from the end.
pub(crate) fn found(mut found: Found, budget: Budget) -> CallToolResult {
    loop {
        let value = json!(found);
        let text = pretty(&value);
        if found.results.is_empty() || matches!(truncated_text(&text, budget), std::borrow::Cow::Borrowed(_)) {
            return result(value, text, Went::Well);
        }
        found.results.truncate(found.results.len() * 3 / 4);
        found.truncated = true;
    }
}

/// For the docs of something: the text is the declarations as they are.
pub(crate) fn docs(mut docs: Docs, budget: Budget) -> CallToolResult {
    docs.types = truncated_text(&docs.types, budget).into_owned();
    docs.description = docs.description.map(|text| truncated_text(&text, budget).into_owned());
    let mut text = docs.path.clone();
    if let Some(description) = &docs.description {
        text.push_str(&format!(": {description}"));
    }
    text.push_str(&format!("\n\n{}", docs.types));
    result(json!(docs), text, Went::Well)
}

/// For what became of an execution: like docs, with the outcome in them.
pub(crate) fn standing(tool: &Tool, options: &Options, record: Record) -> CallToolResult {
    let (id, status) = (record.execution.id().clone(), record.execution.status);
    let (outcome, said) = if status == Status::Running {
        (json!({ "status": "running", "executionId": id.as_str() }), "It is still running; ask again.".to_owned())
    } else {
        let outcome = recorded(record);
        let waits = (status == Status::Paused).then(|| waiting(options, &outcome));
        let mut shaped = tool.for_model(outcome);
        shaped["status"] = json!(status.as_str());
        let said = waits.unwrap_or_else(|| text_of(&shaped));
        (shaped, said)
    };
    let text = format!("Execution {id} is {status}.\n\n{said}");
    let structured = json!({ "path": id.as_str(), "kind": "execution", "types": text, "outcome": outcome });
    result(structured, text, Went::Well)
}

/// The outcome of an execution at rest, as it is recorded.
pub(crate) fn recorded(record: Record) -> Outcome {
    let (execution, calls) = (record.execution, record.entries);
    let id = execution.id().clone();
    match execution.status {
        Status::Completed => Outcome::Completed { execution: id, result: execution.result, logs: Vec::new(), calls },
        Status::Paused => {
            let pending = calls.iter().filter_map(|entry| PendingCall::of(&id, entry)).collect();
            Outcome::Paused { execution: id, pending, calls }
        }
        status => {
            let ended = || CodeError::new(ErrorKind::NotResumable, format!("the execution is {status}"));
            let error = execution.error.unwrap_or_else(ended);
            Outcome::Failed { execution: Some(id), error, logs: Vec::new(), calls: Some(calls) }
        }
    }
}

/// The text of a shaped outcome that does not wait for anybody.
fn text_of(shaped: &Value) -> String {
    match shaped.get("error").and_then(Value::as_str) {
        Some(error) => {
            let name = shaped["errorInfo"]["name"].as_str().unwrap_or_default();
            let named = !name.is_empty() && error.starts_with(&format!("{name}: "));
            if named { error.to_owned() } else { format!("Error: {error}") }
        }
        None => match shaped.get("result") {
            None => "undefined".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => pretty(value),
        },
    }
}

/// What a model is told of a paused execution, and what it can tell the person.
fn waiting(options: &Options, outcome: &Outcome) -> String {
    let Outcome::Paused { execution, pending, .. } = outcome else { return String::new() };
    let mut text = format!("Paused: execution {execution} waits for a person. Nothing that waits has happened yet.\n");
    let shown = pending.iter().take(options.limits.questions);
    for call in shown {
        text.push_str(&format!("- call {} of {}.{}\n", call.seq, call.connector, call.method));
    }
    let more = pending.len().saturating_sub(options.limits.questions);
    if more > 0 {
        text.push_str(&format!("- and {more} more\n"));
    }
    text.push_str("Tell the user what waits, and how they decide in a terminal:\n");
    if pending.is_empty() {
        let line = options.line("unresolved", execution);
        text.push_str(&format!("  {line}\nNobody knows whether a call happened; that command says what to do.\n"));
    } else {
        text.push_str(&format!("  {}\n", options.line("approve", execution)));
        let seq = pending.first().map_or(0, |call| call.seq.0);
        text.push_str(&format!("or, to refuse:\n  {} {seq}\n", options.line("reject", execution)));
    }
    text.push_str(&format!(
        "Do not send the code again: once approved, it goes on by itself and nothing happens twice. You cannot approve it \
         yourself. When the user says that it is done, call the tool `describe` with the target {execution} to see the result."
    ));
    text
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covers MCP-25.
    #[test]
    fn texts_are_given_as_they_are_and_other_values_as_indented_json() {
        let text = |result: Value| text_of(&json!({ "status": "completed", "executionId": "x", "result": result }));
        assert_eq!(text(json!("a\n\"b\"")), "a\n\"b\"");
        assert_eq!(text(json!(null)), "null");
        assert_eq!(text(json!(1.5)), "1.5");
        assert_eq!(text(json!({ "b": 1, "a": [] })), "{\n  \"b\": 1,\n  \"a\": []\n}");
        assert_eq!(text_of(&json!({ "status": "completed", "executionId": "x" })), "undefined");
    }

    /// Covers MCP-26.
    #[test]
    fn an_error_begins_with_its_name_or_with_the_word() {
        let text = |name: &str, error: &str| text_of(&json!({ "error": error, "errorInfo": { "name": name } }));
        assert_eq!(text("Error", "test error"), "Error: test error");
        assert_eq!(text("TypeError", "TypeError: x is no function"), "TypeError: x is no function");
        assert_eq!(text("LimitExceeded", "too much"), "Error: too much");
    }
}
