//! What goes into the tool and comes out of it, in its wire form: held against the schemas that it is published with.

use std::collections::BTreeSet;

use codemode_conformance::harness::{Host, anna, id_of};
use codemode_runtime::tool::{Budget, Tool, ToolOptions};
use codemode_runtime::{ExecutionId, Outcome, Picks, Runtime};
use serde_json::{Value, json};

use crate::kit::validator;

async fn tool(runtime: &Runtime) -> Tool {
    runtime.tool(ToolOptions::new()).await.unwrap()
}

async fn called(tool: &Tool, code: &str) -> Value {
    tool.call(&json!({ "code": code })).await.unwrap()
}

/// Covers RUN-01, RUN-02, runtime-handle#3.
#[tokio::test(flavor = "multi_thread")]
async fn the_tool_takes_code_and_says_so_in_its_schema() {
    let runtime = Host::new().runtime();
    let tool = tool(&runtime).await;
    let mut schema = tool.input_schema().clone();
    let about = schema["properties"]["code"].as_object_mut().unwrap().shift_remove("description").unwrap();
    assert!(about.as_str().unwrap().contains("async arrow function"));
    let exact = json!({
        "type": "object",
        "properties": { "code": { "type": "string" } },
        "required": ["code"],
        "additionalProperties": false
    });
    assert_eq!(schema, exact);
    let input = validator(tool.input_schema());
    assert!(input.is_valid(&json!({ "code": "return 1" })));
    assert!(!input.is_valid(&json!({ "code": 1 })) && !input.is_valid(&json!({})));

    let outcome = called(&tool, "async () => 42").await;
    assert_eq!((&outcome["status"], &outcome["result"]), (&json!("completed"), &json!(42)));
    let more = tool.call(&json!({ "code": "async () => 43", "why": "because" })).await.unwrap();
    assert_eq!(more["result"], 43, "members beside the code are ignored");
}

/// Covers RUN-02.
#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_are_an_outcome_that_asks_for_code_and_nothing_is_stored() {
    let runtime = Host::new().runtime();
    let tool = tool(&runtime).await;
    let output = validator(tool.output_schema());
    for arguments in [json!({}), json!({ "code": 1 }), json!({ "script": "x" }), json!(null), json!("async () => 1")] {
        let outcome = tool.call(&arguments).await.unwrap();
        assert_eq!((&outcome["status"], &outcome["executionId"]), (&json!("error"), &json!("")), "{outcome}");
        assert_eq!(outcome["errorInfo"]["kind"], "invalid_arguments");
        assert!(outcome["error"].as_str().unwrap().contains("`code`"), "{outcome}");
        assert!(output.is_valid(&outcome), "{outcome}");
    }
    assert!(runtime.executions(&Default::default()).unwrap().is_empty());
}

/// Every outcome that this code makes the runtime give.
const KINDS: [&str; 16] = [
    "async () => 42",
    "async () => {}",
    "async () => null",
    "async () => { console.log('said'); return { deep: [1, 'x', null] } }",
    "async () => new Map([[1n, new Date(0)]])",
    "async () => '\\ud800'",
    "async () => shelf.put({ title: 'a' })",
    "async () => shelf.put()",
    "async () => Promise.all([shelf.put({ title: 'a' }), shelf.put({ title: 'b' })])",
    "async () => { throw new Error('boom') }",
    "async () => { console.error('before'); throw { a: 1 } }",
    "async () => { throw undefined }",
    "async () => nowhere.to.be.found()",
    "async () => shelf.missing()",
    "const x = ;",
    "async () => new Promise(() => {})",
];

/// Covers OUTPUT-01, OUTPUT-10.
#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_outcome_fits_the_output_schema_and_no_part_of_it_is_dead() {
    let runtime = Host::new().limits(|limits| limits.code_units = 1_000).runtime();
    let tool = tool(&runtime).await;
    let schema = tool.output_schema();
    let output = validator(schema);
    let mut outcomes = vec![tool.call(&json!({ "code": " ".repeat(1_001) })).await.unwrap()];
    for code in KINDS {
        outcomes.push(called(&tool, code).await);
    }
    let (mut branches, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for outcome in &outcomes {
        assert!(output.is_valid(outcome), "{outcome}\n{:?}", output.validate(outcome));
        let fits = |branch: &Value| validator(branch).is_valid(outcome);
        let fitting: Vec<usize> =
            schema["oneOf"].as_array().unwrap().iter().enumerate().filter(|(_, b)| fits(b)).map(|(at, _)| at).collect();
        assert_eq!(fitting.len(), 1, "one branch each: {outcome}");
        branches.extend(fitting.clone());
        paths(outcome, &fitting[0].to_string(), &mut seen);
    }
    assert_eq!(branches.len(), 3);
    let mut declared = BTreeSet::new();
    for (at, branch) in schema["oneOf"].as_array().unwrap().iter().enumerate() {
        properties(branch, &at.to_string(), &mut declared);
    }
    let unseen: Vec<_> = declared.difference(&seen).collect();
    assert!(unseen.is_empty(), "no outcome has {unseen:?}");
    for outcome in outcomes {
        let mut more = outcome;
        more["surprise"] = json!(true);
        assert!(!output.is_valid(&more), "the schema is strict: {more}");
    }
}

