//! Whether a request may be sent. Decided before anybody outside hears of it, from what the guest asked for alone.

use std::fmt;

use super::{Headers, HttpGrant, HttpLimits, Origin};

/// Headers by which some servers take another method than the one that is sent.
const OVERRIDES: [&str; 3] = ["x-http-method-override", "x-http-method", "x-method-override"];

/// Headers that belong to one connection, or that follow from url and body: whoever sends the request writes them.
const OF_THE_SENDER: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Characters of a method. Longer ones mean nothing to anybody, and would be kept and told whole.
const MAX_METHOD: usize = 32;

/// Characters of host and port: the longest name there is has 253.
const MAX_AUTHORITY: usize = 300;

/// What a guest asks to be sent, without its body.
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    pub(crate) scheme: &'a str,
    pub(crate) authority: &'a str,
    /// Names in small letters.
    pub(crate) headers: Headers,
}

impl Asked<'_> {
    /// Where to, as the guest wrote it.
    fn place(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }
}

/// Why a request is not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Not granted; the reason, for the operator.
    Denied(String),
    /// A limit: its name, and the limit.
    Limit(&'static str, u64),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied(reason) => f.write_str(reason),
            Self::Limit(limit, value) => write!(f, "over the limit `{limit}` of {value}"),
        }
    }
}

impl HttpGrant {
    /// Where the request goes, and the headers that it keeps.
    pub(crate) fn admit(&self, asked: Asked<'_>) -> Result<(Origin, Headers), Refusal> {
        let denied = |reason: String| Err(Refusal::Denied(reason));
        if asked.method.len() > MAX_METHOD {
            return denied(format!("its method has more than {MAX_METHOD} characters"));
        }
        if asked.authority.len() > MAX_AUTHORITY {
            return denied(format!("its host has more than {MAX_AUTHORITY} characters"));
        }
        let origin = match Origin::parse(&asked.place()) {
            Ok(origin) => origin,
            Err(error) => return denied(error.reason),
        };
        let granted: Vec<_> = self.origins.iter().filter(|grant| grant.origin == origin).collect();
        if granted.is_empty() {
            return denied(format!("{origin} is not granted"));
        }
        let may = |method: &str| granted.iter().any(|g| g.methods.is_empty() || g.methods.iter().any(|m| m == method));
        if ["CONNECT", "TRACE"].iter().any(|never| asked.method.eq_ignore_ascii_case(never)) {
            return denied(format!("{} is never sent", asked.method));
        }
        if !may(asked.method) {
            return denied(format!("{} to {origin} is not granted", asked.method));
        }
        check_headers(&self.limits, &asked.headers)?;
        for (name, value) in &asked.headers {
            let other = String::from_utf8_lossy(value).trim().to_ascii_uppercase();
            if OVERRIDES.contains(&dashed(name).as_str()) && !may(&other) {
                return denied(format!("{other} to {origin}, by the header `{name}`, is not granted"));
            }
        }
        let mut headers = asked.headers;
        headers.retain(|(name, _)| !OF_THE_SENDER.contains(&dashed(name).as_str()));
        Ok((origin, headers))
    }
}

/// The name as many servers read it: to them `_` and `-` are the same.
fn dashed(name: &str) -> String {
    name.replace('_', "-")
}

