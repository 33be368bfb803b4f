//! `codemode.search` and `codemode.describe`: what the code can find out about its connectors and snippets. Pure: the pass
//! reads the store and journals the answers, so that they replay unchanged.

mod describe;
mod search;

use crate::connector::Description;
use crate::durable::failure::{Failure, code};
use crate::durable::snippet::SnippetLabel;
use crate::durable::value::{Json, ValueError, ValueLimits};

pub(crate) use describe::{Target, describe, resolve};
pub(crate) use search::search;

/// What one execution may find.
pub(crate) struct Offer<'a> {
    /// Names and descriptions, in configured order.
    pub(crate) connectors: Vec<(&'a str, &'a Description)>,
    /// By name.
    pub(crate) snippets: &'a [SnippetLabel],
}

/// The text of a JSON string that the code asked with.
pub(crate) fn asked_text(json: &Json) -> String {
    // A text with half a surrogate pair has no Rust string; it matches nothing then, but is named as it is.
    serde_json::from_str(json.as_str()).unwrap_or_else(|_| json.as_str().to_owned())
}

/// Makes an answer of `make(size)`, with ever smaller sizes until it is within the limits: what is found must not fail
/// the pass by being much.
fn fitting(limits: &ValueLimits, mut size: usize, make: impl Fn(usize) -> String) -> Result<Json, Failure> {
    loop {
        match Json::from_plain(&make(size), limits) {
            Err(ValueError::TooLarge { .. }) if size > 0 => size /= 2,
            made => {
                let failed = |error: ValueError| Failure::new(code::TOO_LARGE, error.about("what was found"));
                return made.map_err(failed);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::connector::Method;

    /// Two connectors: `github` with an approval and `repoApi`; and two snippets.
    pub(in crate::discovery) struct Sample {
        github: Description,
        repo: Description,
        pub(in crate::discovery) snippets: Vec<SnippetLabel>,
    }

    impl Sample {
        pub(in crate::discovery) fn new() -> Self {
            let said = |method: Method, text: &str| Method { description: Some(text.to_owned()), ..method };
            let schema = |method: Method, text: &str| Method { input_schema: Some(text.to_owned()), ..method };
            let label = |name: &str, text: &str| SnippetLabel { name: name.to_owned(), description: text.to_owned() };
            Self {
                github: Description {
                    instructions: Some("Use me.".to_owned()),
                    methods: vec![
                        said(Method::read("list_pull_requests"), "Show the pull requests of one repo"),
                        said(Method::read("search_issues"), "Find issues by text"),
                        schema(
                            said(Method::write("create_issue").needs_approval(), "Open an issue"),
                            "{\"type\":\"object\"}",
                        ),
                    ],
                    ..Description::default()
                },
                repo: Description {
                    methods: vec![
                        said(Method::read("getRepository"), "Fetch repo facts"),
                        Method::read("list_releases"),
                    ],
                    ..Description::default()
                },
                snippets: vec![label("list-open-prs", "Show open pull requests"), label("triage", "")],
            }
        }

        pub(in crate::discovery) fn offer(&self) -> Offer<'_> {
            Offer { connectors: vec![("github", &self.github), ("repoApi", &self.repo)], snippets: &self.snippets }
        }
    }

    pub(in crate::discovery) fn limits(units: u64) -> ValueLimits {
        ValueLimits { units, depth: 512 }
    }
}
