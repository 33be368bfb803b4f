//! What a model wrote in place of the arguments. A wrong one is answered with what to write instead, so that the next
//! try is right.

use serde_json::Value;

use crate::durable::failure::{CodeError, ErrorKind};

/// The code in the arguments.
pub(super) fn code(arguments: &Value) -> Result<&str, CodeError> {
    let wrong = |found: &str| {
        let message = format!("the arguments must be an object with the text `code`, {found}");
        let hint = "send {\"code\": \"async () => { … }\"}";
        Err(CodeError::new(ErrorKind::InvalidArguments, message).with_hint(hint))
    };
    match arguments {
        Value::Object(members) => match members.get("code") {
            Some(Value::String(code)) => Ok(code),
            Some(other) => wrong(&format!("and `code` is {}", kind(other))),
            None => wrong("and `code` is missing"),
        },
        other => wrong(&format!("not {}", kind(other))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_code_is_taken_and_the_rest_ignored() {
        assert_eq!(code(&json!({ "code": "return 1" })), Ok("return 1"));
        assert_eq!(code(&json!({ "why": [1], "code": "" })), Ok(""));
    }

    #[test]
    fn what_is_wrong_is_said_with_what_would_be_right() {
        for (arguments, found) in [
            (json!({}), "`code` is missing"),
            (json!({ "Code": "x" }), "`code` is missing"),
            (json!({ "code": 1 }), "`code` is a number"),
            (json!({ "code": null }), "`code` is null"),
            (json!({ "code": ["async () => 1"] }), "`code` is a list"),
            (json!({ "code": { "text": "x" } }), "`code` is an object"),
            (json!({ "code": true }), "`code` is a boolean"),
            (json!("async () => 1"), "not a text"),
            (json!(null), "not null"),
            (json!([]), "not a list"),
        ] {
            let error = code(&arguments).unwrap_err();
            assert!(error.message.ends_with(found), "{}", error.message);
            assert!(error.hint.unwrap().contains("{\"code\": \"async"));
        }
    }
}
