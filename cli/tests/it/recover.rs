//! Processes that are gone, and others that go on: what `recover` says and does, and what everybody else says meanwhile.

use std::process::Stdio;

use serde_json::json;

use crate::kit::{Kit, redacted};

/// Kills a `codemode run` after its first call.
fn killed_run(kit: &Kit) -> String {
    let code = "async () => {
        await files.write({ path: 'f', text: 'a', append: true });
        for (let i = 0; i < 1_200; i++) await notes.listNotes();
        return await files.read({ path: 'f' });
    }";
    kit.write("long.js", code);
    let mut child =
        kit.command(&["run", "long.js"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let id = loop {
        let listed = kit.run(&["executions", "--output", "json"]);
        let page: serde_json::Value = serde_json::from_str(&listed.out).unwrap_or_default();
        let newest = &page["executions"][0];
        assert_ne!(newest["status"], "completed", "it was faster than we could look");
        if newest["calls"].as_u64() > Some(0) {
            break newest["executionId"].as_str().expect("an id").to_owned();
        }
    };
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    id
}

#[test]
fn what_a_killed_run_left_behind_goes_on_to_its_end_and_nothing_happens_twice() {
    let kit = Kit::new();
    let id = killed_run(&kit);
    let listed = kit.run(&["executions"]);
    assert!(listed.out.contains("process gone"), "{listed:?}");
    let shown = kit.run(&["show", &id]);
    assert!(shown.out.contains("its process is gone in the middle of a pass"), "{shown:?}");
    assert!(shown.err.contains(&format!("codemode recover {id}")), "{shown:?}");
    let refused = kit.run(&["approve", &id, "--yes"]);
    refused.failed(4, "not_resumable");
    assert!(refused.err.contains(&format!("codemode recover {id}")), "{refused:?}");

    let recovered = kit.run(&["recover"]);
    assert_eq!(recovered.code, 0, "{recovered:?}");
    assert_eq!(redacted(&recovered.out), "[id] completed  1202 calls\n");
    let (_, shown) = kit.json(&["show", &id]);
    assert_eq!((&shown["result"], &shown["passes"], &shown["owner"]), (&json!("a"), &json!(2), &json!("at_rest")));
}

#[test]
fn where_nothing_was_left_behind_that_is_said_plainly() {
    let kit = Kit::new();
    kit.run(&["recover"]).failed(2, "no_store");
    let id = kit.paused();
    let all = kit.run(&["recover"]);
    assert_eq!((all.code, all.out.as_str()), (0, ""), "{all:?}");
    assert_eq!(all.err, "nothing to recover: no process that is gone left anything behind\n");
    let one = kit.run(&["recover", &id]);
    assert_eq!((one.code, redacted(&one.err).as_str()), (0, "nothing to recover: [id] is paused\n"), "{one:?}");
    assert_eq!(kit.json(&["recover"]), (0, json!([])));
    assert_eq!(kit.json(&["recover", &id]), (0, json!([])));
}

#[test]
fn a_process_that_lives_is_left_alone() {
    let kit = Kit::new();
    let (host, id) = kit.with_mail().hanging("async () => await mail.createNote(1)", 1);
    let left = kit.run(&["recover", &id]);
    assert_eq!(left.code, 0, "{left:?}");
    assert_eq!(left.err, format!("nothing to recover: {id} runs in process {}\n", host.process()));
    let shown = kit.run(&["show", &id]);
    assert!(shown.out.contains(&format!("runs in process {}", host.process())), "{shown:?}");
    assert!(!kit.run(&["executions"]).out.contains("process gone"));
    kit.run(&["approve", &id, "--yes"]).failed(4, "not_resumable");
}

#[test]
fn a_call_that_may_have_happened_pauses_it_and_the_next_command_is_there() {
    let kit = Kit::new();
    let id = kit.with_mail().killed("async () => await mail.createNote({ text: 'a' })", 1);
    let recovered = kit.run(&["recover"]);
    assert_eq!(recovered.code, 3, "{recovered:?}");
    let binary = env!("CARGO_BIN_EXE_codemode");
    let expected =
        format!("{id} paused  1 call is in doubt: it may have happened\n  resolve: {binary} unresolved {id}\n");
    assert_eq!(recovered.out, expected);
    let listed = kit.run(&["executions", "--unresolved"]);
    assert!(listed.out.contains("1 (1 in doubt)"), "{listed:?}");
    let approved = kit.run(&["approve", &id, "--yes"]);
    approved.failed(4, "unresolved");
    assert!(approved.err.contains(&format!("resolve: {binary} unresolved {id}")), "{approved:?}");
}

#[test]
fn the_json_of_a_recovery_has_outcome_and_doubts() {
    let kit = Kit::new();
    let id = kit.with_mail().killed("async () => await mail.createNote({ text: 'a' })", 1);
    let (code, lines) = kit.json(&["recover"]);
    assert_eq!(code, 3, "{lines}");
    let line = &lines[0];
    assert_eq!(
        (&line["executionId"], &line["recovered"], &line["status"]),
        (&json!(id), &json!("resumed"), &json!("paused"))
    );
    assert_eq!(line["outcome"]["calls"][0]["state"], "unknown");
    let doubt = &line["unresolved"][0];
    assert_eq!((&doubt["seq"], &doubt["idempotencyKey"]), (&json!(0), &json!(format!("{id}:0"))));
    assert_eq!(lines.as_array().map(Vec::len), Some(1));
}

#[test]
fn without_its_connectors_it_is_left_as_it_is_and_goes_on_with_them() {
    let kit = Kit::new();
    let id = kit.killed("async () => { const n = await notes.listNotes(); await mail.createNote({ text: 'a' }) }", 1);
    let left = kit.run(&["recover"]);
    assert_eq!(left.code, 4, "{left:?}");
    assert!(redacted(&left.out).starts_with("[id] left as it is  missing_connector: "), "{left:?}");
    assert_eq!(kit.json(&["show", &id]).1["status"], "running");
    let one = kit.with_mail().run(&["recover", &id]);
    assert_eq!(one.code, 3, "{one:?}");
    assert!(one.out.contains("#1 mail.createNote in doubt"), "{one:?}");
}

#[test]
fn one_that_is_named_shows_what_run_would_have_shown() {
    let kit = Kit::new();
    let id = killed_run(&kit);
    let recovered = kit.run(&["recover", &id]);
    assert_eq!((recovered.code, recovered.out.as_str()), (0, "\"a\"\n"), "{recovered:?}");
    assert_eq!(redacted(&recovered.err), "completed [id] (1202 calls)\n");
}

#[test]
fn several_are_recovered_at_once_and_the_exit_code_is_the_most_pressing_one() {
    let kit = Kit::new();
    kit.with_mail();
    let code = "async () => { await mail.createNote({ text: 'a' }) }";
    let first = kit.killed(code, 1);
    let second = kit.killed(code, 1);
    let (code, lines) = kit.json(&["recover"]);
    assert_eq!(code, 3, "{lines}");
    let ids: Vec<_> = lines.as_array().expect("a list").iter().filter_map(|l| l["executionId"].as_str()).collect();
    assert_eq!(ids, [&*first, &*second]);
    assert_eq!(kit.json(&["recover"]), (0, json!([])));
}
