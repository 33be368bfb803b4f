//! Calls: each performed once, with checked arguments, values both ways, failures that can be caught.

use serde_json::{Value, json};

use super::Scenario;
use super::drawn::Draw;
use super::stage::{Play, Stage, same};

pub(super) static ALL: [Scenario; 9] = [
    Scenario { rule: "HOST-CALL-01", play: performs_once },
    Scenario { rule: "HOST-CALL-02", play: carries_values },
    Scenario { rule: "HOST-CALL-03", play: carries_what_json_cannot_say },
    Scenario { rule: "HOST-CALL-04", play: checks_arguments },
    Scenario { rule: "HOST-CALL-05", play: lets_code_catch },
    Scenario { rule: "HOST-CALL-06", play: refuses_what_is_not_there },
    Scenario { rule: "HOST-CALL-07", play: keeps_parallel_calls_apart },
    Scenario { rule: "HOST-CALL-08", play: gives_keys },
    Scenario { rule: "HOST-CALL-09", play: drops_what_a_failed_call_wrote },
];

fn performs_once(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const given = [];
  for (const text of ["a", "b", "b", "c"]) given.push((await ledger.add({ text })).seq);
  return given;
}"#,
    )?;
    same("what the calls gave", &outcome.completed()?, &json!([0, 1, 2, 3]))?;
    stage.demand_effects(&outcome.id(), &["a", "b", "b", "c"])
}

fn carries_values(stage: &mut Stage<'_>) -> Play {
    let fixed = [
        json!({ "": "", "__proto__": { "a": 1 }, "constructor": null, "length": 0, "ключ": ["🙂", "\u{0}", "\u{2028}", "\"\\"] }),
        json!([0, -1, 1.5, 1e21, 5e-324, 9_007_199_254_740_991_i64, -9_007_199_254_740_991_i64, true, false, null]),
        json!([[], {}, [[]], { "a": {} }]),
    ];
    let mut draw = Draw::new(stage.seed);
    let drawn: Vec<Value> = (0..stage.cases).map(|_| draw.value(4)).collect();
    for value in fixed.into_iter().chain(drawn) {
        stage.case();
        let text = value.to_string();
        let outcome =
            stage.execute_with("async (input) => ({ back: await ledger.echo(input), input })", Some(&text))?;
        same("the value that came back", &outcome.completed()?, &json!({ "back": value, "input": value }))?;
        same("the arguments in the journal", &outcome.first_call()?["args"], &value)?;
    }
    stage.case();
    let outcome = stage
        .execute(r#"async () => [typeof (await ledger.echo()), await ledger.echo(null), await ledger.echo(1, 2)]"#)?;
    same("nothing, null, and a second argument", &outcome.completed()?, &json!(["undefined", null, 1]))
}

fn carries_what_json_cannot_say(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const v = await codemode.step("all", () => [
    new Date(86400000), new Map([["k", new Set([1])]]), new Uint8Array([1, 255]), 123456789012345678901n, NaN, -0, undefined,
    { $cm: ["date", 0] },
  ]);
  await ledger.gate({ text: "between" });
  return [
    v[0] instanceof Date && v[0].getTime() === 86400000,
    v[1] instanceof Map && v[1].get("k") instanceof Set && v[1].get("k").has(1),
    v[2] instanceof Uint8Array && v[2].length === 2 && v[2][1] === 255,
    v[3] === 123456789012345678901n,
    Number.isNaN(v[4]),
    Object.is(v[5], -0),
    v[6] === undefined && v.length === 8,
    Array.isArray(v[7].$cm) && v[7].$cm[0] === "date",
  ];
}"#,
    )?;
    let outcome = stage.approve_all(outcome)?;
    let wanted = vec![true; 8];
    same("date, map, bytes, big integer, NaN, -0, undefined and `$cm`, replayed", &outcome.completed()?, &json!(wanted))
}

