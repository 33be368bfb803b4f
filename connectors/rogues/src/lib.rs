//! A connector whose methods misbehave, each in its own way, and whose description, hooks and `revert` do so on demand: the
//! configuration keys `describe`, `hooks` and `revert` say how. Whoever checks or hosts connectors has to survive it.

mod descriptions;
mod methods;

wit_bindgen::generate!({ path: "wit", world: "connector" });

use codemode::component::config;
use codemode::component::types::{
    CallContext, CallError, Description, EffectState, EndStatus, PassStatus, Recorded, Reverted,
};

struct Rogues;
export!(Rogues);

/// Whether that part is told to misbehave so.
fn is_told(part: &str, how: &str) -> bool {
    config::get(part).as_deref() == Some(how)
}

fn failed(code: &str, message: impl Into<String>) -> CallError {
    let (code, message) = (code.to_owned(), message.into());
    CallError { code, message, details: None, effect: EffectState::None, retry_after_ms: None, extras: Vec::new() }
}

/// What a part does that is told to: `trap`, `hang` or `sleep`.
fn misbehave(part: &str) {
    if is_told(part, "trap") {
        core::arch::wasm32::unreachable();
    }
    if is_told(part, "hang") {
        methods::hang();
    }
    if is_told(part, "sleep") {
        methods::sleep(60);
    }
}

impl exports::codemode::component::methods::Guest for Rogues {
    fn describe() -> Result<Description, CallError> {
        misbehave("describe");
        descriptions::description()
    }

    fn call(ctx: CallContext, method: String, args: Option<String>) -> Result<Option<String>, CallError> {
        methods::call(&ctx, &method, args)
    }

    fn revert(_: CallContext, _: String, _: String, _: Option<String>, _: Recorded) -> Result<Reverted, CallError> {
        misbehave("revert");
        if is_told("revert", "fail") {
            return Err(failed("", ""));
        }
        Ok(Reverted::NothingToRevert)
    }

    fn pass_ended(_: String, _: u32, _: PassStatus) {
        misbehave("hooks");
    }

    fn execution_ended(_: String, _: EndStatus) {
        misbehave("hooks");
    }
}
