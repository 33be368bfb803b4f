//! Each bound of an execution at its value and one beyond, with an error that names it. The bounds are set low; their
//! defaults are a table of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::harness::{Host, error_of, executor, id_of, result_of};
use codemode_runtime::clock::Clock;
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{Error, ErrorKind, Limits, Outcome, Runtime};
use serde_json::json;
use tokio::sync::{Barrier, Notify};

use crate::kit::{error_text, run, shared, soon, stored};

/// Covers LIMIT-01, EXECUTOR-03.
#[tokio::test(flavor = "multi_thread")]
async fn the_defaults_are_the_published_ones() {
    let limits = Limits::default();
    assert_eq!((limits.pass_ms, limits.call_ms, limits.memory_bytes), (60_000, 30_000, 128 << 20));
    assert_eq!((limits.calls, limits.in_flight, limits.depth), (10_000, 300, 512));
    assert_eq!((limits.value_units, limits.code_units), (1_000_000, 1_000_000));
    assert_eq!(Host::new().runtime().limits(), &limits);
}

/// Covers LIMIT-03.
#[tokio::test(flavor = "multi_thread")]
async fn calls_and_steps_are_counted_together_up_to_the_limit() {
    let host = Host::new().limits(|l| l.calls = 4);
    let code = |n: u32| {
        format!(
            "async () => {{ for (let i = 0; i < {n}; i += 2) {{ await t.add({{ n: i }});
                if (i + 1 < {n}) await codemode.step('s', () => i); }} return 'done'; }}"
        )
    };
    assert_eq!(result_of(&host.runtime().execute(code(4)).await.unwrap()), "\"done\"");
    assert_eq!(host.ledger.count("t", "add"), 2);
    let over = host.runtime().execute(code(5)).await.unwrap();
    assert_eq!(error_of(&over).kind, ErrorKind::Limit);
    assert_eq!(error_of(&over).message, "an execution may make 4 calls and steps (limit `calls`)");
    assert_eq!(host.ledger.count("t", "add"), 4);
    assert_eq!(stored(&host.runtime(), &over).entries.len(), 4);
    let step = "async () => { for (let i = 0; i < 5; i++) await codemode.step('s', () => i); }";
    let step = host.runtime().execute(step).await.unwrap();
    assert_eq!(error_of(&step).message, "an execution may make 4 calls and steps (limit `calls`)");
}

/// Covers LIMIT-03.
#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_asked_for_counts_as_an_op() {
    let host = Host::new().limits(|l| l.ops = 6);
    let code = |timers: u32| {
        format!(
            "async () => {{ await t.echo(1); for (let i = 0; i < {timers}; i++)
                await new Promise((done) => setTimeout(done, 0)); return 'done'; }}"
        )
    };
    assert_eq!(result_of(&host.runtime().execute(code(5)).await.unwrap()), "\"done\"");
    let over = host.runtime().execute(code(6)).await.unwrap();
    assert_eq!(error_of(&over).kind, ErrorKind::Limit);
    assert_eq!(error_of(&over).message, "an execution may ask for 6 things, timers included (limit `ops`)");
}

