//! Approvals one after the other: what was shown is what runs, and nothing runs before.

use codemode_conformance::harness::{
    Host, anna, approve_all, approve_seq, error_of, id_of, journal_of, pending_of, result_of,
};
use codemode_runtime::{ErrorKind, Outcome, Pick, Picks, Seq, Status};
use serde_json::json;

use crate::kit::{Place, Process, executed, given_folder, host_of, pending_args, role};

/// Covers BUG-APR-04.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_are_changed_after_the_call_stay_as_they_were() {
    let host = Host::new();
    let code = "async () => {
        const args = { to: 'safe@example.com', amt: 1, list: [1] };
        const p = t.gate(args);
        args.to = 'evil@example.com'; args.amt = 1e6; args.list.push(2);
        return p; }";
    let paused = host.runtime().execute(code).await.unwrap();
    let shown = r#"{"to":"safe@example.com","amt":1,"list":[1]}"#;
    assert_eq!(pending_of(&paused), [format!("0 t.gate {shown}")]);
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&outcome), r#"{"ok":true,"to":"safe@example.com","amt":1,"list":[1]}"#);
    let args: Vec<_> = host.ledger.events().into_iter().filter(|e| e.method == "gate").map(|e| e.args).collect();
    assert_eq!(args, [Some(shown.to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_argument_is_taken_at_the_moment_of_the_call() {
    let host = Host::new();
    let later = [
        ("new Uint8Array([1, 2])", "a[0] = 9"),
        ("new Map([['to', 'safe']])", "a.set('to', 'evil')"),
        ("new Set(['safe'])", "a.clear()"),
        ("new Date(0)", "a.setTime(5)"),
        ("Object.assign(new Error('safe'), { to: 'safe' })", "a.to = 'evil'"),
        ("{ inner: { to: 'safe' } }", "a.inner.to = 'evil'"),
        ("{ to: 'safe' }", "Promise.resolve().then(() => { a.to = 'evil'; })"),
        ("{ to: 'safe' }", "Object.defineProperty(a, 'to', { get: () => 'evil' })"),
        ("{ to: 'safe' }", "a.toJSON = () => ({ to: 'evil' })"),
    ];
    for (args, change) in later {
        let code =
            format!("async () => {{ const a = {args}; const p = t.gate({{ a }}); {change}; await p; return 'end'; }}");
        let paused = host.runtime().execute(code.as_str()).await.unwrap();
        let shown = pending_args(&paused);
        assert!(!shown.to_string().contains("evil"), "{shown}");
        assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), "\"end\"", "{args}");
        assert_eq!(executed(&host.ledger, "gate").pop(), Some(shown), "{args}");
    }
}

/// Covers BUG-APR-05.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_read_once_in_each_pass() {
    let host = Host::new();
    let code = "async () => {
        let n = 0;
        const args = { get amt() { n += 1; return n; }, toJSON() { n += 100; return { amt: n }; } };
        const r = await t.gate(args);
        return [r.amt, n]; }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"0 t.gate {"amt":100}"#]);
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&outcome), "[100,100]");
    assert_eq!(executed(&host.ledger, "gate"), [json!({ "amt": 100 })]);

    let host = Host::new();
    let code = "async () => {
        let n = 0;
        const args = { get amt() { n += 1; return n; }, list: new Proxy([1], { get(a, k) { n += 10; return a[k]; } }) };
        const r = await t.gate({ get args() { n += 1000; return { amt: args.amt }; } });
        return [r.args.amt, n]; }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"0 t.gate {"args":{"amt":1001}}"#]);
    assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), "[1001,1001]");
}

