//! Reading, on connections of its own, in transactions that end before anything is handed out: a slow reader never
//! keeps the log file from being used again.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::error::{RowError, medium};
use super::rows::{self, ENTRY, EXECUTION, EntryReader, HOOK, key};
use super::{Options, schema};
use crate::durable::execution::{Namespace, Status};
use crate::durable::failure::CodeError;
use crate::durable::id::ExecutionId;
use crate::durable::journal::EntryState;
use crate::durable::write::StateValue;
use crate::store::apply::last_change;
use crate::store::{Query, Record, StateQuery, StoreError, Summary};

/// How many idle connections are kept.
const IDLE: usize = 8;

/// Connections that only read.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    options: Options,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// None yet; they are opened when needed.
    pub(super) fn new(path: PathBuf, options: Options) -> Self {
        Self { path, options, idle: Mutex::default() }
    }

    /// Closes the idle ones.
    pub(super) fn close(&self) {
        drop(std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner)));
    }

    /// Runs `work` on one snapshot of the file.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>) -> Result<T, StoreError> {
        let failed = |error: rusqlite::Error| medium(&error, self.options.busy_timeout_ms);
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => schema::open_reader(&self.path, &self.options).map_err(failed)?,
        };
        connection.prepare_cached("BEGIN").and_then(|mut s| s.execute([])).map_err(failed)?;
        let done = work(&connection);
        let ended = connection.prepare_cached("COMMIT").and_then(|mut s| s.execute([]));
        // A connection whose transaction cannot be ended is not used again.
        if ended.is_ok() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < IDLE {
                idle.push(connection);
            }
        }
        done.map_err(failed)
    }

    /// See [`crate::store::Store::load`].
    pub(super) fn load(&self, id: &ExecutionId) -> Result<Option<Record>, StoreError> {
        self.read(|connection| match record(connection, id) {
            Ok(record) => Ok(Ok(record)),
            Err(RowError::Unreadable(reason)) => Ok(Err(StoreError::Damaged { id: id.clone(), reason })),
            Err(RowError::Medium(error)) => Err(error),
        })?
    }

    /// See [`crate::store::Store::list`].
    pub(super) fn list(&self, query: &Query) -> Result<Vec<Summary>, StoreError> {
        self.read(|connection| list(connection, query))
    }

    /// See [`crate::store::Store::state`].
    pub(super) fn state(
        &self,
        connector: &str,
        execution: Option<&ExecutionId>,
        name: &str,
    ) -> Result<Option<StateValue>, StoreError> {
        self.read(|connection| {
            let Some(n) = scope(connection, execution)? else { return Ok(None) };
            let sql = "SELECT value, version FROM state WHERE execution = ?1 AND connector = ?2 AND key = ?3";
            let found = connection.prepare_cached(sql)?.query_row(params![n, connector, name], |row| {
                Ok(StateValue { value: row.get(0)?, version: row.get::<_, i64>(1)?.cast_unsigned() })
            });
            found.optional()
        })
    }

    /// See [`crate::store::Store::state_keys`].
    pub(super) fn state_keys(&self, query: &StateQuery<'_>) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let Some(n) = scope(connection, query.execution)? else { return Ok(Vec::new()) };
            // Keys with the prefix stand together in byte order, from the prefix itself on.
            let from = query.after.unwrap_or_default().max(query.prefix);
            let sql = "SELECT key FROM state WHERE execution = ?1 AND connector = ?2 AND key >= ?3 ORDER BY key";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![n, query.connector, from])?;
            let mut keys = Vec::new();
            let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
            while keys.len() < limit {
                let Some(row) = rows.next()? else { break };
                let key: String = row.get(0)?;
                if !key.starts_with(query.prefix) {
                    break;
                }
                if query.after.is_none_or(|after| key.as_str() > after) {
                    keys.push(key);
                }
            }
            Ok(keys)
        })
    }
}

/// The number under which state is kept; `None` where there is no such execution.
fn scope(connection: &Connection, execution: Option<&ExecutionId>) -> Result<Option<i64>, rusqlite::Error> {
    let Some(id) = execution else { return Ok(Some(0)) };
    let mut statement = connection.prepare_cached("SELECT n FROM executions WHERE id = ?1")?;
    statement.query_row([id.as_str()], |row| row.get(0)).optional()
}

fn record(connection: &Connection, id: &ExecutionId) -> Result<Option<Record>, RowError> {
    let mut statement = connection.prepare_cached(&format!("SELECT {EXECUTION} FROM executions WHERE id = ?1"))?;
    let mut found = statement.query([id.as_str()])?;
    let Some(row) = found.next()? else { return Ok(None) };
    let n: i64 = row.get(0)?;
    let mut execution = rows::execution(row)?;

    let lines = "SELECT line FROM logs WHERE key >= ?1 AND key < ?2 ORDER BY key";
    execution.logs = all(connection, lines, n, |row| Ok(rows::text(row, 0, "logs")?.to_owned()))?;

    let mut reader = EntryReader::default();
    let sql = format!("SELECT {ENTRY} FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key");
    let entries = all(connection, &sql, n, |row| reader.read(row))?;
    if let Some(at) = entries.iter().enumerate().position(|(at, entry)| usize::try_from(entry.op.0) != Ok(at)) {
        return Err(RowError::Unreadable(format!("entries: op {at} is missing")));
    }

    let mut statement =
        connection.prepare_cached(&format!("SELECT {HOOK} FROM hooks WHERE execution = ?1 ORDER BY id"))?;
    let mut due = statement.query([n])?;
    let mut hooks = Vec::new();
    while let Some(row) = due.next()? {
        hooks.push(rows::hook(row)?);
    }

    execution.updated_at = last_change(execution.updated_at, &entries);
    Ok(Some(Record { execution, entries, hooks }))
}

