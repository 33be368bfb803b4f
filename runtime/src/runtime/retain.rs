//! What leaves the store, and what ends because nobody came: rollback, expiry, pruning, deletion.

use super::Runtime;
use super::rest::Race;
use crate::durable::ending::{self, Ending};
use crate::durable::execution::Status;
use crate::durable::failure::ErrorKind;
use crate::durable::id::{ExecutionId, Version};
use crate::durable::recovery;
use crate::durable::retention;
use crate::durable::rollback::{OfferedCall, RollbackReport};
use crate::durable::write::Write;
use crate::error::Error;
use crate::pass::{self, Begun};
use crate::store::{Query, Record, StoreError};

impl Runtime {
    /// Undoes what an execution did, newest first. A pass that runs is stopped first, and calls that this process has in
    /// flight for it are given up, so that they do not happen afterwards. What cannot be undone is in the report, and
    /// stays on its entry; another rollback tries only what is left (ROLLBACK-08). The status becomes `rolled_back` only
    /// when something was undone (ROLLBACK-06).
    ///
    /// # Errors
    /// [`Error::StillRunning`] when a pass does not stop within the limit `cancel time`; when the host fails. A revert
    /// that fails is no error but in the report.
    pub async fn rollback(&self, id: &ExecutionId) -> Result<RollbackReport, Error> {
        let setting = self.setting(self.catalogue().await?);
        loop {
            let Some(record) = self.stopped(id).await? else {
                return Ok(RollbackReport { execution: id.clone(), status: None, calls: Vec::new() });
            };
            let entered = self.enter(id);
            if record.execution.status == Status::Running {
                let error = ending::abandoned("it was rolled back instead of resumed");
                let writes = ending::end_at_rest(
                    &record.execution,
                    &record.entries,
                    error,
                    Ending { wishes: &setting.catalogue.wishes(), owner: self.0.owner, at: self.0.clock.epoch_ms() },
                );
                self.end(&record, writes).await?;
                continue;
            }
            if let Some(report) = pass::nothing_to_revert(&setting, &record.execution, &record.entries) {
                return Ok(report);
            }
            let (writes, claimed) = recovery::claim(&record.execution, self.0.owner);
            match self.0.store.commit(id, record.execution.version, writes) {
                Ok(_) => {}
                Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => continue,
                Err(error) => return Err(error.into()),
            }
            // Whoever stops listening does not stop the rollback.
            let task = self.0.executor.runtime().spawn(async move {
                let _entered = entered;
                pass::revert_all(&setting, claimed, &record.entries, Begun::Now).await
            });
            return Ok(task.await.map_err(|error| Error::Lost(error.to_string()))??);
        }
    }

    /// Stops what runs of an execution, wherever it runs: its pass ends with an error of the kind `cancelled`, which is
    /// also the outcome of whoever waits for it, and calls that this process has in flight for it are given up. What they
    /// did may stay done; nothing is undone. `false`: no pass was stopped, because none runs, it ended by itself first, or
    /// its process is gone; a paused execution stays paused.
    ///
    /// # Errors
    /// [`Error::StillRunning`] when the pass does not stop within the limit `cancel time`; when the host fails.
    pub async fn cancel(&self, id: &ExecutionId) -> Result<bool, Error> {
        match self.0.store.load(id)? {
            Some(record) if record.execution.status == Status::Running => {}
            _ => return Ok(false),
        }
        let record = self.stopped(id).await?;
        let error = record.and_then(|record| record.execution.error);
        Ok(error.is_some_and(|error| error.kind == ErrorKind::Cancelled))
    }

    /// What a rollback would do now, in the order in which it would: for people who are asked before. `None`: there is
    /// no such execution. A pass that runs may add to it; what it has in flight becomes part of it when it is stopped.
    ///
    /// # Errors
    /// When the host fails.
    pub async fn preview_rollback(&self, id: &ExecutionId) -> Result<Option<Vec<OfferedCall>>, Error> {
        let setting = self.setting(self.catalogue().await?);
        Ok(self.0.store.load(id)?.map(|record| pass::preview(&setting, &record.entries)))
    }

