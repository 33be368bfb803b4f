//! Where journals are kept. The trait is the whole contract between the runtime and a database: small, synchronous and
//! object-safe, so that a rule never depends on how something is stored.
//!
//! Two kinds of writers. The *owner* of a running execution appends to it, in order, under its token; it may wait for
//! durability or not. Everybody else decides: they load, look, and commit on the version that they saw; of several only
//! one wins.

mod apply;
mod check;
pub mod memory;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod ticket;

pub use ticket::{Settle, Ticket, ticket};

use crate::durable::execution::{Execution, Status};
use crate::durable::id::{ExecutionId, OwnerId, Token, Version};
use crate::durable::journal::Entry;
use crate::durable::snippet::{Snippet, SnippetLabel};
use crate::durable::write::{Hook, Scope, StateValue, Write};

/// When an append counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// When it and everything before it in this execution is durable at the store's level.
    Now,
    /// At once; it becomes durable with the next barrier of its execution or a few milliseconds later, whichever is
    /// first.
    Later,
}

/// An execution with its journal, as of one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The row.
    pub execution: Execution,
    /// All entries, by op, dense.
    pub entries: Vec<Entry>,
    /// Hooks that are due, oldest first.
    pub hooks: Vec<Hook>,
}

/// One line of a list: no code, no journal (WEAK-32).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub id: ExecutionId,
    /// Where it stands.
    pub status: Status,
    /// Epoch milliseconds.
    pub created_at: u64,
    /// Epoch milliseconds.
    pub updated_at: u64,
    /// Epoch milliseconds.
    pub ended_at: Option<u64>,
    /// Passes begun.
    pub pass: u32,
    /// Calls and steps in the journal.
    pub calls: u32,
    /// Calls that wait for a person.
    pub pending: u32,
    /// Calls of which nobody knows whether they happened.
    pub unresolved: u32,
    /// Calls whose revert was tried and failed.
    pub not_reverted: u32,
    /// The first 200 characters of the code.
    pub code_start: String,
    /// `Some` where the row cannot be read back: why. Such a row can be deleted.
    pub damaged: Option<String>,
}

/// What a list is to contain, newest first: by order of insertion, never by clock (WEAK-35).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Only this status.
    pub status: Option<Status>,
    /// Only ids that start so; taken literally.
    pub id_prefix: Option<String>,
    /// Only executions older than this one, for the next page.
    pub before: Option<ExecutionId>,
    /// Only those whose row changed last at this time (epoch milliseconds) or earlier.
    pub idle_since: Option<u64>,
    /// Only those with a call that somebody should look at.
    pub attention: Option<Attention>,
    /// At most so many; `None` is all.
    pub limit: Option<u32>,
}

/// Why somebody should look at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// Nobody knows whether it happened: it counts in [`Summary::unresolved`].
    Unresolved,
    /// Its revert was tried and failed: it counts in [`Summary::not_reverted`].
    NotReverted,
}

/// Keys of connector state, in byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateQuery<'a> {
    /// Whose.
    pub connector: &'a str,
    /// `Some`: scope execution, of that one. `None`: scope connector.
    pub execution: Option<&'a ExecutionId>,
    /// Taken literally.
    pub prefix: &'a str,
    /// Exclusive.
    pub after: Option<&'a str>,
    /// At most so many keys.
    pub limit: u32,
}

impl StateQuery<'_> {
    /// The scope that it looks at.
    #[must_use]
    pub fn scope(&self) -> Scope {
        if self.execution.is_some() { Scope::Execution } else { Scope::Connector }
    }
}

/// The turn to write to a connector's state. Others get it when this is dropped, or when its process ends.
pub struct StateLock(#[expect(dead_code, reason = "held for its drop")] Box<dyn std::any::Any + Send + Sync>);

impl StateLock {
    /// A turn that ends when `guard` is dropped.
    #[must_use]
    pub fn new(guard: impl Send + Sync + 'static) -> Self {
        Self(Box::new(guard))
    }
}

impl std::fmt::Debug for StateLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StateLock")
    }
}

