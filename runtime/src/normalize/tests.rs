//! What models write, and the function that is made of it.

mod corpus;
mod limits;
mod markdown;
mod typescript;

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

/// Covers NORMALIZE-01, NORMALIZE-04, normalize#1, normalize#2, tool#23.
#[test]
fn nothing_is_a_function_that_does_nothing() {
    for text in ["", "  \n\t", "\u{feff}", "// nothing", "/* a\nb */", "```js\n```", "```\n\n```\n"] {
        assert_eq!(function(text), "async () => {}");
    }
}

/// Covers NORMALIZE-06, NORMALIZE-08, normalize#3, normalize#4, normalize#5, normalize#6, normalize#32,
/// normalize#33, tool#15, tool#20.
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

/// Covers NORMALIZE-06, normalize#7, normalize#17, WEAK-20.
#[test]
fn semicolons_and_comments_around_a_function_are_dropped() {
    assert_eq!(function("async () => 1;"), "async () => 1");
    assert_eq!(function("async () => 1 // one"), "async () => 1");
    assert_eq!(function("// first\n/* two */ () => 1 /* x */ ; // y\n"), "\n          () => 1");
    assert_eq!(function("() => { // kept\n};\n\n"), "() => { // kept\n}");
    assert_eq!(function("#!/usr/bin/env node\nreturn 1"), body("                   \nreturn 1"));
}

/// Covers NORMALIZE-09, NORMALIZE-11, NORMALIZE-12, NORMALIZE-13, NORMALIZE-14, NORMALIZE-15, normalize#8,
/// normalize#9, normalize#10, normalize#11, normalize#34, normalize#35, tool#16.
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

/// Covers BUG-NRM-06.
#[test]
fn an_expression_over_several_lines_is_returned_whole() {
    let text = "const a = await t.echo({ v: 2 });\n({\n  a: a.v,\n  sum: [a]\n    .map((x) => x.v),\n});\n";
    let statements = "const a = await t.echo({ v: 2 });\nreturn (({\n  a: a.v,\n  sum: [a]\n    .map((x) => x.v),\n}))";
    assert_eq!(function(text), body(statements));
}

/// Covers NORMALIZE-05, NORMALIZE-10, NORMALIZE-13, normalize#12, normalize#13, normalize#14, normalize#15,
/// normalize#36, tool#17, tool#18, tool#19.
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

/// Covers NORMALIZE-14, WEAK-20.
#[test]
fn object_text_is_an_object() {
    assert_eq!(function("{a: 1}"), body("return ({a: 1})"));
    assert_eq!(function("{\n  \"a\": 1,\n  b\n};"), body("return ({\n  \"a\": 1,\n  b\n})"));
    assert_eq!(function("// the result\n{a: 1}; // that is all\n;"), body("\nreturn ({a: 1})"));
    assert_eq!(function("/* it */ function (i) { return i } // f"), "         function (i) { return i }");
    assert_eq!(function("{ f(1) }"), body("{ f(1) }"));
    assert_eq!(function("{ a } b"), body("{ a } return (b)"));
}

#[test]
fn a_function_behind_other_statements_is_called_with_the_input() {
    assert_eq!(function("const n = 2;\nasync (i) => i * n;"), body("const n = 2;\nreturn (async (i) => i * n)(input)"));
    assert_eq!(function("let input = 1;\n() => input"), "async () => {let input = 1;\nreturn (() => input)()\n}");
}

/// Covers NORMALIZE-07, NORMALIZE-14, NORMALIZE-17, normalize#27, normalize#28, normalize#29, normalize#30,
/// normalize#31, normalize#37.
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
fn a_default_export_among_other_statements_is_the_one_to_run() {
    assert_eq!(
        function("const n = 2;\nexport default async (i) => i * n;\nfunction f() {}"),
        body(
            "const n = 2;\n               const $exported0 = async (i) => i * n;;\nfunction f() {}\nreturn $exported0(input)"
        )
    );
    assert_eq!(
        function("export default function main(i) { return f(i) }\nfunction f(i) { return i } // last"),
        body("               function main(i) { return f(i) }\nfunction f(i) { return i } // last\nreturn main(input)")
    );
    assert_eq!(
        function("const $exported0 = 1;\nexport default { a: $exported0 }"),
        body("const $exported0 = 1;\n               const $exported1 = { a: $exported0 };\nreturn $exported1")
    );
    assert_eq!(function("'use strict';\nexport default class A {}").lines().last(), Some("}"));
    assert!(
        function("1;\nexport default function () {}\n(2)").contains("function () {};\n(2)\nreturn $exported0(input)")
    );
}

