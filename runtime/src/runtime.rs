//! The embeddable durable thing: run code, approve, reject, look. All state is in the store; a `Runtime` keeps only
//! what is running right now, so any number of them, in any number of processes, may open one store.

mod builder;
mod decide;
mod discover;
mod events;
mod export;
mod lives;
mod look;
mod recover;
mod rest;
mod retain;
mod snippets;
mod started;
mod tool;
mod transform;

use std::sync::Arc;

use tokio::task::JoinHandle;

pub use builder::RuntimeBuilder;
pub use decide::By;
pub use events::{Event, EventKind, Events};
pub use recover::{Recovered, Resolved};
pub use snippets::SaveSnippet;
pub use started::Started;
pub use transform::Transformed;

use crate::catalogue::{Catalogue, Configured};
use crate::clock::{Clock, Ids};
use crate::connector::{Connector, check_description};
use crate::durable::execution::{Determinism, Execution, REPLAY_VERSION, Start, Status};
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::finish::{Ended, PassEnd, finish};
use crate::durable::id::OwnerId;
use crate::durable::journal::Entry;
use crate::durable::json::utf16_len;
use crate::durable::limits::{Breach, Limits};
use crate::durable::replay::Replay;
use crate::durable::value::Json;
use crate::durable::write::Write;
use crate::error::Error;
use crate::executor::Executor;
use crate::normalize::{NormalizeError, normalize};
use crate::outcome::{Outcome, PendingCall};
use crate::pass::{self, Late, Live, Passed, Setting};
use crate::schema::Validate;
use crate::store::{Barrier, Store};
use lives::{Entered, Lives};

/// Runs code durably. Cheap to clone; all clones are the same runtime.
///
/// | for | operations |
/// |---|---|
/// | a model | [`tool`](Self::tool), [`code_tool`](Self::code_tool) |
/// | running code | [`execute`](Self::execute), [`start`](Self::start), [`cancel`](Self::cancel), [`events`](Self::events) |
/// | finding out | [`search`](Self::search), [`describe`](Self::describe), [`connectors`](Self::connectors) |
/// | people who decide | [`pending`](Self::pending), [`approve`](Self::approve), [`reject`](Self::reject), [`unresolved`](Self::unresolved), [`resolve`](Self::resolve) |
/// | undoing | [`preview_rollback`](Self::preview_rollback), [`rollback`](Self::rollback) |
/// | the record | [`executions`](Self::executions), [`record`](Self::record), [`export`](Self::export), [`delete`](Self::delete) |
/// | upkeep | [`recover`](Self::recover), [`expire_paused`](Self::expire_paused), [`prune_executions`](Self::prune_executions) |
/// | snippets | [`save_snippet`](Self::save_snippet), [`snippets`](Self::snippets), [`snippet`](Self::snippet), [`delete_snippet`](Self::delete_snippet) |
///
/// What is about one execution names it: there is no current one (HOSTAPI-02).
#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

struct Inner {
    name: String,
    store: Arc<dyn Store>,
    executor: Arc<dyn Executor>,
    connectors: Vec<(String, Arc<dyn Connector>)>,
    limits: Limits,
    determinism: Determinism,
    validate: Validate,
    clock: Arc<dyn Clock>,
    ids: Ids,
    owner: OwnerId,
    catalogue: tokio::sync::Mutex<Option<Arc<Catalogue>>>,
    lives: Lives,
    late: Arc<Late>,
    transform: Option<Arc<transform::Transform>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.store.release_owner(self.owner);
    }
}

/// Code to run.
#[derive(Clone, Debug, Default)]
pub struct Code {
    text: String,
    input: Option<Json>,
}

impl Code {
    /// The text as the model wrote it.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), input: None }
    }

    /// The argument of the function.
    #[must_use]
    pub fn with_input(self, input: Json) -> Self {
        Self { input: Some(input), ..self }
    }
}

impl<T: Into<String>> From<T> for Code {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

impl Runtime {
    /// Begins to build one.
    #[must_use]
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }

    /// Its name, which identifies the store only (IDENT-01).
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The bounds of its executions.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Runs code until it completes, pauses or fails. What the code does wrong is an outcome.
    ///
    /// Dropping the future does not stop the pass.
    ///
    /// # Errors
    /// When the host cannot do its work: a connector that cannot be described (nothing is stored then), a store that
    /// fails.
    pub async fn execute(&self, code: impl Into<Code>) -> Result<Outcome, Error> {
        self.start(code).await?.outcome().await
    }

    /// Begins to run code, and says at once which execution it is: for whoever wants to follow, cancel or name it while
    /// it runs. Its row becomes durable with its first barrier, a few milliseconds later at most. See [`Runtime::execute`].
    ///
    /// # Errors
    /// As there.
    pub async fn start(&self, code: impl Into<Code>) -> Result<Started, Error> {
        let Code { text, input } = code.into();
        let limit = self.0.limits.code_units;
        let units = utf16_len(&text);
        if units > u64::from(limit) {
            let error = Breach::Code { units, limit }.into_error();
            return Ok(Started::refused(error));
        }
        let catalogue = self.catalogue().await?;
        let now = self.0.clock.epoch_ms();
        let start = Start {
            id: self.0.ids.execution_id(now)?,
            code: text,
            input,
            namespaces: catalogue.namespaces(),
            executor: self.0.executor.digest().to_owned(),
            replay_version: REPLAY_VERSION,
            determinism: self.0.determinism,
            seed: self.0.ids.seed()?,
            created_at: now,
        };
        let execution = Execution::begin(start, self.0.owner);
        let prune = Write::Prune { keep: self.0.limits.executions };
        let begin = vec![Write::Begin(Box::new(execution.clone())), prune];
        let id = execution.id().clone();
        let entered = self.enter(&id);
        // Before anybody knows the id: whoever names it finds it. What is not kept of it fails the writes that follow.
        drop(self.0.store.append(&id, execution.token, begin, Barrier::Later));
        let task = self.spawn(entered, catalogue, execution, Vec::new());
        Ok(Started::running(id, task))
    }

