//! The ledger as a host gives it to code, bent: what the host would do wrong around the connector is done here.

use std::sync::{Arc, Mutex};

use codemode_runtime::ExecutionId;
use codemode_runtime::connector::{
    BoxFuture, Call, CallOutput, Connector, Description, Revert, Reverted, StateSession,
};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::journal::Reach;

/// The rule that is being tried; a double does nothing wrong for the others.
pub(super) type Now = Arc<Mutex<String>>;

/// The ledger, for the double of one rule.
pub(super) struct Bent {
    pub(super) inner: Arc<dyn Connector>,
    pub(super) bug: &'static str,
    pub(super) now: Now,
}

impl Bent {
    /// The bug, where it is its rule that is tried.
    fn bug(&self) -> &'static str {
        if *self.now.lock().unwrap() == self.bug { self.bug } else { "" }
    }

    /// Performs a call twice, and gives what the second one gave.
    async fn twice(&self, call: Call) -> CallOutput {
        let Call { context, method, args, state } = call;
        let first = Call { context: context.clone(), method: method.clone(), args: args.clone(), state: state.clone() };
        self.inner.call(first).await?;
        self.inner.call(Call { context, method, args, state }).await
    }

    async fn bent(&self, mut call: Call) -> CallOutput {
        match (self.bug(), call.method.as_str()) {
            // It says that it did, and did not.
            ("HOST-RUN-02", "add") => Ok(call.args),
            ("HOST-CALL-01", "add") | ("HOST-LAW-01", "slow") => self.twice(call).await,
            ("HOST-STEP-02", "add") => self.twice(call).await,
            ("HOST-REPLAY-03", "add") if call.context.pass > 1 => self.twice(call).await,
            // A failure is swallowed.
            ("HOST-CALL-05", "fail") => Ok(None),
            // Everybody gets the answer of one.
            ("HOST-CALL-07", "slow") => {
                self.inner.call(call).await?;
                Ok(Some(r#"{"text":"n0"}"#.to_owned()))
            }
            ("HOST-CALL-08", _) => {
                call.context.idempotency_key = "always-the-same".to_owned();
                self.inner.call(call).await
            }
            // What a failed call wrote is kept.
            ("HOST-CALL-09", "addThenFail") => {
                call.method = "add".to_owned();
                self.inner.call(call).await
            }
            _ => self.inner.call(call).await,
        }
    }
}

impl Connector for Bent {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        self.inner.describe()
    }

    fn reach(&self) -> Reach {
        self.inner.reach()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        Box::pin(self.bent(call))
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        self.inner.revert(revert)
    }

    fn pass_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        pass: u32,
        status: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        if self.bug() == "HOST-HOOK-01" {
            return Box::pin(async { Ok(()) });
        }
        self.inner.pass_ended(execution, pass, status, state)
    }

    fn execution_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        status: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        self.inner.execution_ended(execution, status, state)
    }
}
