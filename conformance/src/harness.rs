//! What tests of a whole runtime start from: one engine and one executor per process, a runtime over real parts with the
//! fixtures in it, and short words for what a story does again and again.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use codemode_runtime::clock::Clock;
use codemode_runtime::connector::Connector;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{
    By, ComponentExecutor, Determinism, Engine, EngineOptions, ExecutionId, Json, Limits, Outcome, Pick, Picks,
    Runtime, Seq, Snippet, Store, ValueLimits,
};

use crate::fixtures::{Ledger, shelf, t};
use crate::program::Node;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut options = EngineOptions::default();
    // Compiling the sandbox takes seconds; every test process would pay them again.
    options.cache_dir = Some(PathBuf::from(env!("CODEMODE_TEST_CACHE")));
    Engine::new(options).expect("the engine starts")
});

static EXECUTOR: LazyLock<Arc<ComponentExecutor>> =
    LazyLock::new(|| Arc::new(ComponentExecutor::bundled(&ENGINE).expect("the bundled sandbox compiles")));

/// The engine of this process.
#[must_use]
pub fn engine() -> &'static Engine {
    &ENGINE
}

/// The bundled executor.
#[must_use]
pub fn executor() -> Arc<ComponentExecutor> {
    EXECUTOR.clone()
}

/// A host with its connectors; what it is made of can be taken apart and put together again over the same store.
#[derive(Clone)]
pub struct Host {
    /// The store, which outlives runtimes.
    pub store: Arc<dyn Store>,
    /// What really happened.
    pub ledger: Arc<Ledger>,
    /// The bounds.
    pub limits: Limits,
    /// Where time comes from.
    pub determinism: Determinism,
    /// The clock of the host; `None` is the system's.
    pub clock: Option<Arc<dyn Clock>>,
    connectors: Vec<(String, Arc<dyn Connector>)>,
}

impl Host {
    /// The fixtures `shelf` and `t` over an in-memory store.
    #[must_use]
    pub fn new() -> Self {
        Self::over(Arc::new(MemoryStore::new()))
    }

    /// The fixtures `shelf` and `t` over this store.
    #[must_use]
    pub fn over(store: Arc<dyn Store>) -> Self {
        Self::bare(store).fresh_fixtures()
    }

    /// No connectors.
    #[must_use]
    pub fn bare(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            ledger: Ledger::in_memory(),
            limits: Limits::default(),
            determinism: Determinism::Recorded,
            clock: None,
            connectors: Vec::new(),
        }
    }

    /// The same host after it lost its memory: fresh fixtures with a fresh ledger, the same store.
    #[must_use]
    pub fn fresh_fixtures(self) -> Self {
        let ledger = Ledger::in_memory();
        let connectors: Vec<(String, Arc<dyn Connector>)> =
            vec![("shelf".to_owned(), Arc::new(shelf(&ledger))), ("t".to_owned(), Arc::new(t(&ledger)))];
        Self { ledger, connectors, ..self }
    }

    /// A runtime over these parts. Another one over the same parts is the same host after a restart: what connectors did
    /// outside is still there.
    #[must_use]
    pub fn runtime(&self) -> Runtime {
        self.try_runtime().expect("the fixtures make a runtime")
    }

    /// A runtime over these parts.
    ///
    /// # Errors
    /// What the builder refuses.
    pub fn try_runtime(&self) -> Result<Runtime, codemode_runtime::Error> {
        let mut builder = Runtime::builder()
            .store(self.store.clone())
            .executor(executor())
            .limits(self.limits.clone())
            .determinism(self.determinism);
        for (name, connector) in &self.connectors {
            builder = builder.connector(name.clone(), connector.clone());
        }
        if let Some(clock) = &self.clock {
            builder = builder.clock(clock.clone());
        }
        builder.build()
    }

    /// One more connector, or another one under a name that is there.
    #[must_use]
    pub fn with(mut self, name: &str, connector: Arc<dyn Connector>) -> Self {
        self.connectors.retain(|(n, _)| n != name);
        self.connectors.push((name.to_owned(), connector));
        self
    }

    /// With the snippets of a program saved.
    ///
    /// # Panics
    /// When the store fails.
    #[must_use]
    pub fn knowing(self, program: &Node) -> Self {
        for (name, code) in program.snippets() {
            let connectors = vec!["t".to_owned()];
            let (description, saved_at, input_schema) = (String::new(), 1, None);
            let snippet = Snippet { name, description, code, saved_at, input_schema, connectors };
            self.store.save_snippet(&snippet).expect("the store takes it");
        }
        self
    }

    /// Without that connector.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.connectors.retain(|(n, _)| n != name);
        self
    }

    /// Other bounds.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

