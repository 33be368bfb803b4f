//! Time and chance: what the code was told once is told again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use codemode_conformance::fixtures::t;
use codemode_conformance::harness::{Host, anna, approve_all, executor, result_of};
use codemode_runtime::clock::{Clock, SystemClock};
use codemode_runtime::{Outcome, Picks, Query, Runtime, Status};
use serde_json::Value;

use crate::kit::{Place, Process, executed, given_folder, host_of, pending_args, pending_text, role, through};

/// The system's clock, some milliseconds ahead.
#[derive(Default)]
struct Ahead {
    system: SystemClock,
    ms: AtomicU64,
}

impl Clock for Ahead {
    fn epoch_ms(&self) -> u64 {
        self.system.epoch_ms() + self.ms.load(Ordering::Relaxed)
    }

    fn monotonic_ms(&self) -> u64 {
        self.system.monotonic_ms()
    }
}

fn runtime(host: &Host, ahead_ms: u64) -> Runtime {
    let clock = Ahead { ms: AtomicU64::new(ahead_ms), ..Ahead::default() };
    Runtime::builder()
        .store(host.store.clone())
        .executor(executor())
        .clock(Arc::new(clock))
        .connector("shelf", Arc::new(codemode_conformance::fixtures::shelf(&host.ledger)))
        .connector("t", Arc::new(t(&host.ledger)))
        .build()
        .unwrap()
}

const HOUR: u64 = 3_600_000;

/// Covers BUG-DUR-03.
#[tokio::test(flavor = "multi_thread")]
async fn time_and_chance_are_those_of_the_first_pass() {
    let place = Place::new();
    let code = "async () => {
        const now = Date.now(), rnd = Math.random(), iso = new Date().toISOString();
        await t.gate({ now, rnd, iso });
        return { now, rnd, iso, later: new Date(now).toISOString() === iso }; }";
    let mut drawn = Vec::new();
    for _ in 0..2 {
        let paused = runtime(&place.host(), 0).execute(code).await.unwrap();
        let shown = pending_args(&paused);
        // An hour later, in another process.
        let host = place.host();
        let outcome = approve_all(&runtime(&host, HOUR), paused).await;
        let result: Value = serde_json::from_str(&result_of(&outcome)).unwrap();
        assert_eq!(result["later"], true);
        for member in ["now", "rnd", "iso"] {
            assert_eq!(result[member], shown[member], "{member}");
        }
        assert_eq!(executed(&host.ledger, "gate").pop(), Some(shown));
        drawn.push(result["rnd"].to_string());
    }
    assert_ne!(drawn[0], drawn[1], "two executions draw their own numbers");
}

