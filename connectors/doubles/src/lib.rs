//! A connector that keeps every rule, and doubles of it that break exactly one each: the configuration key `bug` names the
//! rule. They are what shows that a check can fail.

mod excess;
mod method;

use std::hash::{BuildHasher as _, Hasher as _};
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
            instructions: breaks("CONN-DESC-06").then(|| "Read this first. ".repeat(4_000)),
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
        ctx: CallContext,
        call_key: String,
        _: String,
        _: Option<String>,
        outcome: Recorded,
    ) -> Result<Reverted, CallError> {
        if breaks("CONN-REVERT-01") {
            return Ok(Reverted::Reverted);
        }
        let prefix =
            if breaks("CONN-REVERT-04") { format!("note/{}:", ctx.execution_id) } else { format!("note/{call_key}") };
        // A key that only starts like this one belongs to another call.
        let is_own = |key: &String| {
            breaks("CONN-REVERT-04") || key[prefix.len()..].is_empty() || key[prefix.len()..].starts_with('/')
        };
        let mut existed = false;
        if let Ok(Some(name)) = state::get(Scope::Connector, &format!("{prefix}/name")) {
            let name = String::from_utf8_lossy(&name).into_owned();
            state::delete(Scope::Connector, &name).map_err(unreachable_state)?;
        }
        for key in keys(&prefix)?.iter().filter(|key| is_own(key)) {
            existed |= state::delete(Scope::Connector, key).map_err(unreachable_state)?;
        }
        if breaks("a note of each revert") {
            state::set(Scope::Connector, &format!("reverted/{call_key}"), b"yes").map_err(unreachable_state)?;
        }
        match (existed, &outcome) {
            (true, Recorded::Unknown) if breaks("CONN-REVERT-03") => trap(),
            (false, Recorded::Unknown) if breaks("CONN-REVERT-05") => trap(),
            (false, Recorded::Returned(_)) if breaks("CONN-REVERT-02") => {
                Err(failed("not-found", "there is no such note"))
            }
            (true, _) => Ok(Reverted::Reverted),
            (false, _) => Ok(Reverted::NothingToRevert),
        }
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
    if breaks("nothing, and takes few texts") && text != "a text that it takes" {
        return Err(failed("not-found", "there is nothing of that name"));
    }
    excess::take(args);
    let mut key = format!("note/{}", ctx.idempotency_key);
    if breaks("CONN-KEY-01") {
        key = format!("{key}/{}", keys(&format!("{key}/"))?.len());
    }
    if breaks("CONN-KEY-01, by chance") {
        key = format!("{key}/{}", drawn());
    }
    if breaks("CONN-KEY-01, the third time") && ctx.attempt > 2 {
        key = format!("{key}/again");
    }
    if breaks("nothing, and draws names") && state::get(Scope::Connector, &key).map_err(unreachable_state)?.is_none() {
        let name = format!("named/{}", drawn());
        state::set(Scope::Connector, &name, key.as_bytes()).map_err(unreachable_state)?;
        state::set(Scope::Connector, &format!("{key}/name"), name.as_bytes()).map_err(unreachable_state)?;
    }
    let asked = excess::seconds();
    let before = state::get(Scope::Connector, &key);
    if breaks("CONN-STATE-03") && excess::seconds() > asked + 5 {
        trap();
    }
    let note = args.to_string();
    let before = match before {
        Err(_) if breaks("CONN-STATE-02") => None,
        before => before.map_err(unreachable_state)?,
    };
    if before.is_some_and(|before| before != note.as_bytes()) && !breaks("CONN-KEY-02") {
        return Err(failed("conflict", "another note was put under this key"));
    }
    if !(breaks("CONN-KEY-03") && ctx.attempt > 1) {
        state::set(Scope::Connector, &key, note.as_bytes()).map_err(unreachable_state)?;
    }
    let seen = CALLS.fetch_add(1, Ordering::Relaxed);
    Ok(Some(if breaks("CONN-CALL-02") {
        "{not json".to_owned()
    } else if breaks("CONN-CALL-03") {
        json!({ "length": "long" }).to_string()
    } else if breaks("CONN-CALL-06") {
        json!({ "length": seen }).to_string()
    } else if breaks("CONN-CALL-09") {
        r#"{"length":0,"pad":"\ud800"}"#.to_owned()
    } else if breaks("CONN-BOUND-03") {
        excess::answer(1_000_001)
    } else if breaks("nothing, but only just") {
        excess::answer(1_000_000)
    } else {
        json!({ "length": text.chars().count() }).to_string()
    }))
}

/// A number that the host draws for each instance.
fn drawn() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

/// How many texts there are.
fn get() -> Result<Option<String>, CallError> {
    let found = keys("note/")?;
    if breaks("CONN-STATE-01") {
        state::set(Scope::Connector, "read", b"yes").map_err(unreachable_state)?;
    }
    if breaks("CONN-CALL-08") {
        return Ok(Some(json!({ "notes": excess::rounds() }).to_string()));
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
