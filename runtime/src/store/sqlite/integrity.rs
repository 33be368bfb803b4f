//! Looks for damage: the database's own, and what the rows say that cannot be. It only reads. Nothing is repaired:
//! which of two rows is the right one, nobody can know here.

use std::fmt::Display;
use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use super::error::{RowError, is_damage, medium};
use super::{Options, backup, read, schema, snippets};
use crate::durable::journal::Entry;
use crate::store::{Record, StoreError};

/// At most so many findings are listed; the rest is counted.
pub const MAX_FINDINGS: usize = 100;

/// Rows that cannot be, each query giving the lines that say so. A number of an execution stands for one that no id is
/// known of.
const RULES: [&str; 10] = [
    "SELECT 'entries: ' || count(*) || ' of execution number ' || (key >> 24) || ', which does not exist' FROM entries
        WHERE key >> 24 NOT IN (SELECT n FROM executions) GROUP BY key >> 24",
    "SELECT 'logs: ' || count(*) || ' lines of execution number ' || (key >> 24) || ', which does not exist' FROM logs
        WHERE key >> 24 NOT IN (SELECT n FROM executions) GROUP BY key >> 24",
    "SELECT 'hooks: hook ' || id || ' of execution number ' || execution || ', which does not exist' FROM hooks
        WHERE execution NOT IN (SELECT n FROM executions)",
    "SELECT 'state: ' || count(*) || ' keys of execution number ' || execution || ', which does not exist' FROM state
        WHERE execution <> 0 AND execution NOT IN (SELECT n FROM executions) GROUP BY execution",
    "SELECT 'logs: execution ' || id || ' lacks lines: it has ' || count(*) || ' up to place ' || max(key & 16777215)
        FROM logs JOIN executions ON n = key >> 24 GROUP BY key >> 24 HAVING count(*) <> max(key & 16777215) + 1",
    "SELECT 'executions: ' || id || ' belongs to owner ' || owner || ', which is unknown' FROM executions
        WHERE owner IS NOT NULL AND owner NOT IN (SELECT id FROM owners)",
    "SELECT 'executions: ' || id || ' is running and belongs to nobody' FROM executions
        WHERE status = 'running' AND owner IS NULL",
    "SELECT 'executions: ' || id || ' is ' || status || iif(ended_at IS NULL, ' and has no end', ' and has an end')
        FROM executions WHERE (status IN ('running', 'paused')) <> (ended_at IS NULL)",
    "SELECT 'meta: ' || name || ' is ' || value || ', counted are ' || counted FROM meta JOIN
        (SELECT count(*) AS counted FROM executions WHERE ended_at IS NOT NULL) WHERE name = 'ended' AND value <> counted",
    "SELECT 'meta: ' || name || ' is ' || value || ', a key of state has version ' || highest FROM meta JOIN
        (SELECT max(version) AS highest FROM state) WHERE name = 'state_version' AND value < highest",
];

/// Counters that a file must have.
const COUNTERS: [&str; 2] = ["ended", "state_version"];

/// What is found, up to a bound.
#[derive(Default)]
struct Findings {
    lines: Vec<String>,
    more: usize,
}

impl Findings {
    fn add(&mut self, line: impl Display) {
        let line = line.to_string();
        if self.lines.len() < MAX_FINDINGS {
            // One damage of the file is met in many places.
            if !self.lines.contains(&line) {
                self.lines.push(line);
            }
        } else {
            self.more += 1;
        }
    }

    /// Damage is a finding; that the file cannot be read at all is an error.
    fn judge(&mut self, error: rusqlite::Error, busy_ms: u64) -> Result<(), StoreError> {
        match error.sqlite_error_code() {
            _ if is_damage(&error) => self.add(format_args!("file: {error}")),
            // A table, a column or a type that is not what this version makes.
            Some(ErrorCode::Unknown | ErrorCode::TypeMismatch) | None => self.add(format_args!("schema: {error}")),
            _ => return Err(medium(&error, busy_ms)),
        }
        Ok(())
    }

    fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.lines.push(format!("and {} more", self.more));
        }
        self.lines
    }
}

