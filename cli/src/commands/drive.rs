//! One pass as a person sees it: progress while it runs, the outcome at its end, and a clear word after Ctrl-C.

use std::future::Future;
use std::time::Duration;

use codemode_runtime::{Error, ExecutionId, Outcome, Runtime};

use super::block_on;
use crate::exit::Exit;
use crate::fault::Fault;
use crate::interrupt;
use crate::output::{BOLD, Ui, WAITS, outcome, styled};
use crate::progress;
use crate::setup::Setup;
use crate::watch::Begun;

/// Runs a pass and shows what comes of it. `after` is the last event that is no news; `code` is what runs.
pub(super) fn drive(
    setup: &Setup,
    ui: &Ui,
    runtime: &Runtime,
    begun: Begun,
    after: u64,
    code: &str,
    pass: impl Future<Output = Result<Outcome, Error>>,
) -> Result<Exit, Fault> {
    let interrupted = interrupt::catch();
    block_on(async {
        let progress = tokio::spawn(progress::follow(*ui, runtime.clone(), begun.clone(), after));
        let ended = tokio::select! {
            outcome = pass => Some(outcome),
            () = wait(interrupted) => None,
        };
        let id = begun.borrow().clone();
        let Some(ended) = ended else {
            progress.abort();
            return Ok(stopped(setup, ui, id));
        };
        if id.is_none() || ended.is_err() {
            progress.abort();
        }
        // The journal is complete; the last lines come at once.
        let _ = tokio::time::timeout(Duration::from_secs(1), progress).await;
        let ended = ended?;
        outcome::show(ui, setup, &ended, code)?;
        Ok(Exit::of(&ended))
    })
}

async fn wait(interrupted: Option<tokio::sync::mpsc::Receiver<()>>) {
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
            let show = styled(BOLD, setup.command(&["show", id.as_str()]));
            ui.talk(format!("\n{} execution {id} stays `running`; its journal is kept", styled(WAITS, "interrupted:")));
            ui.talk(format!("journal: {show}"));
        }
        None => ui.talk(format!("\n{} nothing was started", styled(WAITS, "interrupted:"))),
    }
    Exit::Interrupted
}
