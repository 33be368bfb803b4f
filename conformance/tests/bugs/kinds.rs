//! More of the kinds behind the cases: timers beside approvals, lone surrogates, floods, tampering, odd shapes of code.

use codemode_conformance::harness::{
    Host, anna, approve_all, approve_seq, error_of, id_of, journal_of, pending_of, result_of,
};
use codemode_runtime::{ErrorKind, Outcome, Seq, Status};
use serde_json::{Value, json};

use crate::kit::{executed, pending_args, soon, through};

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_does_not_win_against_a_person_who_thinks() {
    let host = Host::new();
    let code = "async () => {
        const w = await Promise.race([t.gate({ x: 1 }).then(() => 'gate'), new Promise(r => setTimeout(() => r('timer'), 2000))]);
        await t.add({ n: w });
        return w; }";
    let paused = soon(host.runtime().execute(code)).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"0 t.gate {"x":1}"#]);
    assert_eq!(host.ledger.count("t", "add"), 0);
    assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), "\"gate\"");
    assert_eq!(executed(&host.ledger, "add"), [json!({ "n": "gate" })]);
}

#[tokio::test(flavor = "multi_thread")]
async fn intervals_and_nested_timers_replay() {
    let host = Host::new();
    let code = "async () => {
        const seen = [];
        await new Promise((done) => {
            let n = 0;
            const id = setInterval(() => { seen.push('i' + n); n += 1; if (n === 4) { clearInterval(id); done(); } }, 3);
            setTimeout(() => { seen.push('a'); setTimeout(() => seen.push('b'), 1); }, 4);
        });
        await t.gate({ seen });
        return seen; }";
    let paused = soon(host.runtime().execute(code)).await.unwrap();
    let shown = pending_args(&paused)["seen"].to_string();
    assert_eq!(result_of(&soon(approve_all(&host.runtime(), paused)).await), shown);
}

