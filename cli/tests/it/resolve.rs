//! Calls of which nobody knows whether they happened, and what a person says of them.

use serde_json::json;

use crate::kit::{Kit, redacted};

const CODE: &str = "async () => {
    try {
        const sent = await mail.createNote({ text: 'a' });
        return { sent, id: typeof sent?.id };
    } catch (error) {
        return `it failed: ${error.message}`;
    }
}";

/// An execution that waits for nothing but the word whether its call happened.
fn in_doubt(kit: &Kit) -> String {
    let id = kit.with_mail().killed(CODE, 1);
    assert_eq!(kit.run(&["recover", &id]).code, 3);
    id
}

#[test]
fn they_are_listed_with_their_keys_and_the_commands_that_resolve_them() {
    let kit = Kit::new();
    let nothing = kit.run(&["unresolved"]);
    nothing.failed(2, "no_store");
    let id = in_doubt(&kit);
    let listed = kit.run(&["unresolved"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    let command = format!("{} resolve [id] 0", env!("CARGO_BIN_EXE_codemode"));
    let expected = format!(
        "[id] paused
  #0 mail.createNote begun [time], attempt 1
     {{\"text\": \"a\"}}
     key: [id]:0
     it happened:  {command} --applied RESULT
     it failed:    {command} --failed MESSAGE
     do it again:  {command} --retry
"
    );
    assert_eq!(redacted(&listed.out), expected);
    assert_eq!(listed.err, "1 call is in doubt: ask the other side about its key, then say what happened\n");
    let (_, wire) = kit.json(&["unresolved", &id]);
    let expected = json!([{
        "executionId": id, "status": "paused", "seq": 0, "connector": "mail", "method": "createNote",
        "args": { "text": "a" }, "idempotencyKey": format!("{id}:0"), "attempt": 1, "askedAt": wire[0]["askedAt"],
    }]);
    assert_eq!(wire, expected);
}

#[test]
fn a_call_that_happened_is_answered_with_what_it_returned() {
    let kit = Kit::new();
    let id = in_doubt(&kit);
    let (code, outcome) = kit.json(&["resolve", &id, "0", "--applied", "{\"id\": 7}", "--reason", "their log has it"]);
    assert_eq!(code, 0, "{outcome}");
    assert_eq!(outcome["result"], json!({ "sent": { "id": 7 }, "id": "number" }));
    let shown = kit.run(&["show", &id]);
    for part in ["resolutions", "it happened", "ada (cli): their log has it"] {
        assert!(shown.out.contains(part), "{part} is missing in\n{}", shown.out);
    }
    let (_, shown) = kit.json(&["show", &id]);
    let resolved = &shown["calls"][0]["resolved"];
    assert_eq!((&resolved["verdict"], &resolved["by"]), (&json!("applied"), &json!("ada")));
    let again = kit.run(&["resolve", &id, "0", "--retry"]);
    again.failed(4, "not_resumable");
    assert_eq!(kit.json(&["unresolved"]), (0, json!([])));
    let nothing = kit.run(&["unresolved"]);
    assert_eq!((nothing.out.as_str(), nothing.err.as_str()), ("", "nothing is in doubt\n"));
}

#[test]
fn without_a_result_the_code_gets_undefined_and_a_result_may_come_from_stdin() {
    let kit = Kit::new();
    let (nothing, long) = (in_doubt(&kit), in_doubt(&kit));
    let resolved = kit.run(&["resolve", &nothing, "0", "--applied"]);
    assert_eq!((resolved.code, resolved.out.as_str()), (0, "{\"id\": \"undefined\"}\n"), "{resolved:?}");
    let resolved = kit.feed(&["resolve", &long, "0", "--applied", "-"], b" {\"id\": \"x\"}\n");
    assert_eq!(
        (resolved.code, resolved.out.as_str()),
        (0, "{\"sent\": {\"id\": \"x\"}, \"id\": \"string\"}\n"),
        "{resolved:?}"
    );
}

#[test]
fn a_call_that_failed_is_an_exception_in_the_code() {
    let kit = Kit::new();
    let id = in_doubt(&kit);
    let failed = kit.run(&["resolve", &id, "0", "--failed", "no such address"]);
    assert_eq!((failed.code, failed.out.as_str()), (0, "\"it failed: no such address\"\n"), "{failed:?}");
}

#[test]
fn a_call_that_did_not_happen_is_done_once_more() {
    let kit = Kit::new();
    let id = in_doubt(&kit);
    let (code, outcome) = kit.json(&["resolve", &id, "0", "--retry"]);
    assert_eq!(code, 0, "{outcome}");
    // The connector of the command has a `createNote` that answers.
    assert_eq!(outcome["result"]["sent"]["text"], "a", "{outcome}");
    assert_eq!(outcome["result"]["sent"]["id"], json!(format!("{id}:0")), "with the key of the first attempt");
}

#[test]
fn what_is_no_json_is_refused_and_changes_nothing() {
    let kit = Kit::new();
    let id = in_doubt(&kit);
    for text in ["{id: 7}", "", "undefined", "[1,", "{\"a\":1} x"] {
        let refused = kit.run(&["resolve", &id, "0", "--applied", text]);
        refused.failed(2, "not_json");
    }
    kit.feed(&["resolve", &id, "0", "--applied", "-"], b"\xff").failed(2, "not_json");
    for words in [&["--retry", "--applied"][..], &["--failed", "x", "--retry"], &[], &["--failed"]] {
        let refused = kit.run(&[&["resolve", &id, "0"], words].concat());
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{words:?}: {refused:?}");
    }
    kit.run(&["resolve", &id, "1", "--retry"]).failed(4, "not_resumable");
    kit.run(&["resolve", "exec_x", "0", "--retry"]).failed(4, "not_found");
    assert_eq!(kit.json(&["unresolved"]).1.as_array().map(Vec::len), Some(1));
}

#[test]
fn while_its_process_is_only_gone_nothing_is_in_doubt_yet() {
    let kit = Kit::new();
    let id = kit.with_mail().killed(CODE, 1);
    let refused = kit.run(&["resolve", &id, "0", "--retry"]);
    refused.failed(4, "not_resumable");
    assert!(refused.err.contains(&format!("recover {id}")), "{refused:?}");
}

#[test]
fn of_several_doubts_each_is_resolved_and_the_last_one_lets_it_go_on() {
    let kit = Kit::new();
    let code = "async () => (await Promise.all([1, 2].map((n) => mail.createNote({ n })))).length";
    let id = kit.with_mail().killed(code, 2);
    let paused = kit.run(&["recover", &id]);
    assert!(redacted(&paused.err).contains("paused [id]: 2 calls are in doubt"), "{paused:?}");
    let first = kit.run(&["resolve", &id, "0", "--applied", "1"]);
    assert_eq!(first.code, 3, "{first:?}");
    assert!(redacted(&first.err).contains("resolved seq 0 of [id]; 1 call is in doubt"), "{first:?}");
    let second = kit.run(&["resolve", &id, "1", "--applied", "2"]);
    assert_eq!((second.code, second.out.as_str()), (0, "2\n"), "{second:?}");
}

#[test]
fn in_what_has_ended_it_is_recorded_and_nothing_goes_on() {
    let kit = Kit::new();
    let id = in_doubt(&kit);
    assert_eq!(kit.run(&["expire", "--older-than", "0s", "--yes"]).code, 0);
    let listed = kit.run(&["unresolved", &id]);
    assert!(listed.out.contains("rejected") && !listed.out.contains("--retry"), "{listed:?}");
    kit.run(&["resolve", &id, "0", "--retry"]).failed(4, "not_resumable");
    let resolved = kit.run(&["resolve", &id, "0", "--applied", "1"]);
    assert_eq!((resolved.code, resolved.out.as_str()), (0, ""), "{resolved:?}");
    assert_eq!(redacted(&resolved.err), "resolved seq 0 of [id]; the status stays rejected\n");
}
