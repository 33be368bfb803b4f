//! Looking without changing anything: what is pending, what there is, what one execution did.

use super::Runtime;
use crate::durable::execution::Status;
use crate::durable::id::ExecutionId;
use crate::error::Error;
use crate::outcome::PendingCall;
use crate::store::{Query, Record, StoreError, Summary};

impl Runtime {
    /// Calls that wait for a person: of one execution, or of all, newest execution first and by seq inside one
    /// (APPROVE-10). Only paused executions have any (APPROVE-11).
    ///
    /// # Errors
    /// When the store fails.
    pub fn pending(&self, id: Option<&ExecutionId>) -> Result<Vec<PendingCall>, Error> {
        let ids = match id {
            Some(id) => vec![id.clone()],
            None => {
                let query = Query { status: Some(Status::Paused), ..Query::default() };
                self.0.store.list(&query)?.into_iter().map(|s| s.id).collect()
            }
        };
        let mut pending = Vec::new();
        for id in ids {
            let record = match self.0.store.load(&id) {
                Ok(Some(record)) => record,
                // One that cannot be read back must not hide the others.
                Ok(None) | Err(StoreError::Damaged { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            if record.execution.status == Status::Paused {
                pending.extend(record.entries.iter().filter_map(|e| PendingCall::of(&id, e)));
            }
        }
        Ok(pending)
    }

    /// Executions, newest first (AUDIT-01).
    ///
    /// # Errors
    /// When the store fails.
    pub fn executions(&self, query: &Query) -> Result<Vec<Summary>, Error> {
        Ok(self.0.store.list(query)?)
    }

    /// One execution with its journal.
    ///
    /// # Errors
    /// When the store fails, or this one cannot be read back.
    pub fn record(&self, id: &ExecutionId) -> Result<Option<Record>, Error> {
        Ok(self.0.store.load(id)?)
    }
}
