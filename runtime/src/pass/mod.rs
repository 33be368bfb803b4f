//! One trip of the code through the sandbox: instantiate, serve what the code asks, end, store, run the hooks. A thin
//! shell around [`crate::durable::replay`], which decides everything.

mod answer;
mod broken;
mod dispatch;
mod ending;
mod hint;
mod hooks;
mod late;
mod perform;
mod refusal;
mod revert;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use tokio::sync::Notify;

use crate::catalogue::{Catalogue, Configured};
use crate::clock::Clock;
use crate::connector::{StateAccess, StateSession};
use crate::durable::execution::{Determinism, Execution};
use crate::durable::finish::{Finish, PassEnd, finish};
use crate::durable::id::ExecutionId;
use crate::durable::journal::Entry;
use crate::durable::limits::Limits;
use crate::durable::write::Write;
use crate::error::Error;
use crate::executor::{Executor, Request};
use crate::host::panic_text;
use crate::normalize::Normalized;
use crate::store::{Barrier, Store};
use dispatch::Pass;

pub(crate) use dispatch::offline::{Asking, PlayEnd, Played, play, words};
pub(crate) use hooks::run_due as run_due_hooks;
pub(crate) use late::{InFlight, Late};
pub(crate) use revert::{Begun, nothing_to_revert, preview, revert_all};

/// What the passes of one runtime share.
pub(crate) struct Setting {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limits: Limits,
    pub(crate) late: Arc<Late>,
}

impl Setting {
    /// The state of a connector, for a hook or a revert.
    fn state(&self, configured: &Configured, id: &ExecutionId) -> Arc<StateSession> {
        let (store, reach) = (self.store.clone(), configured.connector.reach());
        StateSession::with_reach(store, &configured.name, id, StateAccess::ReadWrite, reach, self.limits.call_ms)
    }
}

/// The handle by which others reach a pass that runs in this process.
#[derive(Default)]
pub(crate) struct Live {
    cancelled: AtomicBool,
    wake: Notify,
    ended: AtomicBool,
    end: Notify,
    changed: Notify,
}

impl Live {
    /// Asks the pass to end with the error `cancelled`.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        self.wake.notify_waiters();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    async fn cancellation(&self) {
        let woken = self.wake.notified();
        tokio::pin!(woken);
        woken.as_mut().enable();
        if !self.is_cancelled() {
            woken.await;
        }
    }

    /// Says that the execution is at rest.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.end.notify_waiters();
        self.changed.notify_waiters();
    }

    /// Waits until the execution is at rest.
    pub(crate) async fn ended(&self) {
        let ended = self.end.notified();
        tokio::pin!(ended);
        ended.as_mut().enable();
        if !self.ended.load(Ordering::Acquire) {
            ended.await;
        }
    }

    /// Says that the journal grew.
    pub(crate) fn change(&self) {
        self.changed.notify_waiters();
    }

    /// Waits until the journal grows or the execution comes to rest.
    pub(crate) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }
}

/// What a pass left behind.
pub(crate) struct Passed {
    pub(crate) execution: ExecutionId,
    pub(crate) finish: Finish,
    pub(crate) entries: Vec<Entry>,
    /// The real value, as tagged JSON.
    pub(crate) result: Option<crate::durable::value::Json>,
    pub(crate) logs: Vec<String>,
}

/// Runs one pass to its end.
pub(crate) async fn run(
    setting: Arc<Setting>,
    execution: Execution,
    entries: Vec<Entry>,
    normalized: Normalized,
    seed: [u8; 32],
    live: Arc<Live>,
) -> Result<Passed, Error> {
    let id = execution.id().clone();
    let request = request(&setting, &execution, &normalized, seed);
    let pass = Pass::new(setting.clone(), &execution, entries, live.clone());
    let running = AssertUnwindSafe(async { setting.executor.run(request, Box::new(pass)).await });
    let (ran, dispatch) = match running.catch_unwind().await {
        Ok(ran) => ran,
        Err(panic) => {
            let reason = format!("it panicked: {}", panic_text(&*panic));
            return broken::end(&setting, &execution, &live, reason).await;
        }
    };
    let Ok(mut pass) = dispatch.into_any().downcast::<Pass>() else {
        let reason = "it gave back another dispatch than it was given".to_owned();
        return broken::end(&setting, &execution, &live, reason).await;
    };
    let (ended, result) = ending::ended(&mut pass, ran, &execution.start.code, &normalized);
    pass.close();
    let at = setting.clock.epoch_ms();
    let logs = pass.console.end(&setting.limits);
    let timers = pass.timers_left();
    let (mut writes, _) = pass.replay.drain();
    let wishes = setting.catalogue.wishes();
    let end = PassEnd { ended, timers_left: &timers, logs: pass.console.unwritten(), at };
    let ended = finish(&pass.replay, &execution, end, &wishes, &setting.limits);
    writes.extend(ended.writes.iter().cloned());
    let stored = setting.store.append(&id, execution.token, writes, Barrier::Now).await;
    let entries = pass.replay.entries().to_vec();
    late::finish(*pass);
    live.change();
    if let Err(error) = stored {
        hooks::pass_lost(&setting, &id, execution.pass).await;
        return Err(error.into());
    }
    if !wishes.is_empty() {
        hooks::run_due(&setting, &id).await?;
    }
    let result = if ended.status == crate::durable::execution::Status::Completed { result } else { None };
    Ok(Passed { execution: id, entries: closed(entries, &ended.writes), finish: ended, result, logs })
}

/// What the executor is asked to run.
fn request(setting: &Setting, execution: &Execution, normalized: &Normalized, seed: [u8; 32]) -> Request {
    Request {
        code: normalized.function.clone(),
        input: execution.start.input.as_ref().map(|i| i.as_str().to_owned()),
        namespaces: execution.start.namespaces.clone(),
        determinism: execution.start.determinism,
        clock_ms: match execution.start.determinism {
            Determinism::Recorded => execution.start.created_at,
            Determinism::Live => setting.clock.epoch_ms(),
        },
        seed,
        limits: setting.limits.clone(),
    }
}

/// The entries as the end of the pass left them.
fn closed(mut entries: Vec<Entry>, writes: &[Write]) -> Vec<Entry> {
    for write in writes {
        if let Write::Answered { op, state, at, .. } = write
            && let Some(entry) = entries.get_mut(op.0 as usize)
        {
            entry.state = *state;
            entry.answered_at = Some(*at);
        }
    }
    entries
}
