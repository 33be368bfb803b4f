//! Running code: outcomes, failures, input, what a sandbox has and has not.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Scenario;
use super::stage::{Play, Stage, broken, same};

pub(super) static ALL: [Scenario; 14] = [
    Scenario { rule: "HOST-RUN-01", play: gives_the_result },
    Scenario { rule: "HOST-RUN-02", play: has_the_ledger },
    Scenario { rule: "HOST-RUN-03", play: tells_failures_as_outcomes },
    Scenario { rule: "HOST-RUN-04", play: gives_ids },
    Scenario { rule: "HOST-RUN-05", play: hands_the_input_over },
    Scenario { rule: "HOST-RUN-06", play: keeps_null_and_undefined_apart },
    Scenario { rule: "HOST-RUN-07", play: shows_the_journal },
    Scenario { rule: "HOST-RUN-08", play: gives_the_logs },
    Scenario { rule: "HOST-RUN-09", play: says_where },
    Scenario { rule: "HOST-RUN-10", play: begins_afresh },
    Scenario { rule: "HOST-RUN-11", play: closes_the_world },
    Scenario { rule: "HOST-RUN-12", play: ends_what_never_settles },
    Scenario { rule: "HOST-FIND-01", play: finds_methods },
    Scenario { rule: "HOST-HOOK-01", play: tells_the_connector },
];

fn gives_the_result(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute("async () => 42")?;
    same("result", &outcome.completed()?, &json!(42))?;
    demand!(!outcome.id().is_empty(), "an execution that ran has an id, and `executionId` is empty");
    Ok(())
}

