//! What models write, and the function that is made of it.

use super::*;

fn function(text: &str) -> String {
    let normalized = normalize(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let again = normalize(&normalized.function).unwrap_or_else(|error| panic!("{text:?} again: {error}"));
    assert_eq!(again.function, normalized.function, "{text:?} twice");
    normalized.function
}

fn refused(text: &str) -> NormalizeError {
    match normalize(text) {
        Ok(normalized) => panic!("{text:?} became {:?}", normalized.function),
        Err(error) => error,
    }
}

/// The function that runs a list of statements.
fn body(statements: &str) -> String {
    format!("async (input) => {{{statements}\n}}")
}

#[test]
fn nothing_is_a_function_that_does_nothing() {
    for text in ["", "  \n\t", "\u{feff}", "// nothing", "/* a\nb */", "```js\n```", "```\n\n```\n"] {
        assert_eq!(function(text), "async () => {}");
    }
}

#[test]
fn functions_are_taken_as_they_are() {
    for text in [
        "async () => { return 8; }",
        "() => 1",
        "(async () => { return 8; })",
        "async (input, other = {}) => input.a",
        "x => x",
        "((x) => x)",
        "function () { return 1 }",
        "async function (input) { return input }",
        "async function run(input) { return input; }",
        "function run() { return run.name; }",
    ] {
        assert_eq!(function(text), text);
    }
}

#[test]
fn semicolons_and_comments_around_a_function_are_dropped() {
    assert_eq!(function("async () => 1;"), "async () => 1");
    assert_eq!(function("async () => 1 // one"), "async () => 1");
    assert_eq!(function("// first\n/* two */ () => 1 /* x */ ; // y\n"), "\n          () => 1");
    assert_eq!(function("() => { // kept\n};\n\n"), "() => { // kept\n}");
    assert_eq!(function("#!/usr/bin/env node\nreturn 1"), body("                   \nreturn 1"));
}

#[test]
fn the_last_expression_is_returned() {
    for (text, statements) in [
        ("1+1", "return (1+1)"),
        ("let q = 6;\nq * 7", "let q = 6;\nreturn (q * 7)"),
        ("5 // five", "return (5)"),
        ("await f()", "return (await f())"),
        ("(async () => 7)()", "return ((async () => 7)())"),
        ("function h(){return 1}\nh()", "function h(){return 1}\nreturn (h())"),
        ("\"hello\"", "return (\"hello\")"),
        ("\"use strict\"; 1, 2;", "\"use strict\"; return (1, 2)"),
        ("a\n/* ; */\n;", "return (a)"),
        ("({a:1})", "return (({a:1}))"),
        ("x = 5", "return (x = 5)"),
    ] {
        assert_eq!(function(text), body(statements));
    }
}

#[test]
fn an_expression_over_several_lines_is_returned_whole() {
    let text = "const a = await t.echo({ v: 2 });\n({\n  a: a.v,\n  sum: [a]\n    .map((x) => x.v),\n});\n";
    let statements = "const a = await t.echo({ v: 2 });\nreturn (({\n  a: a.v,\n  sum: [a]\n    .map((x) => x.v),\n}))";
    assert_eq!(function(text), body(statements));
}

#[test]
fn other_statements_run_as_they_are() {
    for text in [
        "return 42",
        "const x = 42",
        "const a=1;\nconst b=2;",
        "for (const x of []) {}",
        "if (a) { b() }",
        "throw new Error('x')",
        "class A {}",
        "1;;",
        "function a() {}\nfunction b() {}",
        "return 1 //",
        "return `a ${`b`} as string` // : number",
        "label: for (;;) { break label }",
    ] {
        assert_eq!(function(text), body(text));
    }
}

#[test]
fn object_text_is_an_object() {
    assert_eq!(function("{a: 1}"), body("return ({a: 1})"));
    assert_eq!(function("{\n  \"a\": 1,\n  b\n};"), body("return ({\n  \"a\": 1,\n  b\n})"));
    assert_eq!(function("{ f(1) }"), body("{ f(1) }"));
    assert_eq!(function("{ a } b"), body("{ a } return (b)"));
}

#[test]
fn a_function_behind_other_statements_is_called_with_the_input() {
    assert_eq!(function("const n = 2;\nasync (i) => i * n;"), body("const n = 2;\nreturn (async (i) => i * n)(input)"));
    assert_eq!(function("let input = 1;\n() => input"), "async () => {let input = 1;\nreturn (() => input)()\n}");
}

#[test]
fn a_default_export_is_unwrapped() {
    assert_eq!(function("export default 42"), body("               return (42)"));
    assert_eq!(function("export default async () => 1;"), "               async () => 1");
    assert_eq!(function("export default { a: 1 };"), body("               return ({ a: 1 })"));
    assert_eq!(function("export default (function(){ return 1 })").trim(), "(function(){ return 1 })");
    assert_eq!(function("export default function () { return 1 }").trim(), "function () { return 1 }");
    assert_eq!(function("export default async function run(x) {}").trim(), "async function run(x) {}");
    assert_eq!(function("export default class {}"), body("               return (class {})"));
    assert_eq!(function("```js\nexport default () => 5\n```").trim(), "() => 5");
}

#[test]
fn fences_of_all_kinds_are_removed() {
    for text in [
        "```js\nreturn 1\n```",
        "```JavaScript\nreturn 1\n```",
        "~~~js\nreturn 1\n~~~",
        "```js title=\"a.js\" {1}\nreturn 1\n```",
        "````js\nreturn 1\n````",
        "```ts\nreturn 1",
        "```\nreturn 1\n```  \n",
        "```tsx   \nreturn 1```",
        "```whatever\nreturn 1\n```",
        "\u{feff}```js\r\nreturn 1\r\n```\r\n",
    ] {
        assert_eq!(function(text), "async (input) => {\nreturn 1\n}", "{text:?}");
    }
    assert_eq!(function("```js\n1+1```"), "async (input) => {\nreturn (1+1)\n}");
    assert_eq!(function("```js return 1 ```").split_whitespace().last(), Some("}"));
}

#[test]
fn prose_around_a_block_is_dropped_and_lines_stay() {
    let text = "Sure! Here is the code:\n\n```js\nasync () => (await t.echo({ a: 1 })).a\n```\n\nIt echoes a value.\n";
    assert_eq!(function(text), "\n\n\nasync () => (await t.echo({ a: 1 })).a");
    assert_eq!(function("Code:\n```\n1\n```\n"), "async (input) => {\n\nreturn (1)\n}");
}

#[test]
fn the_only_script_among_several_blocks_is_taken() {
    let text = "First:\n```json\n{\"example\": true}\n```\nThen run:\n```javascript\nreturn 2;\n```\n";
    assert_eq!(function(text), body("\n\n\n\n\n\nreturn 2;"));
    let error = refused("```js\nreturn 1\n```\nor\n```js\nreturn 2\n```");
    assert!(error.message.starts_with("more than one code block"));
    assert_eq!((error.line, error.column), (5, 1));
    assert!(refused("```\n1\n```\nor\n```\n2\n```").message.starts_with("more than one code block"));
}

#[test]
fn backticks_in_the_code_do_not_end_its_block() {
    let code = "const md = \"```js\\nx\\n```\";\nconst t2 = `a\n\\`\\`\\`\nb`;\nreturn [md.length, t2.length];";
    assert_eq!(function(&format!("```js\n{code}\n```")), body(&format!("\n{code}")));
    let quoted = "/*\n```\nexample\n```\n*/\nreturn 1";
    assert_eq!(function(&format!("Here:\n```js\n{quoted}\n```\nDone.")), body(&format!("\n\n{quoted}")));
    assert_eq!(function(quoted), body(quoted));
}

#[test]
fn text_that_is_no_program_is_refused_with_its_position() {
    for (text, line, column) in [
        ("let = bad (((", 1, 14),
        ("const a = 1;\nconst b = = 2;", 2, 11),
        ("/* 🙂 */ const const", 1, 16),
        ("const a = 1;\nlet c;\nlet c;", 2, 5),
        ("```js\nreturn 1 1\n```", 2, 9),
    ] {
        let error = refused(text);
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert_eq!(Some(error.source_line.as_str()), text.lines().nth(line as usize - 1));
    }
    assert!(refused("<code>return 1</code>").message.contains("without prose or markup"));
}

#[test]
fn text_cannot_leave_its_wrapper() {
    for text in [
        "}, globalThis.pwn = 1, async () => {",
        "return 1 }; t.add({ n: 1 }); async () => {",
        "*/ globalThis.pwn = 1 /*",
        "1)(), globalThis.pwn = 1, (async () => 2",
        "-->",
        "<!-- x",
        "{ a <!--b; {\n}\n}\n(1)",
        "`",
        "import.meta",
    ] {
        refused(text);
    }
}

#[test]
fn typescript_is_named_as_such() {
    for text in ["const x: number = 1; x", "const r = (await f()) as R;", "interface R { v: number }\nasync () => 1"] {
        assert!(refused(text).message.starts_with("JavaScript only: remove type annotations"), "{text}");
    }
}

#[test]
fn modules_and_generators_are_refused_with_advice() {
    for (text, line, advice) in [
        ("import fs from 'fs';\nreturn 1", 1, "use the connectors"),
        ("1;\nexport const x = 1", 2, "return the result"),
        ("const a = 1;\nexport default a", 2, "only statement"),
        ("function* g() {}", 1, "async function"),
        ("(function* () {})", 1, "async function"),
        ("export default async function* () {}", 1, "async function"),
    ] {
        let error = refused(text);
        assert!(error.message.contains(advice), "{error}");
        assert_eq!(error.line, line);
    }
}

#[test]
fn early_errors_are_found_where_the_code_runs() {
    assert_eq!((refused("break;").line, refused("break;").column), (1, 1));
    assert!(refused("let a = 1; { let b; var b; } a").message.contains('b'));
    assert_eq!(refused("async () => { let z; let z }").column, 19);
    assert_eq!(function("const input = 1; return input"), "async () => {const input = 1; return input\n}");
}

#[test]
fn positions_lead_back_to_the_submitted_text() {
    let wrapped = normalize("a(); null.x").unwrap();
    let column = wrapped.function.find("null").unwrap() as u32 + 1;
    assert_eq!(wrapped.source_position(1, column), (1, 6));
    let lines = normalize("const a = 1;\nconst b = 2;\nawait t.echo({ a });\nnull.x;").unwrap();
    assert_eq!(lines.function.lines().nth(3), Some("return (null.x)"));
    assert_eq!(lines.source_position(4, 9), (4, 1));
    assert_eq!(lines.source_position(2, 7), (2, 7));
}

#[test]
fn deep_nesting_is_refused_and_never_overflows() {
    let n = 400_000;
    for (open, close) in [
        ("[", "]"),
        ("(", ")"),
        ("{", "}"),
        ("!", ""),
        ("a=>", ""),
        ("a?b:", ""),
        ("a=", ""),
        ("a+", ""),
        ("new ", ""),
        ("if(a)", ""),
        ("if(a);else ", ""),
        ("a:", ""),
        ("a.", ""),
        ("a(", ")"),
        ("`${", "}`"),
        ("\"\"+[", "]"),
        ("/'/+[", "]"),
        ("a=b/2+[", "]"),
        ("(a)/'+[", "]"),
        ("for(;;)a,[function(){", "}]"),
        ("l:l:l:a,[function(){", "}]"),
        ("\n<!--'\n[", "]"),
    ] {
        let text = format!("{}1{}", open.repeat(n / open.len()), close.repeat(n / open.len()));
        let _ = normalize(&text);
        let _ = normalize(&text[..n / 2]);
        for times in [30, 90, 1_500, 4_000, 7_500, 15_000] {
            let _ = normalize(&format!("{}1{}", open.repeat(times), close.repeat(times)));
        }
    }
    assert!(refused(&"[".repeat(n)).message.contains("nested too deeply"));
}

#[test]
fn large_but_flat_code_is_accepted() {
    let rows: String =
        (0..10_000).map(|n| format!("  {{ id: {n}, name: \"row {n}\", tags: [\"a\", 'b'] }},\n")).collect();
    assert!(normalize(&format!("const rows = [\n{rows}];\nreturn rows.length")).is_ok());
    let lines: String = (0..10_000).map(|n| format!("const v{n} = (n + 1) / 2 * f(x[{n}]);\n")).collect();
    assert!(normalize(&lines).is_ok());
}
