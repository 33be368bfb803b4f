//! Messages of clients that are none: what is answered to them, the same over streams and over HTTP.

use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde_json::Value;

/// What some bytes turned out to be.
pub(crate) enum Read {
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// Something that nobody has to answer.
    Nothing,
    /// No message; this is the answer.
    Refused(Box<ServerJsonRpcMessage>),
}

/// Reads one message.
pub(crate) fn read(bytes: &[u8]) -> Read {
    let why = match serde_json::from_slice::<ClientJsonRpcMessage>(bytes) {
        Ok(message) => return Read::Message(Box::new(message)),
        Err(error) => error,
    };
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return refused(ErrorData::parse_error(format!("this is no JSON: {why}"), None), None);
    };
    let id = match value.get("id") {
        Some(Value::String(id)) => Some(RequestId::String(id.as_str().into())),
        Some(Value::Number(id)) => id.as_i64().map(RequestId::Number),
        _ => None,
    };
    if id.is_none() && value.get("method").is_some_and(Value::is_string) && value.get("id").is_none() {
        return Read::Nothing;
    }
    let message = match &value {
        Value::Array(_) => "batches are not supported: send one message at a time".to_owned(),
        _ => "this is no JSON-RPC 2.0 message of the protocol".to_owned(),
    };
    refused(ErrorData::invalid_request(message, None), id)
}

/// The answer to a message that is over the limit.
pub(crate) fn too_large(limit: usize) -> ServerJsonRpcMessage {
    let message = format!("the message is larger than {limit} bytes (limit `message size`)");
    JsonRpcMessage::error(ErrorData::invalid_request(message, None), None)
}

fn refused(error: ErrorData, id: Option<RequestId>) -> Read {
    Read::Refused(Box::new(JsonRpcMessage::error(error, id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Value {
        match read(text.as_bytes()) {
            Read::Refused(answer) => serde_json::to_value(answer).expect("JSON"),
            Read::Message(message) => panic!("taken for a message: {message:?}"),
            Read::Nothing => panic!("not answered"),
        }
    }

    #[test]
    fn what_is_no_message_is_answered_with_what_is_wrong() {
        assert_eq!(answer("{\"jsonrpc\": \"2.0\", ")["error"]["code"], -32_700);
        assert_eq!(answer("\u{0}\u{1}")["error"]["code"], -32_700);
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(answer(&deep)["error"]["code"], -32_700);
        assert_eq!(answer("[]")["error"]["message"], "batches are not supported: send one message at a time");
        for text in ["1", "null", "{}", r#"{"jsonrpc":"1.0","id":1}"#] {
            assert_eq!(answer(text)["error"]["code"], -32_600, "{text}");
        }
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#)["id"], 7);
    }

    #[test]
    fn requests_and_notifications_are_taken() {
        let ping = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
        assert!(matches!(read(ping.as_bytes()), Read::Message(_)));
        let unknown = r#"{"jsonrpc":"2.0","method":"notifications/unheard-of","params":{"a":1}}"#;
        assert!(!matches!(read(unknown.as_bytes()), Read::Refused(_)));
    }
}
