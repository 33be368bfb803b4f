//! Connectors that keep something with the host.

use crate::matrix::kill_everywhere;
use crate::script::{Act, PLAIN, Part, Script, Shape};

/// For the list of all.
pub(crate) const SCRIPTS: &[&Script] = &[&COUNTED, &TOGETHER, &NOTES, &KIT, &FILES];

const COUNTED: Script = Script {
    name: "counted",
    parts: &[Part::Tally, Part::Sum],
    acts: &[Act::Run(
        "a",
        "async () => {
            await tally.add({ n: 1 }); await sum.add({ n: 10 });
            await tally.add({ n: 2 }); await sum.add({ n: 20 });
            return [await tally.total(), await sum.total()]; }",
    )],
    points: 84,
    ..PLAIN
};

#[test]
fn numbers_that_connectors_and_their_hooks_keep_are_exact() {
    kill_everywhere(&COUNTED);
}

const TOGETHER: Script = Script {
    name: "together",
    shape: Shape::Parallel,
    parts: &[Part::Tally, Part::Sum, Part::Outside],
    acts: &[
        Act::Together(&[
            (
                "a",
                "async () => { await Promise.all([tally.add({ n: 1 }), sum.add({ n: 10 }), w.once({ n: 1 })]); return 'a'; }",
            ),
            (
                "b",
                "async () => { await Promise.all([tally.add({ n: 2 }), sum.add({ n: 20 })]); await w.gate({ n: 2 }); return 'b'; }",
            ),
        ]),
        Act::ApproveAll("b"),
        Act::Run("c", "async () => [await tally.total(), await sum.total()]"),
    ],
    points: 150,
    ..PLAIN
};

#[test]
fn executions_side_by_side_that_change_one_number_lose_nothing() {
    kill_everywhere(&TOGETHER);
}

const NOTES: Script = Script {
    name: "notes",
    shape: Shape::Parallel,
    parts: &[Part::Notes],
    acts: &[
        Act::Run(
            "a",
            "async () => {
                const made = await Promise.all(['one', 'two'].map((text) => notes.createNote({ text })));
                const all = await notes.listNotes();
                return [made.map((m) => m.text), all.map((a) => a.text).sort()]; }",
        ),
        Act::ApproveAll("a"),
    ],
    points: 36,
    ..PLAIN
};

#[test]
fn there_is_one_note_for_each_call_that_made_one() {
    kill_everywhere(&NOTES);
}

const KIT: Script = Script {
    name: "kit",
    shape: Shape::Parallel,
    parts: &[Part::Kit],
    acts: &[
        Act::Run(
            "a",
            "async () => {
                await Promise.all([kit.add({ n: 1 }), kit.add({ n: 2 }), kit.echo('x')]);
                await kit.add({ n: 3 });
                return (await kit.list()).map((row) => row.n).sort(); }",
        ),
        Act::Rollback("a"),
    ],
    points: 80,
    ..PLAIN
};

#[test]
fn a_component_whose_hooks_write_too_is_rolled_back_to_nothing() {
    kill_everywhere(&KIT);
}

const FILES: Script = Script {
    name: "files",
    shape: Shape::Parallel,
    parts: &[Part::Files],
    acts: &[Act::Run(
        "a",
        "async () => {
            await Promise.all(['a', 'b', 'c'].map((text) => files.write({ path: 'log', text, append: true })));
            return [...(await files.read({ path: 'log' }))].sort().join(''); }",
    )],
    points: 40,
    ..PLAIN
};

#[test]
fn parts_of_a_file_that_are_appended_at_once_all_arrive_once() {
    kill_everywhere(&FILES);
}
