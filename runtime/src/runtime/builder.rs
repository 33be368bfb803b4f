//! Builds a runtime, and refuses early what cannot work.

use std::future::Future;
use std::sync::Arc;

use super::transform::{Transform, Transformed};
use super::{Inner, Runtime};
use crate::clock::{Clock, Ids, SystemClock};
use crate::connector::Connector;
use crate::durable::execution::Determinism;
use crate::durable::id::{check_connector_names, check_runtime_name};
use crate::durable::limits::Limits;
use crate::durable::value::Json;
use crate::error::Error;
use crate::executor::Executor;
use crate::schema::Validate;
use crate::store::Store;

/// Collects what a runtime is made of. Defaults: name `default`, no connectors, [`Limits::default`],
/// [`Determinism::Recorded`], the system's clock. A store and an executor must be given.
#[derive(Default)]
pub struct RuntimeBuilder {
    name: Option<String>,
    store: Option<Arc<dyn Store>>,
    executor: Option<Arc<dyn Executor>>,
    connectors: Vec<(String, Arc<dyn Connector>)>,
    limits: Limits,
    determinism: Determinism,
    validate: Validate,
    clock: Option<Arc<dyn Clock>>,
    transform: Option<Arc<Transform>>,
}

impl RuntimeBuilder {
    /// The runtime's name, which identifies its store (IDENT-01).
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Where journals are kept.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// What runs the code.
    #[must_use]
    pub fn executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.executor = Some(executor);
        self
    }

    /// Adds a connector under the global `name`. The order is kept.
    #[must_use]
    pub fn connector(mut self, name: impl Into<String>, connector: Arc<dyn Connector>) -> Self {
        self.connectors.push((name.into(), connector));
        self
    }

    /// The bounds of executions.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where time and randomness of the code come from.
    #[must_use]
    pub fn determinism(mut self, determinism: Determinism) -> Self {
        self.determinism = determinism;
        self
    }

    /// What is checked against the schemas of methods; the arguments by default. A schema that cannot be compiled checks
    /// nothing, and costs a warning.
    #[must_use]
    pub fn validate(mut self, validate: Validate) -> Self {
        self.validate = validate;
        self
    }

    /// Another clock, for tests.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Shapes the results of completed outcomes, after the first pass as after a resumed one; the record keeps the raw
    /// result (TRANSFORM-01). One that fails or panics gives the raw result and a warning. It is given the result as
    /// tagged JSON, `None` for `undefined`, and has no time limit of its own.
    #[must_use]
    pub fn transform<F, Fut>(mut self, shape: F) -> Self
    where
        F: Fn(Option<Json>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Transformed> + Send + 'static,
    {
        self.transform = Some(Arc::new(Transform::new(shape)));
        self
    }

    /// The runtime.
    ///
    /// # Errors
    /// [`Error::Name`] for the first name that is refused (IDENT-02, IDENT-05), [`Error::Incomplete`] without a store
    /// or an executor (IDENT-06), [`Error::Store`] when the store does not take an owner.
    pub fn build(self) -> Result<Runtime, Error> {
        let name = self.name.unwrap_or_else(|| "default".to_owned());
        check_runtime_name(&name)?;
        check_connector_names(self.connectors.iter().map(|(n, _)| n.as_str()))?;
        let store = self.store.ok_or(Error::Incomplete {
            what: "a store",
            how: "give one to `RuntimeBuilder::store`, such as `SqliteStore::open(path, options)`",
        })?;
        let executor = self.executor.ok_or(Error::Incomplete {
            what: "an executor",
            how: "give one to `RuntimeBuilder::executor`, such as `ComponentExecutor::bundled(&engine)`",
        })?;
        let owner = store.claim_owner()?;
        Ok(Runtime(Arc::new(Inner {
            name,
            store,
            executor,
            connectors: self.connectors,
            limits: self.limits,
            determinism: self.determinism,
            validate: self.validate,
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock::default())),
            ids: Ids::default(),
            owner,
            catalogue: tokio::sync::Mutex::new(None),
            lives: super::Lives::default(),
            late: Arc::default(),
            transform: self.transform,
        })))
    }
}
