//! Limits, each at its last good and its first bad size.

use serde_json::json;

use super::Scenario;
use super::stage::{Play, Stage, same};

pub(super) static ALL: [Scenario; 6] = [
    Scenario { rule: "HOST-LIMIT-01", play: of_the_source },
    Scenario { rule: "HOST-LIMIT-02", play: of_arguments },
    Scenario { rule: "HOST-LIMIT-03", play: of_results },
    Scenario { rule: "HOST-LIMIT-04", play: of_steps },
    Scenario { rule: "HOST-LIMIT-05", play: of_nesting },
    Scenario { rule: "HOST-LIMIT-06", play: of_memory },
];

/// UTF-16 code units of the source, and of a value as JSON text.
const UNITS: usize = 1_000_000;

fn of_the_source(stage: &mut Stage<'_>) -> Play {
    // In characters that are three bytes and one unit, so that bytes are told from units.
    let code = |units: usize| {
        let (head, tail) = (r#"async () => { await ledger.add({ text: "ran" }); return "HOST-LIMIT-01" } /* "#, " */");
        format!("{head}{}{tail}", "中".repeat(units - head.len() - tail.len()))
    };
    let outcome = stage.execute_exactly(&code(UNITS), None)?;
    outcome.completed()?;
    stage.demand_effects(&outcome.id(), &["ran"])?;
    stage.case();
    let outcome = stage.execute_exactly(&code(UNITS + 1), None)?;
    outcome.failed()?;
    same("`executionId` of code that is not even stored", &outcome.id(), &String::new())
}

fn of_arguments(stage: &mut Stage<'_>) -> Play {
    // `{"text":"…"}` has eleven characters of its own.
    for letter in ["a", "é"] {
        stage.case();
        let code = |n: usize| format!(r#"async () => {{ await ledger.add({{ text: "{letter}".repeat({n}) }}) }}"#);
        let outcome = stage.execute(&code(UNITS - 11))?;
        outcome.completed()?;
        same("effects in the ledger", &stage.effects(&outcome.id())?.len(), &1)?;
        stage.case();
        let outcome = stage.execute(&code(UNITS - 10))?;
        outcome.failed()?;
        stage.demand_effects(&outcome.id(), &[])?;
    }
    Ok(())
}

fn of_results(stage: &mut Stage<'_>) -> Play {
    let code = |n: usize| {
        format!("async () => {{ try {{ return (await ledger.big({{ n: {n} }})).length }} catch (e) {{ return 0 }} }}")
    };
    same("length of the largest result", &stage.execute(&code(UNITS - 2))?.completed()?, &json!(UNITS - 2))?;
    stage.case();
    let outcome = stage.execute(&code(UNITS - 1))?;
    outcome.failed()?;
    Ok(())
}

fn of_steps(stage: &mut Stage<'_>) -> Play {
    let code = |n: usize| format!(r#"async () => (await codemode.step("big", () => "x".repeat({n}))).length"#);
    same("length of the largest step", &stage.execute(&code(UNITS - 2))?.completed()?, &json!(UNITS - 2))?;
    stage.case();
    let error = stage.execute(&code(UNITS - 1))?.failed()?;
    demand!(error.contains("1000000") || error.contains("1,000,000"), "the error does not name the limit: {error}");
    Ok(())
}

fn of_nesting(stage: &mut Stage<'_>) -> Play {
    let code = |levels: usize| {
        format!(
            r#"async () => {{
  let v = [];
  for (let n = 1; n < {levels}; n++) v = [v];
  await ledger.echo(v);
  await ledger.add({{ text: "after" }});
}}"#
        )
    };
    let outcome = stage.execute(&code(512))?;
    outcome.completed()?;
    stage.demand_effects(&outcome.id(), &["after"])?;
    stage.case();
    let outcome = stage.execute(&code(513))?;
    outcome.failed()?;
    stage.demand_effects(&outcome.id(), &[])
}

fn of_memory(stage: &mut Stage<'_>) -> Play {
    // Two gigabytes, if they were to be had.
    let outcome = stage.execute(
        r#"async () => {
  await ledger.add({ text: "before" });
  const all = [];
  for (let n = 0; n < 2000; n++) all.push("x".repeat(1 << 20) + n);
  await ledger.add({ text: "after" });
}"#,
    )?;
    outcome.failed()?;
    stage.demand_effects(&outcome.id(), &["before"])?;
    same("what the host does afterwards", &stage.execute("async () => 1")?.completed()?, &json!(1))
}
