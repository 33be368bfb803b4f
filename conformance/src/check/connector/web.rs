//! The web as the connector under test sees it: a list of answers, and nothing beyond it; watched, and made to fail on
//! demand. No check reaches a network.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codemode_runtime::connector::BoxFuture;
use codemode_runtime::connector::http::{
    HttpFault, HttpGrant, HttpRequest, HttpResponse, Origin, OriginGrant, Outbound, RefusedRequest,
};
use serde::Deserialize;

/// What one request is answered with. The first that fits a request answers it, as often as it is sent; a request that
/// none fits is denied.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MockAnswer {
    /// The method of the request, in capitals. `GET`.
    #[serde(default = "get")]
    pub method: String,
    /// Where the request goes: `http://` or `https://`, a host, and a path with its query. A `*` at the end stands for
    /// any rest of path and query. The origin before it is granted.
    pub url: String,
    /// The status of the answer. 200.
    #[serde(default = "ok")]
    pub status: u16,
    /// Its headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Its body. Empty.
    #[serde(default)]
    pub body: String,
}

fn get() -> String {
    "GET".to_owned()
}

fn ok() -> u16 {
    200
}

impl MockAnswer {
    /// Whether it can answer anything at all.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        self.prepared().map(drop)
    }

    fn prepared(&self) -> Result<Prepared, String> {
        let Self { method, url, status, headers, body } = self;
        if method.is_empty() || !method.bytes().all(|b| b.is_ascii_uppercase() || b == b'-') {
            return Err(format!("{method:?} is no method of http: write it in capitals, as in \"GET\""));
        }
        if !(200..=599).contains(status) {
            return Err(format!("{status} is no status of an answer: use 200 to 599"));
        }
        let (origin, path, is_open) = place(url).map_err(|what| format!("the url {url:?}: {what}"))?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        let is_sound = |text: &str| text.bytes().all(|b| b == b'\t' || b >= b' ' && b != 0x7f);
        if let Some((name, _)) = headers
            .iter()
            .find(|(name, value)| name.is_empty() || name.contains([' ', ':']) || !is_sound(name) || !is_sound(value))
        {
            return Err(format!("the header {name:?} is none of http"));
        }
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
        let answer = HttpResponse { status: *status, headers, body: body.clone().into_bytes() };
        Ok(Prepared { method: method.clone(), url: format!("{origin}{slash}{path}"), is_open, origin, answer })
    }
}

/// Origin and path of a URL, and whether anything may follow.
fn place(url: &str) -> Result<(Origin, &str, bool), String> {
    let after = url.find("://").map_or(0, |at| at + 3);
    let end = url[after..].find(['/', '?']).map_or(url.len(), |at| after + at);
    let (origin, rest) = url.split_at(end);
    let (path, is_open) = rest.strip_suffix('*').map_or((rest, false), |before| (before, true));
    if path.contains('*') || origin.ends_with('*') {
        let origin = origin.trim_end_matches('*');
        return Err(format!("a `*` stands at the end of a path, as in \"{origin}/*\""));
    }
    Ok((Origin::parse(origin).map_err(|error| error.reason)?, path, is_open))
}

/// An answer, ready to be compared.
struct Prepared {
    method: String,
    /// Without the `*`.
    url: String,
    /// Whether anything may follow.
    is_open: bool,
    origin: Origin,
    answer: HttpResponse,
}

/// The web of one run.
pub(super) struct Web {
    answers: Vec<Prepared>,
    inside: Mutex<Inside>,
}

/// So many requests are remembered at most.
const MAX_REMEMBERED: usize = 1_000;

#[derive(Default)]
struct Inside {
    count: usize,
    sent: Vec<HttpRequest>,
    refused: Vec<RefusedRequest>,
    failing: Option<(Which, Fault)>,
}

/// Which requests fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// The one of that number, from 1.
    Only(usize),
    All,
}

/// What goes wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Refused,
    Timeout,
    Cut,
    TooLarge,
    /// A status.
    Status(u16),
    /// 200, with a body that nobody expects: what it is, and the body.
    Body(&'static str, &'static str),
    /// 200, with JSON that is nested too deeply for anybody.
    Deep,
    /// 200, with bytes that are no text.
    Bytes,
}

impl Fault {
    /// Those after which there is no answer.
    pub(super) const SILENT: [Self; 4] = [Self::Refused, Self::Timeout, Self::Cut, Self::TooLarge];
    /// Those after which the request may have been carried out.
    pub(super) const IN_DOUBT: [Self; 2] = [Self::Timeout, Self::Cut];
    /// All that are tried.
    pub(super) const ALL: [Self; 12] = [
        Self::Refused,
        Self::Timeout,
        Self::Cut,
        Self::TooLarge,
        Self::Status(404),
        Self::Status(429),
        Self::Status(500),
        Self::Body("an empty body", ""),
        Self::Body("a page in HTML", "<!doctype html><title>Sorry</title>"),
        Self::Body("`null`", "null"),
        Self::Deep,
        Self::Bytes,
    ];

    /// What happened, as the end of a sentence.
    pub(super) fn told(self) -> String {
        match self {
            Self::Refused => "was refused the connection".to_owned(),
            Self::Timeout => "got no answer in time".to_owned(),
            Self::Cut => "got an answer that was cut off".to_owned(),
            Self::TooLarge => "got an answer over the limit".to_owned(),
            Self::Status(status) => format!("was answered with {status}"),
            Self::Body(what, _) => format!("was answered with {what}"),
            Self::Deep => "was answered with JSON of 100,000 levels".to_owned(),
            Self::Bytes => "was answered with bytes that are no text".to_owned(),
        }
    }

