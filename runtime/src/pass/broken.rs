//! The end of a pass whose executor broke its contract: it panicked, or kept the dispatch that it was lent. What the pass
//! had in memory is gone; the journal is not, and the execution must not stay `running` for ever (RUN-23).

use std::sync::Arc;

use super::{Live, Passed, Setting, closed, hooks};
use crate::durable::execution::Execution;
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::finish::{Ended, PassEnd, finish};
use crate::durable::replay::Replay;
use crate::error::Error;
use crate::store::Barrier;

/// Ends the execution with an error that says what the executor did.
pub(super) async fn end(
    setting: &Arc<Setting>,
    execution: &Execution,
    live: &Arc<Live>,
    reason: String,
) -> Result<Passed, Error> {
    let id = execution.id();
    let entries = setting.store.load(id)?.map(|record| record.entries).unwrap_or_default();
    let error = CodeError::new(ErrorKind::Sandbox, format!("the executor broke its contract: {reason}"))
        .with_hint("run the code again; if it breaks again, look at the executor");
    let replay = Replay::new(entries.clone(), execution.pass, execution.start.created_at, 1);
    let wishes = setting.catalogue.wishes();
    let at = setting.clock.epoch_ms();
    let end = PassEnd { ended: Ended::Failed(error), timers_left: &[], logs: Vec::new(), at };
    let ended = finish(&replay, execution, end, &wishes, &setting.limits);
    let writes = ended.writes.clone();
    let entries = closed(entries, &writes);
    let stored = setting.store.append(id, execution.token, writes, Barrier::Now).await;
    live.change();
    if let Err(error) = stored {
        hooks::pass_lost(setting, id, execution.pass).await;
        return Err(error.into());
    }
    hooks::run_due(setting, id).await?;
    Ok(Passed { execution: id.clone(), finish: ended, entries, result: None, logs: Vec::new() })
}
