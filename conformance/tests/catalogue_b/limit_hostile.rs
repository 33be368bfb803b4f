//! Code that never ends, eats memory or recurses without end costs no more than its limits, and nobody else notices.

use codemode_conformance::harness::{Host, error_of, result_of};
use codemode_runtime::{ErrorKind, Status};

use crate::kit::{run, soon, stored};

/// Covers EXECUTOR-03, WEAK-15.
#[tokio::test(flavor = "multi_thread")]
async fn endless_loops_end_with_the_name_of_the_limit() {
    let host = Host::new().limits(|l| l.cpu_ms = 200);
    for code in [
        "async () => { while (true) {} }",
        "async () => { for (;;) { try { throw 1; } catch (e) {} finally { continue; } } }",
        "async () => { for (;;) await null; }",
        "async () => { await t.echo(1); while (true) {} }",
        "async () => { await codemode.step('s', () => { while (true) {} }); }",
        "async () => /^(a+)+$/.test('a'.repeat(40) + 'b')",
        "async () => ({ get a() { while (true) {} } })",
        "async () => { setTimeout(() => { while (true) {} }, 0); await new Promise((r) => setTimeout(r, 5)); }",
    ] {
        let runtime = host.runtime();
        let outcome = soon(runtime.execute(code)).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!(error.kind, ErrorKind::Limit, "{code}");
        assert_eq!(
            error.message, "execution timed out: the code computed for more than 200 ms (limit `guest CPU`)",
            "{code}"
        );
        assert_eq!(stored(&runtime, &outcome).execution.status, Status::Error);
    }
}

/// Covers EXECUTOR-03, WEAK-15.
#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_a_pass_stops_a_loop_that_may_compute_for_longer() {
    let host = Host::new().limits(|l| (l.cpu_ms, l.pass_ms) = (600_000, 200));
    let outcome = soon(host.runtime().execute("async () => { while (true) {} }")).await.unwrap();
    assert_eq!(error_of(&outcome).message, "execution timed out: a pass may take 200 ms (limit `pass wall time`)");
}

/// Covers WEAK-15.
#[tokio::test(flavor = "multi_thread")]
async fn others_go_on_while_one_loops() {
    let looping = Host::new().limits(|l| l.cpu_ms = 3_000).runtime();
    let started = tokio::spawn(async move { looping.execute("async () => { while (true) {} }").await.unwrap() });
    for n in 0..20 {
        assert_eq!(result_of(&soon(run(&format!("async () => t.echo({n})"))).await), n.to_string());
    }
    let ended = soon(started).await.unwrap();
    assert!(error_of(&ended).message.contains("guest CPU"), "{ended:#?}");
}

/// Covers EXECUTOR-02.
#[tokio::test(flavor = "multi_thread")]
async fn memory_that_runs_out_ends_the_code_and_not_the_host() {
    let host = Host::new().limits(|l| l.memory_bytes = 16 << 20);
    for code in [
        "async () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20)); }",
        "async () => { let s = 'x'; for (;;) s += s; }",
        "async () => { const a = []; for (;;) a.push({ a: [1, 2, 3], b: 'x'.repeat(100) }); }",
        "async () => { await t.echo(1); const a = []; for (;;) a.push(new Array(10000).fill(1)); }",
    ] {
        let outcome = soon(host.runtime().execute(code)).await.unwrap();
        let error = error_of(&outcome);
        let limit = error.message == "out of memory: the sandbox has 16 MiB (limit `guest memory`)";
        // The language has a longest text, which may be reached first.
        let text = error.message.contains("string") && code.contains("s += s");
        assert!(limit || text, "{code}: {error:#?}");
    }
    assert_eq!(result_of(&host.runtime().execute("async () => 1").await.unwrap()), "1");
}

/// Covers EXECUTOR-02.
#[tokio::test(flavor = "multi_thread")]
async fn the_memory_limit_is_the_setting() {
    let code =
        "async () => { const a = []; for (let i = 0; i < 24; i++) a.push(new Uint8Array(1 << 20)); return a.length; }";
    assert_eq!(result_of(&run(code).await), "24");
    let small = Host::new().limits(|l| l.memory_bytes = 16 << 20);
    let outcome = small.runtime().execute(code).await.unwrap();
    assert_eq!(error_of(&outcome).kind, ErrorKind::Limit);
    assert_eq!(error_of(&outcome).message, "out of memory: the sandbox has 16 MiB (limit `guest memory`)");
}

/// Covers EXECUTOR-08.
#[tokio::test(flavor = "multi_thread")]
async fn endless_recursion_is_an_exception_that_the_code_can_catch() {
    let caught = run("async () => { const f = (n) => f(n + 1) + 1; try { f(0); } catch (e) {
        return [e.name, await t.echo('alive')]; } }")
    .await;
    assert_eq!(result_of(&caught), r#"["RangeError","alive"]"#);
    let uncaught = run("async () => { const f = () => f(); f(); }").await;
    let error = error_of(&uncaught);
    assert_eq!((error.kind, error.name.as_str()), (ErrorKind::Thrown, "RangeError"));
    assert_eq!(error.message, "Maximum call stack size exceeded");
    for hostile in [
        "async () => { let v = []; for (let i = 0; i < 100000; i++) v = [v]; return v; }",
        "async () => JSON.parse('['.repeat(200000) + ']'.repeat(200000))",
        "async () => eval('('.repeat(100000) + '1' + ')'.repeat(100000))",
        "async () => { const f = () => JSON.stringify({ toJSON: f }); return f(); }",
    ] {
        let outcome = soon(run(hostile)).await;
        let kind = error_of(&outcome).kind;
        assert!(
            matches!(kind, ErrorKind::Thrown | ErrorKind::Unrecordable | ErrorKind::Syntax),
            "{hostile}: {outcome:#?}"
        );
    }
}
