//! What the store of one connector instance holds. Nothing is granted: no folders, no addresses, no environment, no
//! arguments, no input. What it prints goes, bounded, to tracing.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::limits::{MAX_HANDLES, MAX_OUTPUT_BYTES, MAX_RANDOM_BYTES, Meter};
use crate::connector::StateSession;

/// The data of a connector's store.
pub(crate) struct HostState {
    wasi: WasiCtx,
    table: ResourceTable,
    /// What the instance takes.
    pub(crate) meter: Meter,
    /// The call's view of the connector's state; `None` while it describes itself.
    pub(crate) session: Option<Arc<StateSession>>,
    /// What the operator granted.
    pub(crate) config: Arc<BTreeMap<String, String>>,
}

impl HostState {
    /// The data for one instance. `connector` and `call` go into the log with what the guest prints.
    pub(crate) fn new(
        meter: Meter,
        session: Option<Arc<StateSession>>,
        config: Arc<BTreeMap<String, String>>,
        connector: &Arc<str>,
        call: &Arc<str>,
    ) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_HANDLES);
        let wasi = WasiCtxBuilder::new()
            .stdout(GuestOutput::new(connector, call, "stdout"))
            .stderr(GuestOutput::new(connector, call, "stderr"))
            .max_random_size(MAX_RANDOM_BYTES)
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .build();
        Self { wasi, table, meter, session, config }
    }
}

impl WasiView for HostState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// One output stream of a guest. The text is logged when the instance goes, in whichever way it goes.
#[derive(Clone)]
struct GuestOutput(Arc<Captured>);

struct Captured {
    connector: Arc<str>,
    call: Arc<str>,
    stream: &'static str,
    text: Mutex<Text>,
}

#[derive(Default)]
struct Text {
    kept: Vec<u8>,
    dropped: u64,
}

impl GuestOutput {
    /// An empty stream.
    fn new(connector: &Arc<str>, call: &Arc<str>, stream: &'static str) -> Self {
        let (connector, call) = (Arc::clone(connector), Arc::clone(call));
        Self(Arc::new(Captured { connector, call, stream, text: Mutex::default() }))
    }

    fn take_in(&self, bytes: &[u8]) {
        let mut text = self.0.text.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_OUTPUT_BYTES.saturating_sub(text.kept.len()).min(bytes.len());
        text.kept.extend_from_slice(&bytes[..room]);
        text.dropped = text.dropped.saturating_add((bytes.len() - room) as u64);
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        let text = self.text.get_mut().unwrap_or_else(PoisonError::into_inner);
        if text.kept.is_empty() {
            return;
        }
        let (connector, call, stream, dropped) = (&*self.connector, &*self.call, self.stream, text.dropped);
        let text = String::from_utf8_lossy(&text.kept);
        tracing::info!(connector, call, stream, dropped_bytes = dropped, "{}", text.trim_end());
    }
}

impl IsTerminal for GuestOutput {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for GuestOutput {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for GuestOutput {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        // Always taken in full: a guest must not fail because it talks too much.
        self.take_in(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_beyond_the_limit_is_counted_and_not_kept() {
        let output = GuestOutput::new(&"k".into(), &"m".into(), "stdout");
        for _ in 0..20 {
            output.take_in(&[b'x'; 8_192]);
        }
        let text = output.0.text.lock().unwrap();
        assert_eq!(text.kept.len(), MAX_OUTPUT_BYTES);
        assert_eq!(text.dropped, 20 * 8_192 - MAX_OUTPUT_BYTES as u64);
    }
}
