//! Console lines as the host gets them.

use crate::host::{Level, code};

#[track_caller]
fn lines(text: &str) -> Vec<(Level, String)> {
    let ran = code(text).run();
    let logs = ran.host.logs.clone();
    ran.result();
    logs
}

#[track_caller]
fn line(arguments: &str) -> String {
    let mut logs = lines(&format!("async () => {{ console.log({arguments}); }}"));
    assert_eq!(logs.len(), 1);
    logs.remove(0).1
}

#[test]
fn arguments_become_text_one_by_one() {
    assert_eq!(
        line("{ a: 1 }, [1, [2]], null, undefined, 's'"),
        "[object Object] 1,2  undefined s".replace("  ", " null ")
    );
    assert_eq!(line(""), "");
    assert_eq!(line("new Error('e'), 5n, true"), "Error: e 5 true");
}

#[test]
fn levels_are_kept() {
    let logs =
        lines("async () => { console.info(1); console.warn(1, 2); console.error(new Error('e')); console.debug(3); }");
    assert_eq!(
        logs,
        [
            (Level::Info, "1".to_owned()),
            (Level::Warn, "1 2".to_owned()),
            (Level::Error, "Error: e".to_owned()),
            (Level::Debug, "3".to_owned()),
        ]
    );
}

#[test]
fn nothing_makes_it_throw() {
    assert_eq!(
        line("Symbol('s'), Object.create(null), shelf, codemode"),
        "Symbol(s) [object Object] [connector shelf] [codemode]"
    );
    assert_eq!(
        line("{ toString() { throw 1; } }, Object.assign(() => {}, { toString: 1, valueOf: 1 })"),
        "[object Object] [function]"
    );
    assert_eq!(
        lines("async () => { console.table([1]); console.group(); console.time('x'); console.assert(false, 'no'); }"),
        [(Level::Log, "1".to_owned()), (Level::Error, "Assertion failed: no".to_owned())]
    );
}

#[test]
fn a_long_line_is_cut_at_a_character() {
    let ran = code("async () => { console.log('a' + '🙂'.repeat(100), 'b'); console.log('x'.repeat(1e7)); }")
        .with(|request| request.limits.line = 10)
        .run();
    assert_eq!(ran.host.logs[0].1, "a🙂🙂🙂🙂");
    assert_eq!(ran.host.logs[1].1, "x".repeat(10));
}
