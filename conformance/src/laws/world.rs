//! Laws of what happened outside, beside what the record says of it.

use std::collections::BTreeMap;

use codemode_runtime::durable::journal::Approval;
use codemode_runtime::{EntryState, Status};

use super::{Law, Seen, has_effect, piece, require};
use crate::fixtures::EventKind;
use crate::model::Expected;

pub(super) const LAWS: &[Law] = &[
    Law { text: "nothing happens that the program does not ask for", holds: only_what_was_asked },
    Law { text: "an effect happens once, whatever happens to the processes", holds: effects_happen_once },
    Law { text: "what happened has its row, with the same method and arguments", holds: effects_have_rows },
    Law { text: "what needs consent happened only with it", holds: consent_comes_first },
    Law { text: "of a completed program everything happened", holds: everything_happened },
    Law { text: "calls are undone newest first, and once each", holds: newest_first },
    Law { text: "only what happened is undone, and the record knows of it", holds: only_what_happened },
    Law { text: "the end is told once, with its status, and once more when it is undone", holds: the_end_is_told_once },
    Law { text: "after the end was told nothing happens any more but undoing", holds: nothing_after_the_end },
];

/// How often each piece was performed, reads that are never recorded apart.
fn performed(seen: &Seen<'_>) -> BTreeMap<String, u32> {
    let mut performed = BTreeMap::new();
    for event in seen.of_kind(EventKind::Performed).filter(|e| e.method != "live") {
        *performed.entry(piece(event)).or_default() += 1;
    }
    performed
}

fn only_what_was_asked(seen: &Seen<'_>, expected: &Expected) -> Result<(), String> {
    for (what, times) in performed(seen) {
        let once = expected.performed.get(&what).copied().unwrap_or(0);
        require(times <= once * seen.processes, || format!("{what}: {times} times, not {once}"))?;
    }
    Ok(())
}

fn effects_happen_once(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    let twice = performed(seen).into_iter().find(|(what, times)| {
        let method = what.split(' ').next().unwrap_or_default();
        has_effect(method) && *times > 1
    });
    require(twice.is_none(), || format!("{twice:?}"))
}

fn effects_have_rows(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    for event in seen.of_kind(EventKind::Performed).filter(|e| has_effect(&e.method)) {
        let entry = seen.entry_of(&event.key).ok_or_else(|| format!("{event:?}"))?;
        let args = entry.request.args().map(|a| a.as_str());
        let same = entry.request.path() == (&event.fixture, &event.method) && args == event.args.as_deref();
        let began = !matches!(entry.state, EntryState::Pending | EntryState::Withdrawn);
        require(same && began && entry.attempt > 0, || format!("{event:?} {entry:?}"))?;
    }
    Ok(())
}

fn consent_comes_first(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    for event in seen.of_kind(EventKind::Performed).filter(|e| has_effect(&e.method)) {
        let entry = seen.entry_of(&event.key);
        let free = entry.is_some_and(|e| e.terms.approval == Approval::NotNeeded || e.decision.is_some());
        require(free, || format!("{event:?} {entry:?}"))?;
    }
    Ok(())
}

fn everything_happened(seen: &Seen<'_>, expected: &Expected) -> Result<(), String> {
    if seen.record.execution.status != Status::Completed {
        return Ok(());
    }
    let performed = performed(seen);
    let missing = expected.performed.iter().find(|(what, _)| !performed.contains_key(*what));
    require(missing.is_none(), || format!("{missing:?}"))
}

/// The keys of what was undone, in order. One of them may be there twice in a row: the process that asked for it was gone
/// before the answer.
fn undone(seen: &Seen<'_>) -> Vec<String> {
    let mut keys: Vec<String> = seen.of_kind(EventKind::Reverted).map(|e| e.key.clone()).collect();
    if seen.processes > 1 {
        keys.dedup();
    }
    keys
}

fn newest_first(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    let seqs: Vec<_> = undone(seen).iter().map(|key| seen.entry_of(key).and_then(|e| e.seq)).collect();
    require(seqs.is_sorted_by(|a, b| a > b), || format!("{seqs:?}"))
}

fn only_what_happened(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    for key in undone(seen) {
        let happened = seen.of_kind(EventKind::Performed).any(|e| e.key == key);
        let state = seen.entry_of(&key).map(|e| e.state);
        require(happened && state == Some(EntryState::Reverted), || format!("{key} {state:?}"))?;
    }
    let reverted = seen.record.entries.iter().filter(|e| e.state == EntryState::Reverted);
    for entry in reverted.filter(|e| has_effect(e.request.path().1)) {
        let known = seen.of_kind(EventKind::Reverted).any(|e| seen.entry_of(&e.key).map(|e| e.op) == Some(entry.op));
        require(known, || format!("{entry:?}"))?;
    }
    Ok(())
}

fn nothing_after_the_end(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    let id = seen.record.execution.id().to_string();
    let mut ours = seen.events.iter().filter(|e| e.execution == id);
    let told = ours.by_ref().find(|e| e.kind == EventKind::ExecutionEnded);
    // Whoever comes after a process that was gone tells again what it may not have told: a pass's end as well.
    let told_late = |kind: EventKind| kind == EventKind::PassEnded && seen.processes == 1;
    let late = ours.find(|e| e.kind == EventKind::Performed || told_late(e.kind));
    require(told.is_none() || late.is_none(), || format!("{late:?} after {told:?}"))
}

fn the_end_is_told_once(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    let told: Vec<&str> = seen.of_kind(EventKind::ExecutionEnded).map(|e| e.method.as_str()).collect();
    let status = seen.record.execution.status;
    if seen.processes > 1 {
        return require(status.is_terminal() || told.is_empty(), || format!("{told:?} while {status}"));
    }
    let ends = told.iter().filter(|word| **word != "rolled_back").count();
    let fits = match status {
        Status::Running | Status::Paused => told.is_empty(),
        Status::RolledBack => ends <= 1 && told[ends..].first() == Some(&"rolled_back"),
        ended => told == [ended.as_str()],
    };
    require(fits, || format!("{told:?} while {status}"))
}
