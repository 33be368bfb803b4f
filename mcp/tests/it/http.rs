//! Streamable HTTP as bytes on a socket: who is let in, how much, how many, and how it ends.

use std::net::SocketAddr;

use codemode_mcp::{Access, Error, Limits, Server, Token};
use codemode_runtime::{ErrorKind, Query, Runtime, Status};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::kit::{INITIALIZE, ends, server_with, status_is, until};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server on a free port.
struct Site {
    server: Server,
    runtime: Runtime,
    address: SocketAddr,
    served: tokio::task::JoinHandle<Result<(), Error>>,
}

/// What came back.
#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// The last message of the body, plain or as an event.
    fn message(&self) -> Value {
        let data: Vec<&str> = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let text = data.iter().rev().find(|text| text.starts_with('{')).copied().unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Site {
    async fn new(change: impl FnOnce(&mut Limits)) -> Self {
        let (server, runtime) = server_with(change);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let access = Access::new(Token::new(TOKEN).expect("a token")).origin("https://app.example.com");
        let serving = server.clone();
        let served = tokio::spawn(async move { serving.http(listener, access).await });
        Self { server, runtime, address, served }
    }

    /// Sends those bytes and reads until the answer is complete.
    async fn bytes(&self, bytes: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        // It may answer and close before it has read everything.
        let _ = stream.write_all(bytes).await;
        let mut all = Vec::new();
        let _ = ends("an answer", stream.read_to_end(&mut all)).await;
        let text = String::from_utf8_lossy(&all).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        let body =
            if head.to_lowercase().contains("transfer-encoding: chunked") { chunks(body) } else { body.to_owned() };
        Reply { status, head: head.to_owned(), body }
    }

    async fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = format!("{method} /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        self.bytes(format!("{request}\r\n{body}").as_bytes()).await
    }

    async fn post(&self, session: Option<&str>, body: &str) -> Reply {
        let bearer = format!("Bearer {TOKEN}");
        let mut headers = vec![
            ("Host", "localhost"),
            ("Authorization", &bearer),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
        self.send("POST", &headers, body).await
    }

    /// Opens a session.
    async fn open(&self) -> String {
        let reply = self.post(None, INITIALIZE).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.header("mcp-session-id").expect("a session").to_owned()
    }

    async fn run(&self, session: &str, id: u32, code: &str) -> Reply {
        let params = json!({ "name": "codemode", "arguments": { "code": code } });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        self.post(Some(session), &request.to_string()).await
    }
}

fn chunks(mut body: &str) -> String {
    let mut all = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let Ok(size @ 1..) = usize::from_str_radix(size, 16) else { break };
        all.push_str(rest.get(..size).unwrap_or(rest));
        body = rest.get(size + 2..).unwrap_or("");
    }
    all
}

#[tokio::test]
async fn a_session_runs_code() {
    let site = Site::new(|_| {}).await;
    let session = site.open().await;
    let reply = site.run(&session, 1, "async () => 40 + 2").await;
    assert_eq!(reply.message()["result"]["structuredContent"]["result"], 42, "{reply:?}");
}

#[tokio::test]
async fn only_a_loopback_address_is_served() {
    let (server, _) = server_with(|_| {});
    let listener = TcpListener::bind("0.0.0.0:0").await.expect("a free port");
    let error = server.http(listener, Access::new(Token::new(TOKEN).expect("a token"))).await.expect_err("refused");
    assert!(matches!(error, Error::NotLoopback(_)));
    assert!(error.to_string().contains("0.0.0.0") && error.to_string().contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn without_the_token_nobody_is_let_in() {
    let site = Site::new(|_| {}).await;
    let none = site.send("POST", &[("Host", "localhost")], INITIALIZE).await;
    assert_eq!((none.status, none.header("www-authenticate")), (401, Some("Bearer realm=\"codemode\"")));
    for method in ["GET", "POST", "DELETE", "OPTIONS"] {
        let wrong = site.send(method, &[("Host", "localhost"), ("Authorization", "Bearer wrong")], "").await;
        assert_eq!(wrong.status, 401, "{method}");
        assert!(wrong.header("www-authenticate").expect("a challenge").contains("invalid_token"));
        assert!(!wrong.body.contains(TOKEN) && !wrong.head.contains(TOKEN));
    }
    let in_the_url = format!(
        "POST /mcp?token={TOKEN}&access_token={TOKEN} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(site.bytes(in_the_url.as_bytes()).await.status, 401);
}

#[tokio::test]
async fn names_and_pages_from_elsewhere_are_turned_away() {
    let site = Site::new(|_| {}).await;
    let bearer = format!("Bearer {TOKEN}");
    let base = [
        ("Authorization", &*bearer),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    for (host, origin, status) in [
        ("rebound.example", None, 403),
        ("localhost.rebound.example", None, 403),
        ("localhost", Some("https://evil.example"), 403),
        ("localhost", Some("null"), 403),
        ("localhost:1234", Some("http://127.0.0.1:5173"), 200),
        ("[::1]", Some("https://app.example.com"), 200),
    ] {
        let mut headers = base.to_vec();
        headers.push(("Host", host));
        headers.extend(origin.map(|origin| ("Origin", origin)));
        assert_eq!(site.send("POST", &headers, INITIALIZE).await.status, status, "{host} {origin:?}");
    }
    assert_eq!(site.bytes(b"POST /mcp HTTP/1.0\r\n\r\n").await.status, 403, "no name at all");
    let preflight =
        [("Host", "localhost"), ("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")];
    let reply = site.send("OPTIONS", &preflight, "").await;
    assert!(reply.status == 403 && reply.header("access-control-allow-origin").is_none());
}

#[tokio::test]
async fn a_page_that_is_allowed_can_speak_and_read() {
    let site = Site::new(|_| {}).await;
    let here = [("Host", "localhost"), ("Origin", "https://app.example.com")];
    let asked = site.send("OPTIONS", &here, "").await;
    assert_eq!((asked.status, asked.header("access-control-allow-origin")), (204, Some("https://app.example.com")));
    assert!(asked.header("access-control-allow-headers").expect("headers").contains("authorization"));
    let refused = site.send("POST", &here, INITIALIZE).await;
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (401, Some("https://app.example.com")));
    let bearer = format!("Bearer {TOKEN}");
    let json = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let opened = site.send("POST", &[&here[..], &json[..], &[("Authorization", &*bearer)]].concat(), INITIALIZE).await;
    assert_eq!(opened.status, 200);
    assert!(opened.header("access-control-expose-headers").expect("headers").contains("mcp-session-id"));
}

#[tokio::test]
async fn other_paths_methods_and_sessions_are_not_there() {
    let site = Site::new(|_| {}).await;
    let bearer = format!("Bearer {TOKEN}");
    let request =
        format!("POST /other HTTP/1.1\r\nHost: localhost\r\nAuthorization: {bearer}\r\nConnection: close\r\n\r\n");
    assert_eq!(site.bytes(request.as_bytes()).await.status, 404);
    let put = site.send("PUT", &[("Host", "localhost"), ("Authorization", &bearer)], "").await;
    assert_eq!((put.status, put.header("allow")), (405, Some("GET, POST, DELETE")));
    assert_eq!(site.run("no-such-session", 1, "async () => 1").await.status, 404);
}

#[tokio::test]
async fn a_body_of_the_limit_is_read_and_one_byte_more_is_not() {
    let site = Site::new(|limits| limits.message_bytes = 1_000).await;
    let body = |bytes: usize| INITIALIZE.replace("raw", &"r".repeat(bytes - INITIALIZE.len() + 3));
    assert_eq!(body(1_000).len(), 1_000);
    assert_eq!(site.post(None, &body(1_000)).await.status, 200);
    let over = site.post(None, &body(1_001)).await;
    assert_eq!(over.status, 413);
    assert!(over.body.contains("larger than 1000 bytes (limit `message size`)"), "{over:?}");
    let bearer = format!("Authorization: Bearer {TOKEN}");
    let mut chunked = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{bearer}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    for _ in 0..3 {
        chunked.push_str(&format!("190\r\n{}\r\n", "x".repeat(400)));
    }
    chunked.push_str("0\r\n\r\n");
    assert_eq!(site.bytes(chunked.as_bytes()).await.status, 413, "the length need not be announced");
}

#[tokio::test]
async fn what_is_no_message_is_a_bad_request_and_harms_nobody() {
    let site = Site::new(|_| {}).await;
    let session = site.open().await;
    for (body, code) in [("{", -32_700), ("", -32_700), ("[]", -32_600), ("{}", -32_600), ("\u{0}", -32_700)] {
        let reply = site.post(Some(&session), body).await;
        assert_eq!((reply.status, &reply.message()["error"]["code"]), (400, &json!(code)), "{body}");
    }
    assert_eq!(site.bytes(b"\x16\x03\x01\x02\x00\x01\x00").await.status, 400, "TLS to a plain port");
    let reply = site.run(&session, 1, "async () => 'still here'").await;
    assert_eq!(reply.message()["result"]["structuredContent"]["result"], "still here");
}

#[tokio::test]
async fn so_many_sessions_and_not_one_more() {
    let site = Site::new(|limits| limits.sessions = 3).await;
    let first = site.open().await;
    for _ in 0..2 {
        site.open().await;
    }
    let over = site.post(None, INITIALIZE).await;
    assert_eq!(over.status, 503);
    assert!(over.body.contains("there are 3 sessions already (limit `sessions`)"), "{over:?}");
    let reply = site.run(&first, 1, "async () => 1").await;
    assert_eq!(reply.status, 200, "those that are there go on");
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("Host", "localhost"), ("Authorization", &*bearer), ("Mcp-Session-Id", &*first)];
    assert!(site.send("DELETE", &headers, "").await.status < 300);
    site.open().await;
}

#[tokio::test]
async fn sessions_opened_at_once_do_not_pass_the_limit() {
    let site = std::sync::Arc::new(Site::new(|limits| limits.sessions = 3).await);
    let openings = (0..12).map(|_| {
        let site = site.clone();
        tokio::spawn(async move { site.post(None, INITIALIZE).await.status })
    });
    let mut opened = 0;
    for opening in openings.collect::<Vec<_>>() {
        opened += usize::from(opening.await.expect("no panic") == 200);
    }
    assert_eq!(opened, 3);
}

#[tokio::test]
async fn a_session_without_a_message_for_the_idle_time_is_closed() {
    let site = Site::new(|limits| limits.idle_ms = 100).await;
    let idle = site.open().await;
    // Whatever is asked of it would keep it alive; a session more than the limit tells that it is gone.
    let gone = ends("the session", async {
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(150)).await;
            if site.run(&idle, 1, "async () => 1").await.status == 404 {
                return true;
            }
        }
    });
    assert!(gone.await);
    let busy = Site::new(|limits| limits.idle_ms = 60_000).await;
    let session = busy.open().await;
    assert_eq!(busy.run(&session, 1, "async () => 1").await.status, 200);
}

#[tokio::test]
async fn a_closed_session_cancels_what_it_runs() {
    let site = Site::new(|_| {}).await;
    let session = site.open().await;
    let code = "async () => { await shelf.jot({ text: 'x' }); await shelf.nap({ ms: 20000 }); }";
    let params = json!({ "name": "codemode", "arguments": { "code": code } });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let bearer = format!("Bearer {TOKEN}");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: {bearer}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n",
        request.len()
    );
    let mut running = TcpStream::connect(site.address).await.expect("it listens");
    running.write_all(format!("{head}{request}").as_bytes()).await.expect("it reads");
    let calls = || site.runtime.executions(&Query::default()).expect("the store answers").first().map(|e| e.calls);
    until("the long call", || (calls() == Some(2)).then_some(())).await;
    let headers = [("Host", "localhost"), ("Authorization", &*bearer), ("Mcp-Session-Id", &*session)];
    assert!(site.send("DELETE", &headers, "").await.status < 300);
    status_is(&site.runtime, Status::Error).await;
    let last = site.runtime.executions(&Query::default()).expect("the store answers").remove(0);
    let record = site.runtime.record(&last.id).expect("the store answers").expect("it is there");
    assert_eq!(record.execution.error.expect("an error").kind, ErrorKind::Cancelled);
}

