//! What a double takes more of than it should, and what it reads of the clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::breaks;

/// Takes more of the machine than a small argument needs, where the double says so.
pub(crate) fn take(args: &Value) {
    // Not for each argument: the suite tries many.
    if breaks("CONN-BOUND-01") && args["count"] == 1 {
        let mix = |sum: u64, round: u64| std::hint::black_box(sum.wrapping_mul(31).wrapping_add(round));
        std::hint::black_box((0..300_000_000).fold(0, mix));
    }
    if breaks("CONN-BOUND-02") {
        std::hint::black_box(Vec::<u8>::with_capacity(80 << 20));
    }
}

/// An answer of so many UTF-16 units of JSON.
pub(crate) fn answer(units: usize) -> String {
    let frame = json!({ "length": 0, "pad": "" }).to_string();
    let pairs = (units - frame.len()) / 2;
    let odd = if (units - frame.len()).is_multiple_of(2) { "" } else { "x" };
    json!({ "length": 0, "pad": format!("{}{odd}", "🙂".repeat(pairs)) }).to_string()
}

/// How often the clock can be read before it moves: another number each time.
pub(crate) fn rounds() -> u64 {
    let begun = now();
    (0..).take_while(|_| now() < begun + Duration::from_millis(10)).count() as u64
}

/// Seconds since the Unix epoch.
pub(crate) fn seconds() -> u64 {
    now().as_secs()
}

#[expect(clippy::disallowed_methods, reason = "a component has the clock that the host gives it")]
fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
