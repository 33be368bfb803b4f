//! The executor that is a component of the `executor` world: a fresh instance from a snapshot for each pass, in a store
//! of its own. It gets `dispatch` and nothing else.

use std::sync::Arc;

use wasmtime::Store;
use wasmtime::component::{HasSelf, Linker};

use super::{Completion, Dispatch, Executor, Level, PassOver, Ran, RawFailure, Refusal, Request, StepOutcome, Thrown};
use crate::bindings::executor as bindings;
use crate::bindings::executor::codemode::component::dispatch as wire;
use crate::bindings::executor::codemode::component::types::{CallError, EffectState as WireEffect};
use crate::bindings::executor::exports::codemode::component::sandbox;
use crate::connector::BoxFuture;
use crate::durable::digest;
use crate::durable::execution::Determinism;
use crate::durable::failure::{EffectState, Failure};
use crate::durable::id::Op;
use crate::durable::journal::Rerun;
use crate::durable::replay::{Settled, StepRun};
use crate::host::{CpuBreach, Engine, Inspection, LoadError, Meter, Seat, Stopped, trap};

/// Runs code in a component. Cheap to clone.
#[derive(Clone)]
pub struct ComponentExecutor(Arc<Inner>);

struct Inner {
    engine: Engine,
    pre: bindings::ExecutorPre<Guest>,
    inspection: Inspection,
    digest: String,
}

/// What a sandbox's store holds.
struct Guest {
    dispatch: Box<dyn Dispatch>,
    meter: Meter,
}

/// The JavaScript executor that ships with the library.
static BUNDLED: &[u8] = include_bytes!(env!("CODEMODE_SANDBOX_WASM_PATH"));

impl ComponentExecutor {
    /// The JavaScript executor that ships with the library.
    ///
    /// # Errors
    /// When it does not compile on this machine.
    pub fn bundled(engine: &Engine) -> Result<Self, LoadError> {
        Self::load(engine, BUNDLED, "the bundled sandbox")
    }

    /// An executor component. Compiles it, or takes it from the cache. Blocks while it compiles.
    ///
    /// # Errors
    /// See [`LoadError`]; it may import nothing but `dispatch`.
    pub fn load(engine: &Engine, bytes: &[u8], label: &str) -> Result<Self, LoadError> {
        let (component, inspection) = engine.load_component(bytes, label)?;
        inspection.admit_executor(label)?;
        let invalid =
            |error: wasmtime::Error| LoadError::Invalid { label: label.to_owned(), reason: format!("{error:#}") };
        let mut linker = Linker::new(engine.wasm());
        bindings::Executor::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest: &mut Guest| guest).map_err(invalid)?;
        let pre = linker.instantiate_pre(&component).and_then(bindings::ExecutorPre::new).map_err(invalid)?;
        let digest = format!("sha256:{}", digest::of_bytes(bytes));
        Ok(Self(Arc::new(Inner { engine: engine.clone(), pre, inspection, digest })))
    }

    async fn run_once(&self, request: Request, dispatch: Box<dyn Dispatch>) -> (Ran, Box<dyn Dispatch>) {
        let inner = &self.0;
        let Some(_seat) = inner.engine.enter(Seat::Sandbox, &inner.inspection).await else {
            return (Ran::Broke("the host is shutting down".to_owned()), dispatch);
        };
        let limits = request.limits.clone();
        let guest = Guest { dispatch, meter: Meter::new("guest memory", limits.memory_bytes) };
        let mut store = Store::new(inner.engine.wasm(), guest);
        store.limiter(|guest| &mut guest.meter);
        store.set_hostcall_fuel(crate::host::MAX_TRANSFER_BYTES);
        let cpu = inner.engine.cpu_meter("guest CPU", limits.cpu_ms);
        cpu.watch_until(&mut store, |guest| guest.dispatch.is_over());
        let pre = &inner.pre;
        let (ran, store) = cpu
            .run(async move {
                let ran = match pre.instantiate_async(&mut store).await {
                    Ok(instance) => {
                        let request = to_wire(request);
                        instance.codemode_component_sandbox().call_run(&mut store, &request).await
                    }
                    Err(error) => Err(error),
                };
                (ran, store)
            })
            .await;
        let guest = store.into_data();
        (ran_of(ran, &guest.meter), guest.dispatch)
    }
}

impl Executor for ComponentExecutor {
    fn digest(&self) -> &str {
        &self.0.digest
    }

    fn runtime(&self) -> tokio::runtime::Handle {
        self.0.engine.guests()
    }

    fn run(&self, request: Request, dispatch: Box<dyn Dispatch>) -> BoxFuture<'_, (Ran, Box<dyn Dispatch>)> {
        Box::pin(self.run_once(request, dispatch))
    }
}

type Returned = wasmtime::Result<Result<Option<String>, sandbox::CodeError>>;

fn ran_of(ran: Returned, meter: &Meter) -> Ran {
    match ran {
        Ok(Ok(value)) => Ran::Returned(value),
        // The engine tells the code of a refused growth by an exception, which it may catch; this one ended it.
        Ok(Err(error)) if meter.breach().is_some() && error.message.contains("out of memory") => Ran::MemoryLimit,
        Ok(Err(error)) => Ran::Threw(Thrown {
            name: error.name,
            message: error.message,
            line: error.line,
            column: error.column,
            stack: error.stack,
            value: error.value,
        }),
        Err(error) if error.downcast_ref::<Stopped>().is_some() => Ran::Over,
        Err(error) if error.downcast_ref::<CpuBreach>().is_some() => Ran::CpuLimit,
        Err(_) if meter.breach().is_some() => Ran::MemoryLimit,
        Err(error) => Ran::Broke(trap::reason(&error, meter)),
    }
}

