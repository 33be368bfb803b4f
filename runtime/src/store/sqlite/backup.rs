//! Copies a store while it is used. What a restored copy means for the outside world is told in `docs/backup.md`.
//!
//! The copy is made page by page inside one read transaction: it is the store as of one instant, writers are not kept
//! waiting, and the length of that transaction, during which the log cannot be used again from its start, is that of
//! copying bytes. (`VACUUM INTO` would give a smaller file, but rebuilds every table inside the same transaction.) What
//! takes longer happens afterwards and on the copy alone: it is checked, and made a file without a log beside it.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, backup};

use super::error::medium;
use super::{Options, schema};
use crate::store::StoreError;

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// Where it is; absolute.
    pub path: PathBuf,
    /// The size of the file.
    pub bytes: u64,
    /// Executions in it.
    pub executions: u64,
    /// Those of them that ran at that instant. Nobody runs them in the copy: `recover` there would.
    pub running: u64,
    /// Those of them that waited for a person.
    pub paused: u64,
}

/// How far a backup is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are copied.
    pub done: u64,
    /// Bytes of the whole.
    pub total: u64,
}

/// The pages that are copied between two reports.
const STEP: i32 = 1_024;

/// See [`super::SqliteStore::backup`].
pub(super) fn backup(
    store: &Path,
    options: &Options,
    to: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Backup, StoreError> {
    let to = std::path::absolute(to).map_err(|error| files(to, &error))?;
    if fs::symlink_metadata(&to).is_ok() {
        return Err(StoreError::Exists(to.display().to_string()));
    }
    let failed = |error: rusqlite::Error| medium(&error, options.busy_timeout_ms);
    let source = schema::open_known(store, options)?.0;
    let partial = Partial::new(&to)?;
    let target_failed = |error: rusqlite::Error| match medium(&error, options.busy_timeout_ms) {
        StoreError::Full(text) => StoreError::Full(format!("{}: {text}", to.display())),
        StoreError::ReadOnly(text) => StoreError::ReadOnly(format!("{}: {text}", to.display())),
        other => other,
    };
    let mut target = open_target(&partial.path).map_err(target_failed)?;
    copy(&source, &mut target, progress).map_err(target_failed)?;
    drop(source);
    let mut made = look(&target).map_err(failed)??;
    drop(target);
    made.bytes = partial.publish(&to).map_err(|error| files(&to, &error))?;
    made.path = to;
    Ok(made)
}

/// Nothing is kept for a crash: a copy that is not finished is not one.
fn open_target(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let target = Connection::open_with_flags(path, flags)?;
    target.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
    target.pragma_update(None, "synchronous", "OFF")?;
    target.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
    Ok(target)
}

/// Copies one snapshot.
pub(super) fn copy(
    source: &Connection,
    target: &mut Connection,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), rusqlite::Error> {
    // Held open, so that a commit of somebody else does not make the copying begin anew.
    let snapshot = rusqlite::Transaction::new_unchecked(source, TransactionBehavior::Deferred)?;
    let page: i64 = snapshot.query_row(
        "SELECT page_size FROM pragma_page_size, (SELECT count(*) FROM sqlite_schema)",
        [],
        |row| row.get(0),
    )?;
    let copying = backup::Backup::new(&snapshot, target)?;
    loop {
        let outcome = copying.step(STEP)?;
        let pages = copying.progress();
        let bytes = |pages: i32| (i64::from(pages) * page).cast_unsigned();
        progress(Progress { done: bytes(pages.pagecount - pages.remaining), total: bytes(pages.pagecount) });
        match outcome {
            backup::StepResult::Done => return Ok(()),
            backup::StepResult::More => {}
            // Nobody else has the target, and the source is read in a snapshot: there is nothing to wait for.
            _ => return Err(busy()),
        }
    }
}

fn busy() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
    rusqlite::Error::SqliteFailure(code, Some("the copy is in use".to_owned()))
}

/// Whether the copy is sound, and what is in it. A damaged store must not become a backup that somebody trusts.
fn look(target: &Connection) -> Result<Result<Backup, StoreError>, rusqlite::Error> {
    // One file with everything in it, which can be read where nothing may be written.
    target.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    let sound: String = target.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if sound != "ok" {
        return Ok(Err(StoreError::Corrupt(format!("no backup was made: {sound}"))));
    }
    let count = |condition: &str| {
        let sql = format!("SELECT count(*) FROM executions {condition}");
        target.query_row(&sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
    };
    Ok(Ok(Backup {
        path: PathBuf::new(),
        bytes: 0,
        executions: count("")?,
        running: count("WHERE status = 'running'")?,
        paused: count("WHERE status = 'paused'")?,
    }))
}

/// The copy under a name of its own, in the folder where it is to be. Goes away unless it is published.
struct Partial {
    path: PathBuf,
    folder: PathBuf,
}

impl Partial {
    fn new(to: &Path) -> Result<Self, StoreError> {
        let folder = to.parent().unwrap_or(to).to_owned();
        let name = to.file_name().unwrap_or_default().to_string_lossy();
        for number in 0_u32.. {
            let path = folder.join(format!(".{name}.{}-{number}.partial", std::process::id()));
            let mut new = OpenOptions::new();
            new.write(true).create_new(true);
            // As private as the store.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
            match new.open(&path) {
                Ok(_) => return Ok(Self { path, folder }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(files(&path, &error)),
            }
        }
        Err(StoreError::Failed(format!("no name is left for a copy in {}", folder.display())))
    }

    /// Makes it durable, then gives it its name, then makes the name durable. Says how large it is.
    fn publish(self, to: &Path) -> io::Result<u64> {
        let mut file = OpenOptions::new().read(true).write(true).open(&self.path)?;
        // That it needs no log is written last, and nobody is told when that fails.
        let mut header = [0; 20];
        file.read_exact(&mut header)?;
        if header[18..] != [1, 1] {
            return Err(io::Error::other("the copy could not be finished"));
        }
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        drop(file);
        match fs::hard_link(&self.path, to) {
            Ok(()) => {}
            // File systems without links. Whoever makes the same file at this very instant loses it.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && fs::symlink_metadata(to).is_err() => {
                fs::rename(&self.path, to)?;
            }
            Err(error) => return Err(error),
        }
        let _ = fs::remove_file(&self.path);
        #[cfg(unix)]
        fs::File::open(&self.folder)?.sync_all()?;
        Ok(bytes)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // With what the database may have made beside it.
        for end in ["", "-journal", "-wal", "-shm"] {
            let mut name = self.path.as_os_str().to_owned();
            name.push(end);
            let _ = fs::remove_file(name);
        }
    }
}

fn files(path: &Path, error: &io::Error) -> StoreError {
    let text = format!("{}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::AlreadyExists => StoreError::Exists(path.display().to_string()),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full(text),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::NotFound => {
            StoreError::ReadOnly(text)
        }
        _ => StoreError::Failed(text),
    }
}
