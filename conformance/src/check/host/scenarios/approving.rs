//! Pausing and approving: nothing that needs consent happens without it, and exactly what was approved happens.

use serde_json::json;

use super::Scenario;
use super::host::{Approval, ControlError};
use super::seen::{Outcome, Pending};
use super::stage::{Play, Stage, broken, by, same};

pub(super) static ALL: [Scenario; 10] = [
    Scenario { rule: "HOST-APPROVE-01", play: pauses_before_it_happens },
    Scenario { rule: "HOST-APPROVE-02", play: goes_on },
    Scenario { rule: "HOST-APPROVE-03", play: wants_the_digest },
    Scenario { rule: "HOST-APPROVE-04", play: refuses_what_does_not_wait },
    Scenario { rule: "HOST-APPROVE-05", play: shows_all_that_waits },
    Scenario { rule: "HOST-APPROVE-06", play: performs_what_was_approved },
    Scenario { rule: "HOST-APPROVE-07", play: lists_newest_first },
    Scenario { rule: "HOST-APPROVE-08", play: lists_only_what_waits },
    Scenario { rule: "HOST-APPROVE-09", play: gives_no_way_around },
    Scenario { rule: "HOST-APPROVE-10", play: remembers_who },
];

const GATE: &str = r#"async () => (await ledger.gate({ text: "a", more: [1, { b: null }] })).text"#;
const THREE: &str = r#"async () => {
  const given = await Promise.all(["a", "b", "c"].map((text) => ledger.gate({ text })));
  return given.map((g) => g.text);
}"#;

fn pauses_before_it_happens(stage: &mut Stage<'_>) -> Play {
    let outcome =
        stage.execute(&format!("async () => {{ await ledger.add({{ text: 'before' }}); return ({GATE})() }}"))?;
    let pending = outcome.waiting::<1>()?;
    demand!(outcome.member("result").is_none(), "a paused outcome has no `result`: {}", outcome.told());
    let call = &pending[0];
    let seen = (call.execution.clone(), call.seq, call.method.as_str(), &call.args);
    let args = json!({ "text": "a", "more": [1, { "b": null }] });
    same("the pending call", &seen, &(outcome.id(), 1, "gate", &args))?;
    demand!(!call.digest.is_empty(), "a pending call has a digest");
    same("what `pending` says of it", &stage.pending(Some(&outcome.id()))?, &pending.to_vec())?;
    stage.demand_effects(&outcome.id(), &["before"])
}

fn goes_on(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(GATE)?;
    let id = outcome.id();
    let outcome = stage.approve(&outcome.paused()?)?;
    same("the result", &outcome.completed()?, &json!("a"))?;
    same("the id", &outcome.id(), &id)?;
    same("state of the approved call", &outcome.first_call()?["state"], &json!("applied"))?;
    stage.demand_effects(&id, &["a"])
}

fn wants_the_digest(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(THREE)?;
    let (id, pending) = (outcome.id(), outcome.waiting::<3>()?);
    let first = &pending[0];
    let digests = [0, 1, 2].map(|at: usize| pending[at].digest.as_str());
    demand!(digests[0] != digests[1] && digests[1] != digests[2], "different calls have one digest: {digests:?}");
    for digest in ["", "sha256:0", digests[1], &first.digest.to_uppercase().replace("SHA", "sha")] {
        if digest == first.digest {
            continue;
        }
        stage.case();
        refused(stage, &id, &[(first.seq, digest)], "a digest of something else")?;
        // All or nothing: the second one is right.
        refused(stage, &id, &[(first.seq, digest), (pending[1].seq, digests[1])], "two digests of which one is wrong")?;
    }
    stage.demand_effects(&id, &[])?;
    same("what is pending afterwards", &stage.pending(Some(&id))?, &pending.to_vec())?;
    stage.approve(&pending)?.completed()?;
    stage.demand_effects(&id, &["a", "b", "c"])
}

fn refuses_what_does_not_wait(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(GATE)?;
    let (id, pending) = (outcome.id(), outcome.waiting::<1>()?);
    let digest = pending[0].digest.clone();
    refused(stage, &id, &[(999, &digest)], "a seq that is not there")?;
    refused(stage, &id, &[], "no calls at all")?;
    let unknown = stage.try_approve("exec_that_never_was", &[Approval { seq: 0, digest: digest.clone() }])?;
    demand!(
        matches!(unknown, Err(ControlError::NotFound(_))),
        "approving an unknown execution gave {}",
        said(&unknown)
    );
    stage.approve(&pending)?.completed()?;
    refused(stage, &id, &[(pending[0].seq, &digest)], "a call that was approved before")?;
    stage.demand_effects(&id, &["a"])
}

