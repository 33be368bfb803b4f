//! Code that asks for one thing after the other.

use crate::matrix::kill_everywhere;
use crate::script::{Absent, Act, Again, First, PLAIN, Script};

/// For the list of all.
pub(crate) const SCRIPTS: &[&Script] = &[&READS, &CLASSES, &CAUGHT, &TRIED_AGAIN, &STEPS, &DISCOVERY];

const READS: Script = Script {
    name: "reads",
    acts: &[
        Act::Run(
            "a",
            "async () => {
                const a = await w.look({ n: 1 });
                const b = await w.live({ n: 2 });
                await w.gate({ n: 3 });
                const c = await w.look({ n: 4 });
                return [a.n, b.n, c.n, (await w.live({ n: 5 })).n]; }",
        ),
        Act::ApproveAll("a"),
    ],
    points: 44,
    ..PLAIN
};

/// Covers RUN-20, REPLAY-22.
#[test]
fn reads_are_repeated_and_give_the_same() {
    kill_everywhere(&READS);
}

const CLASSES: Script = Script {
    name: "classes",
    acts: &[Act::Run(
        "a",
        "async () => {
            const a = await w.once({ n: 1 });
            const b = await w.keyed({ n: 2 });
            const c = await w.always({ n: 3 });
            const d = await w.once({ n: 1 });
            return [a.n, b.n, c.n, d.n]; }",
    )],
    again: Again::Everywhere,
    points: 35,
    ..PLAIN
};

/// A call that may be repeated carries its first key again; two equal calls have two keys; what may not be repeated is
/// never repeated: somebody is asked.
///
/// Covers BUG-DUR-06, WEAK-34, REPLAY-02, REPLAY-11.
#[test]
fn a_write_happens_once_or_with_its_first_key_again() {
    kill_everywhere(&CLASSES);
}

const CAUGHT: Script = Script {
    name: "caught",
    acts: &[Act::Run(
        "a",
        "async () => {
            const codes = [];
            for (const ask of [() => w.refuse({ n: 1 }), () => w.half({ n: 2 }), () => w.nothing({ n: 3 })]) {
                try { await ask(); } catch (e) { codes.push(e.code ?? e.name); }
            }
            await w.once({ n: 4 });
            throw new Error('after ' + codes.length + ' failures'); }",
    )],
    points: 28,
    ..PLAIN
};

#[test]
fn failures_are_caught_once_more_and_the_code_throws_the_same_at_its_end() {
    kill_everywhere(&CAUGHT);
}

const TRIED_AGAIN: Script = Script {
    name: "tried-again",
    acts: &[Act::Run(
        "a",
        "async () => {
            for (let n = 1; n <= 2; n++) {
                for (;;) { try { await w.once({ n }); break; } catch { await w.look({ n }); } }
            }
            return 'both'; }",
    )],
    absent: Absent::Failed,
    points: 20,
    ..PLAIN
};

#[test]
fn a_call_that_did_not_happen_may_be_called_failed_and_the_code_tries_again() {
    kill_everywhere(&TRIED_AGAIN);
}

const STEPS: Script = Script {
    name: "steps",
    acts: &[Act::Run(
        "a",
        "async () => {
            const a = await codemode.step('plain', () => 7);
            const b = await codemode.step('nested', async () => {
                const made = await w.once({ n: 1 });
                const seen = await w.look({ n: 2 });
                return made.n + seen.n; });
            const c = await codemode.step('fails', () => { throw new Error('no'); }).catch((e) => e.message);
            await w.keyed({ n: a + b });
            return [a, b, c]; }",
    )],
    first: First::RecoverTwice,
    points: 30,
    ..PLAIN
};

/// Covers BUG-DUR-17.
#[test]
fn steps_with_calls_in_them_go_on_where_they_were_and_of_two_that_recover_one_wins() {
    kill_everywhere(&STEPS);
}

const DISCOVERY: Script = Script {
    name: "discovery",
    acts: &[
        Act::Run("a", "async (input) => { await w.once({ n: 1 }); return input ?? 'none'; }"),
        Act::Save("snip", "a"),
        Act::Run(
            "b",
            "async () => {
                const found = await codemode.search('once');
                const one = await codemode.run('snip', 'given');
                const docs = await codemode.describe('w.once');
                await w.always({ n: 2 });
                return [one, typeof docs, JSON.stringify(found).includes('once')]; }",
        ),
    ],
    points: 45,
    ..PLAIN
};

#[test]
fn a_snippet_that_was_saved_is_there_and_its_calls_happen_once() {
    kill_everywhere(&DISCOVERY);
}
