//! The vectors of the catalogue, by what they return.

use crate::kit::{all_refused, all_return};

/// Covers NORMALIZE-01, NORMALIZE-04, NORMALIZE-10, NORMALIZE-13, normalize#1, normalize#2, normalize#12,
/// normalize#13, normalize#14, normalize#15, tool#17, tool#18, tool#23.
#[tokio::test(flavor = "multi_thread")]
async fn what_gives_no_value_returns_nothing() {
    all_return(&[
        ("", "null"),
        ("  \n\t", "null"),
        ("```js\n```", "null"),
        ("// only a comment", "null"),
        ("const x = 42", "null"),
        ("const a=1;\nconst b=2;", "null"),
        ("for (const x of [1]) { x }", "null"),
        ("if (true) { 1 }", "null"),
        ("class A {}", "null"),
        ("1;;", "null"),
        ("function a() { return 1 }\nfunction b() { return 2 }", "null"),
        ("{ const a = 1; a }", "null"),
    ])
    .await;
}

/// Covers NORMALIZE-02, NORMALIZE-03, NORMALIZE-06, NORMALIZE-08, NORMALIZE-09, NORMALIZE-11, NORMALIZE-12,
/// NORMALIZE-15, NORMALIZE-17, normalize#3, normalize#6, normalize#7, normalize#8, normalize#9, normalize#11,
/// normalize#17, normalize#18, normalize#35, normalize#36, normalize#38, tool#15, tool#16, tool#19, tool#20.
#[tokio::test(flavor = "multi_thread")]
async fn functions_are_run_and_last_expressions_returned() {
    all_return(&[
        ("async () => { return 8; }", "8"),
        ("() => 1", "1"),
        ("async () => 1;", "1"),
        ("async () => 1;;\n;", "1"),
        ("async () => 1 // one", "1"),
        ("(async () => { return 8; })", "8"),
        ("((() => 8));", "8"),
        ("/* a */ async /* b */ () /* c */ => /* d */ 8 /* e */ ; // f", "8"),
        ("function run() { return 8 }", "8"),
        ("async function run() { return 8 };", "8"),
        ("function () { return 8 }", "8"),
        ("let q = 6;\nq * 7", "42"),
        ("5 // five", "5"),
        ("await t.echo(5)", "5"),
        ("(async () => 7)()", "7"),
        ("function h(){return 1}\nh()", "1"),
        ("\"hello\"", "\"hello\""),
        ("'use strict'; 1, 2", "2"),
        ("return 42", "42"),
        ("  \n 1+1 \t\n", "2"),
        ("```js\n1+1```", "2"),
        ("```py\nreturn 1\n```", "1"),
        ("```JS\nreturn 1\n```", "1"),
        ("```\nreturn 1\n```", "1"),
        ("```js\nfunction run() { return 8 }\n```", "8"),
        ("x => x === undefined", "true"),
        ("return\n1", "null"),
    ])
    .await;
}

/// Covers NORMALIZE-07, NORMALIZE-14, NORMALIZE-17, normalize#27, normalize#28, normalize#29, normalize#37, WEAK-20.
#[tokio::test(flavor = "multi_thread")]
async fn objects_and_default_exports_are_values() {
    all_return(&[
        ("{a: 1}", "{\"a\": 1}"),
        ("{ \"a\": 1, b: [2] };", "{\"a\": 1, \"b\": [2]}"),
        ("({a:1})", "{\"a\": 1}"),
        ("{}", "{}"),
        ("[1, 2]", "[1, 2]"),
        ("export default 42", "42"),
        ("export default { a: 1 };", "{\"a\": 1}"),
        ("export default async () => 1;", "1"),
        ("export default function () { return 1 }", "1"),
        ("export default async function run() { return run.name }", "\"run\""),
        ("const n = 2;\nexport default n * 2", "4"),
        ("```js\nexport default () => 5\n```", "5"),
        ("module.exports = () => 5", "5"),
        ("module.exports = { a: 1 }", "{\"a\": 1}"),
    ])
    .await;
}

/// Covers NORMALIZE-05, NORMALIZE-18, normalize#16, tool#22.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_run_is_refused_and_not_spliced() {
    all_refused(&[
        ("let = bad (((", 1, "not closed"),
        ("export const x = 1", 1, "export is not available: return the result"),
        ("1;\nexport { a }", 2, "export is not available"),
        ("exports.run = () => 1", 1, "export is not available"),
        ("import fs from 'fs'", 1, "import is not available: use the connectors, which are global names"),
        ("import 'fs'", 1, "import is not available"),
        ("function* g() { yield 1 }", 1, "a generator cannot be run"),
        ("return <div/>", 1, "JSX and other markup is not available"),
    ])
    .await;
}
