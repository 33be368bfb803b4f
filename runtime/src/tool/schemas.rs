//! JSON Schemas of what goes into the tool and comes out of it: for agent libraries that want to check, and for models
//! that are shown them. The wire names are those of `outcome.rs`; a test holds every kind of outcome against them.

use std::sync::LazyLock;

use serde_json::{Value, json};

static INPUT: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "type": "object",
        "properties": {
            "code": { "type": "string", "description": "One JavaScript async arrow function: async () => { … }" }
        },
        "required": ["code"],
        "additionalProperties": false
    })
});

static OUTPUT: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["status", "executionId"],
        "oneOf": [completed(), paused(), failed()]
    })
});

static CODE_OUTPUT: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "oneOf": [
            {
                "title": "The code returned.",
                "properties": {
                    "result": { "description": "What the code returned; absent where that is undefined." },
                    "logs": logs()
                },
                "additionalProperties": false
            },
            {
                "title": "The code failed.",
                "properties": {
                    "error": { "description": "Why, and the console lines.", "type": "string", "minLength": 1 }
                },
                "required": ["error"],
                "additionalProperties": false
            }
        ]
    })
});

/// Of the arguments.
pub(super) fn input() -> &'static Value {
    &INPUT
}

/// Of the outcome. The root is an object and no reference is used: not every reader of schemas follows one.
pub(super) fn output() -> &'static Value {
    &OUTPUT
}

/// Of what a code tool gives.
pub(super) fn code_output() -> &'static Value {
    &CODE_OUTPUT
}

fn completed() -> Value {
    json!({
        "title": "The code returned.",
        "properties": {
            "status": { "const": "completed" },
            "executionId": id(""),
            "result": { "description": "What the code returned; absent where that is undefined." },
            "logs": logs()
        },
        "required": ["status", "executionId"],
        "additionalProperties": false
    })
}

fn paused() -> Value {
    json!({
        "title": "Calls wait for the approval of a person. Tell the user, and do not send the code again.",
        "properties": {
            "status": { "const": "paused" },
            "executionId": id(""),
            "pending": {
                "description": "The calls that wait.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "executionId": id(""),
                        "seq": { "type": "integer", "minimum": 0 },
                        "connector": { "type": "string", "minLength": 1 },
                        "method": { "type": "string", "minLength": 1 },
                        "args": { "description": "The argument; absent where there is none." },
                        "digest": { "description": "What an approval names.", "type": "string", "minLength": 1 }
                    },
                    "required": ["executionId", "seq", "connector", "method", "digest"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["status", "executionId", "pending"],
        "additionalProperties": false
    })
}

fn failed() -> Value {
    json!({
        "title": "The code failed, or could not be run.",
        "properties": {
            "status": { "const": "error" },
            "executionId": id("|^$"),
            "error": { "description": "What went wrong, and what to do about it.", "type": "string", "minLength": 1 },
            "errorInfo": {
                "description": "The same in parts.",
                "type": "object",
                "properties": {
                    "kind": { "type": "string", "pattern": "^[a-z_]+$" },
                    "name": { "type": "string" },
                    "message": { "type": "string" },
                    "line": { "type": "integer", "minimum": 1 },
                    "column": { "type": "integer", "minimum": 1 },
                    "sourceLine": { "type": "string" },
                    "hint": { "type": "string" },
                    "value": { "description": "What was thrown, where that is no error." }
                },
                "required": ["kind", "name", "message"],
                "additionalProperties": false
            },
            "logs": logs()
        },
        "required": ["status", "executionId", "error", "errorInfo"],
        "additionalProperties": false
    })
}

fn id(or: &str) -> Value {
    json!({ "type": "string", "pattern": format!("^exec_[0-9]{{16}}_[0-9a-f-]{{36}}${or}") })
}

fn logs() -> Value {
    json!({ "description": "Console lines.", "type": "array", "items": { "type": "string" }, "minItems": 1 })
}
