//! Keeps the log beside the file short. SQLite moves the log into the file by itself and begins it anew when nobody
//! reads from it, but where one reader always begins before another ends, that moment never comes. So a log that has
//! become long is cut by force: new readers are led to the file, and those that are there get a moment to end.

use std::time::Duration;

use rusqlite::Connection;

/// In pages. A log is left to itself up to here; SQLite begins to move it at 1,000.
pub(super) const LONG: i64 = 4_096;

/// How long one attempt may keep writers waiting. Longer than any reader of ours needs for an execution; a backup or
/// somebody's shell may need longer, and keeps the log growing for so long.
const PATIENCE: Duration = Duration::from_millis(200);

/// What the writer knows of its log.
#[derive(Debug)]
pub(super) struct Log {
    /// The length at which it is cut by force.
    cut_at: i64,
}

impl Default for Log {
    fn default() -> Self {
        Self { cut_at: LONG }
    }
}

impl Log {
    /// Looks at the log after a commit. What fails here has lost nothing, and the next commit says why.
    pub(super) fn keep_short(&mut self, connection: &Connection, busy_ms: u64) {
        let Ok(Some(length)) = length(connection) else { return };
        if length < self.cut_at {
            if length < LONG {
                self.cut_at = LONG;
            }
            return;
        }
        if connection.busy_timeout(PATIENCE).is_err() {
            return;
        }
        let cut = checkpoint(connection, "PRAGMA wal_checkpoint(TRUNCATE)");
        let _ = connection.busy_timeout(Duration::from_millis(busy_ms));
        // After a vain attempt the log may grow by a quarter before the next one, so that waiting stays rare.
        self.cut_at = if matches!(cut, Ok((0, _))) { LONG } else { length.saturating_add(length / 4) };
    }
}

/// The log's length in pages; `None` where there is no log.
pub(super) fn length(connection: &Connection) -> Result<Option<i64>, rusqlite::Error> {
    checkpoint(connection, "PRAGMA wal_checkpoint(NOOP)").map(|(_, pages)| (pages >= 0).then_some(pages))
}

/// Whether something was in the way (1), and the log's length in pages.
fn checkpoint(connection: &Connection, pragma: &str) -> Result<(i64, i64), rusqlite::Error> {
    connection.prepare_cached(pragma)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
}
