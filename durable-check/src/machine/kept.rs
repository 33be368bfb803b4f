//! What is kept of an execution: a second, plain meaning of each write, with what a crash may take away of it.

use std::collections::BTreeMap;

use crate::durable::execution::{Determinism, Execution, Namespace, REPLAY_VERSION, Start, Status};
use crate::durable::id::{ExecutionId, OwnerId};
use crate::durable::journal::{Entry, EntryState};
use crate::durable::write::{Hook, Write};

/// A record, the newest changes of which are not durable yet.
pub(super) struct Kept {
    pub(super) execution: Execution,
    pub(super) entries: Vec<Entry>,
    pub(super) hooks: Vec<Hook>,
    /// How often each key of the connector's own state was written.
    pub(super) state: BTreeMap<String, u32>,
    /// Batches that a crash may still take, the newest first.
    unsure: Vec<Vec<Write>>,
}

impl Kept {
    pub(super) fn new() -> Self {
        let start = Start {
            id: ExecutionId::from_text("exec_1"),
            code: "code".into(),
            input: None,
            namespaces: vec![Namespace { name: "t".into(), methods: Vec::new() }],
            executor: String::new(),
            replay_version: REPLAY_VERSION,
            determinism: Determinism::Recorded,
            seed: [0; 32],
            created_at: 1_000,
        };
        let execution = Execution::begin(start, OwnerId(1));
        Self { execution, entries: Vec::new(), hooks: Vec::new(), state: BTreeMap::new(), unsure: Vec::new() }
    }

    /// Takes a batch in; it is durable with the next one that must be.
    pub(super) fn append(&mut self, writes: Vec<Write>) {
        if !writes.is_empty() {
            self.unsure.push(writes);
        }
    }

    /// Makes everything durable.
    pub(super) fn sync(&mut self) {
        for write in std::mem::take(&mut self.unsure).into_iter().flatten() {
            self.apply(write);
        }
    }

    /// Takes a batch in and makes everything durable.
    pub(super) fn commit(&mut self, writes: Vec<Write>) {
        self.append(writes);
        self.sync();
    }

    /// The process is gone: of what was not durable, only the oldest `left` batches are there.
    pub(super) fn crash(&mut self, left: usize) {
        self.unsure.truncate(left);
        self.sync();
    }

    fn apply(&mut self, write: Write) {
        match write {
            Write::Asked(entry) => {
                let at = entry.op.0 as usize;
                assert!(at <= self.entries.len(), "rows come in the order of asking");
                if at == self.entries.len() { self.entries.push(*entry) } else { self.entries[at] = *entry }
            }
            Write::Answered { op, from, state, answer, rerun, at, event } => {
                let entry = &mut self.entries[op.0 as usize];
                if from.contains(&entry.state) {
                    (entry.state, entry.answer, entry.rerun) = (state, answer, rerun);
                    (entry.answered_at, entry.answered_event) = (Some(at), event);
                }
            }
            Write::Delivered { op, delivery } => {
                let entry = &mut self.entries[op.0 as usize];
                assert_eq!(entry.delivery, None, "an answer is delivered once");
                entry.delivery = Some(delivery);
            }
            Write::TimerLeft { op, remaining_ms } => self.entries[op.0 as usize].remaining_ms = Some(remaining_ms),
            Write::Decided { op, decision } => self.entries[op.0 as usize].decision = Some(decision),
            Write::Require { op, states } => assert!(states.contains(&self.entries[op.0 as usize].state)),
            Write::Resolved { op, state, answer, consent, resolution } => {
                let entry = &mut self.entries[op.0 as usize];
                assert_eq!(entry.state, EntryState::Unknown);
                (entry.state, entry.answer, entry.decision) = (state, answer, consent);
                entry.resolution = Some(resolution);
            }
            Write::Sweep { from, to, .. } => {
                self.entries.iter_mut().filter(|e| from.contains(&e.state)).for_each(|e| e.state = to);
            }
            Write::Reverted { op, state, revert } => {
                let entry = &mut self.entries[op.0 as usize];
                (entry.state, entry.revert) = (state, Some(revert));
            }
            Write::Moved(moved) => {
                assert!(self.execution.status.may_become(moved.status), "{:?}", (self.execution.status, moved.status));
                assert!(moved.token >= self.execution.token);
                let execution = &mut self.execution;
                (execution.status, execution.pass) = (moved.status, moved.pass);
                (execution.token, execution.owner) = (moved.token, moved.owner);
                (execution.result, execution.error) = (moved.result, moved.error);
            }
            Write::Owned { token, owner } => (self.execution.token, self.execution.owner) = (token, owner),
            Write::HookDue(hook) => self.hooks.push(hook),
            Write::State(write) => *self.state.entry(write.at.key).or_default() += 1,
            other => panic!("a rule wrote {other:?}"),
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.execution.status.is_terminal()
    }

    pub(super) fn is(&self, status: Status) -> bool {
        self.execution.status == status
    }
}
