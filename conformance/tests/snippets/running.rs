//! SNIPPET-06 to SNIPPET-10 and SNIPPET-14 to SNIPPET-17: what the code gets when it runs saved code.

use codemode_conformance::harness::{Host, approve_seq, error_of, id_of, journal_of, pending_of};
use codemode_runtime::Outcome;
use serde_json::json;

use crate::kit::{bare, both, error, logs, result, save, save_with, value};

/// Covers SNIPPET-06, runtime#18.
#[tokio::test(flavor = "multi_thread")]
async fn code_runs_a_snippet_with_and_without_input() {
    for home in both() {
        let store = home.store();
        save(&store, "greet", "async (who) => \"hi \" + (who ?? \"nobody\")").await;
        let runtime = home.host().runtime();
        assert_eq!(result(&runtime, "async () => codemode.run(\"greet\",\"Ada\")").await, json!("hi Ada"));
        assert_eq!(result(&runtime, "async () => codemode.run('greet')").await, json!("hi nobody"));
        let many = "async () => Promise.all([1, 2, 3].map((n) => codemode.run('greet', n)))";
        assert_eq!(result(&runtime, many).await, json!(["hi 1", "hi 2", "hi 3"]));
    }
}

/// Covers SNIPPET-07, runtime#19.
#[tokio::test(flavor = "multi_thread")]
async fn fences_statements_and_returns_work_as_in_code() {
    for home in both() {
        let store = home.store();
        save(&store, "fenced", "```ts\nasync () => 7\n```").await;
        save(&store, "statements", "const rows = await shelf.list();\nreturn rows.length;").await;
        save(&store, "named", "function add(input) { return input.a + input.b }").await;
        let runtime = home.host().runtime();
        let ran = "async () => [await codemode.run('fenced'), await codemode.run('statements'), \
                   await codemode.run('named', { a: 1, b: 2 })]";
        assert_eq!(result(&runtime, ran).await, json!([7, 0, 3]));
    }
}

/// Covers SNIPPET-08, IDENT-04, runtime#38.
#[tokio::test(flavor = "multi_thread")]
async fn a_snippet_needs_the_connectors_of_its_execution_even_those_that_it_does_not_use() {
    for home in both() {
        save(&home.store(), "s", "async () => 1").await;
        let none = result(&bare(home.store()), "async () => codemode.run('s')").await;
        let said = "snippet \"s\" requires connector(s) \"shelf\", \"t\" that are not configured";
        assert_eq!(none, json!({ "error": said }));
        let without = home.host().without("shelf").runtime();
        let one = result(&without, "async () => codemode.run('s')").await;
        assert!(one["error"].as_str().unwrap().contains("requires connector(s) \"shelf\""), "{one}");
    }
}

/// Covers SNIPPET-09.
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_snippet_is_an_answer_with_close_names() {
    for home in both() {
        save(&home.store(), "greet", "async () => 1").await;
        let runtime = home.host().runtime();
        let unknown = result(&runtime, "async () => codemode.run('great')").await;
        assert_eq!(unknown, json!({ "error": "snippet \"great\" not found; did you mean `greet`?" }));
        for name in ["'%'", "'gree_'", "''", "null", "{}", "'n'.repeat(5000)", "'toString'", "'__proto__'"] {
            let unknown = result(&runtime, &format!("async () => codemode.run({name})")).await;
            assert!(unknown["error"].as_str().unwrap().contains("not found"), "{name}: {unknown}");
        }
    }
}

/// Covers SNIPPET-10.
#[tokio::test(flavor = "multi_thread")]
async fn calls_of_a_snippet_are_calls_of_the_execution() {
    for home in both() {
        let host = home.host();
        let code =
            "async (title) => { await codemode.step('k', () => 1); await shelf.list(); return shelf.put({ title }) }";
        save(&host.store, "s", code).await;
        let runtime = host.runtime();
        let paused =
            runtime.execute("async () => { await shelf.list(); return codemode.run('s', 'x') }").await.unwrap();
        let id = id_of(&paused);
        assert_eq!(pending_of(&paused), ["3 shelf.put {\"title\":\"x\"}"]);
        let before = ["0 shelf.list applied", "1 __step.k applied", "2 shelf.list applied", "3 shelf.put pending"];
        assert_eq!(journal_of(&runtime, &id), before);
        let host = home.restart(host);
        let outcome = approve_seq(&host.runtime(), &id, 3).await;
        assert_eq!(value(&outcome), json!({ "id": 1, "title": "x" }));
        assert_eq!(host.ledger.count("shelf", "list"), 2, "nothing is performed twice");
    }
}

