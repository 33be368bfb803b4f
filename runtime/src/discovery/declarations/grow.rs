//! What a schema means as a type: one node at a time, with its parts still to grow.
//!
//! The keywords are looked at in a fixed order (SCHEMA-11, SCHEMA-13): a reference, `anyOf`, `oneOf`, `allOf`, `enum`,
//! `const`, `type`. The first one decides. What stands beside it counts where it adds members to an object: a choice
//! between what is required does not take the properties away.

use serde_json::{Map, Value};

use super::resolve::{Place, Target};
use super::text::literal;
use super::tree::{Facet, Id, PART, References, Shape, Step, Tree, units};
use super::type_name;

/// So many references in a row are followed.
pub(super) const MAX_CHAIN: usize = 100;

/// A schema that says nothing.
static ANYTHING: Value = Value::Bool(true);

impl<'a> Tree<'a, '_> {
    /// What a node prints; `None` when that does not fit.
    pub(super) fn shape(&mut self, id: Id) -> Option<Shape> {
        let schema = self.nodes[id].place.schema;
        let object = match schema {
            Value::Bool(false) => return self.word("never"),
            Value::Object(object) => object,
            // `true`, and what is no schema at all.
            _ => return self.word("unknown"),
        };
        match self.nodes[id].facet {
            Facet::Whole if self.is_deep(id) => {
                self.note(id, "nested too deep to be shown");
                self.word("unknown")
            }
            Facet::Whole if object.get("nullable") == Some(&Value::Bool(true)) => {
                self.spend(" | null".len())?;
                Some(Shape::Nullable(self.part(id, Facet::Core)?))
            }
            Facet::Whole | Facet::Core => self.facets(id, object),
            Facet::Reference(reference) => self.reference(id, reference),
            Facet::Union(schemas) => self.union(id, schemas),
            Facet::Intersection(schemas) => self.intersection(id, schemas),
            Facet::Own => self.own(id, object),
            Facet::Type(name) => self.of_type(id, object, name),
        }
    }

    pub(super) fn word(&mut self, word: &str) -> Option<Shape> {
        self.spend(units(word).saturating_sub(PART))?;
        Some(Shape::Word(word.to_owned()))
    }

    fn facets(&mut self, id: Id, object: &'a Map<String, Value>) -> Option<Shape> {
        let mut facets = Vec::new();
        facets.extend(reference_of(object).map(Facet::Reference));
        for key in ["anyOf", "oneOf"] {
            facets.extend(object.get(key).and_then(Value::as_array).map(|list| Facet::Union(list)));
        }
        facets.extend(object.get("allOf").and_then(Value::as_array).map(|list| Facet::Intersection(list)));
        let Some((first, others)) = facets.split_first() else { return self.own(id, object) };
        let is_known = has_members(object) && says_object_only(first);
        let mut used: Vec<Facet<'a>> = if is_known { Vec::new() } else { vec![*first] };
        used.extend(others.iter().filter(|facet| adds_members(facet)));
        if has_members(object) {
            used.push(Facet::Own);
        } else if used.len() == 1 && object.contains_key("type") {
            // `{"type": "string", "anyOf": [{"minLength": 1}, …]}`: the choice says nothing about the type.
            let (first, own) = (self.part(id, *first)?, self.part(id, Facet::Own)?);
            return Some(Shape::Preferred(first, own));
        }
        match used.as_slice() {
            [only] => {
                self.nodes[id].facet = *only;
                self.shape(id)
            }
            _ => used.iter().map(|facet| self.part(id, *facet)).collect::<Option<_>>().map(Shape::Intersection),
        }
    }

    /// Where a reference leads, through any number of references.
    fn reference(&mut self, id: Id, reference: &'a str) -> Option<Shape> {
        let (mut reference, mut place) = (reference, self.nodes[id].place);
        let mut passed: Vec<*const Value> = Vec::new();
        loop {
            place = match self.document.resolve(reference, place) {
                Target::Here(target) => target,
                Target::Elsewhere => return self.unknown(id, "not in this schema", reference),
                Target::Missing => return self.unknown(id, "not found", reference),
            };
            if passed.contains(&std::ptr::from_ref(place.schema)) {
                return self.unknown(id, "refers to itself only", reference);
            }
            passed.push(std::ptr::from_ref(place.schema));
            if passed.len() > MAX_CHAIN {
                return self.unknown(id, "behind too many references", reference);
            }
            match only_reference(place.schema) {
                Some(next) => reference = next,
                None => break,
            }
        }
        let name = names_an_own_type(place.schema);
        self.refers |= name;
        if name && self.references == References::Named {
            return self.named(place, reference).map(Shape::Named);
        }
        if let Some(path) = self.path_of_repeated(id, place.schema) {
            self.note(id, &format!("recursive: {path} again"));
            return self.word("unknown");
        }
        // In the place of the reference: a union of one.
        Some(Shape::Union(vec![self.referred(id, place)?]))
    }

    fn unknown(&mut self, id: Id, why: &str, reference: &str) -> Option<Shape> {
        self.note(id, &format!("{why}: {reference}"));
        self.word("unknown")
    }

    /// The type of its own for a schema, which is made at its first use.
    fn named(&mut self, place: Place<'a>, reference: &str) -> Option<usize> {
        let known = self.types.iter().position(|t| std::ptr::eq(t.schema, place.schema));
        if let Some(known) = known {
            self.spend(units(&self.types[known].name).saturating_sub(PART))?;
            return Some(known);
        }
        let part = reference.rsplit(['/', '#']).next().unwrap_or_default();
        let stem = format!("{}_{}", self.types.first().map_or("", |root| &root.name), type_name(part));
        let mut name = stem.clone();
        let mut count = 1;
        while self.types.iter().any(|t| t.name == name) {
            count += 1;
            name = format!("{stem}{count}");
        }
        self.spend("type  = \n".len() + 2 * units(&name) + PART)?;
        Some(self.add_type(place, name))
    }

    /// Where a schema stands already around a node, as one would write it in TypeScript.
    fn path_of_repeated(&self, id: Id, schema: &Value) -> Option<String> {
        let around: Vec<_> = self.around(id).collect();
        let at = around.iter().position(|node| std::ptr::eq(node.place.schema, schema))?;
        let root = around.last()?;
        let name = self.types.iter().find(|t| std::ptr::eq(t.schema, root.place.schema)).map_or("", |t| &t.name);
        let steps = around[at..].iter().rev().map(|node| match node.step {
            Step::Same => String::new(),
            Step::Member(name) => format!("[{}]", literal(&Value::from(name))),
            Step::AnyMember => "[string]".to_owned(),
            Step::Item => "[number]".to_owned(),
        });
        Some(format!("{name}{}", steps.collect::<String>()))
    }

    fn union(&mut self, id: Id, schemas: &'a [Value]) -> Option<Shape> {
        if schemas.is_empty() {
            return self.word("never");
        }
        // The room for a part that stands for what is cut.
        self.spend(PART)?;
        let mut parts = self.parts(id, schemas, Step::Same);
        self.give_back(PART);
        if parts.len() < schemas.len() {
            let rest = self.referred(id, Place { schema: &ANYTHING, ..self.nodes[id].place });
            parts.extend(rest);
        }
        (!parts.is_empty()).then_some(Shape::Union(parts))
    }

    fn intersection(&mut self, id: Id, schemas: &'a [Value]) -> Option<Shape> {
        if schemas.is_empty() {
            return self.word("unknown");
        }
        let parts = self.parts(id, schemas, Step::Same);
        (!parts.is_empty()).then_some(Shape::Intersection(parts))
    }

    /// As many parts of a type as there is room for; where room is scarce, they leave half of it to what they are.
    fn parts(&mut self, id: Id, schemas: &'a [Value], step: Step<'a>) -> Vec<Id> {
        let least = if self.is_ample() { 0 } else { self.left() / 2 };
        let mut parts = Vec::new();
        for schema in schemas {
            match (self.left() > least).then(|| self.below(id, schema, step)).flatten() {
                Some(part) => parts.push(part),
                None => break,
            }
        }
        self.is_cut |= parts.len() < schemas.len();
        parts
    }

    fn own(&mut self, id: Id, object: &'a Map<String, Value>) -> Option<Shape> {
        if let Some(Value::Array(values)) = object.get("enum") {
            return self.literals(values);
        }
        if let Some(value) = object.get("const") {
            return self.literals(std::slice::from_ref(value));
        }
        match object.get("type") {
            Some(Value::String(name)) => self.of_type(id, object, name),
            Some(Value::Array(names)) => {
                let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                match names.as_slice() {
                    [] => self.word("unknown"),
                    [name] => self.of_type(id, object, name),
                    _ => names.iter().map(|n| self.part(id, Facet::Type(n))).collect::<Option<_>>().map(Shape::Union),
                }
            }
            _ if has_members(object) => self.object(id, object),
            _ if has_items(object) => self.array(id, object),
            _ => self.word("unknown"),
        }
    }

    fn of_type(&mut self, id: Id, object: &'a Map<String, Value>, name: &str) -> Option<Shape> {
        match name {
            "string" | "boolean" | "null" | "number" => self.word(name),
            "integer" => self.word("number"),
            "object" => self.object(id, object),
            "array" => self.array(id, object),
            _ => self.word("unknown"),
        }
    }

    fn literals(&mut self, values: &'a [Value]) -> Option<Shape> {
        if values.is_empty() {
            return self.word("never");
        }
        let mut literals: Vec<String> = Vec::new();
        let mut list = self.room.list;
        for value in values {
            let text = literal(value);
            let cost = units(&text) + " | ".len();
            if cost > list || self.spend(cost).is_none() {
                self.is_cut = true;
                // The room for this word is that of the node.
                literals.push("unknown".to_owned());
                break;
            }
            list -= cost;
            literals.push(text);
        }
        Some(Shape::Literals(literals))
    }

    fn array(&mut self, id: Id, object: &'a Map<String, Value>) -> Option<Shape> {
        let (tuple, rest) = match (object.get("prefixItems"), object.get("items")) {
            (Some(Value::Array(prefix)), rest) => (Some(prefix), rest),
            (_, Some(Value::Array(items))) => (Some(items), object.get("additionalItems")),
            (_, rest) => (None, rest),
        };
        let rest = rest.filter(|rest| matches!(rest, Value::Object(_) | Value::Bool(true)));
        match tuple {
            Some(items) if !items.is_empty() => self.tuple(id, items, rest, object.get("minItems")),
            Some(_) if rest.is_none() => self.word("[]"),
            _ => match rest {
                Some(items @ Value::Object(_)) => Some(Shape::Array(self.below(id, items, Step::Item)?)),
                _ => self.word("unknown[]"),
            },
        }
    }

    fn tuple(
        &mut self,
        id: Id,
        schemas: &'a [Value],
        rest: Option<&'a Value>,
        at_least: Option<&Value>,
    ) -> Option<Shape> {
        let rest = match rest {
            Some(rest) => Some(self.below(id, rest, Step::Item)?),
            None => None,
        };
        let items = self.parts(id, schemas, Step::Item);
        let required = at_least.and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        Some(Shape::Tuple { items, required: required.unwrap_or(usize::MAX), rest })
    }
}

