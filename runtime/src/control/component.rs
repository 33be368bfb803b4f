//! A component that drives a runtime: a command of the world `runtime`, such as a conformance test. It gets `control`, and
//! WASI with nothing granted: no folders, no addresses, no environment, no input; arguments as the caller gives them.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::Store;
use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime_wasi::p2::bindings::CommandPre;
use wasmtime_wasi::{I32Exit, WasiCtx, WasiCtxView, WasiView};

use super::{Control, ControlError};
use crate::bindings::runtime as bindings;
use crate::bindings::runtime::codemode::component::{control, types};
use crate::durable::approval::Pick;
use crate::durable::id::Seq;
use crate::host::{
    DEFAULT_MEMORY_BYTES, Engine, Inspection, LoadError, Lost, MAX_HANDLES, MAX_TIME_MS, MAX_TRANSFER_BYTES, Meter,
    Output, Seat, check_initial_memory, nothing_granted, trap,
};
use crate::runtime::{By, Runtime};

/// Arguments of a driver, all together, in bytes: limit `driver arguments`. 64 KiB.
pub const MAX_ARGUMENT_BYTES: usize = 64 << 10;

/// How a driver is run. Start from `DriveOptions::default()`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriveOptions {
    /// Its arguments, without the name of the program. None.
    pub arguments: Vec<String>,
    /// Limit `driver memory`: linear memory, in bytes. Default 128 MiB; what it has at the start is checked when it is
    /// loaded.
    pub memory_bytes: u64,
    /// Limit `driver cpu`: its own computing time, in milliseconds. Default 60,000. That of the executions is bounded by
    /// the runtime's limits.
    pub cpu_ms: u64,
    /// Limit `driver time`: its whole time, executions included, in milliseconds. Default 600,000; at most a day.
    pub time_ms: u64,
    /// Limit `driver output`: bytes that are kept of its standard output, and of its standard error; the rest is
    /// counted. Default 1 MiB.
    pub output_bytes: usize,
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            memory_bytes: DEFAULT_MEMORY_BYTES,
            cpu_ms: 60_000,
            time_ms: 600_000,
            output_bytes: 1 << 20,
        }
    }
}

/// What a driver printed on one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// What was kept.
    pub text: String,
    /// Bytes that were not kept.
    pub dropped_bytes: u64,
}

/// How a driver ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It says that all is well.
    Success,
    /// It says that something is not.
    Failure,
    /// It was stopped, or could not be started; the reason. Executions that it started go on or end by themselves.
    Stopped(String),
}

/// A run of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driven {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Printed,
    /// Its standard error.
    pub stderr: Printed,
}

/// A component of the world `runtime`. Cheap to clone.
#[derive(Clone)]
pub struct ComponentDriver {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine,
    pre: CommandPre<Guest>,
    inspection: Inspection,
    label: String,
}

impl std::fmt::Debug for ComponentDriver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComponentDriver").field("label", &self.inner.label).finish_non_exhaustive()
    }
}

impl ComponentDriver {
    /// Compiles a component, or takes it from the cache, and checks that it is a command that imports nothing but
    /// `control` and WASI base interfaces. Runs nothing of it. Blocks while it compiles.
    ///
    /// # Errors
    /// See [`LoadError`]; each names the label.
    pub fn load(engine: &Engine, bytes: &[u8], label: &str) -> Result<Self, LoadError> {
        let (component, inspection) = engine.load_component(bytes, label)?;
        inspection.admit_driver(label)?;
        check_initial_memory(&inspection, label, DEFAULT_MEMORY_BYTES)?;
        let invalid =
            |error: wasmtime::Error| LoadError::Invalid { label: label.to_owned(), reason: format!("{error:#}") };
        let mut linker = Linker::new(engine.wasm());
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).map_err(invalid)?;
        bindings::Runtime::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest: &mut Guest| guest).map_err(invalid)?;
        let pre = linker.instantiate_pre(&component).and_then(CommandPre::new).map_err(invalid)?;
        let inner = Inner { engine: engine.clone(), pre, inspection, label: label.to_owned() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Runs it once over that runtime, in a fresh instance. What goes wrong is told by [`Driven::end`]. Of one engine's
    /// drivers, four run at a time; more wait for their turn, within their time.
    pub async fn drive(&self, runtime: &Runtime, options: DriveOptions) -> Driven {
        let (stdout, stderr) = (Output::new(options.output_bytes), Output::new(options.output_bytes));
        let end = if options.arguments.iter().map(String::len).sum::<usize>() > MAX_ARGUMENT_BYTES {
            End::Stopped(format!("its arguments are over the limit `driver arguments` of {MAX_ARGUMENT_BYTES} bytes"))
        } else {
            let guest = Guest::new(runtime, &options, &self.inner.label, (&stdout, &stderr));
            self.run(guest, &options).await
        };
        Driven { end, stdout: printed(&stdout), stderr: printed(&stderr) }
    }

    async fn run(&self, guest: Guest, options: &DriveOptions) -> End {
        let inner = Arc::clone(&self.inner);
        let (cpu_ms, time_ms) = (options.cpu_ms, options.time_ms.min(MAX_TIME_MS));
        let late = End::Stopped(format!("it was over the limit `driver time` of {time_ms} ms"));
        let run = async move {
            let time = Duration::from_millis(time_ms);
            // The timeout is around everything that holds the store: when it strikes, the store is dropped.
            tokio::time::timeout(time, inner.run_once(guest, cpu_ms)).await.unwrap_or(late)
        };
        match self.inner.engine.spawn(run).await {
            Ok(end) => end,
            Err(Lost::Stopped) => End::Stopped("the host is shutting down".to_owned()),
            Err(Lost::Panicked(text)) => End::Stopped(format!("the host broke while it served it: {text}")),
        }
    }
}

