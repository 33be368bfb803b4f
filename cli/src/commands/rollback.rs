//! `rollback`: shows what can be undone and what cannot, asks, undoes, and tells entry by entry what became of it.

use codemode_runtime::outcome::rollback_to_wire;
use codemode_runtime::store::Record;
use codemode_runtime::{Offer, OfferedCall, RollbackReport, Runtime, Seq, Status, Undone};

use super::drive::unless_interrupted;
use super::standing::{self, Standing};
use super::{Said, ask, block_on};
use crate::args::{Output, Rollback};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::{many, value};
use crate::output::table::{Cell, table};
use crate::output::text::{indent, safe};
use crate::output::undone::{self, named, number, outcome};
use crate::output::{BOLD, DIM, Ui, WAITS, styled, width};
use crate::progress::{self, Over};
use crate::setup::{Opening, Setup};
use crate::{interrupt, select};

pub(super) fn run(args: &Rollback, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.id)?;
    let record = standing::load(&store, &id)?;
    let standing = Standing::of(&store, &record.execution)?;
    let runtime = setup.runtime(store)?;
    let plan = block_on(async { Ok(runtime.preview_rollback(&id).await?) })?.unwrap_or_default();
    let undone = plan.iter().filter(|call| call.offer == Offer::Revert).count();
    // What runs is stopped by it, so that is asked even where nothing can be undone yet.
    if !args.yes && (undone > 0 || standing != Standing::AtRest) {
        ui.talk(announced(&record, standing, &plan));
        let question = match undone {
            0 => "Roll back?".to_owned(),
            1 => "Undo this call?".to_owned(),
            _ => format!("Undo these {}?", many(undone, "call")),
        };
        if ask(ui, &question)? == Said::No {
            ui.talk("nothing was undone; it stays as it is");
            return Ok(Exit::Conflict);
        }
    }
    standing::say_stopping(ui, standing, &record, runtime.limits().cancel_ms);
    let Some(report) = undo(setup, ui, &runtime, &record, standing, &plan)? else { return Ok(Exit::Interrupted) };
    show(setup, ui, &report)?;
    Ok(if report.left() == 0 { Exit::Completed } else { Exit::CodeFailed })
}

/// How many calls are listed in a question.
const SHOWN: usize = 30;

/// What is to be undone, and what will be left.
fn announced(record: &Record, standing: Standing, plan: &[OfferedCall]) -> String {
    let execution = &record.execution;
    let mut lines = vec![format!("{} {}", styled(BOLD, execution.id()), execution.status)];
    if let Some(sentence) = standing.sentence(record) {
        lines.push(match (standing, execution.status) {
            (Standing::Gone, Status::Running) => {
                format!("{sentence}: it is ended first; calls that were in flight may have taken effect")
            }
            (Standing::Gone, _) => format!("{sentence}: that is finished first"),
            (_, Status::Running) => format!("it {sentence}: that is stopped first, and may make more calls until then"),
            _ => format!("it {sentence}"),
        });
    }
    let (reverts, stays): (Vec<_>, Vec<_>) =
        plan.iter().filter(|call| !is_harmless(call)).partition(|call| call.offer == Offer::Revert);
    let planned = |mut rows: Vec<Vec<Cell>>, headings: &[&str]| {
        let more = rows.len().saturating_sub(SHOWN);
        rows.truncate(SHOWN);
        let shown = indent(&table(headings, &rows, headings.len() - 1, width().map(|w| w - 2)), "  ");
        if more == 0 { shown } else { format!("{shown}\n  {}", styled(DIM, format!("… {more} more"))) }
    };
    if !reverts.is_empty() {
        lines.push(format!("{} can be undone, newest first:", many(reverts.len(), "call")));
        let row = |call: &&OfferedCall| vec![number(call.seq), named(&call.connector, &call.method), args(call)];
        lines.push(planned(reverts.iter().map(row).collect(), &["SEQ", "CALL", "ARGS"]));
    }
    if !stays.is_empty() {
        let verb = if stays.len() == 1 { "cannot and stays" } else { "cannot and stay" };
        lines.push(format!("{} {verb}:", many(stays.len(), "call")));
        let row = |call: &&OfferedCall| {
            let why = if let Offer::Report(undone) = &call.offer { outcome(undone) } else { Cell::plain("") };
            vec![number(call.seq), named(&call.connector, &call.method), why, args(call)]
        };
        lines.push(planned(stays.iter().map(row).collect(), &["SEQ", "CALL", "WHY", "ARGS"]));
    }
    lines.join("\n")
}

fn is_harmless(call: &OfferedCall) -> bool {
    matches!(&call.offer, Offer::Report(undone) if !undone.is_left())
}

fn args(call: &OfferedCall) -> Cell {
    Cell(value(call.args.as_ref()), DIM)
}

/// Rolls back; nothing after Ctrl-C.
fn undo(
    setup: &Setup,
    ui: &Ui,
    runtime: &Runtime,
    record: &Record,
    standing: Standing,
    plan: &[OfferedCall],
) -> Result<Option<RollbackReport>, Fault> {
    let interrupted = interrupt::catch();
    let id = record.execution.id();
    let planned: Vec<Seq> = plan.iter().filter(|c| c.offer == Offer::Revert).map(|c| c.seq).collect();
    block_on(async {
        let over = Over::default();
        let progress = tokio::spawn(progress::undoing(*ui, runtime.clone(), id.clone(), planned, over.clone()));
        let Some(done) = unless_interrupted(interrupted, runtime.rollback(id)).await else {
            progress.abort();
            ui.talk(format!("\n{} the rollback of {id} is not finished", styled(WAITS, "interrupted:")));
            ui.talk(standing::go_on(setup, record));
            return Ok(None);
        };
        over.set();
        let _ = progress.await;
        done.map(Some).map_err(|error| standing::fault(error, standing))
    })
}

fn show(setup: &Setup, ui: &Ui, report: &RollbackReport) -> Result<(), Fault> {
    if ui.form() == Output::Json {
        ui.data(rollback_to_wire(report))?;
    } else if !report.calls.is_empty() {
        ui.data(table(&["SEQ", "CALL", "OUTCOME"], &undone::rows(&report.calls), 3, None))?;
    }
    ui.talk(undone::summary(report));
    let hints = hints(setup, report);
    if !hints.is_empty() {
        ui.talk(hints.join("\n"));
    }
    Ok(())
}

/// What to do about what is left.
fn hints(setup: &Setup, report: &RollbackReport) -> Vec<String> {
    let is = |wanted: fn(&Undone) -> bool| report.calls.iter().filter(move |c| wanted(&c.undone));
    let again = styled(BOLD, setup.command(&["rollback", report.execution.as_str()]));
    let mut hints = Vec::new();
    let mut missing: Vec<&str> = is(|u| *u == Undone::ConnectorMissing).map(|c| c.connector.as_str()).collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        hints.push(format!("configure {} in the manifest, then: {again}", safe(&missing.join(", "))));
    } else if report.failed() > 0 {
        hints.push(format!("try those that failed again: {again}"));
    }
    let by_hand: Vec<String> = is(|u| *u == Undone::NoRevert).map(|c| format!("#{}", c.seq)).collect();
    if !by_hand.is_empty() {
        hints.push(format!("undo by hand, where it matters: {}", by_hand.join(", ")));
    }
    hints
}
