//! Steps: closures whose outcome is recorded once.

use serde_json::json;

use super::Scenario;
use super::stage::{Play, Stage, same};

pub(super) static ALL: [Scenario; 3] = [
    Scenario { rule: "HOST-STEP-01", play: records_once },
    Scenario { rule: "HOST-STEP-02", play: repeats_no_effect },
    Scenario { rule: "HOST-STEP-03", play: keeps_its_failure },
];

fn records_once(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const drawn = await codemode.step("draw", () => String(Math.random()));
  const later = await codemode.step("later", async () => String(Math.random()));
  await ledger.gate({ text: drawn + later });
  await ledger.gate({ text: drawn + later });
  return drawn + later;
}"#,
    )?;
    let shown = outcome.waiting::<1>()?[0].text();
    let outcome = stage.approve_all(outcome)?;
    same("the value of the steps after two approvals", &outcome.completed()?, &json!(shown))?;
    stage.demand_effects(&outcome.id(), &[&shown, &shown])
}

fn repeats_no_effect(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const inner = await codemode.step("inner", async () => {
    await ledger.add({ text: "inside" });
    return "done";
  });
  await ledger.gate({ text: "one" });
  await ledger.gate({ text: "two" });
  return inner;
}"#,
    )?;
    let outcome = stage.approve_all(outcome)?;
    same("the value of the step", &outcome.completed()?, &json!("done"))?;
    stage.demand_effects(&outcome.id(), &["inside", "one", "two"])
}

fn keeps_its_failure(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  let said = "nothing";
  try { await codemode.step("fails", () => { throw new Error("because " + Math.random()) }) } catch (e) { said = e.message }
  await ledger.gate({ text: said });
  return said;
}"#,
    )?;
    let shown = outcome.waiting::<1>()?[0].text();
    demand!(shown.contains("because"), "the code caught `{shown}` from a step that threw");
    let outcome = stage.approve_all(outcome)?;
    same("what the code caught from a recorded step", &outcome.completed()?, &json!(shown))?;
    stage.demand_effects(&outcome.id(), &[&shown])
}
