//! The disk fails at every operation of a script: every write is either acknowledged and there, or refused and not
//! there; what was lost stays lost; and everything works again when the disk does.

use std::collections::BTreeMap;

use super::disk::{Fault, Injury, Lasts, Operation};
use super::script::{Ran, Step, expected, run, script, steps_done};
use super::*;

/// Which errors a script ended with, and how often; to see that a sweep tried something.
type Seen = BTreeMap<&'static str, usize>;

/// Fails at every `step`th such operation in turn, until there is none that far. The store is there already, or is made.
fn sweep(from: From, on: Operation, injury: Injury, lasts: Lasts, step: usize) -> Seen {
    let script = if from == From::Nothing { Vec::new() } else { script() };
    let expected = expected(&script);
    let made = Machine::new();
    if from == From::Store {
        drop(made.open(Durability::Full).expect("opens"));
    }
    let mut seen = Seen::new();
    for nth in (0..).step_by(step) {
        let machine = made.again(made.disk().files());
        machine.disk().arm(Fault { on, nth, injury, lasts });
        let ran = run(&machine, Durability::Full, &script);
        let at = format!("{on:?} {nth} {injury:?} {lasts:?}, stopped {:?}", ran.stopped);
        let struck = machine.disk().mend();
        *seen.entry(ran.stopped.as_ref().map_or("none", |(_, error)| error.code())).or_default() += 1;
        // Each in one of the three ways is enough.
        let loss = [Loss::Process, Loss::Everything, Loss::Some(nth as u64)][nth / step % 3];
        after_a_fault(&machine, &script, &expected, ran, loss, &at);
        if struck == 0 {
            return seen;
        }
        assert!(nth < 5_000, "the sweep comes to an end");
    }
    seen
}

/// What a sweep begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Nothing,
    Store,
}

/// Looks at a machine whose disk works again.
fn after_a_fault(machine: &Machine, script: &[Step], expected: &[Contents], ran: Ran, loss: Loss, at: &str) {
    let told = ran.acknowledged.last().map_or(0, |a| a.steps);
    // The step that failed is the last one that was tried. Others before it may change nothing.
    let up_to = |steps: usize| steps_done(expected, &expected[steps.min(script.len())]).expect("itself");
    let stopped = ran.stopped.as_ref().map_or(script.len(), |(step, _)| *step);
    let (tried, and_the_refused) = (up_to(stopped), up_to(stopped + 1));
    let instant = machine.disk().instant();
    if let Some(store) = ran.store {
        let there = there(&store, expected, at);
        assert!((told..=tried).contains(&there), "{at}: {there} of {told} to {tried}");
        if let Some((step, error)) = &ran.stopped
            && let Some(step) = script.get(*step)
        {
            stays_lost(&store, step, error, at);
        }
        others_go_on(machine, &store, loss, at);
    }
    let store = machine.open(Durability::Full).unwrap_or_else(|error| panic!("{at}: {error}"));
    let kept = there(&store, expected, at);
    assert!((told..=tried).contains(&kept), "{at}: reopened, {kept} of {told} to {tried}");
    assert_eq!(store.integrity_check(), Ok(Vec::new()), "{at}");
    drop(store);
    // Had the process died or the power gone after the fault, a write that was refused may be there, but whole.
    let history = machine.disk().history();
    let mut files = Files::new(&machine.start);
    history[..instant].iter().for_each(|event| files.happens(event));
    let again = machine.again(files.left(loss));
    let store = again.open(Durability::Full).unwrap_or_else(|error| panic!("{at}, {loss:?}: {error}"));
    let there = there(&store, expected, at);
    assert!((told..=and_the_refused).contains(&there), "{at}, {loss:?}: {there} of {told} to {tried}");
    assert_eq!(store.integrity_check(), Ok(Vec::new()), "{at}, {loss:?}");
}

fn there(store: &dyn Store, expected: &[Contents], at: &str) -> usize {
    let found = contents(store).unwrap_or_else(|error| panic!("{at}: {error}"));
    steps_done(expected, &found).unwrap_or_else(|| panic!("{at}: something is there by half: {found:?}"))
}

/// The owner that lost a write is told so until somebody has looked and decided.
fn stays_lost(store: &dyn Store, step: &Step, error: &StoreError, at: &str) {
    let Step::Append { n, token, writes, .. } = step else { return };
    if matches!(writes.first(), Some(Write::Begin(_))) {
        return;
    }
    assert_eq!(step.on(store), Err(error.clone()), "{at}: once more");
    let more = vec![line("after a loss")];
    for barrier in [Barrier::Now, Barrier::Later] {
        assert_eq!(store.append(&id(*n), Token(*token), more.clone(), barrier).wait(), Err(error.clone()), "{at}");
    }
}

/// Whoever lost nothing is not concerned, and what they are told holds, whatever was lost before.
fn others_go_on(machine: &Machine, store: &dyn Store, loss: Loss, at: &str) {
    let other = id(90);
    now(store, &other, vec![begun(&other), asked(0, 5_000)]).unwrap_or_else(|error| panic!("{at}: {error}"));
    now(store, &other, vec![line("x")]).unwrap_or_else(|error| panic!("{at}: {error}"));
    let is_there = |store: &dyn Store| {
        let record = store.load(&other).unwrap_or_else(|error| panic!("{at}: {error}")).expect("it is there");
        assert_eq!((record.entries.len(), record.execution.logs.len()), (1, 1), "{at}");
        record.execution.version
    };
    let version = is_there(store);
    let history = machine.disk().history();
    let mut files = Files::new(&machine.start);
    history.iter().for_each(|event| files.happens(event));
    is_there(&machine.again(files.left(loss)).open(Durability::Full).unwrap_or_else(|error| panic!("{at}: {error}")));
    // As it was, so that what is found later can be compared.
    store.commit(&other, version, vec![Write::Delete]).expect("deletes");
}

#[test]
fn a_broken_device_loses_nothing_that_was_acknowledged() {
    let mut all = Seen::new();
    for on in Operation::ALL {
        let step = match on {
            Operation::Read | Operation::Write => 2,
            Operation::Lock => 5,
            _ => 1,
        };
        for (lasts, step) in [(Lasts::Once, step), (Lasts::On, step * 5)] {
            let seen = sweep(From::Store, on, Injury::Broken, lasts, step);
            seen.into_iter().for_each(|(code, count)| *all.entry(code).or_default() += count);
        }
    }
    // A file that cannot be opened is one that may not be written, as far as SQLite says.
    assert_eq!(all.keys().copied().collect::<Vec<_>>(), ["none", "store_failed", "store_read_only"], "{all:?}");
    assert!(all["store_failed"] > 200, "{all:?}");
}

#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let mut all = sweep(From::Store, Operation::Write, Injury::Full, Lasts::Once, 3);
    let seen = sweep(From::Store, Operation::Write, Injury::Full, Lasts::On, 7);
    seen.into_iter().for_each(|(code, count)| *all.entry(code).or_default() += count);
    assert_eq!(all.keys().copied().collect::<Vec<_>>(), ["none", "store_full"], "{all:?}");
    assert!(all["store_full"] > 50, "{all:?}");
}

#[test]
fn a_store_whose_making_fails_is_made_the_next_time() {
    for on in Operation::ALL {
        for lasts in [Lasts::Once, Lasts::On] {
            sweep(From::Nothing, on, Injury::Broken, lasts, 1);
        }
    }
    sweep(From::Nothing, Operation::Write, Injury::Full, Lasts::Once, 1);
}