/// Counts of a character, as JavaScript writes it, and whether the text of so many is within the default limit of a value:
/// the unit is the UTF-16 code unit of the encoded text, quotes included.
pub const SIZES: [(usize, &str, bool); 13] = [
    (999_998, "a", true),
    (999_999, "a", false),
    (499_999, "\\n", true),
    (500_000, "\\n", false),
    (333_332, "中", true),
    (999_998, "中", true),
    (999_998, "é", true),
    (999_999, "é", false),
    (249_999, "🙂", true),
    (499_999, "🙂", true),
    (500_000, "🙂", false),
    (166_666, "\\u0001", true),
    (166_667, "\\u0001", false),
];

/// A person in a test.
#[must_use]
pub fn anna() -> By {
    By { actor: "anna".to_owned(), channel: "test".to_owned(), reason: None }
}

/// Approves one pending call as it was shown.
///
/// # Panics
/// When that seq is not pending or the host fails.
pub async fn approve_seq(runtime: &Runtime, id: &ExecutionId, seq: u32) -> Outcome {
    let pending = runtime.pending(Some(id)).expect("the store answers");
    let shown = pending.iter().find(|p| p.seq == Seq(seq)).unwrap_or_else(|| panic!("seq {seq} is not pending"));
    let pick = Pick { seq: shown.seq, digest: shown.digest.clone() };
    runtime.approve(id, Picks::These(vec![pick]), anna()).await.expect("the host works")
}

/// Approves whatever is pending until nothing is.
///
/// # Panics
/// When the host fails.
pub async fn approve_all(runtime: &Runtime, mut outcome: Outcome) -> Outcome {
    while let Outcome::Paused { execution, .. } = &outcome {
        let execution = execution.clone();
        outcome = runtime.approve(&execution, Picks::AllPending, anna()).await.expect("the host works");
    }
    outcome
}

/// The id of a stored execution.
///
/// # Panics
/// When none was stored.
#[must_use]
pub fn id_of(outcome: &Outcome) -> ExecutionId {
    outcome.execution().unwrap_or_else(|| panic!("nothing was stored: {outcome:?}")).clone()
}

/// The result's JSON text; `undefined` is `""`.
///
/// # Panics
/// When the execution did not complete.
#[must_use]
pub fn result_of(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed { result, .. } => result.as_ref().map(|r| r.as_str().to_owned()).unwrap_or_default(),
        other => panic!("not completed: {other:#?}"),
    }
}

/// The error of an execution that failed.
///
/// # Panics
/// When it did not fail.
#[must_use]
pub fn error_of(outcome: &Outcome) -> &codemode_runtime::CodeError {
    match outcome {
        Outcome::Failed { error, .. } => error,
        other => panic!("not failed: {other:#?}"),
    }
}

/// The pending calls of a paused execution, as `seq connector.method args`.
///
/// # Panics
/// When it is not paused.
#[must_use]
pub fn pending_of(outcome: &Outcome) -> Vec<String> {
    match outcome {
        Outcome::Paused { pending, .. } => pending
            .iter()
            .map(|p| {
                let args = p.args.as_ref().map_or("", Json::as_str);
                format!("{} {}.{} {args}", p.seq, p.connector, p.method)
            })
            .collect(),
        other => panic!("not paused: {other:#?}"),
    }
}

/// The journal as `seq connector.method state`, with the wire's words for states.
///
/// # Panics
/// When the record is not there.
#[must_use]
pub fn journal_of(runtime: &Runtime, id: &ExecutionId) -> Vec<String> {
    let record = runtime.record(id).expect("the store answers").expect("the record is there");
    let line = |e: &codemode_runtime::Entry| {
        let (connector, method) = e.request.path();
        e.seq.map(|seq| format!("{seq} {connector}.{method} {}", e.state.wire()))
    };
    record.entries.iter().filter_map(line).collect()
}

/// Tagged JSON.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn json(text: &str) -> Json {
    Json::from_tagged(text, &ValueLimits::default()).expect("tagged JSON")
}
