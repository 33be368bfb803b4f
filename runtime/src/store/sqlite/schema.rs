//! Opening a file: is it ours, which format has it, and how its connections are set up.
//!
//! `auto_vacuum` stays off: pages that a delete frees are used again, so a file whose executions are pruned stops
//! growing at its highest mark, and no commit pays for moving pages. `VACUUM` by hand gives space back. The log file is
//! cut to [`LOG_LIMIT`] when it is used again from its start, so one long reader does not leave a huge file behind; that
//! this happens is the care of [`super::log`].

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::error::medium;
use super::{Durability, Options, log};
use crate::store::StoreError;

/// Marks a file as a codemode store; "cmdJ" in ASCII.
pub(super) const APPLICATION_ID: i64 = 0x636d_644a;

/// The log file's size in bytes after a reset.
const LOG_LIMIT: i64 = 8 * 1024 * 1024;

/// From each format to the next. Append only: a released one never changes.
const MIGRATIONS: [&str; 2] = [include_str!("migrations/0001.sql"), include_str!("migrations/0002.sql")];

/// The format that this version writes.
pub(super) const FORMAT: u32 = 2;

/// Opens the file for writing, and creates or migrates it where needed. Two processes may do so at once.
pub(super) fn open_writer(path: &Path, options: &Options) -> Result<Connection, StoreError> {
    let shown = path.display().to_string();
    if path.is_dir() {
        return Err(StoreError::NotAStore { path: shown, reason: "it is a folder".to_owned() });
    }
    let failed = |error: rusqlite::Error| opening(&error, &shown, options.busy_timeout_ms);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    refuse_headless(path, options)?;
    make_private(path, options);
    let mut connection = connect(path, flags, options).map_err(failed)?;
    configure(&connection, options).map_err(failed)?;
    if connection.is_readonly("main").map_err(failed)? {
        return Err(StoreError::ReadOnly(shown));
    }
    // Before anything is changed: a file of somebody else must stay as it is.
    identify_at_once(&connection, &shown, options)?;
    switch_to_log(&connection, &shown, options)?;
    migrate(&mut connection, &shown, options)?;
    match options.durability {
        Durability::Full => connection.pragma_update(None, "synchronous", "FULL"),
        Durability::Process => connection.pragma_update(None, "synchronous", "NORMAL"),
    }
    .map_err(failed)?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_LIMIT, |_| Ok(())).map_err(failed)?;
    if let Some(pages) = options.max_pages {
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).map_err(failed)?;
    }
    Ok(connection)
}

/// Opens a connection that only reads. The writer is open by then.
pub(super) fn open_reader(path: &Path, options: &Options) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = connect(path, flags, options)?;
    configure(&connection, options)?;
    Ok(connection)
}

/// Opens a file of which nobody knows yet what it is, for reading; also says its format.
pub(super) fn open_known(path: &Path, options: &Options) -> Result<(Connection, u32), StoreError> {
    let shown = path.display().to_string();
    let connection = open_reader(path, options).map_err(|error| opening(&error, &shown, options.busy_timeout_ms))?;
    match identify_at_once(&connection, &shown, options)? {
        0 => Err(StoreError::NotAStore { path: shown, reason: "it is empty".to_owned() }),
        format => Ok((connection, format)),
    }
}

fn connect(path: &Path, flags: OpenFlags, options: &Options) -> Result<Connection, rusqlite::Error> {
    match &options.vfs {
        Some(vfs) => Connection::open_with_flags_and_vfs(path, flags, vfs.as_str()),
        None => Connection::open_with_flags(path, flags),
    }
}

/// A file without a byte is a new one, and SQLite would remove a log that lies beside it. But no store is ever left like
/// that, since the file's first page is durable before there is a log: somebody emptied the file, and the log is all that
/// is left of it.
fn refuse_headless(path: &Path, options: &Options) -> Result<(), StoreError> {
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // In this order: somebody else may be making the store now.
    if options.vfs.is_none() && length(Path::new(&log)) > 0 && length(path) == 0 {
        return Err(StoreError::Corrupt(format!("{} is empty, but its log is not", path.display())));
    }
    Ok(())
}

