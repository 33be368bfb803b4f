//! Laws over random programs: wherever a program stops, its bundle survives writing and reading and replays as the same;
//! and a program with one more call in front diverges there.
//!
//! `PROPTEST_CASES` sets how many programs are tried; the default is small.

use std::sync::LazyLock;

use codemode_conformance::harness::{Host, anna};
use codemode_conformance::program::{Node, numbered, programs};
use codemode_runtime::bundle::{Bundle, Verdict};
use codemode_runtime::{Outcome, Pick, Picks};
use proptest::prelude::*;

use crate::cases::{config, seeds};
use crate::kit::{difference, exported, replayed, with_code};

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());

/// The bundles of a program at each of its pauses and at its end; one pending call is approved at a time.
async fn bundles(program: &Node, chosen: usize) -> Vec<Bundle> {
    let host = Host::new().knowing(program);
    let mut outcome = host.runtime().execute(program.to_code()).await.unwrap();
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
    #![proptest_config(config(seeds!("bundles"), 48))]

    #[test]
    fn every_stop_of_a_program_replays_as_the_same(program in programs(), chosen in any::<usize>()) {
        let program = numbered(program);
        // The result of a re-executed read is in no record.
        let live = all_code(&program).contains("t.live");
        let code = program.to_code();
        for bundle in RUNTIME.block_on(bundles(&program, chosen)) {
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
        let program = numbered(program);
        let code = program.to_code();
        for bundle in RUNTIME.block_on(bundles(&program, 0)) {
            let edited = with_code(&bundle, "const value =", "await t.echo('new'); const value =");
            let found = RUNTIME.block_on(difference(&edited));
            prop_assert_eq!((found.at.op.0, found.actual.as_str()), (0, "t.echo \"new\""), "{}", code);
        }
    }
}

/// With that of its snippets.
fn all_code(program: &Node) -> String {
    program.snippets().into_iter().map(|(_, code)| code).chain([program.to_code()]).collect()
}
