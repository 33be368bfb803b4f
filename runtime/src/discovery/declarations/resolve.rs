//! Where a `$ref` leads, inside of one document. Nothing is ever fetched.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde_json::Value;

/// A schema document.
pub(super) struct Document<'a> {
    root: &'a Value,
    // Most references are pointers; who looks for something else pays for the walk.
    names: OnceCell<Names<'a>>,
}

/// A schema, and the resource in which its own references are read: the nearest one around it with an `$id`.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) schema: &'a Value,
    pub(super) resource: &'a Value,
}

/// Where a reference leads.
pub(super) enum Target<'a> {
    /// To a part of the document.
    Here(Place<'a>),
    /// Out of the document.
    Elsewhere,
    /// To a part that is not there.
    Missing,
}

#[derive(Default)]
struct Names<'a> {
    ids: BTreeMap<&'a str, Place<'a>>,
    /// Resources may have anchors of the same name.
    anchors: BTreeMap<&'a str, Vec<Place<'a>>>,
}

impl<'a> Document<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root, names: OnceCell::new() }
    }

    pub(super) fn root(&self) -> Place<'a> {
        Place { schema: self.root, resource: self.root }
    }

    /// Where `reference` leads from a place.
    pub(super) fn resolve(&self, reference: &str, from: Place<'a>) -> Target<'a> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = match address {
            "" => Some(from.resource),
            _ => self.resource(address),
        };
        let Some(resource) = resource else { return Target::Elsewhere };
        let start = Place { schema: resource, resource };
        let found = match fragment {
            "" => Some(start),
            // Tools nest documents without rewriting their pointers: what is not in the resource may be in the root.
            pointer if pointer.starts_with('/') => follow(start, pointer).or_else(|| follow(self.root(), pointer)),
            anchor => self.anchor(resource, anchor),
        };
        found.map_or(Target::Missing, Target::Here)
    }

    fn resource(&self, address: &str) -> Option<&'a Value> {
        let ids = &self.names().ids;
        let named = || ids.iter().find(|(id, _)| is_address_of(address, id)).map(|(_, place)| place);
        ids.get(address).or_else(named).map(|place| place.schema)
    }

    fn anchor(&self, resource: &Value, name: &str) -> Option<Place<'a>> {
        let places = self.names().anchors.get(name)?;
        let own = places.iter().find(|place| std::ptr::eq(place.resource, resource));
        own.or(places.first()).copied()
    }

    fn names(&self) -> &Names<'a> {
        self.names.get_or_init(|| {
            let mut names = Names::default();
            collect(self.root(), &mut names);
            names
        })
    }
}

/// Whether an address, which may be relative, is that of the resource with this `$id`.
pub(crate) fn is_address_of(address: &str, id: &str) -> bool {
    let id = id.strip_suffix('#').unwrap_or(id);
    let path = address.trim_start_matches("../").trim_start_matches("./");
    let before = id.strip_suffix(path);
    address == id || (!path.is_empty() && before.is_some_and(|before| path.starts_with('/') || before.ends_with('/')))
}

/// Follows a JSON pointer. Parts are taken as written first, then percent-decoded.
fn follow<'a>(start: Place<'a>, pointer: &str) -> Option<Place<'a>> {
    pointer.split('/').skip(1).try_fold(start, |place, part| {
        let plain = unescaped(part);
        let schema =
            member(place.schema, &plain).or_else(|| member(place.schema, &unescaped(&percent_decoded(part)?)))?;
        Some(inside(place, schema))
    })
}

fn member<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(key),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

fn percent_decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = (byte == b'%').then(|| after.get(..2)).flatten();
        match code.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// A part of a place. One with an `$id` is a resource of its own; older tools write pointers there, which name nothing.
pub(super) fn inside<'a>(place: Place<'a>, schema: &'a Value) -> Place<'a> {
    let is_resource = schema.get("$id").and_then(Value::as_str).is_some_and(|id| !id.starts_with('#'));
    Place { schema, resource: if is_resource { schema } else { place.resource } }
}

/// The parser has bounded the depth.
fn collect<'a>(place: Place<'a>, names: &mut Names<'a>) {
    match place.schema {
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value.as_str()) {
                    ("$id" | "id", Some(id)) => {
                        if let Some(anchor) = id.strip_prefix('#') {
                            names.anchors.entry(anchor).or_default().push(place);
                        }
                        names.ids.entry(id.strip_suffix('#').unwrap_or(id)).or_insert(place);
                    }
                    ("$anchor" | "$dynamicAnchor", Some(anchor)) => {
                        names.anchors.entry(anchor).or_default().push(place);
                    }
                    // Data, not schemas.
                    ("const" | "enum" | "default" | "examples" | "example", _) => {}
                    _ => collect(inside(place, value), names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(inside(place, item), names)),
        _ => {}
    }
}
