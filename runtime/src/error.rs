//! Our own failures. An `Err` of this library always means that the host could not do its work; what the model's code or
//! a connector did wrong is an [`crate::Outcome`].

use crate::durable::id::{ExecutionId, NameError};
use crate::store::StoreError;

/// Why the host could not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name is refused.
    #[error("{0}")]
    Name(#[from] NameError),
    /// The store failed; nothing was done that is not recorded.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A connector did not say what it is. Asked again at the next try (WEAK-31).
    #[error("connector `{connector}` cannot be described: {message}")]
    Describe {
        /// Which one.
        connector: String,
        /// Why.
        message: String,
    },
    /// A component could not be loaded.
    #[error("{0}")]
    Load(String),
    /// The runtime was built without something it needs.
    #[error("a runtime needs {what}: {how}")]
    Incomplete {
        /// What is missing.
        what: &'static str,
        /// How to supply it.
        how: &'static str,
    },
    /// There is no such execution.
    #[error("there is no execution {0}")]
    NotFound(ExecutionId),
    /// A snippet is not saved.
    #[error("snippet {name:?} is not saved: {reason}")]
    Snippet {
        /// The name that it was to have, cut where it is long.
        name: String,
        /// What is wrong with its name, code, description or schema.
        reason: String,
    },
    /// The execution runs; it did not stop within the limit, or another process runs it.
    #[error("execution {0} is still running: cancel it first, or wait for its end")]
    StillRunning(ExecutionId),
    /// The execution belongs to a version whose replay rules are not known here.
    #[error(
        "execution {id} was started with replay version {found}, this version replays {supported}: it is left as it is"
    )]
    ReplayVersion {
        /// Which one.
        id: ExecutionId,
        /// Its version.
        found: u32,
        /// Ours.
        supported: u32,
    },
    /// The system gave no randomness.
    #[error("the system gave no randomness: {0}")]
    Random(String),
    /// A pass was lost: its task panicked or was stopped.
    #[error("the pass was lost: {0}")]
    Lost(String),
}

impl Error {
    /// A stable word for machines; each has a page under `docs/errors/`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Name(_) => "name",
            Self::Store(error) => error.code(),
            Self::Describe { .. } => "describe",
            Self::Load(_) => "load",
            Self::Incomplete { .. } => "incomplete",
            Self::NotFound(_) => "not_found",
            Self::Snippet { .. } => "snippet",
            Self::StillRunning(_) => "still_running",
            Self::ReplayVersion { .. } => "replay_version",
            Self::Random(_) => "random",
            Self::Lost(_) => "lost",
        }
    }
}

impl From<getrandom::Error> for Error {
    fn from(error: getrandom::Error) -> Self {
        Self::Random(error.to_string())
    }
}
