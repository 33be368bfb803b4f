//! A host that is killed in the middle of its work: whatever the outside ledger says happened has its row in the journal,
//! nothing happened twice under one key, what was paused is still there, and the next process goes on with the same file.
//!
//! `CODEMODE_KILLS` sets how often a process is killed; the default is small.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use codemode_conformance::fixtures::{EventKind, Ledger, t};
use codemode_conformance::harness::{Host, anna, approve_all, result_of};
use codemode_runtime::durable::journal::EntryState;
use codemode_runtime::store::sqlite::{Options, SqliteStore};
use codemode_runtime::{ExecutionId, Outcome, Picks, Query, Status};

const CHILD: &str = "CODEMODE_KILL_CHILD";

const CODE: &str = "async () => {
    const made = await Promise.all([1, 2, 3].map(async (n) => { const r = await t.add({ n }); await t.echo(r); return t.add({ n: n + 10 }); }));
    await t.gate({ made: made.length });
    return (await t.add({ n: 99 })).n;
}";

fn host(folder: &Path) -> Host {
    let ledger = Ledger::in_file(&folder.join("ledger")).unwrap();
    let store = SqliteStore::open(folder.join("store.db"), Options::default()).unwrap();
    Host::bare(Arc::new(store)).with("t", Arc::new(t(&ledger)))
}

/// Not a test of its own: what a child process does until it is killed. It says when it begins something.
#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stdout, reason = "the parent counts the lines")]
async fn as_a_child_work_until_killed() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let host = host(Path::new(&folder));
    let runtime = host.runtime();
    loop {
        println!("work");
        let begun = (0..4).map(|_| async {
            let outcome = runtime.execute(CODE).await.unwrap();
            let Outcome::Paused { execution, .. } = &outcome else { panic!("{outcome:?}") };
            runtime.approve(execution, Picks::AllPending, anna()).await.unwrap();
        });
        futures_util::future::join_all(begun).await;
    }
}

fn kill_one(folder: &Path, after_lines: usize) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::as_a_child_work_until_killed", "--nocapture", "--test-threads=1"])
        .env(CHILD, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    lines.filter(|l| l.contains("work")).nth(after_lines).expect("the child works");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Every effect of the ledger by its key, with how often it happened.
fn effects(folder: &Path) -> BTreeMap<String, u32> {
    let mut effects = BTreeMap::new();
    let events = Ledger::in_file(&folder.join("ledger")).unwrap().events();
    for event in events.into_iter().filter(|e| e.kind == EventKind::Performed && e.method != "echo") {
        *effects.entry(event.key).or_default() += 1;
    }
    effects
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_host_leaves_no_effect_without_its_row_and_none_twice() {
    let folder = tempfile::tempdir().unwrap();
    let kills = std::env::var("CODEMODE_KILLS").ok().and_then(|k| k.parse().ok()).unwrap_or(5);
    for kill in 0..kills {
        kill_one(folder.path(), 1 + kill % 4);
    }
    let effects = effects(folder.path());
    assert!(effects.len() > 20, "the children did something: {}", effects.len());

    let host = host(folder.path());
    let runtime = host.runtime();
    for (key, times) in &effects {
        assert_eq!(*times, 1, "{key} happened {times} times");
        let (id, seq) = key.rsplit_once(':').unwrap();
        let record = runtime.record(&ExecutionId::from_text(id)).unwrap();
        let record = record.unwrap_or_else(|| panic!("{key} has no execution"));
        let entry = record.entries.iter().find(|e| e.seq.is_some_and(|s| s.to_string() == seq));
        let state = entry.unwrap_or_else(|| panic!("{key} has no row")).state;
        assert!(matches!(state, EntryState::Executing | EntryState::Applied), "{key} is {state:?}");
    }
    for paused in runtime.executions(&Query { status: Some(Status::Paused), ..Query::default() }).unwrap() {
        let pending = Outcome::Paused { execution: paused.id, pending: Vec::new(), calls: Vec::new() };
        assert_eq!(result_of(&approve_all(&runtime, pending).await), "99");
    }
    let fresh = runtime.execute(CODE).await.unwrap();
    assert_eq!(result_of(&approve_all(&runtime, fresh).await), "99");
}
