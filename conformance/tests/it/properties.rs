//! Random programs, interrupted by approvals of subsets in random order and by the loss of the process between passes,
//! come to what the independent model says.
//!
//! `PROPTEST_CASES` sets how many programs are tried; the default is small.

use std::sync::LazyLock;

use codemode_conformance::harness::{Host, anna, error_of, id_of};
use codemode_conformance::laws::{Seen, check, check_growth};
use codemode_conformance::model::expected;
use codemode_conformance::program::{Node, numbered, programs};
use codemode_runtime::{ErrorKind, ExecutionId, Outcome, Pick, Picks};
use proptest::prelude::*;

use crate::cases::{config, seeds};

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

/// Runs to the end, with all laws at each stop.
async fn run(host: &Host, program: &Node, between: &[Between]) -> Result<Outcome, String> {
    let mut runtime = host.runtime();
    let mut outcome = runtime.execute(program.to_code()).await.unwrap();
    let mut turns = between.iter().cycle();
    let mut before = look(host, program, &id_of(&outcome), None)?;
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
        before = look(host, program, &execution, Some(before))?;
    }
    Ok(outcome)
}

type Look = (codemode_runtime::store::Record, Vec<codemode_conformance::fixtures::Event>);

/// Checks what there is to see now, also beside what was seen before.
fn look(host: &Host, program: &Node, id: &ExecutionId, before: Option<Look>) -> Result<Look, String> {
    let now = (host.store.load(id).unwrap().expect("it is there"), host.ledger.events());
    let seen = |look| {
        let (record, events): &(_, Vec<_>) = look;
        Seen { program, record, events, processes: 1 }
    };
    check(&seen(&now))?;
    if let Some(before) = &before {
        check_growth(&seen(before), &seen(&now))?;
    }
    Ok(now)
}

proptest! {
    #![proptest_config(config(seeds!("it"), 64))]

    /// Covers REPLAY-03, REPLAY-21, REPLAY-22, WEAK-01, WEAK-03, WEAK-05, WEAK-06.
    #[test]
    fn interrupted_programs_come_to_what_the_model_says(
        program in programs(),
        between in between(),
        in_flight in prop_oneof![Just(1_u32), Just(2), Just(300)],
    ) {
        let program = numbered(program);
        let host = Host::new().knowing(&program).limits(|l| l.in_flight = in_flight);
        let outcome = RUNTIME.block_on(run(&host, &program, &between)).map_err(TestCaseError::fail)?;
        prop_assert!(matches!(outcome, Outcome::Completed { .. }), "{}\n{outcome:#?}", program.to_code());
    }

    /// A limit on calls ends an execution at exactly that call, in whichever pass, and one that is kept changes nothing.
    #[test]
    fn a_limit_on_calls_ends_a_program_there_or_not_at_all(
        program in programs(),
        between in between(),
        spare in -3..3_i64,
    ) {
        let program = numbered(program);
        let needed = expected(&program).entries;
        let limit = u32::try_from((i64::from(needed) + spare).max(0)).unwrap();
        let host = Host::new().knowing(&program).limits(|l| l.calls = limit);
        let outcome = RUNTIME.block_on(run(&host, &program, &between)).map_err(TestCaseError::fail)?;
        if limit >= needed {
            prop_assert!(matches!(outcome, Outcome::Completed { .. }), "{}\n{outcome:#?}", program.to_code());
        } else {
            prop_assert_eq!(error_of(&outcome).kind, ErrorKind::Limit);
            let record = host.store.load(&id_of(&outcome)).unwrap().unwrap();
            let made = record.entries.iter().filter(|e| e.seq.is_some()).count();
            prop_assert_eq!(made, limit as usize, "{}", program.to_code());
        }
    }
}
