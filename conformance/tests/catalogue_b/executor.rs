//! One run of the code: a fresh sandbox, a result, an error or console lines.

use std::path::PathBuf;
use std::sync::Arc;

use codemode_conformance::harness::{Host, approve_all, error_of, id_of, result_of};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{ComponentExecutor, Engine, EngineOptions, ErrorKind, Outcome, Runtime};

use crate::kit::{result, run, soon, stored, wire};

/// Covers EXECUTOR-01, executor#6, iframe-executor#1, iframe-executor#3, e2e-executor#1.
#[tokio::test(flavor = "multi_thread")]
async fn code_runs_once_and_what_went_wrong_is_data() {
    let outcome = run("async () => 42").await;
    let Outcome::Completed { logs, calls, .. } = &outcome else { panic!("{outcome:#?}") };
    assert_eq!((result_of(&outcome).as_str(), logs.len(), calls.len()), ("42", 0, 0));
    let nothing = run("async () => { const x = 1; }").await;
    assert!(matches!(nothing, Outcome::Completed { result: None, .. }), "{nothing:#?}");
    let thrown = run("async () => { console.log('once'); throw new Error('boom'); }").await;
    let Outcome::Failed { error, logs, .. } = &thrown else { panic!("{thrown:#?}") };
    assert_eq!((error.message.as_str(), logs.as_slice()), ("boom", ["once".to_owned()].as_slice()));
}

/// Covers EXECUTOR-02.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_survives_from_one_run_or_pass_to_the_next() {
    let host = Host::new();
    let runtime = host.runtime();
    let set = "async () => { globalThis.leak = 1; Array.prototype.leak = 1; Math.leak = 1; return globalThis.leak; }";
    assert_eq!(result_of(&runtime.execute(set).await.unwrap()), "1");
    let read = "async () => [typeof globalThis.leak, typeof [].leak, typeof Math.leak]";
    assert_eq!(result_of(&runtime.execute(read).await.unwrap()), r#"["undefined","undefined","undefined"]"#);
    let passes =
        "async () => { globalThis.n = (globalThis.n ?? 0) + 1; await shelf.put({ title: 'z' }); return globalThis.n; }";
    let paused = runtime.execute(passes).await.unwrap();
    assert_eq!(result_of(&approve_all(&runtime, paused).await), "1");
}

/// Covers EXECUTOR-06, executor#18, iframe-executor#6, e2e-executor#13.
#[tokio::test(flavor = "multi_thread")]
async fn console_lines_are_the_arguments_as_text_with_the_level_in_front() {
    let code = "async () => {
        console.log({ a: 1 }, [1, [2]], null, undefined, 's');
        console.warn(1, 2);
        console.error(new Error('e'));
        console.log('hello');
        console.log();
        console.log(Symbol('x'), 10n, true, () => 1 === 1, Object.create(null));
        console.info('i'); console.debug('d');
        console.table([1]); console.group('g'); console.time('x');
    }";
    let outcome = run(code).await;
    assert_eq!(
        wire(&outcome)["logs"],
        serde_json::json!([
            "[object Object] 1,2 null undefined s",
            "[warn] 1 2",
            "[error] Error: e",
            "hello",
            "",
            "Symbol(x) 10 true () => 1 === 1 [object Object]",
            "[info] i",
            "[debug] d",
            "1",
        ])
    );
}

/// Covers EXECUTOR-07, executor#24, executor#25, iframe-executor#4, iframe-executor#5, e2e-executor#2, e2e-executor#3.
#[tokio::test(flavor = "multi_thread")]
async fn fences_and_bare_expressions_are_made_callable() {
    for (code, expected) in [
        ("```js\nasync () => 1 + 1\n```", "2"),
        ("```javascript\n1 + 1\n```", "2"),
        ("```typescript\nasync () => { const n = 99; return n; }\n```", "99"),
        ("42", "42"),
        ("1 + 1", "2"),
        ("const a = 40; a + 2", "42"),
        ("async function main() { return 42; }", "42"),
    ] {
        assert_eq!(result(code).await, expected, "{code}");
    }
}

/// Covers EXECUTOR-08, executor#15, iframe-executor#14, e2e-executor#10.
#[tokio::test(flavor = "multi_thread")]
async fn the_message_of_what_was_thrown_is_the_error_and_there_is_no_result() {
    let runtime = Host::new().runtime();
    let outcome = runtime.execute("async () => {\n  throw new Error('boom');\n}").await.unwrap();
    let error = error_of(&outcome);
    assert_eq!((error.kind, error.name.as_str(), error.message.as_str()), (ErrorKind::Thrown, "Error", "boom"));
    assert_eq!((error.line, error.column), (Some(2), Some(13)));
    assert!(wire(&outcome).get("result").is_none());
    assert_eq!(stored(&runtime, &outcome).execution.result, None);
}

