//! What must be true after a death, and what must be the same at the end.

use std::collections::{BTreeMap, BTreeSet};

use codemode_conformance::fixtures::{Event, EventKind};
use codemode_runtime::durable::journal::{Approval, Entry, EntryState, Repeatable, Request};
use codemode_runtime::durable::write::HookKind;
use codemode_runtime::store::Record;
use codemode_runtime::{Json, Status};
use serde_json::Value;

use crate::facts;
use crate::script::{Absent, First, Part, Same, Script};
use crate::seen::Seen;

/// What is left when everything is over; ids and times are left out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Final {
    /// Of each execution: its name, its status and what came of it.
    ends: BTreeMap<&'static str, String>,
    /// Effects, each once.
    effects: Vec<String>,
    /// Effects that were taken back.
    undone: Vec<String>,
    journal: Vec<String>,
    /// Numbers that connectors keep.
    state: BTreeMap<String, i64>,
}

impl Final {
    pub(crate) fn of(script: &Script, seen: &Seen) -> Self {
        let mut ends: BTreeMap<&'static str, String> =
            script.codes().into_iter().map(|(name, _)| (name, "gone".to_owned())).collect();
        for record in seen.records.values() {
            let before = ends.insert(script.name_of(&record.execution.start.code), end_of(record));
            assert_eq!(before.as_deref(), Some("gone"), "one execution is there twice");
        }
        let mut journal: Vec<String> = seen.records.values().flat_map(|r| r.entries.iter().filter_map(line)).collect();
        journal.sort();
        let counted = ["total", "ends"];
        let state = seen.state.keys().filter(|key| counted.iter().any(|c| key.ends_with(c)));
        Self {
            ends,
            effects: distinct(&seen.events, EventKind::Performed),
            undone: distinct(&seen.events, EventKind::Reverted),
            journal,
            state: state.map(|key| (key.clone(), seen.number(key))).collect(),
        }
    }
}

fn end_of(record: &Record) -> String {
    let execution = &record.execution;
    match execution.status {
        Status::Completed => format!("completed {}", execution.result.as_ref().map_or("undefined", Json::as_str)),
        Status::Error => {
            let error = execution.error.as_ref().expect("an error has a reason");
            format!("error {}: {}", error.kind.as_str(), error.message)
        }
        status => status.to_string(),
    }
}

fn line(entry: &Entry) -> Option<String> {
    entry.seq?;
    let args = entry.request.args().map_or("", Json::as_str);
    Some(format!("{} {args} {}", entry.request.title(), entry.state.as_str()))
}

/// One line for each key.
fn distinct(events: &[Event], kind: EventKind) -> Vec<String> {
    let of = events.iter().filter(|e| e.kind == kind);
    let by_key: BTreeMap<&str, String> = of
        .map(|e| (e.key.as_str(), format!("{}.{} {}", e.fixture, e.method, e.args.as_deref().unwrap_or(""))))
        .collect();
    let mut lines: Vec<String> = by_key.into_values().collect();
    lines.sort();
    lines
}

/// Without a kill each effect happens once, whatever its class allows.
pub(crate) fn whole(script: &Script, seen: &Seen, whole: &Final) {
    let performed = seen.events.iter().filter(|e| e.kind == EventKind::Performed && e.fixture != "tally").count();
    let other = whole.effects.iter().filter(|line| !line.starts_with("tally")).count();
    assert_eq!(performed, other, "{}: {:#?}", script.name, seen.events);
    end(script, seen, &[], "not killed");
}

/// What holds at every moment.
pub(crate) fn instant(script: &Script, seen: &Seen, said: &[&[Value]], at: &str) {
    assert_eq!(seen.findings, Vec::<String>::new(), "{at}: the file");
    for record in seen.records.values() {
        for (place, entry) in record.entries.iter().enumerate() {
            assert_eq!(entry.op.0 as usize, place, "{at}: the journal has a hole");
        }
        let seqs: Vec<u32> = record.entries.iter().filter_map(|e| Some(e.seq?.0)).collect();
        assert_eq!(seqs, (0..seqs.len() as u32).collect::<Vec<_>>(), "{at}: seqs are dense");
    }
    facts::hold(script, seen, said, at);
    effects(script, seen, said, at);
    state(script, seen, at);
}

