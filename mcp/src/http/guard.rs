//! Who may speak to the server over HTTP, decided from the head of a request alone: pages of other machines and names that
//! were made to point here are turned away before the token is looked at.

use http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use http::{HeaderMap, Uri};

use crate::access::Access;

/// Why a request is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// `Host` names no address of this machine's loopback.
    Host,
    /// `Origin` is a page that is not allowed.
    Origin,
    /// No token.
    NoToken,
    /// Another token.
    WrongToken,
}

/// Whether a request comes by a name of this machine and from no strange page.
pub(super) fn place(headers: &HeaderMap, uri: &Uri, access: &Access) -> Result<(), Refused> {
    let host = only(headers, HOST).ok_or(Refused::Host)?;
    if !is_loopback(host) || uri.authority().is_some_and(|authority| !is_loopback(authority.as_str())) {
        return Err(Refused::Host);
    }
    for origin in headers.get_all(ORIGIN) {
        let origin = origin.to_str().map_err(|_| Refused::Origin)?;
        let local =
            ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme)).is_some_and(is_loopback);
        if !local && !access.origins.iter().any(|allowed| allowed == origin) {
            return Err(Refused::Origin);
        }
    }
    Ok(())
}

/// Whether a request carries the token.
pub(super) fn token(headers: &HeaderMap, access: &Access) -> Result<(), Refused> {
    if !headers.contains_key(AUTHORIZATION) {
        return Err(Refused::NoToken);
    }
    let sent = only(headers, AUTHORIZATION).and_then(|value| value.split_once(' ')).ok_or(Refused::WrongToken)?;
    let (scheme, token) = sent;
    if scheme.eq_ignore_ascii_case("bearer") && access.token.is(token.trim().as_bytes()) {
        return Ok(());
    }
    Err(Refused::WrongToken)
}

/// The value of a header that must be there once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

/// Whether a host, with or without a port, is this machine's loopback. Any port: one may be forwarded here.
fn is_loopback(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => match rest.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if rest.is_empty() => (host, None),
            None => return false,
        },
        None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return false;
    }
    if authority.starts_with('[') {
        return host.parse::<std::net::Ipv6Addr>().is_ok_and(|address| address.is_loopback());
    }
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Token;

    const TOKEN: &str = "0123456789abcdef";

    fn checked(headers: &[(&str, &str)]) -> Result<(), Refused> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().expect("a name");
            map.append(name, value.parse().expect("a value"));
        }
        let access = Access::new(Token::new(TOKEN).expect("a token")).origin("https://app.example.com");
        place(&map, &Uri::from_static("/mcp"), &access).and_then(|()| token(&map, &access))
    }

    #[test]
    fn only_names_of_the_loopback_are_hosts() {
        for host in
            ["localhost", "LOCALHOST:80", "127.0.0.1:4000", "127.1.2.3", "[::1]", "[::1]:9", "[0:0:0:0:0:0:0:1]:1"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example:80",
            "0.0.0.0:1",
            "10.0.0.1",
            "localhost:",
            "localhost:x",
            "localhost:99999",
            "[::1",
            "[::1]x",
            "[::2]:1",
            "::1",
            "user@localhost",
            "localhost.",
            "2130706433",
            "127.1",
            "0x7f.0.0.1",
            "[127.0.0.1]",
            "localhost/x",
            "localhost:80:80",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn whoever_has_the_token_and_comes_from_here_is_let_in() {
        let bearer = format!("Bearer {TOKEN}");
        let small = format!("bearer  {TOKEN}");
        for origin in [None, Some("http://localhost:3000"), Some("https://[::1]"), Some("https://app.example.com")] {
            let mut headers = vec![("host", "localhost:1"), ("authorization", bearer.as_str())];
            headers.extend(origin.map(|origin| ("origin", origin)));
            assert_eq!(checked(&headers), Ok(()), "{origin:?}");
        }
        assert_eq!(checked(&[("host", "[::1]:1"), ("authorization", &small)]), Ok(()));
    }

    #[test]
    fn names_and_pages_from_elsewhere_are_turned_away_whatever_token_they_have() {
        let bearer = format!("Bearer {TOKEN}");
        let auth = ("authorization", bearer.as_str());
        assert_eq!(checked(&[auth]), Err(Refused::Host));
        assert_eq!(checked(&[("host", "evil.example"), auth]), Err(Refused::Host));
        assert_eq!(checked(&[("host", "localhost"), ("host", "localhost"), auth]), Err(Refused::Host));
        for origin in [
            "https://evil.example",
            "null",
            "",
            "http://localhost.evil.example",
            "file://",
            "http://localhost@evil.example",
            "https://app.example.com.evil.example",
            "https://app.example.com:8443",
            "http://app.example.com",
            "ftp://localhost",
        ] {
            assert_eq!(checked(&[("host", "localhost"), ("origin", origin), auth]), Err(Refused::Origin), "{origin}");
        }
        let two = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "https://evil.example"), auth];
        assert_eq!(checked(&two), Err(Refused::Origin));
    }

    #[test]
    fn without_the_token_nobody_is_let_in() {
        let here = ("host", "localhost");
        assert_eq!(checked(&[here]), Err(Refused::NoToken));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            TOKEN,
            "Basic 0123456789abcdef",
            "Bearer 0123456789abcdeX",
            "Bearer x 0123456789abcdef",
        ] {
            assert_eq!(checked(&[here, ("authorization", wrong)]), Err(Refused::WrongToken), "{wrong}");
        }
        let bearer = format!("Bearer {TOKEN}");
        let twice = [here, ("authorization", bearer.as_str()), ("authorization", bearer.as_str())];
        assert_eq!(checked(&twice), Err(Refused::WrongToken));
    }
}
