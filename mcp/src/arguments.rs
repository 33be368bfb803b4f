//! The arguments of a tool, as a model wrote them. A wrong one is answered with what to write instead.

use codemode_runtime::{CodeError, ErrorKind};
use rmcp::model::JsonObject;
use serde_json::Value;

/// The one text that a tool takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it may look like.
    pub(crate) example: &'static str,
}

impl Wanted {
    /// The text in the arguments. Other members are ignored.
    pub(crate) fn of(self, arguments: Option<&JsonObject>) -> Result<&str, CodeError> {
        let Self { name, example } = self;
        let found = match arguments.and_then(|members| members.get(name)) {
            Some(Value::String(text)) => return Ok(text),
            Some(Value::Null) => "is null".to_owned(),
            Some(Value::Bool(_)) => "is a boolean".to_owned(),
            Some(Value::Number(_)) => "is a number".to_owned(),
            Some(Value::Array(_)) => "is a list".to_owned(),
            Some(Value::Object(_)) => "is an object".to_owned(),
            None => match arguments.and_then(|members| members.keys().next()) {
                Some(other) => format!("is missing; there is {:?}", cut(other)),
                None => "is missing".to_owned(),
            },
        };
        let message = format!("the arguments must have the text `{name}`, and `{name}` {found}");
        let hint = format!("send {{\"{name}\": {example:?}}}");
        Err(CodeError::new(ErrorKind::InvalidArguments, message).with_hint(hint))
    }
}

fn cut(name: &str) -> String {
    name.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const QUERY: Wanted = Wanted { name: "query", example: "send a message" };

    fn refused(arguments: &Value) -> CodeError {
        QUERY.of(arguments.as_object()).expect_err("refused")
    }

    #[test]
    fn the_text_is_taken_and_the_rest_ignored() {
        let arguments = json!({ "why": 1, "query": "x" });
        assert_eq!(QUERY.of(arguments.as_object()), Ok("x"));
    }

    #[test]
    fn what_is_wrong_is_said_with_what_would_be_right() {
        for (arguments, found) in [
            (json!({}), "`query` is missing"),
            (json!({ "Query": "x" }), "`query` is missing; there is \"Query\""),
            (json!({ "query": null }), "`query` is null"),
            (json!({ "query": 7 }), "`query` is a number"),
            (json!({ "query": ["x"] }), "`query` is a list"),
            (json!({ "query": { "text": "x" } }), "`query` is an object"),
            (json!({ "query": true }), "`query` is a boolean"),
        ] {
            let error = refused(&arguments);
            assert!(error.message.ends_with(found), "{}", error.message);
            assert_eq!(error.hint.as_deref(), Some("send {\"query\": \"send a message\"}"));
        }
        assert!(QUERY.of(None).is_err());
        assert!(refused(&json!({ "k".repeat(5_000): 1 })).message.len() < 200);
    }
}
