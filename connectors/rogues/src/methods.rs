//! One method for each way to misbehave.

use std::net::TcpStream;
use std::time::Duration;

use crate::codemode::component::types::{CallContext, CallError};
use crate::failed;

/// All, the good ones among the bad ones: whoever tries them has to come past each.
pub(crate) const NAMES: [&str; 22] = [
    "well",
    "trap",
    "panics",
    "exits",
    "recurse",
    "loops",
    "sleeps",
    "late",
    "allocates",
    "cutJson",
    "duplicateKeys",
    "nan",
    "loneSurrogate",
    "deep",
    "huge",
    "hugeFailure",
    "emptyText",
    "trailing",
    "prints",
    "readsEnv",
    "socket",
    "wellToo",
];

pub(crate) fn call(ctx: &CallContext, method: &str, args: Option<String>) -> Result<Option<String>, CallError> {
    let text = match method {
        "well" | "wellToo" => args.unwrap_or_else(|| "null".to_owned()),
        "trap" => core::arch::wasm32::unreachable(),
        "panics" => panic!("a rogue panics"),
        "exits" => exit(),
        "recurse" => recurse(u64::from(ctx.seq)).to_string(),
        "loops" => hang(),
        "sleeps" => sleep(60),
        "late" => {
            // Past the time at which the host gave up.
            std::thread::sleep(Duration::from_millis(ctx.remaining_ms.saturating_add(200)));
            "\"too late\"".to_owned()
        }
        "allocates" => allocate(),
        "cutJson" => r#"{"a":"#.to_owned(),
        "duplicateKeys" => r#"{"a":1,"a":2}"#.to_owned(),
        "nan" => "NaN".to_owned(),
        "loneSurrogate" => r#""\ud800""#.to_owned(),
        "deep" => format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)),
        "huge" => format!("\"{}\"", "x".repeat(5 << 20)),
        "hugeFailure" => return Err(failed(&"c".repeat(1 << 20), "m".repeat(10 << 20))),
        "emptyText" => String::new(),
        "trailing" => "1 2".to_owned(),
        "prints" => print(),
        "readsEnv" => std::env::vars().count().to_string(),
        "socket" => connect()?,
        _ => return Err(failed("unknown-method", format!("there is no method `{method}`"))),
    };
    Ok(Some(text))
}

/// Computes for ever.
pub(crate) fn hang() -> ! {
    let mut round = 0_u64;
    loop {
        round = std::hint::black_box(round.wrapping_add(1));
    }
}

/// Waits, and answers if it is let.
pub(crate) fn sleep(seconds: u64) -> String {
    std::thread::sleep(Duration::from_secs(seconds));
    "null".to_owned()
}

#[expect(clippy::exit, reason = "that a component ends its instance is the point")]
fn exit() -> ! {
    std::process::exit(3)
}

#[expect(unconditional_recursion, reason = "that it never ends is the point")]
fn recurse(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 64]);
    recurse(depth + 1).wrapping_add(frame[(depth % 64) as usize])
}

/// Takes 4 GB, as far as it gets.
fn allocate() -> String {
    let blocks: Vec<Vec<u8>> = (0..64).map(|_| vec![1; 64 << 20]).collect();
    blocks.iter().map(Vec::len).sum::<usize>().to_string()
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a host has to bear it")]
fn print() -> String {
    println!("{}", "out ".repeat(100_000));
    eprintln!("{}", "err ".repeat(100_000));
    "null".to_owned()
}

fn connect() -> Result<String, CallError> {
    match TcpStream::connect(("127.0.0.1", 9)) {
        Ok(_) => Ok("\"connected\"".to_owned()),
        Err(error) => Err(failed("denied", error.to_string())),
    }
}
