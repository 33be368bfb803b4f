//! Performs one call: after its row is durable, through its connector, within its time; then converts what came. The
//! only place that calls a connector for the code.

pub(super) mod commit;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, Shared};
use futures_util::stream::StreamExt as _;

use super::Setting;
use super::dispatch::{MESSAGE_UNITS, Pass, unrecordable};
use crate::catalogue::Configured;
use crate::connector::{Call, CallContext, CallOutput, StateAccess, StateSession, Values};
use crate::durable::failure::{CodeError, EffectState, Failure, code};
use crate::durable::id::{ExecutionId, Op, Seq, Token};
use crate::durable::journal::{Answer, Effect, Entry, EntryState, ReplayPolicy, Request, Rerun, Terms};
use crate::durable::json::cut;
use crate::durable::replay::ANSWERABLE;
use crate::durable::value::{Json, ValueError, ValueLimits};
use crate::durable::write::Write;
use crate::store::{Barrier, StoreError};

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
    pub(super) fn of(id: &ExecutionId, _token: Token, pass: u32, entry: &Entry, limits: ValueLimits) -> Option<Self> {
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

    /// The same call once more.
    pub(super) fn again(self) -> Self {
        Self { attempt: self.attempt.saturating_add(1), ..self }
    }

    fn title(&self) -> String {
        format!("{}.{}", self.connector, self.method)
    }

    fn fail(self, failure: Failure) -> Arrived {
        Arrived::Answer { op: self.op, answer: Err(failure), state: Vec::new() }
    }

    /// What a failure of this call may have done.
    fn possible(&self) -> EffectState {
        if self.terms.effect == Effect::ReadOnly { EffectState::None } else { EffectState::Possible }
    }
}

/// Performs a call once its row is as durable as its terms need.
pub(super) async fn perform(setting: Arc<Setting>, call: Perform, ready: Ready) -> Arrived {
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
    let state = StateSession::new(setting.store.clone(), &call.connector, &call.id, access);
    let limit_ms = setting.limits.call_ms;
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
    let output = tokio::time::timeout(Duration::from_millis(limit_ms), configured.connector.call(request)).await;
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
        Ok(None) => return Arrived::Answer { op: call.op, answer: Ok(None), state: state.take_writes() },
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
        Ok(value) => Arrived::Answer { op: call.op, answer: Ok(Some(value)), state: state.take_writes() },
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
fn readable(failure: Failure) -> Failure {
    let message = if failure.message.trim().is_empty() {
        format!("the connector failed with code {}", failure.code)
    } else {
        cut(&failure.message, MESSAGE_UNITS).into_owned()
    };
    Failure { message, code: cut(&failure.code, 128).into_owned(), ..failure }
}

/// Lets what is still performed after the end of a pass complete its own entries; it never reaches the code.
pub(super) fn finish_late(pass: Pass) {
    if pass.performing.is_empty() {
        return;
    }
    let Pass { setting, id, token, mut performing, .. } = pass;
    let runtime = setting.executor.runtime();
    runtime.spawn(async move {
        while let Some(arrived) = performing.next().await {
            let at = setting.clock.epoch_ms();
            let (op, entry_state, answer, state) = match arrived {
                Arrived::Answer { op, answer, state } => {
                    let entry_state = if answer.is_ok() { EntryState::Applied } else { EntryState::Failed };
                    (op, entry_state, Some(answer), state)
                }
                Arrived::TooLarge { op, .. } => (op, EntryState::Unrecordable, None, Vec::new()),
                _ => continue,
            };
            let write =
                Write::Answered { op, from: ANSWERABLE, state: entry_state, answer, rerun: Rerun::No, at, event: None };
            let writes = commit::batch(op, Vec::new(), write, state);
            if let Err(error) = setting.store.append(&id, token, writes, Barrier::Now).await {
                tracing::debug!(execution = %id, %error, "a late answer was dropped");
            }
        }
    });
}
