//! What durability costs, as ratios within one run: an effectful call against one bare append and `fdatasync` on the same
//! disk, alone and sixteen at once; a rollback; a start and a list beside few and beside very many stored executions; and
//! how much a call and a paused execution take of the file.
//!
//! `cargo bench --bench durability`. Numbers of different machines, or of different runs, do not compare.

#![expect(clippy::print_stdout, reason = "a bench says what it measured")]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use codemode_conformance::harness::{Host, id_of};
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{Method, Reverted};
use codemode_runtime::durable::execution::{Determinism, Execution, REPLAY_VERSION, Start, Status};
use codemode_runtime::durable::id::ExecutionId;
use codemode_runtime::durable::write::{Move, Write};
use codemode_runtime::store::sqlite::{Options, SqliteStore};
use codemode_runtime::store::{Barrier, Query};
use codemode_runtime::{Outcome, Runtime, Store};

const ROUNDS: usize = 15;
const CALLS: u32 = 100;
const AT_ONCE: u32 = 16;
const MANY: u32 = 100_000;

fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let sync = bare_sync(folder.path());
    println!("one bare append of 512 bytes with fdatasync: {}", micros(sync));
    effects(folder.path(), sync);
    rollback(folder.path(), sync);
    many(folder.path());
    sizes(folder.path());
}

#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

/// The median of several rounds.
fn median(rounds: usize, mut work: impl FnMut() -> Duration) -> Duration {
    let mut all: Vec<Duration> = (0..rounds).map(|_| work()).collect();
    all.sort_unstable();
    all[all.len() / 2]
}

fn micros(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6)
}

fn ratio(time: Duration, other: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() / other.as_secs_f64())
}

fn bare_sync(folder: &Path) -> Duration {
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join("bare")).expect("a file");
    let row = [7_u8; 512];
    let hundred = median(ROUNDS, || {
        timed(|| {
            for _ in 0..CALLS {
                file.write_all(&row).expect("written");
                file.sync_data().expect("synced");
            }
        })
    });
    hundred / CALLS
}

/// Effects that cost nothing themselves, so that only what the runtime adds is measured.
fn connector() -> Native {
    Native::new("b")
        .method(Method::write("add"), |args, _| async move { Ok(args) })
        .on_revert(|_| async { Ok(Reverted::Reverted) })
        .method(Method::write("gate").needs_approval(), |args, _| async move { Ok(args) })
}

struct Bench {
    runtime: Runtime,
    store: Arc<SqliteStore>,
    path: PathBuf,
    tokio: tokio::runtime::Runtime,
}

impl Bench {
    fn new(folder: &Path, name: &str, keep: u32) -> Self {
        let path = folder.join(name);
        let store = Arc::new(SqliteStore::open(&path, Options::default()).expect("a store"));
        let host = Host::bare(store.clone()).with("b", Arc::new(connector()));
        let runtime = host.limits(|l| l.executions = keep).runtime();
        let tokio =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        Self { runtime, store, path, tokio }
    }

    fn completed(&self, code: &str) -> ExecutionId {
        let outcome = self.tokio.block_on(self.runtime.execute(code)).expect("the host works");
        assert!(matches!(outcome, Outcome::Completed { .. }), "{outcome:#?}");
        id_of(&outcome)
    }

    /// What is in the file when all logs are written back.
    fn bytes(self) -> u64 {
        let path = self.path.clone();
        drop(self);
        std::fs::metadata(path).expect("the file").len()
    }
}

fn adds(calls: u32) -> String {
    format!("async () => {{ for (let i = 0; i < {calls}; i++) await b.add({{ n: i }}); }}")
}

fn effects(folder: &Path, sync: Duration) {
    let bench = Bench::new(folder, "effects.db", 50);
    let code = adds(CALLS);
    bench.completed(&code);
    let alone = median(ROUNDS, || timed(|| drop(bench.completed(&code)))) / CALLS;
    println!("effectful call, alone: {}; ratio to the bare sync: {}", micros(alone), ratio(alone, sync));
    let together = median(ROUNDS, || {
        timed(|| {
            bench.tokio.block_on(async {
                let running: Vec<_> = (0..AT_ONCE)
                    .map(|_| {
                        let (runtime, code) = (bench.runtime.clone(), code.clone());
                        tokio::spawn(async move { runtime.execute(code).await })
                    })
                    .collect();
                for one in running {
                    let outcome = one.await.expect("a task").expect("the host works");
                    assert!(matches!(outcome, Outcome::Completed { .. }), "{outcome:#?}");
                }
            });
        })
    }) / (CALLS * AT_ONCE);
    println!(
        "effectful call, {AT_ONCE} executions at once: {}; ratio to the bare sync: {}",
        micros(together),
        ratio(together, sync)
    );
}

