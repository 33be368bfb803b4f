//! A connector that speaks http, against a real server: what is granted gets through as it was meant, and nothing else
//! leaves the process.

use std::sync::Arc;

use codemode_runtime::connector::Connector as _;
use codemode_runtime::connector::component::ComponentConnector;
use codemode_runtime::connector::http::{HttpGrant, OriginGrant, Outbound};
use codemode_runtime::durable::failure::EffectState;
use codemode_runtime::durable::journal::Reach;
use codemode_runtime::host::LoadError;
use serde_json::{Value, json};

use crate::kit::{a_call, bytes, call, engine, options};
use crate::web_client::Client;
use crate::web_server::Server;

pub(crate) const WEB: &str = env!("CODEMODE_WEB_WASM");

/// The component that sends what it is told, with that grant.
pub(crate) fn raw(grant: HttpGrant) -> ComponentConnector {
    let mut options = options("web", &[("fixture", "raw")]);
    options.http = Some(grant);
    ComponentConnector::load(engine(), &bytes(WEB), options).unwrap()
}

fn granted(client: &Arc<Client>, origins: &[&str]) -> ComponentConnector {
    let client: Arc<dyn Outbound> = client.clone();
    raw(origins.iter().fold(HttpGrant::new(client), |grant, origin| grant.with(OriginGrant::new(origin).unwrap())))
}

/// What came of a request.
pub(crate) async fn fetch(web: &ComponentConnector, args: Value) -> Value {
    let came = call(web, "fetch", Some(&args.to_string())).await.unwrap_or_else(|f| panic!("{args}: {f:?}"));
    serde_json::from_str(&came.unwrap()).unwrap()
}

#[tokio::test]
async fn a_request_to_a_granted_origin_gets_through_and_its_answer_comes_back_whole() {
    let (server, client) = (Server::start(), Client::new());
    let web = granted(&client, &[&server.url("")]);
    let headers = json!({ "content-type": "text/plain", "x-mine": "yes", "content-length": "5" });
    let came = fetch(
        &web,
        json!({ "url": server.url("/echo?a=1&a=%20"), "method": "POST", "headers": headers, "body": "hällo"[..5] }),
    )
    .await;
    assert_eq!((&came["status"], &came["headers"]["content-type"]), (&json!(200), &json!("text/plain")), "{came}");
    assert_eq!((&came["body"], &came["headers"]["x-two"]), (&json!("häll"), &json!("2")), "{came}");
    let [seen] = &server.seen()[..] else { panic!("one request") };
    assert_eq!((seen.line.as_str(), seen.body.as_str()), ("POST /echo?a=1&a=%20 HTTP/1.1", "häll"));
    assert_eq!(seen.all("host"), [format!("127.0.0.1:{}", server.port())]);
    assert_eq!((seen.all("x-mine"), seen.all("content-length")), (vec!["yes"], vec!["5"]));
}

#[tokio::test]
async fn nothing_is_sent_to_where_it_is_not_granted() {
    let (server, client) = (Server::start(), Client::new());
    let port = server.port();
    let web = granted(&client, &[&server.url(""), "https://only-tls.example"]);
    for url in [
        "http://127.0.0.1/echo".to_owned(),
        format!("https://127.0.0.1:{port}/echo"),
        format!("http://localhost:{port}/echo"),
        format!("http://[::1]:{port}/echo"),
        format!("http://127.0.0.1.evil.example:{port}/echo"),
        format!("http://127.0.0.1:{port}@evil.example/echo"),
        format!("http://me@127.0.0.1:{port}/echo"),
        "http://only-tls.example/".to_owned(),
        // The host's default is https, for which nothing is granted here.
        format!("127.0.0.1:{port}/echo"),
    ] {
        let came = fetch(&web, json!({ "url": url })).await;
        assert_eq!(came["trouble"], "ErrorCode::HttpRequestDenied", "{url}: {came}");
    }
    assert_eq!((client.seen().len(), server.seen().len()), (0, 0));
    let refused = client.refused();
    assert_eq!(refused.len(), 9);
    assert_eq!(refused[5].origin, "http://evil.example");
    assert!(refused.iter().all(|r| r.method == "GET" && !r.origin.contains("me@")), "{refused:?}");
}

