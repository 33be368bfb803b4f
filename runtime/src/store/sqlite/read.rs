//! Reading, on connections of its own, in transactions that end before anything is handed out: a slow reader never
//! keeps the log file from being used again.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params, params_from_iter};

use super::error::{RowError, medium};
use super::rows::{self, ENTRY, EXECUTION, EntryReader, HOOK, key};
use super::{Backup, Options, Progress, backup, integrity, schema};
use crate::durable::execution::{Namespace, Status};
use crate::durable::failure::CodeError;
use crate::durable::id::{ExecutionId, OwnerId};
use crate::durable::journal::EntryState;
use crate::durable::write::StateValue;
use crate::store::apply::last_change;
use crate::store::{Attention, Query, Record, StateQuery, StoreError, Summary};

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
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, StoreError> {
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

    /// See [`super::SqliteStore::backup_with`].
    pub(super) fn backup(&self, to: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Backup, StoreError> {
        backup::backup(&self.path, &self.options, to, progress)
    }

    /// See [`super::SqliteStore::integrity_check`]. On a connection of its own, which remembers nothing.
    pub(super) fn integrity_check(&self) -> Result<Vec<String>, StoreError> {
        let busy_ms = self.options.busy_timeout_ms;
        let connection = schema::open_reader(&self.path, &self.options).map_err(|error| medium(&error, busy_ms))?;
        integrity::check(&connection, busy_ms)
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

    /// See [`crate::store::Store::owned`].
    pub(super) fn owned(&self) -> Result<Vec<(ExecutionId, OwnerId)>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT id, owner FROM executions WHERE owner IS NOT NULL ORDER BY n";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| Ok((id(row)?, OwnerId(row.get::<_, i64>(1)?.cast_unsigned()))))?;
            rows.collect()
        })
    }

    /// See [`super::SqliteStore::process_of`].
    pub(super) fn process_of(&self, owner: OwnerId) -> Result<Option<u32>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT process FROM owners WHERE id = ?1")?;
            statement.query_row([owner.0.cast_signed()], |row| row.get(0)).optional()
        })
    }

    /// See [`super::SqliteStore::prunable`].
    pub(super) fn prunable(&self, keep: u32) -> Result<u64, StoreError> {
        self.read(|connection| {
            let sql = "SELECT count(*) FILTER (WHERE owner IS NULL) FROM
                (SELECT owner FROM executions WHERE ended_at IS NOT NULL ORDER BY ended_at, n
                    LIMIT max(0, (SELECT value FROM meta WHERE name = 'ended') - ?1))";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_row([keep], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
        })
    }

    /// See [`crate::store::Store::cancelled`].
    pub(super) fn cancelled(&self, owner: OwnerId) -> Result<Vec<ExecutionId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT id FROM executions WHERE owner = ?1 AND cancel <> 0 ORDER BY n";
            connection.prepare_cached(sql)?.query_map([owner.0.cast_signed()], id)?.collect()
        })
    }

    /// See [`crate::store::Store::unresolved`].
    pub(super) fn unresolved(&self) -> Result<Vec<ExecutionId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT id FROM executions
                WHERE n IN (SELECT key >> 24 FROM entries WHERE state = 'unknown') ORDER BY n DESC";
            connection.prepare_cached(sql)?.query_map([], id)?.collect()
        })
    }

    /// See [`crate::store::Store::consented`].
    pub(super) fn consented(&self) -> Result<Vec<ExecutionId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT id FROM executions WHERE status = 'paused' AND n IN
                (SELECT key >> 24 FROM entries WHERE state = 'pending' AND decision IS NOT NULL) ORDER BY id";
            connection.prepare_cached(sql)?.query_map([], id)?.collect()
        })
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

fn id(row: &Row<'_>) -> Result<ExecutionId, rusqlite::Error> {
    Ok(ExecutionId::from_text(&String::from_utf8_lossy(row.get_ref(0)?.as_bytes()?)))
}

/// The number under which state is kept; `None` where there is no such execution.
fn scope(connection: &Connection, execution: Option<&ExecutionId>) -> Result<Option<i64>, rusqlite::Error> {
    let Some(id) = execution else { return Ok(Some(0)) };
    let mut statement = connection.prepare_cached("SELECT n FROM executions WHERE id = ?1")?;
    statement.query_row([id.as_str()], |row| row.get(0)).optional()
}

fn record(connection: &Connection, id: &ExecutionId) -> Result<Option<Record>, RowError> {
    record_where(connection, "id = ?1", id.as_str())
}

/// The execution of that number, with its journal.
pub(super) fn record_at(connection: &Connection, n: i64) -> Result<Option<Record>, RowError> {
    record_where(connection, "n = ?1", n)
}