    /// Ends what nobody decided in time: paused executions as rejected; running ones as error, but only those whose
    /// process is gone (EXPIRE-02, WEAK-14). `max_age_ms` counts from the last change; 24 hours is
    /// [`retention::MAX_AGE_MS`]. Gives those that this very call ended, newest first within each kind (EXPIRE-06).
    ///
    /// # Errors
    /// When the host cannot do its work.
    pub async fn expire_paused(&self, max_age_ms: u64) -> Result<Vec<ExecutionId>, Error> {
        let now = self.0.clock.epoch_ms();
        let Some(idle_since) = now.checked_sub(max_age_ms) else { return Ok(Vec::new()) };
        let mut expired = Vec::new();
        for status in [Status::Paused, Status::Running] {
            let query = Query { status: Some(status), idle_since: Some(idle_since), ..Query::default() };
            for summary in self.0.store.list(&query)? {
                let stale = retention::is_stale(summary.updated_at, now, max_age_ms);
                if stale
                    && summary.damaged.is_none()
                    && self.expire_one(&summary.id, now, max_age_ms).await? == Race::Won
                {
                    expired.push(summary.id);
                }
            }
        }
        Ok(expired)
    }

    async fn expire_one(&self, id: &ExecutionId, now: u64, max_age_ms: u64) -> Result<Race, Error> {
        let catalogue = self.catalogue().await?;
        let mut record = match self.0.store.load(id) {
            Ok(Some(record)) => record,
            // One that cannot be read back must not keep the others.
            Ok(None) | Err(StoreError::Damaged { .. }) => return Ok(Race::Lost),
            Err(error) => return Err(error.into()),
        };
        if record.execution.status != Status::Running && self.is_abandoned(&record.execution)? {
            self.finish(&record).await?;
            let Some(finished) = self.0.store.load(id)? else { return Ok(Race::Lost) };
            record = finished;
        }
        let execution = &record.execution;
        let worked_on = match execution.status {
            Status::Running => !self.is_abandoned(execution)?,
            _ => execution.owner.is_some() || self.live(id).is_some(),
        };
        if worked_on || !retention::is_stale(execution.updated_at, now, max_age_ms) {
            return Ok(Race::Lost);
        }
        let _entered = self.enter(id);
        let wishes = catalogue.wishes();
        let ending = Ending { wishes: &wishes, owner: self.0.owner, at: self.0.clock.epoch_ms() };
        let Some(writes) = retention::expire(execution, &record.entries, ending) else { return Ok(Race::Lost) };
        self.end(&record, writes).await
    }

    /// Removes the executions that ended longest ago until `keep` ended ones are left; says how many are gone. Running
    /// and paused ones, and those that somebody works on, stay (PRUNE-04). A start does the same by itself with the
    /// limit `executions`.
    ///
    /// # Errors
    /// When the store fails.
    pub fn prune_executions(&self, keep: u32) -> Result<u64, Error> {
        Ok(self.0.store.prune(keep)?)
    }

    /// Removes an execution with its journal; says whether it existed. A pass that runs is stopped first, and calls in
    /// flight are given up; one that has not ended is disposed of with status `rejected` (PRUNE-10).
    ///
    /// # Errors
    /// [`Error::StillRunning`] when somebody works on it for longer than the limit `cancel time`.
    pub async fn delete(&self, id: &ExecutionId) -> Result<bool, Error> {
        loop {
            let record = match self.stopped(id).await {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(false),
                // What cannot be read back can still be removed.
                Err(Error::Store(StoreError::Damaged { .. })) => {
                    self.0.store.commit(id, Version(0), vec![Write::Delete])?;
                    return Ok(true);
                }
                Err(error) => return Err(error),
            };
            if record.execution.status.is_terminal() {
                match self.0.store.commit(id, record.execution.version, vec![Write::Delete]) {
                    Ok(_) => return Ok(true),
                    Err(StoreError::Conflict(_)) => continue,
                    Err(StoreError::NotFound(_)) => return Ok(false),
                    Err(error) => return Err(error.into()),
                }
            }
            let wishes = self.catalogue().await?.wishes();
            let _entered = self.enter(id);
            let ending = Ending { wishes: &wishes, owner: self.0.owner, at: self.0.clock.epoch_ms() };
            let writes = ending::dispose(&record.execution, &record.entries, ending);
            self.end(&record, writes).await?;
        }
    }

    /// Ends an execution at rest, and lets its connectors clean up.
    async fn end(&self, record: &Record, writes: Vec<Write>) -> Result<Race, Error> {
        let id = record.execution.id();
        match self.0.store.commit(id, record.execution.version, writes) {
            Ok(_) => {
                let setting = self.setting(self.catalogue().await?);
                pass::run_due_hooks(&setting, id).await?;
                Ok(Race::Won)
            }
            Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => Ok(Race::Lost),
            Err(error) => Err(error.into()),
        }
    }
}
