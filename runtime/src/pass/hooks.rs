//! Runs the hooks that a change of status made due. They are stored with the status, so that none is lost; connectors
//! must take one twice. Their failures are logged and ignored (LIFECYCLE-05).

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::Setting;
use crate::connector::{StateAccess, StateSession};
use crate::durable::execution::Status;
use crate::durable::id::ExecutionId;
use crate::durable::write::{Hook, HookKind, Write};
use crate::store::{Barrier, Record, StoreError};

/// Runs what is due for an execution: first the ends of passes, then the end of the execution; connectors of one event
/// side by side (LIFECYCLE-03, LIFECYCLE-08).
pub(crate) async fn run_due(setting: &Arc<Setting>, id: &ExecutionId) -> Result<(), StoreError> {
    let Some(record) = setting.store.load(id)? else { return Ok(()) };
    for kind in [HookKind::PassEnded, HookKind::ExecutionEnded] {
        let due: Vec<&Hook> = record.hooks.iter().filter(|h| h.kind == kind).collect();
        join_all(due.into_iter().map(|hook| run_one(setting, &record, hook))).await;
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
        drop(tokio::time::timeout(Duration::from_millis(setting.limits.call_ms), call).await);
    });
    join_all(calls).await;
}

async fn run_one(setting: &Arc<Setting>, record: &Record, hook: &Hook) {
    let id = record.execution.id();
    let mut writes = vec![Write::HookDone { id: hook.id }];
    if let Some(configured) = setting.catalogue.get(&hook.connector) {
        let state = StateSession::new(setting.store.clone(), &hook.connector, id, StateAccess::ReadWrite);
        let call = match hook.kind {
            HookKind::PassEnded => configured.connector.pass_ended(id, hook.pass, hook.status, state.clone()),
            HookKind::ExecutionEnded => configured.connector.execution_ended(id, hook.status, state.clone()),
        };
        let limit = Duration::from_millis(setting.limits.call_ms);
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(())) => writes.extend(state.take_writes()),
            Ok(Err(failure)) => {
                tracing::warn!(execution = %id, connector = hook.connector, error = failure.message, "a hook failed");
            }
            Err(_) => tracing::warn!(execution = %id, connector = hook.connector, "a hook took too long"),
        }
    }
    let token = record.execution.token;
    let outcome = setting.store.append(id, token, writes, Barrier::Later).await;
    if let Err(error) = outcome {
        tracing::warn!(execution = %id, connector = hook.connector, %error, "a hook's end was not recorded");
        drop(setting.store.append(id, token, vec![Write::HookDone { id: hook.id }], Barrier::Later));
    }
}
