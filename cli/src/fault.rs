//! Why the command could not do what was asked: one line with a stable code, one line of advice, and the exit code.

use codemode_runtime::Error;
use codemode_runtime::host::{Capability, LoadError};
use codemode_runtime::store::StoreError;

use crate::exit::Exit;

/// Ends a command early.
#[derive(Debug)]
pub(crate) struct Fault {
    /// A stable word; each has a page under `docs/errors/`.
    pub(crate) code: &'static str,
    /// One line, lowercase.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: Option<String>,
    /// For the shell.
    pub(crate) exit: Exit,
}

impl Fault {
    /// The user gave something wrong.
    pub(crate) fn usage(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, exit: Exit::Usage }
    }

    /// Something is not in the state that this needs.
    pub(crate) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, exit: Exit::Conflict }
    }

    /// The host failed.
    pub(crate) fn host(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, exit: Exit::Host }
    }

    /// As programs see it.
    pub(crate) fn wire(&self) -> serde_json::Value {
        serde_json::json!({ "code": self.code, "message": self.message, "hint": self.hint })
    }

    /// The same with advice.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let code = error.code();
        match error {
            Error::Store(error) => error.into(),
            Error::Name(error) => Self::usage(code, error.to_string()),
            error @ Error::Snippet { .. } => Self::usage(code, error.to_string()),
            Error::NotFound(_) | Error::StillRunning(_) | Error::ReplayVersion { .. } => {
                split(code, error.to_string(), Exit::Conflict)
            }
            other => split(code, other.to_string(), Exit::Host),
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let exit = match &error {
            StoreError::Conflict(_) | StoreError::Fenced(_) | StoreError::Stale | StoreError::NotFound(_) => {
                Exit::Conflict
            }
            StoreError::Exists(_) => Exit::Usage,
            _ => Exit::Host,
        };
        split(error.code(), error.to_string(), exit)
    }
}

impl From<LoadError> for Fault {
    fn from(error: LoadError) -> Self {
        let code = error.code();
        match error {
            LoadError::NotAComponent { label, what, hint } => {
                Self::usage(code, format!("{label} is {what}, not a component")).with_hint(hint)
            }
            LoadError::TooDemanding { label, needed, limit, allowed, hint } => {
                Self::usage(code, format!("{label} needs {needed}, over the limit `{limit}` of {allowed}"))
                    .with_hint(hint)
            }
            LoadError::Imports { ref offences, .. } if offences.iter().all(|o| o.needs == Some(Capability::Http)) => {
                Self::usage(code, error.to_string()).with_hint(NO_HTTP)
            }
            other => Self::usage(code, other.to_string()),
        }
    }
}

/// Where a grant that this command cannot give is to be had.
pub(crate) const NO_HTTP: &str =
    "this command has no http client to grant; a host that embeds the library has: `ComponentOptions::http`";

/// The library's messages end in advice after a semicolon; here it goes on a line of its own.
fn split(code: &'static str, text: String, exit: Exit) -> Fault {
    match text.rsplit_once("; ") {
        Some((message, hint)) => Fault { code, message: message.to_owned(), hint: Some(hint.to_owned()), exit },
        None => Fault { code, message: text, hint: None, exit },
    }
}

#[cfg(test)]
mod tests {
    use codemode_runtime::host::Offence;

    use super::*;

    #[test]
    fn a_component_that_only_lacks_http_is_told_where_http_is_to_be_had() {
        let offence = |import: &str, needs| Offence { import: import.to_owned(), hint: "no".to_owned(), needs };
        let http = offence("wasi:http/types@0.2.3", Some(Capability::Http));
        let refused = |offences: Vec<Offence>| Fault::from(LoadError::Imports { label: "k".to_owned(), offences });
        assert_eq!(refused(vec![http.clone()]).hint.as_deref(), Some(NO_HTTP));
        assert_eq!(refused(vec![http, offence("acme:db/sql", None)]).hint, None);
    }

    #[test]
    fn advice_of_the_library_becomes_the_hint() {
        let fault = Fault::from(StoreError::Corrupt("page 3".to_owned()));
        assert_eq!((fault.code, fault.message.as_str()), ("store_corrupt", "the store is damaged: page 3"));
        assert_eq!((fault.hint.as_deref(), fault.exit), (Some("restore a backup"), Exit::Host));
    }

    #[test]
    fn what_somebody_else_decided_first_is_a_conflict() {
        assert_eq!(Fault::from(StoreError::Stale).exit, Exit::Conflict);
        assert_eq!(Fault::from(StoreError::Closed).exit, Exit::Host);
    }
}
