//! What the host's own handler says and does: faults, patience, a panic, being given up.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codemode_runtime::connector::http::{
    HttpFault, HttpGrant, HttpRequest, HttpResponse, OriginGrant, Outbound, Patience,
};
use codemode_runtime::connector::{BoxFuture, Connector as _};
use serde_json::{Value, json};

use crate::kit::a_call;
use crate::web::{fetch, raw};

pub(crate) const URL: &str = "https://a.example/x";

/// A handler made of one function.
pub(crate) struct Handler<F>(pub(crate) F);

impl<F> Outbound for Handler<F>
where
    F: Fn(HttpRequest) -> BoxFuture<'static, Result<HttpResponse, HttpFault>> + Send + Sync,
{
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpFault>> {
        (self.0)(request)
    }
}

/// A grant of one origin to a handler that answers at once.
pub(crate) fn answering(
    answer: impl Fn(HttpRequest) -> Result<HttpResponse, HttpFault> + Send + Sync + 'static,
) -> HttpGrant {
    let handler = Handler(move |request| -> BoxFuture<'static, _> { Box::pin(std::future::ready(answer(request))) });
    HttpGrant::new(Arc::new(handler)).with(OriginGrant::new("https://a.example").unwrap())
}

#[tokio::test]
async fn each_fault_reaches_the_guest_by_the_code_that_means_the_same() {
    let cases: [(HttpFault, &str); 10] = [
        (HttpFault::Denied, "HttpRequestDenied"),
        (HttpFault::NoHost, "DnsError"),
        (HttpFault::Refused, "ConnectionRefused"),
        (HttpFault::ConnectTimeout, "ConnectionTimeout"),
        (HttpFault::Tls("expired".to_owned()), "TlsProtocolError"),
        (HttpFault::Timeout, "HttpResponseTimeout"),
        (HttpFault::Cut, "HttpResponseIncomplete"),
        (HttpFault::TooLarge, "HttpResponseBodySize(Some(8388608"),
        (HttpFault::Protocol("half a line".to_owned()), "HttpProtocolError"),
        (HttpFault::Other("the proxy is asleep".to_owned()), "the proxy is asleep"),
    ];
    for (fault, code) in cases {
        let told = fault.clone();
        let came = fetch(&raw(answering(move |_| Err(told.clone()))), json!({ "url": URL })).await;
        let text = came["trouble"].as_str().unwrap_or_else(|| panic!("{fault:?}: {came}")).replace(['\n', ' '], "");
        assert!(text.contains(&code.replace(' ', "")), "{fault:?}: {text}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_http_is_a_fault_and_no_trap() {
    let header = |name: &str, value: &[u8]| vec![(name.to_owned(), value.to_vec())];
    for bad in [
        HttpResponse { status: 0, ..HttpResponse::default() },
        HttpResponse { status: 101, ..HttpResponse::default() },
        HttpResponse { status: 1_000, ..HttpResponse::default() },
        HttpResponse { status: 200, headers: header("a b", b"c"), ..HttpResponse::default() },
        HttpResponse { status: 200, headers: header("a", b"b\r\nc: d"), ..HttpResponse::default() },
    ] {
        let given = bad.clone();
        let came = fetch(&raw(answering(move |_| Ok(given.clone()))), json!({ "url": URL })).await;
        assert_eq!(came["trouble"], "ErrorCode::HttpProtocolError", "{bad:?}: {came}");
    }
    let odd = HttpResponse { status: 599, headers: header("X-Odd", b"\xff"), body: b"\0\xff".to_vec() };
    let came = fetch(&raw(answering(move |_| Ok(odd.clone()))), json!({ "url": URL })).await;
    assert_eq!((&came["status"], &came["length"]), (&json!(599), &json!(2)), "{came}");
}

#[tokio::test]
async fn the_handler_is_told_how_long_the_guest_wants_to_wait() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let grant = answering(move |request| {
        noted.lock().unwrap().push((request.patience, request.response_bytes, request.headers));
        Ok(HttpResponse { status: 204, ..HttpResponse::default() })
    });
    fetch(&raw(grant), json!({ "url": URL, "firstByteMs": 250 })).await;
    let patience = Patience { first_byte_ms: Some(250), ..Patience::default() };
    assert_eq!(*seen.lock().unwrap(), [(patience, 8 << 20, Vec::new())]);
}

#[tokio::test]
async fn a_handler_that_panics_is_a_fault_of_that_request_only() {
    let count = AtomicU32::new(0);
    let grant = answering(move |_| match count.fetch_add(1, Ordering::Relaxed) {
        0 => panic!("oops"),
        _ => Ok(HttpResponse { status: 200, ..HttpResponse::default() }),
    });
    let came = fetch(&raw(grant), json!({ "url": URL, "times": 2 })).await;
    assert!(came[0]["trouble"].as_str().unwrap().contains("the handler of http broke"), "{came}");
    assert_eq!(came[1]["status"], 200);
}

#[tokio::test]
async fn a_request_that_nobody_waits_for_any_more_is_given_up() {
    let held = Arc::new(());
    let inside = Arc::clone(&held);
    let handler = Handler(move |_| -> BoxFuture<'static, _> {
        let kept = Arc::clone(&inside);
        Box::pin(async move {
            std::future::pending::<()>().await;
            drop(kept);
            Err(HttpFault::Cut)
        })
    });
    let web = raw(HttpGrant::new(Arc::new(handler)).with(OriginGrant::new("https://a.example").unwrap()));
    let args = json!({ "url": URL }).to_string();
    let calling = web.call(a_call("fetch", Some(&args), 60_000));
    // The call waits in the handler; then whoever waits for the call goes away.
    tokio::select! {
        came = calling => panic!("{came:?}"),
        () = until(|| Arc::strong_count(&held) == 3) => {}
    }
    until(|| Arc::strong_count(&held) == 2).await;
}

/// Waits until it holds.
async fn until(holds: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never came to hold");
}

#[tokio::test]
async fn a_body_without_its_end_is_never_sent() {
    let sent = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&sent);
    let grant = answering(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(HttpResponse { status: 200, ..HttpResponse::default() })
    });
    let args = json!({ "url": URL, "method": "POST", "body": "half", "unfinished": true });
    let came = raw(grant).call(a_call("fetch", Some(&args.to_string()), 300)).await;
    assert_eq!(came.unwrap_err().code, "timeout");
    assert_eq!(sent.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn answers_to_parallel_requests_do_not_get_mixed_up() {
    let grant = answering(|request| {
        Ok(HttpResponse { status: 200, body: request.url.into_bytes(), ..HttpResponse::default() })
    });
    let web = raw(grant);
    let calls = (0..20).map(|n| {
        let web = &web;
        async move {
            let url = format!("{URL}/{n}");
            let came = fetch(web, json!({ "url": url, "parallel": 8 })).await;
            assert!(came.as_array().unwrap().iter().all(|one: &Value| one["body"] == url.as_str()), "{came}");
        }
    });
    futures_util::future::join_all(calls).await;
}
