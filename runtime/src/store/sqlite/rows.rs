//! How executions and entries become columns and come back. Reading trusts nothing: whatever is not as it was written
//! makes a reason, never a panic.

use std::collections::BTreeMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::RowError;
use crate::durable::execution::{Determinism, Execution, Start, Status};
use crate::durable::id::{ExecutionId, Op, OwnerId, Seq, Token, Version};
use crate::durable::journal::{Answer, Delivery, Entry, EntryState, Request, Rerun, Terms};
use crate::durable::value::{Json, ValueLimits};
use crate::durable::write::{Hook, HookKind};
use crate::store::apply::code_start;

/// How many places an execution has for entries, and for lines.
pub(super) const PLACES: i64 = 1 << 24;

/// The key of the row at that place of an execution.
pub(super) fn key(n: i64, place: u32) -> i64 {
    n.wrapping_mul(PLACES).wrapping_add(i64::from(place))
}

/// The place of a key.
pub(super) fn place(key: i64) -> u32 {
    u32::try_from(key.rem_euclid(PLACES)).unwrap_or(u32::MAX)
}

/// States as one text in which `instr` finds a state: no word is part of another.
pub(super) fn words(states: &[EntryState]) -> String {
    states.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(" ")
}

/// JSON text of one of our own types. None of them can fail to be written.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(super) fn rerun_word(rerun: Rerun) -> &'static str {
    match rerun {
        Rerun::No => "no",
        Rerun::Yes => "yes",
    }
}

pub(super) fn hook_word(kind: HookKind) -> &'static str {
    match kind {
        HookKind::PassEnded => "pass_ended",
        HookKind::ExecutionEnded => "execution_ended",
    }
}

fn determinism_word(determinism: Determinism) -> &'static str {
    match determinism {
        Determinism::Recorded => "recorded",
        Determinism::Live => "live",
    }
}

/// The kind of an answer, and its text.
pub(super) fn answer_columns(answer: Option<&Answer>) -> (Option<&'static str>, Option<String>) {
    match answer {
        None => (None, None),
        Some(Ok(None)) => (Some("nothing"), None),
        Some(Ok(Some(value))) => (Some("value"), Some(value.as_str().to_owned())),
        Some(Err(failure)) => (Some("failure"), Some(json(failure))),
    }
}

/// Inserts the row of a new execution.
pub(super) fn put_execution(connection: &Connection, execution: &Execution) -> Result<(), rusqlite::Error> {
    let sql = "INSERT INTO executions (id, status, pass, version, token, owner, created_at, updated_at, ended_at,
            replay_version, determinism, seed, executor, namespaces, code_start, error, result, input, code)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";
    let start = &execution.start;
    connection.prepare_cached(sql)?.execute(params![
        start.id.as_str(),
        execution.status.as_str(),
        execution.pass,
        execution.version.0.cast_signed(),
        execution.token.0.cast_signed(),
        execution.owner.map(|o| o.0.cast_signed()),
        start.created_at.cast_signed(),
        execution.updated_at.cast_signed(),
        execution.ended_at.map(u64::cast_signed),
        start.replay_version,
        determinism_word(start.determinism),
        start.seed.as_slice(),
        start.executor,
        json(&start.namespaces),
        code_start(&start.code),
        execution.error.as_ref().map(json),
        execution.result.as_ref().map(Json::as_str),
        start.input.as_ref().map(Json::as_str),
        start.code,
    ])?;
    Ok(())
}

/// The columns that [`execution`] reads, in order.
pub(super) const EXECUTION: &str = "n, id, status, pass, version, token, owner, created_at, updated_at, ended_at, \
    replay_version, determinism, seed, executor, namespaces, error, result, input, code";

/// Reads an execution, without its lines.
pub(super) fn execution(row: &Row<'_>) -> Result<Execution, RowError> {
    let start = Start {
        id: ExecutionId::from_text(text(row, 1, "id")?),
        code: text(row, 18, "code")?.to_owned(),
        input: value(row, 17, "input")?,
        namespaces: parsed(row, 14, "namespaces")?,
        executor: text(row, 13, "executor")?.to_owned(),
        replay_version: small(row, 10, "replay_version")?,
        determinism: word(row, 11, "determinism", &[Determinism::Recorded, Determinism::Live], determinism_word)?,
        seed: row
            .get_ref(12)?
            .as_blob()
            .ok()
            .and_then(|seed| seed.try_into().ok())
            .ok_or_else(|| RowError::unreadable("seed", "is not 32 bytes"))?,
        created_at: number(row, 7, "created_at")?,
    };
    Ok(Execution {
        start,
        status: status(row, 2)?,
        pass: small(row, 3, "pass")?,
        version: Version(number(row, 4, "version")?),
        token: Token(number(row, 5, "token")?),
        owner: optional(row, 6, "owner")?.map(OwnerId),
        result: value(row, 16, "result")?,
        error: parsed_or_null(row, 15, "error")?,
        logs: Vec::new(),
        logged: Vec::new(),
        updated_at: number(row, 8, "updated_at")?,
        ended_at: optional(row, 9, "ended_at")?,
    })
}