#[tokio::test]
async fn a_request_that_never_ends_is_given_up() {
    let site = Site::new(|limits| limits.receive_ms = 100).await;
    assert_eq!(site.bytes(b"POST /mcp HTTP/1.1\r\nHost: loc").await.body, "", "the head");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{{"
    );
    let slow = site.bytes(head.as_bytes()).await;
    assert_eq!(slow.status, 408, "the body: {slow:?}");
    assert!(slow.body.contains("limit `receive time`"));
}

#[tokio::test]
async fn connections_that_say_nothing_keep_nobody_out() {
    let site = Site::new(|limits| {
        limits.connections = 4;
        limits.receive_ms = 200;
    })
    .await;
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(TcpStream::connect(site.address).await.expect("it listens"));
    }
    assert!(!site.open().await.is_empty());
}

#[tokio::test]
async fn a_client_that_never_reads_keeps_nobody_waiting() {
    let site = Site::new(|_| {}).await;
    let deaf = site.open().await;
    let code = "async () => { for (let i = 0; i < 500; i++) await shelf.echo(i); return 'x'.repeat(20000); }";
    let params = json!({ "name": "codemode", "arguments": { "code": code }, "_meta": { "progressToken": 1 } });
    let mut streams = Vec::new();
    for id in 1..=10 {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMcp-Session-Id: {deaf}\r\nContent-Length: {}\r\n\r\n",
            request.len()
        );
        let mut stream = TcpStream::connect(site.address).await.expect("it listens");
        stream.write_all(format!("{head}{request}").as_bytes()).await.expect("it reads");
        streams.push(stream);
    }
    let other = site.open().await;
    for id in 1..=20 {
        let reply = site.run(&other, id, "async () => 'served'").await;
        assert_eq!(reply.message()["result"]["structuredContent"]["result"], "served");
    }
    let all_ended = || {
        let all = site.runtime.executions(&Query::default()).expect("the store answers");
        (all.len() == 30 && all.iter().all(|one| one.status == Status::Completed)).then_some(())
    };
    until("what it asked for is done all the same", all_ended).await;
}

#[tokio::test]
async fn a_server_that_stops_answers_what_runs_and_lets_nobody_in() {
    let site = Site::new(|_| {}).await;
    let session = site.open().await;
    let site = std::sync::Arc::new(site);
    let running = tokio::spawn({
        let (site, session) = (site.clone(), session.clone());
        async move { site.run(&session, 1, "async () => { await shelf.nap({ ms: 300 }); return 'done'; }").await }
    });
    let begun = || site.runtime.executions(&Query::default()).expect("the store answers").first().map(|_| ());
    until("it runs", begun).await;
    site.server.stop();
    let reply = ends("the answer", running).await.expect("no panic");
    assert_eq!(reply.message()["result"]["structuredContent"]["result"], "done");
    let site = std::sync::Arc::into_inner(site).expect("the last one");
    ends("the server", site.served).await.expect("no panic").expect("no error");
    assert!(TcpStream::connect(site.address).await.is_err(), "nobody listens");
}