/// The places of an outcome; what is in values of the code does not count.
fn paths(value: &Value, at: &str, seen: &mut BTreeSet<String>) {
    seen.insert(at.to_owned());
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let place = format!("{at}.{name}");
                seen.insert(place.clone());
                if matches!(name.as_str(), "pending" | "errorInfo") {
                    paths(member, &place, seen);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| paths(item, at, seen)),
        _ => {}
    }
}

/// The places that a schema declares.
fn properties(schema: &Value, at: &str, declared: &mut BTreeSet<String>) {
    if let Some(items) = schema.get("items") {
        properties(items, at, declared);
    }
    for (name, member) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let place = format!("{at}.{name}");
        declared.insert(place.clone());
        properties(member, &place, declared);
    }
}

/// Covers OUTPUT-09, DIFF-02, OUTPUT-02.
#[tokio::test(flavor = "multi_thread")]
async fn the_model_gets_what_the_host_gets_without_the_journal() {
    let runtime = Host::new().runtime();
    let tool = tool(&runtime).await;
    for code in [
        "async () => ({ rows: await shelf.list() })",
        "async () => shelf.put({ title: 'a' })",
        "async () => { throw 1 }",
    ] {
        let (given, host) = (called(&tool, code).await, tool.execute(code).await.unwrap());
        let mut wire: Value = serde_json::from_str(&host.to_wire()).unwrap();
        assert!(wire.as_object_mut().unwrap().shift_remove("calls").is_some(), "the host sees the journal");
        let same_id = |text: &Value| {
            let id = text["executionId"].as_str().unwrap();
            text.to_string().replace(id, "exec")
        };
        let blind = |text: String| text.split("\"digest\"").next().unwrap_or_default().to_owned();
        assert_eq!(blind(same_id(&given)), blind(same_id(&wire)));
    }
    let paused = tool.execute("async () => shelf.put({ title: 'a' })").await.unwrap();
    let approved = runtime.approve(&id_of(&paused), Picks::AllPending, anna()).await.unwrap();
    let given = tool.for_model(approved);
    assert_eq!((&given["status"], &given["result"]["title"]), (&json!("completed"), &json!("a")));
    assert!(validator(tool.output_schema()).is_valid(&given));
}

/// Covers TRUNCATE-07, TRUNCATE-08.
#[tokio::test(flavor = "multi_thread")]
async fn a_budget_cuts_what_the_model_gets_and_never_the_record_or_a_replay() {
    let runtime = Host::new().runtime();
    let cut = runtime.tool(ToolOptions::new().budget(Budget::default())).await.unwrap();
    let code = "async () => { const text = await t.big({ n: 25000, ch: 'x' }); return { text, length: text.length } }";
    let given = called(&cut, code).await;
    let shown = given["result"].as_str().unwrap();
    assert!(shown.contains("--- cut here ---") && shown.contains("limit is 6,000"), "{}", &shown[24_000..]);
    assert!(shown.len() < 24_400);
    let id = ExecutionId::from_text(given["executionId"].as_str().unwrap());
    let kept = runtime.record(&id).unwrap().unwrap().execution.result.unwrap();
    assert!(kept.as_str().len() > 25_000 && kept.as_str().contains("\"length\":25000"));
    let whole = called(&tool(&runtime).await, code).await;
    assert_eq!(whole["result"]["length"], 25_000, "without a budget it is whole");

    let paused = "async () => { const text = await t.big({ n: 25000, ch: 'x' }); await shelf.put({ title: 'a' }); return text.length }";
    let given = called(&cut, paused).await;
    let id = ExecutionId::from_text(given["executionId"].as_str().unwrap());
    let outcome = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
    assert!(matches!(&outcome, Outcome::Completed { result: Some(n), .. } if n.as_str() == "25000"), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_budget_holds_at_its_edge() {
    let runtime = Host::new().runtime();
    let budget = Budget { chars: Some(100), ..Budget::default() };
    let tool = runtime.tool(ToolOptions::new().budget(budget)).await.unwrap();
    let given = |n: usize| format!("async () => t.big({{ n: {n}, ch: 'x' }})");
    assert_eq!(called(&tool, &given(100)).await["result"], "x".repeat(100));
    assert!(called(&tool, &given(101)).await["result"].as_str().unwrap().contains("--- cut here ---"));
}
