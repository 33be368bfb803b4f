//! Journals in one SQLite file. Several processes of one machine may use a file at the same time: writes take turns,
//! reads see whole commits.
//!
//! All writes of a process go through one thread that shares commits between executions (`writer`); reads have
//! connections of their own (`read`). SQL is written in this folder and nowhere else.
//!
//! **When a write is lost** (the disk is full, the file stayed locked), everything else that is appended under the same
//! token fails for the same reason, even when there is space again: the journal must have no holes. A commit that
//! moves the execution starts afresh, because whoever commits has looked at what is really there.

mod batch;
mod error;
mod owner;
mod queue;
mod read;
mod rows;
mod schema;
mod writer;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use self::queue::Queue;
use self::read::Readers;
use self::writer::{Item, Writer};
use super::check::{Right, is_conditional};
use super::{Barrier, Query, Record, StateQuery, Store, StoreError, Summary, Ticket, ticket};
use crate::durable::id::{ExecutionId, OwnerId, Token, Version};
use crate::durable::write::{StateValue, Write};

/// What a write that counts as durable survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process and of the machine's power.
    #[default]
    Full,
    /// The end of the process. Without power the last writes may be missing, never a part of one.
    Process,
}

/// How a file is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What a durable write survives.
    pub durability: Durability,
    /// How long to wait for another process's lock, in milliseconds, before [`StoreError::Busy`].
    pub busy_timeout_ms: u64,
    /// The largest size of the file in pages of 4,096 bytes; beyond it the storage counts as full. `None`: the disk
    /// decides.
    pub max_pages: Option<u32>,
}

impl Default for Options {
    /// Full durability, ten seconds, no limit.
    fn default() -> Self {
        Self { durability: Durability::Full, busy_timeout_ms: 10_000, max_pages: None }
    }
}

/// Keeps journals in an SQLite file. Dropping it writes what is queued and closes the file.
#[derive(Debug)]
pub struct SqliteStore {
    owners: PathBuf,
    queue: Arc<Queue>,
    writer: Option<JoinHandle<()>>,
    readers: Readers,
    /// Locked while this store lives.
    locks: Mutex<Vec<File>>,
}

impl SqliteStore {
    /// Opens the file, and makes it where there is none. Its folder must exist. A file that is not a healthy store of
    /// a format that this version knows is left as it is.
    ///
    /// # Errors
    /// [`StoreError::NotAStore`], [`StoreError::Newer`], [`StoreError::Corrupt`], [`StoreError::ReadOnly`],
    /// [`StoreError::Busy`], [`StoreError::Full`], or [`StoreError::Failed`].
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, StoreError> {
        // Absolute, so that a change of the working directory does not lead readers to another file.
        let path = std::path::absolute(path.as_ref()).map_err(|error| StoreError::Failed(error.to_string()))?;
        let connection = schema::open_writer(&path, &options)?;
        let queue = Arc::new(Queue::default());
        let owners = owner::folder(&path);
        let writer =
            Writer { connection, queue: Arc::clone(&queue), owners: owners.clone(), busy_ms: options.busy_timeout_ms };
        let writer = std::thread::Builder::new()
            .name("codemode-store".to_owned())
            .spawn(|| writer.run())
            .map_err(|error| StoreError::Failed(error.to_string()))?;
        Ok(Self { owners, queue, writer: Some(writer), readers: Readers::new(path, options), locks: Mutex::default() })
    }

    /// Whether the process of that owner still runs. `false` for owners that never were.
    ///
    /// # Errors
    /// When its lock file cannot be looked at.
    pub fn owner_is_alive(&self, owner: OwnerId) -> Result<bool, StoreError> {
        owner::is_alive(&self.owners, owner)
    }

    /// Asks the writer for something and waits for the answer.
    fn ask<T>(&self, item: impl FnOnce(SyncSender<T>) -> Item) -> Result<T, StoreError> {
        let (sender, receiver): (_, Receiver<T>) = sync_channel(1);
        self.queue.push(item(sender))?;
        receiver.recv().map_err(|_| StoreError::Closed)
    }

    /// Makes everything that this process appended visible to readers.
    fn flush(&self) -> Result<(), StoreError> {
        if self.queue.is_idle() { Ok(()) } else { self.ask(|reply| Item::Flush { reply }) }
    }

    /// In which right a commit is made. Nobody can have seen the version of an execution that cannot be read back, so
    /// version 0 stands for it when such a one is deleted.
    fn right(&self, id: &ExecutionId, expected: Version, writes: &[Write]) -> Result<Right, StoreError> {
        if expected == Version(0) && matches!(writes, [Write::Delete]) {
            match self.load(id) {
                Err(StoreError::Damaged { .. }) => return Ok(Right::Remover),
                Err(error) => return Err(error),
                Ok(_) => {}
            }
        }
        Ok(Right::Decider(expected))
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // Readers first: the last connection to close empties the log file, and readers may not.
        self.readers.close();
        self.queue.close();
        if let Some(writer) = self.writer.take()
            && writer.thread().id() != std::thread::current().id()
        {
            // A writer that panicked has told everybody who waited.
            let _ = writer.join();
        }
    }
}

impl Store for SqliteStore {
    fn claim_owner(&self) -> Result<OwnerId, StoreError> {
        let (id, lock) = self.ask(|reply| Item::Claim { reply })??;
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).push(lock);
        Ok(id)
    }

    fn append(&self, id: &ExecutionId, token: Token, writes: Vec<Write>, barrier: Barrier) -> Ticket {
        let waits = barrier == Barrier::Now || is_conditional(&writes);
        let (settle, waiting) = if waits {
            let (settle, waiting) = ticket();
            (Some(settle), waiting)
        } else {
            (None, Ticket::settled(Ok(())))
        };
        match self.queue.push(Item::Append { id: id.clone(), token, writes, settle }) {
            Ok(()) => waiting,
            Err(error) => Ticket::settled(Err(error)),
        }
    }

    fn commit(&self, id: &ExecutionId, expected: Version, writes: Vec<Write>) -> Result<Version, StoreError> {
        let right = self.right(id, expected, &writes)?;
        self.ask(|reply| Item::Commit { id: id.clone(), right, writes, reply })?
    }

    fn load(&self, id: &ExecutionId) -> Result<Option<Record>, StoreError> {
        self.flush()?;
        self.readers.load(id)
    }

    fn list(&self, query: &Query) -> Result<Vec<Summary>, StoreError> {
        self.flush()?;
        self.readers.list(query)
    }

    fn state(
        &self,
        connector: &str,
        execution: Option<&ExecutionId>,
        key: &str,
    ) -> Result<Option<StateValue>, StoreError> {
        self.flush()?;
        self.readers.state(connector, execution, key)
    }

    fn state_keys(&self, query: &StateQuery<'_>) -> Result<Vec<String>, StoreError> {
        self.flush()?;
        self.readers.state_keys(query)
    }
}