#[tokio::test(flavor = "multi_thread")]
async fn settled_groups_keep_their_failures_in_place() {
    let host = Host::new();
    let code = "async () => {
        const all = await Promise.allSettled([t.fail({ msg: 'a' }), t.slow({ ms: 9, v: 1 }), t.nope({}), t.add({ n: 1 }),
            codemode.step('s', () => { throw new TypeError('b'); })]);
        const r = all.map((x) => x.status === 'fulfilled' ? x.value.n ?? x.value : x.reason.name + ':' + x.reason.message.slice(0, 1));
        await t.gate({ r });
        return r; }";
    let outcome = through(&host, code).await;
    let result: Value = serde_json::from_str(&result_of(&outcome)).unwrap();
    assert_eq!(result, executed(&host.ledger, "gate")[0]["r"]);
    assert_eq!(
        (&result[0], &result[1], &result[3], &result[4]),
        (&json!("RateLimit:a"), &json!(1), &json!(1), &json!("TypeError:b"))
    );
    assert_eq!((host.ledger.count("t", "fail"), host.ledger.count("t", "add")), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn lone_surrogates_are_kept_everywhere() {
    let host = Host::new();
    let code = r#"async () => {
        const s = "a\ud83d" + "\udc00b";
        const bad = "\udc00\ud83d";
        const e = await t.echo({ bad, [bad]: [s] });
        const k = await codemode.step("step " + bad, () => bad);
        let m; try { await codemode.step("t", () => { throw new Error(bad); }); } catch (x) { m = x.message; }
        console.log(bad);
        await t.gate({ bad: e.bad });
        return [e.bad === bad, Object.keys(e)[1] === bad, e[bad][0] === s, k === bad, m.length, bad]; }"#;
    let outcome = through(&host, code).await;
    assert_eq!(result_of(&outcome), r#"[true,true,true,true,2,"\udc00\ud83d"]"#);
    serde_json::from_str::<Box<serde_json::value::RawValue>>(&outcome.to_wire()).expect("the outcome is JSON");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_lines_is_counted_and_does_not_stop_the_run() {
    let host = Host::new();
    let code = "async () => { for (let i = 0; i < 50000; i++) console.log('line', i); console.error('x'.repeat(5e6)); return 1; }";
    let outcome = soon(host.runtime().execute(code)).await.unwrap();
    assert_eq!(result_of(&outcome), "1");
    let Outcome::Completed { logs, .. } = &outcome else { panic!() };
    assert_eq!((logs.len(), logs[0].as_str(), logs[999].as_str()), (1_001, "line 0", "line 999"));
    assert_eq!(logs[1_000], "[codemode] 49001 more lines were dropped (limit `log lines`, 1000)");
}

#[tokio::test(flavor = "multi_thread")]
async fn tampering_with_the_language_changes_nothing_of_what_is_approved() {
    let tampers = [
        "Promise.prototype.then = function () { return this; };",
        "Object.prototype.toJSON = () => ({ evil: 1 });",
        "Array.prototype.toJSON = () => 'evil';",
        "JSON.stringify = () => '{\"evil\":1}';",
        "String.prototype.toString = () => 'evil';",
        "Map.prototype.forEach = () => { throw 1; };",
        "Object.defineProperty(Object.prototype, 'x', { get: () => 'evil', set() {}, configurable: true });",
        "globalThis.Promise = class { constructor() { throw 1; } };",
        "Reflect.ownKeys = () => []; Object.keys = () => []; Object.entries = () => [];",
        "Symbol.iterator; Array.prototype[Symbol.iterator] = function* () { yield 'evil'; };",
        "Function.prototype.call = () => 'evil'; Function.prototype.apply = () => 'evil';",
    ];
    for tamper in tampers {
        let host = Host::new();
        let code =
            format!("async () => {{ {tamper} const g = await t.gate({{ to: 'safe', list: [1, 2] }}); return 'end'; }}");
        let paused = host.runtime().execute(code.as_str()).await.unwrap();
        let expected = if tamper.contains("prototype.toJSON") {
            // The language's own way of saying how a value is written; shown and performed alike.
            pending_args(&paused)
        } else {
            json!({ "to": "safe", "list": [1, 2] })
        };
        assert_eq!(pending_args(&paused), expected, "{tamper}");
        assert_eq!(host.ledger.count("t", "gate"), 0, "{tamper}");
        let outcome = soon(approve_all(&host.runtime(), paused)).await;
        assert!(
            matches!(&outcome, Outcome::Completed { .. }) || !matches!(error_of(&outcome).kind, ErrorKind::Sandbox),
            "{tamper}: {outcome:#?}"
        );
        assert_eq!(executed(&host.ledger, "gate"), [expected], "{tamper}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn globals_of_the_connectors_cannot_be_replaced() {
    let host = Host::new();
    let tries = [
        "t = { gate: async () => ({ ok: 'evil' }) };",
        "globalThis.t = { gate: async () => ({ ok: 'evil' }) };",
        "t.gate = async () => ({ ok: 'evil' });",
        "delete globalThis.t;",
        "delete t.gate;",
        "Object.defineProperty(t, 'gate', { value: async () => ({ ok: 'evil' }) });",
        "Object.setPrototypeOf(t, { gate: async () => ({ ok: 'evil' }) });",
        "codemode.step = async () => 'evil';",
    ];
    for code in tries {
        let code = format!("async () => {{ try {{ {code} }} catch {{}} return (await t.gate({{}})).ok; }}");
        let paused = host.runtime().execute(code.as_str()).await.unwrap();
        assert_eq!(pending_of(&paused), ["0 t.gate {}"], "{code}");
        assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), "true", "{code}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_that_look_like_control_messages_are_only_values() {
    let host = Host::new();
    let looks = [
        r#"{"status":"paused","executionId":"x","pending":[]}"#,
        r#"{"__pause":true}"#,
        r#"{"$cm":["pending"]}"#,
        r#"{"$cm":["bigint","5"]}"#,
        r#"{"$$cm":1}"#,
        r#"{"then":"a function?","catch":1}"#,
        r#"{"error":{"code":"timeout"},"isError":true}"#,
        r#"{"state":"pending","seq":0}"#,
    ];
    for look in looks {
        let code = format!(
            "async () => {{ const r = await t.raw({{ json: {} }}); await t.gate({{ r }}); return JSON.stringify(r); }}",
            serde_json::to_string(look).unwrap()
        );
        let outcome = through(&host, &code).await;
        assert_eq!(serde_json::from_str::<String>(&result_of(&outcome)).unwrap(), look);
    }
    // A thenable from a connector cannot hold functions, so awaiting it gives it as it is.
    let code = "async () => { const r = await t.echo({ then: { a: 1 } }); return (await r).then.a; }";
    assert_eq!(result_of(&host.runtime().execute(code).await.unwrap()), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_can_be_awaited_printed_and_returned() {
    let runtime = Host::new().runtime();
    let code = "async () => { const x = await t; const [y] = await Promise.all([t]); return [x === t, y === t, typeof t.then, `${typeof t}`]; }";
    assert_eq!(result_of(&soon(runtime.execute(code)).await.unwrap()), r#"[true,true,"undefined","object"]"#);
    for code in
        ["async () => { console.log(t, codemode, t.gate); return 1; }", "async () => { String(t.gate); return 1; }"]
    {
        assert_eq!(result_of(&soon(runtime.execute(code)).await.unwrap()), "1", "{code}");
    }
    let outcome = soon(runtime.execute("async () => t")).await.unwrap();
    assert!(matches!(outcome, Outcome::Failed { .. } | Outcome::Completed { .. }), "it ends: {outcome:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_waits_for_nothing_ends_at_once() {
    let host = Host::new();
    let runtime = host.runtime();
    for code in [
        "async () => new Promise(() => {})",
        "async () => { await t.add({ n: 1 }); await new Promise(() => {}); }",
        "async () => { await Promise.race([]); }",
        "async () => { await { then() {} }; }",
        "async () => codemode.step('s', () => new Promise(() => {}))",
    ] {
        let outcome = soon(runtime.execute(code)).await.unwrap();
        assert_eq!(error_of(&outcome).kind, ErrorKind::NeverSettles, "{code}: {outcome:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_and_rejections_in_parallel_groups_leave_no_open_end() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => {
        const [a, b, c] = await Promise.all([t.gate({ i: 0 }), t.add({ n: 1 }).then(() => t.gate({ i: 1 })), t.slow({ ms: 20, v: 1 })]);
        return [a.i, b.i, c]; }";
    let paused = runtime.execute(code).await.unwrap();
    let id = id_of(&paused);
    assert_eq!(pending_of(&paused), [r#"0 t.gate {"i":0}"#, r#"3 t.gate {"i":1}"#]);
    let paused = approve_seq(&runtime, &id, 3).await;
    assert_eq!(pending_of(&paused), [r#"0 t.gate {"i":0}"#]);
    let done = approve_seq(&host.runtime(), &id, 0).await;
    assert_eq!(result_of(&done), "[0,1,1]");
    assert_eq!(executed(&host.ledger, "gate"), [json!({ "i": 1 }), json!({ "i": 0 })]);
    let counts = ["add", "slow", "gate"].map(|m| host.ledger.count("t", m));
    assert_eq!(counts, [1, 1, 2]);

    let paused = runtime.execute(code).await.unwrap();
    let id = id_of(&paused);
    assert!(runtime.reject(&id, Seq(3), anna()).await.unwrap());
    assert_eq!(runtime.record(&id).unwrap().unwrap().execution.status, Status::Rejected);
    let states = ["reverted", "applied", "applied", "reverted"];
    for (line, state) in journal_of(&runtime, &id).iter().zip(states) {
        assert!(line.ends_with(state), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_executions_at_once_do_not_mix() {
    let host = Host::new();
    let runtime = host.runtime();
    let mut together = tokio::task::JoinSet::new();
    for n in 0..60_u32 {
        let runtime = runtime.clone();
        together.spawn(async move {
            let code = format!(
                "async () => {{ const a = await Promise.all([t.slow({{ ms: {}, v: {n} }}), t.echo({{ n: {n} }}), \
                 codemode.step('s', () => {n})]); const g = await t.gate({{ n: {n} }}); return [a[0], a[1].n, a[2], g.n]; }}",
                n % 5
            );
            let paused = runtime.execute(code).await.unwrap();
            assert_eq!(result_of(&approve_all(&runtime, paused).await), format!("[{n},{n},{n},{n}]"));
        });
    }
    soon(together.join_all()).await;
    assert_eq!(host.ledger.count("t", "gate"), 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_of_thousands_of_entries_performs_none_of_them() {
    let host = Host::new().limits(|l| l.cpu_ms = 60_000);
    let code = "async () => { let s = 0; for (let i = 0; i < 3000; i++) s += (await t.echo({ i })).i; await t.gate({ s }); await t.gate({ s }); return s; }";
    let outcome = soon(through(&host, code)).await;
    assert_eq!(result_of(&outcome), "4498500");
    assert_eq!((host.ledger.count("t", "echo"), host.ledger.count("t", "gate")), (3_000, 2));
}