fn rollback(folder: &Path, sync: Duration) {
    let bench = Bench::new(folder, "rollback.db", 50);
    let code = adds(CALLS);
    let each = median(5, || {
        let id = bench.completed(&code);
        timed(|| {
            let report = bench.tokio.block_on(bench.runtime.rollback(&id)).expect("the host works");
            assert_eq!(report.reverted(), CALLS as usize, "{report:#?}");
        })
    }) / CALLS;
    println!("rollback of {CALLS} calls, each: {}; ratio to the bare sync: {}", micros(each), ratio(each, sync));
}

fn many(folder: &Path) {
    let bench = Bench::new(folder, "many.db", u32::MAX);
    let code = "async () => 1";
    bench.completed(code);
    let page = Query { limit: Some(20), ..Query::default() };
    let measure = |bench: &Bench| {
        let start = median(101, || timed(|| drop(bench.completed(code))));
        let list = median(101, || timed(|| drop(bench.store.list(&page).expect("a list"))));
        let pending = median(21, || timed(|| drop(bench.runtime.pending(None).expect("a list"))));
        (start, list, pending)
    };
    let (start, list, pending) = measure(&bench);
    fill(&*bench.store, MANY);
    let (start_many, list_many, pending_many) = measure(&bench);
    let line = |what: &str, few: Duration, many: Duration| {
        println!("{what}: {} beside few, {} beside {MANY}; ratio: {}", micros(few), micros(many), ratio(many, few));
    };
    line("start to end of a trivial pass", start, start_many);
    line("a page of 20 executions", list, list_many);
    line("all pending calls", pending, pending_many);
    let pruning =
        timed(|| assert!(bench.runtime.prune_executions(50).expect("the store works") >= u64::from(MANY) - 50));
    println!("pruning {MANY} executions: {pruning:?}");
}

/// Ended executions, as a store keeps them.
fn fill(store: &dyn Store, count: u32) {
    let owner = store.claim_owner().expect("an owner");
    for n in 0..count {
        let execution = Execution::begin(start(n), owner);
        let (id, token) = (execution.id().clone(), execution.token);
        let moved = Move {
            status: Status::Completed,
            pass: 1,
            token,
            owner: None,
            result: None,
            error: None,
            at: execution.start.created_at,
        };
        let writes = vec![Write::Begin(Box::new(execution)), Write::Moved(Box::new(moved))];
        drop(store.append(&id, token, writes, Barrier::Later));
    }
    drop(store.load(&ExecutionId::from_text("exec_none")).expect("all is written"));
    store.release_owner(owner);
}

fn start(n: u32) -> Start {
    Start {
        id: ExecutionId::from_text(&format!("exec_{n:013}_filled")),
        code: "async () => { /* an ordinary piece of code, some lines long */ return 1; }".repeat(4),
        input: None,
        namespaces: Vec::new(),
        executor: "none".to_owned(),
        replay_version: REPLAY_VERSION,
        determinism: Determinism::Recorded,
        seed: [0; 32],
        created_at: u64::from(n),
    }
}

fn sizes(folder: &Path) {
    let empty = Bench::new(folder, "empty.db", u32::MAX).bytes();
    let calls = Bench::new(folder, "calls.db", u32::MAX);
    let (executions, each) = (20, 1_000);
    for _ in 0..executions {
        calls.completed(&adds(each));
    }
    let per_call = (calls.bytes() - empty) / u64::from(executions * each);
    let paused = Bench::new(folder, "paused.db", u32::MAX);
    let count = 500;
    for _ in 0..count {
        let outcome = paused.tokio.block_on(paused.runtime.execute("async () => await b.gate({ to: 'ada' })"));
        assert!(matches!(outcome, Ok(Outcome::Paused { .. })), "{outcome:#?}");
    }
    let per_paused = (paused.bytes() - empty) / count;
    println!("in the file: {per_call} bytes for each call, {per_paused} bytes for each paused execution");
}
