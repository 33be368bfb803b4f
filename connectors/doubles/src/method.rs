//! What the doubles offer.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

use crate::breaks;
use crate::codemode::component::types::{Effect, Method, Repeatable, ReplayPolicy};

/// How often this instance described itself.
static DESCRIBED: AtomicU32 = AtomicU32::new(0);

/// A number that is another one in each instance.
#[expect(clippy::disallowed_methods, reason = "that it differs each time is the point")]
fn other_each_time() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

/// The methods, one of them broken where the double says so.
pub(crate) fn all() -> Vec<Method> {
    let mut put = method("put", Effect::Write);
    put.input_schema = Some(
        json!({
            "type": "object",
            "properties": { "text": { "type": "string" }, "count": { "type": "integer", "minimum": 0, "maximum": 9 } },
            "required": ["text", "count"],
            "additionalProperties": false,
        })
        .to_string(),
    );
    put.output_schema =
        Some(json!({ "type": "object", "properties": { "length": { "type": "integer" } } }).to_string());
    put.repeatable = Repeatable::WithKey;
    put.revertible = true;
    let get = method("get", Effect::ReadOnly);
    let mut methods = vec![put, get];
    if breaks("CONN-DESC-02") {
        methods[0].description = Some(format!("Keeps a text ({})", other_each_time()));
    }
    if breaks("CONN-DESC-07") && DESCRIBED.fetch_add(1, Ordering::Relaxed) > 0 {
        methods.reverse();
    }
    if breaks("CONN-DESC-03") {
        methods.push(method("a-b", Effect::ReadOnly));
    }
    if breaks("CONN-DESC-04") {
        methods[1].output_schema = Some(json!({ "type": "strin" }).to_string());
    }
    if breaks("CONN-DESC-05") {
        (methods[1].requires_approval, methods[1].replay) = (true, ReplayPolicy::Reexecute);
    }
    methods
}

fn method(name: &str, effect: Effect) -> Method {
    Method {
        name: name.to_owned(),
        description: None,
        input_schema: None,
        output_schema: None,
        requires_approval: false,
        replay: ReplayPolicy::Recorded,
        effect,
        repeatable: Repeatable::No,
        destructive: None,
        revertible: false,
        extras: Vec::new(),
    }
}
