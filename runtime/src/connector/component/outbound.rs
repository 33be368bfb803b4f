//! The requests of a guest: held against the grant, read whole within the limits, handed to the handler, and its answer
//! turned back. `wasi:http` itself is wasmtime's; here is only what happens at its edge.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http_body_util::{BodyExt as _, Full};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpHooks};

use crate::connector::http::{
    Asked, HttpFault, HttpGrant, HttpLimits, HttpRequest, HttpResponse, Origin, Patience, Refusal, RefusedRequest,
    check_headers,
};
use crate::host::{MAX_TIME_MS, panic_text};

/// What of http one instance has.
pub(crate) struct Web {
    pub(crate) ctx: WasiHttpCtx,
    pub(crate) hooks: Hooks,
}

/// Sends the requests of one instance.
pub(crate) struct Hooks {
    grant: Option<Arc<HttpGrant>>,
    /// Whether a call is being performed: nothing is sent while a component describes itself.
    pub(crate) calling: bool,
    /// For the log.
    connector: Arc<str>,
    call: Arc<str>,
    room: Arc<Semaphore>,
    /// Requests so far, whatever became of them.
    asked: u32,
    /// Refusals that were told.
    told: u32,
    /// Whether the instance is gone.
    gone: Arc<AtomicBool>,
}

/// A body that was being written when its instance went looks as if it had ended: nothing is sent of it. The hooks go
/// before what the guest holds does.
impl Drop for Hooks {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::SeqCst);
    }
}

/// So many refusals of one call are told; a guest that goes on asking must not fill the log.
const MAX_TOLD: u32 = 20;

/// What one header takes beside its text, roughly.
const HEADER_BYTES: usize = 80;

/// What a guest may write of a body before it is read on: 64 KiB. Bodies that are never sent are kept by the host.
const CHUNK_BYTES: usize = 64 << 10;

/// Characters of what a guest wrote that are told of a refusal, for each thing that is told.
const MAX_TOLD_CHARS: usize = 200;

impl Web {
    pub(crate) fn new(grant: Option<Arc<HttpGrant>>, connector: &Arc<str>, call: &Arc<str>) -> Self {
        let limits = grant.as_ref().map_or_else(HttpLimits::default, |grant| grant.limits);
        let mut ctx = WasiHttpCtx::new();
        // The guest is told of our own limit by a code; only what is far beyond it stops the instance.
        let text = limits.header_bytes as usize + limits.headers as usize * HEADER_BYTES;
        ctx.set_field_size_limit(text.saturating_mul(2));
        let room = Arc::new(Semaphore::new((limits.in_flight as usize).min(Semaphore::MAX_PERMITS)));
        let (connector, call) = (Arc::clone(connector), Arc::clone(call));
        let gone = Arc::default();
        Self { ctx, hooks: Hooks { grant, calling: false, connector, call, room, asked: 0, told: 0, gone } }
    }
}

impl Web {
    /// Whether the guest can make anything of http at all.
    pub(crate) fn is_granted(&self) -> bool {
        self.hooks.grant.is_some()
    }
}

/// What `wasi:http` wants of a request: the answer, and a task that carries its body, which is here already.
type Answered = Result<(http::Response<WasiBody>, Rest), Error>;
type Rest = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl WasiHttpHooks for Hooks {
    // Whoever sends the request says where it goes.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        CHUNK_BYTES
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Rest,
    ) -> Box<dyn Future<Output = Answered> + Send> {
        match self.admit(request, options.unwrap_or_default()) {
            Ok(sending) => Box::new(sending.run()),
            Err(error) => Box::new(std::future::ready(Err(error))),
        }
    }
}

/// A request that may be sent.
struct Sending {
    grant: Arc<HttpGrant>,
    request: HttpRequest,
    body: WasiBody,
    /// Held as long as the answer is.
    room: OwnedSemaphorePermit,
    connector: Arc<str>,
    call: Arc<str>,
    gone: Arc<AtomicBool>,
}

impl Hooks {
    fn admit(&mut self, request: http::Request<WasiBody>, options: RequestOptions) -> Result<Sending, Error> {
        self.asked = self.asked.saturating_add(1);
        let (head, body) = request.into_parts();
        let (grant, room, request) = match self.decide(&head) {
            Ok(decided) => decided,
            Err(refusal) => {
                self.tell(&head, &refusal);
                return Err(refused(&refusal));
            }
        };
        let request = HttpRequest { patience: patience(&options), ..request };
        let (connector, call, gone) = (Arc::clone(&self.connector), Arc::clone(&self.call), Arc::clone(&self.gone));
        Ok(Sending { grant, request, body, room, connector, call, gone })
    }