/// No effect without its row, none without its consent, none twice except where that is harmless.
fn effects(script: &Script, seen: &Seen, said: &[&[Value]], at: &str) {
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for event in seen.events.iter().filter(|e| e.kind == EventKind::Performed) {
        let times = times.entry(&event.key).or_default();
        *times += 1;
        let Some((record, entry)) = seen.row(&event.key) else {
            let known = script.forgets() && facts::knows(said, &event.execution);
            assert!(known, "{at}: {event:?} has no row");
            continue;
        };
        assert_eq!(entry.request.path(), (event.fixture.as_str(), event.method.as_str()), "{at}");
        let may_repeat = entry.terms.repeatable != Repeatable::No;
        assert!(*times == 1 || may_repeat, "{at}: {event:?} happened {times} times");
        let consented = entry.terms.approval == Approval::NotNeeded || entry.decision.is_some();
        assert!(consented, "{at}: {event:?} had no consent");
        let untouched = matches!(entry.state, EntryState::Withdrawn)
            || (entry.state == EntryState::Pending && entry.resolution.is_none());
        assert!(
            !untouched,
            "{at}: {event:?} happened, the journal says {:?} of {}",
            entry.state, record.execution.status
        );
    }
    for event in seen.events.iter().filter(|e| e.kind == EventKind::Reverted) {
        let Some((_, entry)) = seen.row(&event.key) else { continue };
        let ok = matches!(entry.state, EntryState::Reverting | EntryState::Reverted);
        assert!(ok, "{at}: {event:?} was undone, the journal says {:?}", entry.state);
    }
}

/// What the journal knew when a process died, nobody did again: no call that is answered, no revert that is done.
pub(crate) fn not_again(crashed: &Seen, seen: &Seen, at: &str) {
    let times =
        |seen: &Seen, kind: EventKind, key: &str| seen.events.iter().filter(|e| e.kind == kind && e.key == key).count();
    for record in crashed.records.values() {
        for entry in &record.entries {
            let Some(seq) = entry.seq else { continue };
            let key = Entry::idempotency_key(record.execution.id(), seq);
            let (called, undone) = match entry.state {
                EntryState::Executing | EntryState::Pending | EntryState::Unknown => continue,
                EntryState::Reverted => (true, true),
                _ => (true, false),
            };
            for (known, kind) in [(called, EventKind::Performed), (undone, EventKind::Reverted)] {
                let (then, now) = (times(crashed, kind, &key), times(seen, kind, &key));
                assert!(
                    !known || then == now,
                    "{at}: {entry:?} was in the journal, and {kind:?} {then} and {now} times"
                );
            }
        }
    }
}

/// What connectors keep is what the journal says, exactly.
fn state(script: &Script, seen: &Seen, at: &str) {
    for (part, name) in [(Part::Tally, "tally"), (Part::Sum, "sum")] {
        if !script.has(part) || script.forgets() {
            continue;
        }
        let n =
            |e: &&Entry| e.request.args().and_then(|a| serde_json::from_str::<Value>(a.as_str()).ok()?["n"].as_i64());
        let applied: i64 = seen.applied(name, "add").values().filter_map(n).sum();
        assert_eq!(seen.number(&format!("{name} total")), applied, "{at}: the total of {name}");
        let due = |kind| {
            let hooks = seen.records.values().flat_map(|r| &r.hooks);
            hooks.filter(|h| h.kind == kind && h.connector == name).count() as i64
        };
        if script.first != First::Nothing {
            let over = |r: &Record| i64::from(r.execution.pass) - i64::from(r.execution.status == Status::Running);
            let passes: i64 = seen.records.values().map(over).sum();
            let told = seen.number(&format!("{name} passes")) + due(HookKind::PassEnded);
            assert_eq!(told, passes, "{at}: the passes that {name} was told of");
        }
    }
    keys(seen, "kit", "add", "row/", at);
    keys(seen, "notes", "createNote", "at/", at);
    let notes = seen.state.keys().filter(|k| k.starts_with("notes note/")).count();
    assert_eq!(notes, seen.applied("notes", "createNote").len(), "{at}: one note for each call");
}

/// One key for each call that is applied.
fn keys(seen: &Seen, connector: &str, method: &str, prefix: &str, at: &str) {
    let start = format!("{connector} {prefix}");
    let kept: BTreeSet<String> = seen.state.keys().filter_map(|k| Some(k.strip_prefix(&start)?.to_owned())).collect();
    let applied: BTreeSet<String> = seen.applied(connector, method).into_keys().collect();
    assert_eq!(kept, applied, "{at}: what {connector} keeps");
}

