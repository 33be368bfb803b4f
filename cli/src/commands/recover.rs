//! `recover`: goes on with what processes that are gone left behind, and says what came of each.

mod line;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::{ExecutionId, Recovered, Runtime, Store as _};
use tokio::task::JoinSet;

use self::line::{block, exit, wire, worse};
use super::block_on;
use super::drive::{Ended, Running, follow, last_event, unless_interrupted};
use super::standing::{self, Standing};
use crate::args::{Output, Recover};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{self, many};
use crate::output::{BOLD, Ui, WAITS, styled};
use crate::setup::{Opening, Setup};
use crate::{interrupt, progress, select};

/// How many executions are recovered at once.
const AT_ONCE: usize = 8;

pub(super) fn run(args: &Recover, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    match &args.id {
        Some(text) => one(&select::find(&*store, text)?, store, setup, ui),
        None => all(store, setup, ui),
    }
}

fn nothing(ui: &Ui, why: &str) -> Result<Exit, Fault> {
    if ui.form() == Output::Json {
        ui.json(&[(); 0])?;
    }
    ui.talk(format!("nothing to recover: {why}"));
    Ok(Exit::Completed)
}

fn one(id: &ExecutionId, store: Arc<SqliteStore>, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let record = standing::load(&store, id)?;
    let standing = Standing::of(&store, &record.execution)?;
    if standing != Standing::Gone {
        let why = standing.sentence(&record).unwrap_or_else(|| format!("is {}", record.execution.status));
        return nothing(ui, &format!("{id} {why}"));
    }
    let runtime = setup.runtime(store)?;
    let after = last_event(&record.entries);
    let work = async { Ok(Running { id: Some(id.clone()), outcome: runtime.recover_one(id) }) };
    let done = match follow(setup, ui, &runtime, after, work)? {
        Ended::Done(done) => done,
        Ended::Interrupted(exit) => return Ok(exit),
    };
    let Some(recovered) = done else { return nothing(ui, &format!("somebody else has recovered {id} meanwhile")) };
    let exit = exit(&runtime, id, &recovered)?;
    match (&recovered, ui.form()) {
        (_, Output::Json) => ui.json(&[wire(&runtime, id, &recovered)?])?,
        // What `run` would have shown.
        (Recovered::Resumed(ended), Output::Human) => outcome::show(ui, setup, ended, &record.execution.start.code)?,
        _ => ui.data(block(&runtime, setup, id, &recovered)?)?,
    }
    Ok(exit)
}

fn all(store: Arc<SqliteStore>, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let gone = left_behind(&store)?;
    if gone.is_empty() {
        return nothing(ui, "no process that is gone left anything behind");
    }
    let runtime = setup.runtime(store)?;
    let interrupted = interrupt::catch();
    let mut done = BTreeMap::new();
    let whole = block_on(async {
        unless_interrupted(interrupted, each(setup, ui, &runtime, &gone, &mut done)).await.transpose()
    })?;
    if ui.form() == Output::Json {
        let lines: Result<Vec<_>, Fault> =
            gone.iter().filter_map(|id| done.get(id).map(|line| wire(&runtime, id, line))).collect();
        ui.json(&lines?)?;
    }
    if whole.is_none() {
        let word = styled(WAITS, "interrupted:");
        ui.talk(format!("\n{word} {} of {} are recovered; journals are kept", done.len(), gone.len()));
        ui.talk(format!("go on: {}", styled(BOLD, setup.command(&["recover"]))));
        return Ok(Exit::Interrupted);
    }
    let mut worst = Exit::Completed;
    for (id, recovered) in &done {
        worst = worse(worst, exit(&runtime, id, recovered)?);
    }
    Ok(worst)
}

/// Executions of processes that are gone, oldest first.
fn left_behind(store: &SqliteStore) -> Result<Vec<ExecutionId>, Fault> {
    let owned = store.owned()?;
    let owners: BTreeSet<_> = owned.iter().map(|(_, owner)| *owner).collect();
    let mut alive = BTreeSet::new();
    for owner in owners {
        if store.owner_is_alive(owner)? {
            alive.insert(owner);
        }
    }
    Ok(owned.into_iter().filter(|(_, owner)| !alive.contains(owner)).map(|(id, _)| id).collect())
}

/// Recovers some at a time, and shows each when it is done.
async fn each(
    setup: &Setup,
    ui: &Ui,
    runtime: &Runtime,
    gone: &[ExecutionId],
    done: &mut BTreeMap<ExecutionId, Recovered>,
) -> Result<(), Fault> {
    let mut waiting = gone.iter();
    let mut at_work = JoinSet::new();
    let mut ended = 0;
    loop {
        while at_work.len() < AT_ONCE
            && let Some(id) = waiting.next()
        {
            let (runtime, id) = (runtime.clone(), id.clone());
            at_work.spawn(async move {
                let recovered = runtime.recover_one(&id).await;
                (id, recovered.unwrap_or_else(|error| Some(Recovered::Failed(error))))
            });
        }
        if progress::is_seen() {
            progress::draw(*ui, &format!("recovering {}: {ended} done", many(gone.len(), "execution")));
        }
        let Some(joined) = at_work.join_next().await else { break };
        ended += 1;
        let (id, recovered) = joined.map_err(|error| Fault::host("lost", format!("a pass was lost: {error}")))?;
        // Nothing: somebody else was faster.
        let Some(recovered) = recovered else { continue };
        if ui.form() == Output::Human {
            if progress::is_seen() {
                progress::clear(*ui);
            }
            ui.data(block(runtime, setup, &id, &recovered)?)?;
        }
        done.insert(id, recovered);
    }
    if progress::is_seen() {
        progress::clear(*ui);
    }
    Ok(())
}
