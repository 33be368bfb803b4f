//! Who is alive: each owner has a row, and a file that it keeps locked while it lives. The operating system frees the
//! lock when the process ends, however it ends, and never while it merely stalls.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::writer::Trouble;
use crate::durable::digest::digest;
use crate::durable::id::OwnerId;
use crate::store::StoreError;

/// The folder of the lock files of that store.
pub(super) fn folder(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(".owners");
    PathBuf::from(name)
}

/// Adds an owner and locks its file, and removes owners that are gone and own nothing. Runs inside the transaction that
/// makes the row, so that no other process ever sees a row whose file is not locked yet.
pub(super) fn claim(connection: &Connection, folder: &Path) -> Result<(OwnerId, File), Trouble> {
    fs::create_dir_all(folder)?;
    remove_gone(connection, folder)?;
    connection.execute("INSERT INTO owners (process) VALUES (?1)", params![std::process::id()])?;
    let id = OwnerId(connection.last_insert_rowid().cast_unsigned());
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(lock_file(folder, id))?;
    file.try_lock().map_err(|error| match error {
        TryLockError::Error(error) => error,
        TryLockError::WouldBlock => {
            io::Error::new(io::ErrorKind::ResourceBusy, "the lock file of a new owner is taken")
        }
    })?;
    Ok((id, file))
}

/// Whether the owner's process still holds its lock.
pub(super) fn is_alive(folder: &Path, id: OwnerId) -> Result<bool, StoreError> {
    let file = match File::open(lock_file(folder, id)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(files(&error)),
    };
    // Shared: two that look at once must not take each other for the owner.
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(files(&error)),
    }
}

/// Takes the lock on a connector's state, unless somebody has it. The system frees it with its process.
pub(super) fn try_lock_state(folder: &Path, connector: &str) -> Result<Option<File>, StoreError> {
    let name = format!("state-{}.lock", digest(&[connector]));
    let open = || OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(&name));
    let file = fs::create_dir_all(folder).and_then(|()| open()).map_err(|error| files(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(files(&error)),
    }
}

/// What an error of the lock files means to whoever uses the store.
pub(super) fn files(error: &io::Error) -> StoreError {
    let text = format!("the owners' lock files: {error}");
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full(text),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly(text),
        _ => StoreError::Failed(text),
    }
}

/// An owner of executions keeps its row, alive or not: recovery wants to know that it is gone.
fn remove_gone(connection: &Connection, folder: &Path) -> Result<(), Trouble> {
    let sql = "SELECT id FROM owners WHERE id NOT IN (SELECT owner FROM executions WHERE owner IS NOT NULL)";
    let mut statement = connection.prepare(sql)?;
    let idle: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for n in idle {
        let id = OwnerId(n.cast_unsigned());
        // What cannot be looked at now stays for the next time.
        if is_alive(folder, id) == Ok(false) {
            match fs::remove_file(lock_file(folder, id)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => continue,
                _ => {}
            }
            connection.execute("DELETE FROM owners WHERE id = ?1", params![n])?;
        }
    }
    Ok(())
}

fn lock_file(folder: &Path, id: OwnerId) -> PathBuf {
    folder.join(format!("{}.lock", id.0))
}
