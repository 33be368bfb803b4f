//! `executions`: a list, newest first, page by page, with marks where somebody should look.

use std::collections::BTreeSet;

use codemode_runtime::clock::{Clock as _, SystemClock};
use codemode_runtime::durable::retention::is_stale;
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::store::{Attention, Summary};
use codemode_runtime::{ExecutionId, Query, Status, Store as _};
use serde::Serialize;

use crate::args::{Executions, LIMIT, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::tone;
use crate::output::table::{Cell, table};
use crate::output::time::{short, utc};
use crate::output::{BAD, BOLD, DIM, Ui, WAITS, styled, width};
use crate::select;
use crate::setup::{Opening, Setup};

/// One execution; the keys are stable.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    execution_id: &'a str,
    status: &'a str,
    created_at: u64,
    updated_at: u64,
    ended_at: Option<u64>,
    passes: u32,
    calls: u32,
    pending: u32,
    unresolved: u32,
    not_reverted: u32,
    /// Its process is gone.
    abandoned: bool,
    code_start: &'a str,
    damaged: Option<&'a str>,
}

/// A page; the keys are stable.
#[derive(Serialize)]
struct Page<'a> {
    executions: Vec<Line<'a>>,
    /// What `--before` takes to go on; `null` on the last page.
    next: Option<&'a str>,
}

pub(super) fn run(args: &Executions, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let before = args.before.as_deref().map(|text| select::find(&*store, text)).transpose()?;
    let limit = args.limit as usize;
    let mut found = page(&store, args, before)?;
    let next = (found.len() > limit).then(|| found.truncate(limit)).and(found.last()).map(|last| last.id.clone());
    let gone = gone(&store, &found)?;
    let is_gone = |summary: &Summary| gone.contains(&summary.id);
    if ui.form() == Output::Json {
        let executions = found.iter().map(|summary| line(summary, is_gone(summary))).collect();
        ui.json(&Page { executions, next: next.as_ref().map(ExecutionId::as_str) })?;
    } else if !found.is_empty() {
        ui.data(listed(&found, is_gone, width()))?;
    }
    match &next {
        _ if found.is_empty() => ui.talk("no executions"),
        Some(last) => {
            let words = next_words(args, last);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            ui.talk(format!("older ones: {}", styled(BOLD, setup.command(&words))));
        }
        None => {}
    }
    Ok(Exit::Completed)
}

/// One more than asked for, where there are more.
fn page(store: &SqliteStore, args: &Executions, before: Option<ExecutionId>) -> Result<Vec<Summary>, Fault> {
    let wanted = args.limit as usize + 1;
    let now = SystemClock::default().epoch_ms();
    let attention = match (args.unresolved, args.not_reverted) {
        (true, _) => Some(Attention::Unresolved),
        (_, true) => Some(Attention::NotReverted),
        _ => None,
    };
    let limit = Some(args.limit.saturating_add(1));
    let age_ms = args.older_than.as_ref().map(|age| age.ms);
    let idle_since = age_ms.map(|age| now.saturating_sub(age));
    let mut query = Query { status: args.status, before, limit, attention, idle_since, ..Query::default() };
    let mut found = Vec::new();
    loop {
        let next = store.list(&query)?;
        let all = next.len() < wanted;
        query.before = next.last().map(|summary| summary.id.clone());
        // The store looks at the row alone; calls change the journal.
        let idle = |summary: &Summary| age_ms.is_none_or(|age| is_stale(summary.updated_at, now, age));
        found.extend(next.into_iter().filter(idle));
        if all || found.len() >= wanted {
            found.truncate(wanted);
            return Ok(found);
        }
    }
}

/// The running ones whose process is gone.
fn gone(store: &SqliteStore, found: &[Summary]) -> Result<BTreeSet<ExecutionId>, Fault> {
    let mut gone = BTreeSet::new();
    if found.iter().any(|summary| summary.status == Status::Running) {
        for (id, owner) in store.owned()? {
            if found.iter().any(|summary| summary.id == id) && !store.owner_is_alive(owner)? {
                gone.insert(id);
            }
        }
    }
    Ok(gone)
}

