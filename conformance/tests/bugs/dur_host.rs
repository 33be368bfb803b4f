//! Executions that take too long, are deleted while they run, or answer when nobody waits any more.

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, error_of, id_of, journal_of, result_of};
use codemode_runtime::durable::failure::EffectState;
use codemode_runtime::store::StateQuery;
use codemode_runtime::{EntryState, ErrorKind, Outcome, Query, Runtime, Status};

use crate::kit::{Door, Place, asked, rounds, soon, the_execution, until};

async fn delete_while_it_runs(code: &'static str, seqs: u32) {
    let place = Place::new();
    let host = place.host().limits(|l| l.cpu_ms = 60_000);
    let runtime = host.runtime();
    let running = tokio::spawn({
        let runtime = runtime.clone();
        async move { runtime.execute(code).await }
    });
    let id = the_execution(&runtime).await;
    if seqs > 0 {
        asked(&runtime, &id, seqs - 1).await;
    }
    assert!(soon(runtime.delete(&id)).await.unwrap(), "{code}");
    assert!(runtime.executions(&Query::default()).unwrap().is_empty(), "{code}");
    assert!(runtime.record(&id).unwrap().is_none(), "{code}");
    assert_eq!(result_of(&soon(runtime.execute("async () => 1")).await.unwrap()), "1", "{code}");
    let ended = soon(running).await.unwrap().unwrap();
    assert_eq!(error_of(&ended).kind, ErrorKind::Cancelled, "{code}");
    assert!(!soon(runtime.delete(&id)).await.unwrap(), "there is nothing left to delete: {code}");
}

/// Covers BUG-DUR-21.
#[tokio::test(flavor = "multi_thread")]
async fn an_execution_can_be_deleted_while_its_call_hangs() {
    delete_while_it_runs("async () => t.hang()", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_can_be_deleted_whatever_it_is_doing() {
    delete_while_it_runs("async () => { for (;;) {} }", 0).await;
    delete_while_it_runs("async () => { for (;;) await null; }", 0).await;
    delete_while_it_runs("async () => { await t.echo({}); await new Promise(r => setTimeout(r, 50000)); }", 1).await;
    delete_while_it_runs("async () => { t.gate({}); await t.hang(); }", 2).await;
    delete_while_it_runs("async () => { for (;;) { try { await t.hang(); } catch {} } }", 1).await;
    delete_while_it_runs("async () => codemode.step('s', async () => t.hang())", 2).await;
}

/// Part of BUG-DUR-23: deleted one by one.
#[tokio::test(flavor = "multi_thread")]
async fn deleted_executions_leave_nothing_behind_and_the_file_stops_growing() {
    let place = Place::new();
    let host = place.host();
    let runtime = host.runtime();
    let code = "async () => {
        for (let i = 0; i < 30; i++) { await t.echo({ i, pad: 'x'.repeat(100) }); console.log('line', i); }
        for (const s of ['a', 'b', 'c']) await codemode.step(s, () => s.repeat(50));
        await t.gate({});
        return 1; }";
    let size = || std::fs::metadata(place.path()).unwrap().len();
    let mut sizes = Vec::new();
    for _ in 0..rounds(20, 6) {
        let mut ids = Vec::new();
        for _ in 0..rounds(200, 15) {
            ids.push(id_of(&runtime.execute(code).await.unwrap()));
        }
        let kept = ids.split_off(ids.len() - 5);
        for id in &ids {
            assert!(runtime.delete(id).await.unwrap());
        }
        let listed: Vec<_> = runtime.executions(&Query::default()).unwrap().into_iter().map(|s| s.id).collect();
        assert_eq!(listed, kept.iter().rev().cloned().collect::<Vec<_>>());
        for id in &ids {
            assert!(runtime.record(id).unwrap().is_none());
            let keys = StateQuery { connector: "t", execution: Some(id), prefix: "", after: None, limit: 9 };
            assert!(host.store.state_keys(&keys).unwrap().is_empty());
        }
        for id in &kept {
            let record = runtime.record(id).unwrap().unwrap();
            assert_eq!((record.entries.len(), record.execution.logs.len()), (34, 30));
            assert!(runtime.delete(id).await.unwrap());
        }
        assert!(runtime.pending(None).unwrap().is_empty());
        sizes.push(size());
    }
    // When the log is written back into the file is the database's business; by the middle it has its size.
    let (first, second) = sizes.split_at(sizes.len() / 2);
    assert!(second.iter().max() <= first.iter().max(), "it grows with each round: {sizes:?}");
}

/// Covers BUG-DUR-28.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_was_in_flight_at_the_end_of_time_counts_as_unknown() {
    let (door, connector) = Door::new();
    let host = Host::new().with("door", connector).limits(|l| l.pass_ms = 1_500);
    let runtime = host.runtime();
    let code = "async () => { await door.work({ v: 'late' }); return 'x'; }";
    let outcome = soon(runtime.execute(code)).await.unwrap();
    let error = error_of(&outcome);
    assert_eq!(error.kind, ErrorKind::Limit);
    assert!(error.message.contains("timed out") && error.message.contains("`pass wall time`"), "{}", error.message);
    assert!(error.message.contains("door.work may have taken effect"), "{}", error.message);
    let Outcome::Failed { calls: Some(calls), .. } = &outcome else { panic!("{outcome:#?}") };
    assert_eq!(calls[0].state, EntryState::Unknown);
    let wire: serde_json::Value = serde_json::from_str(&outcome.to_wire()).unwrap();
    assert_eq!(wire["calls"][0]["state"], "unknown");

    // The late answer is kept for the record and changes nothing else.
    let id = id_of(&outcome);
    let before = runtime.record(&id).unwrap().unwrap();
    assert_eq!((before.execution.status, before.entries[0].state), (Status::Error, EntryState::Unknown));
    door.let_go(1);
    let after = until(|| runtime.record(&id).unwrap().filter(|r| r.entries[0].state != EntryState::Unknown)).await;
    assert_eq!(after.entries[0].state, EntryState::Applied);
    assert_eq!(after.entries[0].answer.clone().unwrap().unwrap().unwrap().as_str(), "\"late\"");
    assert_eq!((after.execution.status, &after.execution.error), (Status::Error, &before.execution.error));
}

