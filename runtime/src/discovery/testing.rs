//! The fixture of the catalogue's golden vectors (SEARCH-16).

use super::*;
use crate::connector::Method;

/// Two connectors, `github` with an approval and `repoApi`, and two snippets.
pub(super) struct Sample {
    pub(super) connectors: Vec<(&'static str, Description)>,
    pub(super) snippets: Vec<SnippetLabel>,
}

impl Sample {
    pub(super) fn new() -> Self {
        let github = Description {
            instructions: Some("Use me.".to_owned()),
            methods: vec![
                said(Method::read("list_pull_requests"), "Show the pull requests of one repo"),
                said(Method::read("search_issues"), "Find issues by text"),
                Method {
                    input_schema: Some("{\"type\":\"object\"}".to_owned()),
                    ..said(Method::write("create_issue").needs_approval(), "Open an issue")
                },
            ],
            ..Description::default()
        };
        let repo = Description {
            methods: vec![
                said(Method::read("getRepository"), "Fetch repo facts"),
                said(Method::read("list_releases"), "Show release tags"),
            ],
            ..Description::default()
        };
        let snippets = vec![label("list-open-prs", "Show open pull requests"), label("triage", "")];
        Self { connectors: vec![("github", github), ("repoApi", repo)], snippets }
    }

    /// One connector with these methods and their descriptions.
    pub(super) fn of(connector: &'static str, methods: &[(&str, &str)]) -> Self {
        let methods = methods.iter().map(|(name, text)| said(Method::read(*name), text)).collect();
        let description = Description { methods, ..Description::default() };
        Self { connectors: vec![(connector, description)], snippets: Vec::new() }
    }

    /// Does something with all of it on offer.
    pub(super) fn with<T>(&self, act: impl FnOnce(&Offer<'_>) -> T) -> T {
        self.seeing(|_| true, act)
    }

    /// The same with some of the connectors only.
    pub(super) fn seeing<T>(&self, is_seen: impl Fn(&str) -> bool, act: impl FnOnce(&Offer<'_>) -> T) -> T {
        let connectors: Vec<_> = self.connectors.iter().map(|(name, d)| (*name, d)).collect();
        let index = index(&connectors);
        act(&Offer::new(&connectors, &index, is_seen, &self.snippets))
    }
}

/// A method with a description; an empty one is none.
fn said(method: Method, text: &str) -> Method {
    Method { description: (!text.is_empty()).then(|| text.to_owned()), ..method }
}

pub(super) fn label(name: &str, text: &str) -> SnippetLabel {
    SnippetLabel { name: name.to_owned(), description: text.to_owned() }
}

pub(super) fn limits(units: u64) -> ValueLimits {
    ValueLimits { units, depth: 512 }
}
