//! REPLAY: the journal answers what happened already; only what is new happens.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, approve_all, approve_seq, id_of, journal_of, pending_of, result_of};
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{Connector, Method};
use codemode_runtime::durable::journal::ReplayPolicy;
use codemode_runtime::{Json, Outcome};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::support::{Disk, created, disposed, memory, parsed, pass_ends, record, soon, wire};

/// Covers REPLAY-01.
#[tokio::test(flavor = "multi_thread")]
async fn calls_and_steps_are_numbered_from_zero_and_nothing_else_takes_a_number() {
    let host = Host::new();
    let code = "async () => {
        await codemode.search('rows').catch(() => 0);
        await shelf.list();
        await codemode.describe('shelf.list').catch(() => 0);
        await new Promise((go) => setTimeout(go, 1));
        await codemode.step('s', () => 1);
        await codemode.run('none').catch(() => 0);
        await shelf.list(); }";
    let outcome = host.runtime().execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), "");
    let journal = ["0 shelf.list applied", "1 __step.s applied", "2 shelf.list applied"];
    assert_eq!(journal_of(&host.runtime(), &id_of(&outcome)), journal);
}

/// Covers REPLAY-02.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_executing_in_the_journal_while_its_connector_works_and_applied_afterwards() {
    let store = memory();
    let inside = store.clone();
    let eye = Native::new("eye").method_sync(Method::write("look"), move |_, context| {
        let entries = inside.load(&context.execution).unwrap().unwrap().entries;
        let own = entries.iter().find(|e| e.seq == Some(context.seq)).unwrap();
        Ok(json!([own.state.as_str(), own.answer.is_none()]))
    });
    let host = Host::bare(store).with("eye", Arc::new(eye));
    let outcome = host.runtime().execute("async () => [await eye.look(), await eye.look()]").await.unwrap();
    assert_eq!(parsed(&result_of(&outcome)), json!([["executing", true], ["executing", true]]));
    let journal = ["0 eye.look applied", "1 eye.look applied"];
    assert_eq!(journal_of(&host.runtime(), &id_of(&outcome)), journal);
}

/// Covers REPLAY-03, runtime#6.
#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_read_is_answered_from_the_journal_although_the_world_changed() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { const b = await shelf.list(); const c = await shelf.put({ title: 'x' });
        return { n: b.length, c }; }";
    let paused = runtime.execute(code).await.unwrap();
    let other = runtime.execute("async () => shelf.put({ title: 'between' })").await.unwrap();
    approve_all(&runtime, other).await;
    let outcome = approve_all(&runtime, paused).await;
    assert_eq!(parsed(&result_of(&outcome)), json!({ "n": 0, "c": { "id": 2, "title": "x" } }));
    assert_eq!(host.ledger.count("shelf", "list"), 1);
}

/// Covers REPLAY-04, LIFECYCLE-07, runtime#21.
#[tokio::test(flavor = "multi_thread")]
async fn each_pass_runs_the_same_code_under_the_same_id() {
    let host = Host::new();
    let code = "async () => { const me = await shelf.whoami(); await shelf.tick(); await shelf.put({
        title: 'x' }); return me; }";
    let paused = host.runtime().execute(code).await.unwrap();
    let id = id_of(&paused);
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(id_of(&outcome), id);
    assert_eq!(parsed(&result_of(&outcome)), json!({ "executionId": id.as_str() }));
    assert_eq!(record(&host.runtime(), &id).execution.start.code, code);
    let told: Vec<(String, String)> = host
        .ledger
        .events()
        .into_iter()
        .filter(|e| e.kind == EventKind::Performed)
        .map(|e| (e.method, e.execution))
        .collect();
    let of = |method: &str| (method.to_owned(), id.to_string());
    // The re-executed read ran in both passes, and was told the same id.
    assert_eq!(told, [of("whoami"), of("tick"), of("tick"), of("put")]);
}