/// Covers BUG-DUR-28.
#[tokio::test(flavor = "multi_thread")]
async fn the_late_answer_of_slow_add_is_stored_too() {
    let host = Host::new().limits(|l| l.pass_ms = 1_500);
    let runtime = host.runtime();
    let code = "async () => { await t.slowAdd({ ms: 3000, n: 1 }); return 'x'; }";
    let outcome = runtime.execute(code).await.unwrap();
    assert!(error_of(&outcome).message.contains("t.slowAdd may have taken effect"), "{outcome:#?}");
    assert_eq!(host.ledger.count("t", "slowAdd"), 1);
    let id = id_of(&outcome);
    until(|| (journal_of(&runtime, &id) == ["0 t.slowAdd applied"]).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_an_answer_in_its_time_tells_the_code_what_may_have_happened() {
    let (_door, connector) = Door::new();
    let host = Host::new().with("door", connector).limits(|l| l.call_ms = 150);
    let code = "async () => {
        const seen = [];
        for (const m of ['work', 'wait']) try { await door[m]({}); } catch (e) { seen.push([e.code, e.effect, e.message]); }
        return seen; }";
    let outcome = soon(host.runtime().execute(code)).await.unwrap();
    let seen: Vec<(String, String, String)> = serde_json::from_str(&result_of(&outcome)).unwrap();
    assert_eq!((seen[0].0.as_str(), seen[0].1.as_str()), ("timeout", "possible"));
    assert!(seen[0].2.contains("`call time`") && seen[0].2.contains("may have taken effect"), "{seen:?}");
    assert_eq!((seen[1].0.as_str(), seen[1].1.as_str()), ("timeout", "none"));
    assert!(!seen[1].2.contains("may have taken effect"), "a read has no effect: {seen:?}");
    let Outcome::Completed { calls, .. } = &outcome else { panic!() };
    let failure = calls[0].answer.clone().unwrap().unwrap_err();
    assert_eq!((calls[0].state, failure.effect), (EntryState::Failed, EffectState::Possible));
}

/// Covers BUG-DUR-29, WEAK-15.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_answer_does_not_wake_the_dead_pass_nor_the_next_execution() {
    let (door, connector) = Door::new();
    let host = Host::new().with("door", connector);
    let hasty = host.clone().limits(|l| l.pass_ms = 1_000).runtime();
    let code = "async () => { await door.wait({ v: 1 }); await t.add({ n: 666 }); }";
    let first = soon(hasty.execute(code)).await.unwrap();
    assert_eq!(error_of(&first).kind, ErrorKind::Limit);
    door.entered(1).await;

    let patient = host.runtime();
    let second = tokio::spawn(async move {
        patient.execute("async () => { await door.wait({ v: 2 }); return 'B'; }").await.unwrap()
    });
    door.entered(1).await;
    door.let_go(1);
    let id = id_of(&first);
    // The semaphore is fair: the first to wait is the first to answer.
    until(|| (journal_of(&hasty, &id) == ["0 door.wait applied"]).then_some(())).await;
    door.let_go(1);
    let second = soon(second).await.unwrap();
    assert_eq!(result_of(&second), "\"B\"");
    assert_eq!(journal_of(&hasty, &id_of(&second)), ["0 door.wait applied"]);
    assert_eq!(host.ledger.count("t", "add"), 0);
    assert_eq!(hasty.record(&id).unwrap().unwrap().execution.status, Status::Error);
}