pub(super) fn reference_of(object: &Map<String, Value>) -> Option<&str> {
    ["$ref", "$dynamicRef", "$recursiveRef"].iter().find_map(|key| object.get(*key)?.as_str())
}

/// The reference of a schema that is nothing else.
pub(super) fn only_reference(schema: &Value) -> Option<&str> {
    let object = schema.as_object()?;
    let decides = ["anyOf", "oneOf", "allOf", "nullable"].iter().any(|key| object.contains_key(*key));
    (!decides && !has_members(object)).then(|| reference_of(object))?
}

fn adds_members(facet: &Facet<'_>) -> bool {
    let (Facet::Union(schemas) | Facet::Intersection(schemas)) = facet else { return false };
    schemas.iter().filter_map(Value::as_object).any(|schema| has_members(schema) || reference_of(schema).is_some())
}

/// Whether all parts say no more than that there is an object, and what it must have.
fn says_object_only(facet: &Facet<'_>) -> bool {
    let (Facet::Union(schemas) | Facet::Intersection(schemas)) = facet else { return false };
    let says_more = |key: &String| matches!(key.as_str(), "anyOf" | "oneOf" | "allOf" | "enum" | "const" | "nullable");
    !schemas.is_empty()
        && !adds_members(facet)
        && schemas.iter().all(|schema| {
            let Some(object) = schema.as_object() else { return schema.as_bool() == Some(true) };
            object.get("type").is_none_or(|name| name == "object")
                && !has_items(object)
                && !object.keys().any(says_more)
        })
}

fn is_filled(value: Option<&Value>) -> bool {
    value.and_then(Value::as_object).is_some_and(|members| !members.is_empty())
}

pub(super) fn has_members(object: &Map<String, Value>) -> bool {
    ["properties", "patternProperties", "additionalProperties"].iter().any(|key| is_filled(object.get(*key)))
}

fn has_items(object: &Map<String, Value>) -> bool {
    matches!(object.get("items"), Some(Value::Object(_) | Value::Array(_)))
        || matches!(object.get("prefixItems"), Some(Value::Array(_)))
}

/// Whether a schema is worth a name: an object with members, or an array. Whatever such a type refers to lies inside of
/// its braces, so it may refer to itself.
fn names_an_own_type(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    let combines = ["$ref", "$dynamicRef", "$recursiveRef", "anyOf", "oneOf", "allOf", "enum", "const", "nullable"];
    if combines.iter().any(|key| object.contains_key(*key)) {
        return false;
    }
    match object.get("type").and_then(Value::as_str) {
        Some("object") => has_members(object),
        Some("array") => has_items(object),
        None => !object.contains_key("type") && (has_members(object) || has_items(object)),
        Some(_) => false,
    }
}
