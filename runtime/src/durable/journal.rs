//! The rows of the journal: one entry for each thing the code asked for, what was answered, and at which place the
//! answer was delivered.

use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::id::{Op, Seq};
use super::value::Json;

/// What the code asked for. Two asks at one op match when kind and request are equal, absence included (WEAK-11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Request {
    /// A method of a connector.
    Call {
        /// The namespace.
        connector: String,
        /// The method.
        method: String,
        /// The first argument; `None` when there was none or it was `undefined`.
        args: Option<Json>,
    },
    /// A closure that runs once. Shown as connector `__step` (STEP-02).
    Step {
        /// As the code named it.
        name: String,
    },
    /// A timer.
    Sleep {
        /// Milliseconds, as asked.
        ms: u64,
    },
    /// An outbound request; `request` is tagged JSON.
    Fetch {
        /// URL, method, headers, body.
        request: Json,
    },
    /// A search in the catalogue.
    Search {
        /// A JSON string.
        query: Json,
    },
    /// The docs of one target.
    Describe {
        /// A JSON string.
        target: Json,
    },
    /// The source of a snippet, which then runs inside the sandbox.
    Snippet {
        /// Its name.
        name: String,
        /// Its argument.
        input: Option<Json>,
    },
}

impl Request {
    /// Whether it takes a seq: calls and steps do (REPLAY-01).
    #[must_use]
    pub fn is_numbered(&self) -> bool {
        matches!(self, Self::Call { .. } | Self::Step { .. })
    }

    /// The wire name of connector and method (STEP-02 for steps).
    #[must_use]
    pub fn path(&self) -> (&str, &str) {
        match self {
            Self::Call { connector, method, .. } => (connector, method),
            Self::Step { name } => (STEP_CONNECTOR, name),
            Self::Sleep { .. } => ("__timer", "sleep"),
            Self::Fetch { .. } => ("__fetch", "fetch"),
            Self::Search { .. } => ("__codemode", "search"),
            Self::Describe { .. } => ("__codemode", "describe"),
            Self::Snippet { name, .. } => ("__snippet", name),
        }
    }

    /// How an error names it: `shelf.put`, `step "k"`, `a timer`.
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::Call { connector, method, .. } => format!("{connector}.{method}"),
            Self::Step { name } => format!("{STEP_CONNECTOR}.{name}"),
            Self::Sleep { ms } => format!("a timer of {ms} ms"),
            Self::Fetch { .. } => "fetch".to_owned(),
            Self::Search { .. } => "codemode.search".to_owned(),
            Self::Describe { .. } => "codemode.describe".to_owned(),
            Self::Snippet { name, .. } => format!("codemode.run({name:?})"),
        }
    }

    /// The argument, where the kind has one.
    #[must_use]
    pub fn args(&self) -> Option<&Json> {
        match self {
            Self::Call { args, .. } => args.as_ref(),
            Self::Fetch { request } => Some(request),
            Self::Search { query } => Some(query),
            Self::Describe { target } => Some(target),
            Self::Snippet { input, .. } => input.as_ref(),
            Self::Step { .. } | Self::Sleep { .. } => None,
        }
    }
}

/// The connector under which steps appear in the journal (STEP-02).
pub const STEP_CONNECTOR: &str = "__step";

/// The state of an entry; one list for all kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    /// Durable before it is performed.
    Executing,
    /// Waits for a person.
    Pending,
    /// Answered with a value.
    Applied,
    /// Answered with a failure, which replays.
    Failed,
    /// Performed, but its answer cannot be kept; the pass ended there.
    Unrecordable,
    /// It may have happened: the pass or the process ended before the answer.
    Unknown,
    /// A rollback is undoing it.
    Reverting,
    /// A rollback undid it.
    Reverted,
    /// Was pending when the execution ended.
    Withdrawn,
}

impl EntryState {
    /// All states, for tables and parsers.
    pub const ALL: [Self; 9] = [
        Self::Executing,
        Self::Pending,
        Self::Applied,
        Self::Failed,
        Self::Unrecordable,
        Self::Unknown,
        Self::Reverting,
        Self::Reverted,
        Self::Withdrawn,
    ];

    /// The word in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Executing => "executing",
            Self::Pending => "pending",
            Self::Applied => "applied",
            Self::Failed => "failed",
            Self::Unrecordable => "unrecordable",
            Self::Unknown => "unknown",
            Self::Reverting => "reverting",
            Self::Reverted => "reverted",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }

    /// The word on the wire: the reference's five, and ours where it has none.
    #[must_use]
    pub fn wire(self) -> &'static str {
        match self {
            Self::Withdrawn => "reverted",
            Self::Failed | Self::Unrecordable => "error",
            other => other.as_str(),
        }
    }
}

/// Whether results are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayPolicy {
    /// Kept, and replayed.
    #[default]
    Recorded,
    /// Not kept: performed again in each pass (an *ephemeral* entry).
    Reexecute,
}

/// What a method does to the outside world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Not declared; treated like a write.
    #[default]
    Unknown,
    /// Nothing.
    ReadOnly,
    /// Something.
    Write,
}

/// Whether performing twice is harmless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeatable {
    /// No.
    #[default]
    No,
    /// With the same idempotency key.
    WithKey,
    /// Always.
    Always,
}

