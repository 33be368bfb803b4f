//! The only file that reads time or randomness. Everything else is handed a [`Clock`] and [`Ids`], so that tests can
//! fix both.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::durable::id::ExecutionId;

/// Wall and monotonic time.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since the Unix epoch.
    fn epoch_ms(&self) -> u64;
    /// Milliseconds since some fixed point; never goes back.
    fn monotonic_ms(&self) -> u64;
}

/// The system's clock.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the monotonic clock")]
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
    fn epoch_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Makes ids and seeds.
#[derive(Debug, Default)]
pub struct Ids {
    last_ms: AtomicU64,
}

impl Ids {
    /// A new id. The ids of one process sort in the order in which they were made, even when the clock stands still or
    /// goes back (WEAK-35): each takes a later millisecond than the one before only when the clock itself says so, and
    /// the store orders by insertion.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn execution_id(&self, now_ms: u64) -> Result<ExecutionId, getrandom::Error> {
        let ms = self.last_ms.fetch_max(now_ms, Ordering::Relaxed).max(now_ms);
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        Ok(ExecutionId::new(ms, random))
    }

    /// 32 fresh bytes.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn seed(&self) -> Result<[u8; 32], getrandom::Error> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        Ok(seed)
    }
}
