//! Calls that outlive their pass: their answers are kept in their own entries, and never reach the code. Whoever undoes
//! or deletes the execution gives them up first: what is rolled back must not happen afterwards.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::stream::StreamExt as _;

use super::Live;
use super::dispatch::Pass;
use super::perform::{Arrived, commit};
use crate::durable::id::ExecutionId;
use crate::store::Barrier;

/// The calls of one runtime that outlive their passes.
#[derive(Default)]
pub(crate) struct Late(Mutex<HashMap<ExecutionId, Vec<Arc<Live>>>>);

/// Whether a call was in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InFlight {
    Nothing,
    GivenUp,
}

/// Calls in flight; they end when this is dropped.
struct Entered {
    late: Arc<Late>,
    id: ExecutionId,
    live: Arc<Live>,
}

impl Late {
    /// Gives up what is still in flight of an execution, and waits until none of it can do anything any more.
    pub(crate) async fn give_up(&self, id: &ExecutionId) -> InFlight {
        let in_flight: Vec<Arc<Live>> = self.lock().get(id).cloned().unwrap_or_default();
        for live in &in_flight {
            live.cancel();
        }
        for live in &in_flight {
            live.ended().await;
        }
        if in_flight.is_empty() { InFlight::Nothing } else { InFlight::GivenUp }
    }

    fn enter(self: &Arc<Self>, id: &ExecutionId) -> Entered {
        let live = Arc::new(Live::default());
        self.lock().entry(id.clone()).or_default().push(live.clone());
        Entered { late: self.clone(), id: id.clone(), live }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ExecutionId, Vec<Arc<Live>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut late = self.late.lock();
        if let Some(lives) = late.get_mut(&self.id) {
            lives.retain(|live| !Arc::ptr_eq(live, &self.live));
            if lives.is_empty() {
                late.remove(&self.id);
            }
        }
        drop(late);
        self.live.end();
    }
}

/// Lets what is still performed after the end of a pass complete its own entries. Of a pass that was stopped from
/// outside it is given up at once.
pub(super) fn finish(pass: Pass) {
    if pass.performing.is_empty() || pass.live.is_cancelled() {
        return;
    }
    let Pass { setting, id, token, replay, mut performing, .. } = pass;
    let entered = setting.late.enter(&id);
    let runtime = setting.executor.runtime();
    runtime.spawn(async move {
        let given_up = entered.live.clone();
        let answers = async move {
            while let Some(arrived) = performing.next().await {
                let (op, answer, state, _turn) = match arrived {
                    Arrived::Answer { op, answer, state, turn } => (op, Some(answer), state, turn),
                    Arrived::TooLarge { op, .. } => (op, None, Vec::new(), None),
                    _ => continue,
                };
                let Some(write) = replay.late_write(op, answer.as_ref(), setting.clock.epoch_ms()) else { continue };
                let writes = commit::batch(op, write, state);
                if let Err(error) = setting.store.append(&id, token, writes, Barrier::Now).await {
                    tracing::debug!(execution = %id, %error, "a late answer was dropped");
                }
            }
        };
        tokio::select! {
            () = answers => {}
            () = given_up.cancellation() => {}
        }
        // Here the calls are gone, and only then it is said.
        drop(entered);
    });
}
