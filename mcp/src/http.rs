//! Streamable HTTP on loopback. The SDK speaks the protocol; what comes before it is ours: who is let in, how much is read,
//! how many are served, and an end that gives running calls their time.

mod guard;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ALLOW, AUTHORIZATION, CONTENT_TYPE, ORIGIN, VARY, WWW_AUTHENTICATE,
};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rmcp::model::{ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;

use self::guard::Refused;
use crate::access::Access;
use crate::error::Error;
use crate::message::{self, Read};
use crate::running::{Running, Work};
use crate::server::Shared;
use crate::session::Session;
use crate::stdio::Lost;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";

/// How long connections may take to end once nothing runs any more.
const LAST: Duration = Duration::from_secs(2);

/// How long nothing is accepted after that failed: most often the process has no file descriptor left.
const BREATH: Duration = Duration::from_millis(50);

type Reply = Response<BoxBody<Bytes, Infallible>>;

/// What requests pass through.
struct Door {
    shared: Arc<Shared>,
    access: Access,
    service: StreamableHttpService<Session, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    /// Answers to POSTs that are on their way.
    sending: Running,
    /// Held while a session is opened, so that two cannot be the last one.
    opening: Mutex<()>,
}

/// Serves until the server stops.
pub(crate) async fn serve(shared: Arc<Shared>, listener: TcpListener, access: Access) -> Result<(), Error> {
    let address = listener.local_addr().map_err(Error::Io)?;
    if !address.ip().is_loopback() {
        return Err(Error::NotLoopback(address));
    }
    let over = CancellationToken::new();
    let door = Arc::new(Door::new(shared.clone(), access, over.clone()));
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(shared.options.limits.connections.min(Semaphore::MAX_PERMITS)));
    loop {
        let accepted = tokio::select! {
            () = shared.leaving.cancelled() => break,
            accepted = async {
                let room = room.clone().acquire_owned().await;
                (room, listener.accept().await)
            } => accepted,
        };
        let (Ok(room), stream) = accepted else { break };
        let stream = match stream {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "no connection is accepted");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        let door = door.clone();
        let answer = service_fn(move |request| {
            let door = door.clone();
            async move { Ok::<_, Infallible>(door.answer(request).await) }
        });
        let receive = Duration::from_millis(shared.options.limits.receive_ms);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(receive)
            .serve_connection(TokioIo::new(stream), answer);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke");
            }
            drop(room);
        });
    }
    drop(listener);
    // What still runs afterwards is left as it is, and recovered by whoever comes next.
    shared.running.none(shared.leave_time()).await;
    door.sending.none(LAST).await;
    over.cancel();
    let _ = tokio::time::timeout(LAST, graceful.shutdown()).await;
    Ok(())
}

