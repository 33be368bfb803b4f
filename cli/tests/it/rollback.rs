//! `rollback`: what is shown before, what is told afterwards, and that nobody can take a part for the whole.

use serde_json::json;

use crate::kit::{Kit, redacted};

/// Two notes, approved and written.
fn two_notes(kit: &Kit) -> String {
    kit.write(
        "two.js",
        "async () => { await Promise.all(['a', 'b'].map((text) => notes.createNote({ text }))); return 1 }",
    );
    assert_eq!(kit.run(&["run", "two.js"]).code, 3);
    let (code, outcome) = kit.json(&["approve", "last", "--yes"]);
    assert_eq!(code, 0, "{outcome}");
    outcome["executionId"].as_str().expect("an id").to_owned()
}

fn notes(kit: &Kit) -> String {
    kit.write("list.js", "async () => (await notes.listNotes()).map((note) => note.text).sort()");
    kit.run(&["run", "list.js"]).out
}

#[test]
fn everything_is_undone_newest_first_and_the_notes_are_gone() {
    let kit = Kit::new();
    let id = two_notes(&kit);
    assert_eq!(notes(&kit), "[\"a\", \"b\"]\n");
    let undone = kit.run(&["rollback", &id, "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    let expected = "SEQ  CALL              OUTCOME\n#1   notes.createNote  reverted\n#0   notes.createNote  reverted\n";
    assert_eq!(undone.out, expected);
    assert_eq!(redacted(&undone.err), "rolled back [id]: 2 calls undone, nothing is left\n");
    assert_eq!(notes(&kit), "[]\n");

    let again = kit.run(&["rollback", &id, "--yes"]);
    assert_eq!((again.code, again.out.as_str()), (0, ""), "{again:?}");
    assert_eq!(redacted(&again.err), "nothing to undo in [id]: its status stays rolled_back\n");
    let shown = kit.run(&["show", &id]);
    for part in ["rolled_back", "2 calls are undone, nothing is left", "reverts", "reverted"] {
        assert!(shown.out.contains(part), "{part} is missing in\n{}", shown.out);
    }
    kit.run(&["approve", &id, "--yes"]).failed(4, "not_resumable");
}

#[test]
fn a_person_is_asked_before() {
    let kit = Kit::new();
    let id = two_notes(&kit);
    let asked = kit.run(&["rollback", &id]);
    asked.failed(2, "no_terminal");
    let expected = "[id] completed
2 calls can be undone, newest first:
  SEQ  CALL              ARGS
  #1   notes.createNote  {\"text\":\"b\"}
  #0   notes.createNote  {\"text\":\"a\"}
error[no_terminal]: ";
    assert!(redacted(&asked.err).starts_with(expected), "{}", redacted(&asked.err));
    assert_eq!(notes(&kit), "[\"a\", \"b\"]\n");
}

#[test]
fn what_cannot_be_undone_makes_it_a_part_and_an_exit_code_of_1() {
    let kit = Kit::new();
    let id = kit.elsewhere("async () => { await mail.send({ to: 'ada' }); return await notes.listNotes() }");
    kit.with_mail();
    let left = kit.run(&["rollback", &id, "--yes"]);
    assert_eq!(left.code, 1, "{left:?}");
    assert_eq!(
        left.out,
        "SEQ  CALL             OUTCOME\n#1   notes.listNotes  nothing to revert\n#0   mail.send        no revert\n"
    );
    let expected = "NOT rolled back [id]: 0 calls undone, 1 may still have its effect; the status stays completed\nundo \
                    by hand, where it matters: #0\n";
    assert_eq!(redacted(&left.err), expected);
}

#[test]
fn a_missing_connector_is_told_and_the_rest_is_undone() {
    let kit = Kit::new();
    let code = "async () => { await mail.send(1); await notes.createNote({ text: 'a' }) }";
    let id = kit.elsewhere(code);
    let approved = kit.with_mail().run(&["approve", &id, "--yes"]);
    assert_eq!(approved.code, 0, "{approved:?}");
    std::fs::remove_file(kit.path("codemode.toml")).expect("the manifest goes");

    let (code, report) = kit.json(&["rollback", &id, "--yes"]);
    assert_eq!(code, 1, "{report}");
    let expected = json!({
        "executionId": id, "status": "rolled_back", "reverted": 1, "failed": 0, "left": 1,
        "calls": [
            { "seq": 1, "connector": "notes", "method": "createNote", "undone": "reverted" },
            { "seq": 0, "connector": "mail", "method": "send", "undone": "connector_missing" },
        ],
    });
    assert_eq!(report, expected);
    let shown = kit.run(&["show", &id]);
    assert!(shown.out.contains("rolled back only in part: 1 call undone, 1 may still have its effect"), "{shown:?}");
    let again = kit.run(&["rollback", &id, "--yes"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.err.contains("configure mail in the manifest, then: "), "{again:?}");
}

#[test]
fn a_revert_that_fails_is_told_and_can_be_tried_again() {
    let kit = Kit::new();
    let write = |text: &str| {
        kit.write("write.js", format!("async () => await files.write({{ path: 'f', text: '{text}' }})"));
        let (code, outcome) = kit.json(&["run", "write.js"]);
        assert_eq!(code, 0, "{outcome}");
        outcome["executionId"].as_str().expect("an id").to_owned()
    };
    let (first, second) = (write("one"), write("two"));
    let failed = kit.run(&["rollback", &first, "--yes"]);
    assert_eq!(failed.code, 1, "{failed:?}");
    let reason = "\"f\" was written by another call since, and is left as it is";
    assert_eq!(failed.out, format!("SEQ  CALL         OUTCOME\n#0   files.write  failed: {reason}\n"));
    let expected = "NOT rolled back [id]: 0 calls undone, 1 may still have its effect (1 revert failed); the status stays \
                    completed\n";
    assert!(redacted(&failed.err).starts_with(expected), "{failed:?}");
    assert!(failed.err.contains(&format!("codemode rollback {first}")), "{failed:?}");
    let shown = kit.run(&["show", &first]);
    assert!(shown.out.contains("a rollback undid nothing, 1 revert failed") && shown.out.contains(reason), "{shown:?}");
    let (_, listed) = kit.json(&["executions", "--not-reverted"]);
    assert_eq!(
        (&listed["executions"][0]["executionId"], &listed["executions"][0]["notReverted"]),
        (&json!(first), &json!(1))
    );

    assert_eq!(kit.run(&["rollback", &second, "--yes"]).code, 0);
    let (code, report) = kit.json(&["rollback", &first, "--yes"]);
    assert_eq!((code, &report["reverted"], &report["status"]), (0, &json!(1), &json!("rolled_back")), "{report}");
}

#[test]
fn what_waits_is_withdrawn_and_cannot_be_approved_any_more() {
    let kit = Kit::new();
    kit.write(
        "stop.js",
        "async () => { await files.write({ path: 'f', text: 'x' }); await notes.createNote({ text: 'a' }) }",
    );
    assert_eq!(kit.run(&["run", "stop.js"]).code, 3);
    assert_eq!(kit.run(&["rollback", "last", "--yes"]).code, 0);
    assert_eq!(kit.json(&["pending"]).1, json!([]));
    kit.run(&["approve", "last", "--yes"]).failed(4, "not_resumable");
}

#[test]
fn one_that_runs_in_another_process_is_stopped_first_and_that_is_said() {
    let kit = Kit::new();
    let code = "async () => { await files.write({ path: 'f', text: 'x' }); await mail.createNote(1) }";
    let (host, id) = kit.with_mail().hanging(code, 1);
    let undone = kit.run(&["rollback", &id, "--yes"]);
    let said = format!("{id} runs in process {}: asking it to stop; this takes at most 5.0 s", host.process());
    assert!(undone.err.contains(&said), "{undone:?}");
    // Nobody knows whether the call in flight happened; undoing it finds nothing.
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!(undone.out.contains("mail.createNote") && undone.out.contains("nothing to revert"), "{undone:?}");
    assert_eq!(kit.json(&["show", &id]).1["status"], "rolled_back");
}

#[cfg(unix)]
#[test]
fn a_process_that_does_not_let_go_is_named_and_nothing_is_undone() {
    let kit = Kit::new();
    let (host, id) = kit.with_mail().hanging("async () => await mail.createNote(1)", 1);
    let manifest = std::fs::read_to_string(kit.path("codemode.toml")).expect("a manifest");
    kit.write("codemode.toml", format!("{manifest}[limits]\ncancel_ms = 50\n"));
    host.stall();
    for verb in ["rollback", "delete"] {
        let refused = kit.run(&[verb, &id, "--yes"]);
        refused.failed(4, "still_running");
        assert!(refused.err.contains(&format!("process {} did not stop it in time", host.process())), "{refused:?}");
    }
    assert_eq!(kit.json(&["show", &id]).1["status"], "running");
}

#[test]
fn unknown_ones_and_stores_that_are_not_there_are_refused() {
    let kit = Kit::new();
    kit.run(&["rollback", "last", "--yes"]).failed(2, "no_store");
    kit.paused();
    kit.run(&["rollback", "exec_x", "--yes"]).failed(4, "not_found");
    let nothing = kit.run(&["rollback", "last"]);
    assert_eq!(nothing.code, 0, "nobody is asked where there is nothing to undo: {nothing:?}");
}
