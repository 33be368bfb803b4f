//! What the host learns when code throws or cannot run.

use crate::host::{code, result};

#[track_caller]
fn thrown(expression: &str) -> (String, String) {
    let error = code(&format!("async () => {{ throw {expression}; }}")).run().error();
    (error.name, error.message)
}

#[test]
fn any_throw_is_a_failure_with_a_text() {
    for (expression, name, message) in [
        ("'boom'", "Thrown", "boom"),
        ("''", "Thrown", "\"\""),
        ("null", "Thrown", "null"),
        ("undefined", "Thrown", "undefined"),
        ("0", "Thrown", "0"),
        ("5n", "Thrown", "5"),
        ("Symbol('s')", "Thrown", "Symbol(s)"),
        ("{ code: 5 }", "Thrown", "{\"code\":5}"),
        ("Object.create(null)", "Thrown", "{}"),
        ("[1, 2]", "Thrown", "[1,2]"),
        ("{ f() {} }", "Thrown", "[object Object]"),
        ("new Error('')", "Error", "Error"),
        ("new TypeError('bad')", "TypeError", "bad"),
        ("new AggregateError([new Error('a'), 'b'], '')", "AggregateError", "a; b"),
        ("Object.assign(new Error('m'), { name: 'Mine' })", "Mine", "m"),
        ("new (class Own extends Error {})('m')", "Error", "m"),
        ("new DOMException('gone', 'AbortError')", "AbortError", "gone"),
        ("Object.defineProperty(new Error('m'), 'message', { get() { throw 1; } })", "Error", "Error"),
        ("Object.assign(new Error('m'), { name: Symbol() })", "Error", "m"),
    ] {
        assert_eq!(thrown(expression), (name.to_owned(), message.to_owned()), "{expression}");
    }
    assert_eq!(code("async () => Promise.reject()").run().error().message, "undefined");
    assert_eq!(code("() => { throw 'sync' }").run().error().message, "sync");
}

#[test]
fn the_thrown_value_is_kept_where_it_has_an_encoding() {
    assert_eq!(
        code("async () => { throw { code: 5n }; }").run().error().value.as_deref(),
        Some("{\"code\":{\"$cm\":[\"bigint\",\"5\"]}}")
    );
    assert_eq!(code("async () => { throw () => {}; }").run().error().value, None);
    assert_eq!(code("async () => { throw undefined; }").run().error().value, None);
}

#[test]
fn errors_have_the_position_in_the_code() {
    let error = code("async () => {\n  const x = 1;\n  await null;\n  null.y;\n}").run().error();
    assert_eq!((error.name.as_str(), error.line, error.column), ("TypeError", Some(4), Some(3)));
    let error = code("async () => { throw new Error('e'); }").run().error();
    assert_eq!((error.line, error.column), (Some(1), Some(25)));
    let error = code("async () => {\n  const f = () => { missing(); };\n  f();\n}").run().error();
    assert_eq!((error.name.as_str(), error.message.as_str()), ("ReferenceError", "missing is not defined"));
    assert_eq!(error.line, Some(2));
    let stack = error.stack.expect("frames");
    assert_eq!(stack.lines().count(), 2, "{stack}");
    assert!(stack.lines().all(|line| line.contains("(code:")), "{stack}");
}

#[test]
fn a_syntax_error_has_its_position() {
    let error = code("async () => {\n  const x = ;\n}").run().error();
    assert_eq!((error.name.as_str(), error.line), ("SyntaxError", Some(2)));
    let error = code("async () => { let a b }").run().error();
    assert_eq!((error.line, error.column), (Some(1), Some(21)));
    assert_eq!(code("1 + 1").run().error().message, "the code is not a function");
}

#[test]
fn stacks_show_no_frame_that_is_not_the_codes() {
    let text = "async () => {\n  const params = new URLSearchParams('a=1');\n  params.forEach(() => { throw new Error('in'); });\n}";
    let stack = code(text).run().error().stack.expect("frames");
    assert!(!stack.contains("built-in") && !stack.contains("native"), "{stack}");
}

#[test]
fn hooks_into_stacks_get_nothing() {
    let text = "async () => {
        let seen = 0;
        Error.prepareStackTrace = () => { seen += 1; return 'mine'; };
        Error.stackTraceLimit = 0;
        try { null.x; } catch (e) { return [seen, typeof e.stack, e.stack === 'mine', typeof Error.prepareStackTrace]; }
    }";
    assert_eq!(result(text), "[0,\"string\",false,\"undefined\"]");
}

#[test]
fn nested_functions_and_evaluated_text_do_not_confuse_positions() {
    let error = code("async () => {\n  eval('\\n\\nnull.x');\n}").run().error();
    assert_eq!(error.line, Some(2));
    let error = code("async () => {\n  new Function('\\n\\nnull.x')();\n}").run().error();
    assert_eq!(error.line, Some(2));
}
