//! The only file that reads time or randomness. Everything else is handed a [`Clock`] and [`Ids`], so that tests can
//! fix both.

use std::sync::{Mutex, PoisonError};
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
    last: Mutex<Option<(u64, [u8; 16])>>,
}

impl Ids {
    /// A new id. The ids of one process sort in the order in which they were made, even when the clock stands still or
    /// goes back (WEAK-35): each takes a later millisecond than the one before only when the clock itself says so, and of
    /// one millisecond each has a larger number than the one before, by a random step.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn execution_id(&self, now_ms: u64) -> Result<ExecutionId, getrandom::Error> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (ms, bytes) = match *last {
            Some((ms, before)) if now_ms <= ms => (ms, after(before, random)),
            _ => {
                // Room for the steps of this millisecond.
                random[9] &= 0x7f;
                (now_ms, random)
            }
        };
        *last = Some((ms, bytes));
        Ok(ExecutionId::new(ms, bytes))
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

/// A larger number, by a random step: in the last seven bytes, which the form of an id leaves as they are.
fn after(mut bytes: [u8; 16], random: [u8; 16]) -> [u8; 16] {
    let [a, b, c, d, ..] = random;
    let step = u64::from(u32::from_be_bytes([a, b, c, d])) + 1;
    let mut low = [0; 8];
    low[1..].copy_from_slice(&bytes[9..]);
    let next = u64::from_be_bytes(low).wrapping_add(step).to_be_bytes();
    bytes[9..].copy_from_slice(&next[1..]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_in_the_order_in_which_they_were_made_whatever_the_clock_does() {
        let ids = Ids::default();
        let times = (0..3_000u64).map(|n| match n % 1_000 {
            // A long stand, a step, a step back.
            999 => 5_000 + n,
            500 => 10,
            _ => 1_000,
        });
        let made: Vec<String> =
            times.map(|now| ids.execution_id(now).expect("randomness").as_str().to_owned()).collect();
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(made[0].starts_with("exec_0000000000001000_"));
    }

    #[test]
    fn the_first_id_of_a_clock_at_zero_is_random_too() {
        let first = || Ids::default().execution_id(0).expect("randomness");
        assert_ne!(first(), first());
    }
}
