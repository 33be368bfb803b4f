//! What only a store in a file must do. What every store must do is tested in the conformance crate.

mod backup;
mod crash;
mod damage;
mod files;
mod integrity;
mod log;
mod power;
mod space;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Durability, Options, SqliteStore};
use crate::durable::execution::{Determinism, Execution, Start, Status};
use crate::durable::id::{ExecutionId, Op, OwnerId, Seq, Token, Version};
use crate::durable::journal::{Entry, EntryState, Request, Rerun, Terms};
use crate::durable::value::{Json, ValueLimits};
use crate::durable::write::{Hook, HookKind, Move, Scope, StateKey, StateWrite, Write};
use crate::store::{Barrier, Query, Record, StateQuery, Store, StoreError};

/// A folder that goes with the test, and a store's path in it.
struct Place {
    folder: tempfile::TempDir,
    path: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    Place { folder, path }
}

fn quick() -> Options {
    Options { durability: Durability::Process, ..Options::default() }
}

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, quick()).expect("the store opens")
}

/// Ends threads that wait for it, however the test ends.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A connection past the store, for looking and for damaging.
fn raw(path: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(path).expect("the file opens");
    connection.busy_timeout(std::time::Duration::from_secs(10)).expect("a timeout");
    connection
}

fn count(path: &Path, sql: &str) -> i64 {
    raw(path).query_row(sql, [], |row| row.get(0)).expect("counts")
}

fn id(n: u64) -> ExecutionId {
    ExecutionId::new(n, [3; 16])
}

fn json(text: &str) -> Json {
    Json::from_tagged(text, &ValueLimits::default()).expect("tagged JSON")
}

fn begun(id: &ExecutionId) -> Write {
    let start = Start {
        id: id.clone(),
        code: "async () => 1".to_owned(),
        input: None,
        namespaces: Vec::new(),
        executor: String::new(),
        replay_version: 1,
        determinism: Determinism::Recorded,
        seed: [0; 32],
        created_at: 1,
    };
    Write::Begin(Box::new(Execution::begin(start, OwnerId(1))))
}

/// An entry whose argument has so many characters.
fn asked(op: u32, size: usize) -> Write {
    let args = Some(json(&format!("\"{}\"", "x".repeat(size))));
    Write::Asked(Box::new(Entry {
        op: Op(op),
        seq: Some(Seq(op)),
        request: Request::Call { connector: "shelf".to_owned(), method: "put".to_owned(), args },
        terms: Terms::default(),
        state: EntryState::Executing,
        answer: None,
        rerun: Rerun::No,
        digest: None,
        decision: None,
        resolution: None,
        revert: None,
        delivery: None,
        remaining_ms: None,
        attempt: 1,
        pass: 1,
        asked_at: 1,
        answered_at: None,
        asked_event: 0,
        answered_event: None,
    }))
}

fn moved(status: Status, token: u64, owner: Option<OwnerId>) -> Write {
    Write::Moved(Box::new(Move { status, pass: 1, token: Token(token), owner, result: None, error: None, at: 2 }))
}

fn line(text: &str) -> Write {
    Write::Logged { lines: vec![text.to_owned()] }
}

fn now(store: &dyn Store, id: &ExecutionId, writes: Vec<Write>) -> Result<(), StoreError> {
    store.append(id, Token(1), writes, Barrier::Now).wait()
}

fn later(store: &dyn Store, id: &ExecutionId, writes: Vec<Write>) -> Result<(), StoreError> {
    store.append(id, Token(1), writes, Barrier::Later).wait()
}

fn begin(store: &dyn Store, n: u64) -> ExecutionId {
    let id = id(n);
    now(store, &id, vec![begun(&id)]).expect("begins");
    id
}

fn load(store: &dyn Store, id: &ExecutionId) -> Record {
    store.load(id).expect("reads").expect("is there")
}

/// One row in every table that hangs on an execution.
fn everything() -> Vec<Write> {
    let at = StateKey { connector: "shelf".to_owned(), scope: Scope::Execution, key: "k".to_owned() };
    let hook =
        Hook { id: 0, kind: HookKind::PassEnded, connector: "shelf".to_owned(), pass: 1, status: Status::Paused };
    vec![
        asked(0, 10),
        asked(1, 10),
        line("a"),
        line("b"),
        Write::HookDue(hook),
        Write::State(StateWrite { at, value: Some(vec![1]) }),
    ]
}