/// What the host knows of a method when it is asked for. Stored with the entry: the row governs its own replay, not
/// what the connector declares later (REPLAY-16).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Whether a person must approve.
    pub approval: Approval,
    /// Whether the result is kept.
    pub replay: ReplayPolicy,
    /// What it does.
    pub effect: Effect,
    /// Whether it may be repeated.
    pub repeatable: Repeatable,
    /// What the connector can reach.
    pub reach: Reach,
    /// The digest of the method's declared contract.
    pub contract: String,
}

/// Whether a call waits for a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// It runs at once.
    #[default]
    NotNeeded,
    /// It pauses the execution.
    Required,
}

/// How far the connector's effects go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Anywhere: native code, http, files.
    #[default]
    Outside,
    /// Only `codemode:component/state`, whose writes commit with the entry; so performing again after a crash is safe.
    StateOnly,
}

impl Terms {
    /// Whether the row must be durable before the call is performed: everything but declared reads.
    #[must_use]
    pub fn needs_barrier(&self) -> bool {
        self.effect != Effect::ReadOnly && self.reach == Reach::Outside
    }

    /// Whether an interrupted call of this kind may simply be performed again.
    #[must_use]
    pub fn may_repeat(&self) -> bool {
        self.repeatable != Repeatable::No || self.effect == Effect::ReadOnly || self.reach == Reach::StateOnly
    }
}

/// The answer to an ask.
pub type Answer = Result<Option<Json>, Failure>;

/// A person's consent to one pending call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Who.
    pub actor: String,
    /// Through which door: `cli`, `library`, `mcp`, …
    pub channel: String,
    /// Why, if they said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Epoch milliseconds.
    pub at: u64,
}

/// What a person said of a call of which nobody knew whether it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// What they said.
    pub verdict: Verdict,
    /// Who, how, why, when.
    pub decision: Decision,
}

/// The three things that can be said of a call in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Perform it once more.
    Retry,
    /// It happened, with this answer.
    Applied,
    /// It failed.
    Failed,
}

/// The last attempt at undoing a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevertAttempt {
    /// The state that the entry had before, and has again when the attempt failed.
    pub from: EntryState,
    /// From 1.
    pub number: u32,
    /// Why it failed; `None` while it runs and after it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Epoch milliseconds of the last news.
    pub at: u64,
}

/// Where an answer was delivered to the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// Its place in the order of deliveries of this execution, from 0, dense.
    pub place: u32,
    /// The code's clock from there on; never decreases with the place.
    pub now: u64,
}

/// One row of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its place in the order of asking.
    pub op: Op,
    /// Calls and steps have one.
    pub seq: Option<Seq>,
    /// What was asked.
    pub request: Request,
    /// What the method's connector declared then.
    pub terms: Terms,
    /// Where it stands.
    pub state: EntryState,
    /// The answer: `Some` in `applied` (without a value when ephemeral), `failed`, and in what came of them.
    pub answer: Option<Answer>,
    /// For steps: run the closure again on replay, because it returned a promise or asked for something.
    pub rerun: Rerun,
    /// The digest that an approval must name; for pending calls.
    pub digest: Option<String>,
    /// Who approved it.
    pub decision: Option<Decision>,
    /// What a person said of it while nobody knew whether it happened.
    pub resolution: Option<Resolution>,
    /// The last attempt at undoing it.
    pub revert: Option<RevertAttempt>,
    /// Where its answer was delivered, if it was.
    pub delivery: Option<Delivery>,
    /// For timers: milliseconds that were left when the pass ended.
    pub remaining_ms: Option<u64>,
    /// How often it was performed or begun.
    pub attempt: u32,
    /// The pass that asked for it first; once it is performed, the pass that did.
    pub pass: u32,
    /// Epoch milliseconds of the first ask.
    pub asked_at: u64,
    /// Epoch milliseconds of the answer.
    pub answered_at: Option<u64>,
    /// The number of the event that it was asked for, from 1, dense over all events of the execution; 0 for entries
    /// without a seq, which people do not see.
    pub asked_event: u64,
    /// The number of the event of its answer.
    pub answered_event: Option<u64>,
}

/// Whether a step's closure runs on replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rerun {
    /// Its recorded outcome stands for it.
    #[default]
    No,
    /// It runs again; its asks are answered from the journal.
    Yes,
}

impl Entry {
    /// Whether its result is never kept.
    #[must_use]
    pub fn is_ephemeral(&self) -> bool {
        self.terms.replay == ReplayPolicy::Reexecute
    }

    /// Whether it waits for nobody any more, but only for the next pass.
    #[must_use]
    pub fn has_consent(&self) -> bool {
        self.state == EntryState::Pending && self.decision.is_some()
    }

    /// Whether only somebody outside can know if it happened.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        self.state == EntryState::Unknown && self.terms.needs_barrier()
    }

    /// Whether the last attempt at undoing it failed.
    #[must_use]
    pub fn is_not_reverted(&self) -> bool {
        self.state != EntryState::Reverted && self.revert.as_ref().is_some_and(|r| r.failure.is_some())
    }

    /// The key that the attempts at undoing a call carry: the same in each, and never that of the call.
    #[must_use]
    pub fn revert_key(execution: &super::id::ExecutionId, seq: Seq) -> String {
        format!("{execution}:{seq}:revert")
    }

    /// The key that a connector sees with each attempt (WEAK-34): at most 128 printable ASCII characters.
    #[must_use]
    pub fn idempotency_key(execution: &super::id::ExecutionId, seq: Seq) -> String {
        format!("{execution}:{seq}")
    }
}
