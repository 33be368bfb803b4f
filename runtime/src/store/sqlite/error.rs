//! What the database's error codes mean to whoever uses a store.

use rusqlite::{Error, ErrorCode, ffi};

use crate::store::StoreError;

/// Translates an error. `busy_ms` is how long the database waited for a lock before it gave up.
pub(super) fn medium(error: &Error, busy_ms: u64) -> StoreError {
    let Error::SqliteFailure(code, text) = error else {
        return StoreError::Failed(error.to_string());
    };
    let text = text.clone().unwrap_or_else(|| error.to_string());
    if is_damage(error) {
        return StoreError::Corrupt(text);
    }
    match code.code {
        ErrorCode::DiskFull => StoreError::Full(text),
        ErrorCode::ReadOnly
        | ErrorCode::CannotOpen
        | ErrorCode::PermissionDenied
        | ErrorCode::AuthorizationForStatementDenied => StoreError::ReadOnly(text),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            StoreError::Busy(busy_ms)
        }
        _ => StoreError::Failed(text),
    }
}

/// Whether the file is not what it was. A page that ends too early is: the database counts some of those as errors of the
/// device.
pub(super) fn is_damage(error: &Error) -> bool {
    let Some(code) = error.sqlite_error() else { return false };
    matches!(code.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        || code.extended_code == ffi::SQLITE_IOERR_SHORT_READ
}

/// Why one row cannot be handed out.
#[derive(Debug)]
pub(super) enum RowError {
    /// The database failed.
    Medium(Error),
    /// What it holds is not what belongs there.
    Unreadable(String),
}

impl From<Error> for RowError {
    fn from(error: Error) -> Self {
        Self::Medium(error)
    }
}

impl RowError {
    /// A damage of that column.
    pub(super) fn unreadable(column: &str, reason: impl std::fmt::Display) -> Self {
        Self::Unreadable(format!("{column}: {reason}"))
    }
}
