//! Arrays.

use proptest::prelude::*;
use serde_json::Value;

use super::super::anything;
use super::{Making, size};

/// The most items that are made because there may not be fewer.
const MAX_ITEMS: usize = 1_000;

impl Making<'_> {
    pub(super) fn array(self, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
        // Drafts before 2020-12 write the first items as an array in `items`.
        let list = |name: &str| schema.get(name).and_then(Value::as_array);
        let fixed = list("prefixItems").or_else(|| list("items")).map_or(&[][..], Vec::as_slice);
        let rest = if list("items").is_some() { schema.get("additionalItems") } else { schema.get("items") };
        let fixed: Vec<BoxedStrategy<Value>> = fixed.iter().map(|item| self.values(item, depth + 1)).collect();
        let contained = match schema.get("contains") {
            Some(item) if !self.is_deep(depth) => {
                let least = size(schema, "minContains").unwrap_or(1).min(MAX_ITEMS);
                prop::collection::vec(self.values(item, depth + 1), least..=least).boxed()
            }
            _ => Just(Vec::new()).boxed(),
        };
        let have = fixed.len() + size(schema, "minContains").unwrap_or(0);
        let least = size(schema, "minItems").unwrap_or(0).saturating_sub(have);
        if least > MAX_ITEMS {
            return super::nothing();
        }
        let spread = if self.is_deep(depth) { 0 } else { 3 };
        let most = size(schema, "maxItems").unwrap_or(usize::MAX).saturating_sub(have).min(least + spread).max(least);
        let items = match rest {
            Some(Value::Bool(false)) => Just(Vec::new()).boxed(),
            Some(item) if most > 0 => prop::collection::vec(self.values(item, depth + 1), least..=most).boxed(),
            _ => prop::collection::vec(anything(), least..=most).boxed(),
        };
        let is_set = schema.get("uniqueItems") == Some(&Value::Bool(true));
        (fixed, contained, items)
            .prop_map(move |(fixed, contained, items)| {
                let mut all: Vec<Value> = Vec::new();
                for item in fixed.into_iter().chain(contained).chain(items) {
                    if !is_set || !all.contains(&item) {
                        all.push(item);
                    }
                }
                Value::from(all)
            })
            .boxed()
    }
}