impl Door {
    fn new(shared: Arc<Shared>, access: Access, over: CancellationToken) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(Duration::from_millis(shared.options.limits.idle_ms));
        let sessions = Arc::new(sessions);
        // Hosts and origins are checked before, and more strictly.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(shared.options.limits.message_bytes)
            .with_cancellation_token(over);
        let each = shared.clone();
        let make = move || Ok(Session::new(each.clone(), Lost::default()));
        let service = StreamableHttpService::new(make, sessions.clone(), config);
        Self { shared, access, service, sessions, sending: Running::new(), opening: Mutex::new(()) }
    }

    async fn answer(&self, request: Request<Incoming>) -> Reply {
        let headers = request.headers();
        if let Err(refused) = guard::place(headers, request.uri(), &self.access) {
            tracing::debug!(?refused, "a request is turned away");
            return turned_away(refused);
        }
        let page = headers.get(ORIGIN).cloned();
        let reply = match guard::token(headers, &self.access) {
            // A browser asks on behalf of a page, before it sends the token.
            _ if page.is_some() && request.method() == Method::OPTIONS => plain(StatusCode::NO_CONTENT, ""),
            Ok(()) if request.method() == Method::POST => {
                let sending = self.sending.enter(usize::MAX);
                let reply = self.served(request).await;
                // Until the last byte is out.
                reply.map(|body| body.map_frame(move |frame| held(&sending, frame)).boxed())
            }
            Ok(()) => {
                let mut reply = self.served(request).await;
                // A closed session is closed, not accepted; clients complain otherwise.
                if reply.status() == StatusCode::ACCEPTED {
                    *reply.status_mut() = StatusCode::NO_CONTENT;
                }
                reply
            }
            Err(refused) => turned_away(refused),
        };
        match page {
            Some(page) => for_page(reply, page),
            None => reply,
        }
    }

    async fn served(&self, mut request: Request<Incoming>) -> Reply {
        // Nobody behind this needs it, and what is not there is in no log.
        request.headers_mut().remove(AUTHORIZATION);
        if request.uri().path() != PATH {
            return plain(StatusCode::NOT_FOUND, &format!("the protocol is spoken at {PATH}"));
        }
        if ![Method::GET, Method::POST, Method::DELETE].contains(request.method()) {
            let mut reply = plain(StatusCode::METHOD_NOT_ALLOWED, "POST, GET and DELETE are served");
            reply.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
            return reply;
        }
        let opens = request.method() == Method::POST && !request.headers().contains_key("mcp-session-id");
        let request = match self.read(request).await {
            Ok(request) => request,
            Err(reply) => return *reply,
        };
        if !opens {
            return self.service.handle(request).await;
        }
        let _opening = self.opening.lock().await;
        let limit = self.shared.options.limits.sessions;
        if self.sessions.sessions.read().await.len() >= limit {
            let message =
                format!("there are {limit} sessions already (limit `sessions`): close one, or come back later");
            return json_rpc(
                StatusCode::SERVICE_UNAVAILABLE,
                &JsonRpcMessage::error(ErrorData::internal_error(message, None), None),
            );
        }
        self.service.handle(request).await
    }

    /// The request with its whole body, within its limits of size and time. A POST carries one message.
    async fn read(&self, request: Request<Incoming>) -> Result<Request<Full<Bytes>>, Box<Reply>> {
        let limits = &self.shared.options.limits;
        let (head, body) = request.into_parts();
        let body = Limited::new(body, limits.message_bytes).collect();
        let body = match tokio::time::timeout(Duration::from_millis(limits.receive_ms), body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let answer = message::too_large(limits.message_bytes);
                return Err(Box::new(json_rpc(StatusCode::PAYLOAD_TOO_LARGE, &answer)));
            }
            Ok(Err(error)) => {
                return Err(Box::new(plain(StatusCode::BAD_REQUEST, &format!("the body cannot be read: {error}"))));
            }
            Err(_) => {
                let said = format!("the body took longer than {} ms (limit `receive time`)", limits.receive_ms);
                return Err(Box::new(plain(StatusCode::REQUEST_TIMEOUT, &said)));
            }
        };
        if head.method == Method::POST {
            match message::read(&body) {
                Read::Message(_) => {}
                Read::Nothing => return Err(Box::new(plain(StatusCode::ACCEPTED, ""))),
                Read::Refused(answer) => return Err(Box::new(json_rpc(StatusCode::BAD_REQUEST, &answer))),
            }
        }
        Ok(Request::from_parts(head, Full::new(body)))
    }
}

/// The frame; what is held is let go with the body.
fn held<T>(_: &Option<Work>, frame: T) -> T {
    frame
}

/// Lets a page that is allowed read the answer.
fn for_page(mut reply: Reply, page: HeaderValue) -> Reply {
    let headers = reply.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
    headers.insert(VARY, HeaderValue::from_static("Origin"));
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (
            ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id",
        ),
        (ACCESS_CONTROL_EXPOSE_HEADERS, "mcp-session-id, www-authenticate"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    reply
}

fn turned_away(refused: Refused) -> Reply {
    match refused {
        Refused::Host => {
            plain(StatusCode::FORBIDDEN, "this server is reached by the names of this machine's loopback only")
        }
        Refused::Origin => plain(StatusCode::FORBIDDEN, "pages of this origin are not allowed"),
        Refused::NoToken | Refused::WrongToken => {
            let challenge = match refused {
                Refused::NoToken => "Bearer realm=\"codemode\"",
                _ => "Bearer realm=\"codemode\", error=\"invalid_token\"",
            };
            let mut reply = plain(StatusCode::UNAUTHORIZED, "a token is needed: Authorization: Bearer TOKEN");
            reply.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
            reply
        }
    }
}

fn plain(status: StatusCode, text: &str) -> Reply {
    reply(status, "text/plain; charset=utf-8", Bytes::copy_from_slice(text.as_bytes()))
}

fn json_rpc(status: StatusCode, answer: &ServerJsonRpcMessage) -> Reply {
    reply(status, "application/json", Bytes::from(serde_json::to_vec(answer).unwrap_or_default()))
}

fn reply(status: StatusCode, kind: &'static str, body: Bytes) -> Reply {
    let mut reply = Response::new(Full::new(body).boxed());
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}
