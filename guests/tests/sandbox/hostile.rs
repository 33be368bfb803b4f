//! Code that recurses, explodes or never ends: an exception that it can catch, or the end of the run, never a broken
//! host.

use crate::host::{Ended, code, result};

/// Recursion of one kind ends in an exception, and the run goes on.
fn catchable(body: &str) -> Option<String> {
    let text = format!(
        "async () => {{ let name = 'none'; try {{ {body} }} catch (e) {{ name = e.name; }}
            return [name, (await t.echo({{ ok: 1 }})).ok]; }}"
    );
    let found = match code(&text).run().ended {
        Ended::Returned(Ok(Some(found))) => found,
        Ended::Returned(other) => format!("{other:?}"),
        Ended::Trapped(trap) => trap.lines().last().unwrap_or_default().to_owned(),
    };
    let known = ["ReferenceError", "RangeError", "SyntaxError", "TypeError", "InternalError", "none"];
    if known.iter().any(|name| found == format!("[\"{name}\",1]")) { None } else { Some(format!("{body}: {found}")) }
}

/// All of them, so that a failure shows each that is not.
#[track_caller]
fn all_catchable(bodies: &[&str]) {
    let failed: Vec<_> = bodies.iter().filter_map(|body| catchable(body)).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn deep_recursion_can_be_caught() {
    assert_eq!(
        result(
            "async () => { const f = (n) => f(n + 1) + 1; try { f(0); } catch (e) { return [e instanceof RangeError, (await t.echo(1))]; } }"
        ),
        "[true,1]"
    );
    all_catchable(&[
        "const x = new Proxy(function () {}, {}); x.__proto__ = x; x + 1;",
        "const o = { get a() { return this.a; } }; o.a;",
        "const o = { toString() { return `${this}`; } }; String(o);",
        "const o = {}; o.valueOf = () => +o; +o;",
        "class A { constructor() { new A(); } } new A();",
        "const f = () => [1].map(f); f();",
        "const f = () => [2, 1].sort(f); f();",
        "const f = () => 'a'.replace(/a/, f); f();",
        "const f = () => JSON.stringify({ toJSON: f }); f();",
        "const f = () => JSON.parse('[1]', f); f();",
        "const f = () => Reflect.apply(f, null, []); f();",
        "const f = (...a) => f(...a, 1); f();",
        "const f = function* () { yield* f(); }; [...f()];",
        "let f = () => {}; for (let i = 0; i < 1e5; i++) f = f.bind(null); f();",
        "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x;",
        "let p = {}; for (let i = 0; i < 1e5; i++) p = Object.create(p); p.x;",
        "const f = () => structuredClone({ get a() { return f(); } }); f();",
        "const f = () => console.log({ toString: f }); f();",
        "const f = () => new URL({ toString: f }); f();",
        "const f = () => t.echo({ get a() { return f(); } }); f();",
        "const f = () => codemode.search({ toString: f }); f();",
        "const f = async () => { await f(); }; await f();",
        "const f = () => eval('f()'); f();",
    ]);
}

#[test]
fn deep_data_can_be_caught() {
    all_catchable(&[
        "JSON.parse('['.repeat(100000));",
        "JSON.parse('['.repeat(100000) + ']'.repeat(100000));",
        "JSON.parse('{\"a\":'.repeat(100000));",
        "JSON.parse('['.repeat(1900) + ']'.repeat(1900), (k, v) => v);",
        "let v = []; for (let i = 0; i < 1e5; i++) v = [v]; JSON.stringify(v);",
        "let v = []; for (let i = 0; i < 1e5; i++) v = { v }; JSON.stringify(v, null, 1);",
        "let v = []; for (let i = 0; i < 1e5; i++) v = [v]; String(v);",
        "let v = []; for (let i = 0; i < 1e5; i++) v = [v]; v.flat(Infinity);",
        "let v = []; for (let i = 0; i < 1e5; i++) v = [v]; v.toLocaleString();",
        "let v = []; for (let i = 0; i < 1e5; i++) v = [v]; console.log(v);",
        "let s = ''; for (let i = 0; i < 1e5; i++) s = s + 'a' + i; s.length; s.charCodeAt(5);",
        "let s = 'a'; for (let i = 0; i < 1e5; i++) s = 'b' + s; s === 'c' + s;",
        "let p = Promise.resolve(); for (let i = 0; i < 1e5; i++) p = p.then(() => {}); await p;",
        "let e = new Error('x'); for (let i = 0; i < 1e5; i++) e = new Error('y', { cause: e }); structuredClone(e);",
        "let v = null; for (let i = 0; i < 1e6; i++) v = { v }; v = null;",
    ]);
}

#[test]
fn deep_source_can_be_caught() {
    all_catchable(&[
        "eval('['.repeat(100000));",
        "eval('('.repeat(100000) + ')'.repeat(100000));",
        "eval('{'.repeat(100000));",
        "eval('!'.repeat(100000) + '1');",
        "eval('1' + '+1'.repeat(100000));",
        "eval('a=>'.repeat(100000) + '1');",
        "eval('function f(){'.repeat(100000));",
        "eval('`${'.repeat(100000));",
        "eval('if(1)'.repeat(100000) + '1');",
        "eval('x?'.repeat(100000) + '1');",
        "eval('new '.repeat(100000) + 'x');",
        "eval('a.'.repeat(100000) + 'b');",
        "eval('x=' + '{a:'.repeat(100000));",
        "eval('[' .repeat(1000) + ']'.repeat(1000));",
        "new Function('return ' + '(['.repeat(50000))();",
        "new RegExp('('.repeat(100000) + ')'.repeat(100000));",
        "new RegExp('(?:'.repeat(100000) + ')'.repeat(100000));",
        "new RegExp('(?='.repeat(50000) + ')'.repeat(50000));",
        "new RegExp('['.repeat(100000), 'v');",
        "new RegExp('(?:a|'.repeat(20) + ')+'.repeat(20)).test('a'.repeat(1000));",
        "'x'.repeat(1e6).match(/(x|y)*z/);",
    ]);
    let error = code(&format!("async () => {}", "[".repeat(100_000))).run().error();
    assert!(["SyntaxError", "RangeError"].contains(&error.name.as_str()), "{error:?}");
}

#[test]
fn json_of_a_thousand_levels_works() {
    let text = "async () => {
        const out = [];
        for (const n of [100, 1000, 5000, 100000]) {
            try { out.push(JSON.stringify(JSON.parse('['.repeat(n) + ']'.repeat(n))).length); } catch (e) { out.push(e.name); }
        }
        return out;
    }";
    let found = result(text);
    assert!(found.starts_with("[200,2000,"), "{found}");
}

