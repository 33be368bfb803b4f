//! What came of a pass, for people.

use codemode_runtime::{CodeError, Entry, ErrorKind, ExecutionId, Json, Outcome, PendingCall};

use super::text::{indent, json, path, safe};
use super::{BAD, BOLD, DIM, GOOD, Ui, WAITS, error_lines, source, styled};
use crate::args::Output;
use crate::fault::Fault;
use crate::setup::Setup;

/// Shows an outcome; `code` is what ran.
pub(crate) fn show(ui: &Ui, setup: &Setup, outcome: &Outcome, code: &str) -> Result<(), Fault> {
    if ui.form() == Output::Json {
        ui.data(outcome.to_wire())?;
    }
    match outcome {
        Outcome::Completed { execution, result, logs, calls } => {
            logged(ui, logs);
            let count = many(calls.len(), "call");
            ui.talk(format!("{} {execution} {}", styled(GOOD, "completed"), styled(DIM, format!("({count})"))));
            if let (Output::Human, Some(result)) = (ui.form(), result) {
                ui.data(json(result.as_str()))?;
            }
        }
        Outcome::Paused { execution, pending, calls } => {
            ui.talk(format!("{} {execution}: {}", styled(WAITS, "paused"), waits(pending, calls)));
            let doubts = calls.iter().filter(|e| e.is_in_doubt());
            let shown: Vec<String> = pending.iter().map(call).chain(doubts.map(doubt)).collect();
            if ui.form() == Output::Human && !shown.is_empty() {
                ui.data(shown.join("\n"))?;
            }
            ui.talk(next(setup, execution, pending, calls));
        }
        Outcome::Failed { execution, error, logs, .. } => {
            logged(ui, logs);
            ui.talk(code_error(error, code));
            if let Some(execution) = execution {
                let (why, verb) = match error.kind {
                    ErrorKind::Unresolved => ("resolve:", "unresolved"),
                    _ => ("journal:", "show"),
                };
                let command = setup.command(&[verb, execution.as_str()]);
                ui.talk(format!("{} {}", styled(DIM, why), styled(BOLD, command)));
            }
        }
        Outcome::Deferred { execution, seqs } => {
            let seqs: Vec<String> = seqs.iter().map(ToString::to_string).collect();
            let what = format!("approved seq {} of {execution}", seqs.join(", "));
            ui.talk(format!("{} {what}; a pass runs, it takes effect at its next pause", styled(GOOD, "stored")));
        }
        _ => ui.talk(format!("{} ended as {}", outcome.execution().map_or("", |id| id.as_str()), outcome.status())),
    }
    Ok(())
}

/// A pending call with its arguments in full: what a person consents to.
pub(crate) fn call(pending: &PendingCall) -> String {
    let path = safe(&format!("{}.{}", pending.connector, pending.method));
    let args = pending.args.as_ref().map_or_else(|| "no arguments".to_owned(), |args| json(args.as_str()));
    format!("  #{} {}\n{}\n", pending.seq, styled(BOLD, path), indent(&args, "     "))
}

/// A call in doubt, with its arguments.
fn doubt(entry: &Entry) -> String {
    let (connector, method) = entry.request.path();
    let args = entry.request.args().map_or_else(|| "no arguments".to_owned(), |args| json(args.as_str()));
    let seq = entry.seq.map_or_else(String::new, |seq| seq.to_string());
    let path = styled(BOLD, safe(&path(connector, method)));
    format!("  #{seq} {path} {}\n{}\n", styled(WAITS, "in doubt"), indent(&args, "     "))
}

/// For what a paused execution waits.
pub(crate) fn waits(pending: &[PendingCall], calls: &[Entry]) -> String {
    let in_doubt = calls.iter().filter(|e| e.is_in_doubt()).count();
    let parts = [
        (pending.len(), if pending.len() == 1 { "waits for approval" } else { "wait for approval" }),
        (
            in_doubt,
            if in_doubt == 1 { "is in doubt: it may have happened" } else { "are in doubt: they may have happened" },
        ),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, what)| format!("{} {what}", many(count, "call"))).collect::<Vec<_>>().join(", ")
}

/// The commands with which a paused execution goes on.
fn next(setup: &Setup, execution: &ExecutionId, pending: &[PendingCall], calls: &[Entry]) -> String {
    let mut lines = Vec::new();
    let mut line = |what: &str, words: &[&str]| lines.push(format!("{what} {}", styled(BOLD, setup.command(words))));
    let id = execution.as_str();
    if let Some(first) = pending.first() {
        line("approve:", &["approve", id]);
        line("reject: ", &["reject", id, &first.seq.to_string()]);
    }
    if calls.iter().any(Entry::is_in_doubt) {
        line("resolve:", &["unresolved", id]);
    }
    lines.join("\n")
}

/// An error of the code: what, where, and what to do.
pub(crate) fn code_error(error: &CodeError, code: &str) -> String {
    let named =
        error.kind == ErrorKind::Thrown && !matches!(error.name.as_str(), "Error" | "Thrown" | "ConnectorError");
    let message = match named {
        true if !error.message.starts_with(&error.name) => format!("{}: {}", error.name, error.message),
        _ => error.message.clone(),
    };
    let (line, column) = (error.line.unwrap_or(0), error.column.unwrap_or(0));
    let place = if line > 0 { format!(" (line {line}, column {column})") } else { String::new() };
    let mut lines = error_lines(error.kind.as_str(), &format!("{}{}", safe(&message), styled(DIM, place)), None);
    if let Some(excerpt) = source::excerpt(code, line, column) {
        lines.push_str(&format!("\n{excerpt}"));
    }
    if let Some(hint) = &error.hint {
        lines.push_str(&format!("\n{} {}", styled(GOOD, "hint:"), safe(hint).replace('\n', "\n      ")));
    }
    lines
}

/// Console lines of the code.
fn logged(ui: &Ui, logs: &[String]) {
    for line in logs {
        ui.talk(indent(&safe(line), &format!("{} ", styled(DIM, "log |"))));
    }
}

/// A recorded value on one line; a failure in its own colour.
pub(crate) fn value(answer: Option<&Json>) -> String {
    answer.map_or_else(String::new, |json| json.as_str().to_owned())
}

/// `1 call`, `2 calls`.
pub(crate) fn many(count: usize, what: &str) -> String {
    format!(
        "{count} {what}{}",
        if count == 1 {
            ""
        } else if what.ends_with('s') {
            "es"
        } else {
            "s"
        }
    )
}

/// The colour of a status or state.
pub(crate) fn tone(word: &str) -> clap::builder::styling::Style {
    match word {
        "completed" | "applied" => GOOD,
        "error" | "failed" | "unrecordable" => BAD,
        "paused" | "pending" | "unknown" | "reverting" => WAITS,
        _ => DIM,
    }
}
