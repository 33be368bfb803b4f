//! Who works on an execution: nobody, a process that lives, or one that is gone and left it behind.

use codemode_runtime::durable::recovery::{Work, left_undone};
use codemode_runtime::store::Record;
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::{Error, Execution, ExecutionId, Status, Store as _};

use crate::fault::Fault;
use crate::output::time::span;
use crate::output::{BOLD, Ui, styled};
use crate::setup::Setup;

/// Who works on an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nobody.
    AtRest,
    /// A process that lives; its number, where it is known.
    Worked(Option<u32>),
    /// A process that is gone.
    Gone,
}

impl Standing {
    pub(super) fn of(store: &SqliteStore, execution: &Execution) -> Result<Self, Fault> {
        let Some(owner) = execution.owner else { return Ok(Self::AtRest) };
        if store.owner_is_alive(owner)? { Ok(Self::Worked(store.process_of(owner)?)) } else { Ok(Self::Gone) }
    }

    /// Who works on it and at what, as a sentence without its subject; nothing at rest.
    pub(super) fn sentence(self, record: &Record) -> Option<String> {
        let by = match self {
            Self::AtRest => return None,
            Self::Worked(Some(number)) => format!("process {number}"),
            Self::Worked(None) => "another process".to_owned(),
            Self::Gone => String::new(),
        };
        let work = left_undone(&record.execution, &record.entries, &record.hooks);
        Some(match (self, work) {
            (Self::Gone, Work::Pass) => "its process is gone in the middle of a pass".to_owned(),
            (Self::Gone, Work::Rollback) => "its process is gone in the middle of a rollback".to_owned(),
            (Self::Gone, Work::Hooks) => "its process is gone before its hooks had run".to_owned(),
            (_, Work::Pass) => format!("runs in {by}"),
            (_, Work::Rollback) => format!("is being rolled back by {by}"),
            (_, Work::Hooks) => format!("has hooks that run in {by}"),
        })
    }

    /// The words for machines.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::AtRest => "at_rest",
            Self::Worked(_) => "worked_on",
            Self::Gone => "gone",
        }
    }
}

/// Loads an execution that must be there.
pub(super) fn load(store: &SqliteStore, id: &ExecutionId) -> Result<Record, Fault> {
    store.load(id)?.ok_or_else(|| Fault::conflict("not_found", format!("there is no execution {id}")))
}

/// Says that a pass which runs elsewhere is stopped first, and how long that may take.
pub(super) fn say_stopping(ui: &Ui, standing: Standing, record: &Record, limit_ms: u64) {
    if record.execution.status != Status::Running {
        return;
    }
    if let (Standing::Worked(_), Some(works)) = (standing, standing.sentence(record)) {
        let id = record.execution.id();
        ui.talk(format!("{id} {works}: asking it to stop; this takes at most {}", span(limit_ms)));
    }
}

/// Why something could not be done. Where a process does not let go of the execution, it is named.
pub(super) fn fault(error: Error, standing: Standing) -> Fault {
    match (&error, standing) {
        (Error::StillRunning(id), Standing::Worked(Some(process))) => {
            Fault::conflict("still_running", format!("{id} still runs: process {process} did not stop it in time"))
                .with_hint("wait for the end of its pass, or stop that process; then try again")
        }
        _ => error.into(),
    }
}

/// How to go on with what a process that is gone left behind.
pub(super) fn go_on(setup: &Setup, record: &Record) -> String {
    format!("go on: {}", styled(BOLD, setup.command(&["recover", record.execution.id().as_str()])))
}
