//! A clock that stands where the test puts it, so that a day passes without anybody waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use codemode_conformance::harness::Host;
use codemode_runtime::clock::{Clock, SystemClock};

/// The wall clock of a host. What a pass may take is measured by the system all the same.
pub(crate) struct Dial {
    epoch_ms: AtomicU64,
    system: SystemClock,
}

impl Dial {
    /// Some milliseconds go by.
    pub(crate) fn pass(&self, ms: u64) {
        self.epoch_ms.fetch_add(ms, Ordering::SeqCst);
    }

    /// It is that time now.
    pub(crate) fn set(&self, epoch_ms: u64) {
        self.epoch_ms.store(epoch_ms, Ordering::SeqCst);
    }
}

impl Clock for Dial {
    fn epoch_ms(&self) -> u64 {
        self.epoch_ms.load(Ordering::SeqCst)
    }

    fn monotonic_ms(&self) -> u64 {
        self.system.monotonic_ms()
    }
}

/// When the stories begin.
pub(crate) const START: u64 = 1_800_000_000_000;

/// The host with a clock that stands.
pub(crate) fn dialled(mut host: Host) -> (Host, Arc<Dial>) {
    let dial = Arc::new(Dial { epoch_ms: AtomicU64::new(START), system: SystemClock::default() });
    host.clock = Some(dial.clone());
    (host, dial)
}
