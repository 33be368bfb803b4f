//! The fixtures `shelf`, `t` and `c`. Their effects are rows in the connector's own state, which is not outside: tests
//! that count real executions use the native twins of the conformance crate.

use std::time::Duration;

use serde_json::{Value, json};

use crate::codemode::component::state::{self, Scope};
use crate::codemode::component::types::{CallError, Effect, EffectState, ReplayPolicy};
use crate::kit::{Call, Given, Method, failed, give, method, read, state_error, write};

pub(crate) fn shelf() -> Vec<Method> {
    let writes = |name| Method { revertible: true, ..method(name, Effect::Write) };
    vec![
        method("list", Effect::ReadOnly),
        method("bytes", Effect::ReadOnly),
        method("huge", Effect::ReadOnly),
        method("echo", Effect::ReadOnly),
        method("whoami", Effect::ReadOnly),
        Method { requires_approval: true, ..writes("put") },
        writes("jot"),
        method("fail", Effect::ReadOnly),
        method("nap", Effect::ReadOnly),
    ]
}

pub(crate) fn call_shelf(call: &Call) -> Given {
    match call.method.as_str() {
        "list" => rows(),
        "bytes" => give(&json!({ "$cm": ["bytes", "Uint8Array", "AQIDBAU="] })),
        "huge" => repeat("x", call.number("n")?),
        "echo" => Ok(call.args.clone()),
        "whoami" => give(&json!({ "executionId": call.ctx.execution_id })),
        "put" => add_row(call, json!({ "id": row_id(call), "title": call.text("title")? })),
        "jot" => add_row(call, json!({ "index": row_id(call), "text": call.text("text")? })),
        "fail" => Err(failed("internal", "shelf fail")),
        "nap" => nap(call.number("ms")?, &json!(call.number("ms")?)),
        _ => call.unknown(),
    }
}

pub(crate) fn t() -> Vec<Method> {
    let writes = |name| Method { revertible: true, ..method(name, Effect::Write) };
    vec![
        method("echo", Effect::ReadOnly),
        method("raw", Effect::ReadOnly),
        method("big", Effect::ReadOnly),
        writes("add"),
        writes("addSlow"),
        writes("addThenFail"),
        Method { requires_approval: true, ..writes("gate") },
        method("list", Effect::ReadOnly),
        method("slow", Effect::ReadOnly),
        Method { replay: ReplayPolicy::Reexecute, ..method("live", Effect::ReadOnly) },
        method("fail", Effect::ReadOnly),
        method("hang", Effect::ReadOnly),
    ]
}

pub(crate) fn call_t(call: &Call) -> Given {
    match call.method.as_str() {
        "echo" => Ok(call.args.clone()),
        "raw" => Ok(Some(call.text("json")?)),
        "big" => repeat(&call.text("ch")?, call.number("n")?),
        "add" => add_row(call, json!({ "id": row_id(call), "n": call.json()?["n"] })),
        "addSlow" => {
            std::thread::sleep(Duration::from_millis(call.number("ms")?));
            add_row(call, json!({ "id": row_id(call), "n": call.json()?["n"] }))
        }
        "addThenFail" => {
            add_row(call, json!({ "id": row_id(call), "n": call.json()?["n"] }))?;
            Err(CallError { effect: EffectState::Happened, ..failed("internal", "failed after the effect") })
        }
        "gate" => {
            let mut given = json!({ "ok": true });
            if let (Some(members), Value::Object(args)) = (given.as_object_mut(), call.json()?) {
                members.extend(args);
            }
            add_row(call, given)
        }
        "list" => rows(),
        "slow" => nap(call.number("ms")?, &call.json()?["v"]),
        "live" => give(&json!({ "n": call.ctx.pass })),
        "fail" => Err(CallError {
            details: Some(json!({ "retryAfter": 3 }).to_string()),
            extras: vec![("name".to_owned(), "\"RateLimit\"".to_owned())],
            ..failed("429", call.text("msg")?)
        }),
        "hang" => hang(),
        _ => call.unknown(),
    }
}

pub(crate) fn c() -> Vec<Method> {
    vec![method("trap", Effect::Write), method("ok", Effect::ReadOnly)]
}

pub(crate) fn call_c(call: &Call) -> Given {
    match call.method.as_str() {
        "trap" => core::arch::wasm32::unreachable(),
        "ok" => give(&json!({ "v": 1 })),
        _ => call.unknown(),
    }
}

/// Never answers.
pub(crate) fn hang() -> Given {
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

pub(crate) fn repeat(text: &str, n: u64) -> Given {
    let n = usize::try_from(n).map_err(|_| failed("invalid-arguments", "too many"))?;
    give(&Value::String(text.repeat(n)))
}

pub(crate) fn row_key(call_key: &str) -> String {
    format!("row/{call_key}")
}

fn row_id(call: &Call) -> String {
    call.ctx.idempotency_key.clone()
}

fn add_row(call: &Call, row: Value) -> Given {
    let key = row_key(&call.ctx.idempotency_key);
    write(Scope::Connector, &key, &row.to_string())?;
    give(&row)
}

fn rows() -> Given {
    let mut rows = Vec::new();
    let mut after = None;
    loop {
        let page = state::list_keys(Scope::Connector, "row/", after.as_deref(), 1_000).map_err(state_error)?;
        for key in &page.keys {
            let row = read(Scope::Connector, key)?.and_then(|text| serde_json::from_str(&text).ok());
            rows.push(row.unwrap_or(Value::Null));
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return give(&Value::Array(rows)),
        }
    }
}

fn nap(ms: u64, value: &Value) -> Given {
    std::thread::sleep(Duration::from_millis(ms));
    give(value)
}
