//! `codemode.run`, `search` and `describe`.

use crate::host::{Ask, Breach, Reply, code, result};

fn snippets(ask: &Ask) -> Reply {
    let source = match ask {
        Ask::Snippet(name, _) => match name.as_str() {
            "double" => "async (n) => n * 2",
            "nested" => "async (n) => { await null; if (n === 0) return 'end'; return codemode.run('nested', n - 1); }",
            "keys" => "async (input) => [Object.keys(input), input.isAdmin === undefined, ({}).polluted === undefined]",
            "throws" => "async () => {\n\n  throw new Error('in snippet'); }",
            "broken" => "async () => {",
            "value" => "42",
            "calls" => "async (n) => (await t.echo({ n })).n",
            _ => return Reply::Now(Ok(Some("{\"error\":\"Snippet not found\"}".to_owned()))),
        },
        other => return crate::host::echo(other),
    };
    Reply::Now(Ok(Some(serde_json::json!({ "code": source }).to_string())))
}

#[track_caller]
fn run(text: &str) -> String {
    code(text).answering(snippets).run().result()
}

#[test]
fn a_snippet_runs_with_its_input() {
    assert_eq!(run("async () => codemode.run('double', 21)"), "42");
    assert_eq!(run("async () => codemode.run('calls', 5)"), "5");
    assert_eq!(
        run("async () => Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => codemode.run('double', n)))"),
        "[2,4,6,8,10,12,14,16,18,20]"
    );
    let ran = code("async () => codemode.run('double')").answering(snippets).run();
    assert_eq!(ran.host.asks[0], Ask::Snippet("double".to_owned(), None));
}

#[test]
fn an_unknown_snippet_is_an_answer_not_an_exception() {
    assert_eq!(run("async () => codemode.run('nope')"), "{\"error\":\"Snippet not found\"}");
}

#[test]
fn input_is_taken_as_data() {
    let text =
        "async () => codemode.run('keys', JSON.parse('{\"__proto__\":{\"isAdmin\":true,\"polluted\":1},\"a\":1}'))";
    assert_eq!(run(text), "[[\"__proto__\",\"a\"],true,true]");
    let (subject, breach) = code("async () => codemode.run('double', () => {})").answering(snippets).run().refused();
    assert_eq!(subject, "input of snippet \"double\"");
    assert!(matches!(breach, Breach::Unsupported(_)));
}

#[test]
fn nesting_has_a_limit() {
    assert_eq!(run("async () => codemode.run('nested', 7)"), "\"end\"");
    let error = code("async () => codemode.run('nested', 8)").answering(snippets).run().error();
    assert_eq!(error.message, "snippet \"nested\" is nested more than 8 levels deep");
}

#[test]
fn failures_of_a_snippet_reject_the_promise() {
    assert_eq!(run("async () => codemode.run('throws').catch((e) => e.message)"), "\"in snippet\"");
    assert_eq!(run("async () => codemode.run('broken').catch((e) => e.name)"), "\"SyntaxError\"");
    assert_eq!(
        run("async () => codemode.run('value').catch((e) => e.message)"),
        "\"snippet \\\"value\\\" is not a function\""
    );
    let error = code("async () => { await codemode.run('throws'); }").answering(snippets).run().error();
    assert!(error.stack.as_deref().is_some_and(|stack| stack.contains("(snippet throws:3:")), "{error:?}");
}

#[test]
fn search_and_describe_pass_a_text_on() {
    let ran = code("async () => { await codemode.search('x\\u0000\"y'); await codemode.describe(5); }").run();
    assert_eq!(ran.host.asks, [Ask::Search("\"x\\u0000\\\"y\"".to_owned()), Ask::Describe("\"5\"".to_owned())]);
}

#[test]
fn codemode_has_four_members() {
    assert_eq!(
        result("async () => [Object.keys(codemode), typeof codemode.step, typeof codemode.then]"),
        "[[\"search\",\"describe\",\"step\",\"run\"],\"function\",\"undefined\"]"
    );
    let error = code("async () => { await codemode.nope({}); }").run().error();
    assert!(error.message.starts_with("Tool \"nope\" not found on codemode"), "{}", error.message);
    assert_eq!(
        result(
            "async () => [codemode.constructor, codemode.valueOf, codemode.__proto__].every((x) => x === undefined)"
        ),
        "true"
    );
    assert_eq!(result("async () => codemode.nope().catch((e) => e instanceof Error)"), "true");
}
