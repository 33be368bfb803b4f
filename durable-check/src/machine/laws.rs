//! What holds of every life, however it is interrupted.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use super::life::{Fate, Life, told_apart};
use super::program::{Act, Kind, Program, Settles, programs};
use crate::durable::execution::Status;
use crate::durable::failure::ErrorKind;
use crate::durable::journal::{Entry, EntryState};
use crate::durable::write::HookKind;

fn fates() -> impl Strategy<Value = Fate> {
    (vec(any::<u16>(), 1..40), vec(0..60_u16, 0..6)).prop_map(|(numbers, crashes)| Fate::new(numbers, crashes))
}

/// The seeds of cases that failed are kept, committed, and tried first from then on.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let kept = FileFailurePersistence::Direct(concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/machine.txt"));
    let failure_persistence = default.failure_persistence.as_ref().map(|_| Box::new(kept) as _);
    ProptestConfig { failure_persistence, ..default }
}

impl std::fmt::Debug for Fate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.shown(f)
    }
}

/// What a chain must have heard: all of it, unless it is left behind at a timer.
fn check_heard(program: &Program, heard: &[Vec<String>]) -> Result<(), TestCaseError> {
    for ((acts, expected), heard) in program.chains.iter().zip(program.heard()).zip(heard) {
        let timers = acts.iter().any(|a| matches!(a, Act::Sleep(_)));
        if program.settles == Settles::First && timers {
            prop_assert!(expected.starts_with(heard), "{:?} {:?}", expected, heard);
        } else {
            prop_assert_eq!(&expected, heard);
        }
    }
    Ok(())
}

/// Numbers are dense, places too, and the code's clock never goes back.
fn check_numbers(entries: &[Entry]) -> Result<(), TestCaseError> {
    prop_assert!(entries.iter().map(|e| e.op.0).eq(0..u32::try_from(entries.len()).unwrap()));
    let seqs: Vec<u32> = entries.iter().filter_map(|e| e.seq).map(|s| s.0).collect();
    prop_assert!(seqs.iter().copied().eq(0..u32::try_from(seqs.len()).unwrap()));
    prop_assert!(entries.iter().all(|e| e.seq.is_some() == e.request.is_numbered()));
    let mut places: Vec<(u32, u64)> = entries.iter().filter_map(|e| e.delivery).map(|d| (d.place, d.now)).collect();
    places.sort_unstable();
    prop_assert!(places.iter().map(|p| p.0).eq(0..u32::try_from(places.len()).unwrap()));
    prop_assert!(places.is_sorted_by_key(|p| p.1));
    let mut events: Vec<u64> =
        entries.iter().flat_map(|e| [Some(e.asked_event).filter(|n| *n > 0), e.answered_event]).flatten().collect();
    events.sort_unstable();
    let all = events.len();
    events.dedup();
    prop_assert_eq!(events.len(), all, "each event has a number of its own");
    prop_assert!(entries.iter().all(|e| e.answered_event.is_none_or(|n| n > e.asked_event)));
    Ok(())
}

fn check_effects(life: &Life) -> Result<(), TestCaseError> {
    for (id, kind) in life.program.calls() {
        let done = life.effects.get(&id).copied().unwrap_or(0);
        let asked = life.kept.entries.iter().any(|e| told_apart(e).is_some_and(|(n, _)| n == id));
        prop_assert_eq!(done, u32::from(asked && kind.has_effect()), "{:?} {}", kind, id);
        let performed = life.performed.get(&id).copied().unwrap_or(0);
        match kind {
            Kind::Missing => prop_assert_eq!(performed, 0),
            // Consent and crashes are the only reasons to begin once more.
            Kind::Write | Kind::Gated => prop_assert_eq!(performed, u32::from(asked)),
            Kind::Live => {}
            // Nothing of an attempt that was lost or came too late is left.
            Kind::Own => prop_assert!(!asked || performed > 0),
            _ => prop_assert!(performed <= 1 + life.crashed),
        }
    }
    Ok(())
}

