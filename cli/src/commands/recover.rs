//! `recover`: goes on with what processes that are gone left behind, and says what came of each.

use std::collections::{BTreeMap, BTreeSet};

use codemode_runtime::outcome::unresolved_to_wire;
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::{Entry, EntryState, ExecutionId, Outcome, Recovered, Runtime, Status, Store as _};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use super::block_on;
use super::drive::{Ended, Running, follow, last_event, unless_interrupted};
use super::standing::{self, Standing};
use crate::args::{Output, Recover};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{self, many, waits};
use crate::output::text::{indent, safe};
use crate::output::{BAD, BOLD, GOOD, Ui, WAITS, styled};
use crate::setup::{Opening, Setup};
use crate::{interrupt, progress, select};

/// How many executions are recovered at once.
const AT_ONCE: usize = 8;

/// What was recovered; the keys are stable.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    execution_id: &'a str,
    recovered: &'static str,
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<serde_json::Value>,
    unresolved: Box<RawValue>,
}

pub(super) fn run(args: &Recover, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    match &args.id {
        Some(text) => one(&select::find(&*store, text)?, setup, ui),
        None => all(setup, ui),
    }
}

fn nothing(ui: &Ui, why: &str) -> Result<Exit, Fault> {
    if ui.form() == Output::Json {
        ui.json(&[(); 0])?;
    }
    ui.talk(format!("nothing to recover: {why}"));
    Ok(Exit::Completed)
}

fn one(id: &ExecutionId, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let record = standing::load(&store, id)?;
    let standing = Standing::of(&store, &record.execution)?;
    if standing != Standing::Gone {
        let why = standing.sentence(&record).unwrap_or_else(|| format!("is {}", record.execution.status));
        return nothing(ui, &format!("{id} {why}"));
    }
    let runtime = setup.runtime(store)?;
    let after = last_event(&record.entries);
    let work = async { Ok(Running { id: Some(id.clone()), outcome: runtime.recover_one(id) }) };
    let done = match follow(setup, ui, &runtime, after, work)? {
        Ended::Done(done) => done,
        Ended::Interrupted(exit) => return Ok(exit),
    };
    let Some(recovered) = done else { return nothing(ui, &format!("somebody else has recovered {id} meanwhile")) };
    let exit = exit(&runtime, id, &recovered)?;
    match (&recovered, ui.form()) {
        (_, Output::Json) => ui.json(&[wire(&runtime, id, &recovered)?])?,
        // What `run` would have shown.
        (Recovered::Resumed(ended), Output::Human) => outcome::show(ui, setup, ended, &record.execution.start.code)?,
        _ => ui.data(block(&runtime, setup, id, &recovered)?)?,
    }
    Ok(exit)
}

fn all(setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let gone = left_behind(&store)?;
    if gone.is_empty() {
        return nothing(ui, "no process that is gone left anything behind");
    }
    let runtime = setup.runtime(store)?;
    let interrupted = interrupt::catch();
    let mut done = BTreeMap::new();
    let whole = block_on(async {
        unless_interrupted(interrupted, each(setup, ui, &runtime, &gone, &mut done)).await.transpose()
    })?;
    if ui.form() == Output::Json {
        let lines: Result<Vec<_>, Fault> =
            gone.iter().filter_map(|id| done.get(id).map(|line| wire(&runtime, id, line))).collect();
        ui.json(&lines?)?;
    }
    if whole.is_none() {
        let word = styled(WAITS, "interrupted:");
        ui.talk(format!("\n{word} {} of {} are recovered; journals are kept", done.len(), gone.len()));
        ui.talk(format!("go on: {}", styled(BOLD, setup.command(&["recover"]))));
        return Ok(Exit::Interrupted);
    }
    let mut worst = Exit::Completed;
    for (id, recovered) in &done {
        worst = worse(worst, exit(&runtime, id, recovered)?);
    }
    Ok(worst)
}

/// Executions of processes that are gone, oldest first.
fn left_behind(store: &SqliteStore) -> Result<Vec<ExecutionId>, Fault> {
    let owned = store.owned()?;
    let owners: BTreeSet<_> = owned.iter().map(|(_, owner)| *owner).collect();
    let mut alive = BTreeSet::new();
    for owner in owners {
        if store.owner_is_alive(owner)? {
            alive.insert(owner);
        }
    }
    Ok(owned.into_iter().filter(|(_, owner)| !alive.contains(owner)).map(|(id, _)| id).collect())
}

/// Recovers some at a time, and shows each when it is done.
async fn each(
    setup: &Setup,
    ui: &Ui,
    runtime: &Runtime,
    gone: &[ExecutionId],
    done: &mut BTreeMap<ExecutionId, Recovered>,
) -> Result<(), Fault> {
    let mut waiting = gone.iter();
    let mut at_work = JoinSet::new();
    let mut ended = 0;
    loop {
        while at_work.len() < AT_ONCE
            && let Some(id) = waiting.next()
        {
            let (runtime, id) = (runtime.clone(), id.clone());
            at_work.spawn(async move {
                let recovered = runtime.recover_one(&id).await;
                (id, recovered.unwrap_or_else(|error| Some(Recovered::Failed(error))))
            });
        }
        if progress::is_seen() {
            progress::draw(*ui, &format!("recovering {}: {ended} done", many(gone.len(), "execution")));
        }
        let Some(joined) = at_work.join_next().await else { break };
        ended += 1;
        let (id, recovered) = joined.map_err(|error| Fault::host("lost", format!("a pass was lost: {error}")))?;
        // Nothing: somebody else was faster.
        let Some(recovered) = recovered else { continue };
        if ui.form() == Output::Human {
            if progress::is_seen() {
                progress::clear(*ui);
            }
            ui.data(block(runtime, setup, &id, &recovered)?)?;
        }
        done.insert(id, recovered);
    }
    if progress::is_seen() {
        progress::clear(*ui);
    }
    Ok(())
}

/// One line with what came of it, and below it what to do next.
fn block(runtime: &Runtime, setup: &Setup, id: &ExecutionId, recovered: &Recovered) -> Result<String, Fault> {
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
    line: &impl Fn(clap::builder::styling::Style, &str, &str) -> String,
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

fn exit(runtime: &Runtime, id: &ExecutionId, recovered: &Recovered) -> Result<Exit, Fault> {
    Ok(match recovered {
        Recovered::Resumed(outcome) => Exit::of(outcome),
        Recovered::Finished(_) if undone(runtime, id)?.1 > 0 => Exit::CodeFailed,
        Recovered::Left(_) => Exit::Conflict,
        Recovered::Failed(error) => Fault::from(error.clone()).exit,
        _ => Exit::Completed,
    })
}

/// The one of two that needs more attention.
fn worse(a: Exit, b: Exit) -> Exit {
    let order = [Exit::Completed, Exit::Paused, Exit::CodeFailed, Exit::Conflict];
    let rank = |exit: Exit| order.iter().position(|o| *o == exit).unwrap_or(order.len());
    if rank(b) > rank(a) { b } else { a }
}

fn wire<'a>(runtime: &Runtime, id: &'a ExecutionId, recovered: &Recovered) -> Result<Wire<'a>, Fault> {
    let raw = |text: String| RawValue::from_string(text).unwrap_or_default();
    let status = runtime.record(id).ok().flatten().map(|record| record.execution.status.as_str());
    let (word, outcome, error) = match recovered {
        Recovered::Resumed(outcome) => ("resumed", Some(raw(outcome.to_wire())), None),
        Recovered::Left(error) => {
            let error = serde_json::json!({ "code": error.kind.as_str(), "message": error.message, "hint": error.hint });
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
