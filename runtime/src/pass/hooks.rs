//! Runs the hooks that a change of status made due. They are stored with the status, so that none is lost; connectors
//! must take one twice. Their failures are logged and ignored (LIFECYCLE-05).

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::Setting;
use crate::connector::{StateAccess, StateSession};
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

