//! Decisions from outside: approve, reject, delete. Each looks at the record, decides by pure rules, and commits on the
//! version that it saw; whoever is second looks again and gets an honest answer.

use std::time::Duration;

use super::Runtime;
use crate::durable::approval::{self, Approved, Picks};
use crate::durable::execution::{Execution, REPLAY_VERSION, Status};
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::id::{ExecutionId, Seq};
use crate::durable::journal::{Decision, Entry, EntryState};
use crate::durable::write::Write;
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

    fn at(&self, at: u64) -> Decision {
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
            let Some(record) = self.0.store.load(id)? else { return Ok(refused(id, unknown(id))) };
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
            if next.is_ok() && self.comes_to_rest(id).await {
                continue;
            }
            let setting = self.setting(catalogue.clone());
            if next.is_ok() && !record.hooks.is_empty() {
                // Hooks of the last pass run before the next one may start.
                pass::run_due_hooks(&setting, id).await?;
            }
            match self.0.store.commit(id, execution.version, writes) {
                Ok(version) => match next {
                    Ok(mut execution) => {
                        execution.version = version;
                        let entries = decided(record.entries, &picks, &decision);
                        return self.drive(catalogue.clone(), *execution, entries, Vec::new()).await;
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
            let Some(record) = self.0.store.load(id)? else { return Ok(false) };
            let decision = by.at(self.0.clock.epoch_ms());
            let writes = approval::reject(&record.execution, &record.entries, seq, &catalogue.wishes(), &decision);
            let Some(writes) = writes else { return Ok(false) };
            if self.comes_to_rest(id).await {
                continue;
            }
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

    /// Removes an execution with its journal; says whether it existed. One that runs in this process is cancelled first;
    /// one that has not ended is disposed of with status `rejected` (PRUNE-10).
    ///
    /// # Errors
    /// [`Error::StillRunning`] when it does not stop within the limit `cancel time`, or runs in another process.
    pub async fn delete(&self, id: &ExecutionId) -> Result<bool, Error> {
        let limit = Duration::from_millis(self.0.limits.cancel_ms);
        loop {
            if tokio::time::timeout(limit, self.stop(id)).await.is_err() {
                return Err(Error::StillRunning(id.clone()));
            }
            let record = match self.0.store.load(id) {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(false),
                // What cannot be read back can still be removed.
                Err(StoreError::Damaged { .. }) => {
                    self.0.store.commit(id, crate::durable::id::Version(0), vec![Write::Delete])?;
                    return Ok(true);
                }
                Err(error) => return Err(error.into()),
            };
            if record.execution.status == Status::Running {
                if self.is_ours(&record.execution) {
                    continue;
                }
                return Err(Error::StillRunning(id.clone()));
            }
            if record.execution.status == Status::Paused && !self.dispose(&record).await? {
                continue;
            }
            let version = match self.0.store.load(id)? {
                Some(now) => now.execution.version,
                None => return Ok(false),
            };
            match self.0.store.commit(id, version, vec![Write::Delete]) {
                Ok(_) => return Ok(true),
                Err(StoreError::Conflict(_)) => {}
                Err(StoreError::NotFound(_)) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Cancels the passes of an execution that run in this process, and waits for their end.
    async fn stop(&self, id: &ExecutionId) {
        loop {
            if let Some(live) = self.live(id) {
                live.cancel();
                live.ended().await;
            } else if matches!(self.0.store.load(id), Ok(Some(record)) if self.is_ours(&record.execution)) {
                // It was just begun: the store knows it a moment before it can be reached.
                tokio::time::sleep(Duration::from_millis(1)).await;
            } else {
                return;
            }
        }
    }

    /// Waits until the hooks of a pass that ended in this process have run, so that nobody else runs them too. `false`:
    /// there was nothing to wait for; otherwise the record is to be looked at again.
    async fn comes_to_rest(&self, id: &ExecutionId) -> bool {
        let Some(live) = self.live(id) else { return false };
        live.ended().await;
        true
    }

    fn is_ours(&self, execution: &Execution) -> bool {
        execution.status == Status::Running && execution.owner == Some(self.0.owner)
    }

    /// Ends a paused execution so that its connectors can clean up. `false`: somebody else changed it meanwhile.
    async fn dispose(&self, record: &Record) -> Result<bool, Error> {
        let catalogue = self.catalogue().await?;
        let id = record.execution.id();
        let writes = approval::dispose(&record.execution, &catalogue.wishes(), self.0.clock.epoch_ms());
        match self.0.store.commit(id, record.execution.version, writes) {
            Ok(_) => {
                pass::run_due_hooks(&self.setting(catalogue), id).await?;
                Ok(true)
            }
            Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// After a pause: the next pass, when a decision was stored while the pass ran.
    pub(super) fn resume_if_decided(&self, id: &ExecutionId) -> Result<Option<(Execution, Vec<Entry>)>, Error> {
        let Some(record) = self.0.store.load(id)? else { return Ok(None) };
        let decided = record.entries.iter().any(|e| e.state == EntryState::Pending && e.decision.is_some());
        if !decided || record.execution.status != Status::Paused {
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

fn check_replay_version(execution: &Execution) -> Result<(), Error> {
    let found = execution.start.replay_version;
    if found == REPLAY_VERSION {
        return Ok(());
    }
    Err(Error::ReplayVersion { id: execution.id().clone(), found, supported: REPLAY_VERSION })
}

/// A refusal echoes the id that was asked for (APPROVE-06).
fn refused(id: &ExecutionId, error: CodeError) -> Outcome {
    Outcome::Failed { execution: Some(id.clone()), error, logs: Vec::new(), calls: None }
}

fn unknown(id: &ExecutionId) -> CodeError {
    CodeError::new(ErrorKind::NotResumable, format!("there is no execution {id} to resume"))
        .with_hint("list the executions, or check the id")
}
