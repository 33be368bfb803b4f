//! The machine under all guests: compiled code, the pool of instances, the threads on which guests run. One per
//! process is enough; clones share it, and it ends with the last one.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::runtime::Runtime;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use wasmtime::component::Component;

use super::admission::{Admission, Seat, seats};
use super::cache::Cache;
use super::cpu::{CpuMeter, Ticker};
use super::inspect::Inspection;
use super::limits::{MAX_TABLE_ELEMENTS, mebibytes};
use super::load::{LoadError, classify};
use super::pool::{self, Allocation};

/// How an [`Engine`] is set up. Start from `EngineOptions::default()`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EngineOptions {
    /// Where compiled components are kept. Default `None`: each start compiles again (some tenths of a second for the
    /// JavaScript executor). The folder is made private to the user.
    pub cache_dir: Option<PathBuf>,
    /// Sandboxes at a time, and connector instances at a time; more wait for their turn. Default 200; at most 2,000;
    /// fewer where the address space is limited. One of each reserves 16 GiB of address space and no memory.
    pub max_guests: u32,
    /// Threads on which guests run. Default 0: twice the number of cores. At most 256.
    pub guest_threads: u32,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { cache_dir: None, max_guests: 200, guest_threads: 0 }
    }
}

/// Why an [`Engine`] cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// WebAssembly cannot run here.
    #[error("the WebAssembly engine cannot start: {0}")]
    Engine(String),
    /// The system gives no threads.
    #[error("the threads for guests cannot start: {0}")]
    Threads(#[from] std::io::Error),
}

/// What is in effect, after the machine had its say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effective {
    /// Sandboxes at a time, and connector instances at a time.
    pub max_guests: u32,
    /// Threads on which guests run.
    pub guest_threads: u32,
    /// Whether instances come from a pool.
    pub pooled: crate::connector::Flag,
}

/// The machine under all guests. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    wasm: wasmtime::Engine,
    cache: Option<Cache>,
    admission: Admission,
    ticker: Ticker,
    effective: Effective,
    // Taken on drop: a runtime must not be dropped where it would block.
    threads: Option<Runtime>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("effective", &self.inner.effective).finish_non_exhaustive()
    }
}

impl Engine {
    /// Starts the machine. What it cannot have as asked for is said through tracing, with the numbers in effect.
    ///
    /// # Errors
    /// See [`EngineError`].
    pub fn new(options: EngineOptions) -> Result<Self, EngineError> {
        let built = pool::build(options.max_guests).map_err(|e| EngineError::Engine(format!("{e:#}")))?;
        let ticker = Ticker::start(built.engine.clone())?;
        let guest_threads = guest_threads(options.guest_threads);
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(guest_threads as usize)
            .thread_name("codemode-guest")
            .on_thread_start(lower_priority)
            .enable_all()
            .build()?;
        let cache = options.cache_dir.and_then(|folder| match Cache::open(&folder) {
            Ok(cache) => Some(cache),
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "compiled components are not kept");
                None
            }
        });
        let pooled = match built.allocation {
            Allocation::Pooled(_) => crate::connector::Flag::Yes,
            Allocation::OnDemand => crate::connector::Flag::No,
        };
        let effective = Effective { max_guests: built.guests, guest_threads, pooled };
        let admission = Admission::new(built.guests);
        let inner = Inner { wasm: built.engine, cache, admission, ticker, effective, threads: Some(threads) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What is in effect.
    #[must_use]
    pub fn effective(&self) -> Effective {
        self.inner.effective
    }

    /// What a component offers and asks for. Compiles it; runs nothing.
    ///
    /// # Errors
    /// The bytes are no component.
    pub fn inspect(&self, bytes: &[u8], label: &str) -> Result<Inspection, LoadError> {
        Ok(self.load_component(bytes, label)?.1)
    }

    /// Compiles a component, or reads it from the cache, and looks at it. Blocks while it compiles.
    ///
    /// # Errors
    /// The bytes are no component, or it needs more than one instance may have.
    pub(crate) fn load_component(&self, bytes: &[u8], label: &str) -> Result<(Component, Inspection), LoadError> {
        classify(bytes, label)?;
        let compiled = match &self.inner.cache {
            Some(cache) => cache.load(&self.inner.wasm, bytes, label),
            None => Component::from_binary(&self.inner.wasm, bytes),
        };
        let component =
            compiled.map_err(|e| LoadError::Invalid { label: label.to_owned(), reason: format!("{e:#}") })?;
        let inspection = Inspection::of(&component);
        self.check_demand(&inspection, label)?;
        Ok((component, inspection))
    }

    pub(super) fn check_demand(&self, inspection: &Inspection, label: &str) -> Result<(), LoadError> {
        let refuse = |needed: String, limit, allowed: String, hint: &str| {
            Err(LoadError::TooDemanding { label: label.to_owned(), needed, limit, allowed, hint: hint.to_owned() })
        };
        let needed = seats_of(inspection);
        let guests = self.inner.effective.max_guests;
        if needed > guests {
            let hint = "raise `max_guests`, or compose fewer parts";
            return refuse(format!("room for {needed} guests"), "guests", guests.to_string(), hint);
        }
        if inspection.initial_table_elements > MAX_TABLE_ELEMENTS as u64 {
            let needed = format!("a table of {} elements", inspection.initial_table_elements);
            return refuse(needed, "table elements", MAX_TABLE_ELEMENTS.to_string(), "it cannot be raised");
        }
        Ok(())
    }

    /// The wasmtime engine itself.
    pub(crate) fn wasm(&self) -> &wasmtime::Engine {
        &self.inner.wasm
    }

    /// A meter for the CPU time of one guest.
    pub(crate) fn cpu_meter(&self, name: &'static str, limit_ms: u64) -> Arc<CpuMeter> {
        self.inner.ticker.meter(name, limit_ms)
    }

    /// Waits for room for one instance of that component. `None`: the machine is going down.
    pub(crate) async fn enter(&self, seat: Seat, inspection: &Inspection) -> Option<OwnedSemaphorePermit> {
        self.inner.admission.enter(seat, seats_of(inspection)).await
    }

    /// The guests' threads, for whole passes.
    pub(crate) fn guests(&self) -> tokio::runtime::Handle {
        match &self.inner.threads {
            Some(threads) => threads.handle().clone(),
            // Taken only while the last clone is dropped, and this is one.
            None => tokio::runtime::Handle::current(),
        }
    }

    /// Runs a guest on the guests' threads. Dropping what comes back gives the guest up: it is stopped at its next tick
    /// or wait, and its store goes with it.
    pub(crate) fn spawn<F>(&self, guest: F) -> Guest<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Guest(self.inner.threads.as_ref().map(|threads| threads.spawn(guest)))
    }
}

