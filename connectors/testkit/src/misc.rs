//! Everything that can go wrong between a host and a guest, one method each.

use std::io::{Read, Write};

use serde_json::{Value, json};

use crate::codemode::component::config;
use crate::codemode::component::state::{self, Scope};
use crate::codemode::component::types::{CallError, Effect, EffectState, Repeatable};
use crate::fixtures;
use crate::kit::{Call, Given, Method, failed, give, method, read, state_error, write};

pub(crate) fn methods() -> Vec<Method> {
    let reads = ["echo", "bytes", "context", "configGet", "stateGet", "stateKeys", "granted", "peek"];
    let breaks = [
        "trap",
        "panic",
        "exit",
        "spin",
        "bomb",
        "recurse",
        "recurseInMemory",
        "invalidJson",
        "oversized",
        "hang",
        "stdin",
        "flood",
        "failWith",
        "stateSet",
        "stateDelete",
        "count",
        "writeThenTrap",
    ];
    let reads = reads.into_iter().map(|name| method(name, Effect::ReadOnly));
    let breaks = breaks.into_iter().map(|name| Method {
        repeatable: if name == "stateSet" { Repeatable::Always } else { Repeatable::No },
        revertible: matches!(name, "stateSet" | "trap"),
        ..method(name, Effect::Write)
    });
    // Reads by name, writes in truth.
    reads.chain(breaks).chain([method("stateSetReadOnly", Effect::ReadOnly)]).collect()
}

pub(crate) fn call(call: &Call) -> Given {
    match call.method.as_str() {
        "echo" => Ok(call.args.clone()),
        "bytes" => give(&json!({ "$cm": ["bytes", "Uint8Array", "AP8="] })),
        "context" => give(&context(call)),
        "configGet" => Ok(config::get(&call.text("key")?).map(|v| Value::String(v).to_string())),
        "granted" => give(&granted()),
        "trap" => core::arch::wasm32::unreachable(),
        "panic" => panic!("the testkit panicked, as asked"),
        "exit" => std::process::exit(3),
        "spin" => spin(call),
        "bomb" => bomb(),
        "recurse" => give(&json!(recurse(std::hint::black_box(1 << 40)))),
        "recurseInMemory" => give(&json!(recurse_in_memory(u64::MAX))),
        "invalidJson" => Ok(Some("{\"a\":".to_owned())),
        "oversized" => fixtures::repeat("x", call.number("n")?),
        "hang" => fixtures::hang(),
        "stdin" => stdin(),
        "flood" => flood(call.number("n")?),
        "failWith" => fail_with(call),
        _ => call_state(call),
    }
}

fn call_state(call: &Call) -> Given {
    match call.method.as_str() {
        "stateGet" => read(scope(call)?, &call.text("key")?),
        "stateSet" | "stateSetReadOnly" => {
            write(scope(call)?, &call.text("key")?, &call.json()?["value"].to_string())?;
            Ok(None)
        }
        "stateDelete" => {
            let existed = state::delete(scope(call)?, &call.text("key")?).map_err(state_error)?;
            give(&json!(existed))
        }
        "stateKeys" => {
            let (args, prefix) = (call.json()?, call.text("prefix")?);
            let limit = args["limit"].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX);
            let page = state::list_keys(scope(call)?, &prefix, args["after"].as_str(), limit).map_err(state_error)?;
            give(&json!({ "keys": page.keys, "next": page.next }))
        }
        "count" => {
            let count = read(Scope::Connector, "count")?.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) + 1;
            write(Scope::Connector, "count", &count.to_string())?;
            give(&json!(count))
        }
        "peek" => Ok(read(Scope::Connector, "count")?.or(Some("0".to_owned()))),
        "writeThenTrap" => {
            write(Scope::Connector, "lost", "1")?;
            core::arch::wasm32::unreachable()
        }
        _ => call.unknown(),
    }
}

fn scope(call: &Call) -> Result<Scope, CallError> {
    Ok(if call.json()?["scope"] == "execution" { Scope::Execution } else { Scope::Connector })
}

fn context(call: &Call) -> Value {
    json!({
        "executionId": call.ctx.execution_id,
        "seq": call.ctx.seq,
        "pass": call.ctx.pass,
        "idempotencyKey": call.ctx.idempotency_key,
        "attempt": call.ctx.attempt,
        "remaining": call.ctx.remaining_ms > 0,
    })
}

/// What the guest can reach without a grant: nothing of it.
fn granted() -> Value {
    json!({
        "environment": std::env::vars().count(),
        "arguments": std::env::args().count(),
        "file": std::fs::read_to_string("/etc/hostname").is_ok(),
        "folder": std::fs::read_dir(".").is_ok(),
        "tcp": std::net::TcpStream::connect("127.0.0.1:1").err().map(|e| format!("{:?}", e.kind())),
        "udp": std::net::UdpSocket::bind("127.0.0.1:0").is_ok(),
        "names": std::net::ToSocketAddrs::to_socket_addrs("localhost:1").is_ok(),
    })
}

/// Computes for so many milliseconds by the clock, or for ever without an argument.
#[expect(clippy::disallowed_methods, reason = "a component has the clock that the host gives it")]
fn spin(call: &Call) -> Given {
    let limit = call.json()?["ms"].as_u64();
    let start = std::time::Instant::now();
    let mut n: u64 = 0;
    loop {
        n = std::hint::black_box(n.wrapping_add(1));
        if n.is_multiple_of(1 << 16)
            && let Some(ms) = limit
            && start.elapsed().as_millis() >= u128::from(ms)
        {
            return give(&json!(true));
        }
    }
}

fn bomb() -> Given {
    let mut kept = Vec::new();
    loop {
        kept.push(std::hint::black_box(vec![1_u8; 1 << 20]));
    }
}

/// Uses up the stack of the wasm code: nothing of it lies in memory, and no compiler can make a loop of it.
fn recurse(n: u64) -> u64 {
    if n == 0 { 1 } else { recurse(n - 1).rotate_left(3).wrapping_sub(n) }
}

/// Uses up the stack that compilers keep in memory for what has an address.
#[expect(unconditional_recursion, reason = "that is the point")]
fn recurse_in_memory(n: u64) -> u64 {
    std::hint::black_box([n; 32])[7].wrapping_add(recurse_in_memory(std::hint::black_box(n - 1)))
}

fn stdin() -> Given {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    give(&json!({ "ok": read.is_ok(), "bytes": text.len() }))
}

fn flood(lines: u64) -> Given {
    let line = format!("{}\n", "flood ".repeat(20));
    for _ in 0..lines {
        let written = std::io::stdout().write_all(line.as_bytes());
        written.map_err(|e| failed("internal", format!("standard output failed: {e}")))?;
    }
    give(&json!(lines))
}

fn fail_with(call: &Call) -> Given {
    let args = call.json()?;
    let effect = match args["effect"].as_str() {
        Some("happened") => EffectState::Happened,
        Some("possible") => EffectState::Possible,
        _ => EffectState::None,
    };
    let text = |member: &str| args[member].as_str().unwrap_or_default().to_owned();
    Err(CallError {
        code: text("code"),
        message: text("message"),
        details: args["details"].as_str().map(str::to_owned),
        effect,
        retry_after_ms: args["retryAfterMs"].as_u64(),
        extras: args["name"].as_str().map(|n| ("name".to_owned(), json!(n).to_string())).into_iter().collect(),
    })
}
