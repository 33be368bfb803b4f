//! Rejecting: the execution ends, what was done stays, what waited never happens.

use super::Scenario;
use super::host::ControlError;
use super::stage::{Play, Stage, broken, same};

pub(super) static ALL: [Scenario; 4] = [
    Scenario { rule: "HOST-REJECT-01", play: ends_the_execution },
    Scenario { rule: "HOST-REJECT-02", play: leaves_what_was_done },
    Scenario { rule: "HOST-REJECT-03", play: changes_nothing_without_need },
    Scenario { rule: "HOST-REJECT-04", play: ends_all_that_waits },
];

const GATE: &str = r#"async () => { await ledger.add({ text: "first" }); await ledger.gate({ text: "second" }) }"#;

fn ends_the_execution(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(GATE)?;
    let (id, pending) = (outcome.id(), outcome.waiting::<1>()?);
    same("rejecting a pending call", &stage.reject(&id, pending[0].seq)?, &Ok(true))?;
    same("what is pending afterwards", &stage.pending(Some(&id))?, &Vec::new())?;
    not_approved(stage, &id, &pending)?;
    let effects = stage.effects(&id)?;
    demand!(!effects.contains(&"second".to_owned()), "what was rejected happened: {effects:?}");
    Ok(())
}

fn leaves_what_was_done(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(GATE)?;
    let (id, pending) = (outcome.id(), outcome.waiting::<1>()?);
    same("rejecting a pending call", &stage.reject(&id, pending[0].seq)?, &Ok(true))?;
    let books = stage.books(&id)?;
    same("effects in the ledger", &books.texts(), &vec!["first"])?;
    same("what was undone", &books.undone, &Vec::new())
}

fn changes_nothing_without_need(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(GATE)?;
    let (id, pending) = (outcome.id(), outcome.waiting::<1>()?);
    for seq in [0, 999] {
        let given = stage.reject(&id, seq)?;
        demand!(given != Ok(true), "seq {seq} is not pending, and was rejected");
    }
    let outcome = stage.approve(&pending)?;
    outcome.completed()?;
    let given = stage.reject(&id, pending[0].seq)?;
    demand!(given != Ok(true), "a call of a completed execution was rejected");
    stage.demand_effects(&id, &["first", "second"])?;
    match stage.reject("exec_that_never_was", 0)? {
        Ok(false) | Err(ControlError::NotFound(_)) => Ok(()),
        other => Err(broken(format!("rejecting a call of an unknown execution gave {other:?}"))),
    }
}

fn ends_all_that_waits(stage: &mut Stage<'_>) -> Play {
    let outcome =
        stage.execute(r#"async () => { await Promise.all(["a", "b", "c"].map((text) => ledger.gate({ text }))) }"#)?;
    let (id, pending) = (outcome.id(), outcome.waiting::<3>()?);
    same("rejecting the second of three", &stage.reject(&id, pending[1].seq)?, &Ok(true))?;
    same("what is pending afterwards", &stage.pending(Some(&id))?, &Vec::new())?;
    not_approved(stage, &id, &pending[..1])?;
    stage.demand_effects(&id, &[])
}

fn not_approved(stage: &mut Stage<'_>, id: &str, pending: &[super::seen::Pending]) -> Play {
    let picks: Vec<super::Approval> =
        pending.iter().map(|call| super::Approval { seq: call.seq, digest: call.digest.clone() }).collect();
    match stage.try_approve(id, &picks)? {
        Err(_) => Ok(()),
        Ok(outcome) => Err(broken(format!("a rejected execution was approved: {}", outcome.told()))),
    }
}
