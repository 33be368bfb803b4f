//! A tool call that runs code: from its start, over the questions to the person, to the result; and its end when the client
//! cancels it, is gone, or the server stops.

use std::sync::Arc;

use codemode_runtime::tool::Tool;
use codemode_runtime::{Error, ExecutionId, Outcome, Picks};
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ErrorData};
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;

use crate::answer;
use crate::approval::{Decided, Person};
use crate::progress::Progress;
use crate::server::Shared;
use crate::stdio::Lost;

/// Nobody waits for the answer any more.
struct Dropped;

/// Runs code for a client.
pub(crate) async fn run(
    shared: &Arc<Shared>,
    lost: &Lost,
    tool: &Tool,
    code: String,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let dropped = || ErrorData::internal_error("the call was cancelled", None);
    let waits = Waits { shared, lost, cancelled: &context.ct };
    let started = match waits.until(None, shared.runtime.start(code)).await.map_err(|Dropped| dropped())? {
        Ok(started) => started,
        Err(error) => return Ok(answer::host_failure(&error)),
    };
    let id = started.execution().cloned();
    let progress = Progress::follow(&shared.runtime, id.as_ref(), context.meta.get_progress_token(), &context.peer);
    let first = waits.until(id.as_ref(), started.outcome()).await.map_err(|Dropped| dropped())?;
    let ended = match first {
        Ok(outcome) => approvals(&waits, &context, outcome).await.map_err(|Dropped| dropped())?,
        Err(error) => Err(error),
    };
    progress.end().await;
    Ok(match ended {
        Ok(outcome) => answer::outcome(tool, &shared.options, outcome),
        Err(error) => answer::host_failure(&error),
    })
}

/// Asks the person as long as something is pending and they answer, and goes on with what they decided.
async fn approvals(
    waits: &Waits<'_>,
    context: &RequestContext<RoleServer>,
    mut outcome: Outcome,
) -> Result<Result<Outcome, Error>, Dropped> {
    let runtime = &waits.shared.runtime;
    let mut person = Person::new(waits.shared, waits.lost, context);
    while let Outcome::Paused { execution, pending, .. } = &outcome {
        let id = execution.clone();
        let decided = match person.decides(&id, pending).await {
            Ok(decided) => decided,
            Err(error) => return Ok(Err(error)),
        };
        if context.ct.is_cancelled() {
            return Err(Dropped);
        }
        let next = match decided {
            Decided::Approved(picks, by) => {
                waits.until(Some(&id), runtime.approve(&id, Picks::These(picks), by)).await?
            }
            Decided::Rejected(seq, by) => match runtime.reject(&id, seq, by).await {
                Ok(_) => elsewhere(waits, &id).await?,
                Err(error) => Err(error),
            },
            Decided::Elsewhere => elsewhere(waits, &id).await?,
            Decided::Nothing => break,
        };
        outcome = match next {
            // Somebody else was faster: what they made of it is what counts.
            Ok(Outcome::Failed { calls: None, .. } | Outcome::Deferred { .. }) => {
                return elsewhere(waits, &id).await;
            }
            Ok(next) => next,
            Err(error) => return Ok(Err(error)),
        };
    }
    Ok(Ok(outcome))
}

/// What somebody else made of it: they may still be at it.
async fn elsewhere(waits: &Waits<'_>, id: &ExecutionId) -> Result<Result<Outcome, Error>, Dropped> {
    let runtime = &waits.shared.runtime;
    // Beyond all events: there is nothing to hear of but the rest.
    let mut events = runtime.events(id, u64::MAX / 2);
    if let Err(error) = waits.until(Some(id), events.next()).await? {
        return Ok(Err(error));
    }
    let record = runtime.record(id).and_then(|record| record.ok_or_else(|| Error::NotFound(id.clone())));
    Ok(record.map(answer::recorded))
}

/// Waiting for the runtime, as long as somebody wants the answer.
struct Waits<'a> {
    shared: &'a Arc<Shared>,
    lost: &'a Lost,
    cancelled: &'a CancellationToken,
}

impl Waits<'_> {
    /// Waits for work on an execution. When nobody wants the answer any more its pass is cancelled, unless the server
    /// stops: then it is left to be recovered.
    async fn until<T>(&self, id: Option<&ExecutionId>, work: impl Future<Output = T>) -> Result<T, Dropped> {
        tokio::select! {
            done = work => Ok(done),
            () = self.unwanted() => {
                if let Some(id) = id && !self.shared.leaving.is_cancelled() {
                    match self.shared.runtime.cancel(id).await {
                        Ok(stopped) => tracing::info!(execution = %id, stopped, "the client cancelled"),
                        Err(error) => tracing::warn!(execution = %id, %error, "the pass is not cancelled"),
                    }
                }
                Err(Dropped)
            }
        }
    }

    async fn unwanted(&self) {
        tokio::select! {
            () = self.cancelled.cancelled() => {}
            () = self.lost.over.cancelled() => {}
        }
    }
}