fn has_the_ledger(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(r#"async () => (await ledger.add({ text: "first" })).text"#)?;
    same("result", &outcome.completed()?, &json!("first"))?;
    stage.demand_effects(&outcome.id(), &["first"])
}

fn tells_failures_as_outcomes(stage: &mut Stage<'_>) -> Play {
    for (code, word) in [
        (r#"async () => { throw new Error("boom") }"#, "boom"),
        (r#"async () => { throw "plain text" }"#, "plain text"),
        ("async () => nowhere.at.all", "nowhere"),
        ("async () => { return 1 +", ""),
    ] {
        stage.case();
        let outcome = stage.execute(code)?;
        let error = outcome.failed()?;
        demand!(error.contains(word), "the error of {code} does not say `{word}`: {error}");
        demand!(outcome.member("result").is_none(), "a failed outcome has no `result`: {}", outcome.told());
        demand!(!outcome.id().is_empty(), "code that fails is an execution, and has an id: {}", outcome.told());
    }
    Ok(())
}

fn gives_ids(stage: &mut Stage<'_>) -> Play {
    let mut ids = BTreeSet::new();
    for _ in 0..10 {
        let outcome = stage.execute(r#"async () => (await ledger.add({ text: "id" })).execution"#)?;
        let told = outcome.completed()?;
        same("the id that the connector was told", &told, &json!(outcome.id()))?;
        demand!(ids.insert(outcome.id()), "two executions have the id {}", outcome.id());
    }
    Ok(())
}

fn hands_the_input_over(stage: &mut Stage<'_>) -> Play {
    for input in [r#"{"a":[1,2,{"b":null}],"ü":"🙂"}"#, "null", "0", "\"\"", "false"] {
        stage.case();
        let outcome = stage.execute_with("async (input) => ({ given: input })", Some(input))?;
        let wanted: Value = serde_json::from_str(input).unwrap_or_default();
        same("the input as the code sees it", &outcome.completed()?, &json!({ "given": wanted }))?;
    }
    stage.case();
    let outcome = stage.execute("async (input) => typeof input")?;
    same("the input of code that was given none", &outcome.completed()?, &json!("undefined"))?;
    stage.case();
    match stage.execute_with("async (input) => input", Some("{\"a\":")) {
        Err(_) => Ok(()),
        Ok(outcome) => Err(broken(format!("an input that is no JSON gave {}", outcome.told()))),
    }
}

fn keeps_null_and_undefined_apart(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute("async () => {}")?;
    outcome.completed()?;
    same("`result` of code that gives nothing", &outcome.member("result"), &None)?;
    stage.case();
    let outcome = stage.execute("async () => null")?;
    outcome.completed()?;
    same("`result` of code that gives null", &outcome.member("result"), &Some(&Value::Null))
}

fn shows_the_journal(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  await ledger.echo({ b: 1, a: [null] });
  await codemode.step("think", () => 7);
  try { await ledger.fail({ message: "no" }) } catch {}
  await ledger.live();
  await ledger.echo();
  await ledger.gate({ text: "last" });
}"#,
    )?;
    outcome.paused()?;
    let calls = outcome.calls()?;
    let seen: Vec<Value> = calls
        .iter()
        .map(|c| json!([c["seq"], c["connector"], c["method"], c["state"], c["requiresApproval"]]))
        .collect();
    let wanted = [
        json!([0, "ledger", "echo", "applied", false]),
        json!([1, "__step", "think", "applied", false]),
        json!([2, "ledger", "fail", "error", false]),
        json!([3, "ledger", "live", "applied", false]),
        json!([4, "ledger", "echo", "applied", false]),
        json!([5, "ledger", "gate", "pending", true]),
    ];
    same("seq, connector, method, state and requiresApproval of `calls`", &seen, &wanted.to_vec())?;
    same("`args` of the first call", &calls[0]["args"], &json!({ "a": [null], "b": 1 }))?;
    same("`result` of the first call", &calls[0]["result"], &json!({ "a": [null], "b": 1 }))?;
    same("`result` of the step", &calls[1]["result"], &json!(7))?;
    same("`result` of a re-executed call", &calls[3].get("result"), &None)?;
    same("`ephemeral` of a re-executed call", &calls[3]["ephemeral"], &json!(true))?;
    same("`args` of a call without arguments", &calls[4].get("args"), &None)?;
    same("`args` of the pending call", &calls[5]["args"], &json!({ "text": "last" }))
}

fn gives_the_logs(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(r#"async () => { console.log("one", 1); console.error("two"); return 3 }"#)?;
    outcome.completed()?;
    let logs = outcome.member("logs").cloned().unwrap_or_default();
    let lines: Vec<&str> = logs.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let fits = lines.len() == 2 && lines[0].contains("one 1") && lines[1].contains("two");
    demand!(fits, "expected two lines with `one 1` and `two` in `logs`, got {logs}");
    stage.case();
    let outcome = stage.execute("async () => 1")?;
    outcome.completed()?;
    same("`logs` of code that says nothing", &outcome.member("logs"), &None)
}

fn says_where(stage: &mut Stage<'_>) -> Play {
    for (code, line) in
        [("async () => {\n  const a = 1;\n  throw new Error(\"here\");\n}", 3), ("async () => {\n  return 1 +;\n}", 2)]
    {
        stage.case();
        let outcome = stage.execute(code)?;
        outcome.failed()?;
        let info = outcome.member("errorInfo").cloned().unwrap_or_default();
        same("`line` in `errorInfo`", &info["line"], &json!(line))?;
        demand!(info["column"].as_u64().is_some_and(|c| c > 0), "`errorInfo` has no column from 1: {info}");
    }
    Ok(())
}

fn begins_afresh(stage: &mut Stage<'_>) -> Play {
    let first = "async () => { globalThis.left = 1; Array.prototype.left = 1; return typeof globalThis.left }";
    // A sandbox may freeze what it has; then nothing is left over either.
    stage.execute(first)?;
    let outcome = stage.execute("async () => [typeof globalThis.left, typeof [].left]")?;
    same("what an earlier execution left over", &outcome.completed()?, &json!(["undefined", "undefined"]))?;
    stage.case();
    let outcome = stage.execute(
        r#"async () => {
  const before = typeof globalThis.mine;
  try { globalThis.mine = 1 } catch {}
  await ledger.gate({ text: before });
  return before;
}"#,
    )?;
    let outcome = stage.approve_all(outcome)?;
    same("what an earlier pass left over", &outcome.completed()?, &json!("undefined"))
}

fn closes_the_world(stage: &mut Stage<'_>) -> Play {
    let names =
        ["process", "require", "Deno", "Bun", "XMLHttpRequest", "WebSocket", "WebAssembly", "SharedArrayBuffer"];
    let code = format!("async () => {}.filter((name) => typeof globalThis[name] !== 'undefined')", json!(names));
    same("ways out that the code has", &stage.execute(&code)?.completed()?, &json!([]))?;
    stage.case();
    let outcome = stage.execute(r#"async () => { await import("fs"); return "imported" }"#)?;
    demand!(outcome.status() == "error", "`import` of a module gave {}", outcome.told());
    Ok(())
}

fn ends_what_never_settles(stage: &mut Stage<'_>) -> Play {
    let outcome =
        stage.execute(r#"async () => { await ledger.add({ text: "before" }); await new Promise(() => {}) }"#)?;
    outcome.failed()?;
    stage.demand_effects(&outcome.id(), &["before"])
}

fn finds_methods(stage: &mut Stage<'_>) -> Play {
    let outcome = stage.execute(
        r#"async () => {
  const found = await codemode.search("ledger gate");
  const docs = await codemode.describe("ledger.gate");
  await ledger.echo(1);
  return { path: found.results[0]?.path, approval: found.results[0]?.requiresApproval, docs };
}"#,
    )?;
    let given = outcome.completed()?;
    same("path of the first result of a search", &given["path"], &json!("ledger.gate"))?;
    same("`requiresApproval` of what was found", &given["approval"], &json!(true))?;
    same("`requiresApproval` of what is described", &given["docs"]["requiresApproval"], &json!(true))?;
    let types = given["docs"]["types"].as_str().unwrap_or_default();
    demand!(types.contains("text: string"), "`types` of `ledger.gate` do not say `text: string`: {types}");
    same("seq of the call after discovery", &outcome.first_call()?["seq"], &json!(0))
}

fn tells_the_connector(stage: &mut Stage<'_>) -> Play {
    let code = r#"async () => ledger.gate({ text: "a" })"#;
    let paused = stage.execute(code)?;
    let pending = paused.paused()?;
    same("hooks of a paused execution", &stage.books(&paused.id())?.hooks, &texts(&["pass 001 paused"]))?;
    stage.approve(&pending)?.completed()?;
    let wanted = ["ended completed", "pass 001 paused", "pass 002 completed"];
    same("hooks of a completed execution", &stage.books(&paused.id())?.hooks, &texts(&wanted))?;
    stage.case();
    let failed = stage.execute(r#"async () => { throw new Error("no") }"#)?;
    let wanted = ["ended error", "pass 001 error"];
    same("hooks of a failed execution", &stage.books(&failed.id())?.hooks, &texts(&wanted))?;
    stage.case();
    let paused = stage.execute(code)?;
    let seq = paused.waiting::<1>()?[0].seq;
    demand!(stage.reject(&paused.id(), seq)? == Ok(true), "a pending call could not be rejected");
    let wanted = ["ended rejected", "pass 001 paused"];
    same("hooks of a rejected execution", &stage.books(&paused.id())?.hooks, &texts(&wanted))
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
