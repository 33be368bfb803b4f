//! Shorthands: engines, connectors, calls.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use codemode_runtime::connector::component::{ComponentConnector, ComponentLimits, ComponentOptions};
use codemode_runtime::connector::{Call, CallContext, CallOutput, Connector, StateAccess, StateSession};
use codemode_runtime::durable::id::{ExecutionId, Seq};
use codemode_runtime::host::{Engine, EngineOptions};
use codemode_runtime::store::Store;
use codemode_runtime::store::memory::MemoryStore;

pub(crate) const NOTES: &str = env!("CODEMODE_NOTES_WASM");
pub(crate) const TESTKIT: &str = env!("CODEMODE_TESTKIT_WASM");

pub(crate) fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

/// One engine for all tests of the process.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let mut options = EngineOptions::default();
        // Each test loads its connector anew; compiling it each time would take most of the time.
        options.cache_dir = Some(env!("CODEMODE_TEST_CACHE").into());
        Engine::new(options).unwrap()
    })
}

pub(crate) fn options(label: &str, config: &[(&str, &str)]) -> ComponentOptions {
    let mut options = ComponentOptions::new(label);
    options.config = config.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<BTreeMap<_, _>>();
    options
}

/// The testkit with one of its fixtures.
pub(crate) fn testkit(fixture: &str) -> ComponentConnector {
    testkit_with(fixture, ComponentLimits::default())
}

pub(crate) fn testkit_with(fixture: &str, limits: ComponentLimits) -> ComponentConnector {
    let mut options = options("kit", &[("fixture", fixture)]);
    options.limits = limits;
    ComponentConnector::load(engine(), &bytes(TESTKIT), options).unwrap()
}

/// The misc fixture under other limits.
pub(crate) fn limited(change: impl FnOnce(&mut ComponentLimits)) -> ComponentConnector {
    let mut limits = ComponentLimits::default();
    change(&mut limits);
    testkit_with("misc", limits)
}

pub(crate) fn execution() -> ExecutionId {
    ExecutionId::from_text("exec_1")
}

pub(crate) fn context(seq: u32, remaining_ms: u64) -> CallContext {
    CallContext {
        execution: execution(),
        seq: Seq(seq),
        pass: 2,
        idempotency_key: format!("exec_1:{seq}"),
        attempt: 3,
        remaining_ms,
    }
}

pub(crate) fn store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

pub(crate) fn session(store: &Arc<dyn Store>, access: StateAccess) -> Arc<StateSession> {
    StateSession::new(Arc::clone(store), "kit", &execution(), access)
}

/// A call with a state of its own.
pub(crate) fn a_call(method: &str, args: Option<&str>, remaining_ms: u64) -> Call {
    let state = session(&store(), StateAccess::ReadWrite);
    Call { context: context(7, remaining_ms), method: method.to_owned(), args: args.map(str::to_owned), state }
}

pub(crate) async fn call(connector: &dyn Connector, method: &str, args: Option<&str>) -> CallOutput {
    connector.call(a_call(method, args, 20_000)).await
}

pub(crate) async fn call_in(
    connector: &dyn Connector,
    state: &Arc<StateSession>,
    seq: u32,
    method: &str,
    args: Option<&str>,
) -> CallOutput {
    let (context, args, state) = (context(seq, 20_000), args.map(str::to_owned), Arc::clone(state));
    connector.call(Call { context, method: method.to_owned(), args, state }).await
}
