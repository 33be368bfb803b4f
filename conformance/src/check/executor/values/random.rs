//! Random values as tagged JSON, in the normal form of the journal.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn tag(kind: &str, part: Value) -> Value {
    json!({ "$cm": [kind, part] })
}

/// Values of every kind but those whose text depends on more than the value.
pub(super) fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_000_000_i64..1_000_000).prop_map(Value::from),
        (-1_000_i64..1_000).prop_map(|n| json!(n as f64 + 0.5)),
        "[a-zA-Z0-9 é🙂\u{0}\u{1f}\"\\\\\u{2028}]{0,12}".prop_map(Value::from),
        any::<i128>().prop_map(|n| tag("bigint", n.to_string().into())),
        (-8_640_000_000_000_000_i64..8_640_000_000_000_000).prop_map(|ms| tag("date", ms.into())),
        Just(tag("date", Value::Null)),
        Just(tag("number", "NaN".into())),
        Just(tag("number", "Infinity".into())),
        prop::sample::select(vec!["", "AA==", "AP8=", "AQID"])
            .prop_map(|bytes| json!({ "$cm": ["bytes", "Uint8Array", bytes] })),
        Just(json!({ "$cm": ["regexp", "a+", "g"] })),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let some = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            some().prop_map(Value::from),
            some().prop_map(|list| list.into_iter().chain([json!({ "$cm": ["undefined"] })]).collect()),
            prop::collection::vec(("[a-z]{1,6}", inner.clone()), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
            inner.clone().prop_map(|value| json!({ "$$cm": value })),
            // Each key once: equal ones would be one.
            some().prop_map(|list| tag("map", list.into_iter().enumerate().map(|(at, v)| json!([at, v])).collect())),
            some().prop_map(|list| tag("set", list.into_iter().enumerate().map(|(at, v)| json!([at, v])).collect())),
            inner.prop_map(|value| tag("error", json!({ "name": "RangeError", "message": "m", "code": value }))),
        ]
    })
}