#[test]
fn a_function_that_is_named_last_is_called_with_the_input() {
    for text in ["const f = async (i) => i;\n", "function f(i) { return i }\n", "const g = 1, f = (function (i) {});\n"]
    {
        assert_eq!(function(&format!("{text}f")), body(&format!("{text}return (f)(input)")));
    }
    let exported = function("const f = (i) => i;\nexport default f;");
    assert_eq!(exported.lines().nth(2), Some("return $exported0(input)"));
    for text in ["const f = 1;\nf", "f", "let f = () => 1;\nf", "const { f } = t;\nf"] {
        assert!(function(text).ends_with("return (f)\n}"), "{text}");
    }
}

/// Covers NORMALIZE-02, NORMALIZE-03, NORMALIZE-17, normalize#18, normalize#19, normalize#20, normalize#21,
/// normalize#22, normalize#23, normalize#24, normalize#25, normalize#26, normalize#38, BUG-NRM-04.
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
        "```jsx\nreturn 1\n```",
        "```typescript\nreturn 1\n```",
        "```javascript\nreturn 1\n```",
        "```js\nreturn 1\n```",
        "```whatever\nreturn 1\n```",
        "\u{feff}```js\r\nreturn 1\r\n```\r\n",
    ] {
        assert_eq!(function(text), "async (input) => {\nreturn 1\n}", "{text:?}");
    }
    assert_eq!(function("```js\n1+1```"), "async (input) => {\nreturn (1+1)\n}");
    assert_eq!(function("```js\nasync function main() { return 1 }\n```"), "\nasync function main() { return 1 }");
    assert_eq!(function("  \n x \t\n"), "async (input) => {  \n return (x)\n}");
    assert_eq!(function("```js return 1 ```").split_whitespace().last(), Some("}"));
}

/// Covers NORMALIZE-03, BUG-NRM-01.
#[test]
fn prose_around_a_block_is_dropped_and_lines_stay() {
    let text = "Sure! Here is the code:\n\n```js\nasync () => (await t.echo({ a: 1 })).a\n```\n\nIt echoes a value.\n";
    assert_eq!(function(text), "\n\n\nasync () => (await t.echo({ a: 1 })).a");
    assert_eq!(function("Code:\n```\n1\n```\n"), "async (input) => {\n\nreturn (1)\n}");
}

/// Covers BUG-NRM-03.
#[test]
fn the_only_script_among_several_blocks_is_taken() {
    let text = "First:\n```json\n{\"example\": true}\n```\nThen run:\n```javascript\nreturn 2;\n```\n";
    assert_eq!(function(text), body("\n\n\n\n\n\nreturn 2;"));
    let error = refused("```js\nreturn 1\n```\nor\n```js\nreturn 2\n```");
    assert!(error.message.starts_with("more than one code block"));
    assert_eq!((error.line, error.column), (5, 1));
    assert!(refused("```\n1\n```\nor\n```\n2\n```").message.starts_with("more than one code block"));
}

/// Covers BUG-NRM-02.
#[test]
fn backticks_in_the_code_do_not_end_its_block() {
    let code = "const md = \"```js\\nx\\n```\";\nconst t2 = `a\n\\`\\`\\`\nb`;\nreturn [md.length, t2.length];";
    assert_eq!(function(&format!("```js\n{code}\n```")), body(&format!("\n{code}")));
    let quoted = "/*\n```\nexample\n```\n*/\nreturn 1";
    assert_eq!(function(&format!("Here:\n```js\n{quoted}\n```\nDone.")), body(&format!("\n\n{quoted}")));
    assert_eq!(function(quoted), body(quoted));
}