/// Makes a new file for the user alone: journals hold what calls were given and answered. The log beside it gets the
/// permissions that the file has. Where this fails, opening says why.
fn make_private(path: &Path, options: &Options) {
    if options.vfs.is_none() {
        let mut new = OpenOptions::new();
        new.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
        drop(new.open(path));
    }
}

fn configure(connection: &Connection, options: &Options) -> Result<(), rusqlite::Error> {
    connection.busy_timeout(Duration::from_millis(options.busy_timeout_ms))?;
    connection.set_prepared_statement_cache_capacity(64);
    // A file from somewhere else must not be able to run what its schema says.
    connection.pragma_update(None, "trusted_schema", "OFF")
}

/// What an error means while a file is opened.
pub(super) fn opening(error: &rusqlite::Error, path: &str, busy_ms: u64) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            StoreError::NotAStore { path: path.to_owned(), reason: "it is not an SQLite file".to_owned() }
        }
        _ => match medium(error, busy_ms) {
            StoreError::ReadOnly(text) => StoreError::ReadOnly(format!("{path}: {text}")),
            other => other,
        },
    }
}

/// What a file says about itself at one instant: somebody else may be making it at the same time.
fn identify_at_once(connection: &Connection, path: &str, options: &Options) -> Result<u32, StoreError> {
    let failed = |error: rusqlite::Error| opening(&error, path, options.busy_timeout_ms);
    let snapshot = connection.unchecked_transaction().map_err(failed)?;
    identify(&snapshot, path, options)
}

/// What a file says about itself, inside a transaction.
fn identify(connection: &Connection, path: &str, options: &Options) -> Result<u32, StoreError> {
    let failed = |error: rusqlite::Error| opening(&error, path, options.busy_timeout_ms);
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application = number("application_id").map_err(failed)?;
    let format = number("user_version").map_err(failed)?;
    if application == APPLICATION_ID {
        let found = u32::try_from(format).unwrap_or(u32::MAX);
        if found > FORMAT {
            return Err(StoreError::Newer { path: path.to_owned(), found, supported: FORMAT });
        }
        if found == 0 {
            return Err(StoreError::Corrupt(format!("{path} has no format version")));
        }
        return Ok(found);
    }
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    if application != 0 || format != 0 || tables != 0 {
        let reason = format!("it is an SQLite file of another program (application id {application})");
        return Err(StoreError::NotAStore { path: path.to_owned(), reason });
    }
    Ok(0)
}

/// Switches to write-ahead logging. Two processes that do this to a new file at once may see each other's lock without
/// being made to wait for it, so this tries again for as long as any lock is waited for. Without the log nothing that is
/// promised would hold.
fn switch_to_log(connection: &Connection, path: &str, options: &Options) -> Result<(), StoreError> {
    const PAUSE_MS: u64 = 5;
    let mut waited = 0;
    loop {
        let asked = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        // It answers before it writes, and nobody is told when that fails. So the log itself is looked for.
        match asked.and_then(|()| log::length(connection)) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && waited < options.busy_timeout_ms =>
            {
                std::thread::sleep(Duration::from_millis(PAUSE_MS));
                waited += PAUSE_MS;
            }
            Ok(Some(_)) => return Ok(()),
            Ok(None) => return Err(StoreError::Failed(format!("{path} could not be given a log"))),
            Err(error) => return Err(opening(&error, path, options.busy_timeout_ms)),
        }
    }
}

/// Brings the file to [`FORMAT`] in one transaction; whoever comes second finds it done.
pub(super) fn migrate(connection: &mut Connection, path: &str, options: &Options) -> Result<(), StoreError> {
    if identify_at_once(connection, path, options)? == FORMAT {
        return Ok(());
    }
    let failed = |error: rusqlite::Error| opening(&error, path, options.busy_timeout_ms);
    let transaction = Transaction::new(connection, TransactionBehavior::Exclusive).map_err(failed)?;
    let found = identify(&transaction, path, options)?;
    for migration in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(usize::MAX)) {
        transaction.execute_batch(migration).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    transaction.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
    transaction.commit().map_err(failed)
}
