//! How a call ends that nobody waits for: cancelled, its client gone, the server stopped.

use codemode_conformance::harness::{Host, anna};
use codemode_runtime::{ErrorKind, Query, Runtime, Status};
use serde_json::json;

use crate::kit::{INITIALIZE, Person, Raw, connect, ends, run, server, server_with, status_is, text, until, value};

/// Calls something that takes longer than any test.
const LONG: &str = "async () => { await shelf.jot({ text: 'x' }); await shelf.nap({ ms: 20000 }); return 'late'; }";

fn error_of_last(runtime: &Runtime) -> Option<ErrorKind> {
    let last = runtime.executions(&Query::default()).expect("the store answers").remove(0);
    let record = runtime.record(&last.id).expect("the store answers").expect("it is there");
    record.execution.error.map(|error| error.kind)
}

async fn naps(runtime: &Runtime) {
    let is_called = || {
        let last = runtime.executions(&Query::default()).expect("the store answers");
        last.first().is_some_and(|last| last.calls == 2).then_some(())
    };
    until("the long call", is_called).await;
}

#[tokio::test]
async fn a_cancelled_request_cancels_the_pass_and_is_not_answered() {
    let (server, runtime) = server();
    let mut raw = Raw::connected(&server).await;
    raw.run(1, LONG).await;
    naps(&runtime).await;
    let params = json!({ "requestId": 1, "reason": "the user pressed stop" });
    raw.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string()).await;
    status_is(&runtime, Status::Error).await;
    assert_eq!(error_of_last(&runtime), Some(ErrorKind::Cancelled));
    raw.ask(2, "ping", json!({})).await;
    assert_eq!(raw.hear().await["id"], 2, "nothing comes before it");
}

#[tokio::test]
async fn cancelling_what_is_unknown_or_over_changes_nothing() {
    let (server, _) = server();
    let mut raw = Raw::connected(&server).await;
    raw.run(1, "async () => 1").await;
    raw.answer(1).await;
    for id in [json!(1), json!(99), json!("x"), json!(null)] {
        let params = json!({ "requestId": id });
        raw.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string()).await;
    }
    raw.run(2, "async () => 2").await;
    assert_eq!(raw.answer(2).await["result"]["structuredContent"]["result"], 2);
}

#[tokio::test]
async fn a_question_that_is_cancelled_leaves_it_paused() {
    let (server, runtime) = server();
    let person = Person::who([]);
    let client = connect(&server, person.clone()).await;
    let asking = tokio::spawn(async move { run(&client, "async () => mail.send({ to: 'ada' })").await });
    until("a question", || person.questions().first().cloned()).await;
    asking.abort();
    let _ = asking.await;
    status_is(&runtime, Status::Paused).await;
    let pending = runtime.pending(None).expect("the store answers");
    assert_eq!(pending.len(), 1, "it waits for another door");
    let outcome = runtime.approve(&pending[0].execution, codemode_runtime::Picks::AllPending, anna()).await;
    assert_eq!(outcome.expect("the host works").status(), Status::Completed);
}

#[tokio::test]
async fn calls_of_a_client_that_is_gone_have_their_time_to_end() {
    let (server, runtime) = server();
    let mut raw = Raw::connected(&server).await;
    raw.run(1, "async () => { await shelf.nap({ ms: 300 }); return 'done'; }").await;
    until("it runs", || runtime.executions(&Query::default()).expect("the store answers").first().map(|_| ())).await;
    raw.leave().await;
    ends("the session", raw.served).await.expect("no panic").expect("no error");
    status_is(&runtime, Status::Completed).await;
}

#[tokio::test]
async fn and_not_more_than_that_time() {
    let (server, runtime) = server_with(|limits| limits.leave_ms = 20);
    let mut raw = Raw::connected(&server).await;
    raw.run(1, LONG).await;
    naps(&runtime).await;
    drop(raw.write);
    drop(raw.read);
    ends("the session", raw.served).await.expect("no panic").expect("no error");
    assert_eq!(error_of_last(&runtime), Some(ErrorKind::Cancelled), "it is over before the session is");
}

#[tokio::test]
async fn a_client_that_comes_and_goes_is_no_error() {
    let (server, _) = server();
    for words in [&[][..], &[INITIALIZE][..]] {
        let mut raw = Raw::new(&server);
        for word in words {
            raw.say(word).await;
        }
        raw.leave().await;
        ends("the session", raw.served).await.expect("no panic").expect("no error");
    }
}

#[tokio::test]
async fn a_server_that_stops_lets_calls_end_and_begins_none() {
    let (server, runtime) = server();
    let mut raw = Raw::connected(&server).await;
    raw.run(1, "async () => { await shelf.nap({ ms: 300 }); return 'done'; }").await;
    until("it runs", || runtime.executions(&Query::default()).expect("the store answers").first().map(|_| ())).await;
    server.stop();
    raw.run(2, "async () => 2").await;
    let refused = raw.hear().await;
    assert_eq!((&refused["id"], &refused["error"]["message"]), (&json!(2), &json!("the server is stopping")));
    assert_eq!(raw.answer(1).await["result"]["structuredContent"]["result"], "done");
    assert!(raw.is_over().await);
    ends("the session", raw.served).await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn what_does_not_end_in_time_is_left_to_be_recovered() {
    let host = Host::new();
    let runtime = host.runtime();
    let mut limits = codemode_mcp::Limits::default();
    limits.leave_ms = 20;
    let server = codemode_mcp::Server::new(runtime.clone(), codemode_mcp::Options::default().limits(limits));
    let mut raw = Raw::connected(&server).await;
    raw.run(1, LONG).await;
    naps(&runtime).await;
    server.stop();
    ends("the session", raw.served).await.expect("no panic").expect("no error");
    status_is(&runtime, Status::Running).await;
    assert_eq!(error_of_last(&runtime), None, "nobody cancelled it");
}

#[tokio::test]
async fn a_question_ends_when_the_server_stops() {
    let (server, runtime) = server();
    let person = Person::who([]);
    let client = connect(&server, person.clone()).await;
    let asking = tokio::spawn(async move { run(&client, "async () => mail.send({ to: 'ada' })").await });
    until("a question", || person.questions().first().cloned()).await;
    server.stop();
    let paused = ends("the question", asking).await.expect("no panic");
    assert_eq!(value(&paused)["status"], "paused");
    assert!(text(&paused).contains("codemode approve"));
    status_is(&runtime, Status::Paused).await;
}
