//! Performs one call: after its row is durable, through its connector, within its time; then converts what came. The
//! only place that calls a connector for the code.

pub(super) mod commit;

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};

use super::Setting;
use super::refusal::{MESSAGE_UNITS, unrecordable};
use crate::catalogue::Configured;
use crate::connector::{Call, CallContext, CallOutput, StateAccess, StateSession, Values};
use crate::durable::failure::{CodeError, EffectState, Failure, code};
use crate::durable::id::{ExecutionId, Op, Seq};
use crate::durable::journal::{Answer, Effect, Entry, ReplayPolicy, Request, Terms};
use crate::durable::json::cut;
use crate::durable::value::{Json, ValueError, ValueLimits};
use crate::durable::write::Write;
use crate::host::panic_text;
use crate::store::{StateLock, StoreError};

/// What ends a performance.
pub(super) enum Arrived {
    Timer {
        op: Op,
    },
    /// An answer, with the connector state to be committed with it.
    Answer {
        op: Op,
        answer: Answer,
        state: Vec<Write>,
        /// The turn to write, until that is committed.
        turn: Option<StateLock>,
    },
    /// The answer and its state are in the journal.
    Committed {
        op: Op,
        answer: Answer,
    },
    /// Another call changed what this one read: perform again.
    Conflict {
        op: Op,
    },
    /// The answer cannot be kept.
    TooLarge {
        op: Op,
        error: CodeError,
    },
    /// The pass ended before it could begin.
    NotBegun,
    /// The journal cannot take the row, so nothing was performed.
    Store {
        error: StoreError,
    },
}

pub(super) type Performance = BoxFuture<'static, Arrived>;

/// A ticket that several performances wait for.
pub(super) type Ready = Shared<BoxFuture<'static, Result<(), StoreError>>>;

/// A call about to be performed.
pub(super) struct Perform {
    op: Op,
    id: ExecutionId,
    seq: Seq,
    pass: u32,
    attempt: u32,
    connector: String,
    method: String,
    args: Option<Json>,
    terms: Terms,
    limits: ValueLimits,
}

impl Perform {
    pub(super) fn of(id: &ExecutionId, pass: u32, entry: &Entry, limits: ValueLimits) -> Option<Self> {
        let Request::Call { connector, method, args } = &entry.request else { return None };
        Some(Self {
            op: entry.op,
            id: id.clone(),
            seq: entry.seq?,
            pass,
            attempt: entry.attempt.max(1),
            connector: connector.clone(),
            method: method.clone(),
            args: args.clone(),
            terms: entry.terms.clone(),
            limits,
        })
    }

    fn title(&self) -> String {
        format!("{}.{}", self.connector, self.method)
    }

    fn done(self, value: Option<Json>, state: &StateSession) -> Arrived {
        Arrived::Answer { op: self.op, answer: Ok(value), state: state.take_writes(), turn: state.take_lock() }
    }

    fn fail(self, failure: Failure) -> Arrived {
        Arrived::Answer { op: self.op, answer: Err(failure), state: Vec::new(), turn: None }
    }

    /// What a failure of this call may have done.
    fn possible(&self) -> EffectState {
        if self.terms.effect == Effect::ReadOnly { EffectState::None } else { EffectState::Possible }
    }
}

/// Which calls of a pass have begun. Performances outlive their pass, so that late answers are kept; but one that still
/// waits for its row to be durable must not begin after the status was decided.
#[derive(Default)]
pub(super) struct Gate(Mutex<Begun>);

#[derive(Default)]
struct Begun {
    ops: BTreeSet<Op>,
    closed: bool,
}

impl Gate {
    /// `false`: the pass is over.
    fn enter(&self, op: Op) -> bool {
        let mut begun = self.begun();
        if !begun.closed {
            begun.ops.insert(op);
        }
        !begun.closed
    }

    /// Lets nothing begin any more.
    pub(super) fn close(&self) {
        self.begun().closed = true;
    }

    pub(super) fn has_begun(&self, op: Op) -> bool {
        self.begun().ops.contains(&op)
    }