/// Covers BUG-APR-08, WEAK-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_finally_block_does_not_run_while_the_execution_waits() {
    let host = Host::new();
    let code = "async () => {
        try { return (await t.gate({ x: 1 })).x; }
        finally { await t.add({ n: 1 }); } }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!((host.ledger.count("t", "add"), pending_of(&paused).len()), (0, 1));
    assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), "1");
    assert_eq!(host.ledger.count("t", "add"), 1);

    let paused = host.runtime().execute(code).await.unwrap();
    let id = id_of(&paused);
    assert!(host.runtime().reject(&id, Seq(0), anna()).await.unwrap());
    assert_eq!(host.ledger.count("t", "add"), 1, "nothing more than before");
    assert_eq!(host.runtime().record(&id).unwrap().unwrap().execution.status, Status::Rejected);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_the_code_does_around_a_pending_call_runs_it_or_goes_on_without_it() {
    let around = [
        "try { await t.gate({}); } catch { await t.add({ n: 1 }); }",
        "await t.gate({}).catch(() => t.add({ n: 1 }));",
        "await t.gate({}).finally(() => t.add({ n: 1 }));",
        "for (;;) { try { await t.gate({}); break; } catch {} }",
        "await Promise.allSettled([t.gate({})]); await t.add({ n: 1 });",
        "await codemode.step('s', async () => { try { await t.gate({}); } finally { await t.add({ n: 1 }); } });",
        "using = 1; await (async function* () { try { yield await t.gate({}); } finally { await t.add({ n: 1 }); } })().next();",
    ];
    for code in around {
        let host = Host::new();
        let code = format!("async () => {{ let using; {code} return 'end'; }}");
        let paused = host.runtime().execute(code.as_str()).await.unwrap();
        assert_eq!(pending_of(&paused).len(), 1, "{code}");
        assert_eq!((host.ledger.count("t", "add"), host.ledger.count("t", "gate")), (0, 0), "{code}");
    }
}

/// Covers BUG-APR-09.
#[tokio::test(flavor = "multi_thread")]
async fn approvals_in_a_loop_do_not_repeat_the_work_between_them() {
    let host = Host::new();
    let code = "async () => {
        const out = [];
        for (let i = 0; i < 6; i++) { await t.add({ n: i }); out.push((await t.gate({ i })).i); }
        return out; }";
    let mut outcome = host.runtime().execute(code).await.unwrap();
    for round in 0..6_u32 {
        let pending = format!("{} t.gate {{\"i\":{round}}}", round * 2 + 1);
        assert_eq!(pending_of(&outcome), [pending]);
        assert_eq!(host.ledger.count("t", "add"), u64::from(round) + 1);
        assert_eq!(host.ledger.count("t", "gate"), u64::from(round));
        outcome = approve_seq(&host.runtime(), &id_of(&outcome), round * 2 + 1).await;
    }
    assert_eq!(result_of(&outcome), "[0,1,2,3,4,5]");
    assert_eq!((host.ledger.count("t", "add"), host.ledger.count("t", "gate")), (6, 6));
}

