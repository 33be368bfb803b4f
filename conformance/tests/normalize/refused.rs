//! Answers that are no code, and what the model is told: what is wrong, where, and what to do. A parser's complaint about
//! an English word helps nobody.

use crate::kit::{all_refused, refused};

const PROSE: &str = "this line is prose, not code: send only the code, or put it into one block marked js";
const STRING: &str = "the code is inside of a string: send the code itself, without quotes around it";
const JSON: &str = "the code is inside of JSON: send the code itself, not an object that holds it";
const ENTITY: &str = "is an HTML entity: send plain characters, not HTML";
const ESCAPED: &str = "send the code with real line breaks, not as an escaped string";
const MARKUP: &str = "JSX and other markup is not available: send only the code";
const CUT: &str = "the code ends too early, so something in it is not closed";
const SEVERAL: &str = "send a single block with the code to run";

/// Covers NORMALIZE-05, BUG-NRM-01, WEAK-20.
#[tokio::test(flavor = "multi_thread")]
async fn prose_is_called_prose() {
    all_refused(&[
        ("I cannot do that.", 1, PROSE),
        ("Here is the code:\n\nasync () => 1", 1, PROSE),
        ("Code:\nconst x = 1;\nreturn x", 1, PROSE),
        ("async () => 1\n\nThis returns one.", 3, PROSE),
        ("async () => {\n  return 1;\n}\n\nExplanation: it returns one.", 5, PROSE),
        ("```js\nasync () => {\n  return 1;\n}\n\nThis function returns one.", 6, PROSE),
        ("First I'll call the tool, then return it.\nreturn 1", 1, PROSE),
        ("- call the echo tool\n- return its result", 1, PROSE),
        ("return 1\n\nLet me know if you need more!", 3, PROSE),
        ("Please run `return 1` for me, thanks", 1, PROSE),
    ])
    .await;
    for text in ["I cannot do that.", "async () => 1\n\nThis returns one."] {
        let error = refused(text).await;
        assert!(!error.message.contains("semicolon"), "{}", error.message);
    }
}

/// Covers NORMALIZE-03, BUG-NRM-03.
#[tokio::test(flavor = "multi_thread")]
async fn several_and_empty_blocks_are_named() {
    all_refused(&[
        ("```js\n// step 1\nconst a = 1;\n```\n\n```js\n// step 2\nreturn a;\n```", 6, SEVERAL),
        ("```js\nreturn 1\n```js\nreturn 2\n```", 3, SEVERAL),
        ("```\n1\n```\nor\n```\n2\n```", 5, SEVERAL),
        ("```js\nreturn 1\n```\n```ts\nreturn 2\n```\n```jsx\nreturn 3\n```", 4, "lines 1, 4 and 7"),
        ("Here it is:\n```js\n```\nDone.", 2, "the code block is empty: put the code to run into it"),
        ("Here it is: ```", 1, PROSE),
    ])
    .await;
}

/// Covers NORMALIZE-05, WEAK-20.
#[tokio::test(flavor = "multi_thread")]
async fn code_inside_of_something_else_is_sent_back() {
    all_refused(&[
        ("{\"code\": \"async () => 1\"}", 1, JSON),
        ("{\n  \"language\": \"js\",\n  \"code\": \"return 1\"\n}", 3, JSON),
        ("```json\n{\"code\": \"await t.add({ n: 1 })\"}\n```", 2, JSON),
        ("{ \"name\": \"run\", \"arguments\": { \"code\": \"return 1\" } }", 1, JSON),
        ("{ code: `async () => 1` }", 1, JSON),
        ("\"async () => { return 1 }\"", 1, STRING),
        ("'return 1'", 1, STRING),
        ("`async () => 1`", 1, STRING),
        ("(\"async () => 1\");", 1, STRING),
        ("async () => {\\n  return 1;\\n}", 1, ESCAPED),
        ("\\nreturn 1", 1, ESCAPED),
        ("async () =&gt; 1", 1, ENTITY),
        ("const a = 1;\nfor (let i = 0; i &lt; 3; i++) {}", 2, ENTITY),
        ("return a &amp;&amp; b", 1, ENTITY),
        ("return &quot;a&quot;", 1, ENTITY),
        ("a &lt; b", 1, "this is an HTML entity"),
        ("return &#39;a&#39;", 1, ENTITY),
        ("<code>return 1</code>", 1, MARKUP),
        ("<pre><code class=\"js\">\nreturn 1\n</code></pre>", 1, MARKUP),
        ("<script>\nreturn 1\n</script>", 1, MARKUP),
        ("<execute>return 1</execute>", 1, MARKUP),
        ("```html\n<b>a</b>\n```", 2, MARKUP),
        ("```jsx\nreturn (\n  <ul>{xs.map((x) => <li>{x}</li>)}</ul>\n);\n```", 3, MARKUP),
        ("return <>a</>", 1, MARKUP),
        ("return “a”", 1, "“ is a typographic quote: use \" or ' in code"),
        ("const x = ‘a’", 1, "‘ is a typographic quote"),
        ("run ```return 1```", 1, "three backticks are no code"),
    ])
    .await;
}

/// Covers NORMALIZE-05, WEAK-20.
#[tokio::test(flavor = "multi_thread")]
async fn broken_code_is_refused_at_its_place() {
    all_refused(&[
        ("async () => { const x = 1;", 1, CUT),
        ("async () => {\n  const x = [1,\n", 2, CUT),
        ("(async () => { return 1 }", 1, CUT),
        ("() =>", 1, CUT),
        ("return `a", 1, "Unterminated string"),
        ("return 'a", 1, "Unterminated string"),
        ("return 1 /* a", 1, "nterminated"),
        ("return /a", 1, "nterminated"),
        ("async () => { return 1 })", 1, "not valid JavaScript"),
        ("() => {}\n}", 2, "not valid JavaScript"),
        ("async () => return 1", 1, "not valid JavaScript"),
        ("const a = 1;\nconst b = (2\nreturn a", 3, "not valid JavaScript"),
        ("a ?? b || c", 1, "cannot be mixed"),
        ("const await = 1", 1, "await"),
        ("return 1;\nlet x; let x;", 2, "already been declared"),
        ("break", 1, "break"),
        ("super.x", 1, "super"),
        ("import.meta.url", 1, "import.meta"),
        ("def main():\n    return 1", 1, "not valid JavaScript"),
        ("```sh\ncurl -s http://a | jq .\n```", 2, "not valid JavaScript"),
        ("result: 5", 1, "this is a label, and the value behind it is lost"),
        ("const x = 1;\nresult: x", 2, "this is a label"),
        ("{ a: 1; b: 2 }", 1, "an object goes in parentheses"),
        ("async () => {\n  return 1;\n}();", 3, "leave the call out, the function is run"),
        ("async function run() { return 1 }()", 1, "leave the call out"),
        ("() => { return await t.echo(1) }", 1, "`await` is only allowed within async functions"),
        ("const f = (a) => {\n  await a;\n}", 2, "`await` is only allowed within async functions"),
        ("with (t) { echo(1) }", 1, "'with' statements are not allowed"),
        ("async (a) => 1\nasync (b) => 2", 1, "this function is never called: send one function"),
        ("async function* main() { yield 1 }", 1, "a generator cannot be run"),
        ("module.exports = function* () {}", 1, "a generator cannot be run"),
        ("module.exports = 1;\nmodule.exports = 2", 2, "export is not available"),
        (&"[".repeat(5_000), 1, "nested too deeply"),
    ])
    .await;
}