/// Holds the headers of a request or a response against the limits.
pub(crate) fn check_headers(limits: &HttpLimits, headers: &[(String, Vec<u8>)]) -> Result<(), Refusal> {
    if headers.len() as u64 > u64::from(limits.headers) {
        return Err(Refusal::Limit("http headers", limits.headers.into()));
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes as u64 > u64::from(limits.header_bytes) {
        return Err(Refusal::Limit("http header bytes", limits.header_bytes.into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::OriginGrant;
    use super::*;

    fn grant() -> HttpGrant {
        HttpGrant::nothing()
            .with(OriginGrant::new("https://api.example").unwrap().only(["get", "HEAD"]))
            .with(OriginGrant::new("http://127.0.0.1:8080").unwrap())
    }

    fn ask(method: &str, url: &str, headers: &[(&str, &str)]) -> Result<(Origin, Headers), Refusal> {
        let (scheme, authority) = url.split_once("://").unwrap();
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
        grant().admit(Asked { method, scheme, authority, headers })
    }

    fn refused(method: &str, url: &str, headers: &[(&str, &str)]) -> String {
        match ask(method, url, headers) {
            Err(Refusal::Denied(reason)) => reason,
            other => panic!("{method} {url} {headers:?}: {other:?}"),
        }
    }

    #[test]
    fn an_origin_is_reached_in_every_spelling_of_it_and_no_other_is() {
        for url in ["https://api.example", "https://API.example:443", "https://api.example."] {
            assert_eq!(ask("GET", url, &[]).unwrap().0.as_str(), "https://api.example", "{url}");
        }
        assert!(ask("PATCH", "http://127.0.0.1:8080", &[]).is_ok());
        for url in [
            "http://api.example",
            "https://api.example:8443",
            "https://api.example.evil.example",
            "https://evil.example",
            "https://www.api.example",
            "https://api.example..",
            "http://127.0.0.1",
            "http://127.0.0.1:80800",
            "http://localhost:8080",
            "http://[::1]:8080",
        ] {
            refused("GET", url, &[]);
        }
    }

    #[test]
    fn a_user_in_the_authority_does_not_hide_the_host() {
        for url in ["https://api.example@evil.example", "https://me:secret@api.example", "https://@api.example"] {
            assert!(refused("GET", url, &[]).contains("user"), "{url}");
        }
    }

    #[test]
    fn only_the_methods_that_were_granted_are_sent_and_tunnels_never() {
        assert!(ask("HEAD", "https://api.example", &[]).is_ok());
        assert!(refused("POST", "https://api.example", &[]).contains("POST"));
        // Names of methods are case-sensitive: a server may take `get` for something else.
        refused("get", "https://api.example", &[]);
        assert!(ask("PURGE", "http://127.0.0.1:8080", &[]).is_ok());
        for never in ["CONNECT", "TRACE", "connect"] {
            assert!(refused(never, "http://127.0.0.1:8080", &[]).contains("never"));
        }
    }

    #[test]
    fn a_header_that_stands_for_another_method_is_one() {
        for name in OVERRIDES {
            assert!(refused("GET", "https://api.example", &[(name, " delete ")]).contains("DELETE"), "{name}");
            assert!(refused("GET", "https://api.example", &[(&name.replace('-', "_"), "DELETE")]).contains("DELETE"));
            assert!(ask("GET", "https://api.example", &[(name, "head")]).is_ok());
            assert!(ask("POST", "http://127.0.0.1:8080", &[(name, "DELETE")]).is_ok());
        }
    }

    #[test]
    fn no_header_says_where_to_or_how_the_bytes_travel() {
        let given =
            [("host", "evil.example"), ("accept", "*/*"), ("transfer-encoding", "chunked"), ("content-length", "9")];
        let (_, kept) = ask("GET", "https://api.example", &given).unwrap();
        assert_eq!(kept, [("accept".to_owned(), b"*/*".to_vec())]);
    }

    #[test]
    fn methods_and_hosts_are_bounded_before_anybody_reads_them() {
        let method = |length: usize| ask(&"M".repeat(length), "http://127.0.0.1:8080", &[]);
        assert!(method(32).is_ok());
        assert!(refused(&"M".repeat(33), "http://127.0.0.1:8080", &[]).len() < 100);
        let host = |length: usize| refused("GET", &format!("https://{}", "a".repeat(length)), &[]);
        assert!(host(300).contains("granted") || host(300).contains("host"), "{}", host(300));
        assert!(host(301).contains("300 characters"));
    }

    #[test]
    fn headers_are_bounded_by_number_and_by_size() {
        let limits = HttpLimits::default();
        let many = |n: u32| vec![("a".to_owned(), Vec::new()); n as usize];
        assert_eq!(check_headers(&limits, &many(100)), Ok(()));
        assert_eq!(check_headers(&limits, &many(101)), Err(Refusal::Limit("http headers", 100)));
        let large = |n: usize| vec![("abc".to_owned(), vec![b'x'; n - 3])];
        assert_eq!(check_headers(&limits, &large(65_536)), Ok(()));
        assert_eq!(check_headers(&limits, &large(65_537)), Err(Refusal::Limit("http header bytes", 65_536)));
    }

    #[test]
    fn what_a_connector_declares_and_may_not_reach_is_told() {
        let declared = ["https://API.example/", "https://other.example", "no origin"].map(str::to_owned);
        assert_eq!(grant().missing(&declared), ["https://other.example", "no origin"]);
    }
}