fn to_wire(request: Request) -> sandbox::Request {
    let namespace = |n: crate::durable::execution::Namespace| sandbox::Namespace { name: n.name, methods: n.methods };
    let limits = request.limits;
    sandbox::Request {
        code: request.code,
        input: request.input,
        namespaces: request.namespaces.into_iter().map(namespace).collect(),
        clock: match request.determinism {
            Determinism::Recorded => sandbox::Clock::Recorded(request.clock_ms),
            Determinism::Live => sandbox::Clock::Live,
        },
        seed: request.seed.to_vec(),
        limits: sandbox::Limits {
            value: limits.value_units,
            outcome: limits.outcome_units,
            depth: limits.depth,
            line: limits.log_line_units,
        },
        extras: Vec::new(),
    }
}

fn over(_: PassOver) -> wasmtime::Error {
    wasmtime::Error::new(Stopped)
}

fn answer(op: Result<Op, PassOver>) -> wasmtime::Result<u32> {
    op.map(|op| op.0).map_err(over)
}

impl crate::bindings::executor::codemode::component::types::Host for Guest {}

impl wire::Host for Guest {
    fn submit(&mut self, connector: String, method: String, args: Option<String>) -> wasmtime::Result<u32> {
        answer(self.dispatch.submit(connector, method, args))
    }

    fn fetch(&mut self, request: String) -> wasmtime::Result<u32> {
        answer(self.dispatch.fetch(request))
    }

    fn sleep(&mut self, ms: u64) -> wasmtime::Result<u32> {
        answer(self.dispatch.sleep(ms))
    }

    fn cancel(&mut self, op: u32) -> wasmtime::Result<()> {
        self.dispatch.cancel(Op(op));
        Ok(())
    }

    fn search(&mut self, query: String) -> wasmtime::Result<u32> {
        answer(self.dispatch.search(query))
    }

    fn describe(&mut self, target: String) -> wasmtime::Result<u32> {
        answer(self.dispatch.describe(target))
    }

    fn snippet(&mut self, name: String, input: Option<String>) -> wasmtime::Result<u32> {
        answer(self.dispatch.snippet(name, input))
    }

    fn step_enter(&mut self, name: String) -> wasmtime::Result<wire::Step> {
        let (op, run) = self.dispatch.step_enter(name).map_err(over)?;
        Ok(wire::Step { op: op.0, run: run == StepRun::Run })
    }

    fn step_exit(&mut self, op: u32, outcome: Result<Option<String>, CallError>, again: bool) -> wasmtime::Result<()> {
        let raw = |e: CallError| RawFailure {
            name: e.extras.iter().find(|(key, _)| key == "name").and_then(|(_, name)| serde_json::from_str(name).ok()),
            code: e.code,
            message: e.message,
            details: e.details,
        };
        let rerun = if again { Rerun::Yes } else { Rerun::No };
        self.dispatch.step_exit(Op(op), StepOutcome { result: outcome.map_err(raw), rerun }).map_err(over)
    }

    async fn next(&mut self, settled: bool) -> wasmtime::Result<Option<wire::Completion>> {
        let settled = if settled { Settled::Yes } else { Settled::No };
        let next = self.dispatch.next(settled).await.map_err(over)?;
        Ok(next.map(|Completion { op, answer, now }| wire::Completion {
            op: op.0,
            outcome: answer.map(|v| v.map(|v| v.as_str().to_owned())).map_err(call_error),
            now,
        }))
    }

    fn log(&mut self, level: wire::Level, line: String) -> wasmtime::Result<()> {
        let level = match level {
            wire::Level::Log => Level::Log,
            wire::Level::Info => Level::Info,
            wire::Level::Warn => Level::Warn,
            wire::Level::Error => Level::Error,
            wire::Level::Debug => Level::Debug,
        };
        self.dispatch.log(level, line);
        Ok(())
    }

    fn refuse(&mut self, subject: String, breach: wire::Breach) -> wasmtime::Result<()> {
        let refusal = match breach {
            wire::Breach::TooLarge => Refusal::TooLarge,
            wire::Breach::TooDeep => Refusal::TooDeep,
            wire::Breach::Cyclic(path) => Refusal::Cyclic(path),
            wire::Breach::Unsupported((path, kind)) => Refusal::Unsupported(path, kind),
        };
        Err(over(self.dispatch.refuse(subject, refusal)))
    }

    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(self.dispatch.now())
    }
}

fn call_error(failure: Failure) -> CallError {
    CallError {
        code: failure.code,
        message: failure.message,
        details: failure.details.map(|d| d.as_str().to_owned()),
        effect: match failure.effect {
            EffectState::None => WireEffect::None,
            EffectState::Possible => WireEffect::Possible,
            EffectState::Happened => WireEffect::Happened,
        },
        retry_after_ms: failure.retry_after_ms,
        extras: failure
            .name
            .and_then(|name| serde_json::to_string(&name).ok())
            .map(|name| ("name".to_owned(), name))
            .into_iter()
            .collect(),
    }
}
