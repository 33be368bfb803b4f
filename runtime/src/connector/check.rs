//! What a connector says about itself, checked once, when it is first used: a wrong description is found when the
//! runtime starts and not in the middle of an execution. Pure; the same rules for components and for native connectors.

mod quick;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Description, Method};
use crate::discovery::{is_address_of, parse_schema};
use crate::durable::failure::{Failure, code};
use crate::durable::id::{MAX_NAME, NameError, check_method_name};
use crate::durable::journal::{Approval, ReplayPolicy};

/// The most methods of one connector.
pub const MAX_METHODS: usize = 10_000;
/// The most configuration keys of one connector.
pub const MAX_CONFIG_KEYS: usize = 1_000;
/// The most origins of one connector.
pub const MAX_ORIGINS: usize = 100;
/// Characters of one origin.
pub const MAX_ORIGIN: usize = 300;
/// The longest schema, in bytes.
pub const MAX_SCHEMA_BYTES: usize = 1_000_000;

/// Checks a description. `connector` is the name under which it is configured.
///
/// # Errors
/// The first thing that is wrong, as a failure with code `internal` that names connector and method.
pub fn check_description(connector: &str, description: &Description) -> Result<(), Failure> {
    if description.methods.len() > MAX_METHODS {
        let count = description.methods.len();
        return Err(wrong(format!("connector `{connector}` has {count} methods, over the limit of {MAX_METHODS}")));
    }
    if description.config.len() > MAX_CONFIG_KEYS {
        return Err(wrong(format!("connector `{connector}` has more than {MAX_CONFIG_KEYS} configuration keys")));
    }
    if description.origins.len() > MAX_ORIGINS {
        return Err(wrong(format!("connector `{connector}` has more than {MAX_ORIGINS} origins")));
    }
    if description.origins.iter().any(|origin| origin.chars().count() > MAX_ORIGIN) {
        return Err(wrong(format!("connector `{connector}` has an origin of more than {MAX_ORIGIN} characters")));
    }
    for key in &description.config {
        if key.name.is_empty() || key.name.chars().count() > MAX_NAME {
            let name: String = key.name.chars().take(MAX_NAME).collect();
            return Err(wrong(format!(
                "connector `{connector}` has a configuration key {name:?}: use 1 to {MAX_NAME} characters"
            )));
        }
    }
    let mut seen = BTreeSet::new();
    for method in &description.methods {
        check_method_name(connector, &method.name).map_err(|e| wrong(e.to_string()))?;
        if !seen.insert(&method.name) {
            return Err(wrong(NameError::DuplicateMethod(connector.to_owned(), method.name.clone()).to_string()));
        }
        check_method(connector, method)?;
    }
    Ok(())
}

fn check_method(connector: &str, method: &Method) -> Result<(), Failure> {
    let path = format!("{connector}.{}", method.name);
    if method.replay == ReplayPolicy::Reexecute && method.approval == Approval::Required {
        return Err(wrong(format!(
            "method `{path}` cannot combine approval with `replay: \"reexecute\"`: a replay would repeat what a person \
             approved once"
        )));
    }
    for (schema, which) in [(&method.input_schema, "input"), (&method.output_schema, "output")] {
        if let Some(text) = schema {
            check_schema(text).map_err(|reason| wrong(format!("the {which} schema of `{path}` {reason}")))?;
        }
    }
    Ok(())
}

fn check_schema(text: &str) -> Result<(), String> {
    if text.len() > MAX_SCHEMA_BYTES {
        return Err(format!("is longer than {MAX_SCHEMA_BYTES} bytes"));
    }
    if quick::is_plain(text) { Ok(()) } else { check_schema_text(text).map(drop) }
}

/// Reads the text of a schema of any length that somebody else has limited.
///
/// # Errors
/// What is wrong, as the end of a sentence about the schema.
pub(crate) fn check_schema_text(text: &str) -> Result<Value, String> {
    let schema = parse_schema(text).map_err(|e| format!("is no JSON: {e}"))?;
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return Err("is neither an object nor `true` or `false`".to_owned());
    }
    let mut ids = BTreeSet::new();
    walk(&schema, &mut |key, value| {
        if matches!(key, "$id" | "id") {
            ids.insert(value.to_owned());
        }
    });
    let mut remote = None;
    walk(&schema, &mut |key, value| {
        if remote.is_some() || value.starts_with('#') || !matches!(key, "$ref" | "$dynamicRef" | "$recursiveRef") {
            return;
        }
        let address = value.split('#').next().unwrap_or(value);
        if !ids.contains(address) && !ids.iter().any(|id| is_address_of(address, id)) {
            remote = Some(value.to_owned());
        }
    });
    match remote {
        Some(target) => {
            let target: String = target.chars().take(200).collect();
            Err(format!("has a remote `$ref` ({target}): put the definition under `$defs`"))
        }
        None => Ok(schema),
    }
}

/// Visits every keyword with a string value. Examples and constants are data, not schemas; what they contain refers to
/// nothing. The parser has bounded the depth.
fn walk(schema: &Value, visit: &mut impl FnMut(&str, &str)) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text) => visit(key, text),
                    _ if matches!(key.as_str(), "const" | "enum" | "default" | "examples" | "example") => {}
                    _ => walk(value, visit),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        _ => {}
    }
}

