//! What the methods declare.

use serde_json::{Value, json};

use crate::codemode::component::types::{Effect, Method, Repeatable, ReplayPolicy};

/// All methods.
pub(crate) fn all() -> Vec<Method> {
    let texts = || with(json!({ "text": { "type": "string" } }), &["text"]);
    let writes = |name, description| Method { input_schema: Some(texts()), ..method(name, description, Effect::Write) };
    let undone = |name, description| Method { revertible: true, ..writes(name, description) };
    let reads = |name, description| method(name, description, Effect::ReadOnly);
    vec![
        undone("add", "Writes an effect down."),
        Method { requires_approval: true, ..undone("gate", "Writes an effect down, after approval.") },
        writes("keep", "Writes an effect down that cannot be undone."),
        undone("stubborn", "Writes an effect down whose first revert fails."),
        Method {
            input_schema: Some(with(
                json!({ "text": { "type": "string" }, "ms": { "type": "integer", "minimum": 0, "maximum": 1_000 } }),
                &["text", "ms"],
            )),
            ..undone("slow", "Writes an effect down after so many milliseconds.")
        },
        Method { input_schema: Some(strict()), ..undone("typed", "Writes an effect down, with a count of 0 to 9.") },
        writes("addThenFail", "Writes an effect down and fails."),
        Method {
            input_schema: Some(with(json!({ "message": { "type": "string" } }), &["message"])),
            ..method("fail", "Fails, naming the pass.", Effect::Write)
        },
        reads("echo", "Gives the value back."),
        Method {
            input_schema: Some(with(json!({ "n": { "type": "integer", "minimum": 0 } }), &["n"])),
            ..reads("big", "Gives a text of so many characters.")
        },
        reads("pass", "The number of the pass in which it was called."),
        Method { replay: ReplayPolicy::Reexecute, ..reads("live", "The number of the pass that runs.") },
        Method {
            input_schema: Some(with(json!({ "execution": { "type": "string" } }), &["execution"])),
            ..reads("look", "What an execution did, undid and heard.")
        },
    ]
}

fn with(properties: Value, required: &[&str]) -> String {
    json!({ "type": "object", "properties": properties, "required": required }).to_string()
}

fn strict() -> String {
    json!({
        "type": "object",
        "properties": { "count": { "type": "integer", "minimum": 0, "maximum": 9 } },
        "required": ["count"],
        "additionalProperties": false
    })
    .to_string()
}

fn method(name: &str, description: &str, effect: Effect) -> Method {
    Method {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        input_schema: None,
        output_schema: None,
        requires_approval: false,
        replay: ReplayPolicy::Recorded,
        effect,
        repeatable: Repeatable::No,
        destructive: None,
        revertible: false,
        extras: Vec::new(),
    }
}