/// Reads a status from that column.
pub(super) fn status(row: &Row<'_>, column: usize) -> Result<Status, RowError> {
    word(row, column, "status", &Status::ALL, Status::as_str)
}

/// Writes an entry, in place of the one at the same op if there is one.
pub(super) fn put_entry(connection: &Connection, n: i64, entry: &Entry) -> Result<(), rusqlite::Error> {
    let sql = "INSERT OR REPLACE INTO entries (key, seq, state, kind, answer, rerun, attempt, pass, asked_at,
            answered_at, delivered_place, delivered_now, sleep_ms, remaining_ms, connector, name, digest, decision,
            asked_event, answered_event, terms, args, answer_body, resolution, revert)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
            ?22, ?23, ?24, ?25)";
    let (answer, body) = answer_columns(entry.answer.as_ref());
    let (kind, connector, name, sleep_ms) = match &entry.request {
        Request::Call { connector, method, .. } => ("call", Some(connector), Some(method), None),
        Request::Step { name } => ("step", None, Some(name), None),
        Request::Sleep { ms } => ("sleep", None, None, Some(ms.cast_signed())),
        Request::Fetch { .. } => ("fetch", None, None, None),
        Request::Search { .. } => ("search", None, None, None),
        Request::Describe { .. } => ("describe", None, None, None),
        Request::Snippet { name, .. } => ("snippet", None, Some(name), None),
    };
    connection.prepare_cached(sql)?.execute(params![
        key(n, entry.op.0),
        entry.seq.map(|s| s.0),
        entry.state.as_str(),
        kind,
        answer,
        rerun_word(entry.rerun),
        entry.attempt,
        entry.pass,
        entry.asked_at.cast_signed(),
        entry.answered_at.map(u64::cast_signed),
        entry.delivery.map(|d| d.place),
        entry.delivery.map(|d| d.now.cast_signed()),
        sleep_ms,
        entry.remaining_ms.map(u64::cast_signed),
        connector,
        name,
        entry.digest,
        entry.decision.as_ref().map(json),
        entry.asked_event.cast_signed(),
        entry.answered_event.map(u64::cast_signed),
        json(&entry.terms),
        entry.request.args().map(Json::as_str),
        body,
        entry.resolution.as_ref().map(json),
        entry.revert.as_ref().map(json),
    ])?;
    Ok(())
}

/// The columns that [`EntryReader`] reads, in order.
pub(super) const ENTRY: &str = "key, seq, state, kind, answer, rerun, attempt, pass, asked_at, answered_at, \
    delivered_place, delivered_now, sleep_ms, remaining_ms, connector, name, digest, decision, \
    asked_event, answered_event, terms, args, answer_body, resolution, revert";

/// Reads entries. Most entries of an execution have the same few terms, so each text of them is parsed once.
#[derive(Default)]
pub(super) struct EntryReader {
    terms: BTreeMap<String, Terms>,
}

impl EntryReader {
    /// Reads one entry.
    pub(super) fn read(&mut self, row: &Row<'_>) -> Result<Entry, RowError> {
        Ok(Entry {
            op: Op(place(row.get_ref(0)?.as_i64().map_err(|e| RowError::unreadable("key", e))?)),
            seq: optional(row, 1, "seq")?.map(|seq| narrow(seq, "seq")).transpose()?.map(Seq),
            request: request(row)?,
            terms: self.terms(row)?,
            state: word(row, 2, "state", &EntryState::ALL, EntryState::as_str)?,
            answer: answer(row)?,
            rerun: word(row, 5, "rerun", &[Rerun::No, Rerun::Yes], rerun_word)?,
            digest: text_or_null(row, 16, "digest")?.map(str::to_owned),
            decision: parsed_or_null(row, 17, "decision")?,
            resolution: parsed_or_null(row, 23, "resolution")?,
            revert: parsed_or_null(row, 24, "revert")?,
            delivery: match optional(row, 11, "delivered_now")? {
                None => None,
                Some(now) => Some(Delivery { place: small(row, 10, "delivered_place")?, now }),
            },
            remaining_ms: optional(row, 13, "remaining_ms")?,
            attempt: small(row, 6, "attempt")?,
            pass: small(row, 7, "pass")?,
            asked_at: number(row, 8, "asked_at")?,
            answered_at: optional(row, 9, "answered_at")?,
            asked_event: number(row, 18, "asked_event")?,
            answered_event: optional(row, 19, "answered_event")?,
        })
    }

    fn terms(&mut self, row: &Row<'_>) -> Result<Terms, RowError> {
        let text = text(row, 20, "terms")?;
        if let Some(terms) = self.terms.get(text) {
            return Ok(terms.clone());
        }
        let terms: Terms = serde_json::from_str(text).map_err(|e| RowError::unreadable("terms", e))?;
        self.terms.insert(text.to_owned(), terms.clone());
        Ok(terms)
    }
}

