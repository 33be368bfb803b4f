//! Where a child can die. Each point that it passes is counted; the one it was told of kills it, at once and without any
//! last word of the process: SIGKILL, from itself.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Value, json};

static PASSED: AtomicU64 = AtomicU64::new(0);
/// 0: none.
static FATAL: AtomicU64 = AtomicU64::new(0);

/// What a point is beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Writes are about to be handed to the store.
    BeforeAppend,
    /// The store has them; they may be durable or not.
    AfterAppend,
    /// They are durable, and whoever waits does not know it yet.
    Durable,
    /// A decision, a pruning, an owner or a snippet is about to be written.
    BeforeCommit,
    /// It is written, and whoever asked does not know it yet.
    AfterCommit,
    /// A component reads its state in the middle of a call.
    StateRead,
    /// A connector is about to be asked.
    BeforeCall,
    /// The outside world has the effect; the connector has not answered.
    Effect,
    /// The connector has answered, and the pass does not know it yet.
    AfterCall,
    /// A hook is about to run.
    BeforeHook,
    /// A hook has run, and that is not written yet.
    AfterHook,
}

impl Place {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::BeforeAppend => "before append",
            Self::AfterAppend => "after append",
            Self::Durable => "durable",
            Self::BeforeCommit => "before commit",
            Self::AfterCommit => "after commit",
            Self::StateRead => "state read",
            Self::BeforeCall => "before call",
            Self::Effect => "effect",
            Self::AfterCall => "after call",
            Self::BeforeHook => "before hook",
            Self::AfterHook => "after hook",
        }
    }
}

/// Lets the `fatal`th point kill; 0: none.
pub(crate) fn arm(fatal: u64) {
    FATAL.store(fatal, Ordering::SeqCst);
}

/// How many points were passed.
pub(crate) fn passed() -> u64 {
    PASSED.load(Ordering::SeqCst)
}

/// Passes a point, or dies there.
pub(crate) fn pass(place: Place, what: impl FnOnce() -> String) {
    let n = PASSED.fetch_add(1, Ordering::SeqCst) + 1;
    if n == FATAL.load(Ordering::SeqCst) {
        say(&json!({ "died": place.name(), "at": n, "what": what() }));
        kill_process(getpid(), Signal::KILL).expect("a process may kill itself");
        // Another thread may be the one that the signal meets first.
        std::thread::park();
    }
}

/// Where a process says what it has done.
#[derive(Clone)]
pub(crate) enum Said {
    /// Its parent hears of it, even if the next instruction is the last one.
    ToParent,
    /// It is the parent.
    Kept(Arc<Mutex<Vec<Value>>>),
}

impl Said {
    pub(crate) fn say(&self, line: Value) {
        match self {
            Self::ToParent => say(&line),
            Self::Kept(lines) => lines.lock().unwrap_or_else(PoisonError::into_inner).push(line),
        }
    }
}

fn say(line: &Value) {
    let mut out = std::io::stdout().lock();
    // In one piece: a line that was cut off does not count. The test harness may have begun a line. Not `println`, which
    // tests capture.
    out.write_all(format!("\n{line}\n").as_bytes()).expect("the parent reads");
    out.flush().expect("the parent reads");
}
