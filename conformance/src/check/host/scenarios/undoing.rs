//! Rolling back: newest first, told call by call, harmless when repeated.

use serde_json::{Value, json};

use super::Scenario;
use super::host::ControlError;
use super::stage::{Play, Stage, broken, same};

pub(super) static ALL: [Scenario; 6] = [
    Scenario { rule: "HOST-ROLLBACK-01", play: undoes_newest_first },
    Scenario { rule: "HOST-ROLLBACK-02", play: is_harmless_twice },
    Scenario { rule: "HOST-ROLLBACK-03", play: tells_what_is_left },
    Scenario { rule: "HOST-ROLLBACK-04", play: ends_what_is_paused },
    Scenario { rule: "HOST-ROLLBACK-05", play: of_nothing_does_nothing },
    Scenario { rule: "HOST-ROLLBACK-06", play: tries_again_what_failed },
];

const THREE: &str = r#"async () => { for (const text of ["a", "b", "c"]) await ledger.add({ text }) }"#;

fn undoes_newest_first(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(THREE)?;
    outcome.completed()?;
    let report = stage.rollback(&outcome.id())?;
    same("`executionId` of the report", &report["executionId"], &json!(outcome.id()))?;
    same("`status` of the report", &report["status"], &json!("rolled_back"))?;
    let wanted = [(2, "reverted"), (1, "reverted"), (0, "reverted")];
    same("the report, call by call", &lines(&report), &owned(&wanted))?;
    let books = stage.books(&outcome.id())?;
    same("effects that are left", &books.texts(), &Vec::new())?;
    same("what was undone, in order", &books.undone, &vec!["c".to_owned(), "b".to_owned(), "a".to_owned()])
}

fn is_harmless_twice(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(THREE)?;
    outcome.completed()?;
    stage.rollback(&outcome.id())?;
    let before = stage.books(&outcome.id())?.undone;
    let report = stage.rollback(&outcome.id())?;
    let again = lines(&report).into_iter().filter(|(_, undone)| undone == "reverted").count();
    same("calls that the second rollback undid", &again, &0)?;
    same("`status` of the second report", &report["status"], &json!("rolled_back"))?;
    same("what was undone after the second", &stage.books(&outcome.id())?.undone, &before)
}

fn tells_what_is_left(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  await ledger.add({ text: "a" });
  await ledger.keep({ text: "b" });
  await ledger.stubborn({ text: "c" });
  try { await ledger.fail({ message: "no" }) } catch {}
}"#,
    )?;
    outcome.completed()?;
    let report = stage.rollback(&outcome.id())?;
    let told: Vec<(u64, String)> = lines(&report).into_iter().filter(|(seq, _)| *seq < 3).collect();
    same("the report, call by call", &told, &owned(&[(2, "failed"), (1, "no_revert"), (0, "reverted")]))?;
    let failed = report["calls"].as_array().into_iter().flatten().find(|call| call["seq"] == 2);
    let said = failed.and_then(|call| call["error"].as_str()).unwrap_or_default();
    demand!(said.contains("first revert"), "the report does not say why a revert failed: {report}");
    stage.demand_effects(&outcome.id(), &["b", "c"])
}

fn ends_what_is_paused(stage: &mut Stage<'_>) -> Play {
    let outcome =
        stage.execute(r#"async () => { await ledger.add({ text: "a" }); await ledger.gate({ text: "b" }) }"#)?;
    let (id, pending) = (outcome.id(), outcome.waiting::<1>()?);
    let report = stage.rollback(&id)?;
    same("`status` of the report", &report["status"], &json!("rolled_back"))?;
    stage.demand_effects(&id, &[])?;
    same("what is pending afterwards", &stage.pending(Some(&id))?, &Vec::new())?;
    let pick = super::Approval { seq: pending[0].seq, digest: pending[0].digest.clone() };
    if let Ok(outcome) = stage.try_approve(&id, &[pick])? {
        return Err(broken(format!("an execution that was rolled back was approved: {}", outcome.told())));
    }
    stage.demand_effects(&id, &[])
}

fn of_nothing_does_nothing(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute("async () => ledger.echo(1)")?;
    let report = stage.rollback(&outcome.id())?;
    same("`status` of an execution that has nothing to undo", &report["status"], &json!("completed"))?;
    match stage.try_rollback("exec_that_never_was")? {
        Err(ControlError::NotFound(_)) => Ok(()),
        Err(other) => Err(broken(format!("rolling back an unknown execution gave {other}"))),
        Ok(report) => Err(broken(format!("rolling back an unknown execution gave {report}"))),
    }
}

fn tries_again_what_failed(stage: &mut Stage<'_>) -> Play {
    let outcome =
        stage.execute(r#"async () => { await ledger.stubborn({ text: "a" }); await ledger.add({ text: "b" }) }"#)?;
    outcome.completed()?;
    let id = outcome.id();
    stage.rollback(&id)?;
    stage.demand_effects(&id, &["a"])?;
    let report = stage.rollback(&id)?;
    let tried: Vec<_> = lines(&report).into_iter().filter(|(_, undone)| undone == "reverted").collect();
    same("what the second rollback undid", &tried, &owned(&[(0, "reverted")]))?;
    let books = stage.books(&id)?;
    same("effects that are left", &books.texts(), &Vec::new())?;
    same("what was undone, in order", &books.undone, &vec!["b".to_owned(), "a".to_owned()])
}

/// A report as seqs and words, in its order.
fn lines(report: &Value) -> Vec<(u64, String)> {
    let calls = report["calls"].as_array().into_iter().flatten();
    calls
        .map(|call| (call["seq"].as_u64().unwrap_or(u64::MAX), call["undone"].as_str().unwrap_or_default().to_owned()))
        .collect()
}

fn owned(lines: &[(u64, &str)]) -> Vec<(u64, String)> {
    lines.iter().map(|(seq, undone)| (*seq, (*undone).to_owned())).collect()
}
