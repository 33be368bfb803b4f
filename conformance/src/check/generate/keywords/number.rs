//! Numbers.

use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::{Number, Value, json};

/// So many steps from where the values begin, at most.
const SPAN: f64 = 1_000.0;

/// Numbers of that grain unless the schema names another one: around the bounds, and around zero where it is between them.
pub(super) fn values(schema: &Value, grain: f64) -> BoxedStrategy<Value> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let step = bound("multipleOf").filter(|step| *step > 0.0).unwrap_or(grain);
    let low = bound("minimum").into_iter().chain(bound("exclusiveMinimum").map(|low| low + step)).reduce(f64::max);
    let high = bound("maximum").into_iter().chain(bound("exclusiveMaximum").map(|high| high - step)).reduce(f64::min);
    let mut ranges = Vec::new();
    if low.is_none_or(|low| low <= 0.0) && high.is_none_or(|high| high >= 0.0) {
        let half = SPAN / 2.0 * step;
        ranges.push((low.unwrap_or(-half).max(-half), high.unwrap_or(half).min(half)));
    }
    if let Some(low) = low {
        ranges.push((low, high.unwrap_or(f64::MAX).min(low + SPAN * step)));
    }
    if let Some(high) = high {
        ranges.push((low.unwrap_or(f64::MIN).max(high - SPAN * step), high));
    }
    Union::new(ranges.into_iter().map(|(low, high)| between(low, high, step))).boxed()
}

fn between(low: f64, high: f64, step: f64) -> BoxedStrategy<Value> {
    let first = (low / step).ceil();
    let steps = ((high / step).floor() - first).clamp(0.0, SPAN);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the span")]
    let steps = steps as u32;
    (0..=steps).prop_map(move |at| plain((first + f64::from(at)) * step)).boxed()
}

/// Whole numbers without a fraction, as JSON writes them.
fn plain(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the range")]
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return json!(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
