//! JSON Schema, 2020-12 unless a schema says otherwise. Nothing is ever fetched: a schema stands for itself.

mod said;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::connector::check_schema_text;
use crate::durable::failure::{Failure, code};
use crate::durable::json::{cut, path_of_pointer};
use crate::durable::value::{Json, ValueLimits};
use said::MAX_MESSAGE;

/// What is checked against the schemas of methods before anything is performed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validate {
    /// The arguments: a call that does not fit is answered with `invalid-arguments`, and its connector never hears of it.
    #[default]
    Arguments,
    /// Nothing; connectors get what the code gave.
    Nothing,
}

/// A schema that was checked.
#[derive(Debug)]
pub(crate) struct Schema {
    text: Value,
    validator: Validator,
}

/// What a missing value is checked as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// `null`: the input of a snippet.
    Null,
    /// `{}`: the arguments of a method, which need not be given where nothing is required.
    Empty,
}

/// A message names at most so many places where a value does not fit.
const MAX_PLACES: usize = 3;

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// What is wrong, as the end of a sentence about the schema.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let value = check_schema_text(text)?;
        let built = jsonschema::options().offline().build(&value);
        let validator = built.map_err(|error| {
            let path = path_of_pointer(&value, error.instance_path().as_str());
            let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
            format!("is not valid{place}: {}", cut(&error.masked().to_string(), MAX_MESSAGE))
        })?;
        Ok(Self { text: value, validator })
    }

    /// Checks a value; without one, `null`. `subject` is what the value is called, `owner` whose schema it is.
    ///
    /// # Errors
    /// As for [`Schema::check_plain`]; and a value that JSON cannot say.
    pub(crate) fn check(&self, value: Option<&Json>, subject: &str, owner: &str) -> Result<(), Failure> {
        let plain = value.map(Json::to_plain).transpose();
        let plain =
            plain.map_err(|error| refuse(owner, &format!("{} (it has an input schema)", error.about(subject))))?;
        self.check_plain(plain.as_deref(), Missing::Null, subject, owner)
    }

    /// Checks a value in plain JSON.
    ///
    /// # Errors
    /// A failure with code `invalid-arguments` that names the first places that do not fit, and the names that may have
    /// been meant; its details list the places.
    pub(crate) fn check_plain(
        &self,
        value: Option<&str>,
        missing: Missing,
        subject: &str,
        owner: &str,
    ) -> Result<(), Failure> {
        let nothing = if missing == Missing::Null { "null" } else { "{}" };
        let parsed: Value = serde_json::from_str(value.unwrap_or(nothing))
            .map_err(|_| refuse(owner, &format!("{subject} is nested too deeply to be checked against a schema")))?;
        let mut errors = self.validator.iter_errors(&parsed);
        let places: Vec<(String, String)> =
            errors.by_ref().take(MAX_PLACES).map(|error| said::place(&self.text, &parsed, &error)).collect();
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
        if missing == Missing::Empty {
            said.extend(said::shape(&self.text).map(|shape| format!("it takes {shape}")));
        }
        let list: Vec<Value> =
            places.iter().map(|(path, message)| json!({ "path": path, "message": message })).collect();
        let details = Json::from_plain(&Value::from(list).to_string(), &ValueLimits::default()).ok();
        Err(Failure { details, ..refuse(owner, &said.join("; ")) })
    }
}

fn refuse(owner: &str, message: &str) -> Failure {
    Failure {
        name: Some("TypeError".to_owned()),
        ..Failure::new(code::INVALID_ARGUMENTS, format!("{owner}: {message}"))
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

    /// The message for arguments of a method.
    fn arguments(schema: &str, value: Option<&str>) -> Option<String> {
        let checked = Schema::parse(schema).unwrap().check_plain(value, Missing::Empty, "args", "t.m");
        checked.err().map(|f| f.message)
    }

    #[test]
    fn misspelt_names_are_told_with_the_ones_that_were_meant() {
        let strict = r##"{"type":"object","required":["title"],"properties":{"title":{"type":"string"},
            "labels":{"type":"array"},"at":{"$ref":"#/$defs/at"}},"additionalProperties":false,
            "$defs":{"at":{"properties":{"minutes":{}},"additionalProperties":false}}}"##;
        assert_eq!(
            arguments(strict, Some(r#"{"title":"x","label":[]}"#)).unwrap(),
            "t.m: args: there is no `label`; did you mean `labels`?; it takes { title, labels?, at? }"
        );
        let nested = arguments(strict, Some(r#"{"title":"x","at":{"minute":1}}"#)).unwrap();
        assert!(nested.starts_with("t.m: args.at: there is no `minute`; did you mean `minutes`?"), "{nested}");
        let open = r#"{"type":"object","required":["title"],"properties":{"title":{"type":"string"}}}"#;
        assert_eq!(
            arguments(open, Some(r#"{"titel":"x"}"#)).unwrap(),
            "t.m: args: \"title\" is a required property (`titel` was given); it takes { title }"
        );
        let many = r#"{"properties":{"a":{}},"additionalProperties":false}"#;
        let many = arguments(many, Some(r#"{"q1":1,"q2":1,"q3":1,"q4":1,"q5":1}"#)).unwrap();
        assert!(many.contains("there is no `q3`, and 2 more"), "{many}");
    }

    #[test]
    fn arguments_need_not_be_given_where_nothing_is_required() {
        assert_eq!(arguments(r#"{"type":"object","properties":{"a":{}}}"#, None), None);
        assert_eq!(
            arguments(r#"{"type":"object","properties":{"a":{}},"required":["a"]}"#, None).unwrap(),
            "t.m: args: \"a\" is a required property; there is no args; it takes { a }"
        );
        assert_eq!(
            arguments(r#"{"type":"object","properties":{"a":{}}}"#, Some("\"x\"")).unwrap(),
            "t.m: args: it is not of type \"object\"; it takes { a? }"
        );
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
