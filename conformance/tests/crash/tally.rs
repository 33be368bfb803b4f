//! A connector with a number in its own state, which each call changes by reading and writing it: performed twice with
//! both kept, or once with nothing kept, and the number is wrong. Its hooks count in the same way.

use std::sync::Arc;

use codemode_conformance::fixtures::Ledger;
use codemode_runtime::connector::{
    BoxFuture, Call, CallOutput, Connector, Description, Flag, Hooks, Method, Revert, Reverted, StateFault,
    StateSession,
};
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::durable::journal::{Reach, Repeatable};
use codemode_runtime::durable::write::Scope;
use codemode_runtime::{ExecutionId, Status};
use serde_json::Value;

use crate::outside::{Hooked, happened};

/// The connector `tally` or `sum`.
pub(crate) struct Tally {
    /// Keeps its number, and an effect outside where there is a ledger.
    pub(crate) ledger: Option<Arc<Ledger>>,
    pub(crate) hooked: Hooked,
}

fn number(state: &StateSession, key: &str) -> Result<i64, StateFault> {
    let bytes = state.get(Scope::Connector, key)?;
    Ok(bytes.and_then(|b| String::from_utf8(b).ok()?.parse().ok()).unwrap_or(0))
}

/// Changes a number.
async fn change(state: &StateSession, key: &str, by: i64) -> Result<(), Failure> {
    state.take_turn().await.map_err(failed)?;
    let total = number(state, key).map_err(failed)? + by;
    state.set(Scope::Connector, key, total.to_string().into_bytes()).map_err(failed)
}

#[expect(clippy::needless_pass_by_value, reason = "used as a function in `map_err`")]
fn failed(fault: StateFault) -> Failure {
    Failure::new(code::UNAVAILABLE, format!("{fault:?}"))
}

fn by(args: Option<&str>) -> i64 {
    args.and_then(|a| serde_json::from_str::<Value>(a).ok()).and_then(|a| a["n"].as_i64()).unwrap_or(0)
}

impl Connector for Tally {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        let hooks = if self.hooked == Hooked::Yes { Flag::Yes } else { Flag::No };
        let repeatable = if self.ledger.is_some() { Repeatable::WithKey } else { Repeatable::No };
        let add = Method { repeatable, revertible: Flag::Yes, ..Method::write("add") };
        let description = Description {
            suggested_name: "tally".to_owned(),
            methods: vec![add, Method::read("total")],
            hooks: Hooks { pass_ended: hooks, execution_ended: hooks },
            ..Description::default()
        };
        Box::pin(async move { Ok(description) })
    }

    fn reach(&self) -> Reach {
        if self.ledger.is_some() { Reach::Outside } else { Reach::StateOnly }
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        Box::pin(async move {
            if call.method == "total" {
                return Ok(Some(number(&call.state, "total").map_err(failed)?.to_string()));
            }
            let args = call.args.as_deref();
            change(&call.state, "total", by(args)).await?;
            if let Some(ledger) = &self.ledger {
                happened(ledger, "tally", &call.method, args, &call.context);
            }
            Ok(call.args)
        })
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        Box::pin(async move {
            // Of a call that failed or is in doubt nothing was kept.
            if !matches!(revert.outcome, Some(Ok(_))) {
                return Ok(Reverted::NothingToRevert);
            }
            change(&revert.state, "total", -by(revert.args.as_deref())).await?;
            Ok(Reverted::Reverted)
        })
    }

    fn pass_ended<'a>(
        &'a self,
        _: &'a ExecutionId,
        _: u32,
        _: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move { change(&state, "passes", 1).await })
    }

    fn execution_ended<'a>(
        &'a self,
        _: &'a ExecutionId,
        _: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move { change(&state, "ends", 1).await })
    }
}
