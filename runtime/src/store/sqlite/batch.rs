//! What each write is in SQL. A batch is checked before its first statement, so that inside a transaction it is either
//! done or has left no trace.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::rows::{self, PLACES, key, words};
use super::writer::Trouble;
use crate::durable::execution::Execution;
use crate::durable::id::{ExecutionId, Token, Version};
use crate::durable::write::{Hook, Move, Scope, StateKey, StateWrite, Write};
use crate::store::StoreError;
use crate::store::check::{MAX_OP, Right, Seen, check, expectations, requirements, version_after};

/// The batches of one transaction. What is known of an execution stays true until it ends, because the transaction
/// holds the write lock.
pub(super) struct Batches<'c> {
    connection: &'c Connection,
    known: BTreeMap<ExecutionId, Row>,
}

#[derive(Clone, Copy)]
struct Row {
    n: i64,
    seen: Seen,
}

impl<'c> Batches<'c> {
    /// None so far.
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection, known: BTreeMap::new() }
    }

    /// Applies a batch. The inner error is a refusal, which leaves no trace; after the outer one the transaction is
    /// lost.
    pub(super) fn apply(
        &mut self,
        id: &ExecutionId,
        right: Right,
        writes: &[Write],
    ) -> Result<Result<Version, StoreError>, Trouble> {
        let row = self.row(id)?;
        if let Err(refusal) = check(id, right, row.map(|r| r.seen), writes) {
            return Ok(Err(refusal));
        }
        for (op, states) in requirements(writes) {
            let state = row.map(|row| self.entry_state(key(row.n, op.0))).transpose()?.flatten();
            if !state.is_some_and(|state| states.iter().any(|s| s.as_str() == state)) {
                return Ok(Err(StoreError::Stale));
            }
        }
        for read in expectations(writes) {
            if self.state_version(row.map(|r| r.n), &read.at)? != read.version {
                return Ok(Err(StoreError::StateConflict));
            }
        }
        let before = row.map(|r| r.seen.version);
        let version = version_after(right, before, writes);
        let mut now = row;
        for write in writes {
            if let Write::Prune { keep } = write {
                self.prune(*keep, now.map(|row| row.n))?;
            }
            now = self.write(now, write)?;
        }
        match &mut now {
            Some(row) => {
                if before != Some(version) {
                    self.run(
                        "UPDATE executions SET version = ?2 WHERE n = ?1",
                        params![row.n, version.0.cast_signed()],
                    )?;
                }
                row.seen.version = version;
                self.known.insert(id.clone(), *row);
            }
            None => drop(self.known.remove(id)),
        }
        Ok(Ok(version))
    }

    /// Removes the ended executions that ended longest ago, until `keep` are left; says how many are gone. `own`: whose
    /// batch does it, if it is one's.
    pub(super) fn prune(&mut self, keep: u32, own: Option<i64>) -> Result<usize, Trouble> {
        let mut ended = self.connection.prepare_cached("SELECT value FROM meta WHERE name = 'ended'")?;
        let ended: i64 = ended.query_row([], |row| row.get(0))?;
        let excess = ended.saturating_sub(i64::from(keep));
        if excess <= 0 {
            return Ok(0);
        }
        // What was known of those that go is not true any more.
        self.known.clear();
        self.run(
            "DELETE FROM executions WHERE owner IS NULL AND n <> ?2 AND n IN
                (SELECT n FROM executions WHERE ended_at IS NOT NULL ORDER BY ended_at, n LIMIT ?1)",
            params![excess, own.unwrap_or(0)],
        )
    }

    fn row(&self, id: &ExecutionId) -> Result<Option<Row>, Trouble> {
        if let Some(row) = self.known.get(id) {
            return Ok(Some(*row));
        }
        let sql = "SELECT n, token, version,
                (SELECT max(key) FROM entries WHERE key >= n << 24 AND key < (n + 1) << 24)
            FROM executions WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let row = statement.query_row([id.as_str()], |row| {
            let last: Option<i64> = row.get(3)?;
            let seen = Seen {
                token: Token(row.get::<_, i64>(1)?.cast_unsigned()),
                version: Version(row.get::<_, i64>(2)?.cast_unsigned()),
                entries: last.map_or(0, |last| rows::place(last) + 1),
            };
            Ok(Row { n: row.get(0)?, seen })
        });
        Ok(row.optional()?)
    }

    /// Does one write; what is known of the execution afterwards. The check made sure that there is one where there
    /// must be.
    fn write(&self, row: Option<Row>, write: &Write) -> Result<Option<Row>, Trouble> {
        let Some(mut row) = row else {
            match write {
                Write::Begin(execution) => return self.begin(execution).map(Some),
                Write::State(write) => self.set_state(0, write)?,
                _ => {}
            }
            return Ok(None);
        };
        match write {
            Write::Begin(_) | Write::Expect(_) | Write::Require { .. } | Write::Prune { .. } => {}
            Write::Asked(entry) => {
                rows::put_entry(self.connection, row.n, entry)?;
                row.seen.entries = row.seen.entries.max(entry.op.0 + 1);
            }
            Write::Answered { op, from, state, answer, rerun, at, event } => {
                let (kind, body) = rows::answer_columns(answer.as_ref());
                self.run(
                    "UPDATE entries SET state = ?3, answer = ?4, answer_body = ?5, rerun = ?6, answered_at = ?7,
                        answered_event = ?8
                        WHERE key = ?1 AND instr(?2, state) > 0",
                    params![
                        key(row.n, op.0),
                        words(from),
                        state.as_str(),
                        kind,
                        body,
                        rows::rerun_word(*rerun),
                        at.cast_signed(),
                        event.map(u64::cast_signed)
                    ],
                )?;
            }
            Write::Delivered { op, delivery } => {
                self.run(
                    "UPDATE entries SET delivered_place = ?2, delivered_now = ?3 WHERE key = ?1",
                    params![key(row.n, op.0), delivery.place, delivery.now.cast_signed()],
                )?;
            }
            Write::TimerLeft { op, remaining_ms } => {
                self.run(
                    "UPDATE entries SET remaining_ms = ?2 WHERE key = ?1",
                    params![key(row.n, op.0), remaining_ms.cast_signed()],
                )?;
            }
            Write::Decided { op, decision } => {
                let taken = self.run(
                    "UPDATE entries SET decision = ?2 WHERE key = ?1 AND state = 'pending'",
                    params![key(row.n, op.0), rows::json(decision)],
                )?;
                if taken > 0 {
                    self.run(
                        "UPDATE executions SET updated_at = max(updated_at, ?2) WHERE n = ?1",
                        params![row.n, decision.at.cast_signed()],
                    )?;
                }
            }
            Write::Sweep { from, to, at } => {
                self.run(
                    "UPDATE entries SET state = ?4, answered_at = ?5
                        WHERE key >= ?1 AND key < ?2 AND instr(?3, state) > 0",
                    params![key(row.n, 0), key(row.n + 1, 0), words(from), to.as_str(), at.cast_signed()],
                )?;
            }
            Write::Reverted { op, state, revert } => {
                self.run(
                    "UPDATE entries SET state = ?2, revert = ?3 WHERE key = ?1",
                    params![key(row.n, op.0), state.as_str(), rows::json(revert)],
                )?;
            }
            Write::Resolved { op, state, answer, consent, resolution } => {
                let (kind, body) = rows::answer_columns(answer.as_ref());
                self.run(
                    "UPDATE entries SET state = ?2, answer = ?3, answer_body = ?4, decision = ?5, resolution = ?6,
                        answered_at = ?7 WHERE key = ?1 AND state = 'unknown'",
                    params![
                        key(row.n, op.0),
                        state.as_str(),
                        kind,
                        body,
                        consent.as_ref().map(rows::json),
                        rows::json(resolution),
                        resolution.decision.at.cast_signed()
                    ],
                )?;
            }
            Write::Owned { token, owner } => {
                self.run(
                    "UPDATE executions SET token = ?2, owner = ?3 WHERE n = ?1",
                    params![row.n, token.0.cast_signed(), owner.map(|o| o.0.cast_signed())],
                )?;
                row.seen.token = *token;
            }
            Write::Cancel => drop(self.run("UPDATE executions SET cancel = 1 WHERE n = ?1", params![row.n])?),
            Write::Moved(change) => {
                self.moved(row.n, change)?;
                row.seen.token = change.token;
            }
            Write::Logged { lines } => self.log(row.n, lines)?,
            Write::HookDue(hook) => self.hook(row.n, hook)?,
            Write::HookDone { id } => {
                self.run("DELETE FROM hooks WHERE id = ?1 AND execution = ?2", params![id.cast_signed(), row.n])?;
            }
            Write::State(write) => self.set_state(row.n, write)?,
            Write::Delete => {
                self.run("DELETE FROM executions WHERE n = ?1", params![row.n])?;
                return Ok(None);
            }
        }
        Ok(Some(row))
    }

    fn begin(&self, execution: &Execution) -> Result<Row, Trouble> {
        rows::put_execution(self.connection, execution)?;
        let n = self.connection.last_insert_rowid();
        self.log(n, &execution.logs)?;
        Ok(Row { n, seen: Seen { token: execution.token, version: execution.version, entries: 0 } })
    }

    fn moved(&self, n: i64, change: &Move) -> Result<(), Trouble> {
        let ended_at = change.status.is_terminal().then_some(change.at.cast_signed());
        self.run(
            "UPDATE executions SET status = ?2, pass = ?3, token = ?4, owner = ?5, result = ?6, error = ?7,
                cancel = 0, updated_at = max(updated_at, ?8), ended_at = CASE WHEN ?9 IS NULL THEN NULL ELSE coalesce(ended_at, ?9) END
                WHERE n = ?1",
            params![
                n,
                change.status.as_str(),
                change.pass,
                change.token.0.cast_signed(),
                change.owner.map(|o| o.0.cast_signed()),
                change.result.as_ref().map(|r| r.as_str()),
                change.error.as_ref().map(rows::json),
                change.at.cast_signed(),
                ended_at
            ],
        )
        .map(drop)
    }

    fn log(&self, n: i64, lines: &[String]) -> Result<(), Trouble> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut last = self.connection.prepare_cached("SELECT max(key) FROM logs WHERE key >= ?1 AND key < ?2")?;
        let last: Option<i64> = last.query_row([key(n, 0), key(n + 1, 0)], |row| row.get(0))?;
        let next = last.map_or(key(n, 0), |last| last + 1);
        let sql = "INSERT INTO logs (key, line, pass) SELECT ?1, ?2, pass FROM executions WHERE n = ?3";
        let mut insert = self.connection.prepare_cached(sql)?;
        // Lines beyond the last place are dropped: they must not become another execution's.
        for (at, line) in (next..key(n, MAX_OP) + 1).zip(lines) {
            insert.execute(params![at, line, n])?;
        }
        Ok(())
    }

    fn hook(&self, n: i64, hook: &Hook) -> Result<(), Trouble> {
        self.run(
            "INSERT INTO hooks (execution, kind, connector, pass, status) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![n, rows::hook_word(hook.kind), hook.connector, hook.pass, hook.status.as_str()],
        )
        .map(drop)
    }

    fn entry_state(&self, key: i64) -> Result<Option<String>, Trouble> {
        let mut statement = self.connection.prepare_cached("SELECT state FROM entries WHERE key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0)).optional()?)
    }

    fn state_version(&self, n: Option<i64>, at: &StateKey) -> Result<u64, Trouble> {
        let execution = match at.scope {
            Scope::Connector => 0,
            Scope::Execution => n.unwrap_or(-1),
        };
        let sql = "SELECT version FROM state WHERE execution = ?1 AND connector = ?2 AND key = ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let version = statement.query_row(params![execution, at.connector, at.key], |row| row.get::<_, i64>(0));
        Ok(version.optional()?.map_or(0, i64::cast_unsigned))
    }

    fn set_state(&self, n: i64, write: &StateWrite) -> Result<(), Trouble> {
        let execution = if write.at.scope == Scope::Execution { n } else { 0 };
        let sql = "UPDATE meta SET value = value + 1 WHERE name = 'state_version' RETURNING value";
        let version: i64 = self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        let StateKey { connector, key, .. } = &write.at;
        match &write.value {
            Some(value) => self.run(
                "INSERT INTO state (execution, connector, key, version, value) VALUES (?1, ?2, ?3, ?4, ?5)
                    ON CONFLICT DO UPDATE SET version = excluded.version, value = excluded.value",
                params![execution, connector, key, version, value],
            ),
            None => self.run(
                "DELETE FROM state WHERE execution = ?1 AND connector = ?2 AND key = ?3",
                params![execution, connector, key],
            ),
        }
        .map(drop)
    }

    fn run(&self, sql: &str, values: impl rusqlite::Params) -> Result<usize, Trouble> {
        Ok(self.connection.prepare_cached(sql)?.execute(values)?)
    }
}

const _: () = assert!(PLACES == MAX_OP as i64 + 1, "an op must fit into its key");
