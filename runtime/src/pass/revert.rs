//! Undoes the calls of an execution, one after another, and keeps each attempt in the journal before and after its
//! connector is asked. The only place that asks a connector to revert.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;

use super::perform::readable;
use super::{Setting, hooks};
use crate::connector::{CallContext, Flag, Revert};
use crate::durable::execution::{Execution, Status};
use crate::durable::failure::{EffectState, Failure, code};
use crate::durable::id::Seq;
use crate::durable::journal::{Answer, Entry, EntryState, Reach, RevertAttempt};
use crate::durable::rollback::{
    self, Configured as Now, Offer, OfferedCall, Reverted, RollbackReport, Undone, UndoneCall,
};
use crate::durable::write::Write;
use crate::host::panic_text;
use crate::store::{Barrier, StateLock, StoreError};

/// How often a revert is asked whose connector's state changes all the time.
const MAX_CONFLICTS: u32 = 100;

/// The report of a rollback that has nobody to ask; `None` where some connector is to be asked.
pub(crate) fn nothing_to_revert(setting: &Setting, execution: &Execution, entries: &[Entry]) -> Option<RollbackReport> {
    let mut calls = Vec::new();
    for entry in entries.iter().rev() {
        match rollback::offer(entry, now(setting, entry)) {
            Offer::Pass => {}
            Offer::Report(undone) => calls.extend(line(entry, undone)),
            Offer::Revert => return None,
        }
    }
    Some(RollbackReport { execution: execution.id().clone(), status: Some(execution.status), calls })
}

/// What a rollback would do now.
pub(crate) fn preview(setting: &Setting, entries: &[Entry]) -> Vec<OfferedCall> {
    rollback::preview(entries, |entry| now(setting, entry))
}

/// Whether a rollback begins, or goes on after the process that began it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    Now,
    Before,
}

/// Undoes what can be undone, under the ownership that was claimed; at the end nobody owns the execution.
pub(crate) async fn revert_all(
    setting: &Arc<Setting>,
    mut execution: Execution,
    entries: &[Entry],
    begun: Begun,
) -> Result<RollbackReport, StoreError> {
    let mut calls = Vec::new();
    for entry in entries.iter().rev() {
        let undone = match rollback::offer(entry, now(setting, entry)) {
            Offer::Pass => continue,
            Offer::Report(undone) => {
                if let Some(write) = rollback::end_interrupted(entry, setting.clock.epoch_ms()) {
                    setting.store.append(execution.id(), execution.token, vec![write], Barrier::Now).await?;
                }
                undone
            }
            Offer::Revert => revert(setting, &mut execution, entry).await?,
        };
        calls.extend(line(entry, undone));
    }
    let (id, token) = (execution.id().clone(), execution.token);
    let report = RollbackReport { execution: id.clone(), status: Some(execution.status), calls };
    // What was undone before a crash had no end yet.
    let rolled_back = execution.status == Status::RolledBack && begun == Begun::Before;
    let mut last = Vec::new();
    if report.reverted() > 0 || rolled_back {
        last = rollback::due_at_end(&execution, &setting.catalogue.wishes());
    }
    if last.is_empty() {
        setting.store.append(&id, token, vec![Write::Owned { token, owner: None }], Barrier::Now).await?;
    } else {
        setting.store.append(&id, token, last, Barrier::Now).await?;
        hooks::run_due(setting, &id).await?;
    }
    Ok(report)
}

