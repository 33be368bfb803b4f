//! The writer thread: takes what waits, writes it in one transaction, and only then tells everybody. One commit, and so
//! one wait for the disk, serves all executions that are busy at that moment.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use rusqlite::{Connection, ErrorCode};

use super::batch::Batches;
use super::error::medium;
use super::log::Log;
use super::owner;
use super::queue::{Queue, Stuck};
use super::snippets;
use crate::durable::id::{ExecutionId, OwnerId, Token, Version};
use crate::durable::write::Write;
use crate::store::check::Right;
use crate::store::{Settle, StoreError};

/// What the writer is asked to do.
#[derive(Debug)]
pub(super) enum Item {
    /// An owner's writes. Without a settle nobody waits for them.
    Append { id: ExecutionId, token: Token, writes: Vec<Write>, settle: Option<Settle> },
    /// A decision from outside.
    Commit { id: ExecutionId, right: Right, writes: Vec<Write>, reply: SyncSender<Result<Version, StoreError>> },
    /// Answer when everything before this is written, or lost.
    Flush { reply: SyncSender<()> },
    /// Remove the ended executions that ended longest ago; answers how many.
    Prune { keep: u32, reply: SyncSender<Result<u64, StoreError>> },
    /// Save or delete a snippet; answers whether there was one of its name.
    Snippet { change: snippets::Change, reply: SyncSender<Result<bool, StoreError>> },
    /// Register an owner.
    Claim { reply: SyncSender<Result<(OwnerId, File), StoreError>> },
}

impl Item {
    /// Whether somebody waits for it.
    pub(super) fn is_urgent(&self) -> bool {
        !matches!(self, Self::Append { settle: None, .. })
    }

    /// Its parts, if it is an append.
    pub(super) fn appends(&self) -> Option<(&ExecutionId, Token, &[Write])> {
        if let Self::Append { id, token, writes, .. } = self { Some((id, *token, writes)) } else { None }
    }
}

/// One item that writes, and who is to be told.
struct Batch {
    id: ExecutionId,
    right: Right,
    writes: Vec<Write>,
    reply: Reply,
}

enum Reply {
    Nobody,
    Owner(Settle),
    Decider(SyncSender<Result<Version, StoreError>>),
}

/// What the thread owns.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) queue: Arc<Queue>,
    pub(super) owners: PathBuf,
    pub(super) busy_ms: u64,
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.abandon();
    }
}

impl Writer {
    /// Works until the queue is closed and empty.
    pub(super) fn run(self) {
        let mut log = Log::default();
        while let Some(group) = self.queue.next_group() {
            let mut batches = Vec::with_capacity(group.len());
            let mut flushes = Vec::new();
            let mut claims = Vec::new();
            let mut prunings = Vec::new();
            let mut changes = Vec::new();
            for item in group {
                match item {
                    Item::Append { id, token, writes, settle } => {
                        let reply = settle.map_or(Reply::Nobody, Reply::Owner);
                        batches.push(Batch { id, right: Right::Owner(token), writes, reply });
                    }
                    Item::Commit { id, right, writes, reply } => {
                        batches.push(Batch { id, right, writes, reply: Reply::Decider(reply) });
                    }
                    Item::Flush { reply } => flushes.push(reply),
                    Item::Claim { reply } => claims.push(reply),
                    Item::Prune { keep, reply } => prunings.push((keep, reply)),
                    Item::Snippet { change, reply } => changes.push((change, reply)),
                }
            }
            self.write(batches);
            for reply in flushes {
                let _ = reply.send(());
            }
            for (keep, reply) in prunings {
                let pruned = self.transaction(|connection| Batches::new(connection).prune(keep, None));
                let _ = reply.send(pruned.map(|n| n as u64).map_err(|error| error.into_store(self.busy_ms)));
            }
            for (change, reply) in changes {
                let changed = self.transaction(|connection| snippets::change(connection, &change));
                let _ = reply.send(changed.map_err(|error| error.into_store(self.busy_ms)));
            }
            for reply in claims {
                let claimed = self.transaction(|connection| owner::claim(connection, &self.owners));
                let _ = reply.send(claimed.map_err(|error| error.into_store(self.busy_ms)));
            }
            log.keep_short(&self.connection, self.busy_ms);
        }
    }

