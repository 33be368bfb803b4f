//! What code and hosts can find out about connectors and snippets: search, and docs with TypeScript declarations. Pure:
//! the pass reads the store and journals the answers, so that they replay unchanged.

pub mod declarations;
mod describe;
mod found;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod index;
mod rank;
mod shown;
mod words;

use std::ops::Range;

use serde::{Serialize, Serializer};

use crate::connector::{Description, Method};
use crate::durable::failure::{Failure, code};
use crate::durable::journal::Approval;
use crate::durable::limits::Limits;
use crate::durable::snippet::SnippetLabel;
use crate::durable::value::{Json, ValueError, ValueLimits};

use declarations::Sizes;
pub(crate) use declarations::{is_address_of, parse_schema};
pub use describe::Docs;
pub(crate) use describe::{Target, declared, describe, described, resolve};
pub use found::{Found, Hit, MAX_DESCRIPTION, MAX_RESULTS};
pub(crate) use found::{found, search};
use index::Entry;
pub(crate) use index::Index;
pub(crate) use shown::one_line;
pub use shown::{is_invisible, visible};

/// What can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
    /// A connector; only described.
    Connector,
    /// A method of a connector.
    Method,
    /// A snippet.
    Snippet,
}

/// What one execution, or a host, may find.
pub(crate) struct Offer<'a> {
    /// All connectors that are configured.
    connectors: Vec<Offered<'a>>,
    /// Over all of their methods.
    index: &'a Index,
    /// By name.
    snippets: &'a [SnippetLabel],
}

struct Offered<'a> {
    name: &'a str,
    description: &'a Description,
    /// The places of its methods in the index.
    items: Range<usize>,
    sight: Sight,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sight {
    Seen,
    Unseen,
}

/// Names and descriptions of connectors, in configured order.
pub(crate) type Connectors<'a> = [(&'a str, &'a Description)];

impl<'a> Offer<'a> {
    /// `index` is that of all `connectors`; those that `is_seen` are offered.
    pub(crate) fn new(
        connectors: &Connectors<'a>,
        index: &'a Index,
        is_seen: impl Fn(&str) -> bool,
        snippets: &'a [SnippetLabel],
    ) -> Self {
        let mut end = 0;
        let offered = |(name, description): &(&'a str, &'a Description)| {
            let items = end..end + description.methods.len();
            end = items.end;
            let sight = if is_seen(name) { Sight::Seen } else { Sight::Unseen };
            Offered { name, description, items, sight }
        };
        Self { connectors: connectors.iter().map(offered).collect(), index, snippets }
    }

    /// Those that are offered, in configured order.
    fn seen(&self) -> impl Iterator<Item = &Offered<'a>> {
        self.connectors.iter().filter(|connector| connector.sight == Sight::Seen)
    }

    /// Their methods, with their connectors.
    fn methods(&self) -> impl Iterator<Item = (&'a str, &'a Method)> {
        self.seen().flat_map(|c| c.description.methods.iter().map(|method| (c.name, method)))
    }
}

/// The index over the methods of connectors, in their order.
pub(crate) fn index(connectors: &Connectors<'_>) -> Index {
    let methods = connectors.iter().flat_map(|(name, description)| description.methods.iter().map(move |m| (*name, m)));
    let paths: Vec<String> = methods.clone().map(|(connector, m)| path(connector, m)).collect();
    Index::new(methods.zip(&paths).map(|((connector, method), path)| Entry {
        path,
        method: &method.name,
        connector,
        description: method.description.as_deref().unwrap_or_default(),
    }))
}

/// How much of a description is shown.
pub(crate) fn sizes(limits: &Limits) -> Sizes {
    let [declaration, block] =
        [limits.declaration_units, limits.docs_units].map(|units| usize::try_from(units).unwrap_or(usize::MAX));
    Sizes { declaration, block }
}

fn path(connector: &str, method: &Method) -> String {
    format!("{connector}.{}", method.name)
}

/// The text of a JSON string that the code asked with.
pub(crate) fn asked_text(json: &Json) -> String {
    // A text with half a surrogate pair has no Rust string; it matches nothing then, but is named as it is.
    serde_json::from_str(json.as_str()).unwrap_or_else(|_| json.as_str().to_owned())
}

/// `requiresApproval` is `true` or absent (SEARCH-02).
fn is_required<S: Serializer>(approval: &Approval, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*approval == Approval::Required)
}

fn is_not_needed(approval: &Approval) -> bool {
    *approval == Approval::NotNeeded
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
mod testing;
