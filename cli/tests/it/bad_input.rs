//! Wrong files and wrong words: one clear line, the right exit code, and nothing lost.

use crate::kit::{Ended, Kit};

fn refused(content: &[u8]) -> Ended {
    let kit = Kit::new();
    kit.write("code.js", content);
    let ended = kit.run(&["run", "code.js"]);
    assert!(!kit.path("data").exists(), "no store is made for code that cannot run");
    ended
}

#[test]
fn files_that_are_no_code_are_refused_by_name() {
    let kit = Kit::new();
    kit.run(&["run", "missing.js"]).failed(2, "no_file");
    kit.run(&["run", "."]).failed(2, "no_file");
    refused(b"").failed(2, "no_code");
    refused(b" \n\t\n").failed(2, "no_code");
    let binary = refused(b"ab\xff\xfe");
    binary.failed(2, "not_text");
    assert!(binary.err.contains("byte 3"), "{binary:?}");
}

#[test]
fn wrong_words_are_usage_errors() {
    let kit = Kit::new();
    for words in [
        &[][..],
        &["rum"],
        &["run"],
        &["executions", "--status", "done"],
        &["executions", "--limit", "0"],
        &["reject", "x", "y"],
    ] {
        let ended = kit.run(words);
        assert_eq!(ended.code, 2, "{words:?}: {ended:?}");
        assert_eq!(ended.out, "", "{words:?}");
    }
    assert_eq!(kit.run(&["--help"]).code, 0);
    assert_eq!(kit.run(&["--version"]).code, 0);
}

#[test]
fn help_documents_the_exit_codes() {
    let help = Kit::new().run(&["--help"]).out;
    for line in ["0    completed", "3    paused", "70   the host failed", "130  interrupted"] {
        assert!(help.contains(line), "{line} is missing in\n{help}");
    }
}

#[test]
fn looking_does_not_make_a_store() {
    let kit = Kit::new();
    for words in [&["show", "last"][..], &["executions"], &["pending"], &["delete", "last", "--yes"]] {
        kit.run(&[words, &["--store", "typo.db"]].concat()).failed(2, "no_store");
    }
    assert!(!kit.path("typo.db").exists());
    kit.write("a.js", "async () => 1");
    kit.run(&["run", "a.js", "--store", "no/such/folder.db"]).failed(2, "no_folder");
}

#[test]
fn a_store_that_is_something_else_is_left_as_it_is() {
    let kit = Kit::new();
    kit.write("text.db", "this is a text of somebody, and long enough to be looked at as a file of a database")
        .write("a.js", "async () => 1");
    let before = std::fs::read(kit.path("text.db")).expect("it is there");
    kit.run(&["run", "a.js", "--store", "text.db"]).failed(70, "not_a_store");
    assert_eq!(std::fs::read(kit.path("text.db")).expect("it is there"), before);
    kit.run(&["run", "a.js", "--store", "."]).failed(70, "not_a_store");
}

#[test]
fn a_newer_store_is_left_as_it_is() {
    let kit = Kit::new();
    kit.write("a.js", "async () => 1");
    assert_eq!(kit.run(&["run", "a.js", "--store", "s.db"]).code, 0);
    let mut bytes = std::fs::read(kit.path("s.db")).expect("a store");
    // The format lies at this place of an SQLite file, big-endian.
    bytes[60..64].copy_from_slice(&999_u32.to_be_bytes());
    kit.write("s.db", &bytes);
    kit.run(&["executions", "--store", "s.db"]).failed(70, "store_newer");
    assert_eq!(std::fs::read(kit.path("s.db")).expect("a store"), bytes);
}

#[test]
fn a_damaged_store_says_so() {
    let kit = Kit::new();
    kit.write("a.js", "async () => 1");
    assert_eq!(kit.run(&["run", "a.js", "--store", "s.db"]).code, 0);
    let mut bytes = std::fs::read(kit.path("s.db")).expect("a store");
    bytes[4096..].fill(0xab);
    kit.write("s.db", bytes);
    let ended = kit.run(&["executions", "--store", "s.db"]);
    assert_eq!(ended.code, 70, "{ended:?}");
    assert!(ended.err.contains("error[store_corrupt]"), "{ended:?}");
}

#[test]
fn components_that_are_none_are_refused_by_what_they_are() {
    let kit = Kit::new();
    kit.write("empty.wasm", "").write("module.wasm", b"\0asm\x01\0\0\0").write("text.wasm", "export const a = 1");
    kit.run(&["connector", "inspect", "empty.wasm"]).failed(2, "component_empty");
    kit.run(&["connector", "inspect", "module.wasm"]).failed(2, "not_a_component");
    kit.run(&["connector", "inspect", "text.wasm"]).failed(2, "not_a_component");
    kit.run(&["connector", "inspect", "missing.wasm"]).failed(2, "no_file");
    kit.write("nothing.wasm", b"\0asm\x0d\0\x01\0");
    let refused = kit.run(&["connector", "inspect", "nothing.wasm"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.out.contains("would be refused") && refused.out.contains("it exports nothing"), "{refused:?}");
}

#[test]
fn an_unknown_connector_is_an_error_of_the_code() {
    let kit = Kit::new();
    kit.write("a.js", "async () => await nots.listNotes()");
    kit.run(&["run", "a.js"]).failed(1, "thrown");
    kit.write("a.js", "async () => await notes.listNote()");
    let failed = kit.run(&["run", "a.js"]);
    failed.failed(1, "thrown");
    assert!(failed.err.contains("listNotes"), "a close name is offered: {failed:?}");
}
