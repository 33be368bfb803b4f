//! What each keyword of JSON Schema says about the values to make. It need not be exact: what does not fit in the end is
//! filtered out.

use proptest::prelude::*;
use proptest::string::string_regex;
use serde_json::{Map, Number, Value, json};

use super::anything;

/// References are followed so many times; then the smallest value of the type is made.
const MAX_DEPTH: usize = 6;

/// Values for a schema; `root` is where its references lead.
pub(super) fn values(root: &Value, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
    let Value::Object(keywords) = schema else { return anything() };
    if let Some(target) = keywords.get("$ref").and_then(Value::as_str) {
        return match target.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) {
            Some(target) if depth < MAX_DEPTH => values(root, target, depth + 1),
            _ => Just(Value::Null).boxed(),
        };
    }
    if let Some(constant) = keywords.get("const") {
        return Just(constant.clone()).boxed();
    }
    if let Some(Value::Array(options)) = keywords.get("enum")
        && !options.is_empty()
    {
        return prop::sample::select(options.clone()).boxed();
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(options)) = keywords.get(keyword)
            && !options.is_empty()
        {
            let merged = options.iter().map(|option| values(root, &merge(schema, keyword, option), depth + 1));
            return prop::strategy::Union::new(merged.collect::<Vec<_>>()).boxed();
        }
    }
    if let Some(Value::Array(parts)) = keywords.get("allOf") {
        let whole = parts.iter().fold(without(schema, "allOf"), |whole, part| merged(&whole, &resolved(root, part)));
        return values(root, &whole, depth + 1);
    }
    typed(root, schema, depth)
}

fn typed(root: &Value, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
    let implied = || {
        let has = |names: &[&str]| names.iter().any(|name| schema.get(name).is_some());
        if has(&["properties", "required", "additionalProperties"]) {
            Some("object")
        } else if has(&["items", "prefixItems"]) {
            Some("array")
        } else if has(&["minimum", "maximum", "multipleOf"]) {
            Some("number")
        } else if has(&["pattern", "minLength", "maxLength", "format"]) {
            Some("string")
        } else {
            None
        }
    };
    match schema.get("type") {
        Some(Value::String(name)) => of_type(root, schema, name, depth),
        Some(Value::Array(names)) if !names.is_empty() => {
            let each = names.iter().filter_map(Value::as_str).map(|name| of_type(root, schema, name, depth));
            prop::strategy::Union::new(each.collect::<Vec<_>>()).boxed()
        }
        _ => match implied() {
            Some(name) => of_type(root, schema, name, depth),
            None => anything(),
        },
    }
}

fn of_type(root: &Value, schema: &Value, name: &str, depth: usize) -> BoxedStrategy<Value> {
    match name {
        "object" => object(root, schema, depth),
        "array" => array(root, schema, depth),
        "string" => string(schema),
        "integer" => number(schema, 1.0),
        "number" => number(schema, 0.25),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        _ => Just(Value::Null).boxed(),
    }
}

/// Required members always, others at times, unknown ones never.
fn object(root: &Value, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let mut members: Vec<BoxedStrategy<Option<(String, Value)>>> = Vec::new();
    for (key, member) in properties {
        let (key, is_required) = (key.clone(), required.contains(&key.as_str()));
        let value = values(root, member, depth + 1).prop_map(move |value| (key.clone(), value));
        members.push(match is_required {
            true => value.prop_map(Some).boxed(),
            false if depth >= MAX_DEPTH => Just(None).boxed(),
            false => prop::option::of(value).boxed(),
        });
    }
    for name in required.into_iter().filter(|name| !properties.contains_key(*name)) {
        let name = name.to_owned();
        members.push(anything().prop_map(move |value| Some((name.clone(), value))).boxed());
    }
    members.prop_map(|members| Value::Object(members.into_iter().flatten().collect())).boxed()
}

fn array(root: &Value, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
    let size = |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let fixed: Vec<BoxedStrategy<Value>> = schema
        .get("prefixItems")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|item| values(root, item, depth + 1))
        .collect();
    let least = size("minItems").unwrap_or(0).saturating_sub(fixed.len()).min(64);
    let spread = if depth >= MAX_DEPTH { 0 } else { 3 };
    let most = size("maxItems").unwrap_or(usize::MAX).saturating_sub(fixed.len()).min(least + spread).max(least);
    let item = match schema.get("items") {
        Some(Value::Bool(false)) => return fixed.prop_map(Value::from).boxed(),
        Some(item) => values(root, item, depth + 1),
        None => anything(),
    };
    (fixed, prop::collection::vec(item, least..=most))
        .prop_map(|(mut fixed, rest)| {
            fixed.extend(rest);
            Value::from(fixed)
        })
        .boxed()
}

