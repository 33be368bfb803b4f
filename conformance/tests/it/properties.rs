//! Laws over random programs: interrupted by approvals of subsets in random order and by the loss of the process between
//! passes, a program comes to what the independent model says, and performs exactly what it says.
//!
//! `PROPTEST_CASES` sets how many programs are tried; the default is small.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, anna, id_of, result_of};
use codemode_conformance::model::{Expected, expected};
use codemode_conformance::program::{Node, numbered, programs};
use codemode_runtime::durable::journal::EntryState;
use codemode_runtime::{Outcome, Pick, Picks, Seq};
use proptest::prelude::*;
use proptest::test_runner::Config;

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());

/// What a person and the world do between two passes.
#[derive(Clone, Debug)]
struct Between {
    /// Which of the pending calls are approved; at least one is.
    approve: u8,
    /// Whether the process is lost.
    lost: bool,
}

fn between() -> impl Strategy<Value = Vec<Between>> {
    prop::collection::vec((any::<u8>(), any::<bool>()).prop_map(|(approve, lost)| Between { approve, lost }), 8)
}

async fn run(program: &Node, between: &[Between]) -> (Host, Outcome) {
    let host = Host::new();
    let mut runtime = host.runtime();
    let mut outcome = runtime.execute(program.to_code()).await.unwrap();
    let mut turns = between.iter().cycle();
    while let Outcome::Paused { execution, pending, .. } = &outcome {
        let turn = turns.next().unwrap();
        let chosen = |at: usize| at == usize::from(turn.approve) % pending.len() || turn.approve & (1 << (at % 8)) != 0;
        let picks: Vec<Pick> = pending
            .iter()
            .enumerate()
            .filter(|(at, _)| chosen(*at))
            .map(|(_, p)| Pick { seq: p.seq, digest: p.digest.clone() })
            .collect();
        if turn.lost {
            runtime = host.runtime();
        }
        let execution = execution.clone();
        outcome = runtime.approve(&execution, Picks::These(picks), anna()).await.unwrap();
    }
    (host, outcome)
}

/// What the outside ledger says, in the model's words.
fn performed(host: &Host) -> BTreeMap<String, u32> {
    let mut performed = BTreeMap::new();
    for event in host.ledger.events().into_iter().filter(|e| e.kind == EventKind::Performed) {
        if event.method == "live" {
            continue;
        }
        let args: serde_json::Value =
            event.args.as_deref().map_or(serde_json::Value::Null, |a| serde_json::from_str(a).unwrap());
        let id = ["id", "v", "n"].iter().find_map(|k| args[*k].as_u64()).map(|id| id.to_string());
        let id = id.or_else(|| Some(args["msg"].as_str()?.trim_start_matches('m').to_owned())).unwrap();
        *performed.entry(format!("{} {id}", event.method)).or_default() += 1;
    }
    performed
}

proptest! {
    #![proptest_config(Config { cases: cases(), failure_persistence: None, ..Config::default() })]

    /// Covers REPLAY-03, REPLAY-21, REPLAY-22, WEAK-01, WEAK-03, WEAK-05, WEAK-06.
    #[test]
    fn interrupted_programs_come_to_what_the_model_says(program in programs(), between in between()) {
        let program = numbered(program);
        let (host, outcome) = RUNTIME.block_on(run(&program, &between));
        let Expected { result, performed: once, entries, approvals } = expected(&program);
        prop_assert!(matches!(outcome, Outcome::Completed { .. }), "{}\n{outcome:#?}", program.to_code());
        prop_assert_eq!(result_of(&outcome), result);
        prop_assert_eq!(performed(&host), once);

        let record = host.store.load(&id_of(&outcome)).unwrap().unwrap();
        let seqs: Vec<u32> = record.entries.iter().filter_map(|e| e.seq.map(|Seq(s)| s)).collect();
        prop_assert_eq!(seqs, (0..entries).collect::<Vec<_>>());
        let approved = record.entries.iter().filter(|e| e.decision.is_some()).count();
        prop_assert_eq!(approved as u32, approvals);
        let mut places: Vec<(u32, u64)> = record.entries.iter().filter_map(|e| e.delivery.map(|d| (d.place, d.now))).collect();
        places.sort_unstable();
        prop_assert!(places.iter().map(|p| p.0).eq(0..places.len() as u32), "places are dense");
        prop_assert!(places.is_sorted_by_key(|p| p.1), "the clock never goes back");
        let open = |s: EntryState| matches!(s, EntryState::Executing | EntryState::Pending | EntryState::Unknown);
        prop_assert!(!record.entries.iter().any(|e| open(e.state)), "nothing is left open");
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|c| c.parse().ok()).unwrap_or(64)
}