fn checks_arguments(stage: &mut Stage<'_>) -> Play {
    for args in [r#"{ count: "5" }"#, "{ count: 10 }", "{ count: 1, more: 1 }", "{}", "", "null", "[1]"] {
        stage.case();
        let code =
            format!("async () => {{ try {{ return await ledger.typed({args}) }} catch (e) {{ return e.message }} }}");
        let outcome = stage.execute(&code)?;
        let said = outcome.completed()?;
        demand!(said.is_string(), "ledger.typed({args}) was performed and gave {said}");
        stage.demand_effects(&outcome.id(), &[])?;
    }
    stage.case();
    let outcome = stage.execute("async () => { await ledger.typed({ count: 9 }) }")?;
    outcome.completed()?;
    stage.demand_effects(&outcome.id(), &[r#"{"count":9}"#])
}

fn lets_code_catch(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  try { await ledger.fail({ message: "broken" }) } catch (e) {
    await ledger.add({ text: "after" });
    return [e instanceof Error, e.message.includes("broken")];
  }
}"#,
    )?;
    same("what the code caught", &outcome.completed()?, &json!([true, true]))?;
    same("state of the call that failed", &outcome.first_call()?["state"], &json!("error"))?;
    stage.demand_effects(&outcome.id(), &["after"])?;
    stage.case();
    let error = stage.execute(r#"async () => { await ledger.fail({ message: "broken" }); return 1 }"#)?.failed()?;
    demand!(error.contains("broken"), "the error does not say what the connector said: {error}");
    Ok(())
}

fn refuses_what_is_not_there(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => { try { await ledger.nope({ text: "x" }) } catch (e) { return e.message } return "performed" }"#,
    )?;
    let said = outcome.completed()?;
    demand!(said.as_str().is_some_and(|s| s.contains("nope")), "a method that is not there: the code caught {said}");
    for code in ["async () => elsewhere.add({ text: 'x' })", "async () => ledger.constructor.constructor('return 1')()"]
    {
        stage.case();
        let outcome = stage.execute(code)?;
        demand!(outcome.status() == "error", "{code} gave {}", outcome.told());
        stage.demand_effects(&outcome.id(), &[])?;
    }
    Ok(())
}

fn keeps_parallel_calls_apart(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const given = await Promise.all([12, 0, 8, 4].map((ms, n) => ledger.slow({ ms, text: "n" + n })));
  return given.map((g) => g.text);
}"#,
    )?;
    same("what each of the calls gave", &outcome.completed()?, &json!(["n0", "n1", "n2", "n3"]))?;
    let seqs: Vec<Value> = outcome.calls()?.iter().map(|c| json!([c["seq"], c["args"]["text"]])).collect();
    same(
        "seqs in the order of asking",
        &seqs,
        &vec![json!([0, "n0"]), json!([1, "n1"]), json!([2, "n2"]), json!([3, "n3"])],
    )?;
    stage.demand_effects(&outcome.id(), &["n0", "n1", "n2", "n3"])
}

fn gives_keys(stage: &mut Stage<'_>) -> Play {
    let code = r#"async () => { await ledger.add({ text: "a" }); await ledger.add({ text: "a" }) }"#;
    let mut keys = Vec::new();
    for _ in 0..2 {
        let outcome = stage.execute(code)?;
        outcome.completed()?;
        keys.extend(stage.books(&outcome.id())?.rows.into_iter().map(|row| row.key));
    }
    let printable = |key: &String| (1..=128).contains(&key.len()) && key.bytes().all(|b| (0x20..0x7f).contains(&b));
    demand!(keys.len() == 4 && keys.iter().all(printable), "keys of 1 to 128 printable ASCII characters: {keys:?}");
    let mut unique = keys.clone();
    unique.sort_unstable();
    unique.dedup();
    demand!(unique.len() == keys.len(), "two calls have one idempotency key: {keys:?}");
    Ok(())
}

fn drops_what_a_failed_call_wrote(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  try { await ledger.addThenFail({ text: "half" }) } catch {}
  await ledger.add({ text: "whole" });
}"#,
    )?;
    outcome.completed()?;
    stage.demand_effects(&outcome.id(), &["whole"])
}
