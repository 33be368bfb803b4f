//! A host as it is checked: the five operations of the interface `control`, and what only a library can do.

use std::fmt;

/// A runtime under test. Each operation blocks until it is done. Outcomes, reports and pending calls are JSON with the
/// wire names, as `codemode:component/control` has them.
pub trait Host {
    /// Runs code; gives the outcome.
    ///
    /// # Errors
    /// That the host refuses or fails; what the code does wrong is an outcome.
    fn execute(&mut self, code: &str, input: Option<&str>) -> Result<String, ControlError>;

    /// Approves exactly these calls and runs the next pass; gives its outcome.
    ///
    /// # Errors
    /// That the approval is refused; nothing changed then.
    fn approve(&mut self, execution: &str, calls: &[Approval], by: &Decision) -> Result<String, ControlError>;

    /// Ends a paused execution; `false`: that seq is not pending.
    ///
    /// # Errors
    /// That there is no such execution, or that the host fails.
    fn reject(&mut self, execution: &str, seq: u32, by: &Decision) -> Result<bool, ControlError>;

    /// Pending calls of one execution, or of all.
    ///
    /// # Errors
    /// That there is no such execution, or that the host fails.
    fn pending(&mut self, execution: Option<&str>) -> Result<String, ControlError>;

    /// Undoes what was applied; gives the report.
    ///
    /// # Errors
    /// That there is no such execution, that it is not at rest, or that the host fails.
    fn rollback(&mut self, execution: &str) -> Result<String, ControlError>;

    /// Makes the host lose everything that it does not store, as the end of its process would.
    ///
    /// # Errors
    /// That this cannot be done here, with the reason; the rules that need it are `unsupported` then.
    fn restart(&mut self) -> Result<(), Unsupported> {
        Err(Unsupported("the host cannot be restarted through this door".to_owned()))
    }
}

/// Why an operation is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// No such execution or seq.
    NotFound(String),
    /// It is not in the status that this needs, or somebody else was first.
    Conflict(String),
    /// The request itself is wrong.
    Invalid(String),
    /// The host failed.
    Unavailable(String),
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(said) => write!(f, "not-found ({said})"),
            Self::Conflict(said) => write!(f, "conflict ({said})"),
            Self::Invalid(said) => write!(f, "invalid ({said})"),
            Self::Unavailable(said) => write!(f, "unavailable ({said})"),
        }
    }
}

/// One approval: the digest is the one that the pending call showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Which call.
    pub seq: u32,
    /// What was shown.
    pub digest: String,
}

/// Who decides, for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// A name, an account.
    pub actor: String,
    /// Through which door.
    pub channel: String,
    /// Why, if they said so.
    pub reason: Option<String>,
}

/// That a host cannot do something, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);
