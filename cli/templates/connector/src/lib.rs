//! A list of items, as a start for a connector of your own: methods that code can call, as a
//! WebAssembly component.
//!
//! What to keep in mind when you change it:
//! - Each call gets a fresh instance. What has to last goes into `state`; a `static` is gone.
//! - What a call writes is committed together with its record in the journal, and dropped when the
//!   call fails.
//! - A panic is a trap: its reason is lost, and its effect counts as possible. Return a `CallError`.

mod items;

use serde_json::{Value, json};

wit_bindgen::generate!({ path: "wit", world: "connector" });

use codemode::component::state::StateError;
use codemode::component::types::{
    CallContext, CallError, ConfigKey, Description, Effect, EffectState, EndStatus, Hooks, Method,
    PassStatus, Recorded, Repeatable, ReplayPolicy, Reverted,
};

struct Connector;
export!(Connector);

impl exports::codemode::component::methods::Guest for Connector {
    /// What the connector is. Uses no state, and answers the same each time.
    fn describe() -> Result<Description, CallError> {
        let list = Method {
            output_schema: Some(json!({ "type": "array", "items": item() }).to_string()),
            ..method(
                "list",
                "All items, in the order of their ids.",
                Effect::ReadOnly,
            )
        };
        let add = Method {
            input_schema: Some(takes("title", items::MAX_TITLE)),
            output_schema: Some(item().to_string()),
            // A call that comes again with its key finds the item that it made.
            repeatable: Repeatable::WithKey,
            revertible: true,
            destructive: Some(false),
            ..method(
                "add",
                "Adds an item and returns it with its id.",
                Effect::Write,
            )
        };
        let remove = Method {
            input_schema: Some(takes("id", items::MAX_ID)),
            output_schema: Some(item().to_string()),
            // A person is asked each time.
            requires_approval: true,
            repeatable: Repeatable::WithKey,
            revertible: true,
            // A revert brings the item back, but only as long as the execution is on record.
            destructive: Some(true),
            ..method(
                "remove",
                "Removes an item and returns what it was.",
                Effect::Write,
            )
        };
        Ok(Description {
            suggested_name: "connector_name".to_owned(),
            instructions: Some("Items are short texts. A person confirms each removal.".to_owned()),
            methods: vec![list, add, remove],
            config: vec![ConfigKey {
                name: "max_items".to_owned(),
                description: Some(
                    "How many items there may be: 1 to 1000. 100 when it is not set.".to_owned(),
                ),
                required: false,
                secret: false,
            }],
            origins: Vec::new(),
            hooks: Hooks::empty(),
            extras: Vec::new(),
        })
    }

    fn call(
        ctx: CallContext,
        method: String,
        args: Option<String>,
    ) -> Result<Option<String>, CallError> {
        let (key, args) = (&ctx.idempotency_key, args.as_deref());
        let value = match method.as_str() {
            "list" => items::list()?,
            "add" => items::add(key, &text(args, "title", items::MAX_TITLE)?)?,
            "remove" => items::remove(key, &text(args, "id", items::MAX_ID)?)?,
            _ => return Err(unknown(&method)),
        };
        Ok(Some(value.to_string()))
    }

    /// Undoes one call of a revertible method. May come twice, and for a call of which nobody knows
    /// whether it happened.
    fn revert(
        _ctx: CallContext,
        call_key: String,
        method: String,
        _args: Option<String>,
        _outcome: Recorded,
    ) -> Result<Reverted, CallError> {
        let undone = match method.as_str() {
            "add" => items::take_back(&call_key)?,
            "remove" => items::bring_back(&call_key)?,
            _ => return Err(unknown(&method)),
        };
        match undone {
            true => Ok(Reverted::Reverted),
            false => Ok(Reverted::NothingToRevert),
        }
    }

    // Never called: `hooks` in the description asks for none.
    fn pass_ended(_execution_id: String, _pass: u32, _status: PassStatus) {}

    fn execution_ended(_execution_id: String, _status: EndStatus) {}
}

/// The schema of an item.
fn item() -> Value {
    json!({
        "type": "object",
        "properties": { "id": { "type": "string" }, "title": { "type": "string" } },
        "required": ["id", "title"],
    })
}

/// The schema of an argument with one text of 1 to `most` characters.
fn takes(member: &str, most: usize) -> String {
    json!({
        "type": "object",
        "properties": { member: { "type": "string", "minLength": 1, "maxLength": most } },
        "required": [member],
        "additionalProperties": false,
    })
    .to_string()
}

/// That text. The host checks arguments against the schema too, unless it was told not to.
fn text(args: Option<&str>, member: &str, most: usize) -> Result<String, CallError> {
    let refused = || {
        let expected = format!("give {{ {member} }}, a text of 1 to {most} characters");
        failed("invalid-arguments", expected)
    };
    let Ok(Value::Object(mut members)) = serde_json::from_str(args.unwrap_or("null")) else {
        return Err(refused());
    };
    match members.remove(member) {
        Some(Value::String(text))
            if members.is_empty() && (1..=most).contains(&text.chars().count()) =>
        {
            Ok(text)
        }
        _ => Err(refused()),
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

/// A failure that leaves nothing behind: what a failed call wrote is dropped.
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

fn unknown(method: &str) -> CallError {
    failed("unknown-method", format!("there is no method `{method}`"))
}

impl From<StateError> for CallError {
    fn from(error: StateError) -> Self {
        match error {
            StateError::Denied(reason) => failed("denied", reason),
            StateError::TooLarge(limit) => {
                failed("too-large", format!("the state takes no more than {limit}"))
            }
            // The host performs the call again.
            StateError::Conflict => failed("conflict", "another call changed the items meanwhile"),
            StateError::Unavailable(reason) => failed("unavailable", reason),
        }
    }
}