/// Why a store could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Somebody else changed the execution first. Expected; look again.
    #[error("execution {0} was changed by somebody else meanwhile")]
    Conflict(ExecutionId),
    /// The token is not the current one: another process owns the execution now.
    #[error("execution {0} is owned by somebody else now")]
    Fenced(ExecutionId),
    /// A key of connector state changed since the call read it. Expected; perform the call again.
    #[error("the connector's state changed meanwhile")]
    StateConflict,
    /// The entry that an answer belongs to does not take it any more: it was decided otherwise, or deleted.
    #[error("the answer came too late: its entry was decided meanwhile")]
    Stale,
    /// There is no such execution.
    #[error("there is no execution {0}")]
    NotFound(ExecutionId),
    /// The row exists but cannot be read back.
    #[error("execution {id} cannot be read back: {reason}; delete it with `codemode delete {id}`")]
    Damaged {
        /// Which one.
        id: ExecutionId,
        /// Why.
        reason: String,
    },
    /// The file belongs to a newer version of codemode.
    #[error("the store {path} has format {found}, this version reads up to {supported}: use a newer codemode")]
    Newer {
        /// The file.
        path: String,
        /// Its format.
        found: u32,
        /// Ours.
        supported: u32,
    },
    /// The file is something else.
    #[error("{path} is not a codemode store: {reason}")]
    NotAStore {
        /// The file.
        path: String,
        /// What it is.
        reason: String,
    },
    /// The disk is full. What could not be recorded was not performed.
    #[error("the storage is full: {0}; free some space and resume")]
    Full(String),
    /// The file may not be written.
    #[error("the store cannot be written: {0}; check the file's and its folder's permissions")]
    ReadOnly(String),
    /// Another process kept the file locked for longer than the limit.
    #[error("the store stayed locked for {0} ms: another process holds a long transaction")]
    Busy(u64),
    /// The file is damaged.
    #[error("the store is damaged: {0}; restore a backup")]
    Corrupt(String),
    /// There is something where a new file was to be made.
    #[error("there is a file {0} already: a backup never replaces one")]
    Exists(String),
    /// Anything else of the database.
    #[error("the store failed: {0}")]
    Failed(String),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// A stable word for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Conflict(_) => "store_conflict",
            Self::Fenced(_) => "store_fenced",
            Self::StateConflict => "store_state_conflict",
            Self::Stale => "store_stale",
            Self::NotFound(_) => "not_found",
            Self::Damaged { .. } => "store_damaged",
            Self::Newer { .. } => "store_newer",
            Self::NotAStore { .. } => "not_a_store",
            Self::Full(_) => "store_full",
            Self::ReadOnly(_) => "store_read_only",
            Self::Busy(_) => "store_busy",
            Self::Corrupt(_) => "store_corrupt",
            Self::Exists(_) => "backup_exists",
            Self::Failed(_) => "store_failed",
            Self::Closed => "store_closed",
        }
    }
}

