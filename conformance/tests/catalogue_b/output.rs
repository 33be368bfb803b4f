//! What a caller gets: the shapes on the wire, the echoed journal, the console lines.

use codemode_conformance::harness::{Host, anna, approve_all, error_of, id_of, result_of};
use codemode_runtime::outcome::error_text;
use codemode_runtime::{CodeError, Determinism, ErrorKind, ExecutionId, Outcome, Picks, Seq};
use serde_json::{Value, json};

use crate::kit::{keys, run, stored, wire};

const LIST_THEN_PUT: &str = "async () => { await shelf.list(); return shelf.put({ title: 'z' }); }";

/// Covers OUTPUT-01, OUTPUT-10.
#[tokio::test(flavor = "multi_thread")]
async fn each_outcome_has_its_members_and_no_others() {
    let runtime = Host::new().runtime();
    let done = runtime.execute("async () => { console.log('l'); return 1; }").await.unwrap();
    assert_eq!(keys(&wire(&done)), ["calls", "executionId", "logs", "result", "status"]);
    assert_eq!(wire(&done)["status"], "completed");
    assert_eq!((&wire(&done)["result"], &wire(&done)["logs"]), (&json!(1), &json!(["l"])));
    let quiet = runtime.execute("async () => {}").await.unwrap();
    assert_eq!(keys(&wire(&quiet)), ["calls", "executionId", "status"]);

    let paused = runtime.execute(LIST_THEN_PUT).await.unwrap();
    assert_eq!(keys(&wire(&paused)), ["calls", "executionId", "pending", "status"]);
    assert_eq!(wire(&paused)["status"], "paused");
    let pending = &wire(&paused)["pending"][0];
    assert_eq!(keys(pending), ["args", "connector", "digest", "executionId", "method", "seq"]);

    let failed = runtime.execute("async () => { console.log('l'); throw new Error('boom'); }").await.unwrap();
    assert_eq!(keys(&wire(&failed)), ["calls", "error", "errorInfo", "executionId", "logs", "status"]);
    assert_eq!((&wire(&failed)["status"], &wire(&failed)["logs"]), (&json!("error"), &json!(["l"])));
    let silent = runtime.execute("async () => { throw new Error('boom'); }").await.unwrap();
    assert_eq!(keys(&wire(&silent)), ["calls", "error", "errorInfo", "executionId", "status"]);
    for outcome in [&done, &paused, &failed] {
        assert_eq!(wire(outcome)["executionId"], id_of(outcome).as_str());
    }
}

/// Covers OUTPUT-02, OUTPUT-05, runtime#5, DIFF-02.
#[tokio::test(flavor = "multi_thread")]
async fn each_outcome_echoes_the_whole_journal_of_the_execution() {
    let host = Host::new();
    let runtime = host.runtime();
    let paused = runtime.execute(LIST_THEN_PUT).await.unwrap();
    let list = json!({ "seq": 0, "connector": "shelf", "method": "list", "result": [], "requiresApproval": false,
        "state": "applied" });
    let put = json!({ "seq": 1, "connector": "shelf", "method": "put", "args": { "title": "z" },
        "requiresApproval": true, "state": "pending" });
    assert_eq!(wire(&paused)["calls"], json!([list, put]));
    let done = approve_all(&runtime, paused).await;
    let put = json!({ "seq": 1, "connector": "shelf", "method": "put", "args": { "title": "z" },
        "result": { "id": 1, "title": "z" }, "requiresApproval": true, "state": "applied", "approvedBy": "anna" });
    assert_eq!(wire(&done)["calls"], json!([list, put]));

    // Of a failed execution too, and always at the index of its seq.
    let code = "async () => { for (let i = 0; i < 5; i++) await t.echo(i); await codemode.step('s', () => 1);
        await t.fail({ msg: 'no' }); }";
    let failed = wire(&runtime.execute(code).await.unwrap());
    let calls = failed["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 7);
    for (at, call) in calls.iter().enumerate() {
        assert_eq!(call["seq"], at);
    }
    let states: Vec<&Value> = calls.iter().map(|c| &c["state"]).collect();
    assert_eq!(states, ["applied", "applied", "applied", "applied", "applied", "applied", "error"]);
    assert_eq!(calls[6]["error"], "no");
}

/// Covers OUTPUT-03.
#[tokio::test(flavor = "multi_thread")]
async fn an_ephemeral_entry_says_so_and_shows_no_result() {
    let outcome = run("async () => { await shelf.tick(); await shelf.list(); }").await;
    let calls = wire(&outcome)["calls"].clone();
    assert_eq!(
        calls,
        json!([
            { "seq": 0, "connector": "shelf", "method": "tick", "requiresApproval": false, "ephemeral": true,
              "state": "applied" },
            { "seq": 1, "connector": "shelf", "method": "list", "result": [], "requiresApproval": false,
              "state": "applied" },
        ])
    );
}

/// Covers OUTPUT-04.
#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_without_a_pass_has_no_calls() {
    let host = Host::new().limits(|l| l.code_units = 20);
    let runtime = host.runtime();
    let large = wire(&runtime.execute("async () => 'too long for it'").await.unwrap());
    assert_eq!(keys(&large), ["error", "errorInfo", "executionId", "status"]);
    assert_eq!(large["executionId"], "");
    let unknown = ExecutionId::from_text("zz");
    let refused = wire(&runtime.approve(&unknown, Picks::AllPending, anna()).await.unwrap());
    assert_eq!(keys(&refused), ["error", "errorInfo", "executionId", "status"]);
    assert_eq!((&refused["status"], &refused["executionId"]), (&json!("error"), &json!("zz")));
    let done = runtime.execute("async () => 1").await.unwrap();
    let again = runtime.approve(&id_of(&done), Picks::AllPending, anna()).await.unwrap();
    assert_eq!(keys(&wire(&again)), ["error", "errorInfo", "executionId", "status"]);
}

