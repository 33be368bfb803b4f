//! Code that runs, between its beginning and its outcome.

use tokio::task::JoinHandle;

use crate::durable::failure::CodeError;
use crate::durable::id::ExecutionId;
use crate::error::Error;
use crate::outcome::Outcome;

/// An execution that began. Dropping this does not stop it.
#[derive(Debug)]
pub struct Started(State);

#[derive(Debug)]
enum State {
    Running(ExecutionId, JoinHandle<Result<Outcome, Error>>),
    Refused(Box<CodeError>),
}

impl Started {
    pub(super) fn running(id: ExecutionId, task: JoinHandle<Result<Outcome, Error>>) -> Self {
        Self(State::Running(id, task))
    }

    pub(super) fn refused(error: CodeError) -> Self {
        Self(State::Refused(Box::new(error)))
    }

    /// Which execution; `None`: the code was refused and nothing was stored.
    #[must_use]
    pub fn execution(&self) -> Option<&ExecutionId> {
        if let State::Running(id, _) = &self.0 { Some(id) } else { None }
    }

    /// Waits for the end of its pass.
    ///
    /// # Errors
    /// When the host cannot do its work.
    pub async fn outcome(self) -> Result<Outcome, Error> {
        match self.0 {
            State::Running(_, task) => ended(task).await,
            State::Refused(error) => {
                Ok(Outcome::Failed { execution: None, error: *error, logs: Vec::new(), calls: None })
            }
        }
    }
}

/// Waits for a task of passes.
pub(super) async fn ended(task: JoinHandle<Result<Outcome, Error>>) -> Result<Outcome, Error> {
    task.await.map_err(|error| Error::Lost(error.to_string()))?
}
