//! What a caller gets at the end of a pass, and its form on the wire. Here, and only here, our words become the
//! reference's: `requiresApproval`, `ephemeral`, `reverted`.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::durable::execution::Status;
use crate::durable::failure::CodeError;
use crate::durable::id::{ExecutionId, Seq};
use crate::durable::journal::{Approval, Entry, EntryState, Resolution, Verdict};
use crate::durable::resolve::UnresolvedCall;
use crate::durable::rollback::{RollbackReport, UndoneCall};
use crate::durable::value::Json;

/// How a pass ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The code returned.
    Completed {
        /// Which execution.
        execution: ExecutionId,
        /// What it returned; `None` is `undefined`.
        result: Option<Json>,
        /// Console lines of this pass.
        logs: Vec<String>,
        /// The journal's calls and steps.
        calls: Vec<Entry>,
    },
    /// Calls wait for a person.
    Paused {
        /// Which execution.
        execution: ExecutionId,
        /// What waits, by seq.
        pending: Vec<PendingCall>,
        /// The journal's calls and steps.
        calls: Vec<Entry>,
    },
    /// The code failed, diverged or broke a limit; or it could not be run or resumed at all.
    Failed {
        /// Which execution; `None` when nothing was stored.
        execution: Option<ExecutionId>,
        /// Why.
        error: CodeError,
        /// Console lines of this pass.
        logs: Vec<String>,
        /// The journal's calls and steps; `None` when no pass ran.
        calls: Option<Vec<Entry>>,
    },
    /// A pass runs elsewhere: the approval is stored and takes effect at its next pause.
    Deferred {
        /// Which execution.
        execution: ExecutionId,
        /// The calls that are approved.
        seqs: Vec<Seq>,
    },
}

/// A call that waits for a person (APPROVE-02), with the digest that an approval names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingCall {
    /// Which execution.
    pub execution: ExecutionId,
    /// Which call.
    pub seq: Seq,
    /// The connector.
    pub connector: String,
    /// The method.
    pub method: String,
    /// The recorded arguments.
    pub args: Option<Json>,
    /// Covers connector, method, arguments and contract.
    pub digest: String,
}

impl PendingCall {
    /// The pending call of an entry, if it is one.
    #[must_use]
    pub fn of(execution: &ExecutionId, entry: &Entry) -> Option<Self> {
        let (connector, method) = entry.request.path();
        (entry.state == EntryState::Pending && entry.decision.is_none()).then(|| Self {
            execution: execution.clone(),
            seq: entry.seq.unwrap_or(Seq(0)),
            connector: connector.to_owned(),
            method: method.to_owned(),
            args: entry.request.args().cloned(),
            digest: entry.digest.clone().unwrap_or_default(),
        })
    }
}

impl Outcome {
    /// The execution, where one was stored.
    #[must_use]
    pub fn execution(&self) -> Option<&ExecutionId> {
        match self {
            Self::Completed { execution, .. } | Self::Paused { execution, .. } | Self::Deferred { execution, .. } => {
                Some(execution)
            }
            Self::Failed { execution, .. } => execution.as_ref(),
        }
    }

    /// The status on the wire.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::Completed { .. } => Status::Completed,
            Self::Paused { .. } => Status::Paused,
            Self::Failed { .. } => Status::Error,
            Self::Deferred { .. } => Status::Running,
        }
    }

    /// The outcome as JSON with the wire names.
    #[must_use]
    pub fn to_wire(&self) -> String {
        let wire = match self {
            Self::Completed { execution, result, logs, calls } => WireOutcome {
                result: result.as_ref().map(raw),
                logs: (!logs.is_empty()).then_some(logs),
                calls: Some(calls.iter().filter_map(wire_call).collect()),
                ..WireOutcome::new(Status::Completed, Some(execution))
            },
            Self::Paused { execution, pending, calls } => WireOutcome {
                pending: Some(pending.iter().map(wire_pending).collect()),
                calls: Some(calls.iter().filter_map(wire_call).collect()),
                ..WireOutcome::new(Status::Paused, Some(execution))
            },
            Self::Failed { execution, error, logs, calls } => WireOutcome {
                error: Some(error_text(error)),
                error_info: Some(wire_error(error)),
                logs: (!logs.is_empty()).then_some(logs),
                calls: calls.as_ref().map(|c| c.iter().filter_map(wire_call).collect()),
                ..WireOutcome::new(Status::Error, execution.as_ref())
            },
            Self::Deferred { execution, seqs } => WireOutcome {
                approved: Some(seqs.iter().map(|s| s.0).collect()),
                ..WireOutcome::new(Status::Running, Some(execution))
            },
        };
        serde_json::to_string(&wire).unwrap_or_default()
    }
}

