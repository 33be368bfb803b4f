//! One submitted code with its whole life across passes, and which changes of its status are legal.

use serde::{Deserialize, Serialize};

use super::failure::CodeError;
use super::id::{ExecutionId, OwnerId, Token, Version};
use super::value::Json;

/// Where an execution stands. Exactly six, as on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A pass runs, or ran in a process that died.
    Running,
    /// Waits for a person.
    Paused,
    /// Ended with a result.
    Completed,
    /// Ended because the code failed, diverged or broke a limit.
    Error,
    /// Ended because a person rejected a call, or nobody approved in time.
    Rejected,
    /// At least one of its calls was reverted after it ended.
    RolledBack,
}

impl Status {
    /// All statuses, for tables and parsers.
    pub const ALL: [Self; 6] =
        [Self::Running, Self::Paused, Self::Completed, Self::Error, Self::Rejected, Self::RolledBack];

    /// The word on the wire and in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Rejected => "rejected",
            Self::RolledBack => "rolled_back",
        }
    }

    /// The status of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }

    /// Completed, error, rejected and rolled back: nothing runs any more.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Running | Self::Paused)
    }

    /// Whether an execution may go from this status to `to`. Terminal never changes except to rolled back.
    #[must_use]
    pub fn may_become(self, to: Self) -> bool {
        match (self, to) {
            // To running: its process died and another one took it over.
            (Self::Running, Self::Running | Self::Paused | Self::Completed | Self::Error) => true,
            (Self::Paused, Self::Running | Self::Rejected | Self::RolledBack) => true,
            (from, Self::RolledBack) => from.is_terminal(),
            _ => false,
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where time and randomness of the code come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Determinism {
    /// The clock moves only with deliveries and is journaled; randomness draws from a stored seed. Replay is exact.
    #[default]
    Recorded,
    /// The clock and randomness of the moment, as in the reference system: unwrapped use diverges after a pause.
    Live,
}

/// Counts codec, clock and random rules. An execution is replayed only by the version that started it.
pub const REPLAY_VERSION: u32 = 1;

/// A connector as the code saw it: its global and the methods on it. Stored with the execution, so that a later pass
/// builds the same globals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// The connector's name.
    pub name: String,
    /// In declared order.
    pub methods: Vec<String>,
}

/// What is fixed when an execution starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Its id.
    pub id: ExecutionId,
    /// The code exactly as given (RUN-05).
    pub code: String,
    /// The argument of the function, if any.
    pub input: Option<Json>,
    /// All connectors configured at the start, in order, used or not (RUN-05).
    pub namespaces: Vec<Namespace>,
    /// The digest of the executor component.
    pub executor: String,
    /// [`REPLAY_VERSION`] at the start.
    pub replay_version: u32,
    /// Where time and randomness come from.
    pub determinism: Determinism,
    /// 32 bytes for the code's randomness.
    pub seed: [u8; 32],
    /// Epoch milliseconds.
    pub created_at: u64,
}

/// How many console lines a pass wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedPass {
    /// Which pass; 0: not known, because an older version wrote them.
    pub pass: u32,
    /// How many lines.
    pub lines: u32,
}

/// The changing part of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// What was fixed at the start.
    pub start: Start,
    /// Where it stands.
    pub status: Status,
    /// Passes begun so far; 1 during the first.
    pub pass: u32,
    /// Changes of this row.
    pub version: Version,
    /// The current ownership.
    pub token: Token,
    /// Who works on it: runs a pass or hooks, or rolls it back. `None` at rest.
    pub owner: Option<OwnerId>,
    /// The recorded result (LIMIT-09: a note where it was too large).
    pub result: Option<Json>,
    /// Why it ended, when it did not complete.
    pub error: Option<CodeError>,
    /// Console lines of all passes, in order.
    pub logs: Vec<String>,
    /// How they are divided among the passes that wrote any, in order. Each pass runs the code from its start, so its
    /// lines begin with those of the pass before.
    #[serde(default)]
    pub logged: Vec<LoggedPass>,
    /// Epoch milliseconds of the last change of the row or of its journal.
    pub updated_at: u64,
    /// Epoch milliseconds of the end; retention ranks by it.
    pub ended_at: Option<u64>,
}

impl Execution {
    /// The id.
    #[must_use]
    pub fn id(&self) -> &ExecutionId {
        &self.start.id
    }

    /// The first row of an execution: running, in its first pass.
    #[must_use]
    pub fn begin(start: Start, owner: OwnerId) -> Self {
        let updated_at = start.created_at;
        Self {
            start,
            status: Status::Running,
            pass: 1,
            version: Version(1),
            token: Token(1),
            owner: Some(owner),
            result: None,
            error: None,
            logs: Vec::new(),
            logged: Vec::new(),
            updated_at,
            ended_at: None,
        }
    }

    /// Takes a console line of that pass in.
    pub(crate) fn log(&mut self, pass: u32, line: String) {
        match self.logged.last_mut() {
            Some(last) if last.pass == pass => last.lines = last.lines.saturating_add(1),
            _ => self.logged.push(LoggedPass { pass, lines: 1 }),
        }
        self.logs.push(line);
    }

    /// The recorded connectors that `configured` lacks, in recorded order (APPROVE-09).
    #[must_use]
    pub fn missing_connectors<'a>(&'a self, configured: &[&str]) -> Vec<&'a str> {
        self.start.namespaces.iter().map(|n| n.name.as_str()).filter(|n| !configured.contains(n)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_their_wire_words() {
        let words: Vec<_> = Status::ALL.iter().map(|s| s.as_str()).collect();
        assert_eq!(words, ["running", "paused", "completed", "error", "rejected", "rolled_back"]);
        for status in Status::ALL {
            assert_eq!(Status::parse(status.as_str()), Some(status));
        }
        assert_eq!(Status::parse("done"), None);
    }

    #[test]
    fn terminal_never_changes_except_to_rolled_back() {
        for from in Status::ALL.into_iter().filter(|s| s.is_terminal()) {
            for to in Status::ALL {
                assert_eq!(from.may_become(to), to == Status::RolledBack, "{from} to {to}");
            }
        }
    }

    #[test]
    fn what_has_ended_never_runs_again_and_only_a_paused_execution_is_rejected() {
        for from in Status::ALL {
            assert_eq!(from.may_become(Status::Running), !from.is_terminal());
            assert_eq!(from.may_become(Status::Rejected), from == Status::Paused);
        }
    }
}
