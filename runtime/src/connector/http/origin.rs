//! Where a request goes: scheme, host and port, in one form for everything that means the same. Grants and requests are
//! read by the same rules, so that they cannot disagree on what a host is called.

use std::fmt;

use url::{Host, Url};

/// Scheme, host and port. Letters, international names, numbers of hosts, the dot at the end and the usual port are in
/// their normal form, so equal origins are equal texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(String);

/// Why a text is no origin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no origin: {reason}")]
pub struct OriginError {
    /// The text, cut at 200 characters.
    pub text: String,
    /// What is wrong, and what to write.
    pub reason: String,
}

impl Origin {
    /// Reads `https://host[:port]` or `http://host[:port]`; a single `/` at the end is let through.
    ///
    /// # Errors
    /// Anything else.
    pub fn parse(text: &str) -> Result<Self, OriginError> {
        read(text).map(Self).map_err(|reason| OriginError { text: text.chars().take(200).collect(), reason })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn read(text: &str) -> Result<String, String> {
    let wrong = |reason: &str| Err(reason.to_owned());
    let Some((_, authority)) = text.split_once("://") else {
        return wrong("write it as `https://host` or `https://host:port`");
    };
    let authority = authority.strip_suffix('/').unwrap_or(authority);
    // What the parser would repair or read as something else is refused instead.
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return wrong("it has blanks or control characters");
    }
    if authority.contains('@') {
        return wrong("it names a user; grants are for hosts");
    }
    if authority.contains(['/', '\\', '?', '#']) {
        return wrong("it has a path or a query; a grant is for all of an origin");
    }
    if authority.contains('*') {
        return wrong("there are no wildcards; grant each host by its name");
    }
    let url = Url::parse(text).map_err(|error| format!("{error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return wrong("only `http` and `https` are sent");
    }
    let host = match url.host() {
        Some(Host::Domain(name)) => name.strip_suffix('.').unwrap_or(name).to_owned(),
        Some(address) => address.to_string(),
        None => String::new(),
    };
    if host.is_empty() || host.ends_with('.') {
        return wrong("it names no host");
    }
    // The parser drops the usual port of the scheme.
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    Ok(format!("{}://{host}{port}", url.scheme()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn normal(text: &str) -> String {
        Origin::parse(text).unwrap().0
    }

    fn reason(text: &str) -> String {
        Origin::parse(text).unwrap_err().reason
    }

    #[test]
    fn what_means_the_same_is_the_same_text() {
        for same in [
            "https://example.com",
            "https://example.com/",
            "HTTPS://Example.COM",
            "https://example.com:443",
            "https://example.com.",
            "https://ex%61mple.com",
            "https://example.com:0443",
        ] {
            assert_eq!(normal(same), "https://example.com", "{same}");
        }
        assert_eq!(normal("http://example.com:80"), "http://example.com");
        assert_eq!(normal("http://example.com:443"), "http://example.com:443");
        assert_eq!(normal("https://bücher.example"), normal("https://xn--bcher-kva.example"));
        assert_eq!(normal("https://BÜCHER.example"), normal("https://xn--bcher-kva.example"));
    }

    #[test]
    fn a_number_of_a_host_is_the_same_in_every_spelling() {
        for same in ["http://127.0.0.1", "http://127.1", "http://0x7f000001", "http://2130706433", "http://127.0.0.1."]
        {
            assert_eq!(normal(same), "http://127.0.0.1", "{same}");
        }
        assert_eq!(normal("http://[0:0::1]:8080"), "http://[::1]:8080");
        // Another host, although it may lead to the same machine.
        assert_ne!(normal("http://[::ffff:127.0.0.1]"), "http://127.0.0.1");
        assert_ne!(normal("http://localhost"), "http://127.0.0.1");
    }

    #[test]
    fn what_is_more_or_less_than_an_origin_is_refused_with_what_to_write() {
        assert!(reason("example.com").contains("`https://host`"));
        assert!(reason("https://me@example.com").contains("user"));
        assert!(reason("https://a.example@b.example").contains("user"));
        assert!(reason("https://example.com/api").contains("path"));
        assert!(reason("https://example.com\\@b.example").contains("user"));
        assert!(reason("https://example.com?x").contains("query"));
        assert!(reason("https://*.example.com").contains("wildcards"));
        assert!(reason("ftp://example.com").contains("http"));
        assert!(reason(" https://example.com").contains("blanks"));
        assert!(reason("https://exa\tmple.com").contains("blanks"));
        for nothing in ["https://", "https://.", "https://..", "https://:80", "https://a:99999", "https://1.2.3.4.5"] {
            assert!(Origin::parse(nothing).is_err(), "{nothing}");
        }
        assert_eq!(Origin::parse(&format!("x{}", "y".repeat(900))).unwrap_err().text.len(), 200);
    }

    /// Hosts as people and attackers write them, with ports and without.
    fn authority() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            "[a-zA-Z0-9.-]{1,12}",
            "[0-9x.a-f]{1,12}",
            r"\[[0-9a-f:.]{1,20}\]",
            "[a-z%0-9@:\\\\/?#*.。é]{0,12}",
            Just("127.0.0.1".to_owned()),
        ];
        (part, prop_oneof![3 => Just(String::new()), 1 => ":[0-9]{0,6}"]).prop_map(|(host, port)| host + &port)
    }

    proptest! {
        #[test]
        fn a_normal_form_is_its_own(scheme in "(https?|HTTP|ftp)", authority in authority()) {
            if let Ok(origin) = Origin::parse(&format!("{scheme}://{authority}")) {
                prop_assert_eq!(Origin::parse(origin.as_str()), Ok(origin));
            }
        }

        #[test]
        fn what_follows_an_origin_never_becomes_a_part_of_it(authority in authority(), path in "/[!-~]{0,20}") {
            if let Ok(origin) = Origin::parse(&format!("http://{authority}")) {
                let url = Url::parse(&format!("{origin}{path}")).unwrap();
                let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
                prop_assert_eq!(format!("http://{}{port}", url.host_str().unwrap()), origin.as_str());
                prop_assert_eq!((url.username(), url.password()), ("", None));
            }
        }
    }
}
