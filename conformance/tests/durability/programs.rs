//! Random programs whose processes die at any write: all laws hold, they come to what the independent model says, and a
//! rollback, interrupted as well, undoes every effect.
//!
//! `PROPTEST_CASES` sets how many programs are tried; the default is small.

use std::sync::LazyLock;

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::Host;
use codemode_conformance::laws::{Seen, check, check_growth};
use codemode_conformance::program::{numbered, programs};
use codemode_runtime::{ExecutionId, Status};
use proptest::prelude::*;

use crate::cases::{config, seeds};
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

/// Keys of calls that had or undid an effect, sorted.
fn keys(host: &Host, kind: EventKind) -> Vec<String> {
    let events = host.ledger.events().into_iter();
    let effects = events.filter(|e| e.kind == kind && ["add", "gate"].contains(&e.method.as_str()));
    let mut keys: Vec<String> = effects.map(|e| e.key).collect();
    keys.sort();
    keys
}

/// Rolls back in a process that dies, and then in one that lives.
async fn rolled_back(home: &Home, host: &Host, id: &ExecutionId, death: Death) {
    let mut mortal = host.clone();
    mortal.store = Mortal::at(&home.store, death.0, death.1);
    drop(soon(mortal.runtime().rollback(id)).await);
    let report = soon(host.runtime().rollback(id)).await.unwrap();
    assert_eq!((report.left(), report.error()), (0, None), "{report:?}");
}

proptest! {
    #![proptest_config(config(seeds!("durability-programs"), 48))]

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
        let host = home.host().knowing(&program);
        let id = RUNTIME.block_on(lived(&home, &host, &program.to_code(), &deaths));
        let (completed, events) = (record(&host.runtime(), &id), host.ledger.events());
        prop_assert_eq!(completed.execution.status, Status::Completed, "{}\n{:#?}", program.to_code(), completed);
        let processes = u32::try_from(deaths.len()).unwrap() + 1;
        let before = Seen { program: &program, record: &completed, events: &events, processes };
        check(&before).map_err(TestCaseError::fail)?;

        RUNTIME.block_on(rolled_back(&home, &host, &id, last));
        let (undone, events) = (record(&host.runtime(), &id), host.ledger.events());
        let after = Seen { record: &undone, events: &events, processes: processes + 1, ..before };
        check(&after).and_then(|()| check_growth(&before, &after)).map_err(TestCaseError::fail)?;
        let mut reverted = keys(&host, EventKind::Reverted);
        // One of them may have been asked twice: its process died between the effect and the record of it.
        reverted.dedup();
        let done = keys(&host, EventKind::Performed);
        let status = if done.is_empty() { Status::Completed } else { Status::RolledBack };
        prop_assert_eq!(undone.execution.status, status);
        prop_assert_eq!(done, reverted);
    }
}
