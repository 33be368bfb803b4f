//! Where two JSON values differ, as a person wants to read it. Pure.

use serde_json::{Number, Value};

use crate::check::trial::short;

/// So many differences are listed.
const MAX_DIFFERENCES: usize = 10;

/// The differences between what was expected and what was given, in the order of what was expected: each the JSON pointer
/// and both values. At most ten.
pub(in crate::check::connector) fn differences(expected: &Value, given: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(expected, given, "", &mut found);
    found
}

fn walk(expected: &Value, given: &Value, path: &str, found: &mut Vec<String>) {
    if found.len() == MAX_DIFFERENCES {
        return;
    }
    let here = if path.is_empty() { "the top" } else { path };
    match (expected, given) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, value) in one {
                let path = step(path, key);
                match other.get(key) {
                    Some(given) => walk(value, given, &path, found),
                    None => tell(found, || format!("{path}: expected {}, it is not there", shown(value))),
                }
            }
            for (key, value) in other.iter().filter(|(key, _)| !one.contains_key(*key)) {
                tell(found, || format!("{}: not expected, it is {}", step(path, key), shown(value)));
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for (at, (expected, given)) in one.iter().zip(other).enumerate() {
                walk(expected, given, &step(path, &at.to_string()), found);
            }
            if one.len() != other.len() {
                tell(found, || format!("{here}: expected {} items, there are {}", one.len(), other.len()));
            }
        }
        (Value::Number(one), Value::Number(other)) if equal(one, other) => {}
        (one, other) if one == other => {}
        (one, other) => tell(found, || format!("{here}: expected {}, given {}", shown(one), shown(other))),
    }
}

fn tell(found: &mut Vec<String>, what: impl FnOnce() -> String) {
    if found.len() < MAX_DIFFERENCES {
        found.push(what());
    }
}

/// Whether two numbers are one: JSON has a single kind, and `1.0` is `1`.
fn equal(one: &Number, other: &Number) -> bool {
    let is_whole = |n: &Number| n.is_i64() || n.is_u64();
    if is_whole(one) && is_whole(other) { one == other } else { one.as_f64() == other.as_f64() }
}

/// A JSON pointer one step further (RFC 6901).
fn step(path: &str, key: &str) -> String {
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn shown(value: &Value) -> String {
    short(&value.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_difference_has_its_pointer_and_both_values() {
        let (expected, given) =
            (json!({ "a/b": [1, { "c": "x" }], "gone": 1 }), json!({ "a/b": [1, { "c": "y" }, 2], "new": null }));
        assert_eq!(
            differences(&expected, &given),
            [
                "/a~1b/1/c: expected \"x\", given \"y\"",
                "/a~1b: expected 2 items, there are 3",
                "/gone: expected 1, it is not there",
                "/new: not expected, it is null",
            ]
        );
        assert_eq!(differences(&json!(1), &json!("1")), ["the top: expected 1, given \"1\""]);
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_order_of_members_does_not_count() {
        assert_eq!(differences(&json!({ "a": 1, "b": 2.0 }), &json!({ "b": 2, "a": 1.0 })), [""; 0]);
        let large = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(differences(&large("9007199254740993"), &large("9007199254740992")).len(), 1);
    }

    #[test]
    fn at_most_ten_are_listed() {
        let row = |n: i64| Value::from((0..50).map(|i| i * n).collect::<Vec<_>>());
        assert_eq!(differences(&row(1), &row(2)).len(), MAX_DIFFERENCES);
    }
}
