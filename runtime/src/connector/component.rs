//! A connector that is a WASI component. Each call gets an instance of its own in a store of its own, on the guests'
//! threads; whatever the guest does in it ends with the call.

mod outbound;

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;
use wasmtime::Store;
use wasmtime::component::{HasSelf, Linker};

pub(crate) use outbound::Web;

use super::http::HttpGrant;
use super::{
    BoxFuture, Call, CallOutput, Connector, Description, Revert, Reverted, StateSession, Values, check_description,
    convert,
};
use crate::bindings::connector as bindings;
use crate::durable::execution::Status;
use crate::durable::failure::{EffectState, Failure, code};
use crate::durable::id::ExecutionId;
use crate::durable::journal::Reach;
use crate::host::{
    Ambient, Capability, DEFAULT_CONNECTOR_CPU_MS, DEFAULT_MEMORY_BYTES, Engine, HostState, Inspection, LoadError,
    Lost, MAX_HTTP_TRANSFER_BYTES, MAX_TIME_MS, MAX_TRANSFER_BYTES, Meter, Seat, check_initial_memory, trap,
};

/// Bounds for each instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComponentLimits {
    /// Limit `connector memory`: linear memory of one instance, in bytes. Default 128 MiB.
    pub memory_bytes: u64,
    /// Limit `connector cpu`: computing time of one call, in milliseconds. Default 30,000.
    pub cpu_ms: u64,
    /// Limit `connector time`: time of `describe` and of each hook, waiting included, in milliseconds. Default 30,000.
    /// Calls and reverts carry their own in the context.
    pub time_ms: u64,
}

impl Default for ComponentLimits {
    fn default() -> Self {
        Self { memory_bytes: DEFAULT_MEMORY_BYTES, cpu_ms: DEFAULT_CONNECTOR_CPU_MS, time_ms: 30_000 }
    }
}

/// How a component is used.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ComponentOptions {
    /// How errors and logs name it: the name under which it is configured.
    pub label: String,
    /// What it may read through `config`.
    pub config: BTreeMap<String, String>,
    /// Where it may go over http. `None`, the default: a component that imports `wasi:http` is refused.
    pub http: Option<HttpGrant>,
    /// Bounds for each instance.
    pub limits: ComponentLimits,
}

impl ComponentOptions {
    /// Options with defaults, under this name.
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }
}

/// A connector that is a WASI component. Cheap to clone.
#[derive(Clone)]
pub struct ComponentConnector {
    inner: Arc<Inner>,
    surroundings: Surroundings,
}

/// What each instance finds; clones of one connector may differ in it.
#[derive(Clone)]
struct Surroundings {
    limits: ComponentLimits,
    ambient: Ambient,
}

struct Inner {
    engine: Engine,
    label: Arc<str>,
    pre: bindings::ConnectorPre<HostState>,
    inspection: Inspection,
    config: Arc<BTreeMap<String, String>>,
    http: Option<Arc<HttpGrant>>,
    // Only success is kept: a failure is asked again (WEAK-31).
    description: OnceCell<Description>,
}

impl std::fmt::Debug for ComponentConnector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComponentConnector").field("label", &self.inner.label).finish_non_exhaustive()
    }
}