fn string(schema: &Value) -> BoxedStrategy<Value> {
    let size = |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let format = schema.get("format").and_then(Value::as_str);
    let example = match format {
        Some("date-time") => Some("20[0-9]{2}-0[1-9]-1[0-9]T1[0-9]:[0-5][0-9]:[0-5][0-9]Z"),
        Some("date") => Some("20[0-9]{2}-0[1-9]-1[0-9]"),
        Some("time") => Some("1[0-9]:[0-5][0-9]:[0-5][0-9]Z"),
        Some("email") => Some("[a-z]{1,8}@example\\.com"),
        Some("uri" | "url") => Some("https://example\\.com/[a-z]{0,8}"),
        Some("uuid") => Some("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}"),
        Some("ipv4") => Some("10\\.[0-9]\\.[0-9]\\.[0-9]"),
        _ => None,
    };
    let pattern = schema.get("pattern").and_then(Value::as_str).map(anchored);
    if let Some(strategy) = pattern.as_deref().or(example).and_then(|regex| string_regex(regex).ok()) {
        return strategy.prop_map(Value::from).boxed();
    }
    let least = size("minLength").unwrap_or(0).min(10_000);
    let most = size("maxLength").unwrap_or(least + 24).min(least + 24).max(least);
    let character = prop_oneof![
        8 => prop::char::range('a', 'z'),
        2 => prop::sample::select(vec![' ', 'É', '日', '🙂', '"', '\\', '\n', '/', '\u{0}', '\u{2028}']),
    ];
    prop::collection::vec(character, least..=most)
        .prop_map(|chars| Value::from(chars.into_iter().collect::<String>()))
        .boxed()
}

/// A pattern of JSON Schema, which may match anywhere, as one for a whole text.
fn anchored(pattern: &str) -> String {
    pattern.trim_start_matches('^').trim_end_matches('$').to_owned()
}

fn number(schema: &Value, grain: f64) -> BoxedStrategy<Value> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let step = bound("multipleOf").filter(|step| *step > 0.0).unwrap_or(grain);
    let low = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|low| low + step));
    let high = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|high| high - step));
    let (low, high) = match (low, high) {
        (Some(low), Some(high)) => (low, high.max(low)),
        (Some(low), None) => (low, low + 1_000.0 * step),
        (None, Some(high)) => (high - 1_000.0 * step, high),
        (None, None) => (-500.0 * step, 500.0 * step),
    };
    let first = (low / step).ceil();
    let steps = ((high / step).floor() - first).clamp(0.0, 1_000_000.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a million")]
    let steps = steps as u64;
    (0..=steps)
        .prop_map(move |at| {
            #[expect(clippy::cast_precision_loss, reason = "at most a million")]
            let value = (first + at as f64) * step;
            plain_number(value)
        })
        .boxed()
}

/// Whole numbers without a fraction, as JSON writes them.
fn plain_number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the range")]
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return json!(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// A schema with one alternative of a keyword in place of the keyword.
fn merge(schema: &Value, keyword: &str, option: &Value) -> Value {
    merged(&without(schema, keyword), option)
}

fn without(schema: &Value, keyword: &str) -> Value {
    let mut rest = schema.clone();
    if let Value::Object(keywords) = &mut rest {
        keywords.shift_remove(keyword);
    }
    rest
}

/// A part of `allOf`, where its own reference leads.
fn resolved(root: &Value, part: &Value) -> Value {
    let target =
        part.get("$ref").and_then(Value::as_str).and_then(|t| t.strip_prefix('#')).and_then(|p| root.pointer(p));
    target.unwrap_or(part).clone()
}

/// Both at once: members and required names of either, other keywords of the second.
fn merged(one: &Value, other: &Value) -> Value {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return if other.is_object() { other.clone() } else { one.clone() };
    };
    let mut both = one.clone();
    for (keyword, value) in other {
        match (both.get_mut(keyword), value) {
            (Some(Value::Object(mine)), Value::Object(more)) if keyword == "properties" => {
                mine.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            (Some(Value::Array(mine)), Value::Array(more)) if keyword == "required" => {
                mine.extend(more.iter().cloned())
            }
            _ => drop(both.insert(keyword.clone(), value.clone())),
        }
    }
    Value::Object(both)
}
