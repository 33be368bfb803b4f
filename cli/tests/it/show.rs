//! `show`: what an execution did and what others did about it, without what would only confuse.

use serde_json::json;

use crate::kit::{Kit, redacted};

#[test]
fn console_lines_are_shown_pass_by_pass_and_not_twice() {
    let kit = Kit::new();
    kit.write(
        "log.js",
        "async () => { console.log('before'); await notes.createNote({ text: 'a' }); console.log('after'); return 1 }",
    );
    assert_eq!(kit.run(&["run", "log.js"]).code, 3);
    let shown = kit.run(&["show", "last"]);
    assert!(shown.out.contains("\nlogs\n  before\n"), "one pass needs no heading: {shown:?}");
    assert_eq!(kit.run(&["approve", "last", "--yes"]).code, 0);
    let shown = kit.run(&["show", "last"]);
    let expected = "\nlogs\n  pass 1\n    before\n  pass 2: the same 1 line, then\n    after\n";
    assert!(shown.out.contains(expected), "{}", shown.out);
    let (_, shown) = kit.json(&["show", "last"]);
    assert_eq!(shown["logs"], json!(["before", "before", "after"]));
    assert_eq!(shown["logPasses"], json!([{ "pass": 1, "lines": 1 }, { "pass": 2, "lines": 2 }]));
}

#[test]
fn snippets_that_were_used_are_shown_with_the_code_that_ran() {
    let kit = Kit::new();
    kit.write("double.js", "async (n) => n * 2");
    kit.run(&["run", "double.js"]);
    assert_eq!(kit.run(&["snippet", "save", "double", "--from", "last"]).code, 0);
    kit.write("use.js", "async () => [await codemode.run('double', 2), await codemode.run('double', 3)]");
    let used = kit.run(&["run", "use.js"]);
    assert_eq!((used.code, used.out.as_str()), (0, "[4, 6]\n"), "{used:?}");
    assert_eq!(kit.run(&["snippet", "delete", "double", "--yes"]).code, 0);
    let shown = kit.run(&["show", "last"]);
    assert!(shown.out.contains("\nsnippets\n  double (2 runs)\n    async (n) => n * 2\n"), "{}", shown.out);
    assert_eq!(kit.json(&["show", "last"]).1["snippets"], json!([{ "name": "double", "runs": 2 }]));
}

#[test]
fn a_rollback_that_undid_nothing_is_told() {
    let kit = Kit::new();
    let id = kit.elsewhere("async () => { try { await mail.lose(1) } catch {} }");
    let left = kit.with_mail().run(&["rollback", &id, "--yes"]);
    // It failed, and may have happened all the same.
    assert_eq!(left.code, 1, "{left:?}");
    assert!(left.out.contains("mail.lose  no revert"), "{left:?}");
    let shown = kit.run(&["show", &id]);
    assert!(!shown.out.contains("reverts"), "nobody was asked: {shown:?}");
    assert_eq!(redacted(&shown.err), "");
}
