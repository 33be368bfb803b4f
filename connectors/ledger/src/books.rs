//! The rows. Each is a key of its own below its execution, so that calls at the same time do not get in each other's way,
//! and so that nothing is ever written over.

use serde_json::{Value, json};

use crate::codemode::component::state::{self, Scope, StateError};
use crate::codemode::component::types::{CallContext, CallError};
use crate::{failed, short};

/// Writes down that a call had its effect.
pub(crate) fn enter(ctx: &CallContext, method: &str, text: &str) -> Result<(), CallError> {
    let below = format!("row/{}/{:06}/", ctx.execution_id, ctx.seq);
    let times = keys(&below)?.len();
    let row = json!({
        "method": method, "text": short(text), "seq": ctx.seq, "pass": ctx.pass, "key": ctx.idempotency_key,
    });
    set(&format!("{below}{times:03}"), &row)
}

/// Strikes the rows of a call out, and writes that down; says whether there were any.
pub(crate) fn strike(execution: &str, call_key: &str) -> Result<bool, CallError> {
    let mut struck = Vec::new();
    for key in keys(&format!("row/{execution}/"))? {
        let row = get(&key)?;
        if row["key"] == call_key {
            state::delete(Scope::Connector, &key).map_err(state_error)?;
            struck.push(row["text"].clone());
        }
    }
    let below = format!("undone/{execution}/");
    let before = keys(&below)?.len();
    for (at, text) in struck.iter().enumerate() {
        set(&format!("{below}{:06}", before + at), text)?;
    }
    Ok(!struck.is_empty())
}

/// Writes down what a hook said. Its failures are ignored by contract; a hook that comes again changes nothing.
pub(crate) fn heard(execution: &str, what: &str) {
    let _ = set(&format!("hook/{execution}/{what}"), &json!(what));
}

/// What is written down of an execution.
pub(crate) fn shown(execution: &str) -> Result<Value, CallError> {
    let all = |kind: &str| -> Result<Vec<Value>, CallError> {
        keys(&format!("{kind}/{execution}/"))?.iter().map(|key| get(key)).collect()
    };
    Ok(json!({ "rows": all("row")?, "undone": all("undone")?, "hooks": all("hook")? }))
}

fn keys(prefix: &str) -> Result<Vec<String>, CallError> {
    let (mut keys, mut after) = (Vec::new(), None::<String>);
    loop {
        let page = state::list_keys(Scope::Connector, prefix, after.as_deref(), 1_000).map_err(state_error)?;
        keys.extend(page.keys);
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(keys),
        }
    }
}

fn get(key: &str) -> Result<Value, CallError> {
    let bytes = state::get(Scope::Connector, key).map_err(state_error)?.unwrap_or_default();
    serde_json::from_slice(&bytes).map_err(|e| failed("internal", format!("a row cannot be read back: {e}")))
}

fn set(key: &str, value: &Value) -> Result<(), CallError> {
    state::set(Scope::Connector, key, value.to_string().as_bytes()).map_err(state_error)
}

fn state_error(error: StateError) -> CallError {
    match error {
        StateError::Denied(reason) => failed("denied", reason),
        StateError::TooLarge(limit) => failed("too-large", format!("over a limit of {limit}")),
        StateError::Conflict => failed("conflict", "the state changed meanwhile"),
        StateError::Unavailable(reason) => failed("unavailable", reason),
    }
}