/// Looks at a file that may be too damaged to be opened as a store.
pub(super) fn check_file(path: &Path, options: &Options) -> Result<Vec<String>, StoreError> {
    let (connection, format) = match schema::open_known(path, options) {
        Ok(known) => known,
        Err(StoreError::Corrupt(reason)) => return Ok(vec![format!("file: {reason}")]),
        Err(other) => return Err(other),
    };
    if format == schema::FORMAT {
        return check(&connection, options.busy_timeout_ms);
    }
    // An older format: its rows are looked at in a copy, which is brought to ours and goes away afterwards.
    let mut findings = Findings::default();
    database(&connection, &mut findings, options.busy_timeout_ms)?;
    if findings.lines.is_empty() {
        let failed = |error: rusqlite::Error| medium(&error, options.busy_timeout_ms);
        let mut copy = Connection::open("").map_err(failed)?;
        backup::copy(&connection, &mut copy, &mut |_| {}).map_err(failed)?;
        schema::migrate(&mut copy, &path.display().to_string(), options)?;
        return check(&copy, options.busy_timeout_ms);
    }
    Ok(findings.finish())
}

/// Looks at everything.
pub(super) fn check(connection: &Connection, busy_ms: u64) -> Result<Vec<String>, StoreError> {
    let mut findings = Findings::default();
    database(connection, &mut findings, busy_ms)?;
    for rule in RULES {
        lines(connection, rule, |line| findings.add(line)).or_else(|error| findings.judge(error, busy_ms))?;
    }
    for counter in COUNTERS {
        let sql = format!(
            "SELECT 'meta: there is no {counter}' WHERE NOT EXISTS (SELECT 1 FROM meta WHERE name = '{counter}')"
        );
        lines(connection, &sql, |line| findings.add(line)).or_else(|error| findings.judge(error, busy_ms))?;
    }
    records(connection, &mut findings).or_else(|error| findings.judge(error, busy_ms))?;
    saved(connection, &mut findings).or_else(|error| findings.judge(error, busy_ms))?;
    Ok(findings.finish())
}

/// What the database finds.
fn database(connection: &Connection, findings: &mut Findings, busy_ms: u64) -> Result<(), StoreError> {
    let sql = format!("PRAGMA integrity_check({MAX_FINDINGS})");
    let each = |line: String| {
        for line in line.lines().filter(|line| *line != "ok") {
            findings.add(format_args!("file: {line}"));
        }
    };
    lines(connection, &sql, each).or_else(|error| findings.judge(error, busy_ms))
}

fn lines(connection: &Connection, sql: &str, mut each: impl FnMut(String)) -> Result<(), rusqlite::Error> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(String::from_utf8_lossy(row.get_ref(0)?.as_bytes().unwrap_or_default()).into_owned());
    }
    Ok(())
}

/// Reads every execution with its journal, one at a time.
fn records(connection: &Connection, findings: &mut Findings) -> Result<(), rusqlite::Error> {
    let mut after = i64::MIN;
    while let Some((n, id)) = read::next_number(connection, after)? {
        after = n;
        match read::record_at(connection, n) {
            Ok(Some(record)) => seqs(&record).into_iter().for_each(|line| findings.add(line)),
            // Deleted meanwhile.
            Ok(None) => {}
            Err(RowError::Unreadable(reason)) => {
                findings.add(format_args!("executions: {id} cannot be read back: {reason}"));
            }
            // The next one may lie where nothing is broken.
            Err(RowError::Medium(error)) if is_damage(&error) => {
                findings.add(format_args!("executions: {id} cannot be read back: {error}"));
            }
            Err(RowError::Medium(error)) => return Err(error),
        }
    }
    Ok(())
}

/// Reads every snippet.
fn saved(connection: &Connection, findings: &mut Findings) -> Result<(), rusqlite::Error> {
    let mut statement = connection.prepare(&format!("SELECT {} FROM snippets", snippets::COLUMNS))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        match snippets::snippet(row) {
            Ok(_) => {}
            Err(RowError::Unreadable(reason)) => {
                let name = String::from_utf8_lossy(row.get_ref(0)?.as_bytes().unwrap_or_default());
                let name: String = name.chars().take(200).collect();
                findings.add(format_args!("snippets: {name:?} cannot be read back: {reason}"));
            }
            Err(RowError::Medium(error)) => return Err(error),
        }
    }
    Ok(())
}

/// Seqs are dense among calls and steps.
fn seqs(record: &Record) -> Option<String> {
    let mut numbered = record.entries.iter().filter_map(|entry: &Entry| entry.seq.map(|seq| (entry.op, seq)));
    let wrong = (0..).zip(&mut numbered).find(|(place, (_, seq))| seq.0 != *place);
    let (place, (op, seq)) = wrong?;
    Some(format!("entries: execution {} has seq {seq} at op {op}, where seq {place} belongs", record.execution.id()))
}