/// All rows of an execution in a table with such keys.
fn all<T>(
    connection: &Connection,
    sql: &str,
    n: i64,
    mut read: impl FnMut(&Row<'_>) -> Result<T, RowError>,
) -> Result<Vec<T>, RowError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([key(n, 0), key(n + 1, 0)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn list(connection: &Connection, query: &Query) -> Result<Vec<Summary>, rusqlite::Error> {
    let mut conditions = vec!["1"];
    let mut values = Vec::new();
    if let Some(status) = query.status {
        conditions.push("status = ?");
        values.push(Value::from(status.as_str().to_owned()));
    }
    if let Some(prefix) = &query.id_prefix {
        // On bytes: for text, the database's functions stop at a NUL.
        conditions.push("substr(CAST(id AS BLOB), 1, length(CAST(? AS BLOB))) = CAST(? AS BLOB)");
        values.extend([Value::from(prefix.clone()), Value::from(prefix.clone())]);
    }
    if let Some(before) = &query.before {
        // Where that one was deleted meanwhile, the page goes on at the next older id.
        conditions.push(
            "n < coalesce((SELECT n FROM executions WHERE id = ?),
                (SELECT max(n) + 1 FROM executions WHERE id < ?), 0)",
        );
        let before = before.as_str().to_owned();
        values.extend([Value::from(before.clone()), Value::from(before)]);
    }
    values.push(Value::from(query.limit.map_or(-1, i64::from)));
    let sql = format!(
        "SELECT n, id, status, created_at, updated_at, ended_at, pass, code_start, namespaces, error, result, input
            FROM executions WHERE {} ORDER BY n DESC LIMIT ?",
        conditions.join(" AND ")
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(match summary(connection, row) {
            Ok(summary) => summary,
            Err(RowError::Unreadable(reason)) => damaged(row, reason)?,
            Err(RowError::Medium(error)) => return Err(error),
        });
    }
    Ok(found)
}

fn summary(connection: &Connection, row: &Row<'_>) -> Result<Summary, RowError> {
    let counts = counts(connection, row.get(0)?)?;
    // Not shown, but a row that cannot be read back must say so here.
    rows::parsed::<Vec<Namespace>>(row, 8, "namespaces")?;
    rows::parsed_or_null::<CodeError>(row, 9, "error")?;
    rows::value(row, 10, "result")?;
    rows::value(row, 11, "input")?;
    Ok(Summary {
        id: ExecutionId::from_text(rows::text(row, 1, "id")?),
        status: rows::status(row, 2)?,
        created_at: rows::number(row, 3, "created_at")?,
        updated_at: rows::number(row, 4, "updated_at")?.max(counts.last_change),
        ended_at: rows::optional(row, 5, "ended_at")?,
        pass: rows::small(row, 6, "pass")?,
        calls: counts.calls,
        pending: counts.pending,
        code_start: rows::text(row, 7, "code")?.to_owned(),
        damaged: None,
    })
}

/// What can still be said of a row that cannot be read back. Without a status that is known it counts as an error.
fn damaged(row: &Row<'_>, reason: String) -> Result<Summary, rusqlite::Error> {
    let id = String::from_utf8_lossy(row.get_ref(1)?.as_bytes().unwrap_or_default());
    Ok(Summary {
        id: ExecutionId::from_text(&id),
        status: rows::status(row, 2).unwrap_or(Status::Error),
        created_at: rows::number(row, 3, "").unwrap_or_default(),
        updated_at: rows::number(row, 4, "").unwrap_or_default(),
        ended_at: rows::optional(row, 5, "").unwrap_or_default(),
        pass: rows::small(row, 6, "").unwrap_or_default(),
        calls: 0,
        pending: 0,
        code_start: rows::text(row, 7, "").unwrap_or_default().to_owned(),
        damaged: Some(reason),
    })
}

struct Counts {
    calls: u32,
    pending: u32,
    last_change: u64,
}

/// Counts entries by their small leading columns, without reading what was said in them.
fn counts(connection: &Connection, n: i64) -> Result<Counts, RowError> {
    let known = Vec::from(EntryState::ALL.map(|s| format!("'{}'", s.as_str()))).join(", ");
    let sql = format!(
        "SELECT count(seq), count(*) FILTER (WHERE state = 'pending'), coalesce(max(max(asked_at),
            max(coalesce(answered_at, 0))), 0), max(state) FILTER (WHERE state NOT IN ({known}))
            FROM entries WHERE key >= ?1 AND key < ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([key(n, 0), key(n + 1, 0)])?;
    let none = Counts { calls: 0, pending: 0, last_change: 0 };
    let Some(row) = rows.next()? else { return Ok(none) };
    if let Some(state) = rows::text_or_null(row, 3, "state")? {
        return Err(RowError::unreadable("state", format_args!("{state:?} is unknown")));
    }
    Ok(Counts {
        calls: rows::small(row, 0, "count")?,
        pending: rows::small(row, 1, "count")?,
        last_change: rows::number(row, 2, "count")?,
    })
}