/// Covers SNIPPET-14, WEAK-13.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_snippet_throws_is_said_once_however_deep_it_was() {
    for home in both() {
        let store = home.store();
        save(&store, "inner", "async () => {\n  console.log('before'); throw new TypeError('need')\n}").await;
        save(&store, "outer", "async () => codemode.run('inner')").await;
        let runtime = home.host().runtime();
        for name in ["inner", "outer"] {
            let failed = runtime.execute(format!("async () => codemode.run('{name}')")).await.unwrap();
            let error = error_of(&failed);
            assert_eq!((error.name.as_str(), error.message.as_str()), ("TypeError", "need"));
            assert!(error.stack.as_deref().unwrap_or_default().contains("inner:2:"), "{error:?}");
            let Outcome::Failed { logs, .. } = &failed else { panic!("{failed:?}") };
            assert_eq!(*logs, ["before"]);
        }
        let caught = "async () => codemode.run('outer').catch((e) => [e instanceof TypeError, e.message])";
        assert_eq!(result(&runtime, caught).await, json!([true, "need"]));
    }
}

/// Covers SNIPPET-15, WEAK-12.
#[tokio::test(flavor = "multi_thread")]
async fn console_lines_are_the_executions_and_input_is_a_value_of_the_code() {
    for home in both() {
        let store = home.store();
        save(&store, "says", "async (x) => { console.warn('inside', x); return x }").await;
        let kinds = "async (x) => [x.bytes instanceof Uint8Array, x.bytes[1], x.at.getTime(), x.map.get('k'), x.big + 1n, \
                     'gone' in x, [undefined] in [], Object.is(x.zero, -0), Object.keys(x.proto), ({}).polluted ?? 'clean']";
        save(&store, "kinds", kinds).await;
        let runtime = home.host().runtime();
        let outcome = runtime
            .execute("async () => { console.log('a'); await codemode.run('says', 1); console.log('c') }")
            .await
            .unwrap();
        assert_eq!(logs(&outcome), ["a", "[warn] inside 1", "c"]);
        let input = "{ bytes: new Uint8Array([1, 2]), at: new Date(5), map: new Map([['k', 'v']]), big: 1n, \
                     gone: undefined, zero: -0, proto: JSON.parse('{\"__proto__\":{\"polluted\":1}}') }";
        let code = format!("async () => (await codemode.run('kinds', {input})).map(String)");
        let got = result(&runtime, &code).await;
        assert_eq!(got, json!(["true", "2", "5", "v", "2", "false", "false", "true", "__proto__", "clean"]));
    }
}

/// Covers SNIPPET-16.
#[tokio::test(flavor = "multi_thread")]
async fn snippets_run_snippets_eight_levels_deep_and_no_deeper() {
    for home in both() {
        let store = home.store();
        let rec = "async (n) => { await null; return n <= 1 ? 1 : 1 + await codemode.run('rec', n - 1) }";
        save(&store, "rec", rec).await;
        // What a level might be called does not count as one, also while the other runs.
        let slow = "async (n) => { await shelf.list(); return n <= 1 ? 1 : 1 + await codemode.run('slow', n - 1) }";
        save(&store, "slow", slow).await;
        save(&store, "slow, level 2", "async () => 1").await;
        let runtime = home.host().runtime();
        assert_eq!(result(&runtime, "async () => codemode.run('rec', 3)").await, json!(3));
        assert_eq!(result(&runtime, "async () => codemode.run('rec', 8)").await, json!(8));
        let refused = error(&runtime, "async () => codemode.run('rec', 9)").await;
        assert_eq!(refused.message, "snippet \"rec\" is nested more than 8 levels deep");
        let beside = "async () => {
            const refused = codemode.run('slow', 9).catch((e) => e.message);
            for (let i = 0; i < 30; i++) await codemode.run('slow, level 2');
            return refused;
        }";
        assert_eq!(result(&runtime, beside).await, json!("snippet \"slow\" is nested more than 8 levels deep"));
        let wide =
            "async () => { let sum = 0; for (let i = 0; i < 20; i++) sum += await codemode.run('rec', 2); return sum }";
        assert_eq!(result(&runtime, wide).await, json!(40), "one after the other is not nested");
    }
}

