//! Going on with what processes that are gone left behind, and saying what nobody can know: whether a call that was in
//! flight happened.

use std::collections::BTreeSet;

use futures_util::stream::{self, StreamExt as _};

use super::decide::{check_replay_version, missing_connectors};
use super::rest::Race;
use super::{By, Runtime};
use crate::durable::approval;
use crate::durable::execution::{Execution, Status};
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::id::{ExecutionId, Seq};
use crate::durable::journal::{Entry, EntryState};
use crate::durable::recovery;
use crate::durable::resolve::{self, UnresolvedCall, Word};
use crate::durable::write::Write;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::pass;
use crate::store::{Record, StoreError};

/// How many executions are recovered at once.
const AT_ONCE: usize = 8;

/// What was done about an abandoned execution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Recovered {
    /// The next pass ran, and came to this.
    Resumed(Outcome),
    /// Its hooks or its rollback were finished.
    Finished(Status),
    /// It cannot go on here, and is left as it is.
    Left(CodeError),
    /// The host failed at it.
    Failed(Error),
}

/// What became of a call in doubt.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Resolved {
    /// It is recorded; the execution waits for something else, or has ended.
    Recorded,
    /// Nothing else was waited for: the next pass ran, and came to this.
    Resumed(Outcome),
    /// It cannot be resolved like this; nothing changed.
    Refused(CodeError),
}

impl Runtime {
    /// Goes on with every execution whose process is gone: passes run again against the journal, hooks and rollbacks are
    /// finished. What another process recovers meanwhile is theirs. Executions of processes that live, however slow, are
    /// never touched.
    ///
    /// # Errors
    /// When the store cannot say which; what goes wrong with a single one is in its line.
    pub async fn recover(&self) -> Result<Vec<(ExecutionId, Recovered)>, Error> {
        let mut gone: BTreeSet<ExecutionId> = self.0.store.owned()?.into_iter().map(|(id, _)| id).collect();
        gone.extend(self.0.store.consented()?);
        let recovered = stream::iter(gone).map(|id| async move {
            let done = self.recover_one(&id).await.unwrap_or_else(|error| Some(Recovered::Failed(error)));
            done.map(|done| (id, done))
        });
        Ok(recovered.buffered(AT_ONCE).filter_map(|line| async move { line }).collect().await)
    }