    fn decide(
        &self,
        head: &http::request::Parts,
    ) -> Result<(Arc<HttpGrant>, OwnedSemaphorePermit, HttpRequest), Refusal> {
        let Some(grant) = &self.grant else { return Err(Refusal::Denied("no http is granted".to_owned())) };
        if !self.calling {
            let reason = "neither `describe` nor the start of an instance may use http";
            return Err(Refusal::Denied(reason.to_owned()));
        }
        if self.asked > grant.limits.requests {
            return Err(Refusal::Limit("http requests", grant.limits.requests.into()));
        }
        let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
        let (scheme, authority) = place(head);
        let asked = Asked { method: head.method.as_str(), scheme, authority, headers: headers.collect() };
        let (origin, headers) = grant.admit(asked)?;
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else {
            return Err(Refusal::Limit("http in flight", grant.limits.in_flight.into()));
        };
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        // Nothing that follows the origin may become a part of it.
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let request = HttpRequest {
            method: head.method.as_str().to_owned(),
            url: format!("{origin}{path}"),
            headers,
            body: Vec::new(),
            patience: Patience::default(),
            response_bytes: grant.limits.response_bytes,
        };
        Ok((Arc::clone(grant), room, request))
    }

    /// Tells the log, and the handler, what was not sent. Paths, queries and users may carry secrets.
    fn tell(&mut self, head: &http::request::Parts, refusal: &Refusal) {
        if self.told >= MAX_TOLD {
            return;
        }
        self.told += 1;
        let (scheme, authority) = place(head);
        let host = authority.rsplit('@').next().unwrap_or(authority);
        let origin = format!("{scheme}://{host}");
        let origin = Origin::parse(&brief(&origin)).map_or(origin, |origin| origin.as_str().to_owned());
        let (connector, call) = (&*self.connector, &*self.call);
        let (method, origin, reason) = (brief(head.method.as_str()), brief(&origin), brief(&refusal.to_string()));
        tracing::warn!(connector, call, method, origin, reason, "a request was not sent");
        if let Some(grant) = &self.grant {
            let refused = RefusedRequest { method, origin, reason };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| grant.outbound.refused(&refused))) {
                tracing::error!(panic = panic_text(&*panic), "the handler of http panicked");
            }
        }
    }
}

/// What a guest wrote, for people: cut, and without what a terminal would obey.
fn brief(text: &str) -> String {
    text.chars().take(MAX_TOLD_CHARS).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Scheme and authority, as the guest wrote them.
fn place(head: &http::request::Parts) -> (&str, &str) {
    (head.uri.scheme_str().unwrap_or_default(), head.uri.authority().map_or("", |authority| authority.as_str()))
}

impl Sending {
    async fn run(self) -> Answered {
        let Self { grant, mut request, body, room, connector, call, gone } = self;
        let limits = grant.limits;
        let checked = async {
            request.body = whole(body, limits.request_bytes).await?;
            if gone.load(Ordering::SeqCst) {
                return Err(Failed::Guest(Error::InternalError(None)));
            }
            let response = carried(&grant, request).await?;
            check_response(&limits, &response).map_err(Failed::Refused)?;
            Ok(response)
        };
        let (connector, call) = (&*connector, &*call);
        let response = checked.await.map_err(|failed| {
            match &failed {
                Failed::Refused(refusal) => {
                    tracing::warn!(connector, call, reason = %refusal, "a request was given up")
                }
                Failed::Fault(fault) => tracing::info!(connector, call, %fault, "a request failed"),
                Failed::Guest(_) => {}
            }
            failed.into_error(limits.response_bytes)
        })?;
        Ok((answer(response, room)?, Box::new(std::future::ready(Ok(())))))
    }
}

/// Why a request that was granted has no answer.
enum Failed {
    /// It, or its answer, is over a limit.
    Refused(Refusal),
    /// The handler says so.
    Fault(HttpFault),
    /// The guest did not end its body.
    Guest(Error),
}

/// Asks the handler, for as long as it may take.
async fn carried(grant: &HttpGrant, request: HttpRequest) -> Result<HttpResponse, Failed> {
    let asked = AssertUnwindSafe(async { grant.outbound.send(request).await }).catch_unwind();
    let time_ms = grant.limits.time_ms;
    match tokio::time::timeout(Duration::from_millis(time_ms.min(MAX_TIME_MS)), asked).await {
        Ok(Ok(answered)) => answered.map_err(Failed::Fault),
        Ok(Err(panic)) => {
            tracing::error!(panic = panic_text(&*panic), "the handler of http panicked");
            Err(Failed::Fault(HttpFault::Other("the handler of http broke".to_owned())))
        }
        Err(_) => Err(Failed::Refused(Refusal::Limit("http time", time_ms))),
    }
}

fn check_response(limits: &HttpLimits, response: &HttpResponse) -> Result<(), Refusal> {
    check_headers(limits, &response.headers).map_err(|refusal| match refusal {
        Refusal::Limit("http headers" | "http header bytes", value) => Refusal::Limit("http response headers", value),
        other => other,
    })?;
    if response.body.len() as u64 > limits.response_bytes {
        return Err(Refusal::Limit("http response body", limits.response_bytes));
    }
    Ok(())
}

/// A request body, to its end. Copied into one piece: a guest that writes single bytes would make a piece of each.
async fn whole(mut body: WasiBody, limit: u64) -> Result<Vec<u8>, Failed> {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        match frame.map_err(Failed::Guest)?.into_data() {
            Ok(data) if (read.len() + data.len()) as u64 > limit => {
                return Err(Failed::Refused(Refusal::Limit("http request body", limit)));
            }
            Ok(data) => read.extend_from_slice(&data),
            // Few clients can send trailers; dropping them without a word would lose what they say.
            Err(other) if other.trailers_ref().is_some_and(|trailers| !trailers.is_empty()) => {
                return Err(Failed::Guest(Error::HttpRequestTrailerSectionSize(Some(0))));
            }
            Err(_) => {}
        }
    }
    Ok(read)
}

