//! Progress: one line for each call and step, for clients that asked for it.

use serde_json::json;

use crate::kit::{Person, Raw, approve, connect, run, server, text, until};

/// The SDK's client gives a token with each request.
#[tokio::test]
async fn each_call_and_step_is_told_in_order() {
    let (server, _) = server();
    let person = Person::default();
    let client = connect(&server, person.clone()).await;
    let code = "async () => {
        await shelf.echo(1);
        await codemode.step('think', async () => 2);
        await shelf.list();
        return 'done';
    }";
    assert_eq!(text(&run(&client, code).await), "done");
    let told = until("three lines", || Some(person.told()).filter(|told| told.len() >= 3)).await;
    let expected = [(1.0, "shelf.echo"), (2.0, "step think"), (3.0, "shelf.list")];
    assert_eq!(told, expected.map(|(number, message)| (number, message.to_owned())));
}

#[tokio::test]
async fn progress_goes_on_after_an_approval() {
    let (server, _) = server();
    let person = Person::who([approve()]);
    let client = connect(&server, person.clone()).await;
    run(&client, "async () => { await shelf.put({ title: 'x' }); await shelf.list(); }").await;
    let told = until("two lines", || Some(person.told()).filter(|told| told.len() >= 2)).await;
    assert_eq!(told, [(1.0, "shelf.put".to_owned()), (2.0, "shelf.list".to_owned())]);
}

#[tokio::test]
async fn without_a_token_nothing_is_told_and_with_one_it_comes_before_the_answer() {
    let (server, _) = server();
    let mut raw = Raw::connected(&server).await;
    raw.run(1, "async () => shelf.echo(1)").await;
    assert_eq!(raw.hear().await["id"], 1);
    let arguments = json!({ "code": "async () => { await shelf.echo(1); await shelf.echo(2); }" });
    let meta = json!({ "progressToken": "p" });
    raw.ask(2, "tools/call", json!({ "name": "codemode", "arguments": arguments, "_meta": meta })).await;
    for number in [1, 2] {
        let told = raw.hear().await;
        assert_eq!(told["method"], "notifications/progress");
        assert_eq!((&told["params"]["progressToken"], &told["params"]["message"]), (&json!("p"), &json!("shelf.echo")));
        assert_eq!(told["params"]["progress"].as_f64(), Some(f64::from(number)));
    }
    assert_eq!(raw.hear().await["id"], 2);
}
