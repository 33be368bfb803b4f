//! The client of a small service of items: what a connector should do with answers and with failures. The configuration key
//! `bug` names the rule that it breaks, or something that looks like a bug and is none.

use serde_json::{Value, json};

use crate::codemode::component::{config, state};
use crate::http::{Request, Response, Trouble, fetch};
use crate::{CallContext, CallError, Effect, EffectState, Given, Method, Repeatable, failed, invalid, method, unknown};

/// Where the service is.
pub(crate) fn origin() -> String {
    format!("https://items.example{}", if breaks("origin") { "/items" } else { "" })
}

pub(crate) fn methods() -> Vec<Method> {
    let mut list = method("list", Effect::ReadOnly);
    list.input_schema = Some(json!({ "type": "object", "additionalProperties": false }).to_string());
    list.output_schema = Some(json!({ "type": "array", "items": { "type": "object" } }).to_string());
    let mut put = method("put", Effect::Write);
    let properties = json!({ "id": { "type": "string", "minLength": 1 }, "text": { "type": "string" } });
    let input = json!({
        "type": "object", "properties": properties, "required": ["id", "text"], "additionalProperties": false,
    });
    put.input_schema = Some(input.to_string());
    put.output_schema = Some(json!({ "type": "object", "required": ["version"] }).to_string());
    put.repeatable = Repeatable::WithKey;
    vec![list, put]
}

fn breaks(rule: &str) -> bool {
    config::get("bug").as_deref() == Some(rule)
}

pub(crate) fn call(ctx: &CallContext, method: &str, args: Option<&str>) -> Given {
    let args: Value = serde_json::from_str(args.unwrap_or("null")).map_err(|e| invalid(e.to_string()))?;
    match method {
        "list" if args.as_object().is_none_or(|members| members.is_empty()) => list(),
        "list" => Err(invalid("`list` takes no arguments")),
        "put" => put(ctx, &args),
        other => unknown(other),
    }
}

fn list() -> Given {
    if breaks("CONN-HTTP-01") {
        // Who asks for more than was agreed seldom says so.
        let _ = fetch(&request("GET", "ping.example", "/seen".to_owned()));
    }
    let answer = match asked(&request("GET", "items.example", "/items".to_owned()), EffectState::None) {
        // No bug: what was seen last is better than nothing.
        Err(_)
            if breaks("nothing, but it remembers")
                && let Some(known) = remembered() =>
        {
            known
        }
        other => other?,
    };
    let items = json_of(&answer, EffectState::None)?;
    if breaks("nothing, but it remembers") {
        let _ = state::set(state::Scope::Connector, "list", &answer.body);
    }
    let is_right = items.as_array().is_some_and(|items| items.iter().all(Value::is_object));
    if is_right { Ok(Some(items.to_string())) } else { Err(garbage(EffectState::None)) }
}

fn remembered() -> Option<Response> {
    let body = state::get(state::Scope::Connector, "list").ok()??;
    Some(Response { status: 200, headers: Vec::new(), body })
}

fn put(ctx: &CallContext, args: &Value) -> Given {
    let (Some(id), Some(text)) = (args["id"].as_str().filter(|id| !id.is_empty()), args["text"].as_str()) else {
        return Err(invalid("`put` takes { id, text }"));
    };
    if args.as_object().is_some_and(|members| members.len() > 2) {
        return Err(invalid("`put` takes { id, text } and nothing else"));
    }
    remember(&ctx.idempotency_key, &args.to_string())?;
    let mut request = request("PUT", "items.example", format!("/items/{}", escaped(id)));
    request.body = Some(json!({ "text": text }).to_string().into_bytes());
    let key = match breaks("CONN-HTTP-04") {
        true => format!("{}/{}", ctx.idempotency_key, ctx.attempt),
        false => ctx.idempotency_key.clone(),
    };
    request.headers.push(("idempotency-key".to_owned(), key));
    let answer = match asked(&request, EffectState::Happened) {
        Err(_) if breaks("CONN-HTTP-02") => return Ok(Some(json!({ "version": 0 }).to_string())),
        other => other?,
    };
    let stored = json_of(&answer, EffectState::Happened)?;
    match stored.get("version") {
        Some(version) => Ok(Some(json!({ "version": version }).to_string())),
        None => Err(garbage(EffectState::Happened)),
    }
}

/// Refuses a key that stood for something else before.
fn remember(key: &str, args: &str) -> Result<(), CallError> {
    let unreachable = |error: state::StateError| failed("unavailable", error.to_string(), EffectState::None);
    let key = format!("put/{key}");
    match state::get(state::Scope::Execution, &key).map_err(unreachable)? {
        Some(known) if known != args.as_bytes() => {
            Err(failed("conflict", "the key stands for another item", EffectState::None))
        }
        Some(_) => Ok(()),
        None => state::set(state::Scope::Execution, &key, args.as_bytes()).map_err(unreachable),
    }
}

fn request(method: &str, authority: &str, path: String) -> Request {
    let headers = vec![("accept".to_owned(), "application/json".to_owned())];
    let (method, authority, scheme) = (method.to_owned(), authority.to_owned(), Some("https".to_owned()));
    Request { method, scheme, authority, path, headers, ..Request::default() }
}

/// The answer, if it is a good one. `when_done`: what a request that was carried out has changed.
fn asked(request: &Request, when_done: EffectState) -> Result<Response, CallError> {
    let in_doubt = if when_done == EffectState::None { EffectState::None } else { EffectState::Possible };
    let again = |trouble: Trouble| if breaks("nothing, but it tries twice") { fetch(request) } else { Err(trouble) };
    let answer = fetch(request).or_else(again).map_err(|trouble| {
        let silent = trouble.is_unsent() || breaks("CONN-HTTP-03");
        let effect = if silent { EffectState::None } else { in_doubt };
        failed("unavailable", format!("the service gave no answer: {}", trouble.told()), effect)
    })?;
    let retry = answer.headers.iter().find(|(name, _)| name == "retry-after").and_then(|(_, value)| value.parse().ok());
    match answer.status {
        200..=299 => Ok(answer),
        404 => Err(failed("not-found", "there is no such item", EffectState::None)),
        429 => {
            let error = failed("rate-limited", "the service asks to wait", EffectState::None);
            Err(CallError { retry_after_ms: retry.map(|seconds: u64| seconds.saturating_mul(1_000)), ..error })
        }
        400..=499 => Err(failed("denied", format!("the service says {}", answer.status), EffectState::None)),
        status => Err(failed("unavailable", format!("the service says {status}"), in_doubt)),
    }
}

fn json_of(answer: &Response, effect: EffectState) -> Result<Value, CallError> {
    serde_json::from_slice(&answer.body).map_err(|_| match breaks("CONN-HTTP-02, by a trap") {
        true => core::arch::wasm32::unreachable(),
        false => garbage(effect),
    })
}

fn garbage(effect: EffectState) -> CallError {
    failed("internal", "the service gave something that is no answer", effect)
}

/// A part of a path.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => out.push(byte.into()),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