/// The level is read off the function that asks, and a bare callback is none; other limits hold all the same.
#[tokio::test(flavor = "multi_thread")]
async fn endless_nesting_through_callbacks_ends_at_another_limit() {
    let host = Host::new().limits(|l| l.ops = 200);
    save(&host.store, "rec", "async () => Promise.resolve('rec').then(codemode.run)").await;
    let ended = error(&host.runtime(), "async () => codemode.run('rec')").await;
    assert!(ended.kind.as_str() == "limit" && ended.message.contains("(limit `ops`)"), "{ended:?}");
}

/// Covers SNIPPET-17.
#[tokio::test(flavor = "multi_thread")]
async fn input_is_held_to_the_schema_and_says_where_it_fails() {
    for home in both() {
        let host = home.host();
        let schema =
            r#"{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}},"additionalProperties":false}"#;
        save_with(&host.store, "s", "async (x) => (await t.add({ n: x.n })).n", |s| s.input_schema(schema)).await;
        let runtime = host.runtime();
        assert_eq!(runtime.snippets().unwrap()[0].input_schema.as_deref(), Some(schema));
        let docs = result(&runtime, "async () => (await codemode.describe('s')).types").await;
        assert!(docs.as_str().unwrap().ends_with("\n\ntype SInput = {\n    n: number;\n}"), "{docs}");
        assert_eq!(result(&runtime, "async () => codemode.run('s', { n: 5 })").await, json!(5));
        for (input, place) in [
            ("{ n: 'x' }", "input.n: "),
            ("{}", "input: \"n\" is a required property"),
            ("{ n: 1, m: 2 }", "input: there is no `m`"),
            ("{ n: new Date(0) }", "input.n is a Date"),
            ("undefined", "there is no input"),
        ] {
            let refused = error(&runtime, &format!("async () => codemode.run('s', {input})")).await;
            assert_eq!(refused.name, "TypeError");
            assert!(refused.message.starts_with("snippet \"s\": ") && refused.message.contains(place), "{refused:?}");
        }
        let caught = "async () => codemode.run('s', { n: 'x' }).catch((e) => [e.code, e.details[0].path, e.effect])";
        assert_eq!(result(&runtime, caught).await, json!(["invalid-arguments", ".n", "none"]));
        assert_eq!(host.ledger.count("t", "add"), 1, "a refused input runs nothing");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_does_not_parse_fails_with_its_position() {
    for home in both() {
        save(&home.store(), "broken", "async () => {\n  return (;\n}").await;
        let runtime = home.host().runtime();
        let failed = error(&runtime, "async () => codemode.run('broken')").await;
        assert_eq!(failed.name, "SyntaxError");
        assert!(failed.message.starts_with("snippet \"broken\": "), "{failed:?}");
        assert!(failed.message.contains("(line 2, column "), "{failed:?}");
        let caught = "async () => codemode.run('broken').catch((e) => [e.code, e.details.line, e.details.sourceLine])";
        assert_eq!(result(&runtime, caught).await, json!(["syntax", 2, "  return (;"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn code_up_to_the_code_limit_runs_although_no_value_may_be_so_large() {
    for home in both() {
        let frame = "async () => '🙂'.length // ".encode_utf16().count();
        let code = format!("async () => '🙂'.length // {}", "\u{1}".repeat(1_000_000 - frame));
        save(&home.store(), "large", &code).await;
        let host = home.host();
        assert_eq!(result(&host.runtime(), "async () => codemode.run('large')").await, json!(2));
        let tight = host.limits(|l| l.value_units = 100).runtime();
        assert_eq!(result(&tight, "async () => codemode.run('large')").await, json!(2));
    }
}

/// The equivalent of modules: code that the host supplies is a snippet, not an import.
/// Covers EXECUTOR-16, executor#22, executor#23, e2e-executor#9.
#[tokio::test(flavor = "multi_thread")]
async fn helper_code_is_used_by_name_and_replaces_nothing_of_the_sandbox() {
    let host = Host::new();
    save(&host.store, "helpers", "async ({ name }) => `hello ${name}`").await;
    for name in ["codemode", "code", "console", "run", "snippet code"] {
        save(&host.store, name, "async () => { throw new Error('taken over') }").await;
    }
    let runtime = host.runtime();
    let code = "async () => [await codemode.run('helpers', { name: 'Ada' }), 1 + 1, typeof codemode.run]";
    assert_eq!(result(&runtime, code).await, json!(["hello Ada", 2, "function"]));
    let own = error(&runtime, "async () => {\n  null.x\n}").await;
    assert_eq!((own.name.as_str(), own.line), ("TypeError", Some(2)), "positions are the code's own");
}
