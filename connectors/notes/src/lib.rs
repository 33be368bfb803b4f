//! The notes connector: a small but complete example of the contract. It keeps notes in the state that the host gives
//! it, so it needs no grant, and every write is committed together with the journal entry of its call.
//!
//! A note's id is the idempotency key of the call that created it: unique, the same in each attempt, and known to
//! `revert` even when the answer was lost.

use serde_json::{Value, json};

mod notes;

wit_bindgen::generate!({ path: "wit", world: "connector" });

use codemode::component::types::{
    CallContext, CallError, Description, Effect, EffectState, EndStatus, Hooks, Method, PassStatus, Recorded,
    Repeatable, ReplayPolicy, Reverted,
};

struct Notes;
export!(Notes);

impl exports::codemode::component::methods::Guest for Notes {
    fn describe() -> Result<Description, CallError> {
        let note = json!({
            "type": "object",
            "properties": { "id": { "type": "string" }, "text": { "type": "string" } },
            "required": ["id", "text"]
        });
        let list = method("listNotes", "All notes, oldest first.", Effect::ReadOnly);
        let create = method("createNote", "Creates a note and returns it with its id.", Effect::Write);
        Ok(Description {
            suggested_name: "notes".to_owned(),
            instructions: Some("Notes are short texts. A person confirms each new note.".to_owned()),
            methods: vec![
                Method { output_schema: Some(json!({ "type": "array", "items": &note }).to_string()), ..list },
                Method {
                    input_schema: Some(
                        json!({
                            "type": "object",
                            "properties": {
                                "text": { "type": "string", "minLength": 1, "maxLength": notes::MAX_TEXT }
                            },
                            "required": ["text"],
                            "additionalProperties": false
                        })
                        .to_string(),
                    ),
                    output_schema: Some(note.to_string()),
                    requires_approval: true,
                    repeatable: Repeatable::WithKey,
                    destructive: Some(false),
                    revertible: true,
                    ..create
                },
            ],
            config: Vec::new(),
            origins: Vec::new(),
            hooks: Hooks::empty(),
            extras: Vec::new(),
        })
    }

    fn call(ctx: CallContext, method: String, args: Option<String>) -> Result<Option<String>, CallError> {
        let given = match method.as_str() {
            "listNotes" => notes::list()?,
            "createNote" => notes::create(&ctx.idempotency_key, text_of(args.as_deref())?)?,
            other => return Err(failed("unknown-method", format!("notes has no method `{other}`"))),
        };
        Ok(Some(given.to_string()))
    }

    fn revert(
        _ctx: CallContext,
        call_key: String,
        _method: String,
        _args: Option<String>,
        _outcome: Recorded,
    ) -> Result<Reverted, CallError> {
        // Only `createNote` is revertible. What the call returned does not matter: its key is the note's id.
        Ok(if notes::delete(&call_key)? { Reverted::Reverted } else { Reverted::NothingToRevert })
    }

    fn pass_ended(_execution_id: String, _pass: u32, _status: PassStatus) {}

    fn execution_ended(_execution_id: String, _status: EndStatus) {}
}

/// The text of the note that is to be made.
fn text_of(args: Option<&str>) -> Result<String, CallError> {
    let invalid = |got: String| {
        let expected = format!("createNote expects {{ text: string }} with 1 to {} characters", notes::MAX_TEXT);
        Err(failed("invalid-arguments", format!("{expected}; it got {got}")))
    };
    let Some(args) = args else { return invalid("nothing".to_owned()) };
    let Ok(Value::Object(mut members)) = serde_json::from_str(args) else {
        return invalid("a value that is no object".to_owned());
    };
    let Some(text) = members.remove("text") else { return invalid("an object without `text`".to_owned()) };
    let Value::String(text) = text else { return invalid("a `text` that is no string".to_owned()) };
    if let Some(unknown) = members.keys().next() {
        return invalid(format!("an unknown member `{unknown}`"));
    }
    match text.encode_utf16().count() {
        0 => invalid("an empty text".to_owned()),
        n if n > notes::MAX_TEXT => invalid(format!("{n} characters")),
        _ => Ok(text),
    }
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

/// A failure before anything happened; writes of a failed call are dropped anyway.
fn failed(code: &str, message: impl Into<String>) -> CallError {
    CallError {
        code: code.to_owned(),
        message: message.into(),
        details: None,
        effect: EffectState::None,
        retry_after_ms: None,
        extras: Vec::new(),
    }
}