impl Inner {
    async fn run_once(&self, guest: Guest, cpu_ms: u64) -> End {
        let Some(_seat) = self.engine.enter(Seat::Driver, &self.inspection).await else {
            return End::Stopped("the host is shutting down".to_owned());
        };
        let mut store = Store::new(self.engine.wasm(), guest);
        store.limiter(|guest| &mut guest.meter);
        store.set_hostcall_fuel(MAX_TRANSFER_BYTES);
        let cpu = self.engine.cpu_meter("driver cpu", cpu_ms);
        cpu.watch(&mut store);
        let ran = cpu.run(async move {
            let ran = match self.pre.instantiate_async(&mut store).await {
                Ok(command) => command.wasi_cli_run().call_run(&mut store).await,
                Err(error) => Err(error),
            };
            (ran, store)
        });
        let (ran, store) = ran.await;
        match ran {
            Ok(Ok(())) => End::Success,
            Ok(Err(())) => End::Failure,
            Err(error) => match error.downcast_ref::<I32Exit>() {
                Some(I32Exit(0)) => End::Success,
                Some(I32Exit(_)) => End::Failure,
                None => End::Stopped(trap::reason(&error, &store.data().meter)),
            },
        }
    }
}

fn printed(output: &Output) -> Printed {
    let (text, dropped_bytes) = output.printed();
    Printed { text, dropped_bytes }
}

/// What a driver's store holds.
struct Guest {
    wasi: WasiCtx,
    table: ResourceTable,
    meter: Meter,
    control: Control,
}

impl Guest {
    fn new(runtime: &Runtime, options: &DriveOptions, label: &str, (stdout, stderr): (&Output, &Output)) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_HANDLES);
        let wasi = nothing_granted(stdout, stderr).arg(label).args(&options.arguments).build();
        let meter = Meter::new("driver memory", options.memory_bytes);
        Self { wasi, table, meter, control: Control::new(runtime.clone()) }
    }
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

type Served<T> = wasmtime::Result<Result<T, control::ControlError>>;

impl types::Host for Guest {}

impl control::Host for Guest {
    async fn execute(&mut self, code: String, input: Option<String>) -> Served<String> {
        Ok(self.control.execute(&code, input.as_deref()).await.map_err(wire))
    }

    async fn approve(
        &mut self,
        execution: String,
        calls: Vec<control::Approval>,
        decision: control::Decision,
    ) -> Served<String> {
        let picks = calls.into_iter().map(|call| Pick { seq: Seq(call.seq), digest: call.digest }).collect();
        Ok(self.control.approve(&execution, picks, by(decision)).await.map_err(wire))
    }

    async fn reject(&mut self, execution: String, seq: u32, decision: control::Decision) -> Served<bool> {
        Ok(self.control.reject(&execution, seq, by(decision)).await.map_err(wire))
    }

    async fn pending(&mut self, execution: Option<String>) -> Served<String> {
        Ok(self.control.pending(execution.as_deref()).map_err(wire))
    }

    async fn rollback(&mut self, execution: String) -> Served<String> {
        Ok(self.control.rollback(&execution).await.map_err(wire))
    }
}

fn by(decision: control::Decision) -> By {
    By { actor: decision.actor, channel: decision.channel, reason: decision.reason }
}

fn wire(error: ControlError) -> control::ControlError {
    match error {
        ControlError::NotFound(said) => control::ControlError::NotFound(said),
        ControlError::Conflict(said) => control::ControlError::Conflict(said),
        ControlError::Invalid(said) => control::ControlError::Invalid(said),
        ControlError::Unavailable(said) => control::ControlError::Unavailable(said),
    }
}
