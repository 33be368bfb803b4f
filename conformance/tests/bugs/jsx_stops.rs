//! Code that never ends, and code that asks the engine for too much: each ends with an error that names the limit, and
//! nothing of it runs afterwards.

use codemode_conformance::harness::{Host, error_of, result_of};
use codemode_runtime::{ErrorKind, Outcome, Runtime};

use crate::kit::soon;

fn quick(cpu_ms: u64) -> Host {
    Host::new().limits(|l| l.cpu_ms = cpu_ms)
}

async fn runs_out_of_time(runtime: &Runtime, code: &str) {
    let outcome = soon(runtime.execute(code)).await.unwrap();
    let error = error_of(&outcome);
    assert_eq!(error.kind, ErrorKind::Limit, "{code}: {error:?}");
    assert!(error.message.contains("`guest CPU`"), "{code}: {error:?}");
}

/// Covers BUG-JSX-03.
#[tokio::test(flavor = "multi_thread")]
async fn code_cannot_catch_the_end_of_its_time() {
    let host = quick(500);
    let code = "async () => {
        const loop = async () => { await Promise.resolve(); for (;;) {} };
        for (;;) { try { await loop().catch(() => {}); } catch {} finally { try { await t.add({ n: 1 }); } catch {} } } }";
    runs_out_of_time(&host.runtime(), code).await;
    assert_eq!(host.ledger.count("t", "add"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_other_way_of_going_on_works_either() {
    let host = quick(250);
    let runtime = host.runtime();
    let codes = [
        "async () => { try { for (;;) {} } finally { await t.add({ n: 1 }); } }",
        "async () => { while (true) { try { while (true) {} } catch (e) { continue; } } }",
        "async () => { setTimeout(() => { t.add({ n: 1 }); }, 1); for (;;) {} }",
        "async () => { Promise.resolve().then(() => { for (;;) {} }).finally(() => t.add({ n: 1 })); await t.slow({ ms: 1, v: 1 }); await t.add({ n: 2 }); }",
        "async () => { for (;;) await null; }",
        "async () => { const f = async () => { await null; return f(); }; await f(); await t.add({ n: 1 }); }",
        "async () => { await codemode.step('s', () => { try { for (;;) {} } finally { t.add({ n: 1 }); } }); }",
        "async () => { await codemode.step('s', async () => { await null; for (;;) {} }).catch(() => t.add({ n: 1 })); }",
        "async () => { for await (const x of (async function* () { for (;;) yield 1; })()) {} }",
        "async () => { await { then() { for (;;) {} } }; }",
        "async () => { await t.slow({ ms: 1, v: 1 }).then(() => { for (;;) {} }); }",
        "async () => { eval('for (;;) {}'); }",
        "async () => { new Function('for (;;) {}')(); }",
        "async () => { class A { static { for (;;) {} } } }",
        "(() => { for (;;) {} })",
    ];
    for code in codes {
        runs_out_of_time(&runtime, code).await;
    }
    assert_eq!(host.ledger.count("t", "add"), 0);
    assert_eq!(result_of(&runtime.execute("async () => 1").await.unwrap()), "1");
}

/// Covers BUG-JSX-04.
#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_in_any_hook_of_the_language_ends() {
    let host = quick(300);
    let runtime = host.runtime();
    let bodies = [
        "new Promise(() => { for (;;) {} })",
        "[3,2,1].sort(() => { for (;;) {} })",
        "JSON.stringify({ get a() { for (;;) {} } })",
        "`${{ [Symbol.toPrimitive]() { for (;;) {} } }}`",
        "await t.echo({ toJSON() { for (;;) {} } })",
        "throw { get message() { for (;;) {} } }",
        "throw Object.assign(new Error(), { toString() { for (;;) {} }, get stack() { for (;;) {} } })",
        "return new Proxy({}, { ownKeys() { for (;;) {} } })",
        // And more of the kind.
        "throw Object.defineProperties(new Error('e'), { name: { get() { for (;;) {} } } })",
        "throw Object.defineProperties(new Error('e'), { message: { get() { for (;;) {} } } })",
        "throw new Proxy(new Error('e'), { get() { for (;;) {} } })",
        "return { get a() { for (;;) {} } }",
        "return { toJSON() { for (;;) {} } }",
        "return { then() { for (;;) {} } }",
        "console.log({ toString() { for (;;) {} } })",
        "await codemode.step({ toString() { for (;;) {} } }, () => 1)",
        "await codemode.step('s', () => ({ get a() { for (;;) {} } }))",
        "await codemode.step('s', () => { throw { toString() { for (;;) {} } } })",
        "await t.echo(new Proxy({}, { ownKeys() { for (;;) {} } }))",
        "JSON.stringify({ a: 1 }, () => { for (;;) {} })",
        "JSON.parse('[1]', () => { for (;;) {} })",
        "'a'.replace(/a/, () => { for (;;) {} })",
        "Array.from({ length: 2 }, () => { for (;;) {} })",
        "structuredClone({ get a() { for (;;) {} } })",
        "const { [{ toString() { for (;;) {} } }]: x } = {}",
        "for (const x of { [Symbol.iterator]() { return { next() { for (;;) {} } }; } }) {}",
        "new Date({ valueOf() { for (;;) {} } })",
        "setTimeout(() => { for (;;) {} }, 1); await t.slow({ ms: 20, v: 1 })",
    ];
    for body in bodies {
        runs_out_of_time(&runtime, &format!("async () => {{ {body}; }}")).await;
    }
    assert_eq!(host.ledger.count("t", "echo"), 0);
}

/// Covers BUG-JSX-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_catastrophic_regular_expression_ends() {
    let host = quick(400);
    let runtime = host.runtime();
    let whole = r#"async () => /^(a+)+$/.test("a".repeat(40) + "!") || /(?:(?:a|)+|)+b/.test("a".repeat(60)) || /^([\w.-]*)*$/.test("x".repeat(50) + "!")"#;
    runs_out_of_time(&runtime, whole).await;
    for test in [
        r#"/^(a+)+$/.test("a".repeat(40) + "!")"#,
        r#"/^([\w.-]*)*$/.test("x".repeat(50) + "!")"#,
        r#"/(x+x+)+y/.test("x".repeat(60))"#,
        r#"("a".repeat(45) + "!").replace(/^(a|a)+$/g, "")"#,
        r#"[...("a".repeat(45) + "!").matchAll(/^(a|aa)+$/g)]"#,
        r#"("x".repeat(60)).split(/(x+x+)+y/)"#,
    ] {
        runs_out_of_time(&runtime, &format!("async () => {test}")).await;
    }
}

