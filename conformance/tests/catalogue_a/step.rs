//! STEP: `codemode.step(name, fn)` keeps the outcome of a closure. How often a closure really ran is told by the
//! console lines of the record, which keeps those of all passes.

use codemode_conformance::harness::{Host, approve_all, error_of, id_of, journal_of, json, result_of};
use codemode_runtime::durable::journal::Approval;
use codemode_runtime::{ErrorKind, Outcome};
use serde_json::json;

use crate::support::{created, live_host, parsed, record, wire};

/// Runs code through one approval.
async fn approved(host: &Host, code: &str) -> Outcome {
    let paused = host.runtime().execute(code).await.unwrap();
    assert!(matches!(paused, Outcome::Paused { .. }), "{paused:#?}");
    approve_all(&host.runtime(), paused).await
}

/// The console lines of all passes.
fn logs(host: &Host, outcome: &Outcome) -> Vec<String> {
    record(&host.runtime(), &id_of(outcome)).execution.logs
}

/// Covers STEP-01, runtime#13, executor#37, executor#38.
#[tokio::test(flavor = "multi_thread")]
async fn a_closure_runs_once_and_its_value_is_replayed() {
    for host in [Host::new(), live_host()] {
        let code = "async () => {
            const k = await codemode.step('k', () => { console.log('closure'); return Math.random(); });
            await shelf.put({ title: String(k) }); return k; }";
        let outcome = approved(&host, code).await;
        let k = result_of(&outcome);
        assert!(k.starts_with("0.") || k.contains("e-"), "{k}");
        assert_eq!(created(&host), [k]);
        assert_eq!(logs(&host, &outcome), ["closure"]);
    }
}

/// Covers STEP-02.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_is_an_entry_of_the_journal_with_a_number_like_a_call() {
    let host = Host::new();
    let outcome =
        host.runtime().execute("async () => { await codemode.step('k', () => 7); await shelf.list(); }").await.unwrap();
    let calls = wire(&outcome)["calls"].clone();
    let step = json!({
        "seq": 0, "connector": "__step", "method": "k", "result": 7, "requiresApproval": false, "state": "applied"
    });
    assert_eq!((&calls[0], &calls[1]["seq"]), (&step, &json!(1)));
    let entries = record(&host.runtime(), &id_of(&outcome)).entries;
    assert_eq!((entries[0].terms.approval, entries[0].request.args()), (Approval::NotNeeded, None));
}

/// Covers STEP-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_closure_may_be_synchronous_or_asynchronous() {
    let host = Host::new();
    let code = "async () => {
        const a = await codemode.step('sync', () => { console.log('sync'); return [1]; });
        const b = await codemode.step('async', async () => { console.log('async'); await null; return [2]; });
        const c = await codemode.step('then', () => ({ then: (go) => { console.log('then'); go([3]); } }));
        await shelf.put({ title: 'x' }); return [a, b, c]; }";
    let outcome = approved(&host, code).await;
    assert_eq!(result_of(&outcome), "[[1],[2],[3]]");
    // Closures that returned a promise run again, but only what is recorded comes out of them.
    assert_eq!(logs(&host, &outcome), ["sync", "async", "then", "async", "then"]);
}

/// Covers STEP-01, STEP-04.
#[tokio::test(flavor = "multi_thread")]
async fn an_asynchronous_closure_that_runs_again_gives_its_first_value() {
    let host = live_host();
    let code = "async () => {
        const k = await codemode.step('k', async () => { await null; return Math.random(); });
        await shelf.put({ title: String(k) }); return String(k); }";
    let outcome = approved(&host, code).await;
    let k = parsed(&result_of(&outcome)).as_str().unwrap().to_owned();
    assert_eq!(created(&host), [k]);
}

/// Covers STEP-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_made_a_text() {
    let host = Host::new();
    let outcome = host
        .runtime()
        .execute(
            "async () => { await codemode.step(7, () => 1); await codemode.step({ toString: () => 'own' }, () => 2); }",
        )
        .await
        .unwrap();
    assert_eq!(journal_of(&host.runtime(), &id_of(&outcome)), ["0 __step.7 applied", "1 __step.own applied"]);
}

/// Covers STEP-06.
#[tokio::test(flavor = "multi_thread")]
async fn a_value_over_the_limit_fails_the_execution_and_names_the_step() {
    let host = Host::new();
    let runtime = host.runtime();
    let fits =
        runtime.execute("async () => (await codemode.step('s', () => 'x'.repeat(999998))).length").await.unwrap();
    assert_eq!(result_of(&fits), "999998");
    for closure in ["() => 'x'.repeat(999999)", "async () => 'x'.repeat(999999)"] {
        let code = format!(
            "async () => {{ try {{ await codemode.step('s', {closure}) }} catch {{}} await shelf.jot({{
                text: 'x' }}); }}"
        );
        let outcome = runtime.execute(code).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!(error.kind, ErrorKind::Unrecordable);
        assert_eq!(error.message, "result of __step.s is too large: more than 1000000 characters (limit `value size`)");
        assert_eq!(journal_of(&runtime, &id_of(&outcome)), ["0 __step.s error"], "{closure}");
        assert_eq!(wire(&outcome)["calls"][0]["state"], "error");
    }
    assert_eq!(host.ledger.count("shelf", "jot"), 0);
}

