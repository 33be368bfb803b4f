//! The whole handle of a runtime, as the interface `control` has it: five operations, outcomes as JSON with the wire
//! names, refusals as data. A caller in Rust and a component of the world `runtime` come through here, so that both get
//! the same answers.

mod component;

use crate::durable::approval::{Pick, Picks};
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::id::{ExecutionId, Seq};
use crate::durable::journal::EntryState;
use crate::durable::value::Json;
use crate::error::Error;
use crate::outcome::{Outcome, pending_to_wire, rollback_to_wire};
use crate::runtime::{By, Code, Runtime};
use crate::store::StoreError;

pub use component::{ComponentDriver, DriveOptions, Driven, End, MAX_ARGUMENT_BYTES, Printed};

/// Why an operation was refused; nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// No such execution, or no such seq in it.
    #[error("not found: {0}")]
    NotFound(String),
    /// It is not in the status that this needs, or somebody else was first.
    #[error("conflict: {0}")]
    Conflict(String),
    /// The request itself is wrong.
    #[error("invalid: {0}")]
    Invalid(String),
    /// The host failed; nothing was decided.
    #[error("unavailable: {0}")]
    Unavailable(String),
}

/// The five operations on a runtime. Values are tagged JSON (`docs/values.md`) in both directions.
#[derive(Clone, Debug)]
pub struct Control {
    runtime: Runtime,
}

impl Control {
    /// The handle of that runtime.
    #[must_use]
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }

    /// Runs code; gives the outcome. What the code does wrong is an outcome as well.
    ///
    /// # Errors
    /// [`ControlError::Invalid`] for an input that is no JSON or over a limit of values, [`ControlError::Unavailable`]
    /// when the host fails.
    pub async fn execute(&self, code: &str, input: Option<&str>) -> Result<String, ControlError> {
        let mut run = Code::new(code);
        if let Some(input) = input {
            let input = Json::from_tagged(input, &self.runtime.limits().of_values())
                .map_err(|error| ControlError::Invalid(format!("the input is refused: {error}")))?;
            run = run.with_input(input);
        }
        Ok(self.runtime.execute(run).await.map_err(failed)?.to_wire())
    }

    /// Approves exactly these calls, each with the digest that its pending item showed, and runs the next pass; gives
    /// its outcome.
    ///
    /// # Errors
    /// [`ControlError::NotFound`] for an unknown execution or seq; [`ControlError::Conflict`] when the execution ended,
    /// a call was decided already, or what is configured now does not fit; [`ControlError::Invalid`] for a digest of
    /// something else and for no calls at all; [`ControlError::Unavailable`] when the host fails.
    pub async fn approve(&self, execution: &str, picks: Vec<Pick>, by: By) -> Result<String, ControlError> {
        let id = ExecutionId::from_text(execution);
        let seqs: Vec<Seq> = picks.iter().map(|pick| pick.seq).collect();
        match self.runtime.approve(&id, Picks::These(picks), by).await.map_err(failed)? {
            // No pass was run.
            Outcome::Failed { error, calls: None, .. } => Err(self.refusal(&id, &seqs, error)?),
            outcome => Ok(outcome.to_wire()),
        }
    }

    /// Ends a paused execution. `false`: that seq is not pending; nothing changed.
    ///
    /// # Errors
    /// [`ControlError::NotFound`] for an unknown execution, [`ControlError::Unavailable`] when the host fails.
    pub async fn reject(&self, execution: &str, seq: u32, by: By) -> Result<bool, ControlError> {
        let id = ExecutionId::from_text(execution);
        let rejected = self.runtime.reject(&id, Seq(seq), by).await.map_err(failed)?;
        if !rejected && self.runtime.record(&id).map_err(failed)?.is_none() {
            return Err(unknown(&id));
        }
        Ok(rejected)
    }

    /// Pending calls: of one execution, or of all, newest execution first and by seq inside one. An execution that is
    /// unknown or not paused has none.
    ///
    /// # Errors
    /// [`ControlError::Unavailable`] when the host fails.
    pub fn pending(&self, execution: Option<&str>) -> Result<String, ControlError> {
        let id = execution.map(ExecutionId::from_text);
        Ok(pending_to_wire(&self.runtime.pending(id.as_ref()).map_err(failed)?))
    }

    /// Undoes what was applied, newest first; gives the report.
    ///
    /// # Errors
    /// [`ControlError::NotFound`] for an unknown execution, [`ControlError::Conflict`] when somebody works on it and does
    /// not stop, [`ControlError::Unavailable`] when the host fails.
    pub async fn rollback(&self, execution: &str) -> Result<String, ControlError> {
        let id = ExecutionId::from_text(execution);
        let report = self.runtime.rollback(&id).await.map_err(failed)?;
        if report.status.is_none() { Err(unknown(&id)) } else { Ok(rollback_to_wire(&report)) }
    }

    /// Which kind of refusal it is, by what the record says now.
    fn refusal(&self, id: &ExecutionId, seqs: &[Seq], error: CodeError) -> Result<ControlError, ControlError> {
        let Some(record) = self.runtime.record(id).map_err(failed)? else { return Ok(unknown(id)) };
        let said = match &error.hint {
            Some(hint) => format!("{}: {hint}", error.message),
            None => error.message.clone(),
        };
        let entry = |seq: &Seq| record.entries.iter().find(|entry| entry.seq == Some(*seq));
        let decided = |seq: &Seq| entry(seq).is_some_and(|e| e.state != EntryState::Pending || e.decision.is_some());
        Ok(if record.execution.status.is_terminal() || error.kind != ErrorKind::NotResumable {
            ControlError::Conflict(said)
        } else if seqs.iter().any(|seq| entry(seq).is_none()) {
            ControlError::NotFound(said)
        } else if seqs.iter().any(decided) {
            ControlError::Conflict(said)
        } else {
            ControlError::Invalid(said)
        })
    }
}

fn unknown(id: &ExecutionId) -> ControlError {
    ControlError::NotFound(format!("there is no execution {id}"))
}

fn failed(error: Error) -> ControlError {
    let said = error.to_string();
    match error {
        Error::NotFound(_) | Error::Store(StoreError::NotFound(_)) => ControlError::NotFound(said),
        Error::StillRunning(_) | Error::Store(StoreError::Conflict(_)) => ControlError::Conflict(said),
        _ => ControlError::Unavailable(said),
    }
}
