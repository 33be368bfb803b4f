//! What a process had said before it died: to its caller, or as a store to its runtime. It must be true afterwards.

use codemode_runtime::durable::journal::{Entry, EntryState};
use codemode_runtime::store::Record;
use codemode_runtime::{Json, Status};
use serde_json::Value;

use crate::script::Script;
use crate::seen::Seen;

/// Everything that was said holds.
pub(crate) fn hold(script: &Script, seen: &Seen, said: &[&[Value]], at: &str) {
    for line in said.iter().copied().flatten() {
        if let Some(id) = line["durable"].as_str() {
            let Some(record) = seen.records.get(id) else {
                assert!(script.forgets(), "{at}: {id} is gone, and was durable: {line}");
                continue;
            };
            for fact in line["facts"].as_array().into_iter().flatten() {
                assert!(
                    script.is_cut_off() || is_kept(record, fact),
                    "{at}: {fact} of {id} was durable, and is {record:#?}"
                );
            }
        }
        match &line["fact"] {
            Value::Array(facts) => facts.iter().for_each(|fact| holds(script, seen, fact, at)),
            fact => holds(script, seen, fact, at),
        }
    }
}

/// Whether anything was said of that execution.
pub(crate) fn knows(said: &[&[Value]], id: &str) -> bool {
    let text = format!("\"{id}\"");
    said.iter().copied().flatten().any(|line| line.to_string().contains(&text))
}

/// The executions that were deleted.
pub(crate) fn deleted(said: &[&[Value]]) -> Vec<String> {
    let lines = said.iter().copied().flatten();
    lines.filter_map(|l| l["fact"]["deleted"].as_str().map(str::to_owned)).collect()
}

/// A word of the store about a write.
fn is_kept(record: &Record, fact: &Value) -> bool {
    if let Some(op) = fact["op"].as_u64() {
        let Some(entry) = usize::try_from(op).ok().and_then(|op| record.entries.get(op)) else { return false };
        return is_at_least(entry, fact);
    }
    let rank = |status: Status| match status {
        Status::Running => 0,
        Status::Paused => 1,
        _ => 2,
    };
    let status = fact["status"].as_str().and_then(Status::parse).expect("a status");
    let then = (fact["pass"].as_u64().expect("a pass"), rank(status));
    (u64::from(record.execution.pass), rank(record.execution.status)) >= then
}

fn is_at_least(entry: &Entry, fact: &Value) -> bool {
    let answered = match fact["answered"].as_str().and_then(EntryState::parse) {
        Some(EntryState::Applied | EntryState::Failed | EntryState::Unrecordable) => {
            !matches!(entry.state, EntryState::Executing | EntryState::Pending | EntryState::Unknown)
        }
        _ => true,
    };
    let decided = !fact["decided"].is_boolean() || entry.decision.is_some();
    let resolved = !fact["resolved"].is_boolean() || entry.resolution.is_some();
    let reverted = match fact["revert"].as_str().and_then(EntryState::parse) {
        Some(EntryState::Reverted) => entry.state == EntryState::Reverted,
        Some(_) => entry.revert.is_some(),
        None => true,
    };
    answered && decided && resolved && reverted
}

/// A word to a caller.
fn holds(script: &Script, seen: &Seen, fact: &Value, at: &str) {
    if let Some(id) = fact["deleted"].as_str() {
        assert!(!seen.records.contains_key(id), "{at}: {id} was deleted");
    }
    if let Some(name) = fact["snippet"].as_str() {
        assert!(seen.snippets.iter().any(|s| s == name), "{at}: snippet {name} was saved");
    }
    let Some(id) = fact["id"].as_str() else { return };
    let Some(record) = seen.records.get(id) else {
        assert!(script.forgets(), "{at}: {id} is gone: {fact}");
        return;
    };
    let execution = &record.execution;
    let of = |seq: &Value| record.entries.iter().find(|e| e.seq.map(|s| u64::from(s.0)) == seq.as_u64());
    if let Some(ended) = fact["ended"].as_str() {
        assert_eq!(execution.status.as_str(), ended, "{at}: {fact}");
    }
    match fact["status"].as_str().and_then(Status::parse) {
        Some(Status::Completed) => {
            assert!(matches!(execution.status, Status::Completed | Status::RolledBack), "{at}: {fact}");
            assert_eq!(fact["result"].as_str(), execution.result.as_ref().map(Json::as_str), "{at}: {fact}");
        }
        Some(Status::Error) => {
            assert!(matches!(execution.status, Status::Error | Status::RolledBack), "{at}: {fact}");
            assert_eq!(fact["error"].as_str(), execution.error.as_ref().map(|e| e.message.as_str()), "{at}: {fact}");
        }
        Some(Status::Paused) => {
            for seq in fact["pending"].as_array().into_iter().flatten() {
                let entry = of(seq).unwrap_or_else(|| panic!("{at}: {fact}"));
                assert!(entry.digest.is_some(), "{at}: {fact}");
            }
        }
        Some(status) => {
            let then = [status, Status::RolledBack];
            assert!(then.contains(&execution.status), "{at}: {fact} and not {}", execution.status);
        }
        None => {}
    }
    for seq in fact["approved"].as_array().into_iter().flatten() {
        let decision = of(seq).and_then(|e| e.decision.as_ref());
        assert!(decision.is_some(), "{at}: {fact}");
    }
    for seq in fact["reverted"].as_array().into_iter().flatten() {
        let state = of(seq).map(|e| e.state);
        assert_eq!(state, Some(EntryState::Reverted), "{at}: {fact}");
    }
}
