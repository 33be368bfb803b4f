//! Decisions from outside: approve and reject. Each looks at the record, decides by pure rules, and commits on the
//! version that it saw; whoever is second looks again and gets an honest answer.

use super::Runtime;
use crate::catalogue::Catalogue;
use crate::durable::approval::{self, Approved, Picks};
use crate::durable::execution::{Execution, REPLAY_VERSION, Status};
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::id::{ExecutionId, Seq};
use crate::durable::journal::{Decision, Entry, EntryState};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::pass;
use crate::store::{Record, StoreError};

/// Who decides, for the record (WEAK-33).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// Who: a name, an account.
    pub actor: String,
    /// Through which door: `library`, `cli`, `web`, …
    pub channel: String,
    /// Why, if they said so.
    pub reason: Option<String>,
}

impl By {
    /// Somebody, through the library.
    #[must_use]
    pub fn library(actor: impl Into<String>) -> Self {
        Self { actor: actor.into(), channel: "library".to_owned(), reason: None }
    }

    pub(super) fn at(&self, at: u64) -> Decision {
        Decision { actor: cut(&self.actor), channel: cut(&self.channel), reason: self.reason.as_deref().map(cut), at }
    }
}

fn cut(text: &str) -> String {
    crate::durable::json::cut(text, 10_000).into_owned()
}

impl Runtime {
    /// Approves pending calls and runs the next pass to its end. The same code runs again; what is recorded is replayed.
    ///
    /// An approval that cannot be given (unknown id, not paused, digest of another call, connector missing) is
    /// [`Outcome::Failed`] without `calls`, and changes nothing.
    ///
    /// # Errors
    /// When the host cannot do its work.
    pub async fn approve(&self, id: &ExecutionId, picks: Picks, by: By) -> Result<Outcome, Error> {
        let catalogue = self.catalogue().await?;
        let names = catalogue.names();
        loop {
            let Some(record) = self.at_rest(id).await? else { return Ok(refused(id, unknown(id))) };
            let execution = &record.execution;
            check_replay_version(execution)?;
            let decision = by.at(self.0.clock.epoch_ms());
            let contract = |connector: &str, method: &str| catalogue.contract(connector, method);
            let approved =
                approval::approve(execution, &record.entries, &picks, &names, contract, &decision, self.0.owner);
            let (writes, next) = match approved {
                Ok(Approved::Resume { writes, execution }) => (writes, Ok(execution)),
                Ok(Approved::Stored { writes, seqs }) => (writes, Err(seqs)),
                Err(error) => return Ok(refused(id, error)),
            };
            let entered = self.enter(id);
            match self.0.store.commit(id, execution.version, writes) {
                Ok(version) => match next {
                    Ok(mut execution) => {
                        execution.version = version;
                        let entries = decided(record.entries, &picks, &decision);
                        return self.drive(entered, catalogue.clone(), *execution, entries).await;
                    }
                    Err(seqs) => return Ok(Outcome::Deferred { execution: id.clone(), seqs }),
                },
                Err(StoreError::Conflict(_)) => {}
                Err(StoreError::NotFound(_)) => return Ok(refused(id, unknown(id))),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Rejects one pending call, which ends the execution; what was applied stays applied (REJECT-03). `false`: it is
    /// not pending, or the execution is not paused; nothing changes then.
    ///
    /// # Errors
    /// When the host cannot do its work.
    pub async fn reject(&self, id: &ExecutionId, seq: Seq, by: By) -> Result<bool, Error> {
        let catalogue = self.catalogue().await?;
        loop {
            let Some(record) = self.at_rest(id).await? else { return Ok(false) };
            let decision = by.at(self.0.clock.epoch_ms());
            let Record { execution, entries, .. } = &record;
            let writes = approval::reject(execution, entries, seq, &decision, &catalogue.wishes(), self.0.owner);
            let Some(writes) = writes else { return Ok(false) };
            let _entered = self.enter(id);
            match self.0.store.commit(id, record.execution.version, writes) {
                Ok(_) => {
                    pass::run_due_hooks(&self.setting(catalogue), id).await?;
                    return Ok(true);
                }
                Err(StoreError::Conflict(_)) => {}
                Err(StoreError::NotFound(_)) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// After a pause: the next pass, when a decision was stored while the pass ran.
    pub(super) fn resume_if_decided(&self, id: &ExecutionId) -> Result<Option<(Execution, Vec<Entry>)>, Error> {
        let Some(record) = self.0.store.load(id)? else { return Ok(None) };
        if !record.entries.iter().any(Entry::has_consent) || record.execution.status != Status::Paused {
            return Ok(None);
        }
        let (writes, mut next) = approval::resume(&record.execution, self.0.owner, self.0.clock.epoch_ms());
        match self.0.store.commit(id, record.execution.version, writes) {
            Ok(version) => {
                next.version = version;
                Ok(Some((next, record.entries)))
            }
            Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The journal with the decisions that were just committed.
fn decided(mut entries: Vec<Entry>, picks: &Picks, decision: &Decision) -> Vec<Entry> {
    for entry in entries.iter_mut().filter(|e| e.state == EntryState::Pending && e.decision.is_none()) {
        let chosen = match picks {
            Picks::AllPending => true,
            Picks::These(picks) => picks.iter().any(|p| Some(p.seq) == entry.seq),
        };
        if chosen {
            entry.decision = Some(decision.clone());
        }
    }
    entries
}

pub(super) fn check_replay_version(execution: &Execution) -> Result<(), Error> {
    let found = execution.start.replay_version;
    if found == REPLAY_VERSION {
        return Ok(());
    }
    Err(Error::ReplayVersion { id: execution.id().clone(), found, supported: REPLAY_VERSION })
}

/// Why an execution cannot go on with what is configured now.
pub(super) fn missing_connectors(execution: &Execution, catalogue: &Catalogue) -> Option<CodeError> {
    approval::check_connectors(execution, &catalogue.names()).err()
}

/// A refusal echoes the id that was asked for (APPROVE-06).
fn refused(id: &ExecutionId, error: CodeError) -> Outcome {
    Outcome::Failed { execution: Some(id.clone()), error, logs: Vec::new(), calls: None }
}

fn unknown(id: &ExecutionId) -> CodeError {
    CodeError::new(ErrorKind::NotResumable, format!("there is no execution {id} to resume"))
        .with_hint("list the executions, or check the id")
}