/// The words that lead to the next page.
fn next_words(args: &Executions, last: &ExecutionId) -> Vec<String> {
    let mut words = vec!["executions".to_owned()];
    let mut add = |flag: &str, value: Option<String>| {
        words.push(flag.to_owned());
        words.extend(value);
    };
    if let Some(status) = args.status {
        add("--status", Some(status.to_string()));
    }
    if args.unresolved {
        add("--unresolved", None);
    }
    if args.not_reverted {
        add("--not-reverted", None);
    }
    if let Some(age) = &args.older_than {
        add("--older-than", Some(age.text.clone()));
    }
    if args.limit != LIMIT {
        add("--limit", Some(args.limit.to_string()));
    }
    add("--before", Some(last.to_string()));
    words
}

fn line(summary: &Summary, abandoned: bool) -> Line<'_> {
    Line {
        execution_id: summary.id.as_str(),
        status: summary.status.as_str(),
        created_at: summary.created_at,
        updated_at: summary.updated_at,
        ended_at: summary.ended_at,
        passes: summary.pass,
        calls: summary.calls,
        pending: summary.pending,
        unresolved: summary.unresolved,
        not_reverted: summary.not_reverted,
        abandoned,
        code_start: &summary.code_start,
        damaged: summary.damaged.as_deref(),
    }
}

/// How much of the ids is shown: on a terminal no more than tells them apart, so that there is room for the code. A
/// beginning is as good as an id.
fn id_columns(found: &[Summary], width: Option<usize>) -> usize {
    /// The prefix, the time, and four digits.
    const SHORT: usize = 26;
    let start = |s: &Summary| s.id.as_str().get(..SHORT).map(str::to_owned);
    let starts: BTreeSet<_> = found.iter().map(start).collect();
    if width.is_some() && starts.len() == found.len() { SHORT } else { usize::MAX }
}

fn listed(found: &[Summary], is_gone: impl Fn(&Summary) -> bool, width: Option<usize>) -> String {
    /// From so many columns on there is room for whole times.
    const WIDE: usize = 100;
    let now = SystemClock::default().epoch_ms();
    let ids = id_columns(found, width);
    let is_narrow = width.is_some_and(|width| width < WIDE);
    let row = |summary: &Summary| {
        let created = if is_narrow { short(now.saturating_sub(summary.created_at)) } else { utc(summary.created_at) };
        row(summary, ids, created, is_gone(summary))
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let head = if is_narrow { "AGE" } else { "CREATED" };
    table(&["ID", "STATUS", head, "CALLS", "CODE"], &rows, 4, width)
}

fn row(summary: &Summary, id_columns: usize, created: String, gone: bool) -> Vec<Cell> {
    let status = summary.status.as_str();
    let code = summary.code_start.split_whitespace().collect::<Vec<_>>().join(" ");
    let (status, code) = match &summary.damaged {
        Some(reason) => (Cell("damaged".to_owned(), BAD), Cell(reason.clone(), BAD)),
        None => (Cell(status.to_owned(), tone(status)), Cell(code, DIM)),
    };
    let id = Cell::plain(summary.id.as_str().chars().take(id_columns).collect::<String>());
    vec![id, status, Cell::plain(created), calls(summary, gone), code]
}

/// How many calls, and what somebody should look at.
fn calls(summary: &Summary, gone: bool) -> Cell {
    let counted = |count: u32, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let marks = [
        counted(summary.pending, "pending"),
        counted(summary.unresolved, "in doubt"),
        counted(summary.not_reverted, "not undone"),
        gone.then(|| "process gone".to_owned()),
    ];
    let marks: Vec<String> = marks.into_iter().flatten().collect();
    match marks.is_empty() {
        true => Cell::plain(summary.calls.to_string()),
        false => Cell(format!("{} ({})", summary.calls, marks.join(", ")), WAITS),
    }
}
