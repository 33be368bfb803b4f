//! TypeScript declarations of what a connector's schemas say: for the model, which writes code by them.
//!
//! JSON Schema 2020-12 and draft-07, and what OpenAPI and code generators make of them. Every text gives valid TypeScript:
//! what cannot be said, found or shown is `unknown`, and a comment says why. No output is longer than its limit.

mod block;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod grow;
mod object;
mod print;
mod resolve;
mod surrogates;
mod text;
mod tree;

use std::collections::BTreeSet;

use serde_json::Value;

pub use block::{Declared, declare};
pub(crate) use block::{declare_input, declare_types};
pub(crate) use resolve::is_address_of;
pub(crate) use surrogates::parse as parse_schema;

use crate::names::sanitized;
use resolve::Document;
use tree::{References, Room, Tree, units};

/// How long declarations may be, in UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// `declaration size`: the type of one argument or result.
    pub declaration: usize,
    /// `docs size`: everything that a description has.
    pub block: usize,
}

/// The name of the type of a tool (SCHEMA-28): the sanitized name, each `_` with a lower-case letter after it becoming the
/// upper-case letter, and a lower-case letter at the start raised.
pub(crate) fn type_name(tool: &str) -> String {
    let name = sanitized(tool);
    let mut out = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek().copied().filter(char::is_ascii_lowercase) {
            Some(next) if c == '_' => {
                out.push(next.to_ascii_uppercase());
                chars.next();
            }
            _ => out.push(c),
        }
    }
    if let Some(first) = out.get(..1) {
        let raised = first.to_ascii_uppercase();
        out.replace_range(..1, &raised);
    }
    out
}

/// Says before the types that something is left out of them.
fn notice(limit: usize) -> String {
    format!("// Cut to {limit} characters: what is left out is `unknown`.\n")
}

/// The declaration `type NAME = …` of a schema, with the types that it needs, in at most `limit` UTF-16 code units
/// (limit `declaration size`); never less than one `unknown`. No schema is `unknown` (SCHEMA-29). `taken` are the names
/// that are in use; those of this one are added.
fn declare_type(name: &str, schema: Option<&Value>, limit: usize, taken: &mut BTreeSet<String>) -> String {
    let Some(schema) = schema else { return format!("type {name} = unknown") };
    let document = Document::new(schema);
    let grown = |references, room| Tree::grown(&document, name, references, room);
    // What the tree takes is more than what it prints. Twice the room shows whether all of it fits.
    let ample = Room { whole: 2 * limit + 1_000, list: 2 * limit + 1_000 };
    let inlined = grown(References::Inlined, ample);
    let all = whole(&inlined, limit);
    // What is small is shown as it is; what is not, in the shorter way.
    let is_short = |text: &String| units(text) <= limit / 4;
    if inlined.refers && !all.as_ref().is_some_and(is_short) {
        let mut named = grown(References::Named, ample);
        named.rename(taken);
        if let Some(text) = whole(&named, limit).filter(|text| all.as_ref().is_none_or(|all| text.len() < all.len())) {
            taken.extend(named.names());
            return text;
        }
    }
    all.unwrap_or_else(|| {
        let room = limit.saturating_sub(notice(limit).len() + "type  = ".len() + name.len());
        let mut cut = grown(References::Named, Room { whole: room, list: room / 4 });
        cut.rename(taken);
        taken.extend(cut.names());
        let text = notice(limit) + &cut.print();
        // A name that had to be changed may be longer than its room.
        if units(&text) <= limit { text } else { format!("type {name} = unknown") }
    })
}

/// All of a tree, if it fits.
fn whole(tree: &Tree<'_, '_>, limit: usize) -> Option<String> {
    let text = (!tree.is_cut).then(|| tree.print())?;
    (units(&text) <= limit).then_some(text)
}

#[cfg(test)]
mod tests;