/// The error as one text: message, position, the line with a mark, and advice (RUN-11, RUN-12). Never empty (OUTPUT-08).
#[must_use]
pub fn error_text(error: &CodeError) -> String {
    let named = !matches!(error.name.as_str(), "Error" | "Thrown" | "ConnectorError")
        && error.kind == crate::durable::failure::ErrorKind::Thrown;
    let message = if error.message.is_empty() { "the execution failed" } else { &error.message };
    let mut text = if named && !message.starts_with(&error.name) {
        format!("{}: {message}", error.name)
    } else {
        message.to_owned()
    };
    if let (Some(line), Some(column)) = (error.line, error.column) {
        text.push_str(&format!(" (line {line}, column {column})"));
    }
    if let (Some(line), Some(column)) = (&error.source_line, error.column) {
        text.push_str(&excerpt(line, column));
    }
    if let Some(hint) = &error.hint {
        text.push('\n');
        text.push_str(hint);
    }
    text
}

/// The line on a line of its own, with a mark under the column (from 1, in UTF-16 code units) where that is on it.
fn excerpt(line: &str, column: u32) -> String {
    let mut before = String::new();
    let mut units = 1;
    for c in line.chars() {
        if units >= column {
            break;
        }
        units += u32::from(c.len_utf16() == 2) + 1;
        before.push(if c == '\t' { '\t' } else { ' ' });
    }
    if line.trim().is_empty() {
        String::new()
    } else if units < column {
        format!("\n{line}")
    } else {
        format!("\n{line}\n{before}^")
    }
}

/// A pending call as JSON with the wire names.
#[must_use]
pub fn pending_to_wire(pending: &[PendingCall]) -> String {
    serde_json::to_string(&pending.iter().map(wire_pending).collect::<Vec<_>>()).unwrap_or_default()
}

/// Calls in doubt as JSON with the wire names.
#[must_use]
pub fn unresolved_to_wire(calls: &[UnresolvedCall]) -> String {
    serde_json::to_string(&calls.iter().map(wire_unresolved).collect::<Vec<_>>()).unwrap_or_default()
}

/// What a rollback did, as JSON with the wire names.
#[must_use]
pub fn rollback_to_wire(report: &RollbackReport) -> String {
    let wire = WireRollback {
        execution_id: report.execution.as_str(),
        status: report.status.map_or("gone", Status::as_str),
        reverted: report.reverted(),
        failed: report.failed(),
        left: report.left(),
        calls: report.calls.iter().map(wire_undone).collect(),
    };
    serde_json::to_string(&wire).unwrap_or_default()
}

/// A journal's calls and steps as JSON with the wire names (OUTPUT-03).
#[must_use]
pub fn calls_to_wire(entries: &[Entry]) -> String {
    serde_json::to_string(&entries.iter().filter_map(wire_call).collect::<Vec<_>>()).unwrap_or_default()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireOutcome<'a> {
    status: &'static str,
    execution_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_info: Option<WireError<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Vec<WirePending<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logs: Option<&'a Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<WireCall<'a>>>,
}