    /// Goes on with one execution: an abandoned one, or one whose process ended between an approval and the pass that
    /// it was for. `None`: there is nothing to recover; it is at rest, its process lives, or somebody else was faster.
    ///
    /// # Errors
    /// When the host cannot do its work.
    pub async fn recover_one(&self, id: &ExecutionId) -> Result<Option<Recovered>, Error> {
        let Some(record) = self.0.store.load(id)? else { return Ok(None) };
        let execution = &record.execution;
        if execution.owner.is_none() {
            return self.resume_consented(record).await;
        }
        if !self.is_abandoned(execution)? {
            return Ok(None);
        }
        if execution.status != Status::Running {
            if self.finish(&record).await? == Race::Lost {
                return Ok(None);
            }
            let Some(record) = self.record(id)? else { return Ok(None) };
            let status = record.execution.status;
            // A consent may have come while the last pass ran; the next one was to begin after these hooks.
            return Ok(self.resume_consented(record).await?.or(Some(Recovered::Finished(status))));
        }
        let catalogue = self.catalogue().await?;
        check_replay_version(execution)?;
        if let Some(error) = missing_connectors(execution, &catalogue) {
            return Ok(Some(Recovered::Left(error)));
        }
        let entered = self.enter(id);
        let at = self.0.clock.epoch_ms();
        let (writes, mut next) = recovery::take_over(execution, self.0.owner, &catalogue.wishes(), at);
        next.version = match self.0.store.commit(id, execution.version, writes) {
            Ok(version) => version,
            Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // The lost pass ended: what lives for a pass goes before the next one begins.
        pass::run_due_hooks(&self.setting(catalogue.clone()), id).await?;
        self.drive(entered, catalogue, next, record.entries).await.map(|o| Some(Recovered::Resumed(o)))
    }

    async fn resume_consented(&self, record: Record) -> Result<Option<Recovered>, Error> {
        let (id, execution) = (record.execution.id().clone(), &record.execution);
        if execution.status != Status::Paused || execution.owner.is_some() {
            return Ok(None);
        }
        if self.live(&id).is_some() || !record.entries.iter().any(Entry::has_consent) {
            return Ok(None);
        }
        let catalogue = self.catalogue().await?;
        check_replay_version(execution)?;
        if let Some(error) = missing_connectors(execution, &catalogue) {
            return Ok(Some(Recovered::Left(error)));
        }
        let entered = self.enter(&id);
        match self.resume_if_decided(&id)? {
            Some((next, entries)) => {
                let outcome = self.drive(entered, catalogue, next, entries).await?;
                Ok(Some(Recovered::Resumed(outcome)))
            }
            None => Ok(None),
        }
    }

    /// Calls of which nobody knows whether they happened: of one execution, or of all, newest execution first.
    ///
    /// # Errors
    /// When the store fails.
    pub fn unresolved(&self, id: Option<&ExecutionId>) -> Result<Vec<UnresolvedCall>, Error> {
        let ids = match id {
            Some(id) => vec![id.clone()],
            None => self.0.store.unresolved()?,
        };
        let mut calls = Vec::new();
        for id in ids {
            match self.0.store.load(&id) {
                Ok(Some(record)) => {
                    calls.extend(record.entries.iter().filter_map(|e| UnresolvedCall::of(&record.execution, e)));
                }
                // One that cannot be read back must not hide the others.
                Ok(None) | Err(StoreError::Damaged { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(calls)
    }

    /// Says what happened to a call in doubt. A paused execution that waits for nothing else goes on at once.
    ///
    /// # Errors
    /// When the host cannot do its work.
    pub async fn resolve(&self, id: &ExecutionId, seq: Seq, word: Word, by: By) -> Result<Resolved, Error> {
        let catalogue = self.catalogue().await?;
        loop {
            let Some(record) = self.at_rest(id).await? else { return Err(Error::NotFound(id.clone())) };
            let execution = &record.execution;
            if execution.status == Status::Running {
                return Ok(Resolved::Refused(still_runs(id)));
            }
            let decision = by.at(self.0.clock.epoch_ms());
            let resolved = resolve::resolve(execution, &record.entries, seq, word.clone(), &decision);
            let mut writes = match resolved {
                Ok(writes) => writes,
                Err(error) => return Ok(Resolved::Refused(error)),
            };
            let entries = told(record.entries, &writes);
            let goes_on = resolve::may_go_on(execution, &entries)
                && execution.start.replay_version == crate::durable::execution::REPLAY_VERSION
                && missing_connectors(execution, &catalogue).is_none();
            let entered = self.enter(id);
            let next: Option<Execution> = goes_on.then(|| {
                let (moved, next) = approval::resume(execution, self.0.owner, decision.at);
                writes.extend(moved);
                next
            });
            match self.0.store.commit(id, execution.version, writes) {
                Ok(version) => {
                    let Some(mut next) = next else { return Ok(Resolved::Recorded) };
                    next.version = version;
                    return self.drive(entered, catalogue, next, entries).await.map(Resolved::Resumed);
                }
                Err(StoreError::Conflict(_) | StoreError::Stale) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The journal with what was just said of it.
fn told(mut entries: Vec<Entry>, writes: &[Write]) -> Vec<Entry> {
    for write in writes {
        if let Write::Resolved { op, state, answer, consent, resolution } = write
            && let Some(entry) = entries.get_mut(op.0 as usize).filter(|e| e.state == EntryState::Unknown)
        {
            entry.state = *state;
            entry.answer.clone_from(answer);
            entry.answered_at = Some(resolution.decision.at);
            entry.decision.clone_from(consent);
            entry.resolution = Some(resolution.clone());
        }
    }
    entries
}

fn still_runs(id: &ExecutionId) -> CodeError {
    CodeError::new(ErrorKind::NotResumable, format!("execution {id} is running: nothing is in doubt yet"))
        .with_hint("wait for its end; where its process is gone, recover it first")
}
