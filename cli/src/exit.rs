//! The exit codes. They are public: scripts decide by them, so a code never changes its meaning.

use std::process::ExitCode;

use codemode_runtime::{ErrorKind, Outcome};

/// How the command ended, as a shell sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// It did what was asked; the code completed.
    Completed = 0,
    /// The code, or a replay of it, failed or diverged; `rollback`: something is left; `connector inspect`: the component
    /// would be refused; `integrity-check`: the store is damaged.
    CodeFailed = 1,
    /// The command line, the manifest or a file is wrong.
    Usage = 2,
    /// Calls wait for a person.
    Paused = 3,
    /// Somebody else was first, there is no such execution, or it is not in the status that this needs.
    Conflict = 4,
    /// `replay`: the record ends before the code does; up to there it is the same.
    RecordEnds = 5,
    /// The host could not do its work.
    Host = 70,
    /// Ctrl-C.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The code for an outcome.
    pub(crate) fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Paused { .. } => Self::Paused,
            Outcome::Failed { error, calls, .. } => match (error.kind, calls) {
                (ErrorKind::Storage | ErrorKind::Sandbox, _) => Self::Host,
                // No pass ran: an approval was refused.
                (
                    ErrorKind::NotResumable
                    | ErrorKind::MissingConnector
                    | ErrorKind::ContractChanged
                    | ErrorKind::Unresolved,
                    None,
                ) => Self::Conflict,
                _ => Self::CodeFailed,
            },
            _ => Self::Completed,
        }
    }
}

/// What `--help` says about exit codes.
pub(crate) const HELP: &str = "\
Exit codes:
  0    completed
  1    the code failed or diverged; a rollback left something; a refused component; a damaged store
  2    the command line, the manifest or a file is wrong
  3    paused: a person must approve, or say what happened to a call
  4    conflict, unknown execution or snippet, or one that is not in the needed status
  5    replay: the record ends before the code does
  70   the host failed: the store, a connector, the sandbox
  130  interrupted

Executions are named by their id, by a unique beginning of it, or by `last`.";

#[cfg(test)]
mod tests {
    use codemode_runtime::CodeError;

    use super::*;

    fn failed(kind: ErrorKind, pass: Option<Vec<codemode_runtime::Entry>>) -> Outcome {
        Outcome::Failed { execution: None, error: CodeError::new(kind, "m"), logs: Vec::new(), calls: pass }
    }

    #[test]
    fn a_refused_approval_is_a_conflict_and_failed_code_is_not() {
        assert_eq!(Exit::of(&failed(ErrorKind::NotResumable, None)), Exit::Conflict);
        assert_eq!(Exit::of(&failed(ErrorKind::Unresolved, None)), Exit::Conflict);
        assert_eq!(Exit::of(&failed(ErrorKind::CodeTooLarge, None)), Exit::CodeFailed);
        assert_eq!(Exit::of(&failed(ErrorKind::Divergence, Some(Vec::new()))), Exit::CodeFailed);
        assert_eq!(Exit::of(&failed(ErrorKind::Storage, Some(Vec::new()))), Exit::Host);
    }

    #[test]
    fn help_names_every_exit_code() {
        for exit in [
            Exit::Completed,
            Exit::CodeFailed,
            Exit::Usage,
            Exit::Paused,
            Exit::Conflict,
            Exit::RecordEnds,
            Exit::Host,
            Exit::Interrupted,
        ] {
            assert!(HELP.contains(&format!("\n  {} ", exit as u8)), "{exit:?}");
        }
    }
}
