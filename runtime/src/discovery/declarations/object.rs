//! Objects: members with their docs, and what other members may be.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::grow::reference_of;
use super::resolve::{Place, Target, inside};
use super::text::{comment, doc, literal, member_name};
use super::tree::{Id, Index, Member, Openness, REFERENCES, Shape, Step, Tree, units};
use crate::durable::json::cut;

/// The longest default in a comment, in UTF-16 code units.
const MAX_DEFAULT: usize = 200;

/// Members that `properties` does not name.
enum Others<'a> {
    /// Nothing is said.
    Unsaid,
    /// There are none.
    None,
    /// Anything.
    Any,
    /// They are of these types, for names that match these patterns.
    Typed(Vec<&'a Value>, Vec<&'a str>),
}

fn others(object: &Map<String, Value>) -> Others<'_> {
    let patterns = object.get("patternProperties").and_then(Value::as_object);
    let patterns: Vec<(&String, &Value)> = patterns.into_iter().flatten().collect();
    let names = || patterns.iter().map(|(name, _)| name.as_str()).collect();
    let types = patterns.iter().map(|(_, schema)| *schema);
    match object.get("additionalProperties") {
        Some(Value::Bool(true)) => Others::Any,
        Some(Value::Object(schema)) if schema.is_empty() => Others::Any,
        Some(schema @ Value::Object(_)) => Others::Typed(std::iter::once(schema).chain(types).collect(), Vec::new()),
        Some(Value::Bool(false)) if patterns.is_empty() => Others::None,
        _ if patterns.is_empty() => Others::Unsaid,
        _ => Others::Typed(types.collect(), names()),
    }
}

impl<'a> Tree<'a, '_> {
    pub(super) fn object(&mut self, id: Id, object: &'a Map<String, Value>) -> Option<Shape> {
        let properties = object.get("properties").and_then(Value::as_object).filter(|p| !p.is_empty());
        let others = others(object);
        match (properties, &others) {
            (None, Others::None) => return Some(Shape::Empty(Openness::Closed)),
            (None, Others::Unsaid) => {
                self.word("Record<string, unknown>")?;
                return Some(Shape::Empty(Openness::Open));
            }
            _ => {}
        }
        // The room for braces and for the line that says what is left out.
        let indent = 4 * self.nodes[id].indent;
        self.spend(2 * ("{\n}".len() + indent) + " & ".len() + indent + LEFT_OUT)?;
        let index = self.index(id, others)?;
        let required = self.required(id);
        let mut members = Vec::new();
        let share = self.share(id);
        for (name, schema) in properties.into_iter().flatten() {
            if self.left() <= share {
                break;
            }
            let is_required = required.iter().any(|names| names.contains(name.as_str()));
            match self.add_member(id, if is_required { "" } else { "?" }, name, schema) {
                Some(member) => members.push(member),
                None => break,
            }
        }
        let left_out = properties.map_or(0, Map::len) - members.len();
        self.is_cut |= left_out > 0;
        Some(Shape::Object { members, left_out, index })
    }

    /// What the object of a node must have: what its schema says, and what those say that are about the same value, around
    /// it and in their `allOf`.
    fn required(&mut self, id: Id) -> Vec<Rc<BTreeSet<&'a str>>> {
        let (mut all, mut at) = (Vec::new(), Some(id));
        while let Some(node) = at.map(|id| &self.nodes[id]) {
            let schema = node.place.schema;
            at = node.parent.filter(|_| matches!(node.step, Step::Same));
            let names = self.required.entry(std::ptr::from_ref(schema)).or_insert_with(|| Rc::new(required(schema)));
            if !names.is_empty() && all.last().is_none_or(|last| !Rc::ptr_eq(last, names)) {
                all.push(names.clone());
            }
        }
        all
    }

    fn add_member(&mut self, id: Id, mark: &'static str, name: &'a str, schema: &'a Value) -> Option<Member> {
        let indent = " ".repeat(4 * (self.nodes[id].indent + 1));
        let place = inside(self.nodes[id].place, schema);
        let (lines, written) = (self.about(place), member_name(name));
        self.spend(indent.len() + units(&written) + mark.len() + ": ;\n".len() + units(&doc(&lines, &indent)))?;
        let doc = self.doc(lines);
        let node = self.member(id, schema, Step::Member(name), doc)?;
        Some(Member { name: written, mark, node, doc })
    }

    /// `None` where it does not fit.
    fn index(&mut self, id: Id, others: Others<'a>) -> Option<Option<Index>> {
        let (types, patterns) = match others {
            Others::Unsaid | Others::None => return Some(None),
            Others::Any => (Vec::new(), Vec::new()),
            Others::Typed(types, patterns) => (types, patterns),
        };
        let shown: Vec<String> = patterns.iter().map(|p| format!("/{p}/")).collect();
        let lines = (!shown.is_empty()).then(|| comment(&format!("names match {}", shown.join(" or "))));
        let lines: Vec<String> = lines.into_iter().collect();
        let indent = " ".repeat(4 * (self.nodes[id].indent + 1));
        self.spend(indent.len() + "[key: string]: unknown;\n".len() + units(&doc(&lines, &indent)))?;
        let doc = self.doc(lines);
        let types = types.into_iter().map(|schema| self.member(id, schema, Step::AnyMember, doc));
        Some(Some(Index { types: types.collect::<Option<_>>()?, doc }))
    }
}

/// What a schema requires, and what each schema of its `allOf` does.
fn required(schema: &Value) -> BTreeSet<&str> {
    let demands = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let lists = std::iter::once(schema).chain(demands).filter_map(|schema| schema.get("required")?.as_array());
    lists.flatten().filter_map(Value::as_str).collect()
}

impl<'a> Tree<'a, '_> {
    /// What is said about a member (SCHEMA-20), and what it is when it is left out. What the member does not say itself,
    /// the definition may say to which it refers.
    fn about(&self, place: Place<'a>) -> Vec<String> {
        let mut said: Vec<&Map<String, Value>> = place.schema.as_object().into_iter().collect();
        let mut place = place;
        for _ in 0..REFERENCES {
            let reference = said.last().and_then(|object| reference_of(object));
            match reference.map(|reference| self.document.resolve(reference, place)) {
                Some(Target::Here(target)) => place = target,
                _ => break,
            }
            said.extend(place.schema.as_object());
        }
        lines(&said)
    }
}

fn lines(said: &[&Map<String, Value>]) -> Vec<String> {
    let text = |key: &str| {
        let texts = said.iter().filter_map(|object| object.get(key)?.as_str());
        texts.map(comment).find(|text| !text.is_empty())
    };
    let value = |key: &str| said.iter().find_map(|object| object.get(key));
    let default = value("default").map(|value| comment(&cut(&literal(value), MAX_DEFAULT)));
    let deprecated = (value("deprecated") == Some(&Value::Bool(true))).then(|| "@deprecated".to_owned());
    let lines = [
        text("description"),
        text("format").map(|format| format!("@format {format}")),
        default.map(|value| format!("@default {value}")),
        deprecated,
    ];
    lines.into_iter().flatten().collect()
}

/// The room for the line that says how many members are left out.
const LEFT_OUT: usize = "    // 10000000 more members are left out\n".len();

pub(super) fn left_out_line(count: usize, indent: &str) -> String {
    let members = if count == 1 { "member is" } else { "members are" };
    format!("{indent}// {count} more {members} left out\n")
}
