//! Whole programs, drawn from the seed: whatever they are made of, and in whatever order their calls are approved, they
//! give what they must and have each effect once. One that does not is made smaller before it is told.

use std::collections::BTreeSet;

use super::Scenario;
use super::drawn::{Draw, Program};
use super::seen::Pending;
use super::stage::{Play, Stage, Trouble, same};

pub(super) static ALL: [Scenario; 2] = [
    Scenario { rule: "HOST-LAW-01", play: approved_in_any_order },
    Scenario { rule: "HOST-LAW-02", play: undone_at_any_point },
];

/// How a program is tried, with choices of its own.
type Trying = fn(&mut Stage<'_>, &Program, Draw) -> Play;

/// So many programs are tried to find a smaller one that is broken as well.
const SMALLER: usize = 60;

/// Tries so many programs.
pub(super) fn programs(stage: &mut Stage<'_>, cases: u32, trying: Trying) -> Play {
    let mut draw = Draw::new(stage.seed);
    for _ in 0..cases {
        stage.case();
        let (program, choices) = (draw.program(5), draw.split());
        let Err(trouble) = trying(stage, &program, choices.clone()) else { continue };
        return Err(match trouble {
            Trouble::Broken(_) => smallest(stage, program, &choices, trying, trouble),
            trouble => trouble,
        });
    }
    Ok(())
}

/// What the smallest program comes to that is broken and was found; the stage remembers its steps.
fn smallest(stage: &mut Stage<'_>, program: Program, choices: &Draw, trying: Trying, trouble: Trouble) -> Trouble {
    let (mut candidates, mut found, mut steps) = (program.smaller(), trouble, stage.steps_taken());
    let mut tried = 0;
    while let Some(candidate) = candidates.pop()
        && tried < SMALLER
    {
        tried += 1;
        stage.case();
        if let Err(trouble @ Trouble::Broken(_)) = trying(stage, &candidate, choices.clone()) {
            (candidates, found, steps) = (candidate.smaller(), trouble, stage.steps_taken());
        }
    }
    stage.take_steps(steps);
    found
}

fn approved_in_any_order(stage: &mut Stage<'_>) -> Play {
    let cases = stage.cases;
    programs(stage, cases, |stage, program, draw| approved(stage, program, draw, |_| Ok(())))
}

/// Runs a program, approving some of what waits at each pause, after something else was done.
pub(super) fn approved(
    stage: &mut Stage<'_>,
    program: &Program,
    mut draw: Draw,
    at_pause: fn(&mut Stage<'_>) -> Play,
) -> Play {
    let mut outcome = stage.execute(&program.code())?;
    let mut approved = BTreeSet::new();
    while outcome.status() == "paused" {
        let pending = outcome.paused()?;
        demand!(!pending.is_empty(), "it is paused, and nothing is pending");
        happened(stage, &outcome.id(), program, &approved)?;
        at_pause(stage)?;
        let chosen = some(&mut draw, pending);
        for call in &chosen {
            demand!(
                program.effects().contains(&call.text()),
                "`{}` waits, and the program has no such effect",
                call.text()
            );
            demand!(approved.insert(call.text()), "`{}` waits again after it was approved", call.text());
        }
        outcome = stage.approve(&chosen)?;
    }
    same("the result of the program", &outcome.completed()?, &program.result())?;
    let mut effects = stage.effects(&outcome.id())?;
    effects.sort_unstable();
    same("its effects", &effects, &program.effects())
}

/// Some of what waits, in any order, at least one.
fn some(draw: &mut Draw, mut pending: Vec<Pending>) -> Vec<Pending> {
    let mut chosen = Vec::new();
    let count = 1 + draw.below(pending.len().max(1));
    while chosen.len() < count && !pending.is_empty() {
        chosen.push(pending.swap_remove(draw.below(pending.len())));
    }
    chosen
}

/// Demands that what happened so far is part of the program, once each, and that no gate is among it that nobody opened.
fn happened(stage: &mut Stage<'_>, id: &str, program: &Program, approved: &BTreeSet<String>) -> Play {
    let (effects, all) = (stage.effects(id)?, program.effects());
    let unique: BTreeSet<&String> = effects.iter().collect();
    demand!(unique.len() == effects.len(), "an effect happened twice before a pause: {effects:?}");
    for effect in &effects {
        demand!(all.contains(effect), "`{effect}` happened, and the program has no such effect");
        let is_open = !effect.starts_with('g') || approved.contains(effect);
        demand!(is_open, "`{effect}` happened before it was approved");
    }
    Ok(())
}

fn undone_at_any_point(stage: &mut Stage<'_>) -> Play {
    let cases = stage.cases.div_ceil(2);
    programs(stage, cases, undone)
}

/// Runs a program for some passes, and rolls it back.
fn undone(stage: &mut Stage<'_>, program: &Program, mut draw: Draw) -> Play {
    let mut outcome = stage.execute(&program.code())?;
    let mut passes = draw.below(4);
    while outcome.status() == "paused" && passes > 0 {
        passes -= 1;
        let chosen = some(&mut draw, outcome.paused()?);
        outcome = stage.approve(&chosen)?;
    }
    if outcome.status() != "paused" {
        same("the result of the program", &outcome.completed()?, &program.result())?;
    }
    let id = outcome.id();
    let mut done: Vec<(u64, String)> = stage.books(&id)?.rows.into_iter().map(|row| (row.seq, row.text)).collect();
    let mut texts: Vec<String> = done.iter().map(|(_, text)| text.clone()).collect();
    texts.sort_unstable();
    demand!(outcome.status() == "paused" || texts == program.effects(), "it completed, and its effects are {texts:?}");
    stage.rollback(&id)?;
    // Newest first.
    done.sort_unstable_by(|a, b| b.cmp(a));
    let books = stage.books(&id)?;
    same("effects that are left after a rollback", &books.texts(), &Vec::new())?;
    same("what was undone, in order", &books.undone, &done.into_iter().map(|(_, text)| text).collect())?;
    // Where nothing was undone the status stays, and so does what waits.
    if !books.undone.is_empty() {
        same("what is pending after a rollback", &stage.pending(Some(&id))?, &Vec::new())?;
    }
    Ok(())
}