/// The number and id of the next execution. The id is only shown.
pub(super) fn next_number(connection: &Connection, after: i64) -> Result<Option<(i64, String)>, rusqlite::Error> {
    let sql = "SELECT id, n FROM executions WHERE n > ?1 ORDER BY n LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row([after], |row| Ok((row.get(1)?, id(row)?.as_str().to_owned()))).optional()
}

fn record_where(connection: &Connection, condition: &str, key: impl ToSql) -> Result<Option<Record>, RowError> {
    let sql = format!("SELECT {EXECUTION} FROM executions WHERE {condition}");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = statement.query([key])?;
    let Some(row) = found.next()? else { return Ok(None) };
    let n: i64 = row.get(0)?;
    let mut execution = rows::execution(row)?;

    let sql = "SELECT line, pass FROM logs WHERE key >= ?1 AND key < ?2 ORDER BY key";
    let line = |row: &Row<'_>| Ok((rows::text(row, 0, "logs")?.to_owned(), rows::small(row, 1, "logs.pass")?));
    for (line, pass) in all(connection, sql, n, line)? {
        execution.log(pass, line);
    }

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

/// Of which entries nobody knows whether they happened.
const IN_DOUBT: &str = "state = 'unknown' AND instr(terms, '\"effect\":\"read_only\"') = 0
    AND instr(terms, '\"reach\":\"state_only\"') = 0";

/// Which entries, of those with a revert, could not be undone.
const NOT_REVERTED: &str = "state <> 'reverted' AND instr(revert, '\"failure\":') > 0";

/// Executions with such an entry. Both kinds are found in indexes of their own.
fn needs(why: Attention) -> String {
    let entries = match why {
        Attention::Unresolved => IN_DOUBT.to_owned(),
        Attention::NotReverted => format!("revert IS NOT NULL AND {NOT_REVERTED}"),
    };
    format!("n IN (SELECT key >> 24 FROM entries WHERE {entries})")
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
        // The range lets it find the few with an index.
        conditions.push(
            "substr(CAST(id AS BLOB), 1, length(CAST(? AS BLOB))) = CAST(? AS BLOB) AND id >= ? AND id < ? || char(1114111)",
        );
        values.extend(std::iter::repeat_n(Value::from(prefix.clone()), 4));
    }
    if let Some(at) = query.idle_since {
        conditions.push("updated_at <= ?");
        values.push(Value::from(i64::try_from(at).unwrap_or(i64::MAX)));
    }
    let needs = query.attention.map(needs);
    conditions.extend(needs.as_deref());
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
        unresolved: counts.unresolved,
        not_reverted: counts.not_reverted,
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
        unresolved: 0,
        not_reverted: 0,
        code_start: rows::text(row, 7, "").unwrap_or_default().to_owned(),
        damaged: Some(reason),
    })
}

struct Counts {
    calls: u32,
    pending: u32,
    unresolved: u32,
    not_reverted: u32,
    last_change: u64,
}

/// Counts entries by their small leading columns, without reading what was said in them.
fn counts(connection: &Connection, n: i64) -> Result<Counts, RowError> {
    let known = Vec::from(EntryState::ALL.map(|s| format!("'{}'", s.as_str()))).join(", ");
    let sql = format!(
        "SELECT count(seq), count(*) FILTER (WHERE state = 'pending'), coalesce(max(max(asked_at),
            max(coalesce(answered_at, 0))), 0), max(state) FILTER (WHERE state NOT IN ({known})),
            count(*) FILTER (WHERE {IN_DOUBT})
            FROM entries WHERE key >= ?1 AND key < ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([key(n, 0), key(n + 1, 0)])?;
    let none = Counts { calls: 0, pending: 0, unresolved: 0, not_reverted: 0, last_change: 0 };
    let Some(row) = rows.next()? else { return Ok(none) };
    if let Some(state) = rows::text_or_null(row, 3, "state")? {
        return Err(RowError::unreadable("state", format_args!("{state:?} is unknown")));
    }
    let (not_reverted, reverted_at) = reverts(connection, n)?;
    Ok(Counts {
        calls: rows::small(row, 0, "count")?,
        pending: rows::small(row, 1, "count")?,
        unresolved: rows::small(row, 4, "count")?,
        not_reverted,
        last_change: rows::number(row, 2, "count")?.max(reverted_at),
    })
}

/// How many calls could not be undone, and when the last one was tried. Found in an index of their own.
fn reverts(connection: &Connection, n: i64) -> Result<(u32, u64), RowError> {
    let sql = format!(
        "SELECT count(*) FILTER (WHERE {NOT_REVERTED}), coalesce(max(json_extract(revert, '$.at')), 0)
            FROM entries WHERE revert IS NOT NULL AND key >= ?1 AND key < ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([key(n, 0), key(n + 1, 0)])?;
    match rows.next()? {
        Some(row) => Ok((rows::small(row, 0, "count")?, rows::number(row, 1, "revert")?)),
        None => Ok((0, 0)),
    }
}
