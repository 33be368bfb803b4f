//! What is thrown, what is not awaited, and what stays in memory.

use std::sync::Arc;

use codemode_conformance::harness::{Host, error_of, id_of, journal_of, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::{EntryState, ErrorKind, Failure, Outcome, Status};

use crate::kit::{plain, rounds, through};

/// Covers BUG-JSX-13, WEAK-07.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_thrown_is_an_error_with_a_text() {
    let host = Host::new();
    let runtime = host.runtime();
    let throws = [
        ("throw 'boom'", "boom"),
        ("throw new Error('')", "Error"),
        ("throw { code: 5 }", r#"{"code":5}"#),
        ("throw null", "null"),
        ("throw undefined", "undefined"),
        ("throw 0", "0"),
        ("throw Symbol('s')", "Symbol(s)"),
        ("return Promise.reject()", "undefined"),
        ("throw Object.create(null)", "{}"),
        ("throw new AggregateError([new Error('a')], '')", "a"),
        // And more of the kind.
        ("throw ''", "\"\""),
        ("throw false", "false"),
        ("throw NaN", "NaN"),
        ("throw 10n", "10"),
        ("throw []", "[]"),
        ("throw () => 1", ""),
        ("throw { toString() { throw 1; } }", ""),
        ("throw Object.assign(new Error(), { message: undefined })", "Error"),
        ("throw new (class MyError extends Error {})()", "Error"),
        ("const e = new Error('x'); e.name = ''; throw e", "x"),
        ("return Promise.reject(new TypeError(''))", "TypeError"),
        ("await Promise.any([])", ""),
        ("throw new Proxy({}, { get() { throw 2; } })", ""),
    ];
    for (code, text) in throws {
        let outcome = runtime.execute(format!("async () => {{ {code}; }}")).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!(error.kind, ErrorKind::Thrown, "{code}: {error:?}");
        assert!(!error.message.trim().is_empty(), "{code}");
        if !text.is_empty() {
            assert_eq!(error.message, text, "{code}");
        }
        let record = runtime.record(&id_of(&outcome)).unwrap().unwrap();
        assert_eq!(record.execution.status, Status::Error, "{code}");
        let wire: serde_json::Value = serde_json::from_str(&outcome.to_wire()).unwrap();
        assert_eq!(wire["status"], "error", "{code}");
        assert!(wire["error"].as_str().unwrap().contains(&error.message), "{code}: {wire}");
    }
}

/// Covers BUG-JSX-13.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_fails_without_a_word_gets_one() {
    let fail = |_, _: &_| -> Result<(), Failure> { Err(Failure::new("teapot", "")) };
    let host = Host::new().with("k", Arc::new(Native::new("k").method_sync(Method::read("fail"), fail)));
    let runtime = host.runtime();
    let outcome = runtime.execute("async () => k.fail()").await.unwrap();
    assert_eq!(error_of(&outcome).message, "the connector failed with code teapot");
    let outcome = runtime.execute("async () => { try { await k.fail(); } catch (e) { return [e.code, e.message]; } }");
    assert_eq!(result_of(&outcome.await.unwrap()), r#"["teapot","the connector failed with code teapot"]"#);
    let outcome = host.runtime().execute("async () => t.fail({ msg: '' })").await.unwrap();
    assert_eq!(error_of(&outcome).message, "the connector failed with code 429");
}

/// Covers BUG-JSX-22.
#[tokio::test(flavor = "multi_thread")]
async fn calls_that_nobody_awaits_are_performed_and_recorded_to_the_end() {
    let code = "async () => { t.add({ n: 1 }); t.slowAdd({ ms: 300, n: 2 }); for (const i of [3, 4]) (async () => { await null; await t.add({ n: i }); })(); return 'done'; }";
    for _ in 0..rounds(20, 5) {
        let host = Host::new();
        let outcome = host.runtime().execute(code).await.unwrap();
        assert_eq!(result_of(&outcome), "\"done\"");
        assert_eq!((host.ledger.count("t", "add"), host.ledger.count("t", "slowAdd")), (3, 1));
        let journal = journal_of(&host.runtime(), &id_of(&outcome));
        assert_eq!(journal, ["0 t.add applied", "1 t.slowAdd applied", "2 t.add applied", "3 t.add applied"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_follows_a_call_that_nobody_awaits_is_done_too() {
    let host = Host::new();
    let code = "async () => {
        t.slow({ ms: 30, v: 1 }).then(() => t.add({ n: 1 })).then(() => t.add({ n: 2 }));
        t.fail({ msg: 'nobody sees it' });
        throw new Error('early'); }";
    let outcome = host.runtime().execute(code).await.unwrap();
    assert_eq!(error_of(&outcome).message, "early");
    let record = host.runtime().record(&id_of(&outcome)).unwrap().unwrap();
    let open = |s: EntryState| matches!(s, EntryState::Executing | EntryState::Pending);
    assert!(!record.entries.iter().any(|e| open(e.state)), "{:#?}", record.entries);
    assert_eq!(host.ledger.count("t", "add"), 2);

    let code = "async () => { t.add({ n: 1 }); t.gate({ n: 2 }).then(() => t.add({ n: 3 })); return 'done'; }";
    let host = Host::new();
    assert_eq!(result_of(&through(&host, code).await), "\"done\"");
    assert_eq!((host.ledger.count("t", "add"), host.ledger.count("t", "gate")), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_that_nobody_awaits_is_a_warning() {
    let host = Host::new();
    let outcome = host.runtime().execute("async () => { t.fail({ msg: 'lost' }); return 1; }").await.unwrap();
    let Outcome::Completed { logs, .. } = &outcome else { panic!("{outcome:#?}") };
    assert_eq!(logs.len(), 1, "{logs:?}");
    assert!(logs[0].starts_with("[warn] ") && logs[0].contains("t.fail") && logs[0].contains("lost"), "{logs:?}");
}

/// Covers BUG-JSX-20.
#[cfg(target_os = "linux")]
#[test]
fn thousands_of_runs_leave_no_memory_behind() {
    // In a process of its own, so that other tests do not count.
    crate::kit::Process::playing("jsx::as_a_child_that_runs_much", "runs").run();
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_that_runs_much() {
    if crate::kit::role().is_none() {
        return;
    }
    let (all, settled) = (rounds(10_000, 1_500), rounds(1_000, 500));
    let mut before = 0;
    let folder = tempfile::tempdir().unwrap();
    // The journal itself belongs on a disk; what stays in memory here is what must not.
    let host = crate::kit::host_of(folder.path());
    let runtime = host.runtime();
    for run in 0..all {
        if run == settled {
            before = crate::kit::resident();
        }
        let code = "async () => (await t.echo({ s: 'x'.repeat(10000) })).s.length";
        assert_eq!(result_of(&runtime.execute(code).await.unwrap()), "10000");
    }
    let after = crate::kit::resident();
    // The ledger of the fixture keeps every argument.
    let ledger = (all - settled) as u64 * 11;
    assert!(after < before + ledger + 20_000, "{before} to {after} KiB, of which the ledger has {ledger}");
}

/// Covers BUG-JSX-20.
#[tokio::test(flavor = "multi_thread")]
async fn one_run_with_very_many_calls_ends_at_the_limit_by_name() {
    let host = Host::new().with("p", plain()).limits(|l| (l.cpu_ms, l.pass_ms) = (120_000, 300_000));
    let code = "async () => { let n = 0; for (let i = 0; i < 20000; i++) n += (await p.echo({ i })).i; return n; }";
    let outcome = host.runtime().execute(code).await.unwrap();
    assert_eq!(error_of(&outcome).kind, ErrorKind::Limit);
    assert_eq!(error_of(&outcome).message, "an execution may make 10000 calls and steps (limit `calls`)");
    let record = host.store.load(&id_of(&outcome)).unwrap().unwrap();
    assert_eq!(record.entries.len(), 10_000);
    assert!(record.entries.iter().all(|e| e.state == EntryState::Applied));

    let host = host.limits(|l| (l.calls, l.ops) = (20_000, 200_000));
    let outcome = host.runtime().execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), "199990000");
}
