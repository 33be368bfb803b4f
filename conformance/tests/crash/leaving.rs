//! What is undone, and what goes: rollback, deletion, retention.

use crate::matrix::kill_everywhere;
use crate::script::{Act, First, PLAIN, Part, Same, Script, Shape};

/// For the list of all.
pub(crate) const SCRIPTS: &[&Script] =
    &[&FIVE, &FIVE_AT_ONCE, &PAUSED, &RUNNING, &INSTEAD, &DELETED, &DELETED_INSTEAD, &RETENTION];

const FIVE: Script = Script {
    name: "five",
    parts: &[Part::Hooked],
    acts: &[
        Act::Run(
            "a",
            "async () => {
                await w.once({ n: 1 }); await w.keyed({ n: 2 }); await w.always({ n: 3 });
                await w.shaky({ n: 4 }); await w.half({ n: 5 }).catch(() => {});
                return 'five'; }",
        ),
        Act::Rollback("a"),
    ],
    points: 125,
    ..PLAIN
};

/// Covers BUG-RBK-05, ROLLBACK-08, WEAK-18.
#[test]
fn five_calls_are_undone_each() {
    kill_everywhere(&FIVE);
}

const FIVE_AT_ONCE: Script = Script {
    name: "five-at-once",
    shape: Shape::Parallel,
    parts: &[Part::Outside, Part::Tally, Part::Sum],
    acts: &[
        Act::Run(
            "a",
            "async () => {
                await Promise.all([w.once({ n: 1 }), w.once({ n: 2 }), tally.add({ n: 3 }), sum.add({ n: 4 }), sum.add({ n: 5 })]);
                return 'five'; }",
        ),
        Act::Rollback("a"),
    ],
    points: 115,
    ..PLAIN
};

/// Covers WEAK-18.
#[test]
fn five_calls_at_once_are_undone_and_the_numbers_are_what_they_were() {
    kill_everywhere(&FIVE_AT_ONCE);
}

const PAUSED: Script = Script {
    name: "paused",
    shape: Shape::Parallel,
    parts: &[Part::Hooked],
    acts: &[
        Act::Run(
            "a",
            "async () => { await Promise.all([w.once({ n: 1 }), w.once({ n: 2 })]); return w.gate({ n: 3 }); }",
        ),
        Act::Rollback("a"),
    ],
    points: 50,
    ..PLAIN
};

/// Covers ROLLBACK-11, BUG-RBK-05.
#[test]
fn what_is_paused_is_rolled_back_and_what_waited_never_happens() {
    kill_everywhere(&PAUSED);
}

const RUNNING: Script = Script {
    name: "running",
    shape: Shape::Parallel,
    parts: &[Part::Hooked],
    acts: &[Act::RunUndoing(
        "a",
        "async () => { await Promise.all([w.once({ n: 1 }), w.slow({ n: 2, ms: 20 }), w.nap({ n: 3, ms: 40 })]); await w.once({ n: 4 }); }",
    )],
    same: Same::Nothing,
    points: 40,
    ..PLAIN
};

#[test]
fn what_runs_is_stopped_and_rolled_back() {
    kill_everywhere(&RUNNING);
}

const INSTEAD: Script = Script {
    name: "instead",
    shape: Shape::Parallel,
    parts: &[Part::Hooked],
    acts: &[
        Act::Run(
            "a",
            "async () => { await Promise.all([w.once({ n: 1 }), w.keyed({ n: 2 }), w.shaky({ n: 3 })]); await w.once({ n: 4 }); }",
        ),
        Act::Rollback("a"),
    ],
    first: First::Nothing,
    same: Same::Nothing,
    // Nothing had happened when the process died, so nothing was undone.
    also: &[
        "a: error abandoned: the process that ran the execution is gone, and it was rolled back instead of resumed",
    ],
    points: 100,
    ..PLAIN
};

/// Covers WEAK-18.
#[test]
fn what_was_cut_off_can_be_rolled_back_instead_of_recovered() {
    kill_everywhere(&INSTEAD);
}

const DELETED: Script = Script {
    name: "deleted",
    parts: &[Part::Hooked],
    acts: &[
        Act::Run("a", "async () => { await w.once({ n: 1 }); return w.gate({ n: 2 }); }"),
        Act::Delete("a"),
        Act::Run("b", "async () => { await w.once({ n: 3 }); return 'b'; }"),
        Act::Delete("b"),
    ],
    points: 55,
    ..PLAIN
};

#[test]
fn what_was_deleted_stays_deleted_and_its_connectors_heard_of_its_end() {
    kill_everywhere(&DELETED);
}

const DELETED_INSTEAD: Script = Script {
    name: "deleted-instead",
    shape: Shape::Parallel,
    parts: &[Part::Hooked, Part::Sum],
    acts: &[
        Act::Run("a", "async () => { await Promise.all([w.once({ n: 1 }), sum.add({ n: 2 }), w.gate({ n: 3 })]); }"),
        Act::Delete("a"),
    ],
    first: First::Nothing,
    same: Same::End,
    points: 44,
    ..PLAIN
};

#[test]
fn what_was_cut_off_can_be_deleted_instead_of_recovered() {
    kill_everywhere(&DELETED_INSTEAD);
}

const RETENTION: Script = Script {
    name: "retention",
    shape: Shape::Parallel,
    acts: &[
        Act::Run("a", "async () => { await w.once({ n: 1 }); return 'a'; }"),
        Act::Run("b", "async () => { await Promise.all([w.once({ n: 2 }), w.keyed({ n: 3 })]); return 'b'; }"),
        Act::Run("c", "async () => { await Promise.all([w.once({ n: 4 }), w.keyed({ n: 5 })]); return 'c'; }"),
        Act::Run("d", "async () => { await w.once({ n: 6 }); return 'd'; }"),
        Act::Prune(2),
    ],
    limits: |limits| limits.executions = 2,
    points: 58,
    ..PLAIN
};

#[test]
fn retention_takes_only_what_ended_first() {
    kill_everywhere(&RETENTION);
}
