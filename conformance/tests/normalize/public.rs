//! The public bug cases about model text, as they were reported.

use codemode_conformance::harness::{Host, error_of};
use codemode_runtime::Outcome;
use serde_json::json;

use crate::kit::{all_return, performed, refused, result};

/// Covers BUG-NRM-01.
#[tokio::test(flavor = "multi_thread")]
async fn prose_around_the_only_block_is_dropped() {
    let answer =
        "Sure! Here is the code:\n\n```js\nasync () => (await t.echo({ a: 1 })).a\n```\n\nIt echoes a value.\n";
    assert_eq!(result(answer).await, json!(1));
}

/// Covers BUG-NRM-02.
#[tokio::test(flavor = "multi_thread")]
async fn backticks_inside_of_the_program_do_not_end_its_block() {
    let program = |fence: &str| {
        let quoted = "const md = \"```js\\nx\\n```\";";
        format!("{quoted}\nconst t2 = `a\n{fence}\nb`;\nreturn [md.length, t2.split(\"\\n\").length];")
    };
    // As it was printed, the template ends at the fence: a fence inside of a template is meant as text.
    let (escaped, printed) = (program("\\`\\`\\`"), program("```"));
    for code in [&escaped, &printed] {
        assert_eq!(result(&format!("```js\n{code}\n```")).await, json!([11, 3]), "{code}");
        assert_eq!(result(code).await, json!([11, 3]), "{code}");
        assert_eq!(result(&format!("Run this:\n```js\n{code}\n```\nDone.")).await, json!([11, 3]), "{code}");
    }
}

/// Covers BUG-NRM-03.
#[tokio::test(flavor = "multi_thread")]
async fn of_several_blocks_the_only_script_runs() {
    let answer = "First:\n```json\n{\"example\": true}\n```\nThen run:\n```javascript\nreturn 2;\n```\n";
    assert_eq!(result(answer).await, json!(2));
    let two = refused("```js\nreturn 1\n```\nor:\n```js\nreturn 2\n```").await;
    assert!(two.message.contains("more than one code block (lines 1 and 5)"), "{}", two.message);
}

/// Covers BUG-NRM-04.
#[tokio::test(flavor = "multi_thread")]
async fn fences_of_all_kinds_are_known() {
    all_return(&[
        ("```JavaScript\nreturn 1\n```", "1"),
        ("~~~js\nreturn 1\n~~~", "1"),
        ("```js title=\"a.js\" {1}\nreturn 1\n```", "1"),
        ("````js\nreturn 1\n````", "1"),
        ("```js return 1 ```", "1"),
        ("```ts\nreturn 1", "1"),
        ("\u{feff}```js\r\nreturn 1\r\n```\r\n", "1"),
    ])
    .await;
    let markup = refused("<code>return 1</code>").await;
    assert!(markup.message.contains("markup is not available: send only the code"), "{}", markup.message);
}

/// Covers BUG-NRM-06.
#[tokio::test(flavor = "multi_thread")]
async fn a_last_expression_over_several_lines_is_the_result() {
    let code = "const a = await t.echo({ v: 2 });\nconst b = await t.echo({ v: 3 });\n({\n  a: a.v,\n  b: b.v,\n  \
                sum: [a, b]\n    .map((x) => x.v)\n    .reduce((p, c) => p + c, 0),\n});";
    assert_eq!(result(code).await, json!({ "a": 2, "b": 3, "sum": 5 }));
}

/// Covers BUG-NRM-09.
#[tokio::test(flavor = "multi_thread")]
async fn types_are_left_out_and_what_looks_like_types_stays() {
    let code = "interface R { v: number }\nasync (input: { n?: number } = {}): Promise<number> => {\n  \
                const r = (await t.echo({ v: 1 as number })) as R;\n  const f = <T,>(x: T): T => x;\n  \
                const ok = r.v > 0 ? f<number>(r.v) : (0 as const);\n  \
                const label = `a: ${ok} as string`;\n  \
                if (label !== 'a: 1 as string') throw new Error(label);\n  return ok satisfies number;\n}";
    assert_eq!(result(code).await, json!(1));
    assert_eq!(result(&format!("```ts\n{code}\n```")).await, json!(1));
    all_return(&[
        ("const [a, b, c] = [1, 2, 3]; return [a < b, b > c, a < b > (c)]", "[true, false, false]"),
        ("const x = true, y = 'as any', z = 2; return x ? y : z", "\"as any\""),
        (
            "outer: for (const a of [1]) { for (;;) { break outer } } return 'x as string: number'",
            "\"x as string: number\"",
        ),
        ("const as = 1, type = 2, of = 3, declare = 4; return as + type + of + declare", "10"),
    ])
    .await;
}

/// Covers BUG-NRM-10.
#[tokio::test(flavor = "multi_thread")]
async fn text_cannot_close_its_wrapper() {
    for text in [
        "}, globalThis.pwn = 1, async () => {",
        "return 1 }; t.add({ n: 1 }); async () => {",
        "*/ globalThis.pwn = 1 /*",
        "1)(), globalThis.pwn = 1, (async () => 2",
        "-->",
        "<!-- x",
        "```js\n}, globalThis.pwn = 1, async () => {\n```",
        "{ a: 1 } }, globalThis.pwn = 1, { b: 2 }",
        "export default 1), (globalThis.pwn = 1",
        "return `${1}`}; t.add({ n: 1 }); {`",
        "\u{2028}}, t.add({ n: 1 }), () => {",
    ] {
        let host = Host::new();
        let runtime = host.runtime();
        let outcome = runtime.execute(text).await.unwrap();
        assert!(matches!(outcome, Outcome::Failed { .. }), "{text}\n{outcome:#?}");
        assert_eq!(performed(&host), 0, "{text}");
        let next = runtime.execute("return typeof globalThis.pwn").await.unwrap();
        assert_eq!(codemode_conformance::harness::result_of(&next), "\"undefined\"", "{text}");
    }
    assert_eq!(result("return 1 //").await, json!(1));
}

/// Covers BUG-NRM-12.
#[tokio::test(flavor = "multi_thread")]
async fn errors_name_the_line_of_the_submitted_text() {
    let program = "const a = 1;\nconst b = 2;\nawait t.echo({ a });\nnull.x;";
    for (text, line) in [(program.to_owned(), 4), (format!("Here:\n\n```ts\n{program}\n```\n"), 7)] {
        let outcome = Host::new().runtime().execute(text.as_str()).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!((error.line, error.column), (Some(line), Some(1)), "{error:#?}");
        let told = outcome.to_wire();
        for secret in ["/work", "/home", ".rs", "prelude", "eval_script", "$exported"] {
            assert!(!told.contains(secret), "{told}");
        }
    }
    let syntax = refused("const a = 1;\nconst b = = 2;\nreturn a").await;
    assert_eq!((syntax.line, syntax.column), (Some(2), Some(11)));
    assert_eq!(syntax.source_line.as_deref(), Some("const b = = 2;"));
}