/// What holds when another process has gone on to the end.
pub(crate) fn end(script: &Script, seen: &Seen, said: &[&[Value]], at: &str) {
    assert_eq!(seen.owned, [], "{at}: nobody works on anything");
    for record in seen.records.values() {
        let status = record.execution.status;
        assert!(status.is_terminal(), "{at}: {status}");
        assert_eq!(record.hooks, [], "{at}: hooks are due");
        for entry in &record.entries {
            let open = [EntryState::Executing, EntryState::Pending, EntryState::Reverting];
            assert!(!open.contains(&entry.state) && !entry.is_in_doubt(), "{at}: {entry:?} is open");
        }
        if script.has(Part::Hooked) {
            hooks(script, seen, record, at);
        }
    }
    for id in facts::deleted(said) {
        let told = seen.events.iter().any(|e| e.kind == EventKind::ExecutionEnded && e.execution == id);
        assert!(told || !script.has(Part::Hooked), "{at}: nobody was told that {id} ended");
    }
    if script.same == Same::Nothing {
        let left = distinct(&seen.events, EventKind::Performed);
        assert_eq!(left, distinct(&seen.events, EventKind::Reverted), "{at}: an effect was left");
    }
}

/// Connectors hear of each pass, and of the end.
fn hooks(script: &Script, seen: &Seen, record: &Record, at: &str) {
    let id = record.execution.id().to_string();
    let of = |kind: EventKind| seen.events.iter().filter(move |e| e.kind == kind && e.fixture == "w");
    let mut told = of(EventKind::ExecutionEnded).filter(|e| e.execution == id);
    let last = told.next_back().unwrap_or_else(|| panic!("{at}: nobody was told of the end"));
    assert_eq!(last.method, record.execution.status.as_str(), "{at}");
    if script.first != First::Nothing {
        for pass in 1..=record.execution.pass {
            let mut ends = of(EventKind::PassEnded).filter(|e| e.execution == id && e.key == pass.to_string());
            assert!(ends.next().is_some(), "{at}: nobody was told of the end of pass {pass}");
        }
    }
}

/// The calls in doubt that a process found, how many. Each is legal: its class forbids a second time, its row was durable
/// when the former process died, and its answer was not. And no such call was forgotten.
pub(crate) fn doubts(script: &Script, crashed: &Seen, said: &[Value], at: &str) -> u64 {
    let found: BTreeMap<&str, bool> =
        said.iter().filter_map(|l| Some((l["doubt"].as_str()?, l["happened"].as_bool()?))).collect();
    if script.is_cut_off() {
        // Its passes are cut off by a limit, which leaves calls in doubt too.
        return found.len() as u64;
    }
    for (key, happened) in &found {
        let (record, entry) = crashed.row(key).unwrap_or_else(|| panic!("{at}: {key} is in doubt and had no row"));
        let was_open = matches!(entry.state, EntryState::Executing | EntryState::Unknown) && entry.attempt > 0;
        // When the code will not go on, it is not performed again whatever its class.
        let is_left = !entry.terms.may_repeat() || record.execution.status.is_terminal();
        assert!(was_open && entry.terms.needs_barrier() && is_left, "{at}: {entry:?}");
        let truth = crashed.events.iter().any(|e| e.kind == EventKind::Performed && e.key == **key);
        assert_eq!(truth, *happened, "{at}: {key}");
    }
    if script.first != First::Nothing {
        for record in crashed.records.values() {
            let open = record.entries.iter().filter(|e| {
                let is_call = matches!(e.request, Request::Call { .. });
                is_call && e.state == EntryState::Executing && e.terms.needs_barrier() && !e.terms.may_repeat()
            });
            for key in open.filter_map(|e| Some(Entry::idempotency_key(record.execution.id(), e.seq?))) {
                assert!(found.contains_key(key.as_str()), "{at}: nobody asked about {key}");
            }
        }
    }
    found.len() as u64
}

/// The same as without a kill.
pub(crate) fn same(script: &Script, whole: &Final, seen: &Final, at: &str) {
    for (name, end) in &whole.ends {
        let got = &seen.ends[name];
        let also = script.also.iter().any(|also| format!("{name}: {got}").starts_with(also));
        assert!(got == end || also, "{at}: {name} ended as {got}, without a kill as {end}");
    }
    if script.same != Same::All {
        return;
    }
    assert_eq!(seen.effects, whole.effects, "{at}: effects");
    assert_eq!(seen.undone, whole.undone, "{at}: what was undone");
    for (key, number) in &whole.state {
        // The end of a rollback is told again where its process died before it could say that all is done.
        let again = key.ends_with("ends") && script.undoes();
        let got = seen.state.get(key).copied().unwrap_or_default();
        assert!(got == *number || (again && got > *number), "{at}: {key} is {got}, without a kill {number}");
    }
    if script.absent == Absent::Retry {
        assert_eq!(seen.journal, whole.journal, "{at}: the journal");
    }
}
