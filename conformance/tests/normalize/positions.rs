//! Where an error is said to be: in the text as it was sent, whatever was put in front or left out.

use codemode_conformance::harness::{Host, error_of};

use crate::kit::refused;

/// The place of `boom` in the text.
fn place(text: &str) -> (Option<u32>, Option<u32>) {
    let at = text.find("boom").unwrap();
    let line = text[..at].matches('\n').count() as u32 + 1;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let column = text[start..at].trim_start_matches('\u{feff}').encode_utf16().count() as u32 + 1;
    (Some(line), Some(column))
}

/// Covers NORMALIZE-09, BUG-NRM-12.
#[tokio::test(flavor = "multi_thread")]
async fn a_thrown_error_is_where_it_was_sent() {
    for text in [
        "boom()",
        "1;\nboom()",
        "async () => boom()",
        "async () => {\n  await t.echo(1);\n  return boom();\n}",
        "(async () => { boom() })()",
        "export default async () => boom()",
        "const f = async () => boom();\nf",
        "const run = async () => boom();",
        "module.exports = async () => boom()",
        "export default boom()",
        "{ a: boom() }",
        "function run() { return boom() }",
        "Text.\n\n```js\nboom()\n```",
        "```js boom() ```",
        "- ```js\n  boom()\n  ```",
        "js\nboom()",
        "\u{feff}boom()",
        "/* 🙂 */ boom()",
        "let a: string = 'é🙂' as string; boom()",
        "const a = <string>'x'; const b = <any>(<any>a); boom()",
        "interface A { b: string }\nasync (a: A): Promise<void> => { boom() }",
        "const s: string = `a\n```\nb`; boom()",
        "\r\n\r\nboom()\r\n",
        "#!/usr/bin/env node\nboom()",
    ] {
        let outcome = Host::new().runtime().execute(text).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!(error.message, "boom is not defined", "{text}\n{error:#?}");
        assert_eq!((error.line, error.column), place(text), "{text}\n{error:#?}");
    }
}

/// Covers NORMALIZE-05.
#[tokio::test(flavor = "multi_thread")]
async fn text_that_does_not_parse_is_refused_where_it_stops_to_be_code() {
    for (text, line, column) in [
        ("let = bad (((", 1, 14),
        ("const a = 1;\nconst b = = 2;", 2, 11),
        ("```js\nreturn 1 1\n```", 2, 9),
        ("Text:\n```ts\nconst a: number = ;\n```", 3, 19),
        ("/* 🙂 */ const const", 1, 16),
        ("let a;\nlet a;", 2, 5),
        ("async () => {\n  break;\n}", 2, 3),
        ("const x = 1;\nx = ;", 2, 5),
    ] {
        let error = refused(text).await;
        assert_eq!((error.line, error.column), (Some(line), Some(column)), "{text}\n{error:#?}");
        assert_eq!(error.source_line.as_deref(), text.lines().nth(line as usize - 1), "{text}");
    }
}