/// Covers BUG-DUR-03.
#[tokio::test(flavor = "multi_thread")]
async fn everything_that_depends_on_time_or_chance_replays() {
    let host = Host::new();
    let expressions = [
        "performance.now()",
        "crypto.randomUUID()",
        "[...crypto.getRandomValues(new Uint8Array(8))].join()",
        "new Date().getTime()",
        "Date()",
        "[1, 2, 3, 4, 5, 6, 7, 8].sort(() => Math.random() - 0.5).join()",
        "await (async () => { await Promise.race([t.slow({ ms: 9, v: 1 }), t.slow({ ms: 2, v: 2 })]); \
         return Date.now(); })()",
        "await (async () => { await new Promise(r => setTimeout(r, 15)); return Date.now() + Math.random(); })()",
        "await codemode.step('s', () => Date.now() + Math.random())",
        "await codemode.step('s', async () => { await t.slow({ ms: 3, v: 1 }); return Date.now() + Math.random(); })",
    ];
    for expression in expressions {
        let code = format!("async () => {{ const v = {expression}; await t.gate({{ v }}); return v; }}");
        let paused = runtime(&host, 0).execute(code.as_str()).await.unwrap();
        let shown = pending_text(&paused);
        let outcome = approve_all(&runtime(&host, HOUR), paused).await;
        assert_eq!(format!("{{\"v\":{}}}", result_of(&outcome)), shown, "{expression}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_moves_on_with_what_is_answered_and_never_back() {
    let host = Host::new();
    let code = "async () => {
        const at = [Date.now()];
        for (let i = 0; i < 4; i++) { await t.slow({ ms: 3, v: i }); at.push(Date.now()); }
        await t.gate({});
        at.push(Date.now());
        return [at.every((x, i) => i === 0 || x >= at[i - 1]), at[5] - at[0] >= 3600000, at[4] - at[0] < 3600000]; }";
    let paused = runtime(&host, 0).execute(code).await.unwrap();
    let outcome = approve_all(&runtime(&host, HOUR), paused).await;
    assert_eq!(result_of(&outcome), "[true,true,true]");

    // A clock that was set back between two passes.
    let paused = runtime(&host, HOUR).execute(code).await.unwrap();
    let outcome = approve_all(&runtime(&host, 0), paused).await;
    assert_eq!(result_of(&outcome), "[true,false,true]");
}

/// Covers BUG-DUR-04.
#[test]
fn the_zone_of_the_host_is_not_the_zone_of_the_code() {
    let place = Place::new();
    let play = |role: &str, zone: &str| {
        let test = "dur_clock::as_a_child_in_some_time_zone";
        Process::playing(test, role).with("TZ", zone).with("CODEMODE_FOLDER", place.folder()).run();
    };
    play("run", "Asia/Tokyo");
    play("approve", "America/New_York");
    let host = place.host();
    let [execution] = &host.store.list(&Query::default()).unwrap()[..] else { panic!("one execution") };
    assert_eq!(execution.status, Status::Completed);
    let record = host.store.load(&execution.id).unwrap().unwrap();
    let key = "0|0|1/1/1970|1711852200000";
    assert_eq!(record.execution.result.unwrap().as_str(), format!("\"{key}\""));
    assert_eq!(executed(&host.ledger, "gate")[0]["key"], key);
}

#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_in_some_time_zone() {
    let Some(role) = role() else { return };
    let host = host_of(&given_folder());
    let runtime = host.runtime();
    if role == "run" {
        let code = "async () => {
            const d = new Date(0);
            const key = [d.getHours(), d.getTimezoneOffset(), d.toLocaleDateString(),
                new Date(2024, 2, 31, 2, 30).getTime()].join('|');
            await t.gate({ key });
            return key; }";
        let outcome = runtime.execute(code).await.unwrap();
        assert!(matches!(outcome, Outcome::Paused { .. }), "{outcome:#?}");
    } else {
        let id = runtime.executions(&Query::default()).unwrap()[0].id.clone();
        let outcome = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
        assert!(matches!(outcome, Outcome::Completed { .. }), "{outcome:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_for_dates_and_numbers_are_those_of_one_place() {
    let host = Host::new();
    let code = "async () => {
        const d = new Date(Date.UTC(2024, 10, 3, 5, 6, 7));
        const v = [String(d), d.toLocaleString(), d.toLocaleTimeString(), d.toDateString(), (1234567.891).toLocaleString(),
            Intl.DateTimeFormat().resolvedOptions().timeZone, new Date('2024-07-01T00:00').getTime(),
            new Date('2024-07-01').getTime()];
        await t.gate({ v });
        return v; }";
    let outcome = through(&host, code).await;
    let result: Value = serde_json::from_str(&result_of(&outcome)).unwrap();
    assert_eq!(result, executed(&host.ledger, "gate")[0]["v"]);
    assert_eq!(result[1], "11/3/2024, 5:06:07 AM");
    assert_eq!((&result[4], &result[5]), (&"1,234,567.891".into(), &"UTC".into()));
    assert_eq!(result[6], result[7], "a time without a zone is UTC too");
}