/// Covers STEP-06.
#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_has_no_encoding_fails_the_execution_and_names_the_step() {
    let runtime = Host::new().runtime();
    let outcome = runtime.execute("async () => codemode.step('s', () => ({ f() {} }))").await.unwrap();
    assert_eq!(error_of(&outcome).kind, ErrorKind::Unrecordable);
    assert_eq!(error_of(&outcome).message, "result of __step.s: result.f is a function, which cannot be recorded");
    assert_eq!(journal_of(&runtime, &id_of(&outcome)), ["0 __step.s error"]);
}

/// Covers STEP-08, WEAK-05.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_closure_throws_is_recorded_and_thrown_again_without_running_it() {
    let host = Host::new();
    let code = "async () => {
        let seen;
        try { await codemode.step('s', () => { console.log('closure'); throw new RangeError('no'); }) }
        catch (e) { seen = [e instanceof RangeError, e.name, e.message]; }
        await shelf.put({ title: 'x' }); return seen; }";
    let outcome = approved(&host, code).await;
    assert_eq!(result_of(&outcome), r#"[true,"RangeError","no"]"#);
    assert_eq!(logs(&host, &outcome), ["closure"]);
    assert_eq!(journal_of(&host.runtime(), &id_of(&outcome)), ["0 __step.s error", "1 shelf.put applied"]);
}

/// Covers STEP-09.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_without_a_function_fails_where_it_stands() {
    let host = Host::new();
    for second in ["", ", 42", ", 'text'", ", {}"] {
        let outcome = host.runtime().execute(format!("async () => codemode.step('s'{second})")).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!(error.message, "the second argument of codemode.step is not a function");
        assert_eq!(error.name, "TypeError");
        assert_eq!(journal_of(&host.runtime(), &id_of(&outcome)), ["0 __step.s error"]);
    }
}

/// Covers STEP-10, STEP-11, STEP-12, WEAK-08.
#[tokio::test(flavor = "multi_thread")]
async fn bytes_big_integers_and_undefined_are_values_like_others() {
    let host = Host::new();
    let code = "async () => {
        const b = await codemode.step('bytes', () => new Uint8Array([1, 2]));
        const n = await codemode.step('big', () => 5n);
        const u = await codemode.step('none', () => undefined);
        const seen = [b instanceof Uint8Array, Array.from(b), n === 5n, typeof u];
        console.log(JSON.stringify(seen));
        await shelf.put({ title: 'x' }); return seen; }";
    let outcome = approved(&host, code).await;
    let seen = r#"[true,[1,2],true,"undefined"]"#;
    assert_eq!((result_of(&outcome).as_str(), logs(&host, &outcome)), (seen, vec![seen.to_owned(); 2]));
}

/// Covers STEP-15.
#[tokio::test(flavor = "multi_thread")]
async fn steps_side_by_side_are_numbered_as_they_were_begun_and_keep_their_own_values() {
    let host = Host::new();
    let code = "async () => {
        const ended = [];
        const one = (name, ms) => codemode.step(name, async () => {
            await new Promise((go) => setTimeout(go, ms)); ended.push(name); return name + ms; });
        const pair = await Promise.all([one('a', 30), one('b', 1)]);
        console.log(ended.join());
        await shelf.put({ title: 'x' }); return pair; }";
    let outcome = approved(&host, code).await;
    assert_eq!(result_of(&outcome), r#"["a30","b1"]"#);
    assert_eq!(logs(&host, &outcome), ["b,a", "b,a"]);
    let entries = record(&host.runtime(), &id_of(&outcome)).entries;
    let steps: Vec<_> = entries.iter().filter(|e| e.request.path().0 == "__step").map(|e| e.answer.clone()).collect();
    assert_eq!(steps, [Some(Ok(Some(json("\"a30\"")))), Some(Ok(Some(json("\"b1\""))))]);
    assert_eq!(
        journal_of(&host.runtime(), &id_of(&outcome)),
        ["0 __step.a applied", "1 __step.b applied", "2 shelf.put applied"]
    );
}

/// Covers STEP-16, WEAK-06.
#[tokio::test(flavor = "multi_thread")]
async fn calls_and_steps_inside_a_step_are_entries_that_replay() {
    let host = Host::new();
    let code = "async () => {
        const v = await codemode.step('outer', async () => {
            const inner = await codemode.step('inner', () => { console.log('inner'); return 1; });
            return inner + (await t.add({ n: 1 })).n; });
        await shelf.put({ title: 'v' + v }); return v; }";
    let outcome = approved(&host, code).await;
    assert_eq!(result_of(&outcome), "2");
    assert_eq!((host.ledger.count("t", "add"), created(&host)), (1, vec!["v2".to_owned()]));
    assert_eq!(logs(&host, &outcome), ["inner"]);
    assert_eq!(
        journal_of(&host.runtime(), &id_of(&outcome)),
        ["0 __step.outer applied", "1 __step.inner applied", "2 t.add applied", "3 shelf.put applied"]
    );
}

/// A step has no approval of its own, and what waits for a person inside of one holds the step open with it.
///
/// Covers STEP-16.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_waits_for_a_person_inside_goes_on_after_the_approval() {
    let host = Host::new();
    let code = "async () => codemode.step('outer', async () => (await shelf.put({ title: 'x' })).id + 1)";
    let outcome = approved(&host, code).await;
    assert_eq!(result_of(&outcome), "2");
    assert_eq!(created(&host), ["x"]);
    assert_eq!(journal_of(&host.runtime(), &id_of(&outcome)), ["0 __step.outer applied", "1 shelf.put applied"]);
}
