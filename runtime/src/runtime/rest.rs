//! Bringing an execution to rest before something is decided about it: waiting for whoever works on it, stopping a pass
//! where that is wanted, and finishing what a process that is gone left undone.

use std::time::Duration;

use super::Runtime;
use crate::durable::execution::{Execution, Status};
use crate::durable::id::ExecutionId;
use crate::durable::recovery::{self, Work};
use crate::durable::write::Write;
use crate::error::Error;
use crate::pass::{self, Begun, InFlight};
use crate::store::{Record, StoreError};

/// How often work in another process is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Whether a commit was the first on the version that it saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Race {
    Won,
    Lost,
}

/// Until when somebody is waited for.
struct Patience {
    limit: Duration,
    waited: Duration,
}

impl Patience {
    fn new(ms: u64) -> Self {
        Self { limit: Duration::from_millis(ms), waited: Duration::ZERO }
    }

    /// Waits a little; says so when that was the last time.
    async fn wait(&mut self, id: &ExecutionId) -> Result<(), Error> {
        self.wait_for(id, std::future::pending()).await
    }

    /// The same, and not longer than that takes.
    async fn wait_for(&mut self, id: &ExecutionId, end: impl Future<Output = ()>) -> Result<(), Error> {
        if self.waited >= self.limit {
            return Err(Error::StillRunning(id.clone()));
        }
        if tokio::time::timeout(LOOK, end).await.is_err() {
            self.waited += LOOK;
        }
        Ok(())
    }
}

impl Runtime {
    /// The record once nobody works on it. One that runs is given as it is, at once; the owner says whether a process
    /// still runs it.
    ///
    /// # Errors
    /// [`Error::StillRunning`] when somebody works on it for longer than the limit `cancel time`.
    pub(super) async fn at_rest(&self, id: &ExecutionId) -> Result<Option<Record>, Error> {
        let mut patience = Patience::new(self.0.limits.cancel_ms);
        loop {
            let Some(record) = self.0.store.load(id)? else { return Ok(None) };
            if record.execution.status == Status::Running {
                return Ok(Some(record));
            }
            if let Some(live) = self.live(id) {
                // A pass may begin just now: one that runs is given at once, not when it has ended.
                patience.wait_for(id, live.ended()).await?;
            } else if record.execution.owner.is_none() {
                return Ok(Some(record));
            } else if self.is_abandoned(&record.execution)? {
                // Whoever won, there is something new to see.
                self.finish(&record).await?;
            } else {
                patience.wait(id).await?;
            }
        }
    }

    /// The same, but a pass that runs is asked to stop, wherever it runs, and what it left in flight here is given up. An
    /// abandoned one is given as it is.
    pub(super) async fn stopped(&self, id: &ExecutionId) -> Result<Option<Record>, Error> {
        let mut patience = Patience::new(self.0.limits.cancel_ms);
        let mut asked = None;
        loop {
            let Some(record) = self.at_rest(id).await? else { return Ok(None) };
            if record.execution.status != Status::Running || self.is_abandoned(&record.execution)? {
                match self.0.late.give_up(id).await {
                    InFlight::Nothing => return Ok(Some(record)),
                    // One of them may have been answered in the last moment.
                    InFlight::GivenUp => continue,
                }
            }
            if let Some(live) = self.live(id) {
                self.ask_to_stop(id);
                patience.wait_for(id, live.ended()).await?;
                continue;
            }
            if asked != Some(record.execution.token) {
                // Its owner looks for this; losing a race here only means to look again. The next pass has to be asked
                // anew: that this one ended takes it back.
                match self.0.store.commit(id, record.execution.version, vec![Write::Cancel]) {
                    Ok(_) => asked = Some(record.execution.token),
                    Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => continue,
                    Err(error) => return Err(error.into()),
                }
            }
            patience.wait(id).await?;
        }
    }

    /// Whether it is owned by a process that is gone, or by a task of this one that was lost. A stalled process is not
    /// gone.
    pub(super) fn is_abandoned(&self, execution: &Execution) -> Result<bool, Error> {
        match execution.owner {
            None => Ok(false),
            Some(owner) if owner == self.0.owner => Ok(self.live(execution.id()).is_none()),
            Some(owner) => Ok(!self.0.store.owner_is_alive(owner)?),
        }
    }

    /// Finishes what is left undone of an abandoned execution that does not run: hooks, or a rollback. Lost: somebody else
    /// does, or did.
    pub(super) async fn finish(&self, record: &Record) -> Result<Race, Error> {
        let setting = self.setting(self.catalogue().await?);
        let id = record.execution.id();
        let _entered = self.enter(id);
        let (writes, claimed) = recovery::claim(&record.execution, self.0.owner);
        match self.0.store.commit(id, record.execution.version, writes) {
            Ok(_) => {}
            Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => return Ok(Race::Lost),
            Err(error) => return Err(error.into()),
        }
        match recovery::left_undone(&record.execution, &record.entries, &record.hooks) {
            Work::Rollback => drop(pass::revert_all(&setting, claimed, &record.entries, Begun::Before).await?),
            Work::Hooks | Work::Pass => pass::run_due_hooks(&setting, id).await?,
        }
        Ok(Race::Won)
    }
}
