//! The clock of running guests: one thread that advances the engine's epoch each millisecond while any guest runs, and
//! sleeps when none does. It is no task of any runtime, so guests that block all worker threads cannot stop it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::thread::Thread;

use super::limits::TICK;

/// Ticks without a running guest after which the thread parks: guests come in bursts, and waking it costs more than a
/// few empty ticks.
const IDLE_TICKS: u32 = 20;

struct Shared {
    running: AtomicUsize,
    parked: AtomicBool,
    stop: AtomicBool,
    ticks: AtomicU64,
}

/// Owns the thread. Dropping it ends the thread within a tick.
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: Thread,
}

impl Ticker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(crate) fn start(engine: wasmtime::Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            running: AtomicUsize::new(0),
            parked: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            ticks: AtomicU64::new(0),
        });
        let inside = Arc::clone(&shared);
        let handle =
            std::thread::Builder::new().name("codemode-ticker".to_owned()).spawn(move || tick(&inside, &engine))?;
        Ok(Self { shared, thread: handle.thread().clone() })
    }

    /// A meter for one guest that may run for `limit_ms` milliseconds. Time in which it waits in the host, or in which
    /// others run, does not count.
    pub(crate) fn meter(&self, name: &'static str, limit_ms: u64) -> Arc<CpuMeter> {
        Arc::new(CpuMeter {
            shared: Arc::clone(&self.shared),
            thread: self.thread.clone(),
            name,
            limit: limit_ms.max(1),
            used: AtomicU64::new(0),
            resumed_at: AtomicU64::new(0),
        })
    }

    /// Ticks so far, for tests.
    #[cfg(test)]
    fn ticks(&self) -> u64 {
        self.shared.ticks.load(Ordering::Relaxed)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

fn tick(shared: &Shared, engine: &wasmtime::Engine) {
    let mut idle = 0;
    while !shared.stop.load(Ordering::SeqCst) {
        if shared.running.load(Ordering::SeqCst) > 0 {
            idle = 0;
        } else if idle < IDLE_TICKS {
            idle += 1;
        } else {
            // Announced before looking again: a guest that starts in between sees it and wakes us.
            shared.parked.store(true, Ordering::SeqCst);
            if shared.running.load(Ordering::SeqCst) == 0 && !shared.stop.load(Ordering::SeqCst) {
                std::thread::park();
            }
            shared.parked.store(false, Ordering::SeqCst);
            continue;
        }
        std::thread::sleep(TICK);
        shared.ticks.fetch_add(1, Ordering::Relaxed);
        engine.increment_epoch();
    }
}

/// Counts the time in which one guest ran, in ticks.
pub(crate) struct CpuMeter {
    shared: Arc<Shared>,
    thread: Thread,
    name: &'static str,
    limit: u64,
    used: AtomicU64,
    resumed_at: AtomicU64,
}

impl CpuMeter {
    /// Lets `store` give way at each tick, and trap with a [`CpuBreach`] once the limit is used up.
    pub(crate) fn watch<T>(self: &Arc<Self>, store: &mut wasmtime::Store<T>) {
        self.watch_until(store, |_| false);
    }

    /// The same, and traps with [`Stopped`] at the first tick at which `over` says so.
    pub(crate) fn watch_until<T>(self: &Arc<Self>, store: &mut wasmtime::Store<T>, over: fn(&T) -> bool) {
        let meter = Arc::clone(self);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |context| {
            if over(context.data()) {
                return Err(wasmtime::Error::new(Stopped));
            }
            if meter.spent() >= meter.limit {
                return Err(wasmtime::Error::new(CpuBreach { name: meter.name, limit_ms: meter.limit }));
            }
            Ok(wasmtime::UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())))
        });
    }

    /// Runs a guest's future under this meter.
    pub(crate) fn run<F: Future>(self: Arc<Self>, guest: F) -> Metered<F> {
        Metered { meter: self, guest: Box::pin(guest) }
    }

    fn spent(&self) -> u64 {
        let now = self.shared.ticks.load(Ordering::Relaxed);
        let current = now.saturating_sub(self.resumed_at.load(Ordering::Relaxed));
        self.used.load(Ordering::Relaxed).saturating_add(current)
    }

    fn resume(&self) {
        self.resumed_at.store(self.shared.ticks.load(Ordering::Relaxed), Ordering::Relaxed);
        if self.shared.running.fetch_add(1, Ordering::SeqCst) == 0 && self.shared.parked.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
    }

    fn pause(&self) {
        self.used.store(self.spent(), Ordering::Relaxed);
        self.shared.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A guest used up its CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it used up the limit `{name}` of {limit_ms} ms")]
pub(crate) struct CpuBreach {
    name: &'static str,
    limit_ms: u64,
}

/// The host has no more use for a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the host stopped it")]
pub(crate) struct Stopped;

/// A guest's future that counts only the time in which it is polled.
pub(crate) struct Metered<F> {
    meter: Arc<CpuMeter>,
    guest: Pin<Box<F>>,
}

impl<F: Future> Future for Metered<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        struct Running<'a>(&'a CpuMeter);
        impl Drop for Running<'_> {
            fn drop(&mut self) {
                self.0.pause();
            }
        }
        let this = &mut *self;
        this.meter.resume();
        // A guard, so that a panic inside does not leave the ticker running for ever.
        let _running = Running(&this.meter);
        this.guest.as_mut().poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ticker() -> Ticker {
        let mut config = wasmtime::Config::new();
        config.epoch_interruption(true);
        Ticker::start(wasmtime::Engine::new(&config).unwrap()).unwrap()
    }

    fn until(mut done: impl FnMut() -> bool) {
        for _ in 0..5_000 {
            if done() {
                return;
            }
            std::thread::sleep(TICK);
        }
        panic!("it did not come to pass in time");
    }

    #[test]
    fn the_thread_parks_when_nothing_runs_and_wakes_for_the_next_guest() {
        let ticker = ticker();
        until(|| ticker.shared.parked.load(Ordering::SeqCst));
        let before = ticker.ticks();
        let meter = ticker.meter("cpu", 1_000);
        meter.resume();
        until(|| ticker.ticks() > before + 3);
        meter.pause();
        assert!(meter.spent() >= 3);
        until(|| ticker.shared.parked.load(Ordering::SeqCst));
    }

    #[test]
    fn waiting_costs_no_cpu_time() {
        let ticker = ticker();
        let other = ticker.meter("cpu", 1_000);
        other.resume();
        let meter = ticker.meter("cpu", 1_000);
        let before = ticker.ticks();
        until(|| ticker.ticks() > before + 10);
        assert_eq!(meter.used.load(Ordering::Relaxed), 0);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(Arc::clone(&meter).run(async { tokio::time::sleep(Duration::from_millis(20)).await }));
        assert!(meter.used.load(Ordering::Relaxed) < 10);
        other.pause();
    }
}