/// The bytes of an answer, and the room that they take: a guest may keep a piece of them wherever it likes.
struct Held {
    body: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// The handler's answer as the guest sees it. The room is taken until the guest lets the last of it go.
fn answer(response: HttpResponse, room: OwnedSemaphorePermit) -> Result<http::Response<WasiBody>, Error> {
    let HttpResponse { status, headers, body } = response;
    if !(200..=599).contains(&status) {
        return Err(Error::HttpProtocolError);
    }
    let mut built = http::Response::builder().status(status);
    for (name, value) in headers {
        built = built.header(name, value);
    }
    // An empty one has no bytes that could hold the room.
    let (bytes, room) = if body.is_empty() {
        (Bytes::new(), Some(room))
    } else {
        (Bytes::from_owner(Held { body, _room: room }), None)
    };
    let body = Full::new(bytes).map_frame(move |frame| {
        let _held = &room;
        frame
    });
    built.body(body.map_err(|never| match never {}).boxed_unsync()).map_err(|_| Error::HttpProtocolError)
}

fn patience(options: &RequestOptions) -> Patience {
    let ms = |time: Option<Duration>| time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    Patience {
        connect_ms: ms(options.connect_timeout),
        first_byte_ms: ms(options.first_byte_timeout),
        between_bytes_ms: ms(options.between_bytes_timeout),
    }
}

/// What the guest is told of a refusal.
fn refused(refusal: &Refusal) -> Error {
    let Refusal::Limit(limit, value) = refusal else { return Error::HttpRequestDenied };
    let small = u32::try_from(*value).ok();
    match *limit {
        "http in flight" => Error::ConnectionLimitReached,
        "http request body" => Error::HttpRequestBodySize(Some(*value)),
        "http headers" | "http header bytes" => Error::HttpRequestHeaderSectionSize(small),
        "http response headers" => Error::HttpResponseHeaderSectionSize(small),
        "http response body" => Error::HttpResponseBodySize(Some(*value)),
        "http time" => Error::HttpResponseTimeout,
        _ => Error::HttpRequestDenied,
    }
}

impl Failed {
    fn into_error(self, response_bytes: u64) -> Error {
        let fault = match self {
            Self::Refused(refusal) => return refused(&refusal),
            Self::Guest(error) => return error,
            Self::Fault(fault) => fault,
        };
        match fault {
            HttpFault::Denied => Error::HttpRequestDenied,
            HttpFault::NoHost => Error::DnsError { rcode: None, info_code: None },
            HttpFault::Refused => Error::ConnectionRefused,
            HttpFault::ConnectTimeout => Error::ConnectionTimeout,
            HttpFault::Tls(_) => Error::TlsProtocolError,
            HttpFault::Timeout => Error::HttpResponseTimeout,
            HttpFault::Cut => Error::HttpResponseIncomplete,
            HttpFault::TooLarge => Error::HttpResponseBodySize(Some(response_bytes)),
            HttpFault::Protocol(_) => Error::HttpProtocolError,
            HttpFault::Other(text) => Error::InternalError(Some(text)),
        }
    }
}
