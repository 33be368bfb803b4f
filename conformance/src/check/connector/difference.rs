//! Where two descriptions of one connector differ. Pure.

use std::collections::BTreeMap;

use codemode_runtime::connector::{Description, Method};
use serde_json::Value;

use crate::check::trial::short;

/// How two descriptions compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// They are the same.
    None,
    /// They say the same in another order; the sentence says of what.
    Order(String),
    /// They say something else; one sentence for each thing.
    Content(Vec<String>),
}

/// Compares what was said first with what was said later.
pub(super) fn difference(first: &Description, later: &Description) -> Difference {
    if first == later {
        return Difference::None;
    }
    let mut said = Vec::new();
    let mut text = |what: &str, a: &str, b: &str| {
        if a != b {
            said.push(format!("{what}: first {:?}, then {:?}", short(a), short(b)));
        }
    };
    text("the suggested name", &first.suggested_name, &later.suggested_name);
    text("the instructions", optional(&first.instructions), optional(&later.instructions));
    text("the hooks", &format!("{:?}", first.hooks), &format!("{:?}", later.hooks));
    text("the form of values", &format!("{:?}", first.values), &format!("{:?}", later.values));
    text("the origins", &sorted(&first.origins), &sorted(&later.origins));
    text("the configuration keys", &sorted(&first.config), &sorted(&later.config));
    let (ours, theirs) = (by_name(first), by_name(later));
    for (name, method) in &ours {
        match theirs.get(name) {
            None => said.push(format!("method `{}` is there the first time only", name.0)),
            Some(other) => said.extend(changes(method, other)),
        }
    }
    let added = theirs.keys().filter(|name| !ours.contains_key(*name));
    said.extend(added.map(|name| format!("method `{}` is not there the first time", name.0)));
    if said.is_empty() { Difference::Order(order(first, later)) } else { Difference::Content(said) }
}

/// The methods by name, and by number where a name comes again.
fn by_name(description: &Description) -> BTreeMap<(String, usize), &Method> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut named = BTreeMap::new();
    for method in &description.methods {
        let number = numbers.entry(&method.name).or_default();
        named.insert((method.name.clone(), *number), method);
        *number += 1;
    }
    named
}

fn order(first: &Description, later: &Description) -> String {
    let pairs = first.methods.iter().zip(&later.methods);
    match pairs.into_iter().enumerate().find(|(_, (a, b))| a.name != b.name) {
        Some((at, (a, b))) => format!("method {} is `{}` the first time and `{}` then", at + 1, a.name, b.name),
        None => "origins or configuration keys come in another order".to_owned(),
    }
}

/// What changed about one method.
fn changes(one: &Method, other: &Method) -> Vec<String> {
    let name = &one.name;
    let mut said = Vec::new();
    let mut text = |what: &str, a: String, b: String| {
        if a != b {
            said.push(format!("method `{name}`, {what}: first {:?}, then {:?}", short(&a), short(&b)));
        }
    };
    text("description", optional(&one.description).to_owned(), optional(&other.description).to_owned());
    let flags = |m: &Method| {
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            m.approval, m.replay, m.effect, m.repeatable, m.destructive, m.revertible
        )
    };
    text("what it declares", flags(one), flags(other));
    for (what, a, b) in [
        ("input schema", &one.input_schema, &other.input_schema),
        ("output schema", &one.output_schema, &other.output_schema),
    ] {
        if a != b {
            let place = place(optional(a), optional(b));
            said.push(format!("method `{name}`, {what} differs{place}"));
        }
    }
    said
}

/// The first place where two schemas differ, where both are JSON.
fn place(a: &str, b: &str) -> String {
    let (Ok(one), Ok(other)) = (serde_json::from_str::<Value>(a), serde_json::from_str::<Value>(b)) else {
        return format!(": first {:?}, then {:?}", short(a), short(b));
    };
    let found = super::cases::differences(&one, &other);
    match found.first() {
        Some(first) => format!(" at {first}"),
        None => ": it is written in another way".to_owned(),
    }
}

fn optional(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or("")
}

fn sorted<T: std::fmt::Debug>(items: &[T]) -> String {
    let mut texts: Vec<String> = items.iter().map(|item| format!("{item:?}")).collect();
    texts.sort_unstable();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describing(methods: &[(&str, &str)]) -> Description {
        let method = |(name, text): &(&str, &str)| Method {
            name: (*name).to_owned(),
            description: Some((*text).to_owned()),
            input_schema: Some(format!("{{\"properties\":{{\"{text}\":true}}}}")),
            ..Method::default()
        };
        Description { methods: methods.iter().map(method).collect(), ..Description::default() }
    }

    #[test]
    fn another_order_is_told_from_another_text() {
        let first = describing(&[("a", "x"), ("b", "x")]);
        assert_eq!(difference(&first, &first.clone()), Difference::None);
        let Difference::Order(told) = difference(&first, &describing(&[("b", "x"), ("a", "x")])) else {
            panic!("order")
        };
        assert_eq!(told, "method 1 is `a` the first time and `b` then");
        let Difference::Content(told) = difference(&first, &describing(&[("b", "y"), ("a", "x")])) else {
            panic!("text")
        };
        assert_eq!(told[0], "method `b`, description: first \"x\", then \"y\"");
        assert!(told[1].starts_with("method `b`, input schema differs at /properties"), "{told:?}");
    }

    #[test]
    fn methods_that_come_and_go_are_named() {
        let told = difference(&describing(&[("a", "x"), ("a", "x")]), &describing(&[("a", "x"), ("c", "x")]));
        let both = ["method `a` is there the first time only", "method `c` is not there the first time"];
        assert_eq!(told, Difference::Content(both.map(str::to_owned).to_vec()));
    }
}
