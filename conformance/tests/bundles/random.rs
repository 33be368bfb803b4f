//! Laws over random programs: wherever a program stops, its bundle survives writing and reading and replays as the same;
//! and a program with one more call in front diverges there.
//!
//! `PROPTEST_CASES` sets how many programs are tried; the default is small.

use std::sync::LazyLock;

use codemode_conformance::harness::{Host, anna};
use codemode_conformance::program::{numbered, programs};
use codemode_runtime::bundle::{Bundle, Verdict};
use codemode_runtime::{Outcome, Pick, Picks};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::kit::{difference, exported, replayed, with_code};

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());

/// The bundles of a program at each of its pauses and at its end; one pending call is approved at a time.
async fn bundles(code: &str, chosen: usize) -> Vec<Bundle> {
    let host = Host::new();
    let mut outcome = host.runtime().execute(code).await.unwrap();
    let mut bundles = Vec::new();
    loop {
        let execution = outcome.execution().expect("it is stored").clone();
        bundles.push(exported(&host, &execution).await);
        let Outcome::Paused { pending, .. } = &outcome else { return bundles };
        let call = &pending[chosen % pending.len()];
        let picks = Picks::These(vec![Pick { seq: call.seq, digest: call.digest.clone() }]);
        outcome = host.runtime().approve(&execution, picks, anna()).await.unwrap();
    }
}

proptest! {
    #![proptest_config(Config { cases: cases(), failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_stop_of_a_program_replays_as_the_same(program in programs(), chosen in any::<usize>()) {
        let code = numbered(program).to_code();
        // The result of a re-executed read is in no record.
        let live = code.contains("t.live");
        for bundle in RUNTIME.block_on(bundles(&code, chosen)) {
            let report = RUNTIME.block_on(replayed(&bundle));
            let fits = match &report.verdict {
                Verdict::Same => true,
                Verdict::EndsEarly(place) => live && place.why.contains("t.live"),
                Verdict::Diverged(_) => false,
            };
            prop_assert!(fits, "{code}\n{report:#?}\n{:#?}", bundle.entries);
            prop_assert!(report.notes.is_empty(), "{code}\n{report:#?}");
        }
    }

    #[test]
    fn one_more_call_in_front_diverges_there(program in programs()) {
        let code = numbered(program).to_code();
        for bundle in RUNTIME.block_on(bundles(&code, 0)) {
            let edited = with_code(&bundle, "const value =", "await t.echo('new'); const value =");
            let found = RUNTIME.block_on(difference(&edited));
            prop_assert_eq!((found.at.op.0, found.actual.as_str()), (0, "t.echo \"new\""), "{}", code);
        }
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|c| c.parse().ok()).unwrap_or(48)
}
