//! What came of a recovery: a line for people, a value for programs, a code for the shell.

use clap::builder::styling::Style;
use codemode_runtime::outcome::unresolved_to_wire;
use codemode_runtime::{Entry, EntryState, ExecutionId, Outcome, Recovered, Runtime, Status};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{many, waits};
use crate::output::text::{indent, safe};
use crate::output::{BAD, BOLD, GOOD, WAITS, styled};
use crate::setup::Setup;

/// What was recovered; the keys are stable.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Wire<'a> {
    execution_id: &'a str,
    recovered: &'static str,
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<serde_json::Value>,
    unresolved: Box<RawValue>,
}

/// One line with what came of it, and below it what to do next.
pub(super) fn block(
    runtime: &Runtime,
    setup: &Setup,
    id: &ExecutionId,
    recovered: &Recovered,
) -> Result<String, Fault> {
    let command = |verb: &str| styled(BOLD, setup.command(&[verb, id.as_str()]));
    let line = |style, word: &str, detail: &str| format!("{} {}  {detail}", styled(BOLD, id), styled(style, word));
    let (head, next) = match recovered {
        Recovered::Resumed(Outcome::Completed { calls, .. }) => {
            (line(GOOD, "completed", &many(calls.len(), "call")), Vec::new())
        }
        Recovered::Resumed(Outcome::Paused { pending, calls, .. }) => {
            let mut next = Vec::new();
            if !pending.is_empty() {
                next.push(format!("approve: {}", command("approve")));
            }
            if calls.iter().any(Entry::is_in_doubt) {
                next.push(format!("resolve: {}", command("unresolved")));
            }
            (line(WAITS, "paused", &waits(pending, calls)), next)
        }
        Recovered::Resumed(Outcome::Failed { error, .. }) => {
            let detail = format!("{}: {}", error.kind.as_str(), safe(&error.message));
            (line(BAD, "error", &detail), vec![format!("journal: {}", command("show"))])
        }
        Recovered::Resumed(other) => (line(WAITS, other.status().as_str(), ""), Vec::new()),
        Recovered::Finished(status) => finished(runtime, id, *status, &line, command("rollback"))?,
        Recovered::Left(error) => {
            let detail = format!("{}: {}", error.kind.as_str(), safe(&error.message));
            let next = error.hint.iter().map(|hint| format!("{} {}", styled(GOOD, "hint:"), safe(hint)));
            (line(BAD, "left as it is", &detail), next.collect())
        }
        Recovered::Failed(error) => {
            let fault = Fault::from(error.clone());
            let next = fault.hint.iter().map(|hint| format!("{} {}", styled(GOOD, "hint:"), safe(hint)));
            (line(BAD, "failed", &format!("{}: {}", fault.code, safe(&fault.message))), next.collect())
        }
        _ => (line(WAITS, "recovered", ""), Vec::new()),
    };
    Ok(if next.is_empty() { head } else { format!("{head}\n{}", indent(&next.join("\n"), "  ")) })
}

/// Hooks or a rollback that were finished.
fn finished(
    runtime: &Runtime,
    id: &ExecutionId,
    status: Status,
    line: &impl Fn(Style, &str, &str) -> String,
    again: String,
) -> Result<(String, Vec<String>), Fault> {
    let (undone, failed) = undone(runtime, id)?;
    if undone + failed == 0 {
        return Ok((line(GOOD, status.as_str(), "its hooks have run"), Vec::new()));
    }
    let what = format!("its rollback is finished: {} undone", many(undone, "call"));
    Ok(match failed {
        0 => (line(GOOD, status.as_str(), &what), Vec::new()),
        _ => {
            let what = format!("{what}, {} failed", many(failed, "revert"));
            (line(BAD, status.as_str(), &what), vec![format!("try again: {again}")])
        }
    })
}

/// How many calls are undone, and how many reverts failed.
fn undone(runtime: &Runtime, id: &ExecutionId) -> Result<(usize, usize), Fault> {
    let entries = runtime.record(id)?.map(|record| record.entries).unwrap_or_default();
    let undone = entries.iter().filter(|e| e.state == EntryState::Reverted).count();
    Ok((undone, entries.iter().filter(|e| e.is_not_reverted()).count()))
}

pub(super) fn exit(runtime: &Runtime, id: &ExecutionId, recovered: &Recovered) -> Result<Exit, Fault> {
    Ok(match recovered {
        Recovered::Resumed(outcome) => Exit::of(outcome),
        Recovered::Finished(_) if undone(runtime, id)?.1 > 0 => Exit::CodeFailed,
        Recovered::Left(_) => Exit::Conflict,
        Recovered::Failed(error) => Fault::from(error.clone()).exit,
        _ => Exit::Completed,
    })
}

/// The one of two that needs more attention.
pub(super) fn worse(a: Exit, b: Exit) -> Exit {
    let order = [Exit::Completed, Exit::Paused, Exit::CodeFailed, Exit::Conflict];
    let rank = |exit: Exit| order.iter().position(|o| *o == exit).unwrap_or(order.len());
    if rank(b) > rank(a) { b } else { a }
}

pub(super) fn wire<'a>(runtime: &Runtime, id: &'a ExecutionId, recovered: &Recovered) -> Result<Wire<'a>, Fault> {
    let raw = |text: String| RawValue::from_string(text).unwrap_or_default();
    let status = runtime.record(id).ok().flatten().map(|record| record.execution.status.as_str());
    let (word, outcome, error) = match recovered {
        Recovered::Resumed(outcome) => ("resumed", Some(raw(outcome.to_wire())), None),
        Recovered::Left(error) => {
            let error =
                serde_json::json!({ "code": error.kind.as_str(), "message": error.message, "hint": error.hint });
            ("left", None, Some(error))
        }
        Recovered::Failed(error) => ("failed", None, Some(Fault::from(error.clone()).wire())),
        _ => ("finished", None, None),
    };
    let unresolved = raw(unresolved_to_wire(&runtime.unresolved(Some(id))?));
    Ok(Wire { execution_id: id.as_str(), recovered: word, status, outcome, error, unresolved })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_exit_codes_the_most_pressing_one_is_given() {
        let worst = |exits: &[Exit]| exits.iter().fold(Exit::Completed, |a, b| worse(a, *b));
        assert_eq!(worst(&[]), Exit::Completed);
        assert_eq!(worst(&[Exit::Paused, Exit::Completed]), Exit::Paused);
        assert_eq!(worst(&[Exit::CodeFailed, Exit::Paused]), Exit::CodeFailed);
        assert_eq!(worst(&[Exit::CodeFailed, Exit::Conflict]), Exit::Conflict);
        assert_eq!(worst(&[Exit::Host, Exit::Conflict, Exit::Paused]), Exit::Host);
    }
}
