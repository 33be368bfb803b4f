//! `snippet`: from an execution to a name, and from the name to code that runs.

use serde_json::json;

use crate::kit::Kit;

const GREET: &str = "async (who) => 'hi ' + (who ?? 'nobody')";

/// A kit in which that code ran.
fn ran(code: &str) -> Kit {
    let kit = Kit::new();
    kit.write("code.js", code);
    let ended = kit.run(&["run", "code.js"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    kit
}

#[test]
fn code_that_ran_is_saved_listed_shown_run_and_deleted() {
    let kit = ran(GREET);
    kit.write("schema.json", "{\n  \"type\": [\"string\", \"null\"]\n}");
    let words =
        ["snippet", "save", "greet", "--from", "last", "--description", "Greets.", "--input-schema", "schema.json"];
    let saved = kit.run(&words);
    assert_eq!((saved.code, saved.out.as_str()), (0, ""), "{saved:?}");
    assert!(saved.err.contains("codemode.run(\"greet\", input)"), "{saved:?}");

    let list = kit.run(&["snippet", "list"]);
    assert!(list.out.contains("greet") && list.out.contains("Greets."), "{list:?}");
    let show = kit.run(&["snippet", "show", "greet"]);
    for part in ["greet", "needs ", "Greets.", "\"type\": [", GREET] {
        assert!(show.out.contains(part), "{part}: {show:?}");
    }

    kit.write("use.js", "async () => codemode.run('greet', 'Ada')");
    let (_, outcome) = kit.json(&["run", "use.js"]);
    assert_eq!(outcome["result"], "hi Ada", "{outcome}");

    kit.run(&["snippet", "delete", "greet"]).failed(2, "no_terminal");
    let (code, deleted) = kit.json(&["snippet", "delete", "greet", "-y"]);
    assert_eq!((code, deleted), (0, json!({ "name": "greet", "deleted": true })));
    kit.run(&["snippet", "delete", "greet", "-y"]).failed(4, "not_found");
    kit.run(&["snippet", "show", "greet"]).failed(4, "not_found");
    assert_eq!(kit.json(&["snippet", "list"]), (0, json!([])));
}

#[test]
fn json_has_stable_keys_on_one_line() {
    let kit = ran(GREET);
    kit.write("schema.json", "{\n  \"type\": \"string\"\n}");
    let words = ["snippet", "save", "a\nb", "--from", "last", "--input-schema", "schema.json"];
    let (_, saved) = kit.json(&words);
    let keys: Vec<&str> = saved.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["code", "connectors", "description", "inputSchema", "name", "savedAt"]);
    assert_eq!((&saved["name"], &saved["code"], &saved["description"]), (&json!("a\nb"), &json!(GREET), &json!("")));
    assert_eq!(saved["inputSchema"], json!({ "type": "string" }));
    assert_eq!(kit.json(&["snippet", "list"]), (0, json!([saved.clone()])));
    assert_eq!(kit.json(&["snippet", "show", "a\nb"]), (0, saved));
    let list = kit.run(&["snippet", "list", "--output", "json"]);
    assert_eq!(list.out.lines().count(), 1, "{list:?}");
    kit.run(&["snippet", "save", "bare", "--from", "last"]);
    assert_eq!(kit.json(&["snippet", "show", "bare"]).1["inputSchema"], json!(null));
}

#[test]
fn what_cannot_be_saved_is_refused_in_one_line() {
    let kit = ran(GREET);
    kit.run(&["snippet", "save", "", "--from", "last"]).failed(2, "snippet");
    kit.run(&["snippet", "save", "s", "--from", "exec_nope"]).failed(4, "not_found");
    kit.run(&["snippet", "save", "s", "--from", "last", "--input-schema", "nope.json"]).failed(2, "no_file");
    kit.write("bad.json", "{\"type\":\"text\"}");
    let refused = kit.run(&["snippet", "save", "s", "--from", "last", "--input-schema", "bad.json"]);
    refused.failed(2, "snippet");
    assert!(refused.err.contains("the input schema is not valid at .type"), "{refused:?}");
    kit.write("binary.json", b"\xff");
    kit.run(&["snippet", "save", "s", "--from", "last", "--input-schema", "binary.json"]).failed(2, "not_text");
    assert_eq!(kit.json(&["snippet", "list"]), (0, json!([])));
    let elsewhere = kit.run(&["snippet", "list", "--store", "typo.db"]);
    elsewhere.failed(2, "no_store");
}

#[test]
fn names_cannot_move_the_cursor() {
    let kit = ran(GREET);
    let name = "a\u{1b}[2Jb";
    for words in [&["snippet", "save", name, "--from", "last"][..], &["snippet", "list"], &["snippet", "show", name]] {
        let ended = kit.run(words);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(!ended.out.contains('\u{1b}') && !ended.err.contains("\u{1b}[2J"), "{words:?}: {ended:?}");
    }
}

/// Covers HOSTAPI-03.
#[test]
fn code_that_did_not_complete_is_saved_only_by_who_insists() {
    let kit = Kit::new();
    kit.write("code.js", "async () => { throw new Error('no') }");
    assert_eq!(kit.run(&["run", "code.js"]).code, 1);
    let refused = kit.run(&["snippet", "save", "s", "--from", "last"]);
    refused.failed(4, "not_completed");
    assert!(refused.err.contains("is error, not completed") && refused.err.contains("--any-status"), "{refused:?}");
    assert_eq!(kit.json(&["snippet", "list"]), (0, json!([])));
    let saved = kit.run(&["snippet", "save", "s", "--from", "last", "--any-status"]);
    assert_eq!(saved.code, 0, "{saved:?}");
}
