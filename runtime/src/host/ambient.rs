//! What a connector sees of time and chance. Whoever checks connectors fixes both, so that what a call gives depends on
//! nothing but what it was given; hosts leave both live.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use wasmtime_wasi::{Deterministic, HostMonotonicClock, HostWallClock, WasiCtxBuilder};

use crate::clock::{Clock as _, SystemClock};

/// A fixed clock moves in steps of so many milliseconds: a guest that computes for less sees it stand still, and one that
/// waits sees its time pass, or it would wait for ever.
pub const FIXED_CLOCK_STEP_MS: u64 = 10;

/// Random bytes of a fixed source before they come again: 64 KiB.
const RANDOM_BYTES: usize = 64 << 10;

/// Time and chance as a guest sees them.
#[derive(Clone, Debug, Default)]
pub enum Ambient {
    /// The machine's own.
    #[default]
    Live,
    /// The same for each instance.
    Fixed(Fixed),
}

/// A clock that starts at one instant for each instance, and random bytes that follow from a seed. Clones share what
/// [`Fixed::skip`] does.
#[derive(Clone, Debug)]
pub struct Fixed {
    start_ms: u64,
    seed: u64,
    skipped_ms: Arc<AtomicU64>,
    random: Arc<[u8]>,
}

impl Fixed {
    /// A clock that starts at `start_ms` (milliseconds since the Unix epoch) when an instance first reads it, and the
    /// random bytes of that seed. Never for guests that keep secrets: what they draw is known.
    #[must_use]
    pub fn new(start_ms: u64, seed: u64) -> Self {
        let block = |number: u64| Sha256::new().chain_update(seed.to_le_bytes()).chain_update(number.to_le_bytes());
        let random: Vec<u8> = (0..).flat_map(|number| block(number).finalize().to_vec()).take(RANDOM_BYTES).collect();
        Self { start_ms, seed, skipped_ms: Arc::default(), random: random.into() }
    }

    /// Moves the clock of each instance on, as if so much time had passed.
    pub fn skip(&self, ms: u64) {
        self.skipped_ms.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Ambient {
    /// Gives it to a guest.
    pub(super) fn provide(&self, wasi: &mut WasiCtxBuilder) {
        let Self::Fixed(fixed) = self else { return };
        let clock =
            Shown(Arc::new(Face { fixed: fixed.clone(), real: SystemClock::default(), read: Mutex::default() }));
        wasi.wall_clock(clock.clone())
            .monotonic_clock(clock)
            .secure_random(Deterministic::new(fixed.random.to_vec()))
            .insecure_random(Deterministic::new(fixed.random.to_vec()))
            .insecure_random_seed(u128::from(fixed.seed));
    }
}

/// The clock of one instance.
#[derive(Clone)]
struct Shown(Arc<Face>);

struct Face {
    fixed: Fixed,
    real: SystemClock,
    read: Mutex<Read>,
}

/// What was read so far.
#[derive(Default)]
struct Read {
    /// Real time at the last step.
    stepped_at: Option<u64>,
    passed_ms: u64,
}

impl Shown {
    /// Milliseconds since the instance first read the clock, in steps.
    fn passed(&self) -> u64 {
        let real = self.0.real.monotonic_ms();
        let mut read = self.0.read.lock().unwrap_or_else(PoisonError::into_inner);
        let since = real.saturating_sub(*read.stepped_at.get_or_insert(real));
        if since >= FIXED_CLOCK_STEP_MS {
            read.passed_ms += since;
            read.stepped_at = Some(real);
        }
        read.passed_ms.saturating_add(self.0.fixed.skipped_ms.load(Ordering::Relaxed))
    }
}

impl HostWallClock for Shown {
    fn resolution(&self) -> Duration {
        Duration::from_millis(FIXED_CLOCK_STEP_MS)
    }

    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fixed.start_ms.saturating_add(self.passed()))
    }
}

impl HostMonotonicClock for Shown {
    fn resolution(&self) -> u64 {
        FIXED_CLOCK_STEP_MS * 1_000_000
    }

    fn now(&self) -> u64 {
        // Not from zero: guests take zero for a clock that was never read.
        self.passed().saturating_add(1_000).saturating_mul(1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(fixed: &Fixed) -> Shown {
        Shown(Arc::new(Face { fixed: fixed.clone(), real: SystemClock::default(), read: Mutex::default() }))
    }

    #[test]
    fn each_instance_starts_at_the_same_instant_and_sees_what_is_skipped() {
        let fixed = Fixed::new(1_000, 1);
        assert_eq!(HostWallClock::now(&clock(&fixed)), Duration::from_millis(1_000));
        let one = clock(&fixed);
        let before = HostMonotonicClock::now(&one);
        fixed.skip(60_000);
        assert!(HostMonotonicClock::now(&one) - before >= 60_000 * 1_000_000);
        assert!(HostWallClock::now(&one) >= Duration::from_millis(61_000));
    }

    #[test]
    fn the_seed_decides_the_random_bytes() {
        let bytes = |seed| Fixed::new(0, seed).random.to_vec();
        assert_eq!((bytes(1).len(), bytes(1) == bytes(1), bytes(1) == bytes(2)), (RANDOM_BYTES, true, false));
    }
}
