//! The connector under test, driven by hand: each call in an instance of its own as a host does it, with what it wrote and
//! whether it was stopped by a trap told apart from what it answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_runtime::connector::component::{ComponentConnector, ComponentLimits};
use codemode_runtime::connector::{
    Call, CallContext, Connector, Description, Revert, Reverted, StateAccess, StateSession, Values,
};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::durable::journal::{Answer, Reach};
use codemode_runtime::durable::value::ValueError;
use codemode_runtime::durable::write::Write;
use codemode_runtime::host::Ambient;
use codemode_runtime::{ExecutionId, Json, Seq, ValueLimits};
use serde_json::Value;

use super::cabinet::Cabinet;
use crate::check::trial::{Trace, short};

/// Under this name failures speak of the connector; nobody else does.
pub(super) const LABEL: &str = "connector-under-test";

/// What one call came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Came {
    /// A value; `None` is `undefined`. The text is what the connector gave, which need not be JSON.
    Value(Option<String>),
    /// A failure that the connector gave.
    Failed(Failure),
    /// The host stopped it: a trap, or a bound; the reason.
    Stopped(String),
    /// The host stopped it because its time was over; the reason.
    Late(String),
}

/// One call's place in the world.
#[derive(Clone, Debug)]
pub(super) struct At {
    pub(super) execution: ExecutionId,
    pub(super) seq: u32,
    pub(super) attempt: u32,
}

/// What the journal would know of a call that is to be undone.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known<'a> {
    /// That it gave this.
    Returned(Option<&'a str>),
    /// Nothing: the host crashed while it was performed.
    Nothing,
}

/// The connector under test.
pub(super) struct Subject {
    connector: ComponentConnector,
    description: Description,
    limits: ComponentLimits,
    /// How long a call may take, in milliseconds.
    call_ms: u64,
    trace: Trace,
    executions: AtomicU32,
}

impl Subject {
    pub(super) fn new(
        connector: ComponentConnector,
        description: Description,
        (limits, call_ms): (ComponentLimits, u64),
        trace: Trace,
    ) -> Self {
        Self { connector, description, limits, call_ms, trace, executions: AtomicU32::new(0) }
    }

    /// The same with time and chance of its own.
    pub(super) fn under(&self, ambient: Ambient) -> Self {
        self.with(self.connector.with_ambient(ambient))
    }

    /// The same with other bounds.
    pub(super) fn within(&self, limits: ComponentLimits) -> Self {
        self.with(self.connector.with_limits(limits))
    }

    fn with(&self, connector: ComponentConnector) -> Self {
        Self::new(connector, self.description.clone(), (self.limits, self.call_ms), self.trace.clone())
    }

    /// The bounds of each instance.
    pub(super) fn limits(&self) -> ComponentLimits {
        self.limits
    }

    /// How far the effects of its calls go.
    pub(super) fn reach(&self) -> Reach {
        self.connector.reach()
    }

    pub(super) fn description(&self) -> &Description {
        &self.description
    }

    /// What the calls of the case at hand were.
    pub(super) fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Reads a value in the form that the connector speaks.
    pub(super) fn json(&self, text: &str) -> Result<Json, ValueError> {
        match self.description.values {
            Values::Plain => Json::from_plain(text, &ValueLimits::default()),
            Values::Tagged => Json::from_tagged(text, &ValueLimits::default()),
        }
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
        let args = args.map(Value::to_string);
        let call =
            Call { context: self.context(at, ""), method: method.to_owned(), args: args.clone(), state: state.clone() };
        let came = self.connector.call(call).await.map_or_else(|failure| judged(failure, method), Came::Value);
        self.trace.note(|| {
            let key = &self.context(at, "").idempotency_key;
            let args = args.as_deref().map_or_else(String::new, short);
            format!("{method}({args}) with key {key}, attempt {}: {}", at.attempt, came.told())
        });
        (came, state.take_writes())
    }

    /// Begins one call and gives it up when the connector looks into its state for that time, from 1. Nothing is kept.
    pub(super) async fn give_up(&self, cabinet: &Cabinet, at: &At, method: &str, args: &Value, look: u64) {
        let state = self.session(cabinet, at);
        let call = Call {
            context: self.context(at, ""),
            method: method.to_owned(),
            args: Some(args.to_string()),
            state: state.clone(),
        };
        let reached = cabinet.tell_at(look);
        tokio::select! {
            biased;
            () = reached.notified() => {}
            _ = self.connector.call(call) => {}
        }
        drop(state.take_writes());
        self.trace.note(|| {
            let key = &self.context(at, "").idempotency_key;
            format!("{method}({}) with key {key}, given up at state operation {look}", short(&args.to_string()))
        });
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
        (method, args): (&str, &Value),
        known: Known<'_>,
    ) -> Result<Reverted, Came> {
        let state = self.session(cabinet, at);
        let outcome: Option<Answer> = match known {
            Known::Returned(result) => Some(Ok(result.and_then(|text| self.json(text).ok()))),
            Known::Nothing => None,
        };
        let revert = Revert {
            context: self.context(at, ":revert"),
            call_key: self.context(at, "").idempotency_key,
            method: method.to_owned(),
            args: Some(args.to_string()),
            outcome,
            state: state.clone(),
        };
        let given = self.connector.revert(revert).await.map_err(|f| judged(f, &format!("{method} (revert)")));
        self.trace.note(|| {
            let key = &self.context(at, "").idempotency_key;
            let result = if matches!(known, Known::Nothing) { ", its result unknown" } else { "" };
            let came = match &given {
                Ok(Reverted::Reverted) => "it said reverted".to_owned(),
                Ok(Reverted::NothingToRevert) => "it said that there was nothing to revert".to_owned(),
                Err(came) => came.told(),
            };
            format!("revert of {method} with key {key}{result}: {came}")
        });
        let reverted = given?;
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
        Some(reason) if failure.code == code::TIMEOUT => Came::Late(reason.to_owned()),
        Some(reason) => Came::Stopped(reason.to_owned()),
        None => Came::Failed(failure),
    }
}

impl Came {
    /// Whether the host stopped it, for whichever reason.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped(_) | Self::Late(_))
    }

    /// In words, for a finding.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Value(None) => "it gave no value".to_owned(),
            Self::Value(Some(text)) => format!("it gave {}", short(text)),
            Self::Failed(failure) => format!("it failed with `{}`: {}", short(&failure.code), short(&failure.message)),
            Self::Stopped(reason) | Self::Late(reason) => format!("it {}", short(reason)),
        }
    }
}
