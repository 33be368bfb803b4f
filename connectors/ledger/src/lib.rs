//! The connector that a host is checked with. Each effect that it is made to have, each revert and each hook is a row of
//! its own, so that what happens twice is there twice; `look` shows the rows of an execution.

mod books;
mod method;

use std::time::Duration;

use serde_json::{Value, json};

wit_bindgen::generate!({ path: "wit", world: "connector" });

use codemode::component::types::{
    CallContext, CallError, Description, EffectState, EndStatus, Hooks, PassStatus, Recorded, Reverted,
};

struct Ledger;
export!(Ledger);

impl exports::codemode::component::methods::Guest for Ledger {
    fn describe() -> Result<Description, CallError> {
        Ok(Description {
            suggested_name: "ledger".to_owned(),
            instructions: Some("Writes down what it is made to do. For checks of hosts.".to_owned()),
            methods: method::all(),
            config: Vec::new(),
            origins: Vec::new(),
            hooks: Hooks::PASS_ENDED | Hooks::EXECUTION_ENDED,
            extras: Vec::new(),
        })
    }

    fn call(ctx: CallContext, method: String, args: Option<String>) -> Result<Option<String>, CallError> {
        let given = match method.as_str() {
            "echo" => return Ok(args),
            "pass" | "live" => json!(ctx.pass),
            "big" => json!("x".repeat(number(&read(args.as_deref())?, "n")?)),
            "look" => books::shown(&text(&read(args.as_deref())?, "execution")?)?,
            "add" | "gate" | "keep" | "stubborn" | "slow" | "typed" | "addThenFail" => {
                effect(&ctx, &method, &read(args.as_deref())?)?
            }
            "fail" => {
                let message = text(&read(args.as_deref())?, "message")?;
                return Err(failed("internal", format!("{message} in pass {}", ctx.pass)));
            }
            other => return Err(failed("unknown-method", format!("ledger has no method `{other}`"))),
        };
        Ok(Some(given.to_string()))
    }

    fn revert(
        ctx: CallContext,
        call_key: String,
        method: String,
        _args: Option<String>,
        _outcome: Recorded,
    ) -> Result<Reverted, CallError> {
        if method == "stubborn" && ctx.attempt < 2 {
            return Err(failed("unavailable", "a first revert of `stubborn` always fails"));
        }
        Ok(if books::strike(&ctx.execution_id, &call_key)? { Reverted::Reverted } else { Reverted::NothingToRevert })
    }

    fn pass_ended(execution_id: String, pass: u32, status: PassStatus) {
        let status = match status {
            PassStatus::Completed => "completed",
            PassStatus::Error => "error",
            PassStatus::Paused => "paused",
        };
        books::heard(&execution_id, &format!("pass {pass:03} {status}"));
    }

    fn execution_ended(execution_id: String, status: EndStatus) {
        let status = match status {
            EndStatus::Completed => "completed",
            EndStatus::Error => "error",
            EndStatus::Rejected => "rejected",
            EndStatus::RolledBack => "rolled_back",
        };
        books::heard(&execution_id, &format!("ended {status}"));
    }
}

/// Writes an effect down. What the arguments say beyond their text is not judged here: checking them is the host's.
fn effect(ctx: &CallContext, method: &str, args: &Value) -> Result<Value, CallError> {
    if method == "slow" {
        std::thread::sleep(Duration::from_millis(number(args, "ms")? as u64));
    }
    let text = if method == "typed" { args.to_string() } else { text(args, "text")? };
    books::enter(ctx, method, &text)?;
    if method == "addThenFail" {
        return Err(failed("internal", "it failed after it wrote"));
    }
    Ok(json!({ "text": short(&text), "seq": ctx.seq, "execution": ctx.execution_id }))
}

fn read(args: Option<&str>) -> Result<Value, CallError> {
    serde_json::from_str(args.unwrap_or("null")).map_err(|e| failed("invalid-arguments", format!("no JSON: {e}")))
}

fn text(args: &Value, member: &str) -> Result<String, CallError> {
    let wrong = || failed("invalid-arguments", format!("expected a string `{member}`"));
    args[member].as_str().map(str::to_owned).ok_or_else(wrong)
}

fn number(args: &Value, member: &str) -> Result<usize, CallError> {
    let wrong = || failed("invalid-arguments", format!("expected a whole number `{member}`"));
    args[member].as_u64().and_then(|n| usize::try_from(n).ok()).ok_or_else(wrong)
}

/// At most so many characters of a text are kept and given back.
fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

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
