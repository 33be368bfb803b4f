//! Answers in Markdown: where a block starts and ends, and when there is none.

use super::{body, function, refused};
use crate::normalize::normalize;

#[test]
fn a_fence_may_stand_behind_prose_and_behind_code() {
    for text in ["Here it is: ```js\nreturn 1\n```", "Text\n```js\nreturn 1```\n\nText.", "- ```js\nreturn 1\n```"] {
        assert!(function(text).ends_with("\nreturn 1\n}"), "{text}");
    }
    assert_eq!(function("```js return 1\n```"), body("      return 1"));
    assert_eq!(function("```js title=\"a = 1\"\n```"), "async () => {}");
}

#[test]
fn too_few_marks_end_a_block_that_nothing_else_ends() {
    for text in ["````js\nreturn 1\n```", "`````js\nreturn 1\n```\n", "~~~~\nreturn 1\n~~~"] {
        assert_eq!(function(text), body("\nreturn 1"), "{text}");
    }
}

#[test]
fn what_is_left_of_a_fence_that_was_cut_off_is_dropped() {
    assert_eq!(function("return 1\n```\n\nIt returns one."), body("return 1"));
    assert_eq!(function("js\nreturn 1\n```"), body("  \nreturn 1"));
    assert_eq!(
        function("TypeScript\nconst a: number = 1; a").trim(),
        body("          \nconst a         = 1; return (a)")
    );
    for connector in ["ts\n.call()", "js?.a", "js\n= 1", "js\nin t", "js", "js\n/2"] {
        assert!(function(connector).contains(connector.split('\n').next().unwrap()), "{connector}");
    }
}

#[test]
fn code_outside_of_a_block_of_data_is_the_code() {
    assert_eq!(function("async () => 1\n```json\n{}\n```"), "async () => 1");
    assert_eq!(function("async () => 1\n\nOutput:\n```\n2\n```"), "async () => 1");
    assert_eq!(function("```json\n{}\n```\nreturn 1"), body("\n\n\nreturn 1"));
    assert_eq!(function("async () => 1\n```js\nreturn 2\n```"), body("\n\nreturn 2"));
    assert_eq!(function("Text\n```json\n{}\n```"), body("\n\nreturn ({})"));
}

#[test]
fn a_block_of_a_document_is_looked_into() {
    for outer in ["````md", "````", "`````markdown title=x"] {
        assert_eq!(function(&format!("{outer}\nText\n```js\nreturn 1\n```\n`````")).trim(), body("\n\n\nreturn 1"));
    }
    assert_eq!(function("````md\nText\n```\nreturn 1\n```\n````"), body("\n\n\nreturn 1"));
}

#[test]
fn backticks_inside_of_a_template_are_text_wherever_they_stand() {
    let text = "const f = `Here: ```js\nx\n``` end`;\nreturn f + '```'";
    assert_eq!(function(text), body(&text.replace("```", "\\`\\`\\`")));
    assert!(function("```js\nreturn `a ```b`\n```").contains("`a \\`\\`\\`b`"));
}

#[test]
fn a_line_of_backticks_in_a_template_is_text_and_moves_no_other_line() {
    let text = "```js\nconst a = `\n```json\n{}\n```\n`;\nnull.x\n```";
    let normalized = normalize(text).unwrap();
    assert_eq!(
        normalized.function,
        body("\nconst a = `\n\\`\\`\\`json\n{}\n\\`\\`\\`\n`;\nundefined; return (null.x)")
    );
    assert_eq!(normalized.source_position(7, 25), (7, 6));
}

/// Covers NORMALIZE-16.
#[test]
fn a_function_with_a_fence_in_it_stays_as_it_is() {
    for text in [
        "() => {\n/*\n```js\nreturn 1\n```\n*/\n}",
        "async (input) => {\n~~~\nx\n}",
        "function f() {\n  // x\n  return ~\n~~~\nx\n}",
        "async () => `\n~~~js\n~~~\n`",
        "async () => '\\\n```\\\n'",
    ] {
        assert_eq!(function(text), text);
    }
    assert_eq!(function("x => x\n```\n```"), "x => x");
    assert!(refused("a```b```").message.contains("three backticks are no code"));
    // A fence whose tag makes it open a block is none that closes another, nor a template of its tag.
    assert_eq!(refused("js\nreturn 1\n```\nor\n```ts\nnst x = `\n```\n`;\nx").line, 6);
}

