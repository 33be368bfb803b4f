//! `executions`: a list, newest first.

use std::collections::BTreeSet;

use codemode_runtime::store::Summary;
use codemode_runtime::{Query, Store as _};
use serde::Serialize;

use crate::args::{Executions, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::tone;
use crate::output::table::{Cell, table};
use crate::output::time::utc;
use crate::output::{BAD, BOLD, DIM, Ui, styled, width};
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
    code_start: &'a str,
    damaged: Option<&'a str>,
}

pub(super) fn run(args: &Executions, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let before = args.before.as_deref().map(|text| select::find(&*store, text)).transpose()?;
    // One more than asked for tells whether there are more.
    let limit = Some(args.limit.saturating_add(1));
    let mut found = store.list(&Query { status: args.status, before, limit, ..Query::default() })?;
    let more = found.len() > args.limit as usize;
    found.truncate(args.limit as usize);
    if ui.form() == Output::Json {
        ui.json(&found.iter().map(line).collect::<Vec<_>>())?;
    } else if !found.is_empty() {
        let width = width();
        let rows: Vec<_> = found.iter().map(|summary| row(summary, id_columns(&found, width))).collect();
        ui.data(table(&["ID", "STATUS", "CREATED", "CALLS", "CODE"], &rows, 4, width))?;
    }
    match found.last() {
        None => ui.talk("no executions"),
        Some(last) if more => {
            let next = setup.command(&["executions", "--before", last.id.as_str()]);
            ui.talk(format!("older ones: {}", styled(BOLD, next)));
        }
        Some(_) => {}
    }
    Ok(Exit::Completed)
}

fn line(summary: &Summary) -> Line<'_> {
    Line {
        execution_id: summary.id.as_str(),
        status: summary.status.as_str(),
        created_at: summary.created_at,
        updated_at: summary.updated_at,
        ended_at: summary.ended_at,
        passes: summary.pass,
        calls: summary.calls,
        pending: summary.pending,
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

fn row(summary: &Summary, id_columns: usize) -> Vec<Cell> {
    let status = summary.status.as_str();
    let code = summary.code_start.split_whitespace().collect::<Vec<_>>().join(" ");
    let (status, code) = match &summary.damaged {
        Some(reason) => (Cell("damaged".to_owned(), BAD), Cell(reason.clone(), BAD)),
        None => (Cell(status.to_owned(), tone(status)), Cell(code, DIM)),
    };
    let calls = match summary.pending {
        0 => summary.calls.to_string(),
        pending => format!("{} ({pending} pending)", summary.calls),
    };
    let id = Cell::plain(summary.id.as_str().chars().take(id_columns).collect::<String>());
    vec![id, status, Cell::plain(utc(summary.created_at)), Cell::plain(calls), code]
}
