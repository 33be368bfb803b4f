//! Clients that send garbage, too much, or read nothing. Each harms itself at most.

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::kit::{INITIALIZED, Person, Raw, connect, run, server, server_with, text};

#[tokio::test]
async fn garbage_is_answered_and_the_session_goes_on() {
    let (server, _) = server();
    let mut raw = Raw::connected(&server).await;
    for (line, code) in [
        ("{", -32_700),
        ("\u{1}\u{2}", -32_700),
        ("[]", -32_600),
        ("{}", -32_600),
        ("\"text\"", -32_600),
        (r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, -32_600),
        (r#"[{"jsonrpc":"2.0","id":5,"method":"ping"}]"#, -32_600),
    ] {
        raw.say(line).await;
        assert_eq!(raw.hear().await["error"]["code"], code, "{line}");
    }
    raw.write.write_all(b"\xff\xfe\n\n  \n\r\n").await.expect("the server reads");
    assert_eq!(raw.hear().await["error"]["code"], -32_700);
    raw.ask(1, "no/such/method", json!({})).await;
    assert_eq!(raw.hear().await["error"]["code"], -32_601);
    raw.ask(2, "tools/call", json!({ "name": 5 })).await;
    assert!(raw.answer(2).await["error"]["code"].is_i64());
    raw.run(3, "async () => 'still here'").await;
    assert_eq!(raw.answer(3).await["result"]["structuredContent"]["result"], "still here");
}

#[tokio::test]
async fn a_message_of_the_limit_is_read_and_one_byte_more_is_not() {
    for (over, answered) in [(0, true), (1, false)] {
        let (server, _) = server_with(|limits| limits.message_bytes = 500);
        let mut raw = Raw::connected(&server).await;
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":""}}}"#;
        let line = ping.replace("\"\"", &format!("\"{}\"", "x".repeat(500 + over - ping.len())));
        assert_eq!(line.len(), 500 + over);
        raw.say(&line).await;
        let heard = raw.hear().await;
        assert_eq!(heard["id"] == 1, answered, "{heard}");
        if !answered {
            let said = "the message is larger than 500 bytes (limit `message size`)";
            assert_eq!(heard["error"]["message"], said);
        }
        raw.ask(2, "ping", Value::Null).await;
        assert_eq!(raw.hear().await["id"], 2, "what comes after it is read");
    }
}

#[tokio::test]
async fn an_endless_line_takes_no_memory() {
    let (server, _) = server_with(|limits| limits.message_bytes = 1_000);
    let mut raw = Raw::connected(&server).await;
    for _ in 0..1_000 {
        raw.write.write_all(&[b'x'; 4_096]).await.expect("the server reads");
    }
    raw.say("").await;
    assert!(raw.hear().await["error"]["message"].as_str().expect("a text").contains("message size"));
    raw.ask(2, "ping", Value::Null).await;
    assert_eq!(raw.hear().await["id"], 2);
}

#[tokio::test]
async fn nothing_but_a_request_can_begin_and_the_newest_revision_is_answered_with_what_is_spoken() {
    let (server, _) = server();
    let mut raw = Raw::new(&server);
    raw.say(INITIALIZED).await;
    raw.say(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#).await;
    raw.ask(1, "tools/list", json!({})).await;
    assert!(raw.hear().await["error"]["code"].is_i64());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "new", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    raw.ask(2, "server/discover", json!({ "_meta": meta })).await;
    let answer = raw.hear().await;
    assert_eq!(answer["error"]["code"], -32_022, "{answer}");
    assert!(answer["error"]["data"]["supported"].to_string().contains("2025-11-25"), "{answer}");
    for (asked, spoken) in [("2025-11-25", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25")] {
        let mut raw = Raw::new(&server);
        raw.say(&crate::kit::INITIALIZE.replace("2025-06-18", asked)).await;
        assert_eq!(raw.hear().await["result"]["protocolVersion"], spoken, "{asked}");
    }
}

#[tokio::test]
async fn a_client_that_never_reads_takes_nobody_down() {
    let (server, _) = server_with(|limits| limits.unsent = 8);
    let mut deaf = Raw::connected(&server).await;
    let flood = async {
        // It is not read any more at some point; that is the point.
        for id in 1..10_000 {
            deaf.ask(id, "tools/list", json!({})).await;
        }
    };
    let client = connect(&server, Person::default()).await;
    tokio::select! {
        biased;
        () = flood => panic!("everything was taken in"),
        () = async {
            for _ in 0..20 {
                assert_eq!(text(&run(&client, "async () => 'served'").await), "served");
            }
        } => {}
    }
}

#[tokio::test]
async fn so_many_calls_of_one_client_at_once_and_not_one_more() {
    let (server, _) = server_with(|limits| limits.calls = 2);
    let mut raw = Raw::connected(&server).await;
    let other = connect(&server, Person::default()).await;
    for id in 1..=2 {
        raw.run(id, "async () => { await shelf.nap({ ms: 2000 }); return 'done'; }").await;
    }
    raw.ask(3, "ping", Value::Null).await;
    raw.answer(3).await;
    raw.run(4, "async () => 4").await;
    let refused = raw.answer(4).await;
    assert_eq!(refused["result"]["isError"], true);
    let said = refused["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(said.contains("limit `calls at once`"), "{said}");
    assert_eq!(text(&run(&other, "async () => 'mine'").await), "mine", "others have their own");
    for _ in 1..=2 {
        assert_eq!(raw.hear().await["result"]["structuredContent"]["result"], "done");
    }
    raw.run(5, "async () => 5").await;
    assert_eq!(raw.answer(5).await["result"]["structuredContent"]["result"], 5, "there is room again");
}