/// One attempt at one call. The first that succeeds makes the execution rolled back.
async fn revert(setting: &Arc<Setting>, execution: &mut Execution, entry: &Entry) -> Result<Undone, StoreError> {
    let (id, token) = (execution.id().clone(), execution.token);
    let (write, attempt) = rollback::begin_revert(entry, setting.clock.epoch_ms());
    let barrier = if entry.terms.reach == Reach::StateOnly { Barrier::Later } else { Barrier::Now };
    setting.store.append(&id, token, vec![write], barrier).await?;
    let mut conflicts = 0;
    loop {
        let (outcome, state, _turn) = ask(setting, execution, entry, &attempt).await;
        let at = setting.clock.epoch_ms();
        let (write, undone) = rollback::end_revert(entry, attempt.clone(), outcome, execution.status, at);
        let mut writes = vec![write];
        let first = undone == Undone::Reverted && execution.status != Status::RolledBack;
        if first {
            writes.extend(rollback::rolled_back(execution, at));
        }
        writes.extend(state);
        match setting.store.append(&id, token, writes, Barrier::Now).await {
            Ok(()) if first => {
                execution.status = Status::RolledBack;
                return Ok(undone);
            }
            Ok(()) => return Ok(undone),
            // Another call changed the state that it had read: reverts are harmless when repeated.
            Err(StoreError::StateConflict) if conflicts < MAX_CONFLICTS => conflicts += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Asks the connector; gives what it said, what it wrote to its state, and the turn to write that.
async fn ask(
    setting: &Arc<Setting>,
    execution: &Execution,
    entry: &Entry,
    attempt: &RevertAttempt,
) -> (Result<Reverted, Failure>, Vec<Write>, Option<StateLock>) {
    let (connector, method) = entry.request.path();
    let Some(configured) = setting.catalogue.get(connector) else {
        return (Err(Failure::new(code::UNAVAILABLE, "the connector is not configured")), Vec::new(), None);
    };
    let args = match configured.arguments(method, entry.request.args()) {
        Ok(args) => args,
        Err(failure) => return (Err(failure), Vec::new(), None),
    };
    let (id, seq) = (execution.id(), entry.seq.unwrap_or(Seq(0)));
    let state = setting.state(configured, id);
    let limit_ms = setting.limits.call_ms;
    let revert = Revert {
        context: CallContext {
            execution: id.clone(),
            seq,
            pass: execution.pass,
            idempotency_key: Entry::revert_key(id, seq),
            attempt: attempt.number,
            remaining_ms: limit_ms,
        },
        call_key: Entry::idempotency_key(id, seq),
        method: method.to_owned(),
        args,
        outcome: outcome(entry, attempt),
        state: state.clone(),
    };
    let title = entry.request.title();
    let asked = AssertUnwindSafe(configured.connector.revert(revert)).catch_unwind();
    let possible = |failure: Failure| Err(failure.with_effect(EffectState::Possible));
    let outcome = match tokio::time::timeout(Duration::from_millis(limit_ms), asked).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => {
            possible(Failure::new(code::INTERNAL, format!("the revert of {title} panicked: {}", panic_text(&*panic))))
        }
        Err(_) => {
            let message = format!("the revert of {title} gave no answer within {limit_ms} ms (limit `call time`)");
            possible(Failure::new(code::TIMEOUT, message))
        }
    };
    let outcome = outcome.map_err(readable);
    // What a failed revert wrote is dropped.
    let writes = if outcome.is_ok() { state.take_writes() } else { Vec::new() };
    (outcome, writes, state.take_lock())
}

/// What the connector is told of the call; `None`: nobody knows whether it happened.
fn outcome(entry: &Entry, attempt: &RevertAttempt) -> Option<Answer> {
    match attempt.from {
        EntryState::Unknown => None,
        // It returned something that could not be kept.
        EntryState::Unrecordable => Some(Ok(None)),
        _ => entry.answer.clone(),
    }
}

fn now(setting: &Setting, entry: &Entry) -> Now {
    let (connector, method) = entry.request.path();
    let Some(configured) = setting.catalogue.get(connector) else { return Now::Missing };
    match configured.description.methods.iter().find(|m| m.name == method) {
        Some(method) if method.revertible == Flag::Yes => Now::Revertible,
        _ => Now::NotRevertible,
    }
}

fn line(entry: &Entry, undone: Undone) -> Option<UndoneCall> {
    let (connector, method) = entry.request.path();
    Some(UndoneCall { seq: entry.seq?, connector: connector.to_owned(), method: method.to_owned(), undone })
}
