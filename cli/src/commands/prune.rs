//! `prune`: removes the executions that ended longest ago.

use codemode_runtime::Store as _;

use super::{Said, ask};
use crate::args::{Output, Prune};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::many;
use crate::output::{GOOD, Ui, styled};
use crate::setup::{Opening, Setup};

pub(super) fn run(args: &Prune, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let keep = args.keep.unwrap_or_else(|| setup.limits().executions);
    let excess = store.prunable(keep)?;
    if !args.yes && excess > 0 {
        let what = many(usize::try_from(excess).unwrap_or(usize::MAX), "execution");
        let go = if excess == 1 { "goes with its journal" } else { "go with their journals" };
        let stay = if keep == 1 { "stays" } else { "stay" };
        ui.talk(format!("{what} {go}; the {keep} that ended last {stay}"));
        if ask(ui, "Remove them?")? == Said::No {
            ui.talk("nothing was removed");
            return Ok(Exit::Conflict);
        }
    }
    let removed = if excess > 0 { store.prune(keep)? } else { 0 };
    if ui.form() == Output::Json {
        ui.json(&serde_json::json!({ "removed": removed, "keep": keep }))?;
    }
    ui.talk(match removed {
        0 => format!("nothing to prune: no more than {keep} {} ended", if keep == 1 { "has" } else { "have" }),
        n => format!("{} {}", styled(GOOD, "removed"), many(usize::try_from(n).unwrap_or(usize::MAX), "execution")),
    });
    Ok(Exit::Completed)
}
