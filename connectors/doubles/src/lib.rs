//! A connector that keeps every rule, and doubles of it that break exactly one each: the configuration key `bug` names the
//! rule. They are what shows that a check can fail.

mod method;

use std::sync::atomic::{AtomicU32, Ordering};

wit_bindgen::generate!({ path: "wit", world: "connector" });

use codemode::component::types::{
    CallContext, CallError, ConfigKey, Description, EffectState, EndStatus, Hooks, PassStatus, Recorded, Reverted,
};
use codemode::component::{config, state};
use serde_json::{Value, json};
use state::Scope;

struct Doubles;
export!(Doubles);

/// Whether this double breaks that rule.
fn breaks(rule: &str) -> bool {
    config::get("bug").as_deref() == Some(rule)
}

fn failed(code: &str, message: impl Into<String>) -> CallError {
    let (code, message) = (code.to_owned(), message.into());
    CallError { code, message, details: None, effect: EffectState::None, retry_after_ms: None, extras: Vec::new() }
}

fn trap() -> ! {
    core::arch::wasm32::unreachable()
}

impl exports::codemode::component::methods::Guest for Doubles {
    fn describe() -> Result<Description, CallError> {
        if breaks("CONN-DESC-01") {
            trap();
        }
        Ok(Description {
            suggested_name: "doubles".to_owned(),
            instructions: None,
            methods: method::all(),
            config: vec![ConfigKey { name: "bug".to_owned(), description: None, required: false, secret: false }],
            origins: Vec::new(),
            hooks: Hooks::EXECUTION_ENDED,
            extras: Vec::new(),
        })
    }

    fn call(ctx: CallContext, method: String, args: Option<String>) -> Result<Option<String>, CallError> {
        match method.as_str() {
            "put" => put(&ctx, &arguments(args)?),
            "get" => get(),
            "a-b" => Ok(None),
            _ if breaks("CONN-CALL-04") => Ok(Some("null".to_owned())),
            _ => Err(failed("unknown-method", format!("there is no method `{method}`"))),
        }
    }

    fn revert(
        _: CallContext,
        call_key: String,
        _: String,
        _: Option<String>,
        _: Recorded,
    ) -> Result<Reverted, CallError> {
        if breaks("CONN-REVERT-01") {
            return Ok(Reverted::Reverted);
        }
        let mut existed = false;
        for key in keys(&format!("note/{call_key}"))? {
            existed |= state::delete(Scope::Connector, &key).map_err(unreachable_state)?;
        }
        if !existed && breaks("CONN-REVERT-02") {
            trap();
        }
        Ok(if existed { Reverted::Reverted } else { Reverted::NothingToRevert })
    }

    fn pass_ended(_: String, _: u32, _: PassStatus) {}

    fn execution_ended(execution_id: String, _: EndStatus) {
        if breaks("CONN-HOOK-01") {
            let key = format!("ended/{execution_id}");
            let count = state::get(Scope::Connector, &key).ok().flatten().map_or(0, |bytes| bytes.len());
            let _ = state::set(Scope::Connector, &key, &vec![b'x'; count + 1]);
        }
    }
}

/// Calls so far in this instance, which nothing should depend on.
static CALLS: AtomicU32 = AtomicU32::new(0);

fn arguments(args: Option<String>) -> Result<Value, CallError> {
    let value: Value = serde_json::from_str(args.as_deref().unwrap_or("null"))
        .map_err(|error| failed("invalid-arguments", format!("no JSON: {error}")))?;
    let is_right = value["text"].is_string()
        && value["count"].as_u64().is_some_and(|count| count <= 9)
        && value.as_object().is_some_and(|members| members.len() == 2);
    match is_right {
        true => Ok(value),
        false if breaks("CONN-CALL-05") => trap(),
        false => Err(failed("invalid-arguments", "`put` takes { text, count }, with a count of 0 to 9")),
    }
}

/// Keeps a text under the call's key.
fn put(ctx: &CallContext, args: &Value) -> Result<Option<String>, CallError> {
    let (text, count) = (args["text"].as_str().unwrap_or_default(), args["count"].as_u64().unwrap_or_default());
    if breaks("CONN-CALL-01") && count >= 5 || breaks("CONN-CALL-07") && text.len() > 100_000 {
        trap();
    }
    let mut key = format!("note/{}", ctx.idempotency_key);
    if breaks("CONN-KEY-01") {
        key = format!("{key}/{}", ctx.attempt);
    }
    let before = state::get(Scope::Connector, &key);
    if !breaks("CONN-STATE-02") {
        before.map_err(unreachable_state)?;
    }
    state::set(Scope::Connector, &key, text.as_bytes()).map_err(unreachable_state)?;
    let seen = CALLS.fetch_add(1, Ordering::Relaxed);
    Ok(Some(if breaks("CONN-CALL-02") {
        "{not json".to_owned()
    } else if breaks("CONN-CALL-03") {
        json!({ "length": "long" }).to_string()
    } else if breaks("CONN-CALL-06") {
        json!({ "length": seen }).to_string()
    } else {
        json!({ "length": text.chars().count() }).to_string()
    }))
}

/// How many texts there are.
fn get() -> Result<Option<String>, CallError> {
    let found = keys("note/")?;
    if breaks("CONN-STATE-01") {
        state::set(Scope::Connector, "read", b"yes").map_err(unreachable_state)?;
    }
    Ok(Some(json!({ "notes": found.len() }).to_string()))
}

fn keys(prefix: &str) -> Result<Vec<String>, CallError> {
    let mut all = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = state::list_keys(Scope::Connector, prefix, after.as_deref(), 1_000).map_err(unreachable_state)?;
        all.extend(page.keys);
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(all),
        }
    }
}

fn unreachable_state(error: state::StateError) -> CallError {
    failed("unavailable", error.to_string())
}