/// Covers REPLAY-13.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_beyond_the_end_of_the_record_is_new() {
    let host = Host::new();
    let code = "async () => { await shelf.put({ title: 'x' }); return shelf.jot({ text: 'after' }); }";
    let paused = host.runtime().execute(code).await.unwrap();
    let id = id_of(&paused);
    assert_eq!(journal_of(&host.runtime(), &id), ["0 shelf.put pending"]);
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&outcome), r#"{"index":0}"#);
    assert_eq!(journal_of(&host.runtime(), &id), ["0 shelf.put applied", "1 shelf.jot applied"]);
    assert_eq!(host.ledger.count("shelf", "jot"), 1);
}

/// Covers REPLAY-14, OUTPUT-03, runtime#28.
#[tokio::test(flavor = "multi_thread")]
async fn a_reexecuted_read_runs_in_each_pass_and_leaves_no_result() {
    let host = Host::new();
    let code = "async () => { const r = await shelf.tick(); await shelf.put({ title: 't' }); return r; }";
    let paused = host.runtime().execute(code).await.unwrap();
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&outcome), r#"{"reads":2}"#);
    let tick = json!({
        "seq": 0, "connector": "shelf", "method": "tick",
        "requiresApproval": false, "ephemeral": true, "state": "applied"
    });
    assert_eq!(wire(&outcome)["calls"][0], tick);
}

/// Covers REPLAY-16.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_recorded_governs_its_replay_and_not_what_the_connector_says_now() {
    let made = Arc::new(AtomicU64::new(0));
    let connector = |replay: ReplayPolicy| -> Arc<dyn Connector> {
        let made = made.clone();
        let list = Method { replay, ..Method::read("list") };
        Arc::new(Native::new("k").method_sync(list, move |_, _| Ok(json!(made.fetch_add(1, Ordering::SeqCst) + 1))))
    };
    let host = Host::new();
    let code = "async () => { const n = await k.list(); await shelf.put({ title: 'x' }); return n; }";
    let recorded = host.clone().with("k", connector(ReplayPolicy::Recorded));
    let paused = recorded.runtime().execute(code).await.unwrap();
    let now = host.clone().with("k", connector(ReplayPolicy::Reexecute));
    assert_eq!(result_of(&approve_all(&now.runtime(), paused).await), "1");
    assert_eq!(made.load(Ordering::SeqCst), 1);

    let paused = now.runtime().execute(code).await.unwrap();
    assert_eq!(result_of(&approve_all(&recorded.runtime(), paused).await), "3");
    assert_eq!(made.load(Ordering::SeqCst), 3);
}

/// Covers REPLAY-21.
#[tokio::test(flavor = "multi_thread")]
async fn a_branch_on_recorded_data_is_taken_again() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => {
        if ((await shelf.list()).length === 0) { await shelf.put({ title: 'first' }); return 'empty'; }
        return 'full'; }";
    let paused = runtime.execute(code).await.unwrap();
    let other = runtime.execute("async () => shelf.put({ title: 'between' })").await.unwrap();
    approve_all(&runtime, other).await;
    assert_eq!(result_of(&approve_all(&runtime, paused).await), "\"empty\"");
    assert_eq!(created(&host), ["between", "first"]);
}

/// Covers REPLAY-22, LIFECYCLE-06, codemode-eviction#1, codemode-eviction#2.
#[tokio::test(flavor = "multi_thread")]
async fn replay_works_after_the_process_lost_all_its_memory() {
    let disk = Disk::new();
    let host = disk.host();
    let code = "async () => {
        const before = await shelf.list(); const bytes = await shelf.bytes();
        const created = await shelf.put({ title: 'x' });
        return { beforeCount: before.length, bytes: Array.from(bytes), created }; }";
    let paused = host.runtime().execute(code).await.unwrap();
    let id = id_of(&paused);
    let host = disk.evict(host);
    let runtime = host.runtime();
    let waiting: Vec<String> = runtime.pending(Some(&id)).unwrap().iter().map(|p| p.method.clone()).collect();
    assert_eq!(waiting, ["put"]);
    let outcome = approve_seq(&runtime, &id, 2).await;
    let expected = json!({ "beforeCount": 0, "bytes": [1, 2, 3, 4, 5], "created": { "id": 1, "title": "x" } });
    assert_eq!(parsed(&result_of(&outcome)), expected);
    assert_eq!((host.ledger.count("shelf", "list"), host.ledger.count("shelf", "bytes")), (0, 0));
    assert_eq!(created(&host), ["x"]);
    // The fresh connector cleans up what the lost one opened.
    assert_eq!((pass_ends(&host), disposed(&host)), (vec!["completed".to_owned()], vec!["completed".to_owned()]));
}

