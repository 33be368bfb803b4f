//! The connector under test, driven by hand: each call in an instance of its own as a host does it, with what it wrote and
//! whether it was stopped by a trap told apart from what it answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::connector::{
    Call, CallContext, Connector, Description, Revert, Reverted, StateAccess, StateSession,
};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::journal::Answer;
use codemode_runtime::durable::write::Write;
use codemode_runtime::host::LoadError;
use codemode_runtime::{Engine, ExecutionId, Json, Seq, ValueLimits};
use serde_json::Value;

use super::cabinet::Cabinet;
use crate::check::trial::short;

/// Under this name failures speak of the connector; nobody else does.
const LABEL: &str = "connector-under-test";

/// What one call came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Came {
    /// A value; `None` is `undefined`. The text is what the connector gave, which need not be JSON.
    Value(Option<String>),
    /// A failure that the connector gave.
    Failed(Failure),
    /// The host stopped it: a trap, or a bound; the reason.
    Stopped(String),
}

/// One call's place in the world.
#[derive(Clone, Debug)]
pub(super) struct At {
    pub(super) execution: ExecutionId,
    pub(super) seq: u32,
    pub(super) attempt: u32,
}

/// The connector under test.
pub(super) struct Subject {
    connector: ComponentConnector,
    description: Description,
    /// How long a call may take, in milliseconds.
    call_ms: u64,
    executions: AtomicU32,
}

impl Subject {
    /// Loads the component.
    pub(super) fn load(
        engine: &Engine,
        bytes: &[u8],
        config: &[(String, String)],
        call_ms: u64,
    ) -> Result<ComponentConnector, LoadError> {
        let mut options = ComponentOptions::new(LABEL);
        // For what carries no time of its own: describing, hooks, and three calls in one instance.
        options.limits.time_ms = call_ms.saturating_mul(3);
        options.config = config.iter().cloned().collect();
        ComponentConnector::load(engine, bytes, options)
    }

    pub(super) fn new(connector: ComponentConnector, description: Description, call_ms: u64) -> Self {
        Self { connector, description, call_ms, executions: AtomicU32::new(0) }
    }

    pub(super) fn description(&self) -> &Description {
        &self.description
    }

    /// A call of an execution that nobody has used yet.
    pub(super) fn fresh(&self) -> At {
        let number = self.executions.fetch_add(1, Ordering::Relaxed);
        At { execution: ExecutionId::from_text(&format!("exec_check_{number:06}")), seq: 0, attempt: 1 }
    }

    /// Performs one call and keeps what it wrote, where it succeeded, as a host does.
    pub(super) async fn call(&self, cabinet: &Cabinet, at: &At, method: &str, args: Option<&Value>) -> Came {
        let (came, writes) = self.try_call(cabinet, at, method, args).await;
        if matches!(came, Came::Value(_)) {
            cabinet.keep(&at.execution, writes);
        }
        came
    }

    /// Performs one call; what it wrote is the caller's to keep.
    pub(super) async fn try_call(
        &self,
        cabinet: &Cabinet,
        at: &At,
        method: &str,
        args: Option<&Value>,
    ) -> (Came, Vec<Write>) {
        let state = self.session(cabinet, at);
        let call = Call {
            context: self.context(at, ""),
            method: method.to_owned(),
            args: args.map(Value::to_string),
            state: state.clone(),
        };
        let came = match self.connector.call(call).await {
            Ok(value) => Came::Value(value),
            Err(failure) => judged(failure, method),
        };
        (came, state.take_writes())
    }

    /// Performs the same call for several executions in one instance, and keeps what the calls wrote that succeeded.
    pub(super) async fn calls_in_one(&self, cabinet: &Cabinet, at: &[At], method: &str, args: &Value) -> Vec<Came> {
        let sessions: Vec<Arc<StateSession>> = at.iter().map(|at| self.session(cabinet, at)).collect();
        let calls = at.iter().zip(&sessions).map(|(at, state)| Call {
            context: self.context(at, ""),
            method: method.to_owned(),
            args: Some(args.to_string()),
            state: state.clone(),
        });
        let given = self.connector.calls_in_one_instance(calls.collect()).await;
        given.into_iter().map(|output| output.map_or_else(|failure| judged(failure, method), Came::Value)).collect()
    }

    /// Undoes one call and keeps what that wrote.
    pub(super) async fn revert(
        &self,
        cabinet: &Cabinet,
        at: &At,
        method: &str,
        args: Option<&Value>,
        result: Option<&str>,
    ) -> Result<Reverted, Came> {
        let state = self.session(cabinet, at);
        let outcome: Option<Answer> =
            Some(Ok(result.and_then(|text| Json::from_plain(text, &ValueLimits::default()).ok())));
        let revert = Revert {
            context: self.context(at, ":revert"),
            call_key: self.context(at, "").idempotency_key,
            method: method.to_owned(),
            args: args.map(Value::to_string),
            outcome,
            state: state.clone(),
        };
        let reverted = self.connector.revert(revert).await.map_err(|f| judged(f, &format!("{method} (revert)")))?;
        cabinet.keep(&at.execution, state.take_writes());
        Ok(reverted)
    }

    /// Tells the connector that a pass, or the execution, ended.
    pub(super) async fn hook(&self, cabinet: &Cabinet, at: &At, hook: Hook, status: Status) -> Result<(), Came> {
        let state = self.session(cabinet, at);
        let (what, done) = match hook {
            Hook::PassEnded => ("pass-ended", self.connector.pass_ended(&at.execution, 1, status, state.clone()).await),
            Hook::ExecutionEnded => {
                ("execution-ended", self.connector.execution_ended(&at.execution, status, state.clone()).await)
            }
        };
        done.map_err(|failure| judged(failure, what))?;
        cabinet.keep(&at.execution, state.take_writes());
        Ok(())
    }

    fn context(&self, at: &At, suffix: &str) -> CallContext {
        CallContext {
            execution: at.execution.clone(),
            seq: Seq(at.seq),
            pass: at.attempt,
            idempotency_key: format!("{}:{}{suffix}", at.execution, at.seq),
            attempt: at.attempt,
            remaining_ms: self.call_ms,
        }
    }

    fn session(&self, cabinet: &Cabinet, at: &At) -> Arc<StateSession> {
        StateSession::new(Arc::new(cabinet.clone()), LABEL, &at.execution, StateAccess::ReadWrite)
    }
}

/// Which hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hook {
    PassEnded,
    ExecutionEnded,
}

/// Tells what the host says of the guest from what the guest says itself.
pub(super) fn judged(failure: Failure, what: &str) -> Came {
    let path = format!("{LABEL}.{what} ");
    match failure.message.strip_prefix(&path) {
        Some(reason) => Came::Stopped(reason.to_owned()),
        None => Came::Failed(failure),
    }
}

impl Came {
    /// In words, for a finding.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Value(None) => "it gave no value".to_owned(),
            Self::Value(Some(text)) => format!("it gave {}", short(text)),
            Self::Failed(failure) => format!("it failed with `{}`: {}", failure.code, short(&failure.message)),
            Self::Stopped(reason) => format!("it {}", short(reason)),
        }
    }
}