/// Covers BUG-APR-11.
#[tokio::test(flavor = "multi_thread")]
async fn a_pending_call_survives_restarts_and_other_work() {
    let place = Place::new();
    let paused = {
        let host = place.host().limits(|l| l.pass_ms = 700);
        host.runtime().execute("async () => t.gate({})").await.unwrap()
    };
    let id = id_of(&paused);
    for round in 0..3 {
        let runtime = place.host().runtime();
        assert_eq!(runtime.pending(None).unwrap().len(), 1, "after restart {round}");
        for _ in 0..20 {
            assert_eq!(result_of(&runtime.execute("async () => (await t.slow({ ms: 15, v: 1 }))").await.unwrap()), "1");
        }
    }
    let host = place.host();
    let runtime = host.runtime();
    let [pending] = &runtime.pending(None).unwrap()[..] else { panic!("one pending call") };
    assert_eq!((&pending.execution, pending.method.as_str()), (&id, "gate"));
    assert_eq!(runtime.record(&id).unwrap().unwrap().execution.status, Status::Paused);
    let shown = vec![Pick { seq: pending.seq, digest: pending.digest.clone() }];
    let outcome = runtime.approve(&id, Picks::These(shown), anna()).await.unwrap();
    assert_eq!(result_of(&outcome), r#"{"ok":true}"#);
    assert_eq!(host.ledger.count("t", "gate"), 1);
}

/// Covers BUG-APR-12.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_can_be_the_first_thing_that_a_process_does() {
    let place = Place::new();
    let child = Process::playing("apr::as_a_child_that_pauses", "pauses").with("CODEMODE_FOLDER", place.folder());
    child.run();
    let noted = std::fs::read_to_string(place.folder().join("pending")).unwrap();
    let (id, digest) = noted.split_once(' ').unwrap();
    let host = place.host();
    let pick = Pick { seq: Seq(0), digest: digest.to_owned() };
    let id = codemode_runtime::ExecutionId::from_text(id);
    let outcome = host.runtime().approve(&id, Picks::These(vec![pick]), anna()).await.unwrap();
    assert_eq!(result_of(&outcome), r#"{"ok":true,"from":"another process"}"#);
    assert_eq!(host.ledger.count("t", "gate"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_that_pauses() {
    if role().is_none() {
        return;
    }
    let code = "async () => t.gate({ from: 'another process' })";
    let paused = host_of(&given_folder()).runtime().execute(code).await.unwrap();
    let Outcome::Paused { execution, pending, .. } = &paused else { panic!("{paused:#?}") };
    std::fs::write(given_folder().join("pending"), format!("{execution} {}", pending[0].digest)).unwrap();
}

/// Part of APR-14: the crash in between belongs to recovery.
#[tokio::test(flavor = "multi_thread")]
async fn an_equal_second_call_needs_an_approval_of_its_own() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { await t.gate({ a: 1 }); return t.gate({ a: 1 }); }";
    let first = runtime.execute(code).await.unwrap();
    let id = id_of(&first);
    let shown = runtime.pending(Some(&id)).unwrap().remove(0);
    let consent = Picks::These(vec![Pick { seq: shown.seq, digest: shown.digest.clone() }]);
    let second = runtime.approve(&id, consent.clone(), anna()).await.unwrap();
    assert_eq!(pending_of(&second), [r#"1 t.gate {"a":1}"#]);
    assert_eq!(host.ledger.count("t", "gate"), 1);
    // The consent that was used up does not count again.
    let used_up = runtime.approve(&id, consent, anna()).await.unwrap();
    assert_eq!(error_of(&used_up).kind, ErrorKind::NotResumable);
    assert_eq!(host.ledger.count("t", "gate"), 1);
    assert_eq!(result_of(&approve_seq(&runtime, &id, 1).await), r#"{"ok":true,"a":1}"#);
    assert_eq!(host.ledger.count("t", "gate"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_pending_calls_only_the_approved_ones_run() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => (await Promise.all([1, 2, 3].map((i) => t.gate({ i })))).map((g) => g.i)";
    let paused = runtime.execute(code).await.unwrap();
    let id = id_of(&paused);
    assert_eq!(pending_of(&paused).len(), 3);
    let paused = approve_seq(&runtime, &id, 1).await;
    assert_eq!(pending_of(&paused), [r#"0 t.gate {"i":1}"#, r#"2 t.gate {"i":3}"#]);
    assert_eq!(executed(&host.ledger, "gate"), [json!({ "i": 2 })]);
    // A digest of another call is no consent to this one.
    let shown = runtime.pending(Some(&id)).unwrap();
    let swapped = vec![Pick { seq: shown[0].seq, digest: shown[1].digest.clone() }];
    let refused = runtime.approve(&id, Picks::These(swapped), anna()).await.unwrap();
    assert_eq!(error_of(&refused).kind, ErrorKind::NotResumable);
    assert_eq!(host.ledger.count("t", "gate"), 1);
    assert!(runtime.reject(&id, Seq(0), anna()).await.unwrap());
    let journal = journal_of(&runtime, &id);
    assert_eq!(journal, ["0 t.gate reverted", "1 t.gate applied", "2 t.gate reverted"]);
    assert_eq!(host.ledger.count("t", "gate"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_itself_keeps_arguments_of_a_pending_call_as_text() {
    // What a person sees is byte for byte what the connector gets, also for members that are hard to print.
    let host = Host::new();
    let code = r#"async () => t.gate({ "__proto__x": 1, ["__proto__"]: { a: 1 }, "\u202e": "\ud800", n: 1e21, z: -0, b: 10n })"#;
    let paused = host.runtime().execute(code).await.unwrap();
    let Outcome::Paused { pending, .. } = &paused else { panic!("{paused:#?}") };
    let shown = pending[0].args.clone().unwrap();
    let outcome = approve_all(&host.runtime(), paused).await;
    assert!(matches!(outcome, Outcome::Completed { .. }), "{outcome:#?}");
    let performed = host.ledger.events().into_iter().find(|e| e.method == "gate").unwrap();
    assert_eq!(performed.args.as_deref(), Some(shown.as_str()));
}
