//! What holds after any race, whoever won it: one legal end, told once, nothing done twice, and honest answers.

use std::collections::BTreeMap;

use codemode_conformance::fixtures::{Event, EventKind, Ledger};
use codemode_runtime::store::Record;
use codemode_runtime::{EntryState, ExecutionId, Runtime, Status};

/// What is left of an execution when everybody is done with it.
pub(crate) struct Left {
    pub(crate) record: Option<Record>,
    events: Vec<Event>,
}

impl Left {
    pub(crate) fn of(runtime: &Runtime, ledger: &Ledger, id: &ExecutionId) -> Self {
        let record = runtime.record(id).unwrap();
        let events = ledger.events().into_iter().filter(|e| e.execution == id.as_str()).collect();
        Self { record, events }
    }

    pub(crate) fn status(&self) -> Option<Status> {
        self.record.as_ref().map(|r| r.execution.status)
    }

    /// How often the gate was passed.
    pub(crate) fn gates(&self) -> usize {
        self.of_kind(EventKind::Performed).filter(|e| e.method == "gate").count()
    }

    /// How many calls were undone.
    pub(crate) fn undone(&self) -> usize {
        self.of_kind(EventKind::Reverted).count()
    }

    /// The statuses with which connectors were told of the end.
    pub(crate) fn ends(&self) -> Vec<&str> {
        self.of_kind(EventKind::ExecutionEnded).map(|e| e.method.as_str()).collect()
    }

    /// What happened, line by line.
    fn story(&self) -> String {
        let line = |e: &Event| format!("{:?} {}.{} {}\n", e.kind, e.fixture, e.method, e.key);
        self.events.iter().map(line).collect()
    }

    fn of_kind(&self, kind: EventKind) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |e| e.kind == kind)
    }

    /// Checks the laws; `said` are the answers that everybody got.
    pub(crate) fn is_lawful(&self, said: &[String]) {
        let ends = self.ends();
        let context = format!("{said:?} left {:?} {ends:?}\n{}", self.status(), self.story());
        assert!(said.iter().all(|s| !s.starts_with("host ")), "a host failed: {context}");
        for kind in [EventKind::Performed, EventKind::Reverted] {
            let mut times = BTreeMap::new();
            self.of_kind(kind).for_each(|e| *times.entry(&e.key).or_insert(0) += 1);
            assert!(times.values().all(|n| *n == 1), "something happened twice: {context}");
        }
        let first = ends.iter().filter(|e| **e != "rolled_back").count();
        let undone = ends.len() - first;
        assert!(first <= 1 && undone <= 1, "the end was told twice: {context}");
        assert!(undone == 0 || ends.last() == Some(&"rolled_back"), "it ended after it was rolled back: {context}");
        match &self.record {
            None => assert!(!ends.is_empty(), "it is gone without a word: {context}"),
            Some(record) => self.is_at_rest(record, &context),
        }
    }

    fn is_at_rest(&self, record: &Record, context: &str) {
        let status = record.execution.status;
        assert_ne!(status, Status::Running, "{context}");
        assert_eq!((record.execution.owner, record.hooks.len()), (None, 0), "somebody still works on it: {context}");
        let of = |state| record.entries.iter().filter(|e| e.state == state).count();
        assert_eq!(of(EntryState::Executing) + of(EntryState::Reverting), 0, "{context}");
        if status == Status::Paused {
            assert!(of(EntryState::Pending) + of(EntryState::Unknown) > 0, "it waits for nothing: {context}");
            assert!(self.ends().is_empty(), "{context}");
        } else {
            assert_eq!(of(EntryState::Pending), 0, "{context}");
            assert_eq!(self.ends().last(), Some(&status.as_str()), "{context}");
        }
    }
}

/// Checks that an execution only moved along the lines that a status may move. What was not seen in between may have
/// been anything that leads there.
pub(crate) fn moved_lawfully(seen: &[Status]) {
    for pair in seen.windows(2) {
        let [from, to] = pair else { continue };
        let lawful = match from {
            Status::Running | Status::Paused => true,
            ended => ended.may_become(*to),
        };
        assert!(lawful, "{from} became {to}: {seen:?}");
    }
}
