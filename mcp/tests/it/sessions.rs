//! Many clients over one runtime.

use serde_json::json;

use crate::kit::{Person, call, connect, run, server, text, value};

#[tokio::test]
async fn many_clients_work_at_once_and_get_their_own_answers() {
    let (server, runtime) = server();
    let clients = (0..20).map(|number| {
        let server = server.clone();
        tokio::spawn(async move {
            let client = connect(&server, Person::default()).await;
            let runs = (0..5).map(|at| {
                let code = format!("async () => {{ await shelf.jot({{ text: 'x' }}); return '{number} {at}'; }}");
                let client = &client;
                async move { text(&run(client, &code).await).to_owned() }
            });
            let mut answers = Vec::new();
            for run in runs {
                answers.push(run.await);
            }
            assert_eq!(answers, (0..5).map(|at| format!("{number} {at}")).collect::<Vec<_>>());
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("no panic");
    }
    let all = runtime.executions(&codemode_runtime::Query::default()).expect("the store answers");
    assert!(all.iter().all(|one| one.status == codemode_runtime::Status::Completed));
}

#[tokio::test]
async fn what_one_client_ran_another_can_look_at_by_its_id() {
    let (server, _) = server();
    let first = connect(&server, Person::default()).await;
    let second = connect(&server, Person::default()).await;
    let done = run(&first, "async () => ({ n: 1 })").await;
    let id = value(&done)["executionId"].as_str().expect("an id");
    let seen = call(&second, "describe", json!({ "target": id })).await;
    assert_eq!(value(&seen)["outcome"], *value(&done));
    let unknown = call(&second, "describe", json!({ "target": "exec_0000000000000000_none" })).await;
    assert_eq!(value(&unknown)["kind"], "method", "nothing is there, and the docs say so");
}