/// The run ends by the host's clock, whatever the loop is made of.
#[track_caller]
fn ends(text: &str) {
    let ran = code(text).ticks(30).run();
    assert!(ran.took.as_secs() < 5, "{text}: {:?}", ran.took);
    match ran.ended {
        Ended::Trapped(trap) => assert!(trap.contains("interrupt"), "{text}: {trap}"),
        Ended::Returned(outcome) => assert!(outcome.is_err(), "{text}: {outcome:?}"),
    }
}

#[test]
fn endless_loops_end() {
    for body in [
        "for (;;) {}",
        "const loop = async () => { await Promise.resolve(); for (;;) {} };
            for (;;) { try { await loop().catch(() => {}); } catch {} finally { try { await t.add({}); } catch {} } }",
        "new Promise(() => { for (;;) {} })",
        "[3, 2, 1].sort(() => { for (;;) {} })",
        "JSON.stringify({ get a() { for (;;) {} } })",
        "`${{ [Symbol.toPrimitive]() { for (;;) {} } }}`",
        "await t.echo({ toJSON() { for (;;) {} } })",
        "throw { get message() { for (;;) {} } }",
        "throw Object.defineProperty(new Error(), 'message', { get() { for (;;) {} } })",
        "return new Proxy({}, { ownKeys() { for (;;) {} } })",
        "/^(a+)+$/.test('a'.repeat(40) + '!')",
        "const loop = () => queueMicrotask(loop); loop(); await new Promise(() => {});",
        "(async () => { for (;;) await null; })()",
    ] {
        ends(&format!("async () => {{ {body} }}"));
    }
}

#[test]
fn memory_that_runs_out_is_an_error_or_the_end() {
    for body in [
        "const a = []; for (;;) a.push(new Array(1000).fill(1));",
        "let s = 'x'; for (;;) s += s;",
        "new Array(1e9) + ''",
        "'x'.repeat(2 ** 29).split('')",
        "Array.from({ length: 1e9 })",
        "new Uint8Array(2 ** 31 - 1)",
        "'a'.padEnd(2 ** 29, 'b').normalize('NFKD')",
        "[].concat(...Array(1e6).fill(Array(1000)))",
        "JSON.stringify(Array(2 ** 24).fill('\\u0000'))",
        "2n ** 100000000n",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i });",
        "await t.echo('x'.repeat(2 ** 28))",
        "console.log('x'.repeat(2 ** 28)); for (const a = []; ;) a.push({});",
        "return structuredClone(new Uint8Array(60e6))",
    ] {
        let text = format!("async () => {{ {body}; throw new Error('survived'); }}");
        let ran = code(&text).memory(64 << 20).ticks(300).run();
        if let Ended::Returned(Err(error)) = &ran.ended {
            assert!(!error.message.is_empty() && error.message != "null", "{body}: {error:?}");
        }
    }
}

#[test]
fn out_of_memory_has_a_name() {
    let error =
        code("async () => { const a = []; for (;;) a.push(new Array(1000).fill(1)); }").memory(32 << 20).run().error();
    assert_eq!((error.name.as_str(), error.message.as_str()), ("InternalError", "out of memory"));
    let error = code("async () => { throw null; }").run().error();
    assert_eq!((error.name.as_str(), error.message.as_str()), ("Thrown", "null"));
}
