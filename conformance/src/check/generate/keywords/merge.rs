//! Schemas put together: where a reference leads, and two schemas that hold at once.

use serde_json::Value;

/// Where a reference inside of the document leads: to its root, along a pointer, or to an anchor.
pub(super) fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let fragment = match reference.split_once('#') {
        Some(("", fragment)) => fragment,
        // The document's own name.
        Some((base, fragment)) if root.get("$id").and_then(Value::as_str) == Some(base) => fragment,
        _ => return None,
    };
    if fragment.is_empty() || fragment.starts_with('/') {
        return root.pointer(&unescaped(fragment));
    }
    anchored(root, fragment)
}

/// `%25` and the like in a fragment.
fn unescaped(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) => {
                bytes.push(escaped);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn anchored<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    let is_it = |keyword: &str| schema.get(keyword).and_then(Value::as_str) == Some(name);
    if is_it("$anchor") || is_it("$dynamicAnchor") {
        return Some(schema);
    }
    match schema {
        Value::Object(members) => members.values().find_map(|member| anchored(member, name)),
        Value::Array(items) => items.iter().find_map(|item| anchored(item, name)),
        _ => None,
    }
}

/// A part of a composition, where its own reference leads.
pub(super) fn resolved(root: &Value, part: &Value) -> Value {
    let found = part.get("$ref").and_then(Value::as_str).and_then(|reference| target(root, reference));
    match found {
        Some(found) => merged(&without(part, "$ref"), found),
        None => part.clone(),
    }
}

/// A schema without a keyword.
pub(super) fn without(schema: &Value, keyword: &str) -> Value {
    let mut rest = schema.clone();
    if let Value::Object(keywords) = &mut rest {
        keywords.shift_remove(keyword);
    }
    rest
}

/// Both at once: members, required names and further compositions of either, the narrower of two bounds, and other
/// keywords of the second.
pub(super) fn merged(one: &Value, other: &Value) -> Value {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return if other.is_object() { other.clone() } else { one.clone() };
    };
    let mut both = one.clone();
    for (keyword, value) in other {
        match (both.get_mut(keyword), value) {
            (Some(Value::Object(mine)), Value::Object(more))
                if matches!(keyword.as_str(), "properties" | "patternProperties" | "dependentRequired") =>
            {
                for (name, schema) in more {
                    let whole = mine.get(name).map_or_else(|| schema.clone(), |mine| merged(mine, schema));
                    mine.insert(name.clone(), whole);
                }
            }
            (Some(Value::Array(mine)), Value::Array(more)) if matches!(keyword.as_str(), "required" | "allOf") => {
                mine.extend(more.iter().cloned());
            }
            (Some(Value::Array(mine)), Value::Array(more)) if keyword == "enum" => {
                mine.retain(|value| more.contains(value));
            }
            (Some(mine), value) => *mine = narrower(keyword, mine, value),
            (None, _) => drop(both.insert(keyword.clone(), value.clone())),
        }
    }
    Value::Object(both)
}

/// The one of two bounds that allows less.
fn narrower(keyword: &str, one: &Value, other: &Value) -> Value {
    let (Some(a), Some(b)) = (one.as_f64(), other.as_f64()) else { return other.clone() };
    let (least, most) = (keyword.starts_with("min") || keyword == "exclusiveMinimum", keyword.contains("ax"));
    if (least && a > b) || (most && a < b) { one.clone() } else { other.clone() }
}
