//! An execution in full, for people: what it is, where it stands, what it did, and what others did about it.

use std::collections::BTreeMap;

use codemode_runtime::durable::journal::{Decision, Request, Verdict};
use codemode_runtime::durable::rollback::{Configured, offer};
use codemode_runtime::store::Record;
use codemode_runtime::{Entry, EntryState, Offer, Status, Undone};

use super::outcome::{code_error, many, tone, value};
use super::table::{Cell, table};
use super::text::{indent, json, path, safe};
use super::time::{span, utc};
use super::{BAD, BOLD, DIM, GOOD, WAITS, logs, styled, width};

/// Everything that is known of it. `works` says who works on it, if anybody does.
pub(crate) fn human(record: &Record, works: Option<&str>) -> String {
    let execution = &record.execution;
    let mut out = head(record, works);
    section(&mut out, "code", &indent(&safe(execution.start.code.trim_end()), "  "));
    let snippets = snippets(&record.entries);
    if !snippets.is_empty() {
        section(&mut out, "snippets", &snippets.iter().map(snippet).collect::<Vec<_>>().join("\n"));
    }
    let calls: Vec<&Entry> = record.entries.iter().filter(|e| e.seq.is_some()).collect();
    let rows: Vec<_> = calls.iter().map(|e| row(e)).collect();
    section(
        &mut out,
        "journal",
        &match rows.len() {
            0 => "  no calls".to_owned(),
            _ => rows_of(&["SEQ", "CALL", "STATE", "ARGS", "RESULT", "APPROVED"], &rows, 3),
        },
    );
    let reverts: Vec<_> = calls.iter().filter_map(|e| revert(e)).collect();
    if !reverts.is_empty() {
        section(&mut out, "reverts", &rows_of(&["SEQ", "CALL", "ATTEMPT", "LAST", "OUTCOME"], &reverts, 5));
    }
    let resolutions: Vec<_> = calls.iter().filter_map(|e| resolution(e)).collect();
    if !resolutions.is_empty() {
        section(&mut out, "resolutions", &rows_of(&["SEQ", "CALL", "SAID", "BY"], &resolutions, 4));
    }
    if !execution.logs.is_empty() {
        section(&mut out, "logs", &logs::passes(&execution.logs, &execution.logged));
    }
    if let Some(result) = &execution.result {
        section(&mut out, "result", &indent(&json(result.as_str()), "  "));
    }
    if let Some(error) = &execution.error {
        section(&mut out, "error", &indent(&code_error(error, &execution.start.code), "  "));
    }
    out
}

fn head(record: &Record, works: Option<&str>) -> String {
    let execution = &record.execution;
    let status = execution.status.as_str();
    let passes = many(execution.pass as usize, "pass");
    let took = execution.ended_at.map_or_else(String::new, |end| {
        format!(", ended after {}", span(end.saturating_sub(execution.start.created_at)))
    });
    let mut lines = vec![
        format!("{} {}", styled(BOLD, execution.id()), styled(tone(status), status)),
        styled(DIM, format!("started {}, {passes}{took}", utc(execution.start.created_at))),
    ];
    lines.extend(works.map(|works| styled(WAITS, works)));
    let in_doubt = record.entries.iter().filter(|e| e.is_in_doubt()).count();
    if in_doubt > 0 {
        let verb = if in_doubt == 1 { "is in doubt: it" } else { "are in doubt: they" };
        lines.push(styled(WAITS, format!("{} {verb} may have happened", many(in_doubt, "call"))));
    }
    lines.extend(rolled_back(record));
    lines.join("\n") + "\n"
}

/// How far a rollback came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RolledBack {
    /// Calls that are undone.
    pub(crate) reverted: usize,
    /// Calls whose revert failed.
    pub(crate) failed: usize,
    /// Calls that may still have their effect.
    pub(crate) left: usize,
}

impl RolledBack {
    /// `None` where nobody tried one.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        let count = |wanted: fn(&Entry) -> bool| record.entries.iter().filter(|e| wanted(e)).count();
        let tried = count(|e| e.revert.is_some());
        (tried > 0 || record.execution.status == Status::RolledBack).then(|| Self {
            reverted: count(|e| e.state == EntryState::Reverted),
            failed: count(Entry::is_not_reverted),
            left: count(may_have_effect),
        })
    }
}

/// Whether its effect may still be there, as far as the journal knows.
fn may_have_effect(entry: &Entry) -> bool {
    let is_settled = entry.revert.as_ref().is_some_and(|r| r.failure.is_none()) && entry.state != EntryState::Reverting;
    !is_settled && offer(entry, Configured::NotRevertible) == Offer::Report(Undone::NoRevert)
}

