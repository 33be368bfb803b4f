//! Prints a tree. Everything here fits already; what is left is punctuation.

use super::object::left_out_line;
use super::text::doc;
use super::tree::{Id, Index, Member, Openness, Shape, Tree};

/// A printed type, with what its surroundings must know.
#[derive(Clone)]
enum Printed {
    /// Stands anywhere.
    One(String),
    /// The parts of a union; each may be an intersection. More than one, all different.
    Union(Vec<String>),
    Intersection(String),
}

impl Printed {
    fn word(word: &str) -> Self {
        Self::One(word.to_owned())
    }

    fn text(self) -> String {
        match self {
            Self::One(text) | Self::Intersection(text) => text,
            Self::Union(parts) => parts.join(" | "),
        }
    }

    /// In front of `[]`.
    fn item(self) -> String {
        match self {
            Self::One(text) => text,
            several => format!("({})", several.text()),
        }
    }

    /// Beside `&`.
    fn operand(self) -> String {
        match self {
            Self::Union(parts) => format!("({})", parts.join(" | ")),
            other => other.text(),
        }
    }

    /// Whether it says nothing.
    fn is_unknown(&self) -> bool {
        match self {
            Self::One(text) => text == "unknown",
            Self::Union(parts) => parts.iter().any(|part| part == "unknown"),
            Self::Intersection(_) => false,
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::One(text) if text == word)
    }
}

impl Tree<'_, '_> {
    /// The declarations, one a line, that of the schema first.
    pub(super) fn print(&self) -> String {
        let types = self.types.iter().map(|root| {
            let said = doc(&self.docs[root.doc], "");
            format!("{said}type {} = {}", root.name, self.node(root.node).text())
        });
        types.collect::<Vec<_>>().join("\n")
    }

    /// The nodes lie at most [`super::tree::MAX_LEVEL`] deep.
    fn node(&self, id: Id) -> Printed {
        match &self.nodes[id].shape {
            Shape::Waiting => Printed::word("unknown"),
            Shape::Word(word) => Printed::word(word),
            Shape::Literals(literals) => union(literals.iter().map(|text| Printed::word(text))),
            Shape::Object { members, left_out, index } => {
                self.print_object(members, *left_out, index.as_ref(), self.nodes[id].indent)
            }
            Shape::Empty(Openness::Open) => Printed::word("Record<string, unknown>"),
            Shape::Empty(Openness::Closed) => Printed::word("{}"),
            Shape::Array(item) => Printed::One(format!("{}[]", self.node(*item).item())),
            Shape::Tuple { items, required, rest } => self.print_tuple(items, *required, *rest),
            Shape::Union(parts) => union(parts.iter().map(|part| self.node(*part))),
            Shape::Intersection(parts) => intersection(parts.iter().map(|part| self.node(*part))),
            Shape::Nullable(inner) => match self.node(*inner) {
                inner if inner.is_unknown() || inner.is_word("never") => inner,
                inner => union([inner, Printed::word("null")]),
            },
            Shape::Preferred(first, other) => match self.node(*first) {
                first if first.is_unknown() => self.node(*other),
                first => first,
            },
            Shape::Named(at) => Printed::word(&self.types[*at].name),
        }
    }

    fn print_tuple(&self, items: &[Id], required: usize, rest: Option<Id>) -> Printed {
        let mut printed: Vec<String> = Vec::with_capacity(items.len() + 1);
        for (at, item) in items.iter().enumerate() {
            let item = self.node(*item);
            printed.push(if at < required { item.text() } else { format!("{}?", item.item()) });
        }
        printed.extend(rest.map(|rest| format!("...{}[]", self.node(rest).item())));
        Printed::One(format!("[{}]", printed.join(", ")))
    }

    fn print_object(&self, members: &[Member], left_out: usize, index: Option<&Index>, indent: usize) -> Printed {
        let (inside, close) = (" ".repeat(4 * (indent + 1)), " ".repeat(4 * indent));
        let mut out = String::from("{\n");
        for Member { name, mark, node, doc: said } in members {
            let said = doc(&self.docs[*said], &inside);
            out.extend([said.as_str(), &inside, name, mark, ": ", &self.node(*node).text(), ";\n"]);
        }
        if left_out > 0 {
            out.push_str(&left_out_line(left_out, &inside));
        }
        let Some(index) = index else { return Printed::One(format!("{out}{close}}}")) };
        let other = union(index.types.iter().map(|id| self.node(*id)));
        let other = if index.types.is_empty() { Printed::word("unknown") } else { other };
        let said = doc(&self.docs[index.doc], &inside);
        let is_unknown = other.is_unknown();
        let line = format!("{said}{inside}[key: string]: {};\n{close}}}", other.text());
        if members.is_empty() || is_unknown {
            return Printed::One(out + &line);
        }
        // In the same braces, the index would have to fit each member (TS2411).
        Printed::Intersection(format!("{out}{close}}} & {{\n{line}"))
    }
}

/// Each part once; what is in several unions is in one.
fn union(parts: impl IntoIterator<Item = Printed>) -> Printed {
    let mut all: Vec<Printed> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for part in parts {
        let flat = match part {
            Printed::Union(parts) => parts.into_iter().map(Printed::One).collect(),
            other => vec![other],
        };
        all.extend(flat.into_iter().filter(|part| seen.insert(part.clone().text())));
    }
    match all.len() {
        0 => Printed::word("never"),
        1 => all.remove(0),
        _ => Printed::Union(all.into_iter().map(Printed::text).collect()),
    }
}

/// What says nothing is left out where something else says more.
fn intersection(parts: impl IntoIterator<Item = Printed>) -> Printed {
    let mut seen = std::collections::BTreeSet::new();
    let mut telling: Vec<Printed> =
        parts.into_iter().filter(|part| !part.is_unknown() && seen.insert(part.clone().text())).collect();
    match telling.len() {
        0 => Printed::word("unknown"),
        1 => telling.remove(0),
        _ => Printed::Intersection(telling.into_iter().map(Printed::operand).collect::<Vec<_>>().join(" & ")),
    }
}