/// Covers BUG-DUR-29.
#[tokio::test(flavor = "multi_thread")]
async fn the_case_as_reported_with_its_own_times() {
    let host = Host::new();
    let hasty = host.clone().limits(|l| l.pass_ms = 300).runtime();
    let patient: Runtime = host.runtime();
    let first =
        hasty.execute("async () => { await t.slow({ ms: 1000, v: 1 }); await t.add({ n: 666 }); }").await.unwrap();
    let second = patient.execute("async () => { await t.slow({ ms: 1500, v: 2 }); return 'B'; }").await.unwrap();
    assert_eq!(error_of(&first).kind, ErrorKind::Limit);
    assert_eq!(result_of(&second), "\"B\"");
    assert_eq!(journal_of(&patient, &id_of(&second)), ["0 t.slow applied"]);
    assert_eq!(host.ledger.count("t", "add"), 0);
    let of_second = host.ledger.events().into_iter().filter(|e| e.execution == id_of(&second).to_string());
    assert_eq!(of_second.filter(|e| e.kind == EventKind::Performed).count(), 1);
}

/// Covers BUG-DUR-26.
#[tokio::test(flavor = "multi_thread")]
async fn large_and_small_numbers_cross_every_boundary_whole() {
    let host = Host::new();
    let code = "async () => {
        const xs = [4294967296 + 5, 9007199254740991, -9007199254740991, 2147483648, 1e21, 5e-324, 0.1 + 0.2];
        const r = await t.echo({ xs });
        return JSON.stringify(r.xs) === JSON.stringify(xs); }";
    let outcome = host.runtime().execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), "true");
    let record = host.store.load(&id_of(&outcome)).unwrap().unwrap();
    let stored = record.entries[0].answer.clone().unwrap().unwrap().unwrap();
    let digits =
        r#"{"xs":[4294967301,9007199254740991,-9007199254740991,2147483648,1e+21,5e-324,0.30000000000000004]}"#;
    assert_eq!(stored.as_str(), digits);

    // Also as result, as step, and from a connector that speaks plain JSON.
    let code = r#"async () => {
        const raw = await t.raw({ json: '[4294967301,9007199254740991,9007199254740993,-2147483649,1e21,5e-324,1.7976931348623157e308]' });
        const step = await codemode.step('n', () => [2 ** 53 - 1, 2 ** 32, -(2 ** 31) - 1, Number.MIN_VALUE, Number.MAX_VALUE]);
        await t.gate({ raw, step });
        return [raw.map(String), step.map(String)].flat().join(); }"#;
    let outcome = crate::kit::through(&host, code).await;
    assert_eq!(
        result_of(&outcome),
        "\"4294967301,9007199254740991,9007199254740993,-2147483649,1e+21,5e-324,1.7976931348623157e+308,\
         9007199254740991,4294967296,-2147483649,5e-324,1.7976931348623157e+308\""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_come_back_whole_from_a_connector_of_closures() {
    let host = Host::new().with("p", crate::kit::plain());
    let code = "async () => {
        const xs = Array.from({ length: 5000 }, (_, i) => (Math.random() - 0.5) * 10 ** (i % 40 - 20));
        const r = await p.echo(xs);
        return xs.filter((x, i) => !Object.is(x, r[i])).length; }";
    assert_eq!(result_of(&host.runtime().execute(code).await.unwrap()), "0");
}