/// Covers LIMIT-03, EXECUTOR-14.
#[tokio::test(flavor = "multi_thread")]
async fn so_many_calls_are_performed_at_once_and_the_others_wait() {
    let (now, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    // Nobody goes on before three are here, so fewer at once would hang, and the gauge would show more.
    let together = Arc::new(Barrier::new(3));
    let (gauge, peak, meet) = (now.clone(), most.clone(), together.clone());
    let k = Native::new("k").method(Method::read("meet"), move |_, _| {
        let (gauge, peak, meet) = (gauge.clone(), peak.clone(), meet.clone());
        async move {
            let here = gauge.fetch_add(1, Ordering::SeqCst) + 1;
            peak.fetch_max(here, Ordering::SeqCst);
            meet.wait().await;
            gauge.fetch_sub(1, Ordering::SeqCst);
            Ok(json!(1))
        }
    });
    let host = Host::new().with("k", shared(k)).limits(|l| l.in_flight = 3);
    let code = "async () => (await Promise.all(Array.from({ length: 9 }, () => k.meet()))).length";
    assert_eq!(result_of(&soon(host.runtime().execute(code)).await.unwrap()), "9");
    assert_eq!((now.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (0, 3));
}

/// Covers LIMIT-03, LIMIT-06.
#[tokio::test(flavor = "multi_thread")]
async fn values_may_be_nested_512_levels_deep_wherever_they_are_journaled() {
    let nest =
        |levels: usize| format!("(() => {{ let v = 1; for (let i = 0; i < {levels}; i++) v = [v]; return v; }})()");
    let (fits, over) = (nest(512), nest(513));
    for (place, subject) in [
        ("await t.echo(V); return 'ok'", "arguments to t.echo"),
        ("await codemode.step('s', () => V); return 'ok'", "result of __step.s"),
        ("return V", "the final result"),
    ] {
        let ok = run(&format!("async () => {{ {}; }}", place.replace('V', &fits))).await;
        assert!(matches!(ok, Outcome::Completed { .. }), "{place}: {ok:#?}");
        let deep = run(&format!("async () => {{ {}; }}", place.replace('V', &over))).await;
        assert_eq!(error_of(&deep).kind, ErrorKind::Unrecordable, "{place}");
        assert_eq!(error_of(&deep).message, format!("{subject}: nested deeper than 512 levels"));
    }
}

/// Covers LIMIT-03.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_connector_gives_may_be_nested_512_levels_deep() {
    let host = Host::new();
    let code = |levels: usize| {
        format!(
            "async () => {{ const v = await t.raw({{ json: '['.repeat({levels}) + ']'.repeat({levels}) }}); return 'ok'; }}"
        )
    };
    assert_eq!(result_of(&host.runtime().execute(code(512)).await.unwrap()), "\"ok\"");
    let over = host.runtime().execute(code(513)).await.unwrap();
    let text = error_text(&over);
    assert!(text.starts_with("t.raw returned a value that cannot be used: "), "{text}");
    assert!(text.contains("512"), "{text}");
}

/// A clock that stands still, so that no time passes between the start of a pass and its first timer.
struct Standing;

impl Clock for Standing {
    fn epoch_ms(&self) -> u64 {
        1_700_000_000_000
    }
    fn monotonic_ms(&self) -> u64 {
        0
    }
}

/// Covers EXECUTOR-03, executor#28, e2e-executor#11.
#[tokio::test(flavor = "multi_thread")]
async fn a_timer_as_long_as_the_pass_is_armed_and_one_millisecond_more_fails_at_once() {
    let mut limits = Limits::default();
    limits.pass_ms = 30_000;
    let runtime = Runtime::builder()
        .store(Arc::new(MemoryStore::new()))
        .executor(executor())
        .clock(Arc::new(Standing))
        .limits(limits)
        .connector("t", shared(codemode_conformance::fixtures::t(&codemode_conformance::fixtures::Ledger::in_memory())))
        .build()
        .unwrap();
    let code = |ms: u64| {
        format!(
            "async () => {{ const id = setTimeout(() => {{}}, {ms}); await t.echo(1); clearTimeout(id); return 'ok'; }}"
        )
    };
    assert_eq!(result_of(&soon(runtime.execute(code(30_000))).await.unwrap()), "\"ok\"");
    let over = soon(runtime.execute(code(30_001))).await.unwrap();
    assert_eq!(error_of(&over).kind, ErrorKind::Limit);
    assert_eq!(
        error_of(&over).message,
        "execution timed out: a timer of 30001 ms is longer than the 30000 ms that are left of the pass (limit `pass \
         wall time`, 30000 ms)"
    );
}

/// Covers EXECUTOR-03, EXECUTOR-04, iframe-executor#15, WEAK-15.
#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_a_pass_covers_waiting_for_the_host() {
    let host = Host::new().limits(|l| l.pass_ms = 500);
    let outcome = soon(host.runtime().execute("async () => t.hang()")).await.unwrap();
    assert_eq!(error_of(&outcome).kind, ErrorKind::Limit);
    assert_eq!(error_of(&outcome).message, "execution timed out: a pass may take 500 ms (limit `pass wall time`)");
    // A call that may have done something is named.
    let outcome = soon(host.runtime().execute("async () => t.slowAdd({ n: 1, ms: 60000 })")).await.unwrap();
    let message = &error_of(&outcome).message;
    assert!(message.ends_with("; t.slowAdd may have taken effect"), "{message}");
    // A sleep that cannot end in time is the same limit.
    let sleep = "async () => { await new Promise((done) => setTimeout(done, 5000)); }";
    let slept = soon(host.runtime().execute(sleep)).await.unwrap();
    assert!(error_of(&slept).message.starts_with("execution timed out"), "{slept:#?}");
}

/// Covers EXECUTOR-09, EXECUTOR-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_takes_too_long_fails_alone_and_the_code_may_go_on() {
    let host = Host::new().limits(|l| l.call_ms = 50);
    let code = "async () => { try { await t.hang(); } catch (e) { return [e.code, e.message, await t.echo(1)]; } }";
    let outcome = soon(host.runtime().execute(code)).await.unwrap();
    assert_eq!(result_of(&outcome), r#"["timeout","t.hang timed out: no answer within 50 ms (limit `call time`)",1]"#);
}

/// Covers LIFECYCLE-05.
#[tokio::test(flavor = "multi_thread")]
async fn delete_waits_for_a_running_pass_up_to_its_limit() {
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (enter, hold) = (entered.clone(), release.clone());
    let k = Native::new("k").method(Method::read("nothing"), |_, _| async { Ok(()) }).on_pass_ended(move |_, _, _| {
        let (enter, hold) = (enter.clone(), hold.clone());
        async move {
            enter.notify_one();
            hold.notified().await;
            Ok(())
        }
    });
    let host = Host::new().with("k", shared(k)).limits(|l| l.cancel_ms = 30);
    let runtime = host.runtime();
    let running = tokio::spawn({
        let runtime = runtime.clone();
        async move { runtime.execute("async () => 1").await.unwrap() }
    });
    soon(entered.notified()).await;
    let id = runtime.executions(&Default::default()).unwrap()[0].id.clone();
    assert!(matches!(soon(runtime.delete(&id)).await, Err(Error::StillRunning(held)) if held == id));
    release.notify_one();
    let outcome = soon(running).await.unwrap();
    assert_eq!((result_of(&outcome).as_str(), &id_of(&outcome)), ("1", &id));
    assert!(runtime.delete(&id).await.unwrap());
    assert_eq!(runtime.record(&id).unwrap(), None);
}
