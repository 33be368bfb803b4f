//! A small http client for loopback, as a host may hand it to the runtime. It remembers what it was given.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use codemode_runtime::connector::BoxFuture;
use codemode_runtime::connector::http::{HttpFault, HttpRequest, HttpResponse, Outbound, RefusedRequest};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper_util::rt::TokioIo;

#[derive(Default)]
pub(crate) struct Client {
    seen: Mutex<Vec<HttpRequest>>,
    refused: Mutex<Vec<RefusedRequest>>,
}

impl Client {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// What it was given so far.
    pub(crate) fn seen(&self) -> Vec<HttpRequest> {
        self.seen.lock().unwrap().clone()
    }

    /// Why requests never came to it.
    pub(crate) fn refused(&self) -> Vec<RefusedRequest> {
        self.refused.lock().unwrap().clone()
    }
}

impl Outbound for Client {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpFault>> {
        self.seen.lock().unwrap().push(request.clone());
        Box::pin(carry(request))
    }

    fn refused(&self, refused: &RefusedRequest) {
        self.refused.lock().unwrap().push(refused.clone());
    }
}

async fn carry(request: HttpRequest) -> Result<HttpResponse, HttpFault> {
    let other = |error: &dyn std::fmt::Display| HttpFault::Other(error.to_string());
    let uri: http::Uri = request.url.parse().map_err(|error| other(&error))?;
    let authority = uri.authority().ok_or(HttpFault::NoHost)?.as_str();
    let address = (uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(80));
    let stream = tokio::net::TcpStream::connect(address).await.map_err(|_| HttpFault::Refused)?;
    let shaken = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = shaken.map_err(|_| HttpFault::Refused)?;
    let mut built = http::Request::builder()
        .method(request.method.as_str())
        .uri(uri.path_and_query().map_or("/", |path| path.as_str()))
        .header(http::header::HOST, authority);
    for (name, value) in request.headers {
        built = built.header(name, value);
    }
    let built = built.body(Full::new(Bytes::from(request.body))).map_err(|error| other(&error))?;
    let limit = usize::try_from(request.response_bytes).unwrap_or(usize::MAX);
    let answer = async move {
        let answer = sender.send_request(built).await.map_err(|error| match error.is_parse() {
            true => HttpFault::Protocol(error.to_string()),
            false => HttpFault::Cut,
        })?;
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, limit).collect().await.map_err(|error| match error.is::<LengthLimitError>() {
            true => HttpFault::TooLarge,
            false => HttpFault::Cut,
        })?;
        let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
        Ok(HttpResponse { status: head.status.as_u16(), headers: headers.collect(), body: body.to_bytes().into() })
    };
    // The connection works only while it is polled, and has nothing to say that the answer does not.
    let mut answer = std::pin::pin!(answer);
    tokio::select! {
        biased;
        answered = &mut answer => answered,
        _ = connection => answer.await,
    }
}