/// The connector's own state has what the record says, once: both were kept, or neither was.
fn check_state(life: &Life) -> Result<(), TestCaseError> {
    for entry in &life.kept.entries {
        let own = told_apart(entry).is_some_and(|(_, kind)| kind == Kind::Own);
        let written = life.kept.state.get(&entry.op.to_string()).copied().unwrap_or(0);
        prop_assert_eq!(written, u32::from(own && entry.state == EntryState::Applied), "{:?}", entry);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_life_with_interruptions_comes_to_the_same_as_one_without(
        program in programs(),
        fate in fates(),
        max_in_flight in prop_oneof![Just(1_u32), Just(2), Just(300)],
    ) {
        let mut life = Life::of(program, fate, max_in_flight);
        life.lived(|_| false);
        prop_assert!(life.kept.is(Status::Completed), "{:?}", life.kept.execution);
        check_heard(&life.program, &life.heard)?;
        check_numbers(&life.kept.entries)?;
        check_effects(&life)?;
        check_state(&life)?;
        if life.program.settles == Settles::Last {
            prop_assert_eq!(life.kept.entries.len(), life.program.asks());
        }
        let open = |e: &&Entry| matches!(e.state, EntryState::Executing | EntryState::Pending | EntryState::Unknown);
        prop_assert_eq!(life.kept.entries.iter().find(open), None);
        prop_assert_eq!(life.kept.execution.owner.is_some(), true, "hooks are due");
    }

    #[test]
    fn each_pass_is_told_once_and_the_end_is_told_last(program in programs(), fate in fates()) {
        let mut life = Life::of(program, fate, 300);
        life.lived(|_| false);
        let ends: Vec<_> = life.told.iter().copied().filter(|t| t.0 == HookKind::ExecutionEnded).collect();
        prop_assert_eq!(ends, vec![(HookKind::ExecutionEnded, life.passes, Status::Completed)]);
        let passes: Vec<u32> = life.told.iter().filter(|t| t.0 == HookKind::PassEnded).map(|t| t.1).collect();
        prop_assert_eq!(passes, (1..=life.passes).collect::<Vec<_>>());
        let lost = life.told.iter().filter(|t| t.2 == Status::Error).count();
        prop_assert_eq!(lost, life.crashed as usize);
    }

    #[test]
    fn what_is_answered_and_delivered_stays_as_it_is(program in programs(), fate in fates()) {
        let mut seen: BTreeMap<u32, Entry> = BTreeMap::new();
        let mut life = Life::of(program, fate, 300);
        let mut over = false;
        while !over {
            life.lived(|_| true);
            check_state(&life)?;
            for entry in &life.kept.entries {
                if let Some(before) = seen.get(&entry.op.0) {
                    prop_assert_eq!((&before.request, before.seq), (&entry.request, entry.seq));
                    prop_assert_eq!((before.asked_at, before.asked_event), (entry.asked_at, entry.asked_event));
                    if before.answer.is_some() {
                        prop_assert_eq!((&before.answer, before.state), (&entry.answer, entry.state));
                        prop_assert_eq!((before.answered_at, before.rerun), (entry.answered_at, entry.rerun));
                    }
                    prop_assert!(before.delivery.is_none() || before.delivery == entry.delivery);
                    prop_assert!(before.attempt <= entry.attempt);
                }
                seen.insert(entry.op.0, entry.clone());
            }
            over = life.kept.has_ended();
            if !over {
                life.people();
            }
        }
    }

    #[test]
    fn code_that_asks_for_something_else_diverges_and_does_nothing_new(
        program in programs(),
        fate in fates(),
        which in any::<u16>(),
    ) {
        let mut life = Life::of(program, fate, 300);
        life.lived(|_| true);
        let recorded = life.kept.entries.clone();
        if life.kept.has_ended() || recorded.is_empty() {
            return Ok(());
        }
        // Another call in the place of one that is recorded for sure: the first of a chain.
        let chain = usize::from(which) % life.program.chains.len();
        life.program.chains[chain][0] = Act::Call(999, Kind::Write);
        life.fate.crashes.clear();
        let done = life.effects.clone();
        life.people();
        life.lived(|_| true);
        let error = life.kept.execution.error.clone().unwrap();
        prop_assert_eq!((life.kept.execution.status, error.kind), (Status::Error, ErrorKind::Divergence));
        prop_assert_eq!(&life.effects, &done);
        for (before, after) in recorded.iter().zip(&life.kept.entries) {
            prop_assert_eq!(&before.request, &after.request);
            if before.answer.is_some() {
                prop_assert_eq!(&before.answer, &after.answer);
            }
        }
        let open = |e: &&Entry| matches!(e.state, EntryState::Executing | EntryState::Pending);
        prop_assert_eq!(life.kept.entries.iter().find(open), None);
    }
}
