//! The power goes, or the process dies, at every instant of a script.

use super::script::{Acknowledged, Step, expected, run, script, steps_done};
use super::*;

/// What the machine does at an instant, and what is found when it is started again.
struct Restarts {
    /// Steps that were acknowledged and are gone, most of all instants.
    lost: usize,
    /// Restarts that were looked at.
    count: usize,
}

/// Starts the machine again after each of its events, in that way.
fn restart_everywhere(
    machine: &Machine,
    durability: Durability,
    script: &[Step],
    acknowledged: &[Acknowledged],
    loss: impl Fn(usize) -> Loss,
) -> Restarts {
    let expected = expected(script);
    let history = machine.disk().history();
    let mut files = Files::new(&machine.start);
    let mut restarts = Restarts { lost: 0, count: 0 };
    for (instant, event) in history.iter().enumerate().map(|(at, event)| (at + 1, event)) {
        files.happens(event);
        let loss = loss(instant);
        let told = acknowledged.iter().rev().find(|a| a.instant <= instant).map_or(0, |a| a.steps);
        let again = machine.again(files.left(loss));
        let at = format!("{loss:?} after event {instant} of {}, {told} steps told", history.len());
        let store = again.open(durability).unwrap_or_else(|error| panic!("{at}: {error}"));
        let found = contents(&store).unwrap_or_else(|error| panic!("{at}: {error}"));
        let there =
            steps_done(&expected, &found).unwrap_or_else(|| panic!("{at}: something is there by half: {found:?}"));
        restarts.lost = restarts.lost.max(told.saturating_sub(there));
        restarts.count += 1;
        assert_eq!(store.integrity_check(), Ok(Vec::new()), "{at}");
        // It goes on.
        let new = id(99);
        now(&store, &new, vec![begun(&new)]).unwrap_or_else(|error| panic!("{at}: {error}"));
    }
    restarts
}

fn ran(durability: Durability) -> (Machine, Vec<Step>, Vec<Acknowledged>) {
    let (machine, script) = (Machine::new(), script());
    let ran = run(&machine, durability, &script);
    assert_eq!(ran.stopped, None);
    // Closing writes as well.
    drop(ran.store);
    (machine, script, ran.acknowledged)
}

#[test]
fn without_power_nothing_acknowledged_is_lost_and_nothing_is_there_by_half() {
    let (machine, script, acknowledged) = ran(Durability::Full);
    let restarts = restart_everywhere(&machine, Durability::Full, &script, &acknowledged, |_| Loss::Everything);
    assert_eq!(restarts.lost, 0);
    assert!(restarts.count > 200, "{}", restarts.count);
}

#[test]
fn a_disk_that_kept_some_sectors_of_what_was_not_durable_loses_nothing_either() {
    let (machine, script, acknowledged) = ran(Durability::Full);
    for seed in 0..2_u64 {
        let loss = |instant| Loss::Some((seed << 32) + instant as u64);
        let restarts = restart_everywhere(&machine, Durability::Full, &script, &acknowledged, loss);
        assert_eq!(restarts.lost, 0);
    }
}

#[test]
fn a_process_that_dies_loses_nothing_at_either_level() {
    for durability in [Durability::Full, Durability::Process] {
        let (machine, script, acknowledged) = ran(durability);
        let restarts = restart_everywhere(&machine, durability, &script, &acknowledged, |_| Loss::Process);
        assert_eq!(restarts.lost, 0);
    }
}

#[test]
fn without_power_the_lower_level_loses_the_last_writes_only_and_does_lose_them() {
    let (machine, script, acknowledged) = ran(Durability::Process);
    // That what is there is what the first so many steps made is checked at every instant: there is never a hole.
    let restarts = restart_everywhere(&machine, Durability::Process, &script, &acknowledged, |_| Loss::Everything);
    assert!(restarts.lost > 2, "the level below would be as good: {}", restarts.lost);
    let some = |instant| Loss::Some(instant as u64);
    restart_everywhere(&machine, Durability::Process, &script, &acknowledged, some);
}
