//! Journals in one SQLite file. Several processes of one machine may use a file at the same time: writes take turns,
//! reads see whole commits.
//!
//! All writes of a process go through one thread that shares commits between executions (`writer`); reads have
//! connections of their own (`read`). SQL is written in this folder and nowhere else.
//!
//! **When a write is lost** (the disk is full, the file stayed locked), everything else that is appended under the same
//! token fails for the same reason, even when there is space again: the journal must have no holes. A commit that
//! moves the execution starts afresh, because whoever commits has looked at what is really there. Should the process die
//! right after the disk failed, before anything else was committed, the refused write may be there after all, as a whole:
//! nobody can take back what a failing disk kept.

mod backup;
mod batch;
mod error;
mod integrity;
mod log;
mod owner;
mod queue;
mod read;
mod rows;
mod schema;
mod snippets;
mod writer;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

pub use self::backup::{Backup, Progress};
pub use self::integrity::MAX_FINDINGS;
use self::queue::Queue;
use self::read::Readers;
use self::writer::{Item, Writer};
use super::check::{Right, is_conditional};
use super::{Barrier, Query, Record, StateLock, StateQuery, Store, StoreError, Summary, Ticket, ticket};
use crate::durable::id::{ExecutionId, OwnerId, Token, Version};
use crate::durable::snippet::{Snippet, SnippetLabel};
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
    /// The name of a file system that is registered with SQLite (a VFS). `None`: the platform's.
    pub vfs: Option<String>,
}

impl Default for Options {
    /// Full durability, ten seconds, no limit.
    fn default() -> Self {
        Self { durability: Durability::Full, busy_timeout_ms: 10_000, max_pages: None, vfs: None }
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
    locks: Mutex<BTreeMap<OwnerId, File>>,
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

    /// Copies the store as it is at this instant to a new file, while executions go on: writers do not wait. The copy is
    /// checked, durable, complete without a log beside it, and for its user alone. It appears under its name when it is
    /// whole; until then it lies beside it as `.NAME.….partial`, which stays behind when the process is killed.
    ///
    /// Effects are not copied. Whoever restores the copy goes back to its instant: what was called, approved or reverted
    /// later is not in it, so [`Runtime::recover`](crate::Runtime) there performs calls of its `running` executions that
    /// the original performed after that instant, and somebody may approve a second time what waits in it. Such calls
    /// carry the idempotency key that they had. Never use the original and a copy both: see `docs/backup.md`.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when there is a file at `to`; [`StoreError::Corrupt`] when the store is damaged: no backup
    /// is made then; [`StoreError::ReadOnly`] or [`StoreError::Full`] for the folder of `to`; any of the medium.
    pub fn backup(&self, to: &Path) -> Result<Backup, StoreError> {
        self.backup_with(to, &mut |_| {})
    }

    /// The same, and tells every few megabytes how far it is.
    ///
    /// # Errors
    /// See [`Self::backup`].
    pub fn backup_with(&self, to: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Backup, StoreError> {
        self.flush()?;
        self.readers.backup(to, progress)
    }

    /// The same of a file that need not be opened as a store, and may be of an older format: the copy has that format.
    /// What this process appended and did not wait for may be missing.
    ///
    /// # Errors
    /// [`StoreError::NotAStore`], [`StoreError::Newer`]; see [`Self::backup`].
    pub fn backup_of(
        path: impl AsRef<Path>,
        options: &Options,
        to: &Path,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Backup, StoreError> {
        backup::backup(path.as_ref(), options, to, progress)
    }

    /// Looks for damage: the database's own checks, rows that belong to nothing or cannot be read back, journals with
    /// holes, unknown owners, counters that are wrong. Each is one line, at most [`MAX_FINDINGS`] and a last one that
    /// counts the others; none means that the store is sound. Reads everything, changes nothing.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn integrity_check(&self) -> Result<Vec<String>, StoreError> {
        self.flush()?;
        self.readers.integrity_check()
    }

    /// The same for a file that may be too damaged to be opened, or of an older format: it stays as it is.
    ///
    /// # Errors
    /// [`StoreError::NotAStore`], [`StoreError::Newer`], or when the file cannot be read at all.
    pub fn integrity_check_of(path: impl AsRef<Path>, options: &Options) -> Result<Vec<String>, StoreError> {
        integrity::check_file(path.as_ref(), options)
    }

    /// The operating system's number of the process that is or was that owner, for people to read: it means something
    /// only on its machine, and may be another process's by now. [`Store::owner_is_alive`] says whether it is there.
    ///
    /// # Errors
    /// Any of the medium.
    pub fn process_of(&self, owner: OwnerId) -> Result<Option<u32>, StoreError> {
        self.flush()?;
        self.readers.process_of(owner)
    }

    /// How many executions [`Store::prune`] would remove now.
    ///
    /// # Errors
    /// Any of the medium.
    pub fn prunable(&self, keep: u32) -> Result<u64, StoreError> {
        self.flush()?;
        self.readers.prunable(keep)
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
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).insert(id, lock);
        Ok(id)
    }

    fn release_owner(&self, owner: OwnerId) {
        // What was appended must be there before somebody else takes over.
        let _ = self.flush();
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).remove(&owner);
    }

    fn owner_is_alive(&self, owner: OwnerId) -> Result<bool, StoreError> {
        owner::is_alive(&self.owners, owner)
    }

    fn owned(&self) -> Result<Vec<(ExecutionId, OwnerId)>, StoreError> {
        self.flush()?;
        self.readers.owned()
    }

    fn cancelled(&self, owner: OwnerId) -> Result<Vec<ExecutionId>, StoreError> {
        self.readers.cancelled(owner)
    }

    fn unresolved(&self) -> Result<Vec<ExecutionId>, StoreError> {
        self.flush()?;
        self.readers.unresolved()
    }

    fn consented(&self) -> Result<Vec<ExecutionId>, StoreError> {
        self.flush()?;
        self.readers.consented()
    }

    fn prune(&self, keep: u32) -> Result<u64, StoreError> {
        self.ask(|reply| Item::Prune { keep, reply })?
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

    fn try_lock_state(&self, connector: &str) -> Result<Option<StateLock>, StoreError> {
        Ok(owner::try_lock_state(&self.owners, connector)?.map(StateLock::new))
    }

    fn state_keys(&self, query: &StateQuery<'_>) -> Result<Vec<String>, StoreError> {
        self.flush()?;
        self.readers.state_keys(query)
    }

    fn save_snippet(&self, snippet: &Snippet) -> Result<(), StoreError> {
        let change = snippets::Change::Save(Box::new(snippet.clone()));
        self.ask(|reply| Item::Snippet { change, reply })?.map(drop)
    }

    fn delete_snippet(&self, name: &str) -> Result<bool, StoreError> {
        let change = snippets::Change::Delete(name.to_owned());
        self.ask(|reply| Item::Snippet { change, reply })?
    }

    // A change of snippets is written before its maker goes on, so there is nothing to wait for.
    fn snippet(&self, name: &str) -> Result<Option<Snippet>, StoreError> {
        self.readers.snippet(name)
    }

    fn snippets(&self) -> Result<Vec<Snippet>, StoreError> {
        self.readers.snippets()
    }

    fn snippet_labels(&self) -> Result<Vec<SnippetLabel>, StoreError> {
        self.readers.snippet_labels()
    }
}
