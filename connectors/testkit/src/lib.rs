//! A connector for tests: each seam between host and guest as a method. The configuration key `fixture` chooses what it
//! offers: `shelf`, `t`, `c` (the fixtures of the behaviour catalogue, as far as a component without grants can play
//! them) or `misc` (the default: everything that can go wrong). `describe` = `trap`, `fail`, `state`, `combine` or
//! `twice` makes the description itself go wrong.

mod fixtures;
mod kit;
mod misc;

wit_bindgen::generate!({ path: "wit", world: "connector" });

use codemode::component::types::{
    CallContext, CallError, ConfigKey, Description, Effect, EndStatus, Hooks, PassStatus, Recorded, ReplayPolicy,
    Reverted,
};
use codemode::component::{config, state};
use kit::{failed, method};

struct Testkit;
export!(Testkit);

fn fixture() -> String {
    config::get("fixture").unwrap_or_else(|| "misc".to_owned())
}

impl exports::codemode::component::methods::Guest for Testkit {
    fn describe() -> Result<Description, CallError> {
        let name = fixture();
        let mut methods = match name.as_str() {
            "shelf" => fixtures::shelf(),
            "t" => fixtures::t(),
            "c" => fixtures::c(),
            _ => misc::methods(),
        };
        match config::get("describe").as_deref() {
            Some("trap") => core::arch::wasm32::unreachable(),
            Some("fail") => return Err(failed("unavailable", "the description is not to be had")),
            Some("state") => {
                state::get(state::Scope::Connector, "k").map_err(|e| failed("denied", e.to_string()))?;
            }
            Some("combine") => methods.push(kit::Method {
                requires_approval: true,
                replay: ReplayPolicy::Reexecute,
                ..method("both", Effect::Write)
            }),
            Some("twice") => methods.extend([method("same", Effect::Unknown), method("same", Effect::Unknown)]),
            _ => {}
        }
        Ok(Description {
            suggested_name: name,
            instructions: Some("For tests only.".to_owned()),
            methods,
            config: ["fixture", "describe"].map(key).into(),
            origins: Vec::new(),
            hooks: Hooks::PASS_ENDED | Hooks::EXECUTION_ENDED,
            extras: vec![("values".to_owned(), "\"tagged\"".to_owned()), ("not-yet-known".to_owned(), "{}".to_owned())],
        })
    }

    fn call(ctx: CallContext, method: String, args: Option<String>) -> Result<Option<String>, CallError> {
        let call = kit::Call { ctx, method, args };
        match fixture().as_str() {
            "shelf" => fixtures::call_shelf(&call),
            "t" => fixtures::call_t(&call),
            "c" => fixtures::call_c(&call),
            _ => misc::call(&call),
        }
    }

    fn revert(
        _ctx: CallContext,
        call_key: String,
        method: String,
        _args: Option<String>,
        outcome: Recorded,
    ) -> Result<Reverted, CallError> {
        if method == "trap" {
            core::arch::wasm32::unreachable();
        }
        if let Recorded::Returned(Some(value)) = &outcome {
            kit::write(state::Scope::Connector, &format!("reverted/{call_key}"), value)?;
        }
        let existed =
            state::delete(state::Scope::Connector, &fixtures::row_key(&call_key)).map_err(kit::state_error)?;
        Ok(if existed { Reverted::Reverted } else { Reverted::NothingToRevert })
    }

    fn pass_ended(execution_id: String, pass: u32, status: PassStatus) {
        // Failures of hooks are ignored by contract.
        let _ =
            kit::write(state::Scope::Connector, &format!("hook/{execution_id}/pass/{pass}"), &format!("{status:?}"));
    }

    fn execution_ended(execution_id: String, status: EndStatus) {
        let _ = kit::write(state::Scope::Connector, &format!("hook/{execution_id}/end"), &format!("{status:?}"));
    }
}

fn key(name: &str) -> ConfigKey {
    ConfigKey { name: name.to_owned(), description: None, required: false, secret: false }
}