    fn outcome(self) -> Result<HttpResponse, HttpFault> {
        let body = |body: Vec<u8>| Ok(HttpResponse { status: 200, body, ..HttpResponse::default() });
        match self {
            Self::Refused => Err(HttpFault::Refused),
            Self::Timeout => Err(HttpFault::Timeout),
            Self::Cut => Err(HttpFault::Cut),
            Self::TooLarge => Err(HttpFault::TooLarge),
            Self::Status(status) => Ok(HttpResponse { status, ..HttpResponse::default() }),
            Self::Body(_, text) => body(text.as_bytes().to_vec()),
            Self::Deep => body(vec![b'['; 100_000]),
            Self::Bytes => body(vec![0xff, 0xfe, 0, 1]),
        }
    }
}

impl Web {
    /// A web of these answers.
    pub(super) fn of(answers: &[MockAnswer]) -> Result<Arc<Self>, String> {
        let answers = answers.iter().map(MockAnswer::prepared).collect::<Result<_, _>>()?;
        Ok(Arc::new(Self { answers, inside: Mutex::default() }))
    }

    /// What lets a connector ask for these answers.
    pub(super) fn grant(self: &Arc<Self>) -> HttpGrant {
        let mut grant = HttpGrant::new(self.clone());
        grant.origins.extend(self.answers.iter().filter_map(|a| OriginGrant::new(a.origin.as_str()).ok()));
        grant
    }

    /// Forgets what was asked; from here on, these requests fail so.
    pub(super) fn fail(&self, which: Which, fault: Fault) {
        *self.inside() = Inside { failing: Some((which, fault)), ..Inside::default() };
    }

    /// Forgets what was asked; from here on, nothing fails.
    pub(super) fn heal(&self) {
        *self.inside() = Inside::default();
    }

    /// What was asked since, in the order of asking, those that were answered.
    pub(super) fn sent(&self) -> Vec<HttpRequest> {
        self.inside().sent.clone()
    }

    /// Where to requests went or wanted to go since.
    pub(super) fn origins(&self) -> Vec<String> {
        let inside = self.inside();
        let origin = |request: &HttpRequest| {
            let fits =
                |a: &&Prepared| request.url.strip_prefix(a.origin.as_str()).is_some_and(|rest| rest.starts_with('/'));
            self.answers.iter().find(fits).map_or_else(|| request.url.clone(), |a| a.origin.as_str().to_owned())
        };
        inside.sent.iter().map(origin).chain(inside.refused.iter().map(|refused| refused.origin.clone())).collect()
    }

    fn answer(&self, request: &HttpRequest) -> Result<HttpResponse, HttpFault> {
        let fits = |a: &&Prepared| {
            let is_there = if a.is_open { request.url.starts_with(&a.url) } else { request.url == a.url };
            a.method == request.method && is_there
        };
        self.answers.iter().find(fits).map(|a| a.answer.clone()).ok_or(HttpFault::Denied)
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbound for Web {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpFault>> {
        let mut inside = self.inside();
        inside.count += 1;
        let number = inside.count;
        if number <= MAX_REMEMBERED {
            inside.sent.push(request.clone());
        }
        let outcome = match inside.failing {
            Some((which, fault)) if matches!(which, Which::All) || which == Which::Only(number) => fault.outcome(),
            _ => self.answer(&request),
        };
        Box::pin(std::future::ready(outcome))
    }

    fn refused(&self, refused: &RefusedRequest) {
        let mut inside = self.inside();
        if inside.refused.len() < MAX_REMEMBERED {
            inside.refused.push(refused.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(url: &str) -> MockAnswer {
        MockAnswer { method: get(), url: url.to_owned(), status: 200, headers: BTreeMap::new(), body: String::new() }
    }

    fn wrong(change: impl FnOnce(&mut MockAnswer)) -> String {
        let mut answer = answer("https://a.example/");
        change(&mut answer);
        answer.check().unwrap_err()
    }

    #[test]
    fn an_answer_that_could_never_be_given_is_refused_with_what_to_write() {
        assert!(wrong(|a| a.method = "get".to_owned()).contains("capitals"));
        assert!(wrong(|a| a.status = 100).contains("200 to 599"));
        assert!(wrong(|a| a.url = "/items".to_owned()).contains("https://host"));
        assert!(wrong(|a| a.url = "ftp://a.example/".to_owned()).contains("only `http` and `https`"));
        assert!(wrong(|a| a.url = "https://*.example/".to_owned()).contains("no wildcards"));
        assert!(wrong(|a| a.url = "https://a.example*".to_owned()).contains("at the end of a path"));
        assert!(wrong(|a| a.url = "https://a.example/*/b".to_owned()).contains("at the end of a path"));
        assert!(wrong(|a| drop(a.headers.insert("a b".to_owned(), String::new()))).contains("a b"));
        assert!(wrong(|a| drop(a.headers.insert("a".to_owned(), "b\r\nc: d".to_owned()))).contains("\"a\""));
    }

    #[test]
    fn urls_are_compared_in_their_normal_form_and_a_star_stands_for_any_rest() {
        let url = |text: &str| answer(text).prepared().map(|p| (p.url, p.is_open)).unwrap();
        assert_eq!(url("HTTPS://A.example:443"), ("https://a.example/".to_owned(), false));
        assert_eq!(url("https://a.example?q=1"), ("https://a.example/?q=1".to_owned(), false));
        assert_eq!(url("http://127.0.0.1:80/items/*"), ("http://127.0.0.1/items/".to_owned(), true));
    }
}