    /// Writes a group in one transaction. Where the disk is full, each batch gets one of its own: what still fits is
    /// kept, and nobody suffers for the size of somebody else's writes.
    fn write(&self, batches: Vec<Batch>) {
        if batches.is_empty() {
            return;
        }
        match self.transaction(|connection| self.apply(connection, &batches)) {
            Ok(outcomes) => batches.into_iter().zip(outcomes).for_each(|(batch, outcome)| self.finish(batch, outcome)),
            Err(Trouble::Medium(error))
                if error.sqlite_error_code() == Some(ErrorCode::DiskFull) && batches.len() > 1 =>
            {
                batches.into_iter().for_each(|batch| self.write(vec![batch]));
            }
            Err(error) => {
                let error = error.into_store(self.busy_ms);
                for batch in batches {
                    self.remember(&batch, &error);
                    self.finish(batch, Err(error.clone()));
                }
            }
        }
    }

    fn apply(&self, connection: &Connection, batches: &[Batch]) -> Result<Vec<Result<Version, StoreError>>, Trouble> {
        let mut open = Batches::new(connection);
        // Losses of this very transaction.
        let mut lost = Stuck::default();
        let mut outcomes = Vec::with_capacity(batches.len());
        for batch in batches {
            let Batch { id, right, writes, reply } = batch;
            if let Right::Owner(token) = right {
                let earlier = self.queue.with_stuck(|stuck| stuck.reason(id, *token, writes));
                if let Some(error) = earlier.or_else(|| lost.reason(id, *token, writes)) {
                    outcomes.push(Err(error));
                    continue;
                }
            }
            let outcome = open.apply(id, *right, writes)?;
            if let (Right::Owner(token), Reply::Nobody, Err(error)) = (right, reply, &outcome) {
                lost.remember(id, *token, error);
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// Keeps a loss in mind for everything that the same owner appends after it.
    fn remember(&self, batch: &Batch, error: &StoreError) {
        if let Right::Owner(token) = batch.right {
            let begun = if let Some(Write::Begin(execution)) = batch.writes.first() { execution.token } else { token };
            self.queue.with_stuck(|stuck| stuck.remember(&batch.id, begun, error));
        }
    }

    /// Tells an outcome. What was refused is lost only where nobody waits to hear of it.
    fn finish(&self, batch: Batch, outcome: Result<Version, StoreError>) {
        if let (Reply::Nobody, Err(error)) = (&batch.reply, &outcome) {
            self.remember(&batch, error);
        }
        let starts_afresh = |write: &Write| matches!(write, Write::Moved(_) | Write::Delete);
        if !matches!(batch.right, Right::Owner(_)) && outcome.is_ok() && batch.writes.iter().any(starts_afresh) {
            self.queue.with_stuck(|stuck| stuck.forget(&batch.id));
        }
        match batch.reply {
            Reply::Nobody => {}
            Reply::Owner(settle) => settle.with(outcome.map(drop)),
            Reply::Decider(reply) => drop(reply.send(outcome)),
        }
    }

    /// Runs `work` inside a transaction that holds the file's write lock from the start.
    fn transaction<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let connection = &self.connection;
        run_cached(connection, "BEGIN IMMEDIATE")?;
        let worked = work(connection).and_then(|done| Ok(run_cached(connection, "COMMIT").map(|()| done)?));
        // Some errors end the transaction by themselves.
        if worked.is_err() && !connection.is_autocommit() {
            run_cached(connection, "ROLLBACK")?;
        }
        worked
    }
}

/// Why a transaction failed as a whole.
pub(super) enum Trouble {
    /// The database's reason.
    Medium(rusqlite::Error),
    /// The file system's, beside the database.
    Files(std::io::Error),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Medium(error)
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Files(error)
    }
}

impl Trouble {
    fn into_store(self, busy_ms: u64) -> StoreError {
        match self {
            Self::Medium(error) => medium(&error, busy_ms),
            Self::Files(error) => owner::files(&error),
        }
    }
}

fn run_cached(connection: &Connection, sql: &str) -> Result<(), rusqlite::Error> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}