impl ComponentConnector {
    /// Compiles a component (or takes it from the cache) and checks that it is a connector that imports nothing it was
    /// not granted. Runs nothing of it. Blocks while it compiles.
    ///
    /// # Errors
    /// See [`LoadError`]; each names the label.
    pub fn load(engine: &Engine, bytes: &[u8], options: ComponentOptions) -> Result<Self, LoadError> {
        let label = options.label;
        let (component, inspection) = engine.load_component(bytes, &label)?;
        let granted: &[Capability] = if options.http.is_some() { &[Capability::Http] } else { &[] };
        inspection.admit_connector(&label, granted)?;
        check_initial_memory(&inspection, &label, options.limits.memory_bytes)?;
        let invalid =
            |error: wasmtime::Error| LoadError::Invalid { label: label.clone(), reason: format!("{error:#}") };
        let mut linker = Linker::new(engine.wasm());
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).map_err(invalid)?;
        bindings::Connector::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut HostState| state)
            .map_err(invalid)?;
        if options.http.is_some() {
            wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker).map_err(invalid)?;
        }
        let pre = linker.instantiate_pre(&component).and_then(bindings::ConnectorPre::new).map_err(invalid)?;
        let inner = Inner {
            engine: engine.clone(),
            label: label.into(),
            pre,
            inspection,
            config: Arc::new(options.config),
            http: options.http.map(Arc::new),
            description: OnceCell::new(),
        };
        let surroundings = Surroundings { limits: options.limits, ambient: Ambient::Live };
        Ok(Self { inner: Arc::new(inner), surroundings })
    }

    /// The same connector with other bounds for its instances: for whoever checks connectors.
    #[must_use]
    pub fn with_limits(&self, limits: ComponentLimits) -> Self {
        Self { surroundings: Surroundings { limits, ..self.surroundings.clone() }, ..self.clone() }
    }

    /// The same connector with time and chance of one's own: for whoever checks connectors.
    #[must_use]
    pub fn with_ambient(&self, ambient: Ambient) -> Self {
        Self { surroundings: Surroundings { ambient, ..self.surroundings.clone() }, ..self.clone() }
    }

    /// What the component offers and asks for.
    #[must_use]
    pub fn inspection(&self) -> &Inspection {
        &self.inner.inspection
    }

    /// Runs `work` with a fresh instance on the guests' threads, for at most `time_ms`.
    async fn instance<T, F, Fut>(
        &self,
        what: &str,
        session: Option<Arc<StateSession>>,
        time_ms: u64,
        work: F,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(Store<HostState>, bindings::Connector) -> Fut + Send + 'static,
        Fut: Future<Output = (Store<HostState>, wasmtime::Result<T>)> + Send + 'static,
    {
        let (inner, surroundings) = (Arc::clone(&self.inner), self.surroundings.clone());
        let call: Arc<str> = what.into();
        let path = format!("{}.{what}", inner.label);
        let (named, engine) = (path.clone(), inner.engine.clone());
        let guest = async move {
            let time = Duration::from_millis(time_ms.min(MAX_TIME_MS));
            let started = tokio::time::Instant::now();
            let seat = tokio::time::timeout(time, inner.engine.enter(Seat::Connector, &inner.inspection)).await;
            let Ok(seat) = seat else { return Err(Failure::new(code::TIMEOUT, queued(&path, time_ms))) };
            let Some(_seat) = seat else { return Err(stopped(&path)) };
            let left = time.saturating_sub(started.elapsed());
            let run = inner.run(&path, &call, &surroundings, session, work);
            // The timeout is around everything that holds the store: when it strikes, the store is dropped.
            tokio::time::timeout(left, run).await.unwrap_or_else(|_| Err(late(&path, time_ms)))
        };
        match engine.spawn(guest).await {
            Ok(result) => result,
            Err(Lost::Stopped) => Err(stopped(&named)),
            Err(Lost::Panicked(text)) => {
                tracing::error!(call = named, panic = text, "the host panicked while it served a connector");
                Err(Failure::new(code::INTERNAL, format!("the host broke while it served {named}: {text}"))
                    .with_effect(EffectState::Possible))
            }
        }
    }

    /// What the component says of itself, asked of a fresh instance and not checked: for whoever checks connectors.
    ///
    /// # Errors
    /// The component's own failure, or that it was stopped.
    pub async fn describe_unchecked(&self) -> Result<Description, Failure> {
        let given = self.descriptions_in_one_instance(1).await?;
        given.into_iter().next().unwrap_or_else(|| Ok(Description::default()))
    }

    /// What the component says of itself when one instance is asked several times, which a host never does: for whoever
    /// checks connectors.
    ///
    /// # Errors
    /// The instance was stopped.
    pub async fn descriptions_in_one_instance(&self, times: u32) -> Result<Vec<Result<Description, Failure>>, Failure> {
        let time_ms = self.surroundings.limits.time_ms;
        let given = self.instance("describe", None, time_ms, move |mut store, guest| async move {
            let mut given = Vec::new();
            for _ in 0..times {
                match guest.codemode_component_methods().call_describe(&mut store).await {
                    Ok(description) => given.push(description),
                    Err(error) => return (store, Err(error)),
                }
            }
            (store, Ok(given))
        });
        let given = given.await.map_err(|f| f.with_effect(EffectState::None))?;
        Ok(given
            .into_iter()
            .map(|d| d.map(convert::description).map_err(|e| convert::failure(e, Values::Plain)))
            .collect())
    }

    /// Performs calls one after another in a single instance, which a host never does: for whoever checks that a
    /// connector keeps nothing in memory. The calls that follow one that was stopped are not made.
    pub async fn calls_in_one_instance(&self, calls: Vec<Call>) -> Vec<CallOutput> {
        let time_ms = self.surroundings.limits.time_ms;
        let Ok(values) = self.values().await else { return Vec::new() };
        let what = calls.first().map_or_else(String::new, |call| call.method.clone());
        let given = self.instance(&what, None, time_ms, move |mut store, guest| async move {
            let mut given = Vec::with_capacity(calls.len());
            for Call { context, method, args, state } in calls {
                store.data_mut().session = Some(state);
                let (context, methods) = (convert::context(&context), guest.codemode_component_methods());
                match methods.call_call(&mut store, &context, &method, args.as_ref()).await {
                    Ok(output) => given.push(output.map_err(|e| convert::failure(e, values))),
                    Err(error) => return (store, Err(error)),
                }
            }
            (store, Ok(given))
        });
        given.await.unwrap_or_else(|failure| vec![Err(failure)])
    }

    async fn values(&self) -> Result<Values, Failure> {
        Ok(self.described().await?.values)
    }

    async fn described(&self) -> Result<&Description, Failure> {
        self.inner
            .description
            .get_or_try_init(|| async {
                let description = self.describe_unchecked().await?;
                check_description(&self.inner.label, &description)?;
                self.inner.tell_missing(&description);
                Ok(description)
            })
            .await
    }
}

