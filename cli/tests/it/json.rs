//! The shape of JSON output. It is an interface: a key that goes or changes its type breaks somebody's script.

use serde_json::{Value, json};

use crate::kit::Kit;

/// The value with every text, number and flag replaced by its type.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(members) => members.iter().map(|(k, v)| (k.clone(), shape(v))).collect(),
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::String(_) => json!("text"),
        Value::Number(_) => json!("number"),
        Value::Bool(_) => json!("flag"),
        Value::Null => Value::Null,
    }
}

fn list_call() -> Value {
    json!({ "seq": "number", "connector": "text", "method": "text", "result": [], "requiresApproval": "flag", "state": "text" })
}

#[test]
fn a_paused_outcome_has_its_wire_names() {
    let kit = Kit::new();
    kit.write("create.js", crate::kit::CREATE);
    let (code, outcome) = kit.json(&["run", "create.js"]);
    assert_eq!(code, 3);
    let args = json!({ "text": "text" });
    let expected = json!({
        "status": "text",
        "executionId": "text",
        "pending": [{
            "executionId": "text", "seq": "number", "connector": "text", "method": "text", "args": args, "digest": "text",
        }],
        "calls": [
            list_call(),
            { "seq": "number", "connector": "text", "method": "text", "args": args, "requiresApproval": "flag", "state": "text" },
        ],
    });
    assert_eq!(shape(&outcome), expected);
}

#[test]
fn a_failed_outcome_has_its_wire_names() {
    let kit = Kit::new();
    kit.write("bad.js", "async () => { console.log('x'); throw new TypeError('no') }");
    let (code, outcome) = kit.json(&["run", "bad.js"]);
    assert_eq!(code, 1);
    assert_eq!((&outcome["status"], &outcome["errorInfo"]["kind"]), (&json!("error"), &json!("thrown")));
    assert_eq!((&outcome["errorInfo"]["name"], &outcome["errorInfo"]["line"]), (&json!("TypeError"), &json!(1)));
    assert_eq!(outcome["logs"], json!(["x"]));
}

#[test]
fn an_execution_is_shown_with_stable_keys() {
    let kit = Kit::new();
    let id = kit.paused();
    kit.run(&["approve", &id, "--yes"]);
    let (_, shown) = kit.json(&["show", &id]);
    let args = json!({ "text": "text" });
    let expected = json!({
        "executionId": "text", "status": "text", "createdAt": "number", "updatedAt": "number", "endedAt": "number",
        "owner": "text", "passes": "number", "connectors": ["text", "text"], "code": "text", "input": null, "snippets": [],
        "calls": [
            list_call(),
            {
                "seq": "number", "connector": "text", "method": "text", "args": args,
                "result": { "id": "text", "text": "text" }, "requiresApproval": "flag", "state": "text", "approvedBy": "text",
            },
        ],
        "pending": [], "unresolved": [], "rollback": null, "logs": [], "logPasses": [], "result": { "before": "number", "text": "text" }, "error": null,
    });
    assert_eq!(shape(&shown), expected);
}

#[test]
fn a_list_has_stable_keys() {
    let kit = Kit::new();
    kit.paused();
    let (_, list) = kit.json(&["executions"]);
    let expected = json!({ "executions": [{
        "executionId": "text", "status": "text", "createdAt": "number", "updatedAt": "number", "endedAt": null,
        "passes": "number", "calls": "number", "pending": "number", "unresolved": "number", "notReverted": "number",
        "abandoned": "flag", "codeStart": "text", "damaged": null,
    }], "next": null });
    assert_eq!(shape(&list), expected);
}

#[test]
fn errors_are_json_too() {
    let kit = Kit::new();
    let (code, error) = kit.json(&["run", "missing.js"]);
    assert_eq!(code, 2);
    assert_eq!(
        error,
        json!({ "error": { "code": "no_file", "message": "there is no file missing.js", "hint": null } })
    );
}

#[test]
fn json_output_is_one_line() {
    let kit = Kit::new();
    kit.paused();
    for words in [&["executions"][..], &["pending"], &["show", "last"]] {
        let ended = kit.run(&[words, &["--output", "json", "--color", "always"]].concat());
        assert_eq!(ended.out.matches('\n').count(), 1, "{words:?}: {ended:?}");
        assert!(!ended.out.contains('\x1b'), "{words:?}: {ended:?}");
    }
}