    /// Runs the next pass, and further ones while approvals are stored already.
    async fn drive(
        &self,
        entered: Entered,
        catalogue: Arc<Catalogue>,
        execution: Execution,
        entries: Vec<Entry>,
    ) -> Result<Outcome, Error> {
        started::ended(self.spawn(entered, catalogue, execution, entries)).await
    }

    /// The same in a task of its own, which nobody has to wait for.
    fn spawn(
        &self,
        entered: Entered,
        catalogue: Arc<Catalogue>,
        execution: Execution,
        entries: Vec<Entry>,
    ) -> JoinHandle<Result<Outcome, Error>> {
        let transform = self.0.transform.clone();
        self.0.executor.runtime().spawn(async move {
            let ended = entered.runtime.passes(catalogue, execution, entries, entered.live.clone()).await;
            // At rest before the result is shaped: a slow transform holds nobody up.
            drop(entered);
            match (ended, transform) {
                (Ok(outcome), Some(transform)) => Ok(transform.shape(outcome).await),
                (ended, _) => ended,
            }
        })
    }

    async fn passes(
        &self,
        catalogue: Arc<Catalogue>,
        mut execution: Execution,
        mut entries: Vec<Entry>,
        live: Arc<Live>,
    ) -> Result<Outcome, Error> {
        let setting = self.setting(catalogue);
        loop {
            let normalized = match normalize(&execution.start.code) {
                Ok(normalized) => normalized,
                Err(error) => return self.refuse(&setting, &execution, error).await,
            };
            let seed = match execution.start.determinism {
                Determinism::Recorded => execution.start.seed,
                Determinism::Live => self.0.ids.seed()?,
            };
            let passed = pass::run(setting.clone(), execution, entries, normalized, seed, live.clone()).await?;
            if passed.finish.status == Status::Paused
                && let Some(next) = self.resume_if_decided(&passed.execution)?
            {
                (execution, entries) = next;
                continue;
            }
            return Ok(outcome(passed));
        }
    }

    /// Code that does not parse: recorded like any failure, without a pass in the sandbox.
    async fn refuse(
        &self,
        setting: &Arc<Setting>,
        execution: &Execution,
        error: NormalizeError,
    ) -> Result<Outcome, Error> {
        let error = error.into_error();
        let replay = Replay::new(Vec::new(), execution.pass, execution.start.created_at, 1);
        let at = self.0.clock.epoch_ms();
        let end = PassEnd { ended: Ended::Failed(error.clone()), timers_left: &[], logs: Vec::new(), at };
        let ended = finish(&replay, execution, end, &setting.catalogue.wishes(), &self.0.limits);
        self.0.store.append(execution.id(), execution.token, ended.writes, Barrier::Now).await?;
        pass::run_due_hooks(setting, execution.id()).await?;
        let id = execution.id().clone();
        Ok(Outcome::Failed { execution: Some(id), error, logs: Vec::new(), calls: Some(Vec::new()) })
    }

    fn setting(&self, catalogue: Arc<Catalogue>) -> Arc<Setting> {
        Arc::new(Setting {
            store: self.0.store.clone(),
            executor: self.0.executor.clone(),
            catalogue,
            clock: self.0.clock.clone(),
            limits: self.0.limits.clone(),
            late: self.0.late.clone(),
        })
    }

    /// What is configured, asked for once; a failure is not kept (WEAK-31).
    async fn catalogue(&self) -> Result<Arc<Catalogue>, Error> {
        let mut known = self.0.catalogue.lock().await;
        if let Some(catalogue) = &*known {
            return Ok(catalogue.clone());
        }
        let mut configured = Vec::with_capacity(self.0.connectors.len());
        for (name, connector) in &self.0.connectors {
            let failed = |message: String| Error::Describe { connector: name.clone(), message };
            let description = connector.describe().await.map_err(|f| failed(f.message))?;
            check_description(name, &description).map_err(|f| failed(f.message))?;
            configured.push(Configured::new(name.clone(), connector.clone(), description));
        }
        let catalogue = Arc::new(Catalogue::new(configured, self.0.validate));
        *known = Some(catalogue.clone());
        Ok(catalogue)
    }
}

fn outcome(passed: Passed) -> Outcome {
    let Passed { execution, finish, entries, result, logs } = passed;
    let calls: Vec<Entry> = entries.into_iter().filter(|e| e.seq.is_some()).collect();
    match finish.status {
        Status::Completed => Outcome::Completed { execution, result, logs, calls },
        Status::Paused => {
            let pending = calls.iter().filter_map(|e| PendingCall::of(&execution, e)).collect();
            Outcome::Paused { execution, pending, calls }
        }
        _ => Outcome::Failed {
            execution: Some(execution),
            error: finish.error.unwrap_or_else(|| CodeError::new(ErrorKind::Sandbox, "the execution failed")),
            logs,
            calls: Some(calls),
        },
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime").field("name", &self.0.name).finish_non_exhaustive()
    }
}
