//! A host that loses its memory: whatever waited goes on from what is stored.

use serde_json::json;

use super::Scenario;
use super::stage::{Play, Stage, same};
use super::whole;

pub(super) static ALL: [Scenario; 3] = [
    Scenario { rule: "HOST-RESTART-01", play: goes_on_after_it },
    Scenario { rule: "HOST-RESTART-02", play: rejects_and_undoes_after_it },
    Scenario { rule: "HOST-RESTART-03", play: runs_any_program },
];

fn goes_on_after_it(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const pass = await ledger.pass();
  const drawn = await codemode.step("draw", () => String(Math.random()));
  await ledger.add({ text: "before" });
  await ledger.gate({ text: drawn });
  return [pass, drawn];
}"#,
    )?;
    let (id, pending) = (outcome.id(), outcome.waiting::<1>()?);
    stage.restart()?;
    same("what is pending after a restart", &stage.pending(Some(&id))?, &pending.to_vec())?;
    let outcome = stage.approve(&pending)?;
    let drawn = pending[0].text();
    same("the result", &outcome.completed()?, &json!([1, drawn]))?;
    stage.demand_effects(&id, &["before", &drawn])
}

fn rejects_and_undoes_after_it(stage: &mut Stage<'_>) -> Play {
    let outcome =
        stage.execute(r#"async () => { await ledger.add({ text: "a" }); await ledger.gate({ text: "b" }) }"#)?;
    let (id, pending) = (outcome.id(), outcome.waiting::<1>()?);
    stage.restart()?;
    same("rejecting after a restart", &stage.reject(&id, pending[0].seq)?, &Ok(true))?;
    stage.demand_effects(&id, &["a"])?;
    stage.restart()?;
    let report = stage.rollback(&id)?;
    same("`status` after a rollback after a restart", &report["status"], &json!("rolled_back"))?;
    let books = stage.books(&id)?;
    same("effects that are left", &books.texts(), &Vec::new())?;
    same("what was undone", &books.undone, &vec!["a".to_owned()])
}

fn runs_any_program(stage: &mut Stage<'_>) -> Play {
    // Not every program pauses, and the rule is about those that do.
    stage.restart()?;
    // Some are enough: each restarts at each pause.
    let cases = stage.cases.div_ceil(4).max(4);
    whole::programs(stage, cases, |stage, program, draw| whole::approved(stage, program, draw, |stage| stage.restart()))
}
