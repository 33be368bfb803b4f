//! Everything that a store must be able to do to a journal, as data. The rules return writes; the shell hands them to
//! a store; nothing else changes what is kept.

use serde::{Deserialize, Serialize};

use super::execution::{Execution, Status};
use super::failure::CodeError;
use super::id::{Op, OwnerId, Token};
use super::journal::{Answer, Decision, Delivery, Entry, EntryState, Rerun, Resolution, RevertAttempt};
use super::value::Json;

/// One change. A list of them is applied in order and as a whole, or not at all.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// A new execution. Refused when the id exists.
    Begin(Box<Execution>),
    /// A new entry, or a row that is begun anew at the same op: replaces the whole row.
    Asked(Box<Entry>),
    /// An answer, or the end of waiting for one. Applied only while the entry is in one of the states of `from`;
    /// otherwise this write alone is dropped (a late result after delete, resolve or rollback).
    Answered {
        /// Which entry.
        op: Op,
        /// In which states the entry still takes it.
        from: &'static [EntryState],
        /// The new state.
        state: EntryState,
        /// The answer; `None` keeps none (unknown, ephemeral results are `Some(Ok(None))`).
        answer: Option<Answer>,
        /// For steps.
        rerun: Rerun,
        /// Epoch milliseconds.
        at: u64,
        /// The number of the event, where people see one.
        event: Option<u64>,
    },
    /// The whole batch is refused with `StoreError::Stale` unless the entry is in one of these states.
    Require {
        /// Which entry.
        op: Op,
        /// In which states.
        states: &'static [EntryState],
    },
    /// The answer of `op` reached the code.
    Delivered {
        /// Which entry.
        op: Op,
        /// Where, and when.
        delivery: Delivery,
    },
    /// What is left of a timer when its pass ends.
    TimerLeft {
        /// Which entry.
        op: Op,
        /// Milliseconds.
        remaining_ms: u64,
    },
    /// A person's decision on a pending entry. Dropped when the entry is not pending.
    Decided {
        /// Which entry.
        op: Op,
        /// Who, how, why, when.
        decision: Decision,
    },
    /// Every entry in one of the states of `from` changes to `to`: pending ones are withdrawn, executing ones become
    /// unknown.
    Sweep {
        /// In which states.
        from: &'static [EntryState],
        /// The new state.
        to: EntryState,
        /// Epoch milliseconds.
        at: u64,
    },
    /// An attempt at undoing a call, or its end.
    Reverted {
        /// Which entry.
        op: Op,
        /// The new state.
        state: EntryState,
        /// The attempt as it stands.
        revert: RevertAttempt,
    },
    /// What a person said of a call in doubt. Dropped when it is not in doubt.
    Resolved {
        /// Which entry.
        op: Op,
        /// The new state.
        state: EntryState,
        /// The answer, where they gave one.
        answer: Option<Answer>,
        /// The consent that a call needs which is to be performed once more.
        consent: Option<Decision>,
        /// What they said.
        resolution: Resolution,
    },
    /// A change of the execution's status.
    Moved(Box<Move>),
    /// A change of ownership alone: somebody begins to work on an execution at rest, or ends.
    Owned {
        /// The token from here on.
        token: Token,
        /// Who; `None` at rest.
        owner: Option<OwnerId>,
    },
    /// Asks the owner of a running execution to end its pass. Taken back by the next move.
    Cancel,
    /// Removes the ended executions that ended longest ago, until `keep` are left. Those that somebody works on stay, and
    /// the one whose batch it is.
    Prune {
        /// How many ended ones stay.
        keep: u32,
    },
    /// Console lines, appended.
    Logged {
        /// The lines, with their prefixes.
        lines: Vec<String>,
    },
    /// A hook that is due (outbox).
    HookDue(Hook),
    /// A hook that ran.
    HookDone {
        /// Its number.
        id: u64,
    },
    /// A connector's own state.
    State(StateWrite),
    /// The whole batch is refused with `StoreError::StateConflict` unless that key still has that version.
    Expect(StateRead),
    /// Removes the execution with everything that hangs on it.
    Delete,
}

/// A change of an execution's row.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The new status.
    pub status: Status,
    /// The pass that it is in now.
    pub pass: u32,
    /// The token from here on.
    pub token: Token,
    /// Who works on it from here on; `None` at rest.
    pub owner: Option<OwnerId>,
    /// The recorded result.
    pub result: Option<Json>,
    /// Why it ended.
    pub error: Option<CodeError>,
    /// Epoch milliseconds.
    pub at: u64,
}

/// Which hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookKind {
    /// A pass ended.
    PassEnded,
    /// The execution ended.
    ExecutionEnded,
}

/// A hook that is due for one connector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    /// Numbered by the store; 0 in a write that asks for a new one.
    pub id: u64,
    /// Which hook.
    pub kind: HookKind,
    /// For which connector.
    pub connector: String,
    /// The pass that ended, or the last one.
    pub pass: u32,
    /// `paused` only for passes.
    pub status: Status,
}

/// How long a piece of connector state lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// As long as the connector's name is configured.
    Connector,
    /// As long as the record of the execution.
    Execution,
}

/// Where a piece of connector state is. In scope `Execution` it belongs to the execution whose batch it is in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateKey {
    /// The namespace of the connector.
    pub connector: String,
    /// How long it lives.
    pub scope: Scope,
    /// 1 to 1,024 bytes.
    pub key: String,
}

/// Sets or removes one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateWrite {
    /// Where.
    pub at: StateKey,
    /// `None` removes it.
    pub value: Option<Vec<u8>>,
}

/// What a call read, to be checked when its writes are committed. A version is 0 where the key is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRead {
    /// Where.
    pub at: StateKey,
    /// The version that it saw.
    pub version: u64,
}

/// A value of connector state with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateValue {
    /// The bytes.
    pub value: Vec<u8>,
    /// Grows with each change of any key of the store; never 0.
    pub version: u64,
}
