//! What this process works on right now: passes, hooks, rollbacks. Everybody enters before they commit, so that whoever
//! finds our ownership in the store also finds the work here; ownership without work is what a lost task left behind.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::{Inner, Runtime};
use crate::durable::id::ExecutionId;
use crate::pass::Live;

/// How often the store is asked whether somebody in another process wants something to stop.
const WATCH: Duration = Duration::from_millis(200);

/// The work of one runtime.
#[derive(Default)]
pub(super) struct Lives(Mutex<Works>);

#[derive(Default)]
struct Works {
    of: HashMap<ExecutionId, Vec<Arc<Live>>>,
    watch: Watch,
}

#[derive(Default, PartialEq, Eq)]
enum Watch {
    #[default]
    Off,
    On,
}

impl Lives {
    fn lock(&self) -> MutexGuard<'_, Works> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work on an execution. It ends when this is dropped, also by a panic: others wait for that.
pub(super) struct Entered {
    pub(super) runtime: Runtime,
    pub(super) id: ExecutionId,
    pub(super) live: Arc<Live>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut works = self.runtime.0.lives.lock();
        if let Some(lives) = works.of.get_mut(&self.id) {
            lives.retain(|live| !Arc::ptr_eq(live, &self.live));
            if lives.is_empty() {
                works.of.remove(&self.id);
            }
        }
        drop(works);
        self.live.end();
    }
}

impl Runtime {
    /// Begins to work on an execution; to be held from before the commit that claims it until it is at rest again.
    pub(super) fn enter(&self, id: &ExecutionId) -> Entered {
        let live = Arc::new(Live::default());
        let mut works = self.0.lives.lock();
        works.of.entry(id.clone()).or_default().push(live.clone());
        if works.watch == Watch::Off {
            works.watch = Watch::On;
            drop(self.0.executor.runtime().spawn(watch(Arc::downgrade(&self.0))));
        }
        drop(works);
        Entered { runtime: self.clone(), id: id.clone(), live }
    }

    /// The work on an execution that was begun last, if any.
    pub(super) fn live(&self, id: &ExecutionId) -> Option<Arc<Live>> {
        self.0.lives.lock().of.get(id)?.last().cloned()
    }

    /// Asks all work on an execution to stop.
    pub(super) fn ask_to_stop(&self, id: &ExecutionId) {
        for live in self.0.lives.lock().of.get(id).into_iter().flatten() {
            live.cancel();
        }
    }
}

/// Hears of wishes from other processes, as long as there is work.
async fn watch(runtime: Weak<Inner>) {
    loop {
        tokio::time::sleep(WATCH).await;
        let Some(inner) = runtime.upgrade() else { return };
        {
            let mut works = inner.lives.lock();
            if works.of.is_empty() {
                works.watch = Watch::Off;
                return;
            }
        }
        match inner.store.cancelled(inner.owner) {
            Ok(ids) => ids.iter().for_each(|id| Runtime(inner.clone()).ask_to_stop(id)),
            Err(error) => tracing::warn!(%error, "the store does not say what is to be stopped"),
        }
    }
}
