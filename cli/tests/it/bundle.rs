//! `export` and `replay`: a record leaves its store and is replayed where neither the store nor the connectors are.

use serde_json::json;

use crate::kit::{Ended, Kit};

/// A bundle of a completed execution with one approval, in the file `run.jsonl`.
fn exported(kit: &Kit) -> String {
    let id = kit.paused();
    kit.run(&["approve", &id, "--yes"]);
    let exported = kit.run(&["export", &id, "-o", "run.jsonl"]);
    assert_eq!((exported.code, exported.out.as_str()), (0, ""), "{exported:?}");
    std::fs::read_to_string(kit.path("run.jsonl")).expect("the file is there")
}

/// The lines with a digest that fits them, in place of the last line; also in the file `edited.jsonl`.
fn resealed(kit: &Kit, text: &str) -> String {
    let body: String = text.lines().take(text.lines().count() - 1).map(|line| format!("{line}\n")).collect();
    let sha256 = codemode_runtime::durable::digest::of_bytes(body.as_bytes());
    let text = format!("{body}{{\"kind\":\"digest\",\"lines\":{},\"sha256\":\"{sha256}\"}}\n", body.lines().count());
    kit.write("edited.jsonl", &text);
    text
}

#[test]
fn a_bundle_goes_to_stdout_or_to_a_new_file_and_is_the_same_text() {
    let kit = Kit::new();
    let text = exported(&kit);
    let printed = kit.run(&["export", "last"]);
    assert_eq!((printed.code, &printed.out), (0, &text), "{printed:?}");
    assert!(text.starts_with("{\"kind\":\"codemode-bundle\",\"format\":1,"), "{text}");
    kit.run(&["export", "last", "-o", "run.jsonl"]).failed(2, "file_exists");
    assert_eq!(std::fs::read_to_string(kit.path("run.jsonl")).unwrap(), text);
    kit.run(&["export", "last", "-o", "missing/run.jsonl"]).failed(2, "no_file");
    kit.run(&["export", "exec_9"]).failed(4, "not_found");
    let (code, said) = kit.json(&["export", "last", "-o", "again.jsonl"]);
    let id = &said["executionId"];
    assert_eq!((code, &said), (0, &json!({ "executionId": id, "file": "again.jsonl", "bytes": text.len() })));
}

#[cfg(unix)]
#[test]
fn a_bundle_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let kit = Kit::new();
    exported(&kit);
    let mode = std::fs::metadata(kit.path("run.jsonl")).expect("the file is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_replay_needs_neither_a_store_nor_connectors() {
    let kit = Kit::new();
    let text = exported(&kit);
    let elsewhere = Kit::new();
    elsewhere.write("run.jsonl", &text).write("codemode.toml", "[limits]\ncalls = 100\n");
    let replayed = elsewhere.run(&["replay", "run.jsonl"]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
    assert!(replayed.out.starts_with("same exec_") && replayed.err.is_empty(), "{replayed:?}");
    assert!(!elsewhere.path("data").exists(), "nothing is stored");
    let piped = elsewhere.feed(&["replay", "-"], text.as_bytes());
    assert_eq!((piped.code, piped.out), (0, replayed.out));
}

#[test]
fn edited_code_diverges_with_its_place() {
    let kit = Kit::new();
    let text = exported(&kit);
    resealed(&kit, &text.replacen("buy milk", "buy bread", 1));
    let diverged = kit.run(&["replay", "edited.jsonl"]);
    assert_eq!(diverged.code, 1, "{diverged:?}");
    let expected = [
        " at seq 1 ",
        "recorded: notes.createNote {\"text\":\"buy milk\"}",
        "replayed: notes.createNote {\"text\":\"buy bread\"}",
        "differ from the recorded run at .text",
    ];
    for part in expected {
        assert!(diverged.out.contains(part), "{part}: {diverged:?}");
    }
}

#[test]
fn what_is_no_good_bundle_is_refused_with_its_line() {
    let kit = Kit::new();
    let text = exported(&kit);
    let refused = |content: &str, code: &str, part: &str| {
        kit.write("bad.jsonl", content);
        let ended: Ended = kit.run(&["replay", "bad.jsonl"]);
        assert!(ended.failed(2, code).err.contains(part), "{ended:?}");
    };
    refused(&text.replacen("buy milk", "buy bread", 1), "bundle_damaged", "the digest does not fit");
    refused(&text[..text.len() - 9], "bundle_damaged", "cut off");
    refused(&text.replacen("\"format\":1", "\"format\":2", 1), "bundle_newer", "reads up to format 1");
    refused("async () => 1", "not_a_bundle", "no JSON object");
    kit.run(&["replay", "missing.jsonl"]).failed(2, "no_file");
    let other_rules = resealed(&kit, &text.replacen("\"replay_version\":1", "\"replay_version\":99", 1));
    refused(&other_rules, "replay_version", "replay version 99");
}

#[test]
fn a_record_that_ends_early_has_an_exit_code_of_its_own() {
    let kit = Kit::new();
    kit.write(
        "read.js",
        "async () => { await files.write({ path: 'a', text: 'x' }); return (await files.read({ path: 'a' })).length }",
    );
    let (code, outcome) = kit.json(&["run", "read.js"]);
    assert_eq!((code, &outcome["result"]), (0, &json!(1)), "{outcome}");
    kit.run(&["export", "last", "-o", "run.jsonl"]);
    let (code, report) = kit.json(&["replay", "run.jsonl"]);
    assert_eq!((code, &report["verdict"], &report["seq"]), (5, &json!("ends_early"), &json!(1)), "{report}");
    assert!(report["why"].as_str().is_some_and(|why| why.contains("files.read")), "{report}");
}

#[test]
fn a_report_has_stable_keys() {
    let kit = Kit::new();
    let text = exported(&kit);
    let (_, mut same) = kit.json(&["replay", "run.jsonl"]);
    let id = std::mem::take(&mut same["executionId"]);
    assert!(id.as_str().is_some_and(|id| id.starts_with("exec_")));
    let nothing = json!(null);
    let expected = json!({
        "executionId": nothing, "status": "completed", "verdict": "same", "asks": 2, "recorded": 2, "op": nothing,
        "seq": nothing, "why": nothing, "expected": nothing, "actual": nothing, "hint": nothing, "notes": [],
    });
    assert_eq!(same, expected);
    let executor = text.split("\"executor\":\"").nth(1).and_then(|t| t.split('"').next()).expect("a digest").to_owned();
    resealed(&kit, &text.replacen(&executor, "sha256:0", 1));
    let (code, noted) = kit.json(&["replay", "edited.jsonl"]);
    let said = format!("recorded in the executor sha256:0, replayed in {executor}");
    assert_eq!((code, &noted["notes"]), (0, &json!([{ "note": "other_executor", "text": said }])), "{noted}");
}

#[test]
fn a_record_comes_out_although_its_connectors_cannot_be_loaded() {
    let kit = Kit::new();
    let id = kit.paused();
    kit.write("codemode.toml", "[connectors.notes]\ncomponent = \"gone.wasm\"\n");
    let store = kit.path("data/codemode/default.db");
    let exported = kit.run(&["export", &id, "--store", store.to_str().expect("a path")]);
    assert_eq!(exported.code, 0, "{exported:?}");
    assert!(exported.err.contains("without the connectors' descriptions"), "{exported:?}");
    assert!(!exported.out.contains("\"kind\":\"connector\""), "{exported:?}");
    assert_eq!(kit.feed(&["replay", "-"], exported.out.as_bytes()).code, 0);
}
