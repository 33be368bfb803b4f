//! JSON Schema, 2020-12 unless a schema says otherwise. Nothing is ever fetched: a schema stands for itself.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::connector::check_schema_text;
use crate::durable::failure::{Failure, code};
use crate::durable::json::{cut, path_of_pointer};
use crate::durable::value::{Json, ValueLimits};

/// A schema that was checked.
#[derive(Debug)]
pub(crate) struct Schema(Validator);

/// A message names at most so many places where a value does not fit.
const MAX_PLACES: usize = 3;

/// The longest message of a place, in UTF-16 code units.
const MAX_MESSAGE: usize = 1_000;

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// What is wrong, as the end of a sentence about the schema.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let value = check_schema_text(text)?;
        let built = jsonschema::options().offline().build(&value);
        built.map(Self).map_err(|error| {
            let path = path_of_pointer(&value, error.instance_path().as_str());
            let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
            format!("is not valid{place}: {}", cut(&error.masked().to_string(), MAX_MESSAGE))
        })
    }

    /// Checks a value; without one, `null` is checked. `subject` is what the value is called, `owner` whose schema it is.
    ///
    /// # Errors
    /// A failure with code `invalid-arguments` that names the first places that do not fit; its details list them.
    pub(crate) fn check(&self, value: Option<&Json>, subject: &str, owner: &str) -> Result<(), Failure> {
        let refuse = |message: String| Failure {
            name: Some("TypeError".to_owned()),
            ..Failure::new(code::INVALID_ARGUMENTS, format!("{owner}: {message}"))
        };
        let plain = value.map_or_else(|| Ok("null".to_owned()), Json::to_plain);
        let plain = plain.map_err(|error| refuse(format!("{} (it has an input schema)", error.about(subject))))?;
        let parsed: Value = serde_json::from_str(&plain)
            .map_err(|_| refuse(format!("{subject} is nested too deeply to be checked against a schema")))?;
        let mut places: Vec<(String, String)> = Vec::new();
        let mut errors = self.0.iter_errors(&parsed);
        for error in errors.by_ref().take(MAX_PLACES) {
            let path = path_of_pointer(&parsed, error.instance_path().as_str());
            let message = cut(&error.masked_with("it").to_string(), MAX_MESSAGE).into_owned();
            places.push((path, message));
        }
        if places.is_empty() {
            return Ok(());
        }
        let mut said: Vec<String> =
            places.iter().map(|(path, message)| format!("{subject}{path}: {message}")).collect();
        if errors.next().is_some() {
            said.push("…".to_owned());
        }
        if value.is_none() {
            said.push(format!("there is no {subject}"));
        }
        let list: Vec<Value> =
            places.iter().map(|(path, message)| json!({ "path": path, "message": message })).collect();
        let details = Json::from_plain(&Value::from(list).to_string(), &ValueLimits::default()).ok();
        Err(Failure { details, ..refuse(said.join("; ")) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &str, value: &str) -> Result<(), String> {
        let value = Json::from_tagged(value, &ValueLimits::default()).unwrap();
        let schema = Schema::parse(schema).unwrap();
        schema.check(Some(&value), "input", "s").map_err(|f| {
            assert_eq!(f.code, "invalid-arguments");
            f.message
        })
    }

    #[test]
    fn a_failure_says_where_and_what() {
        let schema = r#"{"type":"object","required":["name"],"properties":{"name":{"type":"string"},
            "tags":{"items":{"maxLength":2}},"a b/c":{"const":1}},"additionalProperties":false}"#;
        assert_eq!(check(schema, r#"{"name":"x","tags":["ab"]}"#), Ok(()));
        assert_eq!(check(schema, "{}").unwrap_err(), "s: input: \"name\" is a required property");
        let tags = check(schema, r#"{"name":"x","tags":["a","abc"]}"#).unwrap_err();
        assert_eq!(tags, "s: input.tags[1]: it is longer than 2 characters");
        let odd = check(schema, r#"{"name":"x","a b/c":2}"#).unwrap_err();
        assert_eq!(odd, "s: input[\"a b/c\"]: 1 was expected");
        let many = check(r#"{"items":{"type":"string"}}"#, "[1,2,3,4]").unwrap_err();
        assert_eq!(many.matches("is not of type").count(), MAX_PLACES, "{many}");
        assert!(many.ends_with("; …"), "{many}");
    }

    #[test]
    fn the_default_is_2020_12_and_another_one_may_be_named() {
        assert!(check(r#"{"prefixItems":[{"type":"string"}]}"#, "[1]").is_err());
        let draft7 = r#"{"$schema":"http://json-schema.org/draft-07/schema#","prefixItems":[{"type":"string"}]}"#;
        assert_eq!(check(draft7, "[1]"), Ok(()));
    }

    #[test]
    fn what_is_no_schema_is_refused_with_its_place() {
        let refused = |text: &str| Schema::parse(text).map(|_| ()).unwrap_err();
        assert!(refused("{").starts_with("is no JSON"), "{}", refused("{"));
        let wrong = refused(r#"{"properties":{"a":{"type":"strin"}}}"#);
        assert!(wrong.starts_with("is not valid at .properties.a.type: "), "{wrong}");
        assert!(refused(r#"{"$ref":"https://x.test/y.json"}"#).contains("remote `$ref`"));
        assert!(refused(r##"{"$ref":"#/$defs/nope"}"##).starts_with("is not valid"));
        assert!(refused(r#"{"pattern":"("}"#).starts_with("is not valid"));
        assert!(refused(r#"{"$schema":"https://x.test/meta"}"#).starts_with("is not valid"));
    }

    #[test]
    fn values_that_json_cannot_say_are_refused_by_name() {
        let date = check("{}", r#"{"at":{"$cm":["date",0]}}"#).unwrap_err();
        assert!(date.starts_with("s: input.at is a Date; send value.toISOString()"), "{date}");
        let none = Schema::parse(r#"{"type":"object"}"#).unwrap().check(None, "input", "s").unwrap_err();
        assert!(none.message.ends_with("; there is no input"), "{}", none.message);
        assert!(Schema::parse(r#"{"type":["object","null"]}"#).unwrap().check(None, "input", "s").is_ok());
    }

    #[test]
    fn references_in_circles_and_deep_values_end() {
        for circle in [
            r##"{"$ref":"#"}"##,
            r##"{"allOf":[{"$ref":"#"}]}"##,
            r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}"##,
            r##"{"not":{"$ref":"#"}}"##,
            r##"{"$dynamicAnchor":"x","allOf":[{"$dynamicRef":"#x"}]}"##,
        ] {
            let schema = Schema::parse(circle).unwrap();
            let _ = schema.check(None, "input", "s");
        }
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let tree = r##"{"items":{"$ref":"#"},"anyOf":[{"type":"array"},{"$ref":"#"}]}"##;
        assert_eq!(check(tree, &nested(127)), Ok(()));
        assert!(check(tree, &nested(200)).unwrap_err().contains("nested too deeply"));
    }

    #[test]
    fn a_pattern_that_backtracks_for_ever_is_given_up() {
        let evil = r#"{"pattern":"^(?=(a+)+$)(a+)+\\1b$"}"#;
        assert!(check(evil, &format!("\"{}\"", "a".repeat(60))).is_err());
    }
}