/// An instance whose needs nobody can tell from outside counts as one.
fn seats_of(inspection: &Inspection) -> u32 {
    seats(inspection.memories.unwrap_or(1), inspection.tables.unwrap_or(1))
}

fn guest_threads(wanted: u32) -> u32 {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let twice = u32::try_from(cores).unwrap_or(u32::MAX).saturating_mul(2);
    if wanted == 0 { twice.clamp(2, 256) } else { wanted.clamp(1, 256) }
}

/// Guests yield to the host's own threads. Without it, endless loops slow everything else down.
fn lower_priority() {
    // On Linux a priority belongs to the thread; elsewhere this would slow the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, 5) {
        tracing::debug!(%error, "guest threads run at normal priority");
    }
}

/// A guest that runs on the guests' threads.
pub(crate) struct Guest<T>(Option<JoinHandle<T>>);

/// Why a guest gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The machine went down.
    Stopped,
    /// The host itself panicked; the message.
    Panicked(String),
}

impl<T> Future for Guest<T> {
    type Output = Result<T, Lost>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(handle) = &mut self.0 else { return Poll::Ready(Err(Lost::Stopped)) };
        Pin::new(handle).poll(cx).map_err(|error| match error.try_into_panic() {
            Ok(panic) => Lost::Panicked(panic_text(&*panic)),
            Err(_) => Lost::Stopped,
        })
    }
}

impl<T> Drop for Guest<T> {
    fn drop(&mut self) {
        if let Some(handle) = &self.0 {
            handle.abort();
        }
    }
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

/// A memory that is larger at the start than an instance may have.
pub(crate) fn check_initial_memory(inspection: &Inspection, label: &str, limit: u64) -> Result<(), LoadError> {
    if inspection.initial_memory_bytes > limit {
        return Err(LoadError::TooDemanding {
            label: label.to_owned(),
            needed: format!("{} of memory at the start", mebibytes(inspection.initial_memory_bytes)),
            limit: "connector memory",
            allowed: mebibytes(limit),
            hint: "raise `memory_bytes`".to_owned(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Engine {
        Engine::new(EngineOptions { max_guests: 2, ..EngineOptions::default() }).unwrap()
    }

    #[test]
    fn it_may_be_dropped_inside_an_async_context() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { drop(engine()) });
    }

    #[tokio::test]
    async fn a_dropped_guest_is_stopped_even_when_it_never_waits() {
        let engine = engine();
        let gone = Arc::new(());
        let held = Arc::clone(&gone);
        let guest = engine.spawn(async move {
            let _held = held;
            loop {
                tokio::task::yield_now().await;
            }
        });
        drop::<Guest<()>>(guest);
        for _ in 0..1_000 {
            if Arc::strong_count(&gone) == 1 {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        panic!("the guest still runs");
    }

    #[tokio::test]
    async fn a_panic_of_the_host_is_told_and_not_passed_on() {
        let lost = engine().spawn(async { panic!("oops") }).await;
        assert!(matches!(lost, Err(Lost::Panicked(text)) if text == "oops" || text.is_empty()), "told otherwise");
    }

    #[test]
    fn threads_are_clamped() {
        assert_eq!(guest_threads(1), 1);
        assert_eq!(guest_threads(100_000), 256);
        assert!(guest_threads(0) >= 2);
    }
}
