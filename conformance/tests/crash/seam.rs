//! A connector with a point before and after everything that it is asked.

use std::sync::Arc;

use codemode_runtime::connector::{
    BoxFuture, Call, CallOutput, Connector, Description, Revert, Reverted, StateSession,
};
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::journal::Reach;
use codemode_runtime::{ExecutionId, Status};

use crate::points::{Place, pass};

/// The connector of a child.
pub(crate) struct Seam(pub(crate) Arc<dyn Connector>);

impl Connector for Seam {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        self.0.describe()
    }

    fn reach(&self) -> Reach {
        self.0.reach()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        Box::pin(async move {
            let what = format!("{} {}", call.context.seq, call.method);
            pass(Place::BeforeCall, || what.clone());
            let output = self.0.call(call).await;
            pass(Place::AfterCall, || what);
            output
        })
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        Box::pin(async move {
            let what = format!("revert of {} {}", revert.context.seq, revert.method);
            pass(Place::BeforeCall, || what.clone());
            let output = self.0.revert(revert).await;
            pass(Place::AfterCall, || what);
            output
        })
    }

    fn pass_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        number: u32,
        status: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            pass(Place::BeforeHook, || format!("pass {number} {status}"));
            let ran = self.0.pass_ended(execution, number, status, state).await;
            pass(Place::AfterHook, || format!("pass {number} {status}"));
            ran
        })
    }

    fn execution_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        status: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            pass(Place::BeforeHook, || format!("end {status}"));
            let ran = self.0.execution_ended(execution, status, state).await;
            pass(Place::AfterHook, || format!("end {status}"));
            ran
        })
    }
}
