//! Replay: what is recorded is answered from the journal, in each further pass.

use serde_json::json;

use super::Scenario;
use super::stage::{Play, Stage, same};

pub(super) static ALL: [Scenario; 8] = [
    Scenario { rule: "HOST-REPLAY-01", play: answers_from_the_journal },
    Scenario { rule: "HOST-REPLAY-02", play: performs_live_reads_again },
    Scenario { rule: "HOST-REPLAY-03", play: does_effects_once },
    Scenario { rule: "HOST-REPLAY-04", play: stops_other_code },
    Scenario { rule: "HOST-REPLAY-05", play: keeps_the_winner },
    Scenario { rule: "HOST-REPLAY-06", play: keeps_the_order_of_answers },
    Scenario { rule: "HOST-REPLAY-07", play: keeps_time_and_chance },
    Scenario { rule: "HOST-REPLAY-08", play: keeps_failures },
];

fn answers_from_the_journal(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const first = await ledger.pass();
  await ledger.gate({ text: "one" });
  const second = await ledger.pass();
  await ledger.gate({ text: "two" });
  return [first, second, await ledger.pass()];
}"#,
    )?;
    let outcome = stage.approve_all(outcome)?;
    same("the passes in which three reads were performed", &outcome.completed()?, &json!([1, 2, 3]))
}

fn performs_live_reads_again(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const live = await ledger.live();
  await ledger.gate({ text: "one" });
  return live;
}"#,
    )?;
    let outcome = stage.approve_all(outcome)?;
    same("the pass of a re-executed read", &outcome.completed()?, &json!(2))
}

fn does_effects_once(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  await ledger.add({ text: "a" });
  await ledger.gate({ text: "b" });
  await ledger.add({ text: "c" });
  await ledger.gate({ text: "d" });
  await ledger.add({ text: "e" });
}"#,
    )?;
    let id = outcome.id();
    stage.demand_effects(&id, &["a"])?;
    let outcome = stage.approve(&outcome.paused()?)?;
    stage.demand_effects(&id, &["a", "b", "c"])?;
    let outcome = stage.approve(&outcome.paused()?)?;
    outcome.completed()?;
    same("the id after two approvals", &outcome.id(), &id)?;
    stage.demand_effects(&id, &["a", "b", "c", "d", "e"])
}

fn stops_other_code(stage: &mut Stage<'_>) -> Play {
    // What the ledger's `live` gives differs from pass to pass, and so do the calls that follow it.
    for (then, other) in [
        (r#"ledger.gate({ text: "then" })"#, r#"ledger.add({ text: "other" })"#),
        (r#"ledger.gate({ text: "then" })"#, r#"ledger.gate({ text: "other" })"#),
        (r#"ledger.gate({ text: "then" })"#, r#"codemode.step("other", () => ledger.add({ text: "other" }))"#),
        (r#"ledger.gate({ text: "then" })"#, r#"0"#),
    ] {
        stage.case();
        let code = format!(
            r#"async () => {{
  await ledger.add({{ text: "first" }});
  const pass = await ledger.live();
  try {{ if (pass === 1) await {then}; else await {other}; }} catch {{ await ledger.add({{ text: "caught" }}) }}
  await ledger.add({{ text: "last" }});
}}"#
        );
        let outcome = stage.execute(&code)?;
        let outcome = stage.approve(&outcome.paused()?)?;
        outcome.failed()?;
        stage.demand_effects(&outcome.id(), &["first"])?;
        same("what is pending after a divergence", &stage.pending(Some(&outcome.id()))?, &Vec::new())?;
    }
    Ok(())
}

fn keeps_the_winner(stage: &mut Stage<'_>) -> Play {
    for (a, b) in [(0, 25), (25, 0), (3, 4)] {
        stage.case();
        let code = format!(
            r#"async () => {{
  const calls = [ledger.slow({{ ms: {a}, text: "a" }}), ledger.slow({{ ms: {b}, text: "b" }})];
  const winner = (await Promise.race(calls)).text;
  await Promise.all(calls);
  await ledger.gate({{ text: winner }});
  return winner;
}}"#
        );
        let outcome = stage.execute(&code)?;
        let shown = outcome.waiting::<1>()?[0].text();
        let outcome = stage.approve_all(outcome)?;
        same("the winner after approval", &outcome.completed()?, &json!(shown))?;
        stage.demand_effects(&outcome.id(), &["a", "b", &shown])?;
    }
    Ok(())
}

fn keeps_the_order_of_answers(stage: &mut Stage<'_>) -> Play {
    // Which chain asks next depends on whose answer came first.
    let outcome = stage.execute(
        r#"async () => {
  const order = [];
  const chain = async (name, times) => {
    for (const ms of times) { await ledger.slow({ ms, text: name }); order.push(name) }
  };
  await Promise.all([chain("a", [6, 0, 3]), chain("b", [0, 5, 0]), chain("c", [3, 3, 3])]);
  await ledger.gate({ text: order.join("") });
  await ledger.gate({ text: "end" });
  return order.join("");
}"#,
    )?;
    let shown = outcome.waiting::<1>()?[0].text();
    let outcome = stage.approve_all(outcome)?;
    same("the order of answers after approval", &outcome.completed()?, &json!(shown))?;
    let effects = stage.effects(&outcome.id())?;
    same("effects in the ledger", &effects.len(), &11)
}

fn keeps_time_and_chance(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const text = [Date.now(), Math.random(), crypto.randomUUID(), new Date().toISOString()].join(" ");
  await ledger.gate({ text });
  await ledger.gate({ text });
  return text;
}"#,
    )?;
    let shown = outcome.waiting::<1>()?[0].text();
    let outcome = stage.approve_all(outcome)?;
    same("time and randomness after approval", &outcome.completed()?, &json!(shown))
}

fn keeps_failures(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  let said = "nothing";
  try { await ledger.fail({ message: "it failed" }) } catch (e) { said = e.message }
  await ledger.gate({ text: said });
  return said;
}"#,
    )?;
    let shown = outcome.waiting::<1>()?[0].text();
    demand!(shown.contains("it failed in pass 1"), "the code caught `{shown}`");
    let outcome = stage.approve_all(outcome)?;
    same("the failure after approval", &outcome.completed()?, &json!(shown))
}
