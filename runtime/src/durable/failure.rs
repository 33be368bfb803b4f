//! What went wrong, as data: the failure of one ask, and why a pass ended in an error. Nothing here is a Rust `Err`;
//! both are journaled and shown.

use serde::{Deserialize, Serialize};

use super::value::Json;

/// Whether the outside world changed although the call failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// Certainly not.
    #[default]
    None,
    /// Maybe: rollback offers it, the text says so.
    Possible,
    /// Yes.
    Happened,
}

/// A failed ask, as the code sees it: an exception with this message. Replays like a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// A stable code: the connector's own, one of the standard ones, or `thrown` for what a step's closure threw.
    pub code: String,
    /// For the model.
    pub message: String,
    /// The `name` of the exception; `None` stands for `ConnectorError`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Tagged JSON; for `thrown` the thrown value itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
    /// Whether something happened all the same.
    #[serde(default)]
    pub effect: EffectState,
    /// When a retry may work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// The codes that the host itself gives to failures.
pub mod code {
    /// The method does not exist; the message has close names.
    pub const UNKNOWN_METHOD: &str = "unknown-method";
    /// The arguments cannot be handed to this connector.
    pub const INVALID_ARGUMENTS: &str = "invalid-arguments";
    /// No grant.
    pub const DENIED: &str = "denied";
    /// No answer within the call's time.
    pub const TIMEOUT: &str = "timeout";
    /// The connector broke its contract: a trap, invalid JSON.
    pub const INTERNAL: &str = "internal";
    /// A bound was exceeded.
    pub const TOO_LARGE: &str = "too-large";
    /// What a step's closure threw.
    pub const THROWN: &str = "thrown";
    /// Somebody else was there first.
    pub const CONFLICT: &str = "conflict";
    /// The code of a snippet does not parse.
    pub const SYNTAX: &str = "syntax";
    /// Cannot be reached now.
    pub const UNAVAILABLE: &str = "unavailable";
}

impl Failure {
    /// A failure that certainly had no effect.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            name: None,
            details: None,
            effect: EffectState::None,
            retry_after_ms: None,
        }
    }

    /// The same failure with another answer to whether something happened.
    #[must_use]
    pub fn with_effect(self, effect: EffectState) -> Self {
        Self { effect, ..self }
    }
}

/// Why a pass ended in an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeError {
    /// A stable kind.
    pub kind: ErrorKind,
    /// `TypeError`, `Error`, …; our own kinds use their own names, such as `ReplayDivergence`.
    pub name: String,
    /// Never empty.
    pub message: String,
    /// Position in the submitted code, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in UTF-16 code units, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The line of the submitted code at the position, at most its first 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_line: Option<String>,
    /// Frames of the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What was thrown, where it is no error and has an encoding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
}

/// The kinds of [`CodeError`]; each has a page under `docs/errors/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The code threw.
    Thrown,
    /// The code does not parse.
    Syntax,
    /// The source text is over the limit.
    CodeTooLarge,
    /// The tool was given something else than code.
    InvalidArguments,
    /// The code asked for something else than the journal has.
    Divergence,
    /// A bound was exceeded; the message names it.
    Limit,
    /// A value that the journal cannot keep.
    Unrecordable,
    /// The code waits for something that never settles.
    NeverSettles,
    /// The execution is not in the status that this needs.
    NotResumable,
    /// A connector that the execution recorded is not configured now.
    MissingConnector,
    /// A method's contract changed between pause and approval.
    ContractChanged,
    /// A person rejected a call.
    Rejected,
    /// Nobody decided in time.
    Expired,
    /// The host cancelled the pass: a cancel, a delete, a rollback or a shutdown.
    Cancelled,
    /// The process that ran it is gone, and it was ended instead of resumed.
    Abandoned,
    /// It waits for the word whether a call happened.
    Unresolved,
    /// The sandbox itself broke.
    Sandbox,
    /// The journal cannot take more: the disk is full, the file is read-only.
    Storage,
}

impl ErrorKind {
    /// The word on the wire, in the store, and the name of its page.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Thrown => "thrown",
            Self::Syntax => "syntax",
            Self::CodeTooLarge => "code_too_large",
            Self::InvalidArguments => "invalid_arguments",
            Self::Divergence => "divergence",
            Self::Limit => "limit",
            Self::Unrecordable => "unrecordable",
            Self::NeverSettles => "never_settles",
            Self::NotResumable => "not_resumable",
            Self::MissingConnector => "missing_connector",
            Self::ContractChanged => "contract_changed",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Abandoned => "abandoned",
            Self::Unresolved => "unresolved",
            Self::Sandbox => "sandbox",
            Self::Storage => "storage",
        }
    }

    fn error_name(self) -> &'static str {
        match self {
            Self::Thrown => "Error",
            Self::Syntax => "SyntaxError",
            Self::CodeTooLarge | Self::Limit => "LimitExceeded",
            Self::InvalidArguments => "InvalidArguments",
            Self::Divergence => "ReplayDivergence",
            Self::Unrecordable => "UnrecordableValue",
            Self::NeverSettles => "NeverSettles",
            Self::NotResumable => "NotResumable",
            Self::MissingConnector => "MissingConnector",
            Self::ContractChanged => "ContractChanged",
            Self::Rejected => "Rejected",
            Self::Expired => "Expired",
            Self::Cancelled => "Cancelled",
            Self::Abandoned => "Abandoned",
            Self::Unresolved => "Unresolved",
            Self::Sandbox => "SandboxFailure",
            Self::Storage => "StorageFailure",
        }
    }
}

impl CodeError {
    /// An error of that kind without a position.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            name: kind.error_name().to_owned(),
            message: message.into(),
            line: None,
            column: None,
            source_line: None,
            stack: None,
            hint: None,
            value: None,
        }
    }

    /// The same error with advice.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