/// Covers BUG-JSX-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_regular_expression_that_explodes_ends_in_some_way_and_the_host_goes_on() {
    let runtime = quick(1_000).limits(|l| l.memory_bytes = 64 << 20).runtime();
    let bombs = [
        r#"/(?:(?:a|)+|)+b/.test("a".repeat(60))"#,
        r#"new RegExp("(?:".repeat(20) + "a" + "|)+".repeat(20) + "b").test("a".repeat(40))"#,
        r#"new RegExp("(".repeat(20) + "a" + "|)+".repeat(20) + "b").test("a".repeat(40))"#,
        r#"new RegExp("(?:a{0,1000}){0,1000}".repeat(50) + "b").test("a".repeat(5000))"#,
        r#"new RegExp("(".repeat(100000) + ")".repeat(100000))"#,
        r#"new RegExp("(?=".repeat(5000) + "a" + ")".repeat(5000)).test("a")"#,
        r#"new RegExp("a".repeat(1e7)).test("a")"#,
    ];
    for bomb in bombs {
        let outcome = soon(runtime.execute(format!("async () => {bomb}"))).await.unwrap();
        match &outcome {
            Outcome::Completed { .. } => {}
            Outcome::Failed { error, .. } => assert_ne!(error.kind, ErrorKind::Sandbox, "{bomb}: {error:?}"),
            other => panic!("{bomb}: {other:#?}"),
        }
    }
    assert_eq!(result_of(&runtime.execute("async () => 1").await.unwrap()), "1");
}

/// Covers BUG-JSX-06.
#[tokio::test(flavor = "multi_thread")]
async fn one_call_of_a_built_in_takes_no_more_than_there_is() {
    let host = quick(1_000).limits(|l| l.memory_bytes = 64 << 20);
    let runtime = host.runtime();
    let bodies = [
        "new Array(1e9) + ''",
        "'x'.repeat(2 ** 29).split('')",
        "Array.from({ length: 1e9 })",
        "new Uint8Array(2 ** 31)",
        "'a'.padEnd(2 ** 30, 'b').normalize('NFKD')",
        "[].concat(...Array(1e6).fill(Array(1000)))",
        "JSON.stringify(Array(2 ** 24).fill('\\u0000'))",
        "2n ** 100000000n",
        "let s = 'x'; for (;;) s += s",
        "new ArrayBuffer(2 ** 32)",
        "'x'.repeat(2 ** 28).replace(/x/g, 'yyyy')",
        "new Array(2 ** 32 - 1).fill(0)",
        "new Map(Array.from({ length: 1e8 }, (_, i) => [i, i]))",
        "const a = []; for (;;) a.push(new Uint8Array(1e6))",
        "Object.assign({}, 'x'.repeat(1e8))",
        "'x'.repeat(2 ** 27).toUpperCase().split('x')",
        "(10n ** 10000000n).toString()",
    ];
    for body in bodies {
        let other = tokio::spawn({
            let runtime = runtime.clone();
            async move { runtime.execute("async () => (await t.echo({ a: 1 })).a").await.unwrap() }
        });
        let outcome = soon(runtime.execute(format!("async () => {{ {body}; }}"))).await.unwrap();
        let error = error_of(&outcome);
        let known = match error.kind {
            ErrorKind::Limit => error.message.contains("`guest CPU`") || error.message.contains("`guest memory`"),
            ErrorKind::Thrown => ["RangeError", "InternalError"].contains(&error.name.as_str()),
            _ => false,
        };
        assert!(known, "{body}: {error:?}");
        assert_eq!(result_of(&soon(other).await.unwrap()), "1", "beside {body}");
    }
}

