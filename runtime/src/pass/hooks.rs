//! Runs the hooks that a change of status made due. They are stored with the status, so that none is lost; connectors
//! must take one twice. Their failures are logged and ignored (LIFECYCLE-05).

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;

use super::Setting;
use crate::connector::{StateAccess, StateSession};
use crate::durable::execution::{Execution, Status};
use crate::durable::id::ExecutionId;
use crate::durable::write::{Hook, HookKind, Write};
use crate::host::panic_text;
use crate::store::{Barrier, Record, StateLock, StoreError};

/// Runs what is due for an execution: first the ends of passes, then the end of the execution; connectors of one event
/// side by side (LIFECYCLE-03, LIFECYCLE-08). Only its owner does that; one that does not run has no owner afterwards.
pub(crate) async fn run_due(setting: &Arc<Setting>, id: &ExecutionId) -> Result<(), StoreError> {
    let Some(record) = setting.store.load(id)? else { return Ok(()) };
    for kind in [HookKind::PassEnded, HookKind::ExecutionEnded] {
        let due: Vec<&Hook> = record.hooks.iter().filter(|h| h.kind == kind).collect();
        join_all(due.into_iter().map(|hook| run_one(setting, &record, hook))).await;
    }
    let Execution { status, owner, token, .. } = record.execution;
    if status != Status::Running && owner.is_some() {
        let at_rest = vec![Write::Owned { token, owner: None }];
        drop(setting.store.append(id, token, at_rest, Barrier::Later));
    }
    Ok(())
}

/// The end of a pass could not be recorded, so nothing is due; connectors may let go of what lives for one pass all the
/// same (RUN-22). What lives for the execution stays: it has not ended, and recovery will say so.
pub(crate) async fn pass_lost(setting: &Arc<Setting>, id: &ExecutionId, pass: u32) {
    let wishes = setting.catalogue.wishes();
    let wanting = wishes.iter().filter(|w| w.kinds.contains(&HookKind::PassEnded));
    let calls = wanting.filter_map(|wish| setting.catalogue.get(&wish.connector)).map(|configured| async {
        let state = StateSession::new(setting.store.clone(), &configured.name, id, StateAccess::ReadOnly);
        let call = configured.connector.pass_ended(id, pass, Status::Error, state);
        let call = AssertUnwindSafe(call).catch_unwind();
        drop(tokio::time::timeout(Duration::from_millis(setting.limits.call_ms), call).await);
    });
    join_all(calls).await;
}

async fn run_one(setting: &Arc<Setting>, record: &Record, hook: &Hook) {
    let id = record.execution.id();
    let token = record.execution.token;
    let done = || Write::HookDone { id: hook.id };
    for _ in 0..MAX_CONFLICTS {
        let (state, _turn) = call(setting, id, hook).await;
        let writes = [done()].into_iter().chain(state).collect();
        match setting.store.append(id, token, writes, Barrier::Later).await {
            Ok(()) => return,
            // Another call changed the state that it had read: it looks again, or what it wrote would be lost.
            Err(StoreError::StateConflict) => {}
            Err(error) => {
                tracing::warn!(execution = %id, connector = hook.connector, %error, "a hook's end was not recorded");
                break;
            }
        }
    }
    drop(setting.store.append(id, token, vec![done()], Barrier::Later));
}

/// How often a hook runs whose connector's state changes all the time.
const MAX_CONFLICTS: u32 = 100;

/// Runs a hook once; what it wrote to its connector's state, and the turn to write it.
async fn call(setting: &Arc<Setting>, id: &ExecutionId, hook: &Hook) -> (Vec<Write>, Option<StateLock>) {
    let nothing = (Vec::new(), None);
    let Some(configured) = setting.catalogue.get(&hook.connector) else { return nothing };
    let state = setting.state(configured, id);
    let call = match hook.kind {
        HookKind::PassEnded => configured.connector.pass_ended(id, hook.pass, hook.status, state.clone()),
        HookKind::ExecutionEnded => configured.connector.execution_ended(id, hook.status, state.clone()),
    };
    let call = AssertUnwindSafe(call).catch_unwind();
    match tokio::time::timeout(Duration::from_millis(setting.limits.call_ms), call).await {
        Ok(Ok(Ok(()))) => return (state.take_writes(), state.take_lock()),
        Ok(Err(panic)) => {
            let error = panic_text(&*panic);
            tracing::warn!(execution = %id, connector = hook.connector, %error, "a hook panicked");
        }
        Ok(Ok(Err(failure))) => {
            tracing::warn!(execution = %id, connector = hook.connector, error = failure.message, "a hook failed");
        }
        Err(_) => tracing::warn!(execution = %id, connector = hook.connector, "a hook took too long"),
    }
    nothing
}
