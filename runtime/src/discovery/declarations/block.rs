//! The declarations of a whole connector: the types of all its methods, then the object that has them (SCHEMA-26).

use std::collections::BTreeSet;

use serde_json::Value;

use super::grow::only_reference;
use super::resolve::{Document, Target};
use super::text::{block, comment, member_name};
use super::tree::{REFERENCES, units};
use super::{Sizes, declare_type, parse_schema, type_name};
use crate::names::sanitized;

/// A tool to declare.
#[derive(Clone, Copy, Debug, Default)]
pub struct Declared<'a> {
    /// What code calls it.
    pub name: &'a str,
    /// What it is called by its owner, for where it has no description.
    pub title: &'a str,
    /// What it does.
    pub description: Option<&'a str>,
    /// JSON Schema of its argument, as text.
    pub input: Option<&'a str>,
    /// JSON Schema of its result, as text.
    pub output: Option<&'a str>,
    /// More lines of its comment.
    pub remarks: &'a [&'a str],
}

/// What one tool takes in a block.
struct Piece {
    types: String,
    method: String,
    units: usize,
}

/// Declares tools as members of the constant `namespace`, in at most `sizes.block` UTF-16 code units (limit `docs size`).
/// Tools for which there is no room are named, as far as there is room for that.
#[must_use]
pub fn declare(namespace: &str, tools: &[Declared<'_>], sizes: Sizes) -> String {
    let namespace = sanitized(namespace);
    if tools.is_empty() {
        return format!("declare const {namespace}: {{}}");
    }
    let names = type_names(tools);
    let mut taken: BTreeSet<String> = names.iter().flat_map(|n| [format!("{n}Input"), format!("{n}Output")]).collect();
    let room = sizes.block.saturating_sub("\ndeclare const : {}".len() + namespace.len());
    let mut pieces: Vec<Piece> = Vec::new();
    let mut used = 0;
    for (tool, name) in tools.iter().zip(&names) {
        let piece = piece(tool, name, sizes.declaration, &mut taken);
        used += piece.units;
        if used > room {
            break;
        }
        pieces.push(piece);
    }
    let mut rest = String::new();
    if pieces.len() < tools.len() {
        // Names say more than the last few types.
        let mut used: usize = pieces.iter().map(|piece| piece.units).sum();
        while used > room - room / 4 {
            used -= pieces.pop().map_or(used, |piece| piece.units);
        }
        rest = left_out(&tools[pieces.len()..], room - used);
    }
    let types: String = pieces.iter().map(|piece| piece.types.as_str()).collect();
    let methods: String = pieces.iter().map(|piece| piece.method.as_str()).collect();
    let gap = if types.is_empty() { "" } else { "\n" };
    format!("{types}{gap}declare const {namespace}: {{{methods}{rest}}}")
}

/// The types of one tool: that of its argument, then that of its result (DESCRIBE-03).
pub(crate) fn declare_types(tool: &Declared<'_>, limit: usize) -> String {
    let name = type_name(tool.name);
    let mut taken = BTreeSet::from([format!("{name}Input"), format!("{name}Output")]);
    let input = declare_type(&format!("{name}Input"), schema(tool.input).as_ref(), limit, &mut taken);
    let output = declare_type(&format!("{name}Output"), schema(tool.output).as_ref(), limit, &mut taken);
    format!("{input}\n{output}")
}

/// The type of the argument alone.
pub(crate) fn declare_input(tool: &Declared<'_>, limit: usize) -> String {
    let name = format!("{}Input", type_name(tool.name));
    let mut taken = BTreeSet::from([name.clone()]);
    declare_type(&name, schema(tool.input).as_ref(), limit, &mut taken)
}

/// A text that is no JSON says as much as none.
fn schema(text: Option<&str>) -> Option<Value> {
    text.and_then(|text| parse_schema(text).ok())
}

fn piece(tool: &Declared<'_>, name: &str, limit: usize, taken: &mut BTreeSet<String>) -> Piece {
    let (input, output) = (schema(tool.input), schema(tool.output));
    let (input_name, output_name) = (format!("{name}Input"), format!("{name}Output"));
    let types = [
        declare_type(&input_name, input.as_ref(), limit, taken),
        declare_type(&output_name, output.as_ref(), limit, taken),
    ];
    let types = types.map(|text| text + "\n").concat();
    let about = tool.description.map(comment).filter(|text| !text.is_empty());
    let mut lines = vec![about.unwrap_or_else(|| comment(tool.title))];
    lines.extend(input.iter().flat_map(|input| parameters(input, limit)));
    lines.extend(tool.remarks.iter().map(|text| comment(text)));
    let method = format!(
        "\n{}\t{}: (input: {input_name}) => Promise<{output_name}>;\n",
        block(&lines, "\t"),
        member_name(tool.name)
    );
    let units = units(&types) + units(&method);
    Piece { types, method, units }
}

/// A line for each described member of the argument (SCHEMA-32), as far as they take no more room than its type may.
fn parameters(input: &Value, limit: usize) -> Vec<String> {
    let document = Document::new(input);
    let mut place = document.root();
    for _ in 0..REFERENCES {
        match only_reference(place.schema).map(|reference| document.resolve(reference, place)) {
            Some(Target::Here(target)) => place = target,
            _ => break,
        }
    }
    let properties = place.schema.get("properties").and_then(Value::as_object);
    let described = properties.into_iter().flatten().filter_map(|(name, schema)| {
        let text = comment(schema.get("description")?.as_str()?);
        (!text.is_empty()).then(|| format!("@param input.{} - {text}", comment(name)))
    });
    let mut left = limit;
    described
        .take_while(|line| {
            left = left.saturating_sub(units(line));
            left > 0
        })
        .collect()
}

/// The names of the types, all different: two methods may differ in their case only.
fn type_names(tools: &[Declared<'_>]) -> Vec<String> {
    let wishes: Vec<String> = tools.iter().map(|tool| type_name(tool.name)).collect();
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    let repeated: Vec<bool> = wishes.iter().map(|wish| !taken.insert(wish)).collect();
    let mut taken: BTreeSet<String> = wishes.iter().cloned().collect();
    let other = |wish: &String, taken: &mut BTreeSet<String>| {
        let mut numbered = (2..).map(|n: u64| format!("{wish}{n}"));
        numbered.find(|name| taken.insert(name.clone())).unwrap_or_default()
    };
    let all = wishes.iter().zip(repeated);
    all.map(|(wish, repeated)| if repeated { other(wish, &mut taken) } else { wish.clone() }).collect()
}

/// A comment that names what has no room.
fn left_out(tools: &[Declared<'_>], room: usize) -> String {
    let methods = if tools.len() == 1 { "method is" } else { "methods are" };
    let head = format!("\n\t// {} more {methods} left out; describe one to see it:\n\t//", tools.len());
    let mut text = head;
    for (at, tool) in tools.iter().enumerate() {
        let name = comment(tool.name);
        let is_last = at + 1 == tools.len();
        if units(&text) + units(&name) + " , …\n".len() > room {
            text.push_str(" …");
            break;
        }
        text.extend([" ", &name, if is_last { "" } else { "," }]);
    }
    text.push('\n');
    if units(&text) > room { String::new() } else { text }
}
