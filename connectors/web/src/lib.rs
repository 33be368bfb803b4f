//! Connectors that speak http. The configuration key `fixture` chooses: `items` (the default), the client of a small
//! service, whose key `bug` names the one rule that it breaks; or `raw`, which sends what it is told.

mod http;
mod items;
mod raw;

wit_bindgen::generate!({ path: "wit", world: "connector" });

use codemode::component::config;
use codemode::component::types::{
    CallContext, CallError, ConfigKey, Description, Effect, EffectState, EndStatus, Hooks, Method, PassStatus,
    Recorded, Repeatable, ReplayPolicy, Reverted,
};

struct Web;
export!(Web);

/// What a method gives.
type Given = Result<Option<String>, CallError>;

fn is_raw() -> bool {
    config::get("fixture").as_deref() == Some("raw")
}

impl exports::codemode::component::methods::Guest for Web {
    fn describe() -> Result<Description, CallError> {
        let (name, methods, origins) = match is_raw() {
            true => ("raw", raw::methods(), raw::origins()?),
            false => ("items", items::methods(), vec![items::origin()]),
        };
        Ok(Description {
            suggested_name: name.to_owned(),
            instructions: None,
            methods,
            config: ["fixture", "bug", "describe"].map(key).into(),
            origins,
            hooks: Hooks::empty(),
            extras: Vec::new(),
        })
    }

    fn call(ctx: CallContext, method: String, args: Option<String>) -> Given {
        if is_raw() { raw::call(&method, args.as_deref()) } else { items::call(&ctx, &method, args.as_deref()) }
    }

    fn revert(_: CallContext, _: String, _: String, _: Option<String>, _: Recorded) -> Result<Reverted, CallError> {
        Ok(Reverted::NothingToRevert)
    }

    fn pass_ended(_: String, _: u32, _: PassStatus) {}

    fn execution_ended(_: String, _: EndStatus) {}
}

fn key(name: &str) -> ConfigKey {
    ConfigKey { name: name.to_owned(), description: None, required: false, secret: false }
}

fn method(name: &str, effect: Effect) -> Method {
    Method {
        name: name.to_owned(),
        description: None,
        input_schema: None,
        output_schema: None,
        requires_approval: false,
        replay: ReplayPolicy::Recorded,
        effect,
        repeatable: Repeatable::No,
        destructive: None,
        revertible: false,
        extras: Vec::new(),
    }
}

fn failed(code: &str, message: impl Into<String>, effect: EffectState) -> CallError {
    let (code, message) = (code.to_owned(), message.into());
    CallError { code, message, details: None, effect, retry_after_ms: None, extras: Vec::new() }
}

fn invalid(message: impl Into<String>) -> CallError {
    failed("invalid-arguments", message, EffectState::None)
}

fn unknown(method: &str) -> Given {
    Err(failed("unknown-method", format!("there is no method `{method}`"), EffectState::None))
}