/// Covers BUG-JSX-07.
#[tokio::test(flavor = "multi_thread")]
async fn deep_recursion_is_an_exception_that_the_code_can_catch() {
    let runtime = Host::new().runtime();
    let code = r#"async () => {
        const f = (n) => f(n + 1) + 1;
        let a; try { f(0); } catch (e) { a = e instanceof RangeError || e.name; }
        const x = new Proxy(function () {}, {}); let b; try { x["__proto__"] = x; x + 1; } catch (e) { b = e.name; }
        return [a, b, (await t.echo({ ok: 1 })).ok]; }"#;
    let result = result_of(&soon(runtime.execute(code)).await.unwrap());
    assert!([r#"[true,"TypeError",1]"#, r#"[true,"RangeError",1]"#].contains(&result.as_str()), "{result}");
    let deep = [
        "const f = () => [1].map(f); f()",
        "const f = () => JSON.stringify({ toJSON: f }); f()",
        "const f = (x) => 'a'.replace(/a/, f); f()",
        "const o = { get a() { return this.a; } }; o.a",
        "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.a",
        "class A { constructor() { new A(); } } new A()",
        "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; JSON.stringify(o)",
        "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; String(a)",
        "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)",
        "let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); f()",
        "let e = new Error(); for (let i = 0; i < 1e5; i++) e = new Error('', { cause: e }); structuredClone(e)",
        "eval('('.repeat(1e5) + ')'.repeat(1e5))",
        "eval('['.repeat(1e5) + ']'.repeat(1e5))",
        "eval('a' + '?.b'.repeat(1e5))",
        "new Function('return ' + '-'.repeat(1e5).replaceAll('-', '- ') + '1')()",
    ];
    for body in deep {
        let code =
            format!("async () => {{ try {{ {body}; }} catch (e) {{ return typeof e.name; }} return 'string'; }}");
        let outcome = soon(runtime.execute(code.as_str())).await.unwrap();
        assert_eq!(result_of(&outcome), "\"string\"", "{body}");
    }
}

/// Covers BUG-JSX-08.
#[tokio::test(flavor = "multi_thread")]
async fn deep_json_is_read_or_refused() {
    let code = "async () => {
        const out = [];
        for (const n of [100, 1000, 5000, 100000]) {
            try { out.push(JSON.stringify(JSON.parse('['.repeat(n) + ']'.repeat(n))).length); } catch (e) { out.push(e.name); }
        }
        return out; }";
    let result = result_of(&Host::new().runtime().execute(code).await.unwrap());
    let out: Vec<serde_json::Value> = serde_json::from_str(&result).unwrap();
    assert_eq!(&out[..2], [200, 2000]);
    for (deep, n) in out[2..].iter().zip([5_000, 100_000]) {
        assert!(deep == &serde_json::json!(2 * n) || deep.as_str().is_some_and(|e| e.ends_with("Error")), "{result}");
    }
    let code = r#"async () => {
        const out = [];
        for (const n of [100, 1000, 5000, 100000]) {
            try { out.push(JSON.stringify(JSON.parse('{"a":'.repeat(n) + '1' + '}'.repeat(n))).length === 6 * n + 1); }
            catch (e) { out.push(e.name.endsWith("Error")); }
        }
        return out; }"#;
    assert_eq!(result_of(&Host::new().runtime().execute(code).await.unwrap()), "[true,true,true,true]");
}

/// Covers BUG-JSX-19.
#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_awaited_calls_in_a_row_do_not_hurt_the_engine() {
    let runtime = Host::new().runtime();
    let code = "async () => {
        let s = 0;
        for (let i = 0; i < 500; i++) { const r = await t.echo({ i, pad: 'x'.repeat(i % 50), o: { a: [i] } }); s += r.i; if (i % 7 === 0) await Promise.all([t.echo({}), t.echo({})]); }
        return s; }";
    assert_eq!(result_of(&runtime.execute(code).await.unwrap()), "124750");
    for i in 0..20 {
        let code = format!("async () => {{ const r = await t.echo({{ i: {i} }}); return r.i; }}");
        assert_eq!(result_of(&runtime.execute(code).await.unwrap()), i.to_string());
    }
}
