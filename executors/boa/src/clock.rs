//! The code's clock. Recorded: it stands still between completions. Live: the host is asked each time.

use std::cell::Cell;

use boa_engine::context::time::{Clock, JsInstant};

use crate::bindings::codemode::component::dispatch;
use crate::bindings::exports::codemode::component::sandbox::Clock as Kind;

thread_local! {
    static LIVE: Cell<bool> = const { Cell::new(false) };
    static NOW: Cell<u64> = const { Cell::new(0) };
}

pub(crate) fn start(kind: &Kind) {
    LIVE.set(matches!(kind, Kind::Live));
    NOW.set(match kind {
        Kind::Recorded(now) => *now,
        Kind::Live => dispatch::now(),
    });
}

/// A completion carries the time from here on; it never goes back.
pub(crate) fn advance(now: u64) {
    NOW.set(NOW.get().max(now));
}

/// Milliseconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    if LIVE.get() {
        advance(dispatch::now());
    }
    NOW.get()
}

/// What the engine reads for `Date`.
pub(crate) struct Given;

impl Clock for Given {
    fn now(&self) -> JsInstant {
        let now = now();
        JsInstant::new(now / 1_000, (now % 1_000) as u32 * 1_000_000)
    }

    fn system_time_millis(&self) -> i64 {
        now().try_into().unwrap_or(i64::MAX)
    }
}
