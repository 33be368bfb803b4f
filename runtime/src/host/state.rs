//! What the store of one connector instance holds. Nothing but http is ever granted: no folders, no addresses, no
//! environment, no arguments, no input. What it prints goes, bounded, to tracing.

use std::collections::BTreeMap;
use std::sync::Arc;

use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtxView, WasiHttpView};

use super::ambient::Ambient;
use super::limits::{MAX_HANDLES, MAX_HTTP_HANDLES, MAX_OUTPUT_BYTES, MAX_RANDOM_BYTES, Meter};
use super::output::Output;
use crate::connector::StateSession;
use crate::connector::component::Web;

/// The data of a connector's store.
pub(crate) struct HostState {
    /// First, because it has to go before what the guest holds.
    web: Web,
    wasi: WasiCtx,
    table: ResourceTable,
    /// Whether the instance has started. Nothing is sent before: a start that fails has done nothing.
    pub(crate) started: bool,
    /// What the instance takes.
    pub(crate) meter: Meter,
    /// The call's view of the connector's state; `None` while it describes itself.
    pub(crate) session: Option<Arc<StateSession>>,
    /// What the operator granted.
    pub(crate) config: Arc<BTreeMap<String, String>>,
    _printed: [Logged; 2],
}

impl HostState {
    /// The data for one instance. The names of connector and call go into the log with what the guest prints.
    pub(crate) fn new(
        meter: Meter,
        session: Option<Arc<StateSession>>,
        config: Arc<BTreeMap<String, String>>,
        (connector, call): (&Arc<str>, &Arc<str>),
        ambient: &Ambient,
        web: Web,
    ) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(if web.is_granted() { MAX_HTTP_HANDLES } else { MAX_HANDLES });
        let printed = ["stdout", "stderr"].map(|stream| Logged::new(connector, call, stream));
        let mut wasi = nothing_granted(&printed[0].output, &printed[1].output);
        ambient.provide(&mut wasi);
        let wasi = wasi.build();
        Self { web, wasi, table, started: false, meter, session, config, _printed: printed }
    }
}

/// WASI for a guest that may print, and reach nothing.
pub(crate) fn nothing_granted(stdout: &Output, stderr: &Output) -> WasiCtxBuilder {
    let mut wasi = WasiCtxBuilder::new();
    wasi.stdout(stdout.clone())
        .stderr(stderr.clone())
        .max_random_size(MAX_RANDOM_BYTES)
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false);
    wasi
}

impl WasiView for HostState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for HostState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        self.web.hooks.calling = self.started && self.session.is_some();
        WasiHttpCtxView { hooks: &mut self.web.hooks, table: &mut self.table, ctx: &mut self.web.ctx }
    }
}

/// What a guest prints on one stream. It is logged when the instance goes, in whichever way it goes.
struct Logged {
    connector: Arc<str>,
    call: Arc<str>,
    stream: &'static str,
    output: Output,
}

impl Logged {
    fn new(connector: &Arc<str>, call: &Arc<str>, stream: &'static str) -> Self {
        let (connector, call) = (Arc::clone(connector), Arc::clone(call));
        Self { connector, call, stream, output: Output::new(MAX_OUTPUT_BYTES) }
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        let (text, dropped) = self.output.printed();
        if text.is_empty() {
            return;
        }
        let (connector, call, stream) = (&*self.connector, &*self.call, self.stream);
        tracing::info!(connector, call, stream, dropped_bytes = dropped, "{}", text.trim_end());
    }
}
