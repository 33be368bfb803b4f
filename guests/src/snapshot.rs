//! From the core module of the executor to a component whose engine is already initialised: run its init function
//! once, write the memory back into the module, wrap the module as a component.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wasmtime::{Config, Engine, Instance, Linker, Module, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};
use wit_component::ComponentEncoder;

/// Makes the component of a core module that carries its component type, with its engine initialised.
pub(crate) fn component(module: &[u8]) -> Result<Vec<u8>, String> {
    wrapped(&initialised(module).map_err(|error| format!("cannot initialise the executor: {error:?}"))?)
}

/// Makes the component of a core module as it is.
pub(crate) fn wrapped(module: &[u8]) -> Result<Vec<u8>, String> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|encoder| encoder.encode())
        .map_err(|error| format!("cannot make a component of the executor: {error:?}"))
}

fn initialised(module: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    wizer.keep_init_func(true);
    let (context, instrumented) = wizer.instrument(module)?;

    let mut config = Config::new();
    config.max_wasm_stack(2 << 20);
    let engine = Engine::new(&config)?;
    let compiled = Module::new(&engine, instrumented)?;
    let mut store = Store::new(&engine, ());
    let mut linker = Linker::new(&engine);
    // Nothing may be asked while the engine is initialised: the answer would be frozen into every run.
    linker.define_unknown_imports_as_traps(&compiled)?;
    let instance = linker.instantiate(&mut store, &compiled)?;
    instance.get_typed_func::<(), ()>(&mut store, wizer.get_init_func())?.call(&mut store, ())?;
    ready(wizer.snapshot(&context, &mut Memory { store, instance }))
}

/// What the snapshot reads; nothing of it waits.
struct Memory {
    store: Store<()>,
    instance: Instance,
}

impl InstanceState for Memory {
    async fn global_get(&mut self, name: &str, _hint: ValType) -> SnapshotVal {
        match self.instance.get_global(&mut self.store, name).map(|global| global.get(&mut self.store)) {
            Some(Val::I32(value)) => SnapshotVal::I32(value),
            Some(Val::I64(value)) => SnapshotVal::I64(value),
            Some(Val::F32(value)) => SnapshotVal::F32(value),
            Some(Val::F64(value)) => SnapshotVal::F64(value),
            _ => panic!("the global {name} of the executor has no number"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        match self.instance.get_memory(&mut self.store, name) {
            Some(memory) => contents(memory.data(&self.store)),
            None => panic!("the executor has no memory {name}"),
        }
    }
}

/// Runs a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a snapshot has nothing to wait for"),
    }
}