fn wrong(message: String) -> Failure {
    Failure::new(code::INTERNAL, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut Method)) -> Result<(), String> {
        let mut method = Method { name: "put".to_owned(), ..Method::default() };
        change(&mut method);
        let description = Description { methods: vec![method], ..Description::default() };
        check_description("shelf", &description).map_err(|f| f.message)
    }

    fn schema(text: &str) -> Result<(), String> {
        with(|m| m.input_schema = Some(text.to_owned()))
    }

    #[test]
    fn approval_and_reexecute_cannot_combine() {
        let refused = with(|m| (m.approval, m.replay) = (Approval::Required, ReplayPolicy::Reexecute)).unwrap_err();
        assert!(refused.contains("cannot combine") && refused.contains("shelf.put"), "{refused}");
        assert_eq!(with(|m| m.replay = ReplayPolicy::Reexecute), Ok(()));
    }

    #[test]
    fn names_are_checked_and_two_methods_of_one_name_refused() {
        assert!(with(|m| m.name = "a-b".to_owned()).unwrap_err().contains("\"a-b\" of connector `shelf`"));
        assert!(with(|m| m.name = "then".to_owned()).is_err());
        let twice = vec![Method { name: "put".to_owned(), ..Method::default() }; 2];
        let refused = check_description("shelf", &Description { methods: twice, ..Description::default() });
        assert!(refused.unwrap_err().message.contains("Duplicate method `put` of connector `shelf`"));
    }

    #[test]
    fn the_number_of_methods_is_limited() {
        let many = |n: usize| {
            let methods = (0..n).map(|i| Method { name: format!("m{i}"), ..Method::default() }).collect();
            check_description("shelf", &Description { methods, ..Description::default() })
        };
        assert!(many(MAX_METHODS).is_ok());
        assert!(many(MAX_METHODS + 1).unwrap_err().message.contains("10001 methods"));
    }

    #[test]
    fn schemas_are_objects_or_booleans() {
        for good in ["{}", "true", "false", r#"{"type":"object","properties":{"$ref":{"type":"string"}}}"#] {
            assert_eq!(schema(good), Ok(()), "{good}");
        }
        for bad in ["", "null", "[]", "1", "{", "{}{}"] {
            assert!(schema(bad).unwrap_err().contains("input schema of `shelf.put`"), "{bad}");
        }
        assert!(with(|m| m.output_schema = Some("1".to_owned())).unwrap_err().contains("output schema"));
    }

    #[test]
    fn remote_references_are_refused_and_local_ones_are_not() {
        for good in [
            r##"{"$ref":"#/$defs/a","$defs":{"a":true}}"##,
            r##"{"$ref":"item#/x","$defs":{"i":{"$id":"item"}}}"##,
            r#"{"$id":"https://x/order","$ref":"/address","$defs":{"a":{"$id":"https://x/address"}}}"#,
            r#"{"$id":"https://x/y.json","items":{"$ref":"y.json"}}"#,
            r##"{"id":"http://x/y#","items":{"$ref":"http://x/y#/definitions/a"}}"##,
            r#"{"const":{"$ref":"http://x/y"}}"#,
        ] {
            assert_eq!(schema(good), Ok(()), "{good}");
        }
        for bad in [
            r#"{"$ref":"https://x/y.json"}"#,
            r#"{"items":[{"$ref":"y.json"}]}"#,
            r#"{"allOf":[{"$dynamicRef":"y"}]}"#,
            r#"{"$id":"https://x/my.json","$ref":"y.json"}"#,
            r#"{"$id":"https://x/y.json","$ref":"https://z/y.json"}"#,
        ] {
            assert!(schema(bad).unwrap_err().contains("remote `$ref`"), "{bad}");
        }
    }

    #[test]
    fn a_schema_too_deep_or_too_long_is_refused_without_a_crash() {
        let deep = format!("{}{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
        assert!(schema(&deep).is_err());
        assert!(schema(&format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_SCHEMA_BYTES))).unwrap_err().contains("longer"));
    }

    #[test]
    fn origins_are_bounded_by_number_and_by_length() {
        let with = |origins: Vec<String>| {
            check_description("shelf", &Description { origins, ..Description::default() }).map_err(|f| f.message)
        };
        let origin = "https://a.example".to_owned();
        assert_eq!(with(vec![origin.clone(); MAX_ORIGINS]), Ok(()));
        assert!(with(vec![origin; MAX_ORIGINS + 1]).unwrap_err().contains("100 origins"));
        assert_eq!(with(vec!["o".repeat(MAX_ORIGIN)]), Ok(()));
        assert!(with(vec!["o".repeat(MAX_ORIGIN + 1)]).unwrap_err().contains("300 characters"));
    }

    #[test]
    fn configuration_keys_have_names_of_bounded_length() {
        let key = |name: &str| {
            let config = vec![super::super::ConfigKey {
                name: name.to_owned(),
                description: None,
                required: super::super::Flag::No,
                secret: super::super::Flag::No,
            }];
            check_description("shelf", &Description { config, ..Description::default() })
        };
        assert!(key("api-key").is_ok());
        assert!(key("").is_err());
        assert!(key(&"x".repeat(129)).is_err());
    }
}
