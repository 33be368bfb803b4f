//! What the stories share: a host over a file that can be lost and opened again, a connector that answers when it is
//! told to, and children that are processes of their own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use codemode_conformance::fixtures::{Ledger, shelf, t};
use codemode_conformance::harness::{Host, approve_all};
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{Connector, Method};
use codemode_runtime::store::sqlite::{Durability, Options, SqliteStore};
use codemode_runtime::{Engine, ExecutionId, Outcome, Query, Runtime, Seq};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

pub(crate) const TESTKIT: &str = env!("CODEMODE_TESTKIT_WASM");

/// The number of rounds: the case's own with `CODEMODE_LONG=1`, else fewer.
pub(crate) fn rounds(of_the_case: usize, by_default: usize) -> usize {
    if std::env::var_os("CODEMODE_LONG").is_some() { of_the_case } else { by_default }
}

/// Fails a test that hangs. Never to be used to say how fast something is.
pub(crate) async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work).await.expect("it hangs")
}

/// Looks again and again, a few milliseconds apart, until there is something to see.
pub(crate) async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    soon(async {
        loop {
            if let Some(seen) = look() {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await
}

/// Runs code to its pause, loses the runtime, approves what is pending until the end.
pub(crate) async fn through(host: &Host, code: &str) -> Outcome {
    let paused = host.runtime().execute(code).await.unwrap();
    assert!(matches!(paused, Outcome::Paused { .. }), "{code}\n{paused:#?}");
    approve_all(&host.runtime(), paused).await
}

/// The only execution there is, as soon as it is there.
pub(crate) async fn the_execution(runtime: &Runtime) -> ExecutionId {
    until(|| runtime.executions(&Query::default()).unwrap().into_iter().next().map(|s| s.id)).await
}

/// The arguments of the only pending call.
pub(crate) fn pending_args(outcome: &Outcome) -> Value {
    serde_json::from_str(&pending_text(outcome)).unwrap()
}

/// The same as text, for numbers whose last digit counts.
pub(crate) fn pending_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Paused { pending, .. } if pending.len() == 1 => {
            pending[0].args.as_ref().map_or_else(|| "null".to_owned(), |a| a.as_str().to_owned())
        }
        other => panic!("not one pending call: {other:#?}"),
    }
}

/// The arguments with which a method of `t` was really executed, in order.
pub(crate) fn executed(ledger: &Ledger, method: &str) -> Vec<Value> {
    let of = ledger.events().into_iter().filter(|e| {
        e.kind == codemode_conformance::fixtures::EventKind::Performed && e.fixture == "t" && e.method == method
    });
    of.map(|e| e.args.map_or(Value::Null, |a| serde_json::from_str(&a).unwrap())).collect()
}

/// Waits until a call or step was asked for, as a follower of the execution's events sees it.
pub(crate) async fn asked(runtime: &Runtime, id: &ExecutionId, seq: u32) {
    let runtime = runtime.clone();
    let id = id.clone();
    until(move || {
        let record = runtime.record(&id).unwrap()?;
        record.entries.iter().any(|e| e.seq == Some(Seq(seq))).then_some(())
    })
    .await;
}

/// A folder with a store and a ledger in it, which outlive every host.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    /// A host in a fresh process, as far as one process can play it: nothing is shared with an earlier one but the
    /// files.
    pub(crate) fn host(&self) -> Host {
        host_of(self.folder.path())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// A host over the files of a folder.
pub(crate) fn host_of(folder: &Path) -> Host {
    host_with(folder, Options { durability: Durability::Process, ..Options::default() })
}

pub(crate) fn host_with(folder: &Path, options: Options) -> Host {
    let store = SqliteStore::open(folder.join("store.db"), options).unwrap();
    let mut host = Host::bare(Arc::new(store));
    host.ledger = Ledger::in_file(&folder.join("ledger")).unwrap();
    let (shelf, t) = (Arc::new(shelf(&host.ledger)), Arc::new(t(&host.ledger)));
    host.with("shelf", shelf).with("t", t)
}

/// A connector whose calls answer when the test says so: `wait` reads, `work` has its effect at once.
pub(crate) struct Door {
    came: Semaphore,
    open: Semaphore,
}

impl Door {
    pub(crate) fn new() -> (Arc<Self>, Arc<Native>) {
        let door = Arc::new(Self { came: Semaphore::new(0), open: Semaphore::new(0) });
        let mut native = Native::new("door");
        for method in [Method::read("wait"), Method::write("work")] {
            let door = Arc::clone(&door);
            native = native.method(method, move |args, _| {
                let door = Arc::clone(&door);
                async move {
                    door.stand().await;
                    Ok(args.map_or(Value::Null, |a| a["v"].clone()))
                }
            });
        }
        (door, Arc::new(native))
    }

    /// Somebody comes to the door and waits.
    pub(crate) async fn stand(&self) {
        self.came.add_permits(1);
        self.open.acquire().await.unwrap().forget();
    }

    /// Waits for so many calls.
    pub(crate) async fn entered(&self, calls: u32) {
        soon(self.came.acquire_many(calls)).await.unwrap().forget();
    }

    /// Lets so many calls answer.
    pub(crate) fn let_go(&self, calls: usize) {
        self.open.add_permits(calls);
    }
}

/// A connector of one read method that gives its argument back, in plain JSON.
pub(crate) fn plain() -> Arc<Native> {
    let echo = |args: Option<Value>, _| async move { Ok(args.unwrap_or_else(|| json!(null))) };
    Arc::new(Native::new("p").method(Method::read("echo"), echo))
}

/// The testkit component with one of its fixtures.
pub(crate) fn testkit(engine: &Engine, fixture: &str) -> Arc<dyn Connector> {
    let mut options = ComponentOptions::new(fixture);
    options.config.insert("fixture".to_owned(), fixture.to_owned());
    Arc::new(ComponentConnector::load(engine, &std::fs::read(TESTKIT).unwrap(), options).unwrap())
}

/// This test binary once more, as a process that plays `role` in one test.
pub(crate) struct Process {
    command: Command,
}

impl Process {
    /// `test` is the whole path of the test that plays the role.
    pub(crate) fn playing(test: &str, role: &str) -> Self {
        Self::in_shell("", test, role)
    }

    /// After some shell commands, such as `ulimit -v 4194304;`.
    pub(crate) fn in_shell(before: &str, test: &str, role: &str) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{before} exec \"$0\" --exact --quiet {test}")])
            .arg(std::env::current_exe().unwrap())
            .env("CODEMODE_ROLE", role)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        Self { command }
    }

    pub(crate) fn with(mut self, variable: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(variable, value);
        self
    }

    pub(crate) fn start(mut self) -> Child {
        self.command.spawn().unwrap()
    }

    /// Waits for its end, which must be a good one.
    pub(crate) fn run(self) {
        let ended = self.start().wait().unwrap();
        assert!(ended.success(), "the other process failed: {ended:?}");
    }
}

/// The part that this process plays for a test in another one; `None`: it is nobody's child.
pub(crate) fn role() -> Option<String> {
    std::env::var("CODEMODE_ROLE").ok()
}

/// The folder that a child was given.
pub(crate) fn given_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("CODEMODE_FOLDER").expect("a child is told its folder"))
}

/// Overwrites text in the file itself, as a bad disk or a careless hand would. The same length, so that the file stays
/// one.
pub(crate) fn overwrite(path: &Path, from: &[u8], to: &[u8]) {
    assert_eq!(from.len(), to.len());
    let mut bytes = std::fs::read(path).unwrap();
    let found: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, w)| *w == from).map(|(at, _)| at).collect();
    assert!(!found.is_empty(), "the text is in the file");
    for at in found {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    std::fs::write(path, bytes).unwrap();
}

/// Resident memory of this process in KiB.
#[cfg(target_os = "linux")]
pub(crate) fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4
}

/// Numbers that look like chance and are the same each time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