    fn begun(&self) -> MutexGuard<'_, Begun> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Performs a call once its row is as durable as its terms need, unless its pass is over by then.
pub(super) async fn perform(setting: Arc<Setting>, call: Perform, ready: Ready, gate: Arc<Gate>) -> Arrived {
    if let Err(error) = ready.await {
        return Arrived::Store { error };
    }
    let Some(configured) = setting.catalogue.get(&call.connector) else {
        let message = format!("connector `{}` is not configured any more", call.connector);
        return call.fail(Failure::new(code::UNKNOWN_METHOD, message));
    };
    let args = match configured.arguments(&call.method, call.args.as_ref()) {
        Ok(args) => args,
        Err(failure) => return call.fail(failure),
    };
    let read_only = call.terms.effect == Effect::ReadOnly || call.terms.replay == ReplayPolicy::Reexecute;
    let access = if read_only { StateAccess::ReadOnly } else { StateAccess::ReadWrite };
    let limit_ms = setting.limits.call_ms;
    let (store, reach) = (setting.store.clone(), call.terms.reach);
    let state = StateSession::with_reach(store, &call.connector, &call.id, access, reach, limit_ms);
    let request = Call {
        context: CallContext {
            execution: call.id.clone(),
            seq: call.seq,
            pass: call.pass,
            idempotency_key: Entry::idempotency_key(&call.id, call.seq),
            attempt: call.attempt,
            remaining_ms: limit_ms,
        },
        method: call.method.clone(),
        args,
        state: state.clone(),
    };
    if !gate.enter(call.op) {
        return Arrived::NotBegun;
    }
    let output = AssertUnwindSafe(configured.connector.call(request)).catch_unwind();
    let output = tokio::time::timeout(Duration::from_millis(limit_ms), output).await.map(|output| {
        output.unwrap_or_else(|panic| {
            let message = format!("{} panicked: {}", call.title(), panic_text(&*panic));
            Err(Failure::new(code::INTERNAL, message).with_effect(call.possible()))
        })
    });
    match output {
        Ok(output) => answered(call, configured, output, &state, setting.limits.outcome_units),
        Err(_) => {
            let effect = call.possible();
            let possible = if effect == EffectState::Possible { "; it may have taken effect" } else { "" };
            let title = call.title();
            let message = format!("{title} timed out: no answer within {limit_ms} ms (limit `call time`){possible}");
            call.fail(Failure::new(code::TIMEOUT, message).with_effect(effect))
        }
    }
}

/// Converts what a connector gave, once, at the edge.
fn answered(
    call: Perform,
    configured: &Configured,
    output: CallOutput,
    state: &StateSession,
    unkept_units: u32,
) -> Arrived {
    let text = match output {
        Ok(None) => return call.done(None, state),
        Ok(Some(text)) => text,
        // What a failed call wrote is dropped.
        Err(failure) => return call.fail(readable(failure)),
    };
    let mut limits = call.limits;
    if call.terms.replay == ReplayPolicy::Reexecute {
        // Not journaled, so only the sandbox bounds it (LIMIT-08).
        limits.units = u64::from(unkept_units);
    }
    let value = match configured.description.values {
        Values::Plain => Json::from_plain(&text, &limits),
        Values::Tagged => Json::from_tagged(&text, &limits),
    };
    match value {
        Ok(value) => call.done(Some(value), state),
        Err(error @ ValueError::TooLarge { .. }) => {
            let error = unrecordable(&error, format!("result of {}", call.title()));
            Arrived::TooLarge { op: call.op, error }
        }
        Err(error) => {
            let message = format!("{} returned a value that cannot be used: {error}", call.title());
            let effect = call.possible();
            call.fail(Failure::new(code::INTERNAL, message).with_effect(effect))
        }
    }
}

/// A failure within bounds and never without a text.
pub(super) fn readable(failure: Failure) -> Failure {
    let message = if failure.message.trim().is_empty() {
        format!("the connector failed with code {}", failure.code)
    } else {
        cut(&failure.message, MESSAGE_UNITS).into_owned()
    };
    Failure { message, code: cut(&failure.code, 128).into_owned(), ..failure }
}
