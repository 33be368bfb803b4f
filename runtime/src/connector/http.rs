//! Http for connectors: where the operator lets one go, with which methods and within which bounds, and who carries the
//! requests. The runtime brings no client: the host that embeds it hands one over. Pure; what is said to the guest is in
//! `component/`.

mod admit;
mod origin;

use std::fmt;
use std::sync::Arc;

pub(crate) use admit::{Asked, Refusal, check_headers};
pub use origin::{Origin, OriginError};

use super::BoxFuture;

/// What a connector may reach over http. Nothing else is reached: each request is held against it before the handler
/// hears of it.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpGrant {
    /// Where to, and how.
    pub origins: Vec<OriginGrant>,
    /// Who carries the requests.
    pub outbound: Arc<dyn Outbound>,
    /// Bounds for each call.
    pub limits: HttpLimits,
}

impl HttpGrant {
    /// A grant of no origin yet, with default limits.
    #[must_use]
    pub fn new(outbound: Arc<dyn Outbound>) -> Self {
        Self { origins: Vec::new(), outbound, limits: HttpLimits::default() }
    }

    /// A grant that lets a component load and describe itself, and reaches nothing: for whoever only looks at it.
    #[must_use]
    pub fn nothing() -> Self {
        Self::new(Arc::new(Nobody))
    }

    /// The same, and that origin.
    #[must_use]
    pub fn with(mut self, origin: OriginGrant) -> Self {
        self.origins.push(origin);
        self
    }

    /// Those of the origins that a connector declares which it may not reach: what it declares is a wish.
    #[must_use]
    pub fn missing<'a>(&self, declared: &'a [String]) -> Vec<&'a str> {
        let granted = |text: &str| Origin::parse(text).is_ok_and(|o| self.origins.iter().any(|g| g.origin == o));
        declared.iter().map(String::as_str).filter(|text| !granted(text)).collect()
    }
}

/// Carries nothing.
struct Nobody;

impl Outbound for Nobody {
    fn send(&self, _: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpFault>> {
        Box::pin(async { Err(HttpFault::Denied) })
    }
}

impl fmt::Debug for HttpGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origins, limits, .. } = self;
        f.debug_struct("HttpGrant").field("origins", origins).field("limits", limits).finish_non_exhaustive()
    }
}

/// One origin that a connector may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginGrant {
    origin: Origin,
    /// In capitals; empty: all.
    methods: Vec<String>,
}

impl OriginGrant {
    /// All methods to `https://host[:port]` or `http://host[:port]`. `CONNECT` and `TRACE` are never sent.
    ///
    /// # Errors
    /// The text is no origin: a path, a user, a wildcard, another scheme.
    pub fn new(origin: &str) -> Result<Self, OriginError> {
        Ok(Self { origin: Origin::parse(origin)?, methods: Vec::new() })
    }

    /// These methods only. None at all means all of them.
    #[must_use]
    pub fn only<M: AsRef<str>>(mut self, methods: impl IntoIterator<Item = M>) -> Self {
        self.methods = methods.into_iter().map(|method| method.as_ref().to_ascii_uppercase()).collect();
        self
    }

    /// Where to.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// With which methods, in capitals; empty: all.
    #[must_use]
    pub fn methods(&self) -> &[String] {
        &self.methods
    }
}

/// Bounds for the requests of one call. What goes over is refused by the error code of `wasi:http` that says so, and by
/// name in the log. Bodies are kept in the host's memory, beside that of the instance: one call takes at most `in_flight`
/// times both body limits, 128 MiB by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Limit `http requests`: requests of one call, those counted that are denied. Default 1,000.
    pub requests: u32,
    /// Limit `http in flight`: requests of one call at a time, those counted whose answer is still held. Default 8.
    pub in_flight: u32,
    /// Limit `http request body`, in bytes. Default 8 MiB.
    pub request_bytes: u64,
    /// Limit `http response body`, in bytes. Default 8 MiB.
    pub response_bytes: u64,
    /// Limit `http headers`: headers of one request or response. Default 100.
    pub headers: u32,
    /// Limit `http header bytes`: names and values of these together, in bytes. Default 64 KiB.
    pub header_bytes: u32,
    /// Limit `http time`: how long the handler may take for one request, in milliseconds. Default 30,000. The call's own
    /// time ends it as well.
    pub time_ms: u64,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            requests: 1_000,
            in_flight: 8,
            request_bytes: 8 << 20,
            response_bytes: 8 << 20,
            headers: 100,
            header_bytes: 64 << 10,
            time_ms: 30_000,
        }
    }
}

