//! Objects.

use proptest::prelude::*;
use proptest::string::string_regex;
use serde_json::{Map, Value};

use super::super::anything;
use super::{Making, size, text};

/// The most members without a name of their own that are made because there may not be fewer.
const MAX_OTHERS: usize = 1_000;

/// A member that may be in the object.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    value: Value,
    kept: bool,
}

impl Making<'_> {
    /// Required members always, others at times; unknown ones only where the schema speaks of them.
    pub(super) fn object(self, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let mut members: Vec<BoxedStrategy<Member>> = Vec::new();
        for (name, member) in properties {
            let is_required = required.contains(&name.as_str());
            if *member == Value::Bool(false) || (self.is_deep(depth) && !is_required) {
                continue;
            }
            let (name, kept) = (name.clone(), if is_required { Just(true).boxed() } else { any::<bool>().boxed() });
            let made = (self.values(member, depth + 1), kept);
            members.push(made.prop_map(move |(value, kept)| Member { name: name.clone(), value, kept }).boxed());
        }
        for name in required.iter().filter(|name| !properties.contains_key(**name)) {
            let (name, values) = ((*name).to_owned(), self.unnamed(schema, depth));
            members.push(values.prop_map(move |value| Member { name: name.clone(), value, kept: true }).boxed());
        }
        let others = self.others(schema, depth, members.len());
        let schema = schema.clone();
        (members, others).prop_map(move |(members, others)| chosen(&schema, members, others)).boxed()
    }

    /// Values of a member that `properties` does not name.
    fn unnamed(self, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
        match schema.get("additionalProperties") {
            Some(more) if more.is_object() && !self.is_deep(depth) => self.values(more, depth + 1),
            _ => anything(),
        }
    }

    /// Members that `properties` does not name.
    fn others(self, schema: &Value, depth: usize, named: usize) -> BoxedStrategy<Vec<(String, Value)>> {
        let missing = size(schema, "minProperties").unwrap_or(0).saturating_sub(named);
        if missing > MAX_OTHERS {
            return Just(Vec::new()).boxed();
        }
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let speaks = patterns.is_some() || schema.get("additionalProperties").is_some_and(Value::is_object);
        if self.is_deep(depth) || (missing == 0 && !speaks) {
            return Just(Vec::new()).boxed();
        }
        let mut kinds: Vec<BoxedStrategy<(String, Value)>> = Vec::new();
        for (pattern, member) in patterns.into_iter().flatten() {
            if let Ok(names) = string_regex(&text::whole(pattern)) {
                kinds.push((names, self.values(member, depth + 1)).boxed());
            }
        }
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) || kinds.is_empty() {
            let names = match schema.get("propertyNames") {
                Some(names) => self.values(&super::merged(&serde_json::json!({ "type": "string" }), names), depth + 1),
                // Short names come twice, and many of them have to be there once each.
                None if missing > 4 => "[a-z]{8,12}".prop_map(Value::from).boxed(),
                None => "[a-z]{1,8}".prop_map(Value::from).boxed(),
            };
            let names = names.prop_map(|name| name.as_str().unwrap_or_default().to_owned());
            kinds.push((names, self.unnamed(schema, depth)).boxed());
        }
        prop::collection::vec(prop::strategy::Union::new(kinds), missing..=missing + 2).boxed()
    }
}

/// The object of those members that are kept, of those that the kept ones need, and of as many as there must be.
fn chosen(schema: &Value, mut members: Vec<Member>, others: Vec<(String, Value)>) -> Value {
    let needs = ["dependentRequired", "dependencies"].into_iter().filter_map(|name| schema.get(name)?.as_object());
    let needs: Vec<(&String, Vec<&str>)> = needs
        .flatten()
        .map(|(name, needed)| (name, needed.as_array().into_iter().flatten().filter_map(Value::as_str).collect()))
        .collect();
    for _ in 0..=needs.len() {
        for (name, needed) in &needs {
            if members.iter().any(|member| member.kept && member.name == **name) {
                members.iter_mut().filter(|m| needed.contains(&m.name.as_str())).for_each(|member| member.kept = true);
            }
        }
    }
    let kept = members.iter().filter(|member| member.kept).count();
    let missing = size(schema, "minProperties").unwrap_or(0).saturating_sub(kept);
    members.iter_mut().filter(|member| !member.kept).take(missing).for_each(|member| member.kept = true);
    let most = size(schema, "maxProperties").unwrap_or(usize::MAX);
    let mut object = Map::new();
    for (name, value) in members.into_iter().filter(|m| m.kept).map(|m| (m.name, m.value)).chain(others) {
        if object.len() < most && !object.contains_key(&name) {
            object.insert(name, value);
        }
    }
    Value::Object(object)
}
