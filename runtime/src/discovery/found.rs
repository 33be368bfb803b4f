//! What a search finds, ranked and cut.
//!
//! The order is total: more points first, then paths code point by code point, then methods before snippets.

use std::cmp::Ordering;

use serde::Serialize;

use super::index::{Entry, Index};
use super::rank::matches;
use super::shown::visible;
use super::words::Query;
use super::{Kind, Offer, fitting, is_not_needed, is_required};
use crate::connector::Method;
use crate::durable::failure::Failure;
use crate::durable::journal::Approval;
use crate::durable::json::cut;
use crate::durable::snippet::SnippetLabel;
use crate::durable::value::{Json, ValueLimits};

/// At most so many results (SEARCH-13).
pub const MAX_RESULTS: usize = 50;

/// How much of a description a result shows, in UTF-16 code units; `describe` has more.
pub const MAX_DESCRIPTION: usize = 2_000;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Found {
    /// The best first; at most [`MAX_RESULTS`].
    pub results: Vec<Hit>,
    /// How many there are.
    pub total: usize,
    /// Whether not all of them are in the results.
    pub truncated: bool,
}

/// A method or snippet that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Hit {
    /// `connector.method`, or the snippet's name: what `describe` takes.
    pub path: String,
    /// The connector, or the word `snippet`.
    pub connector: String,
    /// The method, or the snippet's name.
    pub method: String,
    /// What it does, without characters that nobody sees, cut to [`MAX_DESCRIPTION`]. `None`: nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// How well it fits.
    pub score: u32,
    /// Whether a person is asked before it is called.
    #[serde(rename = "requiresApproval", serialize_with = "is_required", skip_serializing_if = "is_not_needed")]
    pub approval: Approval,
}

/// Something that was found.
struct Candidate<'a> {
    score: u32,
    path: &'a str,
    what: What<'a>,
}

enum What<'a> {
    Method(&'a str, &'a Method),
    Snippet(&'a SnippetLabel),
}

/// What an offer has for a query.
pub(crate) fn search(offer: &Offer<'_>, query: &str) -> Found {
    let query = Query::new(query);
    let methods = matches(offer.index, &query);
    let mut all: Vec<Candidate<'_>> = Vec::new();
    for connector in offer.seen() {
        let range = &connector.items;
        let from = methods.partition_point(|m| m.item < range.start);
        all.extend(methods[from..].iter().take_while(|m| m.item < range.end).map(|m| {
            let method = &connector.description.methods[m.item - range.start];
            Candidate { score: m.score, path: offer.index.path(m.item), what: What::Method(connector.name, method) }
        }));
    }
    // Snippets come and go, and are few.
    let snippets = Index::new(offer.snippets.iter().map(|label| Entry {
        path: &label.name,
        method: &label.name,
        connector: SNIPPET,
        description: &label.description,
    }));
    all.extend(matches(&snippets, &query).iter().map(|m| {
        let label = &offer.snippets[m.item];
        Candidate { score: m.score, path: &label.name, what: What::Snippet(label) }
    }));
    let total = all.len();
    if total > MAX_RESULTS {
        all.select_nth_unstable_by(MAX_RESULTS, order);
        all.truncate(MAX_RESULTS);
    }
    all.sort_unstable_by(order);
    Found { results: all.into_iter().map(shown).collect(), total, truncated: total > MAX_RESULTS }
}

/// The same as a value; more than fits into one is left out from the end.
pub(crate) fn found(offer: &Offer<'_>, query: &str, limits: &ValueLimits) -> Result<Json, Failure> {
    let all = search(offer, query);
    fitting(limits, all.results.len(), |count| {
        let results = all.results[..count].to_vec();
        let few = Found { results, truncated: all.total > count, ..all };
        serde_json::to_string(&few).unwrap_or_default()
    })
}

fn order(a: &Candidate<'_>, b: &Candidate<'_>) -> Ordering {
    let kind = |c: &Candidate<'_>| matches!(c.what, What::Snippet(_));
    b.score.cmp(&a.score).then_with(|| a.path.cmp(b.path)).then_with(|| kind(a).cmp(&kind(b)))
}

fn shown(candidate: Candidate<'_>) -> Hit {
    let (connector, method, description, kind, approval) = match candidate.what {
        What::Method(connector, m) => (connector, m.name.as_str(), m.description.as_deref(), Kind::Method, m.approval),
        What::Snippet(label) => {
            (SNIPPET, label.name.as_str(), Some(label.description.as_str()), Kind::Snippet, Approval::NotNeeded)
        }
    };
    let description = description.map(visible).filter(|text| !text.is_empty());
    Hit {
        path: candidate.path.to_owned(),
        connector: connector.to_owned(),
        method: method.to_owned(),
        description: description.map(|text| cut(&text, MAX_DESCRIPTION).into_owned()),
        kind,
        score: candidate.score,
        approval,
    }
}

/// What stands for the connector of a snippet (SEARCH-04).
const SNIPPET: &str = "snippet";

#[cfg(test)]
mod tests;