#[tokio::test]
async fn an_origin_is_the_same_in_every_spelling_and_goes_out_in_one() {
    let (server, client) = (Server::start(), Client::new());
    let port = server.port();
    let web = granted(&client, &[&server.url("")]);
    for url in [
        format!("http://127.1:{port}/echo"),
        format!("http://0x7F.1:{port}/echo"),
        format!("http://2130706433:{port}/echo"),
    ] {
        assert_eq!(fetch(&web, json!({ "url": url })).await["status"], 200, "{url}");
    }
    assert!(client.seen().iter().all(|request| request.url == server.url("/echo")), "{:?}", client.seen());
    let bare = fetch(&web, json!({ "url": server.url("?q=1") })).await;
    assert_eq!((&bare["status"], client.seen()[3].url.clone()), (&json!(404), server.url("/?q=1")));
}

#[tokio::test]
async fn only_the_granted_methods_are_sent() {
    let (server, client) = (Server::start(), Client::new());
    let handler: Arc<dyn Outbound> = client.clone();
    let grant = HttpGrant::new(handler).with(OriginGrant::new(&server.url("")).unwrap().only(["GET"]));
    let web = raw(grant);
    let with =
        |method: &str, headers: Value| json!({ "url": server.url("/echo"), "method": method, "headers": headers });
    assert_eq!(fetch(&web, with("GET", json!({}))).await["status"], 200);
    for (method, headers) in [
        ("POST", json!({})),
        ("get", json!({})),
        ("CONNECT", json!({})),
        ("GET", json!({ "X-HTTP-Method-Override": "DELETE" })),
    ] {
        let came = fetch(&web, with(method, headers)).await;
        assert_eq!(came["trouble"], "ErrorCode::HttpRequestDenied", "{method}: {came}");
    }
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn no_header_of_the_guest_says_where_a_request_goes_or_how_it_travels() {
    let (server, client) = (Server::start(), Client::new());
    let web = granted(&client, &[&server.url("")]);
    for name in ["Host", "Transfer-Encoding", "Connection", "Upgrade", "Proxy-Authorization"] {
        let came = fetch(&web, json!({ "url": server.url("/echo"), "headers": { name: "evil.example" } })).await;
        assert_eq!(came["trouble"], "the headers cannot be set", "{name}: {came}");
    }
    assert_eq!(server.seen().len(), 0);
    // Let through by the contract of `wasi:http`, and dropped here.
    fetch(&web, json!({ "url": server.url("/echo"), "headers": { "te": "trailers", "expect": "100-continue" } })).await;
    let [seen] = &server.seen()[..] else { panic!("one request") };
    assert_eq!((seen.all("te").len(), seen.all("expect").len()), (0, 0), "{seen:?}");
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_nobody_follows_it() {
    let (server, client) = (Server::start(), Client::new());
    let web = granted(&client, &[&server.url("")]);
    let came = fetch(&web, json!({ "url": server.url("/redirect") })).await;
    assert_eq!((&came["status"], &came["headers"]["location"]), (&json!(302), &json!(server.url("/secret"))));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn what_goes_wrong_on_the_way_has_a_code() {
    let (server, client) = (Server::start(), Client::new());
    let nobody = { std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap() };
    let web = granted(&client, &[&server.url(""), &format!("http://{nobody}")]);
    for (url, code) in [
        (server.url("/cut"), "ErrorCode::HttpResponseIncomplete"),
        (server.url("/garbage"), "ErrorCode::HttpProtocolError"),
        (format!("http://{nobody}/"), "ErrorCode::ConnectionRefused"),
    ] {
        assert_eq!(fetch(&web, json!({ "url": url })).await["trouble"], code, "{url}");
    }
    assert_eq!(fetch(&web, json!({ "url": server.url("/broken") })).await["status"], 500);
}

#[tokio::test]
async fn describing_uses_no_http() {
    let (server, client) = (Server::start(), Client::new());
    let mut options = options("web", &[("fixture", "raw"), ("describe", &server.url("/echo"))]);
    let handler: Arc<dyn Outbound> = client.clone();
    options.http = Some(HttpGrant::new(handler).with(OriginGrant::new(&server.url("")).unwrap()));
    let web = ComponentConnector::load(engine(), &bytes(WEB), options).unwrap();
    let failure = web.describe().await.unwrap_err();
    assert!(failure.message.contains("HttpRequestDenied"), "{failure:?}");
    assert!(client.refused()[0].reason.contains("describe"), "{:?}", client.refused());
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn without_a_grant_it_is_refused_and_with_an_empty_one_it_reaches_nothing() {
    let refused = ComponentConnector::load(engine(), &bytes(WEB), options("web", &[])).unwrap_err();
    let LoadError::Imports { offences, .. } = &refused else { panic!("{refused}") };
    assert!(offences.iter().all(|offence| offence.import.starts_with("wasi:http/")), "{refused}");
    assert!(refused.to_string().contains("needs a grant of http origins"), "{refused}");

    let (server, client) = (Server::start(), Client::new());
    let web = granted(&client, &[]);
    assert_eq!(web.reach(), Reach::StateOnly);
    let came = fetch(&web, json!({ "url": server.url("/echo") })).await;
    assert_eq!((&came["trouble"], server.seen().len()), (&json!("ErrorCode::HttpRequestDenied"), 0));
    assert_eq!(granted(&client, &[&server.url("")]).reach(), Reach::Outside);
}

#[tokio::test]
async fn a_component_that_was_built_for_an_older_or_newer_0_2_of_http_is_served() {
    let (server, client) = (Server::start(), Client::new());
    let built = String::from_utf8_lossy(&bytes(WEB)).matches("wasi:http/types@0.2.12").count();
    assert!(built > 0, "the versions below are written over this one");
    for version in [b"0.2.10", b"0.2.19"] {
        let mut component = bytes(WEB);
        let marks = [&b"wasi:http/types@0.2.12"[..], b"wasi:http/outgoing-handler@0.2.12"];
        for at in 0..component.len() {
            if let Some(mark) = marks.iter().find(|mark| component[at..].starts_with(mark)) {
                let end = at + mark.len();
                component[end - version.len()..end].copy_from_slice(version);
            }
        }
        let mut options = options("web", &[("fixture", "raw")]);
        options.http = Some(HttpGrant::new(client.clone()).with(OriginGrant::new(&server.url("")).unwrap()));
        let web = ComponentConnector::load(engine(), &component, options).unwrap();
        assert_eq!(fetch(&web, json!({ "url": server.url("/echo") })).await["status"], 200);
    }
}

#[tokio::test]
async fn a_grant_for_a_component_that_sends_nothing_changes_nothing() {
    let mut options = options("notes", &[]);
    options.http = Some(HttpGrant::new(Client::new()).with(OriginGrant::new("https://a.example").unwrap()));
    let notes = ComponentConnector::load(engine(), &bytes(crate::kit::NOTES), options).unwrap();
    assert_eq!(notes.reach(), Reach::StateOnly);
    assert!(!notes.inspection().sends_http());
}

#[tokio::test]
async fn what_a_connector_wants_and_may_not_reach_can_be_seen() {
    let grant = HttpGrant::new(Client::new()).with(OriginGrant::new("https://a.example").unwrap());
    let declared = raw(grant.clone()).describe().await.unwrap().origins;
    assert_eq!(grant.missing(&declared), ["https://wanted.example"]);
}

#[tokio::test]
async fn the_time_of_the_call_ends_its_requests() {
    let (server, client) = (Server::start(), Client::new());
    let web = granted(&client, &[&server.url("")]);
    let args = json!({ "url": server.url("/slow") }).to_string();
    let failure = web.call(a_call("fetch", Some(&args), 300)).await.unwrap_err();
    assert_eq!((failure.code.as_str(), failure.effect), ("timeout", EffectState::Possible), "{failure:?}");
}
