//! The code's clock. Recorded: it stands still between completions, so each pass reads the same times. Live: the host
//! is asked each time. The engine itself has no clock; its `Date` reads this one.

use std::cell::Cell;

use rquickjs::{Ctx, Object, Result, Value};

use crate::bindings::codemode::component::dispatch;
use crate::bindings::exports::codemode::component::sandbox::Clock;
use crate::js;

thread_local! {
    static LIVE: Cell<bool> = const { Cell::new(false) };
    static NOW: Cell<u64> = const { Cell::new(0) };
    static START: Cell<u64> = const { Cell::new(0) };
}

/// Sets the clock for a run. The snapshot froze whatever it read when it was made.
pub fn start(clock: &Clock) {
    LIVE.set(matches!(clock, Clock::Live));
    let now = match clock {
        Clock::Recorded(now) => *now,
        Clock::Live => dispatch::now(),
    };
    NOW.set(now);
    START.set(now);
}

/// A completion carries the time from here on; it never goes back.
pub fn advance(now: u64) {
    NOW.set(NOW.get().max(now));
}

fn now() -> u64 {
    if LIVE.get() {
        advance(dispatch::now());
    }
    NOW.get()
}

/// The engine's only question to its surroundings: microseconds since the Unix epoch.
#[unsafe(no_mangle)]
extern "C" fn __rquickjs_host_now_us() -> f64 {
    now() as f64 * 1000.0
}

/// `performance`, over the same clock.
pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let performance = Object::new(ctx.clone())?.into_value();
    let elapsed = js::native(ctx, "now", 0, |ctx, _, _| {
        Ok(Value::new_number(ctx.clone(), now().saturating_sub(START.get()) as f64))
    })?;
    js::define(&performance, "now", &elapsed, js::ORDINARY)?;
    let origin = js::native(ctx, "timeOrigin", 0, |ctx, _, _| Ok(Value::new_number(ctx.clone(), START.get() as f64)))?;
    js::define_getter(&performance, "timeOrigin", &origin, &js::undefined(ctx), js::ORDINARY & !HAS_NO_MEANING)?;
    js::define(ctx.globals().as_value(), "performance", &performance, js::HIDDEN)
}

/// An accessor is neither writable nor not.
const HAS_NO_MEANING: u32 = rquickjs::qjs::JS_PROP_WRITABLE;
