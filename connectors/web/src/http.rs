//! One request and its answer over `wasi:http`, read to the end.

use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{
    ErrorCode, Fields, FutureIncomingResponse, IncomingResponse, Method, OutgoingBody, OutgoingRequest, RequestOptions,
    Scheme,
};
use wasip2::io::streams::StreamError;

/// A request.
#[derive(Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// `None`: the host's default.
    pub(crate) scheme: Option<String>,
    pub(crate) authority: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Vec<u8>>,
    /// In nanoseconds.
    pub(crate) first_byte: Option<u64>,
    /// Whether the body is left without its end.
    pub(crate) unfinished: bool,
}

/// An answer.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// Why there is none.
pub(crate) enum Trouble {
    /// The request cannot be said: a part of it is refused where it is set.
    Unsayable(&'static str),
    /// The code of `wasi:http`.
    Code(ErrorCode),
    /// The answer broke off.
    Broken,
}

/// An answer that is on its way.
pub(crate) struct Pending {
    answer: FutureIncomingResponse,
    /// A body without its end, kept open.
    _open: Option<OutgoingBody>,
}

/// Sends a request and reads the answer.
pub(crate) fn fetch(request: &Request) -> Result<Response, Trouble> {
    read(wait(&send(request)?)?)
}

/// Sends a request.
pub(crate) fn send(request: &Request) -> Result<Pending, Trouble> {
    let headers: Vec<(String, Vec<u8>)> =
        request.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
    let fields = Fields::from_list(&headers).map_err(|_| Trouble::Unsayable("headers"))?;
    let outgoing = OutgoingRequest::new(fields);
    outgoing.set_method(&method(&request.method)).map_err(|()| Trouble::Unsayable("method"))?;
    let scheme = request.scheme.as_deref().map(|scheme| match scheme {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        other => Scheme::Other(other.to_owned()),
    });
    outgoing.set_scheme(scheme.as_ref()).map_err(|()| Trouble::Unsayable("scheme"))?;
    outgoing.set_authority(Some(&request.authority)).map_err(|()| Trouble::Unsayable("authority"))?;
    outgoing.set_path_with_query(Some(&request.path)).map_err(|()| Trouble::Unsayable("path"))?;
    let options = RequestOptions::new();
    options.set_first_byte_timeout(request.first_byte).map_err(|()| Trouble::Unsayable("time"))?;
    let body = match &request.body {
        Some(_) => Some(outgoing.body().map_err(|()| Trouble::Unsayable("body"))?),
        None => None,
    };
    let answer = handle(outgoing, Some(options)).map_err(Trouble::Code)?;
    let (Some(body), Some(bytes)) = (body, &request.body) else { return Ok(Pending { answer, _open: None }) };
    let written = body.write().map_err(|()| Trouble::Unsayable("body")).map(|stream| {
        // A host that has read enough closes the stream; its answer says why.
        bytes.chunks(4_096).try_for_each(|chunk| stream.blocking_write_and_flush(chunk))
    })?;
    if request.unfinished {
        return Ok(Pending { answer, _open: Some(body) });
    }
    if written.is_ok() {
        OutgoingBody::finish(body, None).map_err(Trouble::Code)?;
    }
    Ok(Pending { answer, _open: None })
}

/// Waits for the head of the answer.
pub(crate) fn wait(pending: &Pending) -> Result<IncomingResponse, Trouble> {
    pending.answer.subscribe().block();
    match pending.answer.get() {
        Some(Ok(answer)) => answer.map_err(Trouble::Code),
        _ => Err(Trouble::Broken),
    }
}

/// Reads an answer to its end.
pub(crate) fn read(answer: IncomingResponse) -> Result<Response, Trouble> {
    let status = answer.status();
    let headers = answer.headers().entries();
    let headers =
        headers.into_iter().map(|(name, value)| (name, String::from_utf8_lossy(&value).into_owned())).collect();
    let incoming = answer.consume().map_err(|()| Trouble::Broken)?;
    let stream = incoming.stream().map_err(|()| Trouble::Broken)?;
    let mut body = Vec::new();
    loop {
        match stream.blocking_read(65_536) {
            Ok(bytes) => body.extend(bytes),
            Err(StreamError::Closed) => return Ok(Response { status, headers, body }),
            Err(StreamError::LastOperationFailed(_)) => return Err(Trouble::Broken),
        }
    }
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        other => Method::Other(other.to_owned()),
    }
}

impl Trouble {
    /// In words: the code as WIT spells it.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Unsayable(part) => format!("the {part} cannot be set"),
            Self::Code(code) => format!("{code:?}"),
            Self::Broken => "the answer broke off".to_owned(),
        }
    }

    /// Whether the request certainly did not leave.
    pub(crate) fn is_unsent(&self) -> bool {
        match self {
            Self::Unsayable(_) => true,
            Self::Broken => false,
            Self::Code(code) => matches!(
                code,
                ErrorCode::HttpRequestDenied
                    | ErrorCode::DnsError(_)
                    | ErrorCode::DnsTimeout
                    | ErrorCode::DestinationNotFound
                    | ErrorCode::DestinationUnavailable
                    | ErrorCode::ConnectionRefused
                    | ErrorCode::ConnectionTimeout
                    | ErrorCode::ConnectionLimitReached
                    | ErrorCode::HttpRequestBodySize(_)
                    | ErrorCode::HttpRequestHeaderSectionSize(_)
                    | ErrorCode::HttpRequestUriInvalid
                    | ErrorCode::HttpRequestUriTooLong
            ),
        }
    }
}