impl Inner {
    /// What it declares is a wish; the operator may want to know which one is not granted.
    fn tell_missing(&self, description: &Description) {
        let declared = &description.origins;
        let missing =
            self.http.as_ref().map_or_else(|| declared.iter().map(String::as_str).collect(), |h| h.missing(declared));
        if !missing.is_empty() {
            let origins = missing.join(", ");
            tracing::info!(connector = &*self.label, origins, "the connector wants to reach what is not granted");
        }
    }

    async fn run<T, F, Fut>(
        &self,
        path: &str,
        call: &Arc<str>,
        surroundings: &Surroundings,
        session: Option<Arc<StateSession>>,
        work: F,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(Store<HostState>, bindings::Connector) -> Fut + Send + 'static,
        Fut: Future<Output = (Store<HostState>, wasmtime::Result<T>)> + Send + 'static,
    {
        let limits = surroundings.limits;
        let meter = Meter::new("connector memory", limits.memory_bytes);
        let web = Web::new(self.http.clone(), &self.label, call);
        let data =
            HostState::new(meter, session, Arc::clone(&self.config), (&self.label, call), &surroundings.ambient, web);
        let mut store = Store::new(self.engine.wasm(), data);
        store.limiter(|data| &mut data.meter);
        store.set_hostcall_fuel(if self.http.is_some() { MAX_HTTP_TRANSFER_BYTES } else { MAX_TRANSFER_BYTES });
        let cpu = self.engine.cpu_meter("connector cpu", limits.cpu_ms);
        cpu.watch(&mut store);
        let guest = async move {
            match self.pre.instantiate_async(&mut store).await {
                Ok(guest) => {
                    store.data_mut().started = true;
                    let (store, done) = work(store, guest).await;
                    done.map_err(|error| (EffectState::Possible, trap::reason(&error, &store.data().meter)))
                }
                Err(error) => Err((EffectState::None, trap::reason(&error, &store.data().meter))),
            }
        };
        cpu.run(guest).await.map_err(|(effect, reason)| {
            let verb = if effect == EffectState::None { "could not be started" } else { "was stopped" };
            Failure::new(code::INTERNAL, format!("{path} {verb}: {reason}")).with_effect(effect)
        })
    }
}

fn late(path: &str, time_ms: u64) -> Failure {
    Failure::new(code::TIMEOUT, format!("{path} gave no answer within {time_ms} ms")).with_effect(EffectState::Possible)
}

fn queued(path: &str, time_ms: u64) -> String {
    format!("{path} was not started within {time_ms} ms: all instances are busy (limit `max_guests`)")
}

fn stopped(path: &str) -> Failure {
    Failure::new(code::UNAVAILABLE, format!("{path}: the host is shutting down")).with_effect(EffectState::Possible)
}

impl Connector for ComponentConnector {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        Box::pin(async { self.described().await.cloned() })
    }

