//! Sends what it is told, and says what came of it.

use serde_json::{Value, json};

use crate::codemode::component::config;
use crate::http::{Pending, Request, Response, Trouble, fetch, read, send, wait};
use crate::{CallError, Effect, EffectState, Given, Method, failed, invalid, method, unknown};

pub(crate) fn methods() -> Vec<Method> {
    // One with an effect for each thing that a host may be told about it.
    ["fetch", "write"]
        .iter()
        .map(|name| method(name, Effect::Write))
        .chain([method("read", Effect::ReadOnly)])
        .collect()
}

/// With `describe` set, describing asks for that URL first.
pub(crate) fn origins() -> Result<Vec<String>, CallError> {
    if let Some(url) = config::get("describe") {
        let request = request(&json!({ "url": url }))?;
        fetch(&request).map_err(|trouble| failed("unavailable", trouble.told(), EffectState::None))?;
    }
    Ok(vec!["https://wanted.example".to_owned()])
}

/// All methods do the same. `times` sends one after another, `parallel` sends all before any answer is read, and `hold`
/// keeps that many answers unread while it sends.
pub(crate) fn call(name: &str, args: Option<&str>) -> Given {
    if !["fetch", "write", "read"].contains(&name) {
        return unknown(name);
    }
    let args: Value = serde_json::from_str(args.unwrap_or("null")).map_err(|e| invalid(e.to_string()))?;
    let request = request(&args)?;
    let number = |member: &str| args[member].as_u64().unwrap_or(0);
    let mut told = Vec::new();
    match (number("parallel"), number("hold")) {
        (0, 0) => {
            for _ in 0..number("times").max(1) {
                told.push(tell(fetch(&request)));
            }
        }
        (0, hold) => {
            let mut held = Vec::new();
            for _ in 0..=hold {
                match send(&request).and_then(|pending| wait(&pending)) {
                    Ok(answer) => {
                        told.push(json!({ "status": answer.status() }));
                        held.push(answer);
                    }
                    Err(trouble) => told.push(tell(Err(trouble))),
                }
            }
        }
        (parallel, _) => {
            let sent: Vec<Result<Pending, Trouble>> = (0..parallel).map(|_| send(&request)).collect();
            told.extend(sent.into_iter().map(|one| tell(one.and_then(|pending| wait(&pending)).and_then(read))));
        }
    }
    Ok(Some(if told.len() == 1 { told.remove(0) } else { Value::Array(told) }.to_string()))
}

fn request(args: &Value) -> Result<Request, CallError> {
    let text = |member: &str| args[member].as_str().map(str::to_owned);
    let url = text("url").ok_or_else(|| invalid("it takes { url }"))?;
    let (scheme, rest) = url.split_once("://").map_or((None, url.as_str()), |(scheme, rest)| (Some(scheme), rest));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let headers = args["headers"].as_object().into_iter().flatten();
    let one = |(name, value): (&String, &Value)| (name.clone(), value.as_str().unwrap_or_default().to_owned());
    let mut headers: Vec<(String, String)> = headers.map(one).collect();
    let repeated = args["filler"].as_u64().unwrap_or(0);
    headers.extend((0..repeated).map(|_| ("x".to_owned(), String::new())));
    let body = text("body").map(String::into_bytes);
    let body = args["bytes"].as_u64().map(|n| vec![b'x'; usize::try_from(n).unwrap_or(0)]).or(body);
    Ok(Request {
        method: text("method").unwrap_or_else(|| "GET".to_owned()),
        scheme: scheme.map(str::to_owned),
        authority: text("authority").unwrap_or_else(|| authority.to_owned()),
        path: path.to_owned(),
        headers,
        body,
        first_byte: args["firstByteMs"].as_u64().map(|ms| ms.saturating_mul(1_000_000)),
        unfinished: args["unfinished"] == true,
    })
}

fn tell(came: Result<Response, Trouble>) -> Value {
    match came {
        Ok(Response { status, headers, body }) => {
            let headers: serde_json::Map<String, Value> =
                headers.into_iter().map(|(name, value)| (name, value.into())).collect();
            let length = body.len();
            let shown = String::from_utf8_lossy(&body[..length.min(10_000)]).into_owned();
            json!({ "status": status, "headers": headers, "body": shown, "length": length })
        }
        Err(trouble) => json!({ "trouble": trouble.told() }),
    }
}
