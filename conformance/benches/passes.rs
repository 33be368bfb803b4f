//! What a pass costs, on memory-backed files and on disk. Compare rows of one run with each other: machines differ.

use std::path::PathBuf;
use std::sync::Arc;

use codemode_conformance::harness::{Host, anna, approve_all, engine, id_of};
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::store::sqlite::{Options, SqliteStore};
use codemode_runtime::{Outcome, Picks, Runtime, Store};
use divan::{Bencher, counter::ItemsCount};

fn main() {
    divan::main();
}

const PLACES: [&str; 2] = ["tmpfs", "disk"];

/// A runtime over a fresh file in that place.
struct Setup {
    runtime: Runtime,
    store: Arc<dyn Store>,
    tokio: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

impl Setup {
    fn new(place: &str) -> Self {
        let parent = match place {
            "tmpfs" => PathBuf::from("/dev/shm"),
            _ => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
        };
        let folder = tempfile::tempdir_in(parent).expect("a folder");
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::open(folder.path().join("bench.db"), Options::default()).expect("a store"));
        let bytes = std::fs::read(env!("CODEMODE_TESTKIT_WASM")).expect("the component");
        let mut options = ComponentOptions::new("kit");
        options.config.insert("fixture".into(), "misc".into());
        let kit = ComponentConnector::load(engine(), &bytes, options).expect("the component loads");
        let runtime = Host::over(store.clone()).with("kit", Arc::new(kit)).runtime();
        let tokio =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads");
        Self { runtime, store, tokio, _folder: folder }
    }

    fn execute(&self, code: &str) -> Outcome {
        self.tokio.block_on(self.runtime.execute(code)).expect("the host works")
    }

    fn completed(&self, code: &str) {
        let outcome = self.execute(code);
        assert!(matches!(outcome, Outcome::Completed { .. }), "{outcome:#?}");
    }
}

#[divan::bench(args = PLACES)]
fn fresh_pass(bencher: Bencher<'_, '_>, place: &str) {
    let mut setup = Setup::new(place);
    setup.runtime = Host::bare(setup.store.clone()).runtime();
    setup.completed("async () => 1");
    bencher.bench(|| setup.completed("async () => 1"));
}

/// Both fixtures want both hooks.
#[divan::bench(args = PLACES)]
fn fresh_pass_with_four_hooks(bencher: Bencher<'_, '_>, place: &str) {
    let setup = Setup::new(place);
    setup.completed("async () => 1");
    bencher.bench(|| setup.completed("async () => 1"));
}

#[divan::bench(args = PLACES, sample_count = 20)]
fn hundred_reads_through_a_component(bencher: Bencher<'_, '_>, place: &str) {
    let setup = Setup::new(place);
    let code = "async () => { for (let i = 0; i < 100; i++) await kit.echo({ i }); }";
    setup.completed(code);
    bencher.counter(ItemsCount::new(100_u32)).bench(|| setup.completed(code));
}

#[divan::bench(args = PLACES, sample_count = 20)]
fn hundred_native_reads(bencher: Bencher<'_, '_>, place: &str) {
    let setup = Setup::new(place);
    let code = "async () => { for (let i = 0; i < 100; i++) await t.echo({ i }); }";
    setup.completed(code);
    bencher.counter(ItemsCount::new(100_u32)).bench(|| setup.completed(code));
}

#[divan::bench(args = PLACES, sample_count = 20)]
fn hundred_native_effects(bencher: Bencher<'_, '_>, place: &str) {
    let setup = Setup::new(place);
    let code = "async () => { for (let i = 0; i < 100; i++) await t.add({ n: i }); }";
    setup.completed(code);
    bencher.counter(ItemsCount::new(100_u32)).bench(|| setup.completed(code));
}

#[divan::bench(args = PLACES, sample_count = 20)]
fn replay_of_a_thousand_calls(bencher: Bencher<'_, '_>, place: &str) {
    let setup = Setup::new(place);
    let code = "async () => { for (let i = 0; i < 1000; i++) await t.echo({ i }); for (;;) await t.gate({}); }";
    let id = id_of(&setup.execute(code));
    bencher.counter(ItemsCount::new(1000_u32)).bench(|| {
        let next = setup.runtime.approve(&id, Picks::AllPending, anna());
        setup.tokio.block_on(next).expect("the host works")
    });
}

#[divan::bench(args = PLACES, sample_count = 20)]
fn approve_after_a_hundred_calls(bencher: Bencher<'_, '_>, place: &str) {
    let setup = Setup::new(place);
    let code = "async () => { for (let i = 0; i < 100; i++) await t.echo({ i }); return t.gate({}); }";
    bencher
        .with_inputs(|| setup.execute(code))
        .bench_values(|outcome| setup.tokio.block_on(approve_all(&setup.runtime, outcome)));
}
