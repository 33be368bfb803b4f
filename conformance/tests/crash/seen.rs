//! What a third process finds: the store, from a copy of its files so that looking changes nothing, and the ledger.

use std::collections::BTreeMap;
use std::path::Path;

use codemode_conformance::fixtures::Event;
use codemode_runtime::ExecutionId;
use codemode_runtime::durable::id::OwnerId;
use codemode_runtime::durable::journal::{Entry, EntryState};
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::store::{Query, Record, StateQuery, Store as _};

use crate::child::options;
use crate::outside;
use crate::script::{Part, Script};

/// What is there.
pub(crate) struct Seen {
    /// By id.
    pub(crate) records: BTreeMap<String, Record>,
    pub(crate) owned: Vec<(ExecutionId, OwnerId)>,
    /// What is wrong with the file.
    pub(crate) findings: Vec<String>,
    /// `connector key` to value.
    pub(crate) state: BTreeMap<String, String>,
    pub(crate) snippets: Vec<String>,
    /// What happened outside.
    pub(crate) events: Vec<Event>,
}

impl Seen {
    pub(crate) fn of(script: &Script, folder: &Path) -> Self {
        let copy = tempfile::tempdir().expect("a folder");
        crate::matrix::copy(folder, copy.path()).expect("a copy");
        let events = outside::ledger(copy.path()).events();
        let store = SqliteStore::open(copy.path().join("store.db"), options()).expect("the file is a store");
        let list = store.list(&Query::default()).expect("the list");
        let load = |id: &ExecutionId| store.load(id).expect("no row is damaged").expect("a listed row");
        let mut state = BTreeMap::new();
        for connector in script.parts.iter().filter_map(|part| namespace(*part)) {
            let query = StateQuery { connector, execution: None, prefix: "", after: None, limit: 10_000 };
            for key in store.state_keys(&query).expect("the keys") {
                let value = store.state(connector, None, &key).expect("a value").expect("a listed key").value;
                state.insert(format!("{connector} {key}"), String::from_utf8_lossy(&value).into_owned());
            }
        }
        Self {
            records: list.iter().map(|s| (s.id.to_string(), load(&s.id))).collect(),
            owned: store.owned().expect("the owned"),
            findings: store.integrity_check().expect("the file can be read"),
            state,
            snippets: store.snippets().expect("the snippets").into_iter().map(|s| s.name).collect(),
            events,
        }
    }

    /// The row of a key `{execution}:{seq}`, with its execution.
    pub(crate) fn row(&self, key: &str) -> Option<(&Record, &Entry)> {
        let (id, seq) = key.rsplit_once(':')?;
        let record = self.records.get(id)?;
        let entry = record.entries.iter().find(|e| e.seq.is_some_and(|s| s.to_string() == seq))?;
        Some((record, entry))
    }

    /// A number in the state of a connector.
    pub(crate) fn number(&self, key: &str) -> i64 {
        self.state.get(key).and_then(|v| v.parse().ok()).unwrap_or(0)
    }

    /// All calls of a method that are applied, by key.
    pub(crate) fn applied(&self, connector: &str, method: &str) -> BTreeMap<String, &Entry> {
        let mut applied = BTreeMap::new();
        for record in self.records.values() {
            let of = record.entries.iter().filter(|e| e.request.path() == (connector, method) && is_kept(e));
            applied.extend(of.filter_map(|e| Some((Entry::idempotency_key(record.execution.id(), e.seq?), e))));
        }
        applied
    }
}

/// Whether what the call wrote to its state is there.
fn is_kept(entry: &Entry) -> bool {
    match entry.state {
        EntryState::Applied => true,
        EntryState::Reverting => entry.revert.as_ref().is_some_and(|r| r.from == EntryState::Applied),
        _ => false,
    }
}

/// The connector whose state a part keeps.
fn namespace(part: Part) -> Option<&'static str> {
    match part {
        Part::Outside | Part::Hooked => None,
        Part::Tally => Some("tally"),
        Part::Sum => Some("sum"),
        Part::Notes => Some("notes"),
        Part::Kit => Some("kit"),
        Part::Files => Some("files"),
    }
}
