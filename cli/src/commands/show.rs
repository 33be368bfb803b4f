//! `show`: everything that is known of one execution.

use codemode_runtime::durable::execution::LoggedPass;
use codemode_runtime::durable::failure::CodeError;
use codemode_runtime::outcome::{calls_to_wire, pending_to_wire, unresolved_to_wire};
use codemode_runtime::store::Record;
use codemode_runtime::{PendingCall, Status, UnresolvedCall};
use serde::Serialize;
use serde_json::value::RawValue;

use super::standing::{self, Standing};
use crate::args::{Output, Show};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::record::{self, RolledBack};
use crate::output::{BOLD, Ui, styled};
use crate::select;
use crate::setup::{Opening, Setup};

/// An execution; the keys are stable.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    execution_id: &'a str,
    status: &'a str,
    /// `at_rest`, `worked_on`, `gone`.
    owner: &'static str,
    created_at: u64,
    updated_at: u64,
    ended_at: Option<u64>,
    passes: u32,
    connectors: Vec<&'a str>,
    code: &'a str,
    input: Option<Box<RawValue>>,
    snippets: Vec<WireSnippet<'a>>,
    calls: Box<RawValue>,
    pending: Box<RawValue>,
    unresolved: Box<RawValue>,
    rollback: Option<WireRollback>,
    logs: &'a [String],
    /// How `logs` is divided.
    log_passes: &'a [LoggedPass],
    result: Option<Box<RawValue>>,
    error: Option<&'a CodeError>,
}

#[derive(Serialize)]
struct WireSnippet<'a> {
    name: &'a str,
    runs: usize,
}

#[derive(Serialize)]
struct WireRollback {
    reverted: usize,
    failed: usize,
    left: usize,
}

pub(super) fn run(args: &Show, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.id)?;
    let record = standing::load(&store, &id)?;
    let standing = Standing::of(&store, &record.execution)?;
    if ui.form() == Output::Json {
        ui.json(&wire(&record, standing))?
    } else {
        ui.data(record::human(&record, standing.sentence(&record).as_deref()))?
    }
    let next = |what: &str, verb: &str| {
        ui.talk(format!("{what} {}", styled(BOLD, setup.command(&[verb, id.as_str()]))));
    };
    if standing == Standing::Gone {
        next("go on:  ", "recover");
    } else if record.execution.status == Status::Paused && !pending(&record).is_empty() {
        next("approve:", "approve");
    }
    if !unresolved(&record).is_empty() {
        next("resolve:", "unresolved");
    }
    if RolledBack::of(&record).is_some_and(|rollback| rollback.failed > 0) {
        next("undo what is left:", "rollback");
    }
    Ok(Exit::Completed)
}

fn pending(record: &Record) -> Vec<PendingCall> {
    if record.execution.status.is_terminal() {
        return Vec::new();
    }
    record.entries.iter().filter_map(|e| PendingCall::of(record.execution.id(), e)).collect()
}

fn unresolved(record: &Record) -> Vec<UnresolvedCall> {
    record.entries.iter().filter_map(|e| UnresolvedCall::of(&record.execution, e)).collect()
}

fn wire(record: &Record, standing: Standing) -> Wire<'_> {
    let execution = &record.execution;
    let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap_or_default();
    let rollback = |RolledBack { reverted, failed, left }| WireRollback { reverted, failed, left };
    Wire {
        execution_id: execution.id().as_str(),
        status: execution.status.as_str(),
        owner: standing.as_str(),
        created_at: execution.start.created_at,
        updated_at: execution.updated_at,
        ended_at: execution.ended_at,
        passes: execution.pass,
        connectors: execution.start.namespaces.iter().map(|n| n.name.as_str()).collect(),
        code: &execution.start.code,
        input: execution.start.input.as_ref().map(|j| raw(j.as_str())),
        snippets: record::snippets(&record.entries).into_iter().map(wire_snippet).collect(),
        calls: raw(&calls_to_wire(&record.entries)),
        pending: raw(&pending_to_wire(&pending(record))),
        unresolved: raw(&unresolved_to_wire(&unresolved(record))),
        rollback: RolledBack::of(record).map(rollback),
        logs: &execution.logs,
        log_passes: &execution.logged,
        result: execution.result.as_ref().map(|j| raw(j.as_str())),
        error: execution.error.as_ref(),
    }
}

fn wire_snippet(used: record::Used<'_>) -> WireSnippet<'_> {
    WireSnippet { name: used.name, runs: used.runs }
}