/// Carries requests: an http client that the host chooses, or whatever stands for one.
///
/// The request is one that the operator granted. It runs on the guests' threads, inside of a tokio runtime with IO and
/// time, and is dropped when nobody waits for it any more; it must not block its thread. Two things are the handler's own to keep, because nobody else
/// can: it sends to `url` and sets `Host` and `Content-Length` itself, and it **does not follow redirects**. A redirect is
/// an answer; a connector that follows it asks again, and is held against its grant again. Where names lead is the
/// handler's to watch as well: the grant is for a name, and whoever owns the name may point it at an address inside.
pub trait Outbound: Send + Sync {
    /// Sends one request and reads the answer to its end. Dropping the future gives the request up.
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpFault>>;

    /// Is told of a request that was not handed over, because it is not granted or over a limit; of the first 20 of a call.
    /// Must not wait.
    fn refused(&self, _refused: &RefusedRequest) {}
}

/// A request that was not handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedRequest {
    /// Such as `GET`.
    pub method: String,
    /// Where to: in its normal form, where it is an origin at all.
    pub origin: String,
    /// Why, for the operator.
    pub reason: String,
}

/// Names and values, in their order.
pub type Headers = Vec<(String, Vec<u8>)>;

/// A request of a connector.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpRequest {
    /// Such as `GET`; names are case-sensitive.
    pub method: String,
    /// Where to: an origin that was granted, in its normal form, and path and query as the connector wrote them.
    pub url: String,
    /// Names in small letters, in the connector's order, repeated where it repeats them; without `Host`, `Content-Length`
    /// and what is about one connection.
    pub headers: Headers,
    /// The body; empty for none.
    pub body: Vec<u8>,
    /// How long the connector wants to wait; the host's own bounds hold beside it.
    pub patience: Patience,
    /// A longer response body is refused, in bytes: reading on is of no use.
    pub response_bytes: u64,
}

impl fmt::Debug for HttpRequest {
    // Queries, headers and bodies carry secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url.split_once('?').map_or(self.url.as_str(), |(before, _)| before);
        f.debug_struct("HttpRequest").field("method", &self.method).field("url", &url).finish_non_exhaustive()
    }
}

/// How long a connector wants to wait, in milliseconds; `None`: it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patience {
    /// For the connection.
    pub connect_ms: Option<u64>,
    /// For the first byte of the answer.
    pub first_byte_ms: Option<u64>,
    /// Between two bytes of it.
    pub between_bytes_ms: Option<u64>,
}

/// An answer, whole. One that ended early is [`HttpFault::Cut`], never a shorter body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// 200 to 599, redirects included.
    pub status: u16,
    /// In the order in which they came.
    pub headers: Headers,
    /// The body.
    pub body: Vec<u8>,
}

/// Why there is no answer. The connector is told by the error code of `wasi:http` that means the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpFault {
    /// The handler does not want to send it. Nothing was sent.
    #[error("the request is denied")]
    Denied,
    /// There is no such host. Nothing was sent.
    #[error("there is no such host")]
    NoHost,
    /// Nobody listens there, or there is no way to it. Nothing was sent.
    #[error("the connection was refused")]
    Refused,
    /// No connection in time. Nothing was sent.
    #[error("there was no connection in time")]
    ConnectTimeout,
    /// The other side cannot be trusted, or does not speak TLS. Nothing was sent.
    #[error("there is no safe connection: {0}")]
    Tls(String),
    /// No answer in time. The request may have been sent.
    #[error("there was no answer in time")]
    Timeout,
    /// The connection ended before the answer did. The request may have been sent.
    #[error("the answer ended early")]
    Cut,
    /// The answer is longer than `response_bytes`.
    #[error("the answer is too large")]
    TooLarge,
    /// The answer is no http. The request may have been sent.
    #[error("the answer is no http: {0}")]
    Protocol(String),
    /// Anything else, in words for the connector: no secrets. The request may have been sent.
    #[error("{0}")]
    Other(String),
}