fn shows_all_that_waits(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(THREE)?;
    let shown = |calls: &[Pending]| calls.iter().map(|c| (c.seq, c.text())).collect::<Vec<_>>();
    let wanted = vec![(0, "a".to_owned()), (1, "b".to_owned()), (2, "c".to_owned())];
    same("`pending` of the outcome", &shown(&outcome.paused()?), &wanted)?;
    same("what `pending` says", &shown(&stage.pending(Some(&outcome.id()))?), &wanted)
}

fn performs_what_was_approved(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(THREE)?;
    let (id, pending) = (outcome.id(), outcome.waiting::<3>()?);
    let outcome = stage.approve(&pending[1..2])?;
    let left: Vec<String> = outcome.paused()?.iter().map(Pending::text).collect();
    same("what is left", &left, &vec!["a".to_owned(), "c".to_owned()])?;
    stage.demand_effects(&id, &["b"])?;
    let left = outcome.paused()?;
    let outcome = stage.approve(&left[1..])?;
    stage.demand_effects(&id, &["b", "c"])?;
    let outcome = stage.approve(&outcome.paused()?)?;
    same("the result", &outcome.completed()?, &json!(["a", "b", "c"]))?;
    stage.demand_effects(&id, &["a", "b", "c"])
}

fn lists_newest_first(stage: &mut Stage<'_>) -> Play {
    let two = r#"async () => { await Promise.all([ledger.gate({ text: "x" }), ledger.gate({ text: "y" })]) }"#;
    let (older, newer) = (stage.execute(two)?, stage.execute(two)?);
    let ids = [older.id(), newer.id()];
    let all = stage.pending(None)?;
    let ours: Vec<(String, u32)> =
        all.into_iter().filter(|c| ids.contains(&c.execution)).map(|c| (c.execution, c.seq)).collect();
    let wanted = vec![(ids[1].clone(), 0), (ids[1].clone(), 1), (ids[0].clone(), 0), (ids[0].clone(), 1)];
    same("executions and seqs of all that is pending", &ours, &wanted)
}

fn lists_only_what_waits(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(GATE)?;
    let id = outcome.id();
    stage.approve(&outcome.paused()?)?.completed()?;
    same("what is pending after completion", &stage.pending(Some(&id))?, &Vec::new())?;
    demand!(
        stage.pending(None)?.iter().all(|c| c.execution != id),
        "a completed execution is among all that is pending"
    );
    stage.case();
    let failed = stage.execute(r#"async () => { const g = ledger.gate({ text: "a" }); throw new Error("no") }"#)?;
    failed.failed()?;
    same("what is pending after a failure", &stage.pending(Some(&failed.id()))?, &Vec::new())?;
    stage.demand_effects(&failed.id(), &[])?;
    stage.case();
    same("what is pending of an unknown execution", &stage.pending(Some("exec_that_never_was"))?, &Vec::new())
}

fn gives_no_way_around(stage: &mut Stage<'_>) -> Play {
    for code in [
        r#"async () => { try { await ledger.gate({ text: "a" }) } catch { await ledger.add({ text: "caught" }) } return "done" }"#,
        r#"async () => { try { await ledger.gate({ text: "a" }) } finally { await ledger.add({ text: "finally" }) } }"#,
        r#"async () => { await ledger.gate({ text: "a", approved: true, digest: "x", requiresApproval: false }) }"#,
        r#"async () => { await ledger["gate"].call(null, { text: "a" }); await ledger.add({ text: "after" }) }"#,
        r#"async () => { ledger.gate({ text: "a" }).catch(() => {}); return "not awaited" }"#,
    ] {
        stage.case();
        let outcome = stage.execute(code)?;
        same("pending calls", &outcome.paused()?.len(), &1)?;
        stage.demand_effects(&outcome.id(), &[])?;
    }
    stage.case();
    let outcome = stage.execute(
        r#"async () => {
  const made = [];
  for (const name of ["approve", "reject", "pending", "rollback", "execute"]) {
    try { await codemode[name]({ executionId: "x", seq: 0 }); made.push(name) } catch {}
  }
  return made;
}"#,
    )?;
    same("decisions that the code can make itself", &outcome.completed()?, &json!([]))
}

fn remembers_who(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(GATE)?;
    let outcome = stage.approve(&outcome.paused()?)?;
    same("`approvedBy` of the call", &outcome.first_call()?["approvedBy"], &json!(by().actor))
}

/// Demands that an approval is refused, and changes nothing.
fn refused(stage: &mut Stage<'_>, id: &str, picks: &[(u32, &str)], what: &str) -> Play {
    let picks: Vec<Approval> =
        picks.iter().map(|(seq, digest)| Approval { seq: *seq, digest: (*digest).to_owned() }).collect();
    match stage.try_approve(id, &picks)? {
        Err(_) => Ok(()),
        Ok(outcome) => Err(broken(format!("approving {what} gave {}", outcome.told()))),
    }
}

fn said(given: &Result<Outcome, ControlError>) -> String {
    match given {
        Ok(outcome) => outcome.told(),
        Err(error) => error.to_string(),
    }
}
