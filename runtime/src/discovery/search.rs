//! Search: every word of the query must occur, taken literally, without regard to case. Where a word occurs says how much
//! it counts.

use std::borrow::Cow;

use serde::Serialize;

use super::{Offer, fitting};
use crate::connector::Method;
use crate::durable::failure::Failure;
use crate::durable::journal::Approval;
use crate::durable::json::cut;
use crate::durable::value::{Json, ValueLimits};

/// At most so many results (SEARCH-13).
const MAX_RESULTS: usize = 50;

/// How much of a description a result shows, in UTF-16 code units; `describe` has all of it.
const MAX_DESCRIPTION: usize = 2_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    path: Cow<'a, str>,
    connector: &'a str,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Cow<'a, str>>,
    kind: &'static str,
    score: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    requires_approval: Option<bool>,
}

#[derive(Serialize)]
struct Results<'a> {
    results: &'a [Found<'a>],
    total: usize,
    truncated: bool,
}

/// What the offer has for a query: best first, equal ones in the order of their paths, code point by code point. More
/// than fits into a value is left out from the end.
pub(crate) fn search(offer: &Offer<'_>, query: &str, limits: &ValueLimits) -> Result<Json, Failure> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let methods = offer.connectors.iter().flat_map(|(name, d)| d.methods.iter().map(move |m| of_method(name, m)));
    let snippets = offer.snippets.iter().map(|label| Found {
        path: Cow::Borrowed(&label.name),
        connector: "snippet",
        method: &label.name,
        description: Some(Cow::Borrowed(label.description.as_str())).filter(|text| !text.is_empty()),
        kind: "snippet",
        score: 0,
        requires_approval: None,
    });
    let mut found: Vec<Found<'_>> = methods.chain(snippets).filter_map(|item| scored(item, &words)).collect();
    found.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    let total = found.len();
    found.truncate(MAX_RESULTS);
    for item in &mut found {
        item.description = item.description.take().map(|text| Cow::Owned(cut(&text, MAX_DESCRIPTION).into_owned()));
    }
    fitting(limits, found.len(), |count| {
        let results = Results { results: &found[..count], total, truncated: total > count };
        serde_json::to_string(&results).unwrap_or_default()
    })
}

fn of_method<'a>(connector: &'a str, method: &'a Method) -> Found<'a> {
    Found {
        path: Cow::Owned(format!("{connector}.{}", method.name)),
        connector,
        method: &method.name,
        description: method.description.as_deref().map(Cow::Borrowed),
        kind: "method",
        score: 0,
        requires_approval: (method.approval == Approval::Required).then_some(true),
    }
}

/// The item with its score, if every word occurs in it. A word counts as much as the best place where it occurs.
fn scored<'a>(item: Found<'a>, words: &[&str]) -> Option<Found<'a>> {
    let places = [
        (12, item.path.to_lowercase()),
        (10, item.method.to_lowercase()),
        (8, item.connector.to_lowercase()),
        (5, item.description.as_deref().unwrap_or_default().to_lowercase()),
    ];
    let mut score = 0;
    for word in words {
        // The whole place is worth more than a part of it.
        let worth = |(weight, text): &(u32, String)| if text == word { weight * 2 } else { *weight };
        score += places.iter().filter(|(_, text)| text.contains(word)).map(worth).max()?;
    }
    (score > 0).then_some(Found { score, ..item })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{Sample, limits};
    use super::*;

    fn found(sample: &Sample, query: &str) -> Value {
        let json = search(&sample.offer(), query, &limits(1_000_000)).unwrap();
        serde_json::from_str(&json.to_plain().unwrap()).unwrap()
    }

    fn paths(query: &str) -> Vec<String> {
        let found = found(&Sample::new(), query);
        found["results"].as_array().unwrap().iter().map(|r| r["path"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_result_has_its_members_and_no_schema() {
        let found = found(&Sample::new(), "create ISSUE");
        assert_eq!(
            found,
            json!({ "results": [{ "path": "github.create_issue", "connector": "github", "method": "create_issue",
                "description": "Open an issue", "kind": "method", "score": 24, "requiresApproval": true }],
                "total": 1, "truncated": false })
        );
        let snippet = self::found(&Sample::new(), "triage");
        assert_eq!(
            snippet["results"][0],
            json!({ "path": "triage", "connector": "snippet", "method": "triage", "kind": "snippet", "score": 24 })
        );
    }

    #[test]
    fn names_come_before_descriptions_and_ties_in_the_order_of_paths() {
        assert_eq!(paths("pull"), ["github.list_pull_requests", "list-open-prs"]);
        assert_eq!(paths("list"), ["github.list_pull_requests", "list-open-prs", "repoApi.list_releases"]);
        assert_eq!(paths("snippet"), ["list-open-prs", "triage"], "every snippet is found as one");
        assert_eq!(paths("getrepository"), ["repoApi.getRepository"]);
        assert_eq!(paths("repo facts"), ["repoApi.getRepository"]);
        assert!(paths("list nonsense").is_empty(), "every word must occur");
    }

    #[test]
    fn words_are_taken_literally() {
        let mut sample = Sample::new();
        for name in ["50%_off", "a'b\"c", "[x]*?", "x\\y", "a\nb"] {
            sample
                .snippets
                .push(crate::durable::snippet::SnippetLabel { name: name.to_owned(), description: String::new() });
        }
        let of = |query: &str| {
            let found = found(&sample, query);
            let results = found["results"].as_array().unwrap().clone();
            results.iter().map(|r| r["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of("%"), ["50%_off"]);
        assert_eq!(of("*"), ["[x]*?"]);
        assert_eq!(of("'"), ["a'b\"c"]);
        assert_eq!(of("\\"), ["x\\y"]);
        assert_eq!(of("_").len(), 5, "those with a low line: {:?}", of("_"));
        assert_eq!((of(""), of(" \n")), (Vec::new(), Vec::new()));
    }

    #[test]
    fn at_most_fifty_are_shown_and_what_does_not_fit_is_left_out() {
        let mut sample = Sample::new();
        sample.snippets = (0..51)
            .map(|n| crate::durable::snippet::SnippetLabel {
                name: format!("item_{n:02}"),
                description: "x".repeat(5_000),
            })
            .collect();
        let all = found(&sample, "item");
        assert_eq!((all["total"].clone(), all["truncated"].clone()), (json!(51), json!(true)));
        assert_eq!(all["results"].as_array().unwrap().len(), 50);
        assert!(all["results"][0]["description"].as_str().unwrap().len() < 2_200);
        let json = search(&sample.offer(), "item", &limits(10_000)).unwrap();
        let few: Value = serde_json::from_str(&json.to_plain().unwrap()).unwrap();
        assert!(json.units() <= 10_000);
        assert_eq!((few["total"].clone(), few["truncated"].clone()), (json!(51), json!(true)));
        assert_eq!(few["results"][0]["path"], "item_00");
        assert!(search(&sample.offer(), "item", &limits(10)).is_err_and(|f| f.code == "too-large"));
    }
}
