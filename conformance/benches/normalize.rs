//! What making model text callable costs, next to the bare parse of the same text: a script of two hundred lines, in
//! JavaScript and with the types of TypeScript, in a block with prose around it or not.

use codemode_runtime::normalize::normalize;
use divan::Bencher;
use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

fn main() {
    divan::main();
}

/// Twenty times ten lines.
fn script(lines: &str) -> String {
    let part = |number: usize| lines.replace('#', &number.to_string());
    format!("async () => {{\n{}  return 1;\n}}\n", (0..20).map(part).collect::<String>())
}

fn javascript() -> String {
    script(
        "  const issues# = await tracker.search({ query: `is:open label:${label}`, limit: 50 });\n  \
           const open# = issues#.items.filter((issue) => issue.state === 'open' && !issue.draft);\n  \
           for (const issue of open#) {\n    \
             // Only those that nobody has looked at for a week.\n    \
             const age = (now - Date.parse(issue.updated)) / 86_400_000;\n    \
             if (age > 7 && /bug|crash/i.test(issue.title)) {\n      \
               await tracker.comment({ number: issue.number, body: `Still there after ${Math.round(age)} days?` });\n    \
             }\n  \
           }\n  \
           results.push({ part: #, open: open#.length, all: issues#.items.length });\n",
    )
}

fn typescript() -> String {
    script(
        "  const issues#: Page<Issue> = await tracker.search({ query: `is:open label:${label}`, limit: 50 });\n  \
           const open# = issues#.items.filter((issue: Issue): issue is Open => issue.state === 'open' && !issue.draft);\n  \
           for (const issue of open# as Open[]) {\n    \
             // Only those that nobody has looked at for a week.\n    \
             const age: number = (now - Date.parse(issue.updated!)) / 86_400_000;\n    \
             if (age > 7 && /bug|crash/i.test(issue.title)) {\n      \
               await tracker.comment({ number: issue.number, body: `Still there after ${Math.round(age)} days?` });\n    \
             }\n  \
           }\n  \
           results.push({ part: #, open: open#.length, all: issues#.items.length } satisfies Row);\n",
    )
}

fn parse(bencher: Bencher<'_, '_>, code: &str, source_type: SourceType) {
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    bencher.bench_local(|| {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, code, source_type).with_options(options).parse();
        assert!(parsed.diagnostics.is_empty());
        parsed.program.body.len()
    });
}

fn made(bencher: Bencher<'_, '_>, text: &str) {
    bencher.bench_local(|| normalize(text).expect("it is code").function.len());
}

#[divan::bench]
fn javascript_parsed(bencher: Bencher<'_, '_>) {
    parse(bencher, &javascript(), SourceType::mjs());
}

#[divan::bench]
fn javascript_normalized(bencher: Bencher<'_, '_>) {
    made(bencher, &javascript());
}

#[divan::bench]
fn javascript_in_an_answer(bencher: Bencher<'_, '_>) {
    made(bencher, &format!("Here is the code:\n\n```js\n{}```\n\nIt comments.\n", javascript()));
}

#[divan::bench]
fn typescript_parsed(bencher: Bencher<'_, '_>) {
    parse(bencher, &typescript(), SourceType::ts());
}

#[divan::bench]
fn typescript_normalized(bencher: Bencher<'_, '_>) {
    made(bencher, &typescript());
}

#[divan::bench]
fn typescript_in_an_answer(bencher: Bencher<'_, '_>) {
    made(bencher, &format!("Here is the code:\n\n```ts\n{}```\n\nIt comments.\n", typescript()));
}