impl<'a> WireOutcome<'a> {
    fn new(status: Status, execution: Option<&'a ExecutionId>) -> Self {
        Self {
            status: status.as_str(),
            execution_id: execution.map_or("", ExecutionId::as_str),
            result: None,
            error: None,
            error_info: None,
            pending: None,
            approved: None,
            logs: None,
            calls: None,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireError<'a> {
    kind: &'static str,
    name: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_line: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<RawValue>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WirePending<'a> {
    execution_id: &'a str,
    seq: u32,
    connector: &'a str,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Box<RawValue>>,
    digest: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireCall<'a> {
    seq: u32,
    connector: &'a str,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    requires_approval: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    ephemeral: Option<bool>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<WireResolved<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revert: Option<WireRevert<'a>>,
}

/// What a person said of a call in doubt.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireResolved<'a> {
    verdict: Verdict,
    by: &'a str,
    channel: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    at: u64,
}

/// The last attempt at undoing a call.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireRevert<'a> {
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    at: u64,
}

/// A rollback; the keys are stable.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireRollback<'a> {
    execution_id: &'a str,
    status: &'a str,
    reverted: usize,
    failed: usize,
    left: usize,
    calls: Vec<WireUndone<'a>>,
}

#[derive(Serialize)]
struct WireUndone<'a> {
    seq: u32,
    connector: &'a str,
    method: &'a str,
    undone: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireUnresolved<'a> {
    execution_id: &'a str,
    status: &'static str,
    seq: u32,
    connector: &'a str,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Box<RawValue>>,
    idempotency_key: &'a str,
    attempt: u32,
    asked_at: u64,
}

fn wire_error(error: &CodeError) -> WireError<'_> {
    WireError {
        kind: error.kind.as_str(),
        name: &error.name,
        message: &error.message,
        line: error.line,
        column: error.column,
        source_line: error.source_line.as_deref(),
        hint: error.hint.as_deref(),
        value: error.value.as_ref().map(raw),
    }
}

fn wire_pending(pending: &PendingCall) -> WirePending<'_> {
    WirePending {
        execution_id: pending.execution.as_str(),
        seq: pending.seq.0,
        connector: &pending.connector,
        method: &pending.method,
        args: pending.args.as_ref().map(raw),
        digest: &pending.digest,
    }
}

fn wire_call(entry: &Entry) -> Option<WireCall<'_>> {
    let (connector, method) = entry.request.path();
    let answer = entry.answer.as_ref();
    Some(WireCall {
        seq: entry.seq?.0,
        connector,
        method,
        args: entry.request.args().map(raw),
        result: answer.and_then(|a| a.as_ref().ok()).and_then(Option::as_ref).map(raw),
        error: answer.and_then(|a| a.as_ref().err()).map(|f| f.message.as_str()),
        requires_approval: entry.terms.approval == Approval::Required,
        ephemeral: entry.is_ephemeral().then_some(true),
        state: entry.state.wire(),
        approved_by: entry.decision.as_ref().map(|d| d.actor.as_str()),
        resolved: entry.resolution.as_ref().map(|Resolution { verdict, decision }| WireResolved {
            verdict: *verdict,
            by: &decision.actor,
            channel: &decision.channel,
            reason: decision.reason.as_deref(),
            at: decision.at,
        }),
        revert: entry.revert.as_ref().map(|revert| WireRevert {
            attempt: revert.number,
            error: revert.failure.as_ref().map(|f| f.message.as_str()),
            at: revert.at,
        }),
    })
}

fn wire_undone(call: &UndoneCall) -> WireUndone<'_> {
    WireUndone {
        seq: call.seq.0,
        connector: &call.connector,
        method: &call.method,
        undone: call.undone.as_str(),
        error: call.undone.failure().map(|f| f.message.as_str()),
    }
}

fn wire_unresolved(call: &UnresolvedCall) -> WireUnresolved<'_> {
    WireUnresolved {
        execution_id: call.execution.as_str(),
        status: call.status.as_str(),
        seq: call.seq.0,
        connector: &call.connector,
        method: &call.method,
        args: call.args.as_ref().map(raw),
        idempotency_key: &call.idempotency_key,
        attempt: call.attempt,
        asked_at: call.asked_at,
    }
}

/// Normal-form text is JSON already; it is written as it is, so that no number or lone surrogate changes.
fn raw(value: &Json) -> Box<RawValue> {
    RawValue::from_string(value.as_str().to_owned()).unwrap_or_default()
}
