//! `expire`: ends what nobody decided in time, and what a process that is gone left behind long ago.

use codemode_runtime::clock::{Clock as _, SystemClock};
use codemode_runtime::durable::retention::is_stale;
use codemode_runtime::store::Summary;
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::{Query, Status, Store as _};

use super::standing::{self, Standing};
use super::{Said, ask, block_on};
use crate::args::{Expire, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{many, tone};
use crate::output::table::{Cell, table};
use crate::output::time::utc;
use crate::output::{DIM, GOOD, Ui, styled, width};
use crate::setup::{Opening, Setup};

pub(super) fn run(args: &Expire, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let stale = stale(&store, args.older_than.ms)?;
    if stale.is_empty() {
        return shown(ui, &[]);
    }
    if !args.yes {
        let rows: Vec<_> = stale.iter().map(row).collect();
        ui.talk(table(&["ID", "STATUS", "CHANGED", "CODE"], &rows, 3, width()));
        ui.talk("paused ones end as rejected, abandoned ones as error; what they did stays done");
        if ask(
            ui,
            &format!("End {}?", if stale.len() == 1 { "it".to_owned() } else { format!("these {}", stale.len()) }),
        )? == Said::No
        {
            ui.talk("nothing was ended");
            return Ok(Exit::Conflict);
        }
    }
    let runtime = setup.runtime(store.clone())?;
    let ids = block_on(async { Ok(runtime.expire_paused(args.older_than.ms).await?) })?;
    let mut ended = Vec::new();
    for id in ids {
        let status = store.load(&id)?.map_or("gone", |record| record.execution.status.as_str());
        ended.push((id.to_string(), status));
    }
    shown(ui, &ended)
}

/// Those that would be ended now, newest first within each kind.
fn stale(store: &SqliteStore, age_ms: u64) -> Result<Vec<Summary>, Fault> {
    let now = SystemClock::default().epoch_ms();
    let Some(idle_since) = now.checked_sub(age_ms) else { return Ok(Vec::new()) };
    let mut stale = Vec::new();
    for status in [Status::Paused, Status::Running] {
        let query = Query { status: Some(status), idle_since: Some(idle_since), ..Query::default() };
        for summary in store.list(&query)? {
            if !is_stale(summary.updated_at, now, age_ms) || summary.damaged.is_some() {
                continue;
            }
            if status == Status::Running {
                let record = standing::load(store, &summary.id)?;
                if Standing::of(store, &record.execution)? != Standing::Gone {
                    continue;
                }
            }
            stale.push(summary);
        }
    }
    Ok(stale)
}

fn row(summary: &Summary) -> Vec<Cell> {
    let status = summary.status.as_str();
    vec![
        Cell::plain(summary.id.as_str()),
        Cell(status.to_owned(), tone(status)),
        Cell::plain(utc(summary.updated_at)),
        Cell(summary.code_start.split_whitespace().collect::<Vec<_>>().join(" "), DIM),
    ]
}

fn shown(ui: &Ui, ended: &[(String, &str)]) -> Result<Exit, Fault> {
    if ui.form() == Output::Json {
        let line = |(id, status): &(String, &str)| serde_json::json!({ "executionId": id, "status": status });
        ui.json(&ended.iter().map(line).collect::<Vec<_>>())?;
    } else if !ended.is_empty() {
        let line = |(id, status): &(String, &str)| format!("{id}  {}", styled(tone(status), status));
        ui.data(ended.iter().map(line).collect::<Vec<_>>().join("\n"))?;
    }
    ui.talk(match ended.len() {
        0 => "nothing to expire".to_owned(),
        n => format!("{} {}", styled(GOOD, "ended"), many(n, "execution")),
    });
    Ok(Exit::Completed)
}