/// Covers OUTPUT-06, WEAK-24, DIFF-10.
#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_has_the_lines_of_its_pass_and_the_record_those_of_all() {
    let runtime = Host::new().runtime();
    let code = "async () => { console.log('A'); await shelf.put({ title: 'z' }); console.log('B'); }";
    let paused = runtime.execute(code).await.unwrap();
    assert_eq!(wire(&paused).get("logs"), None);
    assert_eq!(stored(&runtime, &paused).execution.logs, ["A"]);
    let done = approve_all(&runtime, paused).await;
    assert_eq!(wire(&done)["logs"], json!(["A", "B"]));
    assert_eq!(stored(&runtime, &done).execution.logs, ["A", "A", "B"]);

    let failed = runtime.execute("async () => { console.warn('w'); throw new Error('boom'); }").await.unwrap();
    assert_eq!(wire(&failed)["logs"], json!(["[warn] w"]));
    assert_eq!(error_of(&failed).message, "boom");
    assert_eq!(stored(&runtime, &failed).execution.logs, ["[warn] w"]);
}

/// Covers OUTPUT-07, LIFECYCLE-10.
#[tokio::test(flavor = "multi_thread")]
async fn a_divergence_carries_its_text_unchanged_and_ends_the_execution() {
    use codemode_conformance::fixtures::EventKind;
    let mut host = Host::new();
    host.determinism = Determinism::Live;
    let runtime = host.runtime();
    let paused = runtime.execute("async () => shelf.put({ title: Math.random() })").await.unwrap();
    let outcome = approve_all(&runtime, paused).await;
    assert_eq!(error_of(&outcome).kind, ErrorKind::Divergence);
    let text = "replay divergence at seq 0: the arguments of shelf.put differ from the recorded run at .title";
    assert_eq!(error_of(&outcome).message, text);
    assert!(wire(&outcome)["error"].as_str().unwrap().starts_with(text));
    assert_eq!(stored(&runtime, &outcome).execution.error.unwrap().message, text);
    assert_eq!(host.ledger.count("shelf", "put"), 0);
    assert_eq!(crate::kit::hooks(&host, EventKind::PassEnded, &outcome), ["paused", "error"]);
    assert_eq!(crate::kit::hooks(&host, EventKind::ExecutionEnded, &outcome), ["error"]);
}

/// Covers OUTPUT-08.
#[tokio::test(flavor = "multi_thread")]
async fn an_error_without_a_text_gets_one() {
    let error = CodeError::new(ErrorKind::Thrown, "");
    assert_eq!(error_text(&error), "the execution failed");
    let outcome = Outcome::Failed { execution: None, error, logs: Vec::new(), calls: None };
    assert_eq!(wire(&outcome)["error"], "the execution failed");
    for code in
        ["async () => { throw new Error(''); }", "async () => { throw ''; }", "async () => { throw undefined; }"]
    {
        let text = wire(&run(code).await)["error"].as_str().unwrap().to_owned();
        assert!(!text.trim().is_empty(), "{code}");
    }
}

/// Covers OUTPUT-09, runtime-handle#7.
#[tokio::test(flavor = "multi_thread")]
async fn execute_and_approve_give_the_same_shapes() {
    let host = Host::new();
    let runtime = host.runtime();
    let paused = runtime.execute(LIST_THEN_PUT).await.unwrap();
    // The handle that approves uses its own executor and connectors.
    let other = host.runtime();
    let approved = wire(&approve_all(&other, paused).await);
    let direct =
        wire(&runtime.execute("async () => { await shelf.list(); return { id: 1, title: 'z' }; }").await.unwrap());
    assert_eq!(keys(&approved), keys(&direct));
    assert_eq!((&approved["status"], &approved["result"]), (&direct["status"], &direct["result"]));

    let two =
        "async () => { await shelf.put({ title: 'a' }); await shelf.put({ title: 'b' }); throw new Error('boom'); }";
    let first = runtime.execute(two).await.unwrap();
    let second = other.approve(&id_of(&first), Picks::AllPending, anna()).await.unwrap();
    assert_eq!(keys(&wire(&first)), keys(&wire(&second)));
    assert_eq!(wire(&second)["pending"][0]["seq"], 1);
    let third = other.approve(&id_of(&first), Picks::AllPending, anna()).await.unwrap();
    let thrown = runtime.execute("async () => { throw new Error('boom'); }").await.unwrap();
    assert_eq!(keys(&wire(&third)), keys(&wire(&thrown)));
    assert!(wire(&third)["error"].as_str().unwrap().starts_with("boom"));
}

/// Covers OUTPUT-10.
#[tokio::test(flavor = "multi_thread")]
async fn the_source_is_in_the_record_and_not_in_outcomes() {
    let runtime = Host::new().runtime();
    let code = "async () => { const secretName = 1; return secretName; }";
    let outcome = runtime.execute(code).await.unwrap();
    assert!(!outcome.to_wire().contains("secretName"), "{}", outcome.to_wire());
    assert_eq!(stored(&runtime, &outcome).execution.start.code, code);
    assert_eq!(result_of(&outcome), "1");
    let rejected = runtime.execute("async () => shelf.put({ title: 'x' })").await.unwrap();
    assert!(runtime.reject(&id_of(&rejected), Seq(0), anna()).await.unwrap());
    assert!(stored(&runtime, &rejected).execution.error.is_some());
}