    fn reach(&self) -> Reach {
        let granted = self.inner.http.as_ref().is_some_and(|http| !http.origins.is_empty());
        if granted && self.inner.inspection.sends_http() { Reach::Outside } else { Reach::StateOnly }
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        Box::pin(async move {
            let values = self.values().await?;
            let Call { context, method, args, state } = call;
            let what = method.clone();
            let time_ms = context.remaining_ms;
            let given = self
                .instance(&what, Some(state), time_ms, move |mut store, guest| async move {
                    let context = convert::context(&context);
                    let given = guest
                        .codemode_component_methods()
                        .call_call(&mut store, &context, &method, args.as_ref())
                        .await;
                    (store, given)
                })
                .await?;
            given.map_err(|e| convert::failure(e, values))
        })
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        Box::pin(async move {
            let values = self.values().await?;
            let Revert { context, call_key, method, args, outcome, state } = revert;
            let recorded = convert::recorded(outcome, values)?;
            let what = format!("{method} (revert)");
            let time_ms = context.remaining_ms;
            let given = self
                .instance(&what, Some(state), time_ms, move |mut store, guest| async move {
                    let context = convert::context(&context);
                    let methods = guest.codemode_component_methods();
                    let given =
                        methods.call_revert(&mut store, &context, &call_key, &method, args.as_ref(), &recorded).await;
                    (store, given)
                })
                .await?;
            given.map(convert::reverted).map_err(|e| convert::failure(e, values))
        })
    }

    fn pass_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        pass: u32,
        status: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        let id = execution.as_str().to_owned();
        Box::pin(async move {
            let Some(status) = convert::pass_status(status) else { return Ok(()) };
            self.instance(
                "pass-ended",
                Some(state),
                self.surroundings.limits.time_ms,
                move |mut store, guest| async move {
                    let done = guest.codemode_component_methods().call_pass_ended(&mut store, &id, pass, status).await;
                    (store, done)
                },
            )
            .await
        })
    }

    fn execution_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        status: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        let id = execution.as_str().to_owned();
        Box::pin(async move {
            let Some(status) = convert::end_status(status) else { return Ok(()) };
            self.instance(
                "execution-ended",
                Some(state),
                self.surroundings.limits.time_ms,
                move |mut store, guest| async move {
                    let done = guest.codemode_component_methods().call_execution_ended(&mut store, &id, status).await;
                    (store, done)
                },
            )
            .await
        })
    }
}