fn rolled_back(record: &Record) -> Option<String> {
    let RolledBack { reverted, failed, left } = RolledBack::of(record)?;
    let undone = many(reverted, "call");
    let failed = match failed {
        0 => String::new(),
        failed => format!(", {} failed", many(failed, "revert")),
    };
    let is = if reverted == 1 { "is" } else { "are" };
    Some(match (record.execution.status, left) {
        (Status::RolledBack, 0) => styled(GOOD, format!("{undone} {is} undone, nothing is left")),
        (Status::RolledBack, _) => {
            let may = if left == 1 { "may still have its effect" } else { "may still have their effect" };
            styled(BAD, format!("rolled back only in part: {undone} undone, {left} {may}{failed}"))
        }
        _ => styled(BAD, format!("a rollback undid nothing{failed}")),
    })
}

fn section(out: &mut String, title: &str, text: &str) {
    out.push_str(&format!("\n{}\n{text}\n", styled(BOLD, title)));
}

fn rows_of(headings: &[&str], rows: &[Vec<Cell>], flexible: usize) -> String {
    indent(&table(headings, rows, flexible, width().map(|w| w - 2)), "  ")
}

/// A snippet that the code ran.
pub(crate) struct Used<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// How often it was run.
    pub(crate) runs: usize,
    /// Its code as it was then; several, where it was edited meanwhile.
    codes: Vec<String>,
}

/// The snippets that the code ran, by name.
pub(crate) fn snippets(entries: &[Entry]) -> Vec<Used<'_>> {
    let mut used: BTreeMap<&str, Used<'_>> = BTreeMap::new();
    for entry in entries {
        let Request::Snippet { name, .. } = &entry.request else { continue };
        let used = used.entry(name).or_insert(Used { name, runs: 0, codes: Vec::new() });
        used.runs += 1;
        let answer = entry.answer.as_ref().and_then(|a| a.as_ref().ok()).and_then(Option::as_ref);
        let answer: Option<serde_json::Value> = answer.and_then(|json| serde_json::from_str(json.as_str()).ok());
        used.codes.extend(answer.and_then(|answer| Some(answer.get("code")?.as_str()?.to_owned())));
    }
    used.into_values().collect()
}

fn snippet(used: &Used<'_>) -> String {
    let head = format!("  {} {}", safe(used.name), styled(DIM, format!("({})", many(used.runs, "run"))));
    let codes = used.codes.iter().map(|code| indent(&safe(code.trim_end()), "    "));
    [head].into_iter().chain(codes).collect::<Vec<_>>().join("\n")
}

fn names(entry: &Entry) -> [Cell; 2] {
    let (connector, method) = entry.request.path();
    let seq = entry.seq.map_or_else(String::new, |s| s.to_string());
    [Cell::plain(seq), Cell::plain(path(connector, method))]
}

fn row(entry: &Entry) -> Vec<Cell> {
    let state = entry.state.as_str();
    let result = match &entry.answer {
        None => Cell::plain(""),
        Some(Ok(_)) if entry.is_ephemeral() => Cell("not kept".to_owned(), DIM),
        Some(Ok(answer)) => Cell::plain(value(answer.as_ref())),
        Some(Err(failure)) => Cell(format!("{}: {}", failure.code, failure.message), tone("failed")),
    };
    let state = Cell(state.to_owned(), tone(state));
    let args = Cell::plain(value(entry.request.args()));
    let approved = Cell::plain(entry.decision.as_ref().map_or_else(String::new, who));
    names(entry).into_iter().chain([state, args, result, approved]).collect()
}

fn who(decision: &Decision) -> String {
    let reason = decision.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    format!("{} ({}){reason}", decision.actor, decision.channel)
}

/// The last attempt at undoing a call.
fn revert(entry: &Entry) -> Option<Vec<Cell>> {
    let revert = entry.revert.as_ref()?;
    let outcome = match (&revert.failure, entry.state) {
        (Some(failure), _) => Cell(format!("failed: {}: {}", failure.code, failure.message), BAD),
        (None, EntryState::Reverting) => Cell("being undone".to_owned(), WAITS),
        (None, EntryState::Reverted) => Cell("reverted".to_owned(), GOOD),
        (None, _) => Cell("nothing to revert".to_owned(), DIM),
    };
    let rest = [Cell::plain(revert.number.to_string()), Cell::plain(utc(revert.at)), outcome];
    Some(names(entry).into_iter().chain(rest).collect())
}

/// What a person said of a call in doubt.
fn resolution(entry: &Entry) -> Option<Vec<Cell>> {
    let resolution = entry.resolution.as_ref()?;
    let said = match resolution.verdict {
        Verdict::Retry => "do it again",
        Verdict::Applied => "it happened",
        Verdict::Failed => "it failed",
    };
    let by = format!("{}, {}", who(&resolution.decision), utc(resolution.decision.at));
    Some(names(entry).into_iter().chain([Cell::plain(said), Cell::plain(by)]).collect())
}
