//! Whole answers as models write them, and what is run of them.

use crate::kit::all_return;

/// Covers NORMALIZE-02, NORMALIZE-03, WEAK-20, BUG-NRM-01, BUG-NRM-03, BUG-NRM-04.
#[tokio::test(flavor = "multi_thread")]
async fn the_code_is_found_in_its_answer() {
    all_return(&[
        ("Sure! Here is the code: ```js\nreturn 1\n```", "1"),
        ("Sure:\n```js\nreturn 1```\n\nIt returns one.", "1"),
        ("- First, run:\n  ```js\n  return 1\n  ```\n- Then look.", "1"),
        ("1. Run:\n\n   ```javascript\n   const a = 1;\n   return a;\n   ```\n\n2. Done", "1"),
        ("- ```js\n  return 1\n  ```", "1"),
        ("<think>\nI will return one.\n</think>\n\n```js\nreturn 1\n```", "1"),
        ("**Code**, with `t.echo`:\n\n```js\nreturn 1\n```\n\nSee ```README``` too.", "1"),
        ("# Title\n\n```js\nreturn 1\n```\n\n## More\n\n| a | b |\n|---|---|\n", "1"),
        ("Install:\n```bash\nnpm i\n```\nRun:\n```js\nreturn 1\n```\nOutput:\n```text\n1\n```", "1"),
        ("```json\n{\"a\": 1}\n```\n\n```\nreturn 1\n```", "1"),
        ("```js\nreturn 1\n```\n\nOutput:\n```\n2\n```", "1"),
        ("```js\nreturn 1```\n\nOutput:\n```\n2\n```", "1"),
        ("```python\nprint(1)\n```\nor, here:\n```typescript\nconst a: number = 1; return a\n```", "1"),
        ("````markdown\n# Doc\n```js\nreturn 1\n```\n````", "1"),
        ("````md\nText\n```\nreturn 1\n```\n````", "1"),
        ("```\n```js\nreturn 1\n```\n```", "1"),
        ("```markdown\nHere:\n```js\nreturn 1\n```\n```", "1"),
        ("```js return 1\n```", "1"),
        ("```js async () => {\n  return 1\n}\n```", "1"),
        ("``` js\nreturn 1\n```", "1"),
        ("```{js}\nreturn 1\n```", "1"),
        ("```js:run.js\nreturn 1\n```", "1"),
        ("```js {1,3} showLineNumbers\nreturn 1\n```", "1"),
        ("```Js\nreturn 1\n```", "1"),
        ("```node\nreturn 1\n```", "1"),
        ("```text\nreturn 1\n```", "1"),
        ("~~~~ts\nconst a: number = 1;\nreturn a\n~~~~", "1"),
        ("Text\n~~~\nreturn 1\n~~~\nText", "1"),
        ("~~~js\nt.echo(1)\n~~~\nDone", "1"),
        ("   ```js\n   return 1\n   ```", "1"),
        ("\t```js\n\treturn 1\n\t```\t", "1"),
        ("\r\n```js\r\nconst a = `x\r\ny`;\r\nreturn a.length\r\n```\r\nText\r\n", "3"),
        ("\u{feff}\u{200b}return 1\u{200b};", "1"),
        ("\u{a0}return\u{a0}1", "1"),
    ])
    .await;
}

/// Covers NORMALIZE-03, WEAK-20.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_cut_off_is_still_read() {
    all_return(&[
        ("return 1\n```", "1"),
        ("async () => {\n  return 1;\n}\n```\n\nThis returns one.", "1"),
        ("const a = 1;\nreturn a;\n```\n\nOutput: 1", "1"),
        ("js\nreturn 1\n```", "1"),
        ("javascript\nasync () => 1", "1"),
        ("TypeScript\nconst a: number = 1; a", "1"),
        ("```\njs\nreturn 1\n```", "1"),
        ("```ts\nreturn 1", "1"),
        ("```ts\nreturn 1```", "1"),
        ("Here:\n```\nreturn 1", "1"),
        ("Code:\nasync () => 1", "1"),
        ("Answer: async () => 1", "1"),
        ("async () => 1\n```json\n{\"a\": 2}\n```", "1"),
        ("async () => 1\n\nOutput:\n```\n2\n```", "1"),
        ("```\n\n```\nreturn 1", "1"),
        ("async () => 1\n// {\"a\": 1}\n", "1"),
    ])
    .await;
}