/// A journal's home. All methods may block; none may be called from inside another.
pub trait Store: Send + Sync + 'static {
    /// Registers the caller as an owner. The registration ends with the process (an operating-system file lock for
    /// stores in files), so that abandoned executions are recognised at once and a stalled owner never is.
    ///
    /// # Errors
    /// Any [`StoreError`] of the medium.
    fn claim_owner(&self) -> Result<OwnerId, StoreError>;

    /// Ends a registration. What the owner still owns counts as abandoned from here on.
    fn release_owner(&self, owner: OwnerId);

    /// Whether that owner still exists: its process lives and did not release it. `false` for owners that never were.
    ///
    /// # Errors
    /// When it cannot be found out.
    fn owner_is_alive(&self, owner: OwnerId) -> Result<bool, StoreError>;

    /// Everything that somebody works on, or worked on when their process ended, in the order of its beginning.
    ///
    /// # Errors
    /// Any of the medium.
    fn owned(&self) -> Result<Vec<(ExecutionId, OwnerId)>, StoreError>;

    /// The executions of that owner that somebody asked to stop ([`Write::Cancel`]), in the order of their beginning.
    ///
    /// # Errors
    /// Any of the medium.
    fn cancelled(&self, owner: OwnerId) -> Result<Vec<ExecutionId>, StoreError>;

    /// Executions with an entry in state `unknown`, newest first.
    ///
    /// # Errors
    /// Any of the medium.
    fn unresolved(&self) -> Result<Vec<ExecutionId>, StoreError>;

    /// Paused executions with a pending call that has consent: their next pass was about to begin.
    ///
    /// # Errors
    /// Any of the medium.
    fn consented(&self) -> Result<Vec<ExecutionId>, StoreError>;

    /// Does what [`Write::Prune`] does, durably, and says how many are gone.
    ///
    /// # Errors
    /// Any of the medium.
    fn prune(&self, keep: u32) -> Result<u64, StoreError>;

    /// Appends the owner's writes, in order, all or nothing. Never blocks on the medium. The ticket settles when the
    /// barrier is reached, or with the reason why it cannot be: then nothing of the batch was kept.
    ///
    /// What a batch requires or expects ([`Write::Require`], [`Write::Expect`]) is looked up before its first write;
    /// such a batch settles only when that is known, whatever its barrier. After a write was lost (the medium failed, or
    /// nobody waited for a batch that was refused), everything that is appended under the same token fails for the same
    /// reason, until a commit moves the execution: the journal has no holes.
    ///
    /// A batch that begins with [`Write::Begin`] ignores `token`. Writes under a token that is not the current one
    /// fail with [`StoreError::Fenced`].
    fn append(&self, id: &ExecutionId, token: Token, writes: Vec<Write>, barrier: Barrier) -> Ticket;

    /// Applies a decision from outside, durably, if the execution still has the version that the decider saw. Counts
    /// the version up.
    ///
    /// Nobody can have seen the version of an execution that cannot be read back: such a one, and only such a one, is
    /// deleted by `[Write::Delete]` with version 0.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when it does not; [`StoreError::NotFound`]; any of the medium.
    fn commit(&self, id: &ExecutionId, expected: Version, writes: Vec<Write>) -> Result<Version, StoreError>;

    /// Loads an execution with its journal. Sees everything that this process appended.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for that one alone; any of the medium.
    fn load(&self, id: &ExecutionId) -> Result<Option<Record>, StoreError>;

    /// Lists executions, newest first. Damaged rows are listed as such.
    ///
    /// # Errors
    /// Any of the medium.
    fn list(&self, query: &Query) -> Result<Vec<Summary>, StoreError>;

    /// Reads one key of connector state (`execution`: scope execution, of that one). Sees the last commit only.
    ///
    /// # Errors
    /// Any of the medium.
    fn state(
        &self,
        connector: &str,
        execution: Option<&ExecutionId>,
        key: &str,
    ) -> Result<Option<StateValue>, StoreError>;

    /// Takes the turn to write to the state of that connector, over all processes. Never blocks; `None`: somebody has it.
    ///
    /// # Errors
    /// When it cannot be found out.
    fn try_lock_state(&self, connector: &str) -> Result<Option<StateLock>, StoreError>;

    /// Lists keys of connector state, in byte order.
    ///
    /// # Errors
    /// Any of the medium.
    fn state_keys(&self, query: &StateQuery<'_>) -> Result<Vec<String>, StoreError>;

    /// Saves a snippet in place of whatever has its name, durably.
    ///
    /// # Errors
    /// Any of the medium; then the former one is still there.
    fn save_snippet(&self, snippet: &Snippet) -> Result<(), StoreError>;

    /// Removes the snippet of exactly that name, durably, and says whether it existed.
    ///
    /// # Errors
    /// Any of the medium.
    fn delete_snippet(&self, name: &str) -> Result<bool, StoreError>;

    /// The snippet of exactly that name.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when it cannot be read back; any of the medium.
    fn snippet(&self, name: &str) -> Result<Option<Snippet>, StoreError>;

    /// All snippets, in byte order of their names.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when one cannot be read back; any of the medium.
    fn snippets(&self) -> Result<Vec<Snippet>, StoreError>;

    /// The same without their code, for searches.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when one cannot be read back; any of the medium.
    fn snippet_labels(&self) -> Result<Vec<SnippetLabel>, StoreError>;
}
