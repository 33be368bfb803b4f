//! Work as a person sees it: progress while it is done, what came of it, and a clear word after Ctrl-C.

use std::future::Future;
use std::time::Duration;

use codemode_runtime::{Entry, Error, ExecutionId, Outcome, Runtime};
use tokio::sync::mpsc::Receiver;

use super::block_on;
use crate::exit::Exit;
use crate::fault::Fault;
use crate::interrupt;
use crate::output::{BOLD, Ui, WAITS, outcome, styled};
use crate::progress::{self, Over};
use crate::setup::Setup;

/// A pass that runs: of which execution, and what will come of it.
pub(super) struct Running<F> {
    pub(super) id: Option<ExecutionId>,
    pub(super) outcome: F,
}

/// Runs a pass and shows what comes of it. `after` is the last event that is no news; `code` is what runs.
pub(super) fn drive<F: Future<Output = Result<Outcome, Error>>>(
    setup: &Setup,
    ui: &Ui,
    runtime: &Runtime,
    after: u64,
    code: &str,
    begin: impl Future<Output = Result<Running<F>, Error>>,
) -> Result<Exit, Fault> {
    match follow(setup, ui, runtime, after, begin)? {
        Ended::Done(ended) => {
            outcome::show(ui, setup, &ended, code)?;
            Ok(Exit::of(&ended))
        }
        Ended::Interrupted(exit) => Ok(exit),
    }
}

/// How work ended.
pub(super) enum Ended<T> {
    Done(T),
    /// By Ctrl-C, which was told.
    Interrupted(Exit),
}

/// Follows a pass to its end, whatever is to become of what it gives.
pub(super) fn follow<T, F: Future<Output = Result<T, Error>>>(
    setup: &Setup,
    ui: &Ui,
    runtime: &Runtime,
    after: u64,
    begin: impl Future<Output = Result<Running<F>, Error>>,
) -> Result<Ended<T>, Fault> {
    let interrupted = interrupt::catch();
    block_on(async {
        let Running { id, outcome } = begin.await?;
        let over = Over::default();
        let progress = tokio::spawn(progress::follow(*ui, runtime.clone(), id.clone(), after, over.clone()));
        let Some(ended) = unless_interrupted(interrupted, outcome).await else {
            progress.abort();
            return Ok(Ended::Interrupted(stopped(setup, ui, id)));
        };
        over.set();
        if ended.is_err() {
            progress.abort();
        }
        // The journal is complete; the last lines come at once.
        let _ = tokio::time::timeout(Duration::from_secs(1), progress).await;
        Ok(Ended::Done(ended?))
    })
}

/// The number of the last event of a journal: what came before the next pass.
pub(super) fn last_event(entries: &[Entry]) -> u64 {
    let last = |entry: &Entry| entry.answered_event.unwrap_or(0).max(entry.asked_event);
    entries.iter().map(last).max().unwrap_or(0)
}

/// Waits for work, or for Ctrl-C: then there is nothing.
pub(super) async fn unless_interrupted<T>(
    interrupted: Option<Receiver<()>>,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        done = work => Some(done),
        () = wait(interrupted) => None,
    }
}

async fn wait(interrupted: Option<Receiver<()>>) {
    if let Some(mut interrupted) = interrupted
        && interrupted.recv().await.is_some()
    {
        return;
    }
    std::future::pending::<()>().await;
}

fn stopped(setup: &Setup, ui: &Ui, id: Option<ExecutionId>) -> Exit {
    match id {
        Some(id) => {
            ui.talk(format!("\n{} execution {id} stays `running`; its journal is kept", styled(WAITS, "interrupted:")));
            ui.talk(format!("go on:   {}", styled(BOLD, setup.command(&["recover", id.as_str()]))));
            ui.talk(format!("journal: {}", styled(BOLD, setup.command(&["show", id.as_str()]))));
        }
        None => ui.talk(format!("\n{} nothing was started", styled(WAITS, "interrupted:"))),
    }
    Exit::Interrupted
}
