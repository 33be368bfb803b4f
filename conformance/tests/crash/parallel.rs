//! Code that asks for several things at once.

use crate::matrix::kill_everywhere;
use crate::script::{Act, Again, First, PLAIN, Same, Script, Shape};

/// For the list of all.
pub(crate) const SCRIPTS: &[&Script] = &[&ALL_AT_ONCE, &CHAINS, &RACE, &STEPS, &TIMERS, &SETTLED, &LATE];

const ALL_AT_ONCE: Script = Script {
    name: "all-at-once",
    shape: Shape::Parallel,
    acts: &[Act::Run(
        "a",
        "async () => {
            const all = await Promise.all([
                w.once({ n: 1 }), w.once({ n: 2 }), w.keyed({ n: 3 }), w.keyed({ n: 4 }), w.always({ n: 5 }),
                w.look({ n: 6 }), w.live({ n: 7 })]);
            return all.map((a) => a.n); }",
    )],
    points: 36,
    ..PLAIN
};

/// Covers BUG-DUR-06, WEAK-34.
#[test]
fn writes_at_once_happen_once_each() {
    kill_everywhere(&ALL_AT_ONCE);
}

const CHAINS: Script = Script {
    name: "chains",
    shape: Shape::Parallel,
    acts: &[Act::Run(
        "a",
        "async () => {
            const chain = async (n) => {
                const a = await w.once({ n });
                const b = await w.look({ n: a.n + 10 });
                return (await w.keyed({ n: b.n + 10 })).n; };
            return Promise.all([1, 2, 3].map(chain)); }",
    )],
    first: First::RecoverTwice,
    points: 55,
    ..PLAIN
};

/// Covers BUG-DUR-17.
#[test]
fn chains_side_by_side_go_on_each_where_it_was() {
    kill_everywhere(&CHAINS);
}

const RACE: Script = Script {
    name: "race",
    shape: Shape::Parallel,
    acts: &[Act::Run(
        "a",
        "async () => {
            const first = await Promise.race([w.look({ n: 1 }), w.once({ n: 2 }), w.slow({ n: 3, ms: 5 })]);
            await w.keyed({ n: 4 });
            return first.n; }",
    )],
    again: Again::Everywhere,
    // Nothing of the race was delivered when the process died: then it is run again.
    also: &["a: completed 1", "a: completed 2", "a: completed 3"],
    points: 26,
    ..PLAIN
};

#[test]
fn who_loses_a_race_happened_once_all_the_same() {
    kill_everywhere(&RACE);
}

const STEPS: Script = Script {
    name: "steps-at-once",
    shape: Shape::Parallel,
    acts: &[Act::Run(
        "a",
        "async () => {
            const step = (n) => codemode.step('step ' + n, async () => {
                const [a, b] = await Promise.all([w.once({ n }), w.look({ n: n + 10 })]);
                return a.n + b.n; });
            const sums = await Promise.all([step(1), step(2), codemode.step('plain', () => 5)]);
            await w.once({ n: sums[0] });
            return sums; }",
    )],
    points: 34,
    ..PLAIN
};

#[test]
fn steps_side_by_side_keep_their_values() {
    kill_everywhere(&STEPS);
}

const TIMERS: Script = Script {
    name: "timers",
    shape: Shape::Parallel,
    acts: &[
        Act::Run(
            "a",
            "async () => {
                const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
                const late = async () => { await sleep(8); return (await w.once({ n: 1 })).n; };
                const early = async () => { const a = await w.once({ n: 2 }); await sleep(3); return (await w.keyed({ n: 3 })).n + a.n; };
                const all = await Promise.all([late(), early(), w.gate({ n: 4 }).then((a) => a.n)]);
                await sleep(1);
                return all; }",
        ),
        Act::ApproveAll("a"),
    ],
    points: 46,
    ..PLAIN
};

#[test]
fn timers_beside_calls_wait_again() {
    kill_everywhere(&TIMERS);
}

const SETTLED: Script = Script {
    name: "settled",
    shape: Shape::Parallel,
    acts: &[Act::Run(
        "a",
        "async () => {
            const all = await Promise.allSettled([w.half({ n: 1 }), w.refuse({ n: 2 }), w.once({ n: 3 })]);
            w.keyed({ n: 4 });
            throw new Error(all.map((a) => a.status).join()); }",
    )],
    points: 27,
    ..PLAIN
};

#[test]
fn code_that_throws_beside_a_call_that_nobody_awaits_ends_the_same() {
    kill_everywhere(&SETTLED);
}

const LATE: Script = Script {
    name: "late",
    shape: Shape::Parallel,
    acts: &[
        Act::Run(
            "a",
            "async () => { await Promise.all([w.once({ n: 1 }), w.slow({ n: 2, ms: 260 }), w.look({ n: 3 })]); return 'in time'; }",
        ),
        Act::LateAnswers("a"),
    ],
    limits: |limits| limits.pass_ms = 200,
    // The call may not have happened when its process died, and the code does not go on then.
    same: Same::End,
    // The pass after the death has a time of its own, and may find the call done. What a pass of a machine that is busy
    // has in flight at its end may be more or less.
    also: &["a: completed \"in time\"", "a: error limit: execution timed out: a pass may take 200 ms"],
    points: 10,
    ..PLAIN
};

#[test]
fn an_answer_after_the_end_of_its_pass_is_kept_or_somebody_is_asked() {
    kill_everywhere(&LATE);
}
