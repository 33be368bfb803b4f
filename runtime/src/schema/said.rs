//! What is said about a value that does not fit its schema: the place, the reason, and the name that was meant where one
//! was misspelt. Whoever reads it can mend the call without asking for the schema again.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value};

use crate::catalogue::{close_names, suggestion};
use crate::durable::json::{cut, path_of_pointer};

/// The longest message of a place, in UTF-16 code units.
pub(super) const MAX_MESSAGE: usize = 1_000;

/// So many unknown names are told apart in one message.
const MAX_NAMES: usize = 3;

/// So many names are listed of what a schema takes.
const MAX_LISTED: usize = 20;

/// Where a value does not fit, as a path, and why.
pub(super) fn place(schema: &Value, value: &Value, error: &ValidationError<'_>) -> (String, String) {
    let path = path_of_pointer(value, error.instance_path().as_str());
    (path, cut(&reason(schema, error), MAX_MESSAGE).into_owned())
}

fn reason(schema: &Value, error: &ValidationError<'_>) -> String {
    let nothing = Map::new();
    let given = error.instance().as_object().unwrap_or(&nothing);
    let names = || properties(schema, error.schema_path().as_str());
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = names();
            let free: Vec<&str> = known.iter().copied().filter(|name| !given.contains_key(*name)).collect();
            let mut said: Vec<String> = unexpected
                .iter()
                .take(MAX_NAMES)
                .map(|name| format!("there is no `{}`{}", cut(name, 60), suggestion(name, free.clone())))
                .collect();
            if unexpected.len() > MAX_NAMES {
                said.push(format!("and {} more", unexpected.len() - MAX_NAMES));
            }
            said.join(", ")
        }
        Kind::Required { property: Value::String(property) } => {
            let known = names();
            let strangers = given.keys().map(String::as_str).filter(|name| !known.contains(name)).collect();
            match close_names(property, strangers).first() {
                Some(given) => format!("{error} ({given} was given)"),
                None => error.to_string(),
            }
        }
        _ => error.masked_with("it").to_string(),
    }
}

/// The names of an object that a keyword of the schema speaks about. References inside of the schema are followed.
fn properties<'s>(schema: &'s Value, keyword: &str) -> Vec<&'s str> {
    let parent = keyword.rsplit_once('/').map_or("", |(parent, _)| parent);
    let mut at = schema;
    for token in parent.split('/').skip(1) {
        let key = token.replace("~1", "/").replace("~0", "~");
        let next = match at {
            Value::Array(items) => key.parse::<usize>().ok().and_then(|index| items.get(index)),
            other => other.get(&key),
        };
        at = match next {
            Some(Value::String(target)) if key == "$ref" => match target.strip_prefix('#').map(|p| schema.pointer(p)) {
                Some(Some(target)) => target,
                _ => return Vec::new(),
            },
            Some(next) => next,
            None => return Vec::new(),
        };
    }
    names(at)
}

fn names(schema: &Value) -> Vec<&str> {
    let members = schema.get("properties").and_then(Value::as_object);
    members.map(|members| members.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// What an object schema takes, such as `{ id, title? }`; nothing where it names no members.
pub(super) fn shape(schema: &Value) -> Option<String> {
    let names = names(schema);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut listed: Vec<String> = names
        .iter()
        .take(MAX_LISTED)
        .map(|name| format!("{}{}", cut(name, 60), if required.contains(name) { "" } else { "?" }))
        .collect();
    if names.len() > MAX_LISTED {
        listed.push("…".to_owned());
    }
    (!listed.is_empty()).then(|| format!("{{ {} }}", listed.join(", ")))
}
