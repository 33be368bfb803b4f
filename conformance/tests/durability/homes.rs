//! Both places where journals are kept, and short words for what is asked of them again and again.

use std::sync::Arc;

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::Host;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::store::sqlite::{Durability, Options, SqliteStore};
use codemode_runtime::store::{Record, Summary};
use codemode_runtime::{Entry, ExecutionId, Query, RollbackReport, Runtime, Seq, Status, Store};

/// A store, with its file where it has one.
pub(crate) struct Home {
    pub(crate) name: &'static str,
    pub(crate) store: Arc<dyn Store>,
    folder: Option<tempfile::TempDir>,
}

/// A store in memory and one in a file.
pub(crate) fn homes() -> [Home; 2] {
    let memory = Home { name: "memory", store: Arc::new(MemoryStore::new()), folder: None };
    let folder = tempfile::tempdir().unwrap();
    let file = Home { name: "file", store: open(&folder), folder: Some(folder) };
    [memory, file]
}

fn open(folder: &tempfile::TempDir) -> Arc<dyn Store> {
    let options = Options { durability: Durability::Process, ..Options::default() };
    Arc::new(SqliteStore::open(folder.path().join("store.db"), options).unwrap())
}

impl Home {
    /// The fixtures `shelf` and `t` over this store.
    pub(crate) fn host(&self) -> Host {
        Host::over(self.store.clone())
    }

    /// What another process would open: the same file, or the same memory where there is none.
    pub(crate) fn opened_again(&self) -> Arc<dyn Store> {
        self.folder.as_ref().map_or_else(|| self.store.clone(), open)
    }
}

pub(crate) fn record(runtime: &Runtime, id: &ExecutionId) -> Record {
    runtime.record(id).unwrap().unwrap()
}

pub(crate) fn status(runtime: &Runtime, id: &ExecutionId) -> Status {
    record(runtime, id).execution.status
}

pub(crate) fn entry(runtime: &Runtime, id: &ExecutionId, seq: u32) -> Entry {
    record(runtime, id).entries.into_iter().find(|e| e.seq == Some(Seq(seq))).unwrap()
}

pub(crate) fn summary(runtime: &Runtime, id: &ExecutionId) -> Summary {
    runtime.executions(&Query::default()).unwrap().into_iter().find(|s| s.id == *id).unwrap()
}

/// A report as `seq connector.method word`, in its order.
pub(crate) fn lines(report: &RollbackReport) -> Vec<String> {
    let line =
        |c: &codemode_runtime::UndoneCall| format!("{} {}.{} {}", c.seq, c.connector, c.method, c.undone.as_str());
    report.calls.iter().map(line).collect()
}

/// The statuses that `shelf` was told when executions ended.
pub(crate) fn ends(host: &Host) -> Vec<String> {
    host.ledger.hooks(EventKind::ExecutionEnded, "shelf").into_iter().map(|(_, status)| status).collect()
}

/// The statuses that `shelf` was told when passes ended, with the numbers of the passes.
pub(crate) fn pass_ends(host: &Host) -> Vec<String> {
    let ends = host.ledger.events().into_iter().filter(|e| e.kind == EventKind::PassEnded);
    ends.map(|e| format!("{} {}", e.key, e.method)).collect()
}

/// What was undone, as `fixture.method` with what the revert was told of the result, in order.
pub(crate) fn undone(host: &Host) -> Vec<String> {
    let undone = host.ledger.events().into_iter().filter(|e| e.kind == EventKind::Reverted);
    undone.map(|e| format!("{}.{} {}", e.fixture, e.method, e.result)).collect()
}