/// Covers BUG-NRM-02, normalize#25.
#[tokio::test(flavor = "multi_thread")]
async fn backticks_of_the_code_are_code() {
    all_return(&[
        ("async () => `\n\\`\\`\\`js\nx\n\\`\\`\\`\n`.length", "13"),
        ("async () => `\n```js\nx\n```\n`.length", "13"),
        ("```js\nconst md = `\n```json\n{}\n```\n`;\nreturn md.split('\\n').length\n```", "5"),
        ("const f = `Here: ```js\nx\n``` end`;\nreturn f.length", "21"),
        ("```js\nconst f = (a) => `${a} ```js`;\nreturn f(1)\n```", "\"1 ```js\""),
        ("```js\n/*\n```js\nexample\n```\n*/\nreturn 1\n```", "1"),
        ("/*\n```\nexample\n```\n*/\nreturn 1", "1"),
        ("// ```js\nreturn 1\n// ```", "1"),
        ("```js\n// ```\nreturn 1\n// ```\n```", "1"),
        ("return '```js\\nx\\n```'.length", "11"),
        ("```js\nreturn \"```\".length\n```", "3"),
        ("return /`{3}(js)?/.exec('```js')[1]", "\"js\""),
        ("return `a ${`b ${'`'.length} ${`c`}`} d`", "\"a b 1 c d\""),
        ("const tag = (s, ...v) => s.raw[0] + v[0]; return tag`\\n${1}`", "\"\\\\n1\""),
        ("```js\nconst s = `~~~\n~~~`;\nreturn s.length\n```", "7"),
        ("const s = `\n~~~\nx\n~~~\n`;\nreturn s.length", "11"),
        ("~~~\nconst s = '```';\nreturn s.length\n~~~", "3"),
    ])
    .await;
}

/// Covers NORMALIZE-06, NORMALIZE-08, NORMALIZE-09, NORMALIZE-13, normalize#10, normalize#34, WEAK-20.
#[tokio::test(flavor = "multi_thread")]
async fn programs_of_all_shapes_give_their_result() {
    all_return(&[
        ("#!/usr/bin/env node\nasync () => 1", "1"),
        ("#!/usr/bin/env node\nreturn 1", "1"),
        ("// @ts-check\n/** @type {any} */\nasync () => 1", "1"),
        ("'use strict';\nconst a = 1;\na", "1"),
        ("async function main() { return 1 }\nmain();", "1"),
        ("async function main() { return 1 }\nawait main();", "1"),
        ("async function main() { return 1 }\nmain().catch(console.error);", "1"),
        ("const run = async () => 1;", "1"),
        ("const run = async function () { return 1 }", "1"),
        ("const run = async () => 1;\nrun", "1"),
        ("const run = async () => 1;\nrun()", "1"),
        ("const run = async () => 1;\nexport default run;", "1"),
        ("(async () => {\n  return 1;\n})();", "1"),
        (";(async () => 1)()", "1"),
        ("(async function () { return 1 }).call(null)", "1"),
        ("class A { get x() { return 1 } static #y = 2; static { this.z = 3 } }\nnew A().x", "1"),
        ("const { a, ...rest } = { a: 1, b: 2 };\nrest", "{\"b\": 2}"),
        ("let x = 1\n;[1, 2].forEach(n => x += n)\nx", "4"),
        ("for await (const x of [1]) { return x }", "1"),
        ("label: for (const x of [1, 2]) { if (x === 1) continue label; return x }", "2"),
        ("function* g() { yield 1 }\nreturn [...g()]", "[1]"),
        ("const o = { get a() { return 1 }, set a(v) {}, async b() {}, *c() {}, ['d']: 2 };\no.a + o.d", "3"),
        ("switch (1) { case 1: return 'one'; default: return 'other' }", "\"one\""),
        ("var a = 1; { let a = 2 } a", "1"),
        ("return {\n  a: 1\n}", "{\"a\": 1}"),
        ("const input = 1; input", "1"),
        ("let a = 1, b = 2;\n[a, b] = [b, a]", "[2, 1]"),
        ("const x = null;\nx?.y ?? 'none'", "\"none\""),
        ("await Promise.all([t.echo(1), t.echo(2)])", "[1, 2]"),
        ("1_000n.toString() + 0x10 + 0b11 + 1e3", "\"10001631000\""),
        ("\"a\\\nb\"", "\"ab\""),
    ])
    .await;
}
