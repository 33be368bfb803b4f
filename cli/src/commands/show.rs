//! `show`: everything that is known of one execution.

use codemode_runtime::durable::failure::CodeError;
use codemode_runtime::outcome::{calls_to_wire, pending_to_wire};
use codemode_runtime::store::Record;
use codemode_runtime::{Entry, PendingCall, Status, Store as _};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::{Output, Show};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{code_error, many, tone, value};
use crate::output::table::{Cell, table};
use crate::output::text::{indent, json, path, safe};
use crate::output::time::{span, utc};
use crate::output::{BOLD, DIM, Ui, styled, width};
use crate::select;
use crate::setup::{Opening, Setup};

/// An execution; the keys are stable.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    execution_id: &'a str,
    status: &'a str,
    created_at: u64,
    updated_at: u64,
    ended_at: Option<u64>,
    passes: u32,
    connectors: Vec<&'a str>,
    code: &'a str,
    input: Option<Box<RawValue>>,
    calls: Box<RawValue>,
    pending: Box<RawValue>,
    logs: &'a [String],
    result: Option<Box<RawValue>>,
    error: Option<&'a CodeError>,
}

pub(super) fn run(args: &Show, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.id)?;
    let Some(record) = store.load(&id)? else {
        return Err(Fault::conflict("not_found", format!("there is no execution {id}")));
    };
    if ui.form() == Output::Json {
        ui.json(&wire(&record))?
    } else {
        ui.data(human(&record))?
    }
    if record.execution.status == Status::Paused {
        ui.talk(format!("approve: {}", styled(BOLD, setup.command(&["approve", id.as_str()]))));
    }
    Ok(Exit::Completed)
}

fn pending(record: &Record) -> Vec<PendingCall> {
    if record.execution.status.is_terminal() {
        return Vec::new();
    }
    record.entries.iter().filter_map(|e| PendingCall::of(record.execution.id(), e)).collect()
}

fn wire(record: &Record) -> Wire<'_> {
    let execution = &record.execution;
    let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap_or_default();
    Wire {
        execution_id: execution.id().as_str(),
        status: execution.status.as_str(),
        created_at: execution.start.created_at,
        updated_at: execution.updated_at,
        ended_at: execution.ended_at,
        passes: execution.pass,
        connectors: execution.start.namespaces.iter().map(|n| n.name.as_str()).collect(),
        code: &execution.start.code,
        input: execution.start.input.as_ref().map(|j| raw(j.as_str())),
        calls: raw(&calls_to_wire(&record.entries)),
        pending: raw(&pending_to_wire(&pending(record))),
        logs: &execution.logs,
        result: execution.result.as_ref().map(|j| raw(j.as_str())),
        error: execution.error.as_ref(),
    }
}

fn human(record: &Record) -> String {
    let execution = &record.execution;
    let status = execution.status.as_str();
    let mut out = format!("{} {}\n", styled(BOLD, execution.id()), styled(tone(status), status));
    let passes = many(execution.pass as usize, "pass");
    let took = execution.ended_at.map_or_else(String::new, |end| {
        format!(", ended after {}", span(end.saturating_sub(execution.start.created_at)))
    });
    out.push_str(&styled(DIM, format!("started {}, {passes}{took}", utc(execution.start.created_at))));
    out.push('\n');
    section(&mut out, "code", &indent(&safe(execution.start.code.trim_end()), "  "));
    let calls: Vec<&Entry> = record.entries.iter().filter(|e| e.seq.is_some()).collect();
    let rows: Vec<_> = calls.iter().map(|e| row(e)).collect();
    let journal = match rows.len() {
        0 => "  no calls".to_owned(),
        _ => indent(
            &table(&["SEQ", "CALL", "STATE", "ARGS", "RESULT", "APPROVED"], &rows, 3, width().map(|w| w - 2)),
            "  ",
        ),
    };
    section(&mut out, "journal", &journal);
    if !execution.logs.is_empty() {
        section(&mut out, "logs", &indent(&safe(&execution.logs.join("\n")), "  "));
    }
    if let Some(result) = &execution.result {
        section(&mut out, "result", &indent(&json(result.as_str()), "  "));
    }
    if let Some(error) = &execution.error {
        section(&mut out, "error", &indent(&code_error(error, &execution.start.code), "  "));
    }
    out
}

fn section(out: &mut String, title: &str, text: &str) {
    out.push_str(&format!("\n{}\n{text}\n", styled(BOLD, title)));
}

fn row(entry: &Entry) -> Vec<Cell> {
    let (connector, method) = entry.request.path();
    let state = entry.state.as_str();
    let seq = entry.seq.map_or_else(String::new, |s| s.to_string());
    let result = match &entry.answer {
        None => Cell::plain(""),
        Some(Ok(_)) if entry.is_ephemeral() => Cell("not kept".to_owned(), DIM),
        Some(Ok(answer)) => Cell::plain(value(answer.as_ref())),
        Some(Err(failure)) => Cell(format!("{}: {}", failure.code, failure.message), tone("failed")),
    };
    let approved = entry.decision.as_ref().map_or_else(String::new, |d| {
        let reason = d.reason.as_ref().map_or_else(String::new, |r| format!(": {r}"));
        format!("{} ({}){reason}", d.actor, d.channel)
    });
    vec![
        Cell::plain(seq),
        Cell::plain(path(connector, method)),
        Cell(state.to_owned(), tone(state)),
        Cell::plain(value(entry.request.args())),
        result,
        Cell::plain(approved),
    ]
}