/// Covers REPLAY-23, WEAK-01.
#[tokio::test(flavor = "multi_thread")]
async fn parallel_calls_replay_in_the_order_in_which_they_were_answered() {
    let host = Host::new();
    let code = "async () => {
        const order = [];
        const one = async (v, ms) => order.push(await t.slow({ ms, v }));
        await Promise.all([one('a', 20), one('b', 1), shelf.tick().then((r) => order.push(r.reads > 0))]);
        const later = order.map(async (v) => t.echo(v));
        await Promise.all(later);
        await shelf.put({ title: 'x' });
        return order; }";
    let paused = host.runtime().execute(code).await.unwrap();
    let Outcome::Paused { execution, .. } = &paused else { panic!("{paused:?}") };
    let asked: Vec<Option<Json>> =
        record(&host.runtime(), execution).entries.iter().skip(3).take(3).map(|e| e.request.args().cloned()).collect();
    let asked: Vec<_> = asked.iter().map(|a| parsed(a.as_ref().unwrap().as_str())).collect();
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(parsed(&result_of(&outcome)), json!(asked));
    assert_eq!((host.ledger.count("t", "slow"), host.ledger.count("t", "echo")), (2, 3));
}

/// Covers REPLAY-23, WEAK-01.
#[tokio::test(flavor = "multi_thread")]
async fn reexecuted_calls_that_answer_in_another_order_reach_the_code_in_the_recorded_one() {
    // In the first pass `a` answers after `b`, in the second `b` after `a`.
    let firsts = Arc::new(Semaphore::new(0));
    let live = Method { replay: ReplayPolicy::Reexecute, ..Method::read("live") };
    let answered = Arc::new(Mutex::new(Vec::new()));
    let story = answered.clone();
    let k = Native::new("k").method(live, move |who, context| {
        let (firsts, story) = (firsts.clone(), story.clone());
        async move {
            let who = who.unwrap();
            let first = if context.pass == 1 { "b" } else { "a" };
            if who != first {
                firsts.acquire().await.unwrap().forget();
            }
            story.lock().unwrap().push(format!("{} {who}", context.pass));
            firsts.add_permits(usize::from(who == first));
            Ok(json!([who, context.pass]))
        }
    });
    let host = Host::new().with("k", Arc::new(k));
    let code = "async () => {
        const order = [];
        const chain = async (who) => { order.push(await k.live(who)); await t.echo(order.length + who); };
        await Promise.all([chain('a'), chain('b')]);
        await shelf.put({ title: 'x' }); return order; }";
    let paused = soon(host.runtime().execute(code)).await.unwrap();
    let outcome = soon(approve_all(&host.runtime(), paused)).await;
    assert_eq!(*answered.lock().unwrap(), [r#"1 "b""#, r#"1 "a""#, r#"2 "a""#, r#"2 "b""#]);
    assert_eq!(result_of(&outcome), r#"[["b",2],["a",2]]"#);
    assert_eq!(host.ledger.count("t", "echo"), 2);
}

/// Covers REPLAY-24, WEAK-03.
#[tokio::test(flavor = "multi_thread")]
async fn two_calls_that_wait_side_by_side_are_shown_together_and_each_runs_once() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { const a = shelf.put({ title: 'one' }); const b = shelf.put({ title: 'two' });
        return [await a, await b]; }";
    let paused = runtime.execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"0 shelf.put {"title":"one"}"#, r#"1 shelf.put {"title":"two"}"#]);
    let half = approve_seq(&runtime, &id_of(&paused), 1).await;
    assert_eq!(pending_of(&half), [r#"0 shelf.put {"title":"one"}"#]);
    assert_eq!(created(&host), ["two"]);
    let outcome = approve_seq(&runtime, &id_of(&paused), 0).await;
    assert_eq!(parsed(&result_of(&outcome)), json!([{ "id": 2, "title": "one" }, { "id": 1, "title": "two" }]));
    assert_eq!(created(&host), ["two", "one"]);
}
