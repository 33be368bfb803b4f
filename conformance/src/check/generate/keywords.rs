//! What each keyword of JSON Schema says about the values to make. It need not be exact: what does not fit in the end is
//! filtered out. What matters is that something fits often, and that no schema, however it refers to itself, takes long.

mod array;
mod merge;
mod number;
mod object;
mod text;

use std::cell::Cell;

use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::Value;

use super::anything;
use merge::{merged, without};

/// Levels of members, items, alternatives and references; then the smallest value is made.
const MAX_DEPTH: usize = 8;
/// Pieces of schema that are looked at for one strategy. A schema that refers to itself in many places is endless.
const MAX_PIECES: u32 = 4_000;

/// Parts of an `allOf` that are put together; further ones only filter.
const MAX_PARTS: usize = 64;

/// Values for a whole schema.
pub(super) fn values(schema: &Value) -> BoxedStrategy<Value> {
    Making { root: schema, left: &Cell::new(MAX_PIECES) }.values(schema, 0)
}

/// One strategy being made.
#[derive(Clone, Copy)]
struct Making<'a> {
    /// Where references lead.
    root: &'a Value,
    /// Pieces that may still be looked at.
    left: &'a Cell<u32>,
}

impl Making<'_> {
    fn values(self, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
        let Value::Object(keywords) = schema else {
            return if *schema == Value::Bool(false) { Just(Value::Null).boxed() } else { anything() };
        };
        if depth > MAX_DEPTH + 4 {
            return Just(Value::Null).boxed();
        }
        self.left.set(self.left.get().saturating_sub(1));
        let made = self.composed(schema, depth);
        // What the author gives as example is likely to mean something to the connector.
        let examples = keywords.get("examples").and_then(Value::as_array).into_iter().flatten();
        let single = ["default", "example"].into_iter().filter_map(|name| keywords.get(name));
        let given: Vec<Value> = examples.chain(single).cloned().collect();
        if given.is_empty() { made } else { prop_oneof![3 => made, 1 => prop::sample::select(given)].boxed() }
    }

    /// Whether only the smallest values are made from here on.
    fn is_deep(self, depth: usize) -> bool {
        depth >= MAX_DEPTH || self.left.get() == 0
    }

    fn composed(self, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
        for keyword in ["$ref", "$dynamicRef"] {
            if let Some(reference) = schema.get(keyword).and_then(Value::as_str) {
                return match merge::target(self.root, reference) {
                    Some(target) if !self.is_deep(depth) => {
                        self.values(&merged(&without(schema, keyword), target), depth + 1)
                    }
                    _ => Just(Value::Null).boxed(),
                };
            }
        }
        if let Some(constant) = schema.get("const") {
            return Just(constant.clone()).boxed();
        }
        if let Some(Value::Array(options)) = schema.get("enum")
            && !options.is_empty()
        {
            return prop::sample::select(options.clone()).boxed();
        }
        if let Some(Value::Array(parts)) = schema.get("allOf") {
            // A part that refers back to the whole doubles the parts each time.
            let whole = parts
                .iter()
                .take(MAX_PARTS)
                .fold(without(schema, "allOf"), |whole, part| merged(&whole, &merge::resolved(self.root, part)));
            return self.values(&whole, depth + 1);
        }
        if let Some(condition) = schema.get("if") {
            return self.conditional(schema, condition, depth);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(options)) = schema.get(keyword)
                && !options.is_empty()
            {
                return self.either(&without(schema, keyword), options, depth);
            }
        }
        self.typed(schema, depth)
    }

    /// One of the alternatives, together with the rest of the schema.
    fn either(self, rest: &Value, options: &[Value], depth: usize) -> BoxedStrategy<Value> {
        let plain = |option: &&Value| option.get("$ref").is_none();
        let mut chosen: Vec<&Value> = options.iter().collect();
        // An alternative that refers to nothing is where a recursive schema ends.
        if self.is_deep(depth) && options.iter().any(|option| plain(&option)) {
            chosen.retain(plain);
        }
        let made = chosen.into_iter().map(|option| {
            let option = if rest.as_object().is_some_and(|rest| rest.is_empty()) {
                option.clone()
            } else {
                merged(rest, &merge::resolved(self.root, option))
            };
            self.values(&option, depth + 1)
        });
        Union::new(made.collect::<Vec<_>>()).boxed()
    }

    /// Values that meet the condition and what follows from it, and others that meet what follows otherwise.
    fn conditional(self, schema: &Value, condition: &Value, depth: usize) -> BoxedStrategy<Value> {
        let rest = without(&without(&without(schema, "if"), "then"), "else");
        let branch = |keyword: &str| schema.get(keyword).map(|part| merge::resolved(self.root, part));
        let met = merged(&rest, &merge::resolved(self.root, condition));
        let met = branch("then").map_or(met.clone(), |then| merged(&met, &then));
        let unmet = branch("else").map_or(rest.clone(), |otherwise| merged(&rest, &otherwise));
        Union::new([self.values(&met, depth + 1), self.values(&unmet, depth + 1)]).boxed()
    }

    fn typed(self, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
        match schema.get("type") {
            Some(Value::String(name)) => self.of_type(schema, name, depth),
            Some(Value::Array(names)) if names.iter().any(Value::is_string) => {
                let each = names.iter().filter_map(Value::as_str).map(|name| self.of_type(schema, name, depth));
                Union::new(each.collect::<Vec<_>>()).boxed()
            }
            _ => match implied(schema) {
                Some(name) => self.of_type(schema, name, depth),
                None => anything(),
            },
        }
    }

    fn of_type(self, schema: &Value, name: &str, depth: usize) -> BoxedStrategy<Value> {
        match name {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => text::values(schema),
            "integer" => number::values(schema, 1.0),
            "number" => number::values(schema, 0.25),
            "boolean" => any::<bool>().prop_map(Value::from).boxed(),
            _ => Just(Value::Null).boxed(),
        }
    }
}

/// The type that a schema means which names none.
fn implied(schema: &Value) -> Option<&'static str> {
    let has = |names: &[&str]| names.iter().any(|name| schema.get(name).is_some());
    let object = ["properties", "required", "additionalProperties", "patternProperties", "minProperties"];
    if has(&object) {
        Some("object")
    } else if has(&["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"]) {
        Some("array")
    } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
        Some("number")
    } else if has(&["pattern", "minLength", "maxLength", "format"]) {
        Some("string")
    } else {
        None
    }
}

/// What is made where nothing that could be made would fit: the filter refuses it at once.
fn nothing() -> BoxedStrategy<Value> {
    Just(Value::Null).boxed()
}

/// The whole number of a keyword, as a size.
fn size(schema: &Value, name: &str) -> Option<usize> {
    schema.get(name).and_then(Value::as_u64).map(|n| usize::try_from(n).unwrap_or(usize::MAX))
}
