//! Each bound of a grant, at its limit and one beyond it.

use std::sync::Arc;

use codemode_runtime::connector::BoxFuture;
use codemode_runtime::connector::component::ComponentConnector;
use codemode_runtime::connector::http::{HttpFault, HttpGrant, HttpLimits, HttpResponse, OriginGrant};
use serde_json::{Value, json};

use crate::web::{fetch, raw};
use crate::web_client::Client;
use crate::web_handler::{Handler, URL, answering};

fn ok() -> HttpResponse {
    HttpResponse { status: 200, ..HttpResponse::default() }
}

/// A component whose grant has these limits, and whose handler gives that answer.
fn limited(answer: HttpResponse, change: impl FnOnce(&mut HttpLimits)) -> ComponentConnector {
    let mut grant = answering(move |_| Ok(answer.clone()));
    change(&mut grant.limits);
    raw(grant)
}

fn statuses(came: &Value) -> usize {
    came.as_array().unwrap().iter().filter(|one| one["status"] == 200).count()
}

#[tokio::test]
async fn a_call_sends_so_many_requests_and_not_one_more() {
    let web = limited(ok(), |limits| limits.requests = 5);
    let came = fetch(&web, json!({ "url": URL, "times": 6 })).await;
    assert_eq!((statuses(&came), &came[5]["trouble"]), (5, &json!("ErrorCode::HttpRequestDenied")), "{came}");
    // Each call has its own.
    assert_eq!(statuses(&fetch(&web, json!({ "url": URL, "times": 5 })).await), 5);
}

#[tokio::test]
async fn a_call_that_keeps_asking_for_what_is_denied_is_told_of_no_more_than_twenty_times() {
    let (client, port) = (Client::new(), 9);
    let web = raw(HttpGrant::new(client.clone()).with(OriginGrant::new("https://a.example").unwrap()));
    let came = fetch(&web, json!({ "url": format!("http://127.0.0.1:{port}/"), "times": 30 })).await;
    assert_eq!((came.as_array().unwrap().len(), statuses(&came)), (30, 0));
    assert_eq!((client.refused().len(), client.seen().len()), (20, 0));
}

#[tokio::test]
async fn so_many_are_under_way_at_a_time_and_answers_that_are_held_count() {
    let web = limited(ok(), |limits| limits.in_flight = 3);
    for at_once in ["parallel", "hold"] {
        // `hold` sends one more than it holds.
        let number = if at_once == "parallel" { 4 } else { 3 };
        let came = fetch(&web, json!({ "url": URL, at_once: number })).await;
        assert_eq!(statuses(&came), 3, "{at_once}: {came}");
        assert_eq!(came[3]["trouble"], "ErrorCode::ConnectionLimitReached", "{at_once}: {came}");
    }
    assert_eq!(statuses(&fetch(&web, json!({ "url": URL, "times": 20 })).await), 20, "one after another");
}

#[tokio::test]
async fn a_request_body_has_a_limit() {
    let web = limited(ok(), |limits| limits.request_bytes = 10_000);
    let with = |bytes: u64| json!({ "url": URL, "method": "POST", "bytes": bytes });
    assert_eq!(fetch(&web, with(10_000)).await["status"], 200);
    let came = trouble(&fetch(&web, with(10_001)).await);
    assert!(came.contains("HttpRequestBodySize(Some(10000"), "{came}");
}

#[tokio::test]
async fn a_response_body_has_a_limit() {
    for (bytes, fits) in [(10_000, true), (10_001, false)] {
        let answer = HttpResponse { body: vec![b'x'; bytes], ..ok() };
        let came = fetch(&limited(answer, |limits| limits.response_bytes = 10_000), json!({ "url": URL })).await;
        assert_eq!(came["length"] == bytes, fits, "{came}");
        assert_eq!(came["trouble"].as_str().is_some_and(|t| t.contains("HttpResponseBodySize")), !fits, "{came}");
    }
}

#[tokio::test]
async fn large_bodies_pass_within_the_default_limit() {
    let web = raw(answering(|request| Ok(HttpResponse { body: request.body, ..ok() })));
    let came = fetch(&web, json!({ "url": URL, "method": "POST", "bytes": 8 << 20 })).await;
    assert_eq!(came["length"], 8 << 20, "{}", came["trouble"]);
}

#[tokio::test]
async fn headers_have_limits_by_number_and_by_size_in_both_directions() {
    let web = limited(ok(), |limits| (limits.headers, limits.header_bytes) = (10, 1_000));
    let filled = |filler: u64| json!({ "url": URL, "filler": filler });
    assert_eq!(fetch(&web, filled(10)).await["status"], 200);
    assert!(trouble(&fetch(&web, filled(11)).await).contains("HttpRequestHeaderSectionSize"));
    let sized = |bytes: usize| json!({ "url": URL, "headers": { "abc": "x".repeat(bytes - 3) } });
    assert_eq!(fetch(&web, sized(1_000)).await["status"], 200);
    assert!(trouble(&fetch(&web, sized(1_001)).await).contains("HttpRequestHeaderSectionSize"));
    for (headers, fits) in [
        (vec![("a".to_owned(), Vec::new()); 10], true),
        (vec![("a".to_owned(), Vec::new()); 11], false),
        (vec![("abc".to_owned(), vec![b'x'; 997])], true),
        (vec![("abc".to_owned(), vec![b'x'; 998])], false),
    ] {
        let web = limited(HttpResponse { headers, ..ok() }, |l| (l.headers, l.header_bytes) = (10, 1_000));
        let came = fetch(&web, json!({ "url": URL })).await;
        assert_eq!(came["status"] == 200, fits, "{came}");
        assert_eq!(trouble(&came).contains("HttpResponseHeaderSectionSize"), !fits, "{came}");
    }
}

fn trouble(came: &Value) -> String {
    came["trouble"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_handler_has_so_much_time_and_no_more() {
    let handler = Handler(|_| -> BoxFuture<'static, _> {
        Box::pin(async {
            std::future::pending::<()>().await;
            Err(HttpFault::Cut)
        })
    });
    let mut grant = HttpGrant::new(Arc::new(handler)).with(OriginGrant::new("https://a.example").unwrap());
    grant.limits.time_ms = 50;
    assert_eq!(trouble(&fetch(&raw(grant), json!({ "url": URL })).await), "ErrorCode::HttpResponseTimeout");
    // Who answers at once needs none of it.
    assert_eq!(fetch(&limited(ok(), |limits| limits.time_ms = 50), json!({ "url": URL })).await["status"], 200);
}
