//! Code that a person has a say in: consent, refusal, and no word at all.

use crate::matrix::kill_everywhere;
use crate::script::{Act, First, PLAIN, Part, Same, Script, Shape};

/// For the list of all.
pub(crate) const SCRIPTS: &[&Script] = &[&EQUAL, &TWO, &EARLY, &HOOKED, &REJECTED, &EXPIRED, &EXPIRED_INSTEAD];

const EQUAL: Script = Script {
    name: "equal",
    acts: &[
        Act::Run(
            "a",
            "async () => { await w.once({ n: 1 }); await w.gate({ n: 2 }); return (await w.gate({ n: 2 })).n; }",
        ),
        Act::Approve("a", 1),
        Act::Approve("a", 2),
    ],
    points: 40,
    ..PLAIN
};

/// Covers BUG-APR-14.
#[test]
fn a_consent_counts_for_one_call_and_its_equal_asks_again() {
    kill_everywhere(&EQUAL);
}

const TWO: Script = Script {
    name: "two-approvals",
    shape: Shape::Parallel,
    parts: &[Part::Hooked],
    acts: &[
        Act::Run(
            "a",
            "async () => {
                const all = await Promise.all([w.gate({ n: 1 }), w.once({ n: 2 }), w.gate({ n: 3 })]);
                return all.map((a) => a.n); }",
        ),
        Act::Approve("a", 2),
        Act::Approve("a", 0),
    ],
    first: First::RecoverTwice,
    points: 58,
    ..PLAIN
};

/// Covers APPROVE-13, BUG-DUR-17.
#[test]
fn two_that_wait_side_by_side_are_approved_in_whichever_process() {
    kill_everywhere(&TWO);
}

const EARLY: Script = Script {
    name: "early",
    shape: Shape::Parallel,
    acts: &[Act::RunApproving(
        "a",
        "async () => {
            const all = await Promise.all([w.gate({ n: 1 }), w.nap({ n: 2, ms: 25 }), w.once({ n: 3 })]);
            return all.map((a) => a.n); }",
    )],
    points: 28,
    ..PLAIN
};

#[test]
fn a_consent_that_was_given_while_the_pass_ran_counts_after_it_died() {
    kill_everywhere(&EARLY);
}

const HOOKED: Script = Script {
    name: "hooked",
    shape: Shape::Parallel,
    parts: &[Part::Hooked, Part::Sum],
    acts: &[
        Act::Run(
            "a",
            "async () => { await Promise.all([w.gate({ n: 1 }), sum.add({ n: 2 })]); await w.gate({ n: 3 }); }",
        ),
        Act::Approve("a", 0),
        Act::Approve("a", 2),
    ],
    first: First::RecoverPasses,
    points: 80,
    ..PLAIN
};

/// Covers LIFECYCLE-06.
#[test]
fn an_approval_finishes_the_hooks_that_were_cut_off() {
    kill_everywhere(&HOOKED);
}

const REJECTED: Script = Script {
    name: "rejected",
    shape: Shape::Parallel,
    parts: &[Part::Hooked, Part::Sum],
    acts: &[
        Act::Run(
            "a",
            "async () => { await w.once({ n: 1 }); await Promise.all([w.gate({ n: 2 }), w.gate({ n: 3 }), sum.add({ n: 4 })]); }",
        ),
        Act::Reject("a", 2),
    ],
    points: 44,
    ..PLAIN
};

/// Covers REJECT-06.
#[test]
fn what_was_rejected_stays_rejected_and_its_connectors_hear_of_it() {
    kill_everywhere(&REJECTED);
}

const EXPIRED: Script = Script {
    name: "expired",
    parts: &[Part::Hooked],
    acts: &[Act::Run("a", "async () => { await w.once({ n: 1 }); return w.gate({ n: 2 }); }"), Act::Expire],
    points: 28,
    ..PLAIN
};

/// Covers WEAK-14.
#[test]
fn what_nobody_decided_expires_and_what_was_cut_off_is_recovered_first() {
    kill_everywhere(&EXPIRED);
}

const EXPIRED_INSTEAD: Script = Script {
    name: "expired-instead",
    parts: &[Part::Hooked],
    acts: &[Act::Run("a", "async () => { await w.once({ n: 1 }); return w.gate({ n: 2 }); }"), Act::Expire],
    first: First::Nothing,
    same: Same::End,
    also: &["a: error expired: Expired while running: the process that ran it is gone and nobody recovered it in time"],
    points: 28,
    ..PLAIN
};

/// Covers WEAK-14.
#[test]
fn what_was_cut_off_and_nobody_recovered_expires() {
    kill_everywhere(&EXPIRED_INSTEAD);
}