#[test]
fn fences_are_found_up_to_their_limit() {
    let answer = |others: usize| format!("{}```js\nreturn 1\n```", "```json\n{}\n```\n".repeat(others));
    assert!(function(&answer(31)).ends_with("return 1\n}"));
    assert!(refused(&answer(32)).message.starts_with("more than one code block"));
}

#[test]
fn closing_lines_are_tried_up_to_their_limit() {
    let block = |quoted: usize| format!("Text:\n```js\n/*\n{}*/\nreturn 1\n```\nText.", "```\n".repeat(quoted));
    assert!(function(&block(7)).ends_with("*/\nreturn 1\n}"));
    assert!(normalize(&block(8)).is_err());
}

#[test]
fn what_is_said_of_no_code_names_its_place() {
    for (text, line, column, message) in [
        ("async () => 1\n\n  This returns one.", 3, 3, "this line is prose"),
        ("Code:\n\nconst a = 1", 1, 1, "this line is prose"),
        ("a\nb =&gt; 1", 2, 4, "&gt; is an HTML entity"),
        ("a &lt; b", 1, 4, "this is an HTML entity"),
        ("x\nreturn “a”", 2, 8, "typographic quote"),
        ("() => {\\n}", 1, 8, "real line breaks"),
        ("{\n \"code\": \"return 1\"}", 2, 10, "inside of JSON"),
        ("  'return 1'", 1, 3, "inside of a string"),
        ("1;\nresult: 5", 2, 1, "this is a label"),
        ("() => 1;\n() => 2", 1, 1, "never called"),
        ("Text\n```js\n```", 2, 1, "the code block is empty"),
        ("async () => {\n  return 1;\n}();", 3, 2, "leave the call out"),
        ("function () { return 1 }()", 1, 25, "leave the call out"),
        ("async function run() { return 1 }()", 1, 34, "leave the call out"),
    ] {
        let error = refused(text);
        assert!(error.message.contains(message), "{text}: {error}");
        assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
    }
}

#[test]
fn strings_and_objects_that_hold_no_code_are_values() {
    for text in
        ["'hello'", "'a; b'", "\"It returns one.\"", "{ \"code\": 404 }", "{ code: 'E_FAIL' }", "`a\nb`", "'x.y'"]
    {
        assert!(function(text).contains(text), "{text}");
    }
}

#[test]
fn what_other_parsers_take_for_no_white_space_is_made_some() {
    assert_eq!(function("\u{200b}return\u{200b}'\u{200b}'"), body(" return '\u{200b}'"));
    assert_eq!(function("\u{a0}return\u{a0}1"), body("\u{a0}return\u{a0}1"));
}

#[test]
fn exports_of_node_are_default_exports() {
    assert_eq!(function("module.exports = async () => 1;").trim(), "async () => 1");
    assert_eq!(function("module.exports = { a: 1 }").trim(), body("                 return ({ a: 1 })"));
    assert_eq!(
        function("const n = 1;\nmodule.exports = (i) => n;\n"),
        body("const n = 1;\n                 const $exported0 = (i) => n;;\nreturn $exported0(input)")
    );
    assert_eq!(
        function("const module = {};\nmodule.exports = 1"),
        body("const module = {};\nreturn (module.exports = 1)")
    );
    for text in ["exports.a = 1", "module.exports.a = 1", "module.exports = 1;\nmodule.exports = 2"] {
        assert!(refused(text).message.contains("export is not available"), "{text}");
    }
}

#[test]
fn a_function_is_run_however_it_is_declared() {
    assert_eq!(function("function run() { return 1 };;"), "function run() { return 1 }");
    assert_eq!(function(";async () => 1;;"), " async () => 1");
    assert_eq!(function("const run = async (i) => i;"), body("const run = async (i) => i;\nreturn run(input)"));
    assert_eq!(function("let a = () => 1, b = 2"), body("let a = () => 1, b = 2"));
    assert_eq!(function("Code:\nasync () => 1"), "\nasync () => 1");
}