/// Covers NORMALIZE-05, normalize#16, tool#22.
#[test]
fn text_that_is_no_program_is_refused_with_its_position() {
    for (text, line, column) in [
        ("let = bad (((", 1, 14),
        ("const a = 1;\nconst b = = 2;", 2, 11),
        ("/* 🙂 */ const const", 1, 16),
        ("const a = 1;\nlet c;\nlet c;", 3, 5),
        ("```js\nreturn 1 1\n```", 2, 9),
    ] {
        let error = refused(text);
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert_eq!(Some(error.source_line.as_str()), text.lines().nth(line as usize - 1));
    }
    assert!(refused("<code>return 1</code>").message.contains("without prose or markup"));
}

/// Covers BUG-NRM-10.
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

/// Covers NORMALIZE-18.
#[test]
fn modules_and_generators_are_refused_with_advice() {
    for (text, line, advice) in [
        ("import fs from 'fs';\nreturn 1", 1, "use the connectors"),
        ("1;\nexport const x = 1", 2, "return the result"),
        ("export async function main() {}", 1, "return the result"),
        ("const a = 1;\nexport { a as default }", 2, "return the result"),
        ("export * from 'x'", 1, "return the result"),
        ("function* g() {}", 1, "async function"),
        ("(function* () {})", 1, "async function"),
        ("export default async function* () {}", 1, "async function"),
        ("const g = function* () {};\ng", 1, "async function"),
        ("function* g() {}\nexport default g", 1, "async function"),
        ("@sealed class A {}", 1, "decorators are not available"),
        ("class A { accessor a = 1 }", 1, "write a getter and a setter"),
        ("{\n using file = open();\n}", 2, "finally"),
        ("await using file = open();", 1, "finally"),
        ("const a = <b>bold</b>;", 1, "JSX and other markup"),
        ("return (\n  <div a={1} />\n);", 2, "JSX and other markup"),
        ("return <>a</>", 1, "JSX and other markup"),
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
    assert_eq!(refused("async () => { let z; let z }").column, 26);
    assert_eq!(function("const input = 1; return input"), "async () => {const input = 1; return input\n}");
}

/// Covers BUG-NRM-12.
#[test]
fn positions_lead_back_to_the_submitted_text() {
    let wrapped = normalize("a(); null.x").unwrap();
    let column = wrapped.function.find("null").unwrap() as u32 + 1;
    assert_eq!(wrapped.source_position(1, column), (1, 6));
    let lines = normalize("const a = 1;\nconst b = 2;\nawait t.echo({ a });\nnull.x;").unwrap();
    assert_eq!(lines.function.lines().nth(3), Some("undefined; return (null.x)"));
    assert_eq!([lines.source_position(4, 1), lines.source_position(4, 20)], [(4, 1); 2]);
    assert_eq!(lines.source_position(2, 7), (2, 7));
}

/// They are operators in modules and comments in scripts.
#[test]
fn comments_of_html_are_refused_where_they_start() {
    for (text, column) in
        [("co<!--n", 3), ("a<!--b\n+ 1", 2), ("return 1 <!--b", 10), ("let a = 1, b = 1; while (a --> 0) {}", 0)]
    {
        match normalize(text) {
            Ok(_) => assert_eq!(column, 0, "{text}"),
            Err(error) => {
                assert!(error.message.contains("comment of HTML"), "{error}");
                assert_eq!((error.line, error.column), (1, column), "{text}");
            }
        }
    }
}

/// The engine notes the places of names and calls, so that of `null.x` would be the last call.
#[test]
fn a_value_that_has_no_place_of_its_own_gets_one() {
    for value in ["null.x", "[1].map(f)", "({}).a.b", "(await null.f()).x", "'a'.b", "this.x.y", "``.a ? 1 : 2"] {
        assert!(function(value).contains("undefined; return ("), "{value}");
    }
    for value in ["a.b", "f().x", "(await f()).x", "1 + 1", "[1]", "`${a.b}`", "new A().b", "{ a: null.b }"] {
        assert!(!function(value).contains("undefined"), "{value}");
    }
}

/// Covers NORMALIZE-05.
#[test]
fn what_strict_code_may_not_have_is_refused_before_it_runs() {
    for text in ["with (a) { b }", "var a = 010", "delete a", "arguments = 1", "(a, a) => 1", "return '\\01'"] {
        assert_eq!(refused(text).line, 1, "{text}");
    }
}
