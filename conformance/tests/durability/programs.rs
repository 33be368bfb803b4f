//! Laws over random programs whose processes die at any write: they come to what the independent model says, every effect
//! happens once, and a rollback, interrupted as well, undoes each of them, newest first.
//!
//! `PROPTEST_CASES` sets how many programs are tried; the default is small.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::Host;
use codemode_conformance::model::{Expected, expected};
use codemode_conformance::program::{numbered, programs};
use codemode_runtime::{EntryState, ExecutionId, Status};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::homes::{Home, homes, record};
use crate::kit::soon;
use crate::mortal::{LastWrite, Mortal};
use crate::recover_crash::{Death, lived};

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());

fn death() -> impl Strategy<Value = Death> {
    let last = any::<bool>().prop_map(|kept| if kept { LastWrite::Kept } else { LastWrite::Lost });
    (0..30_i64, last)
}

/// Keys of calls that had or undid an effect, in order.
fn keys(host: &Host, kind: EventKind) -> Vec<String> {
    let events = host.ledger.events().into_iter();
    events.filter(|e| e.kind == kind && ["add", "gate"].contains(&e.method.as_str())).map(|e| e.key).collect()
}

/// Effects by method and number, in the model's words.
fn effects(host: &Host) -> BTreeMap<String, u32> {
    let mut effects = BTreeMap::new();
    for event in host.ledger.events().into_iter().filter(|e| e.kind == EventKind::Performed) {
        let args: serde_json::Value =
            event.args.as_deref().and_then(|a| serde_json::from_str(a).ok()).unwrap_or_default();
        let id = if event.method == "add" { &args["n"] } else { &args["id"] };
        if ["add", "gate"].contains(&event.method.as_str()) {
            *effects.entry(format!("{} {id}", event.method)).or_default() += 1;
        }
    }
    effects
}

/// Rolls back in a process that dies, and then in one that lives. Gives the status.
async fn rolled_back(home: &Home, host: &Host, id: &ExecutionId, death: Death) -> Status {
    let mut mortal = host.clone();
    mortal.store = Mortal::at(&home.store, death.0, death.1);
    drop(soon(mortal.runtime().rollback(id)).await);
    let report = soon(host.runtime().rollback(id)).await.unwrap();
    assert_eq!((report.left(), report.error()), (0, None), "{report:?}");
    record(&host.runtime(), id).execution.status
}

proptest! {
    #![proptest_config(Config { cases: cases(), failure_persistence: None, ..Config::default() })]

    /// Covers WEAK-14, WEAK-18, WEAK-34.
    #[test]
    fn programs_whose_processes_die_come_to_what_the_model_says_and_can_be_undone(
        program in programs(),
        deaths in prop::collection::vec(death(), 0..5),
        last in death(),
        which in 0..2_usize,
    ) {
        let program = numbered(program);
        let [memory, file] = homes();
        let home = if which == 0 { memory } else { file };
        let host = home.host();
        let id = RUNTIME.block_on(lived(&home, &host, &program.to_code(), &deaths));
        let Expected { result, performed, entries, .. } = expected(&program);
        let left = record(&host.runtime(), &id);
        prop_assert_eq!(left.execution.status, Status::Completed, "{}\n{:#?}", program.to_code(), left);
        prop_assert_eq!(left.execution.result.map(|r| r.as_str().to_owned()), Some(result));
        prop_assert_eq!(left.entries.iter().filter(|e| e.seq.is_some()).count(), entries as usize);
        let open = |s: EntryState| matches!(s, EntryState::Executing | EntryState::Pending | EntryState::Unknown);
        prop_assert!(!left.entries.iter().any(|e| e.seq.is_some() && open(e.state)), "nothing is left open");
        let effectful = |what: &String| what.starts_with("add ") || what.starts_with("gate ");
        let once: BTreeMap<String, u32> = performed.into_iter().filter(|(what, _)| effectful(what)).collect();
        prop_assert_eq!(&effects(&host), &once);

        let status = RUNTIME.block_on(rolled_back(&home, &host, &id, last));
        prop_assert_eq!(status, if once.is_empty() { Status::Completed } else { Status::RolledBack });
        let mut undone = keys(&host, EventKind::Reverted);
        // One of them may have been asked twice: its process died between the effect and the record of it.
        undone.dedup();
        let number = |key: &String| key.rsplit_once(':').unwrap().1.parse::<u32>().unwrap();
        let numbers: Vec<u32> = undone.iter().map(number).collect();
        prop_assert!(numbers.is_sorted_by(|a, b| a > b), "{:?}", numbers);
        let mut done = keys(&host, EventKind::Performed);
        done.sort();
        undone.sort();
        prop_assert_eq!(done, undone);
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|c| c.parse().ok()).unwrap_or(48)
}