/// Covers EXECUTOR-25, WEAK-07.
#[tokio::test(flavor = "multi_thread")]
async fn any_throw_is_a_failure_with_the_thrown_text() {
    for (thrown, message) in [
        ("'text'", "text"),
        ("''", "\"\""),
        ("null", "null"),
        ("undefined", "undefined"),
        ("0", "0"),
        ("false", "false"),
        ("({ code: 7 })", r#"{"code":7}"#),
        ("new Error('')", "Error"),
        ("new TypeError('bad')", "bad"),
        ("10n", "10"),
    ] {
        let outcome = run(&format!("async () => {{ throw {thrown}; }}")).await;
        assert_eq!(error_of(&outcome).kind, ErrorKind::Thrown, "{thrown}");
        assert_eq!(error_of(&outcome).message, message, "{thrown}");
        assert_eq!(wire(&outcome)["status"], "error");
    }
}

/// Covers EXECUTOR-17, executor#19, iframe-executor#17, tool#21.
#[tokio::test(flavor = "multi_thread")]
async fn backticks_and_template_literals_survive() {
    assert_eq!(result("async () => `hello ${\"world\"}`").await, "\"hello world\"");
    assert_eq!(
        result("async () => { const n = 'w'; return `a\\`b${`${n}`}` + '${n}' + '\\\\' ; }").await,
        r#""a`bw${n}\\""#
    );
    assert_eq!(result("async () => String.raw`\\n${1}`").await, r#""\\n1""#);
    assert_eq!(result("async () => '</script>' + '`' + \"$&\"").await, "\"</script>`$&\"");
}

/// Covers EXECUTOR-20, executor#26, iframe-executor#21.
#[tokio::test(flavor = "multi_thread")]
async fn code_runs_without_any_connector() {
    let host = Host::bare(Arc::new(MemoryStore::new()));
    let runtime = host.runtime();
    assert_eq!(result_of(&runtime.execute("async () => 42").await.unwrap()), "42");
    assert_eq!(result_of(&runtime.execute("async () => codemode.step('s', () => 7)").await.unwrap()), "7");
}

/// Covers EXECUTOR-22.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_runs_that_end_in_every_way_give_their_sandbox_back() {
    // One sandbox at a time: a single one that is not given back would stop all that follow.
    let mut options = EngineOptions::default();
    options.cache_dir = Some(PathBuf::from(env!("CODEMODE_TEST_CACHE")));
    options.max_guests = 1;
    let engine = Engine::new(options).unwrap();
    let executor = Arc::new(ComponentExecutor::bundled(&engine).unwrap());
    let host = Host::new().limits(|l| (l.cpu_ms, l.memory_bytes) = (30, 8 << 20));
    let shelf = codemode_conformance::fixtures::shelf(&host.ledger);
    let runtime = Runtime::builder()
        .store(Arc::new(MemoryStore::new()))
        .executor(executor)
        .limits(host.limits.clone())
        .connector("shelf", Arc::new(shelf))
        .build()
        .unwrap();
    let cheap = [
        "async () => 1",
        "async () => { throw 1; }",
        "async () => shelf.put({ title: 'z' })",
        "async () => shelf.echo(() => 1)",
    ];
    let costly =
        ["async () => { for (;;); }", "async () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20)); }"];
    for n in 0..1_000_usize {
        let code = if n % 100 < 2 { costly[n % 2] } else { cheap[n % 4] };
        let status = wire(
            &tokio::time::timeout(std::time::Duration::from_secs(60), runtime.execute(code)).await.unwrap().unwrap(),
        );
        let expected = if n % 100 < 2 { "error" } else { ["completed", "error", "paused", "error"][n % 4] };
        assert_eq!(status["status"], expected, "run {n}");
    }
}

/// Covers EXECUTOR-23.
#[tokio::test(flavor = "multi_thread")]
async fn code_that_cannot_be_compiled_is_an_error_with_its_position() {
    let runtime = Host::new().runtime();
    let outcome = soon(runtime.execute("async () => {\n  const x = ;\n}")).await.unwrap();
    let error = error_of(&outcome);
    assert_eq!((error.kind, error.name.as_str()), (ErrorKind::Syntax, "SyntaxError"));
    assert_eq!((error.line, error.column), (Some(2), Some(13)));
    assert_eq!(stored(&runtime, &outcome).execution.id(), &id_of(&outcome));
}

/// Covers EXECUTOR-24.
#[tokio::test(flavor = "multi_thread")]
async fn code_made_from_text_works_inside_the_sandbox_and_leads_nowhere_else() {
    assert_eq!(
        result("async () => [eval('1 + 1'), new Function('a', 'return a * 2')(21), (0, eval)('typeof shelf')]").await,
        r#"[2,42,"object"]"#
    );
    assert_eq!(result("async () => typeof new Function('return this')().process").await, "\"undefined\"");
}