fn request(row: &Row<'_>) -> Result<Request, RowError> {
    let name = || text(row, 15, "name").map(str::to_owned);
    let args = || value(row, 21, "args");
    let needed = || args()?.ok_or_else(|| RowError::unreadable("args", "is missing"));
    Ok(match text(row, 3, "kind")? {
        "call" => Request::Call { connector: text(row, 14, "connector")?.to_owned(), method: name()?, args: args()? },
        "step" => Request::Step { name: name()? },
        "sleep" => Request::Sleep { ms: number(row, 12, "sleep_ms")? },
        "fetch" => Request::Fetch { request: needed()? },
        "search" => Request::Search { query: needed()? },
        "describe" => Request::Describe { target: needed()? },
        "snippet" => Request::Snippet { name: name()?, input: args()? },
        other => return Err(unknown("kind", other)),
    })
}

fn answer(row: &Row<'_>) -> Result<Option<Answer>, RowError> {
    let Some(kind) = text_or_null(row, 4, "answer")? else { return Ok(None) };
    Ok(Some(match kind {
        "nothing" => Ok(None),
        "value" => {
            Ok(Some(value(row, 22, "answer_body")?.ok_or_else(|| RowError::unreadable("answer", "is missing"))?))
        }
        "failure" => Err(parsed(row, 22, "answer_body")?),
        other => return Err(unknown("answer", other)),
    }))
}

/// The columns that [`hook`] reads, in order.
pub(super) const HOOK: &str = "id, kind, connector, pass, status";

/// Reads a hook that is due.
pub(super) fn hook(row: &Row<'_>) -> Result<Hook, RowError> {
    Ok(Hook {
        id: number(row, 0, "hook id")?,
        kind: word(row, 1, "hook kind", &[HookKind::PassEnded, HookKind::ExecutionEnded], hook_word)?,
        connector: text(row, 2, "hook connector")?.to_owned(),
        pass: small(row, 3, "hook pass")?,
        status: status(row, 4)?,
    })
}

/// Reads text. SQLite keeps any bytes as text, so UTF-8 is checked here.
pub(super) fn text<'r>(row: &'r Row<'_>, column: usize, name: &str) -> Result<&'r str, RowError> {
    text_or_null(row, column, name)?.ok_or_else(|| RowError::unreadable(name, "is missing"))
}

/// The same where there may be none.
pub(super) fn text_or_null<'r>(row: &'r Row<'_>, column: usize, name: &str) -> Result<Option<&'r str>, RowError> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).map(Some).map_err(|e| RowError::unreadable(name, e)),
        other => Err(RowError::unreadable(name, format_args!("is {} and not text", other.data_type()))),
    }
}

/// Reads JSON text that crossed between code and connectors.
pub(super) fn value(row: &Row<'_>, column: usize, name: &str) -> Result<Option<Json>, RowError> {
    const ANY: ValueLimits = ValueLimits { units: u64::MAX, depth: u32::MAX };
    let Some(text) = text_or_null(row, column, name)? else { return Ok(None) };
    Json::from_tagged(text, &ANY).map(Some).map_err(|e| RowError::unreadable(name, e))
}

/// Reads JSON text of one of our own types.
pub(super) fn parsed<T: DeserializeOwned>(row: &Row<'_>, column: usize, name: &str) -> Result<T, RowError> {
    serde_json::from_str(text(row, column, name)?).map_err(|e| RowError::unreadable(name, e))
}

/// The same where there may be none.
pub(super) fn parsed_or_null<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
    name: &str,
) -> Result<Option<T>, RowError> {
    let Some(text) = text_or_null(row, column, name)? else { return Ok(None) };
    serde_json::from_str(text).map(Some).map_err(|e| RowError::unreadable(name, e))
}

pub(super) fn number(row: &Row<'_>, column: usize, name: &str) -> Result<u64, RowError> {
    row.get_ref(column)?.as_i64().map(i64::cast_unsigned).map_err(|e| RowError::unreadable(name, e))
}

pub(super) fn optional(row: &Row<'_>, column: usize, name: &str) -> Result<Option<u64>, RowError> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        other => other.as_i64().map(|n| Some(n.cast_unsigned())).map_err(|e| RowError::unreadable(name, e)),
    }
}

pub(super) fn small(row: &Row<'_>, column: usize, name: &str) -> Result<u32, RowError> {
    narrow(number(row, column, name)?, name)
}

fn narrow(number: u64, name: &str) -> Result<u32, RowError> {
    u32::try_from(number).map_err(|e| RowError::unreadable(name, e))
}

fn word<T: Copy>(
    row: &Row<'_>,
    column: usize,
    name: &str,
    all: &[T],
    spelled: impl Fn(T) -> &'static str,
) -> Result<T, RowError> {
    let text = text(row, column, name)?;
    all.iter().copied().find(|t| spelled(*t) == text).ok_or_else(|| unknown(name, text))
}

fn unknown(name: &str, word: &str) -> RowError {
    RowError::unreadable(name, format_args!("{:?} is unknown", word.chars().take(40).collect::<String>()))
}
