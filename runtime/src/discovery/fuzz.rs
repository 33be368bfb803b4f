//! What must hold of every catalogue, query and target, as a function for fuzzers and tests.

use std::collections::BTreeSet;

use super::declarations::Sizes;
use super::{Docs, Kind, MAX_RESULTS, Offer, describe, described, found, index, resolve, search};
use crate::connector::{Description, Method};
use crate::durable::id::check_method_name;
use crate::durable::json::utf16_len;
use crate::durable::snippet::{Snippet, SnippetLabel};
use crate::durable::value::ValueLimits;
use crate::names::{Callable, adapted, sanitized};

const SIZES: Sizes = Sizes { declaration: 500, block: 4_000 };

/// Takes bytes as lines: what is asked, then tools and snippets, each a name and a tab and a description. Every tool gets a
/// callable name; everything is searched for and described.
///
/// # Panics
/// When two tools have one name, an answer is not the same again, is not in order, is too long, or a method or snippet
/// cannot be found by what it is called.
pub fn fuzz_search(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.split('\n');
    let asked = lines.next().unwrap_or_default();
    let told: Vec<(&str, &str)> = lines.map(|line| line.split_once('\t').unwrap_or((line, ""))).take(60).collect();
    let (tools, others) = told.split_at(told.len() / 2);
    let description = connector(tools);
    let mut snippets: Vec<SnippetLabel> = Vec::new();
    for (name, description) in others {
        if !snippets.iter().any(|other| other.name == *name) {
            snippets.push(SnippetLabel { name: (*name).to_owned(), description: (*description).to_owned() });
        }
    }
    let connectors = [("t", &description)];
    let index = index(&connectors);
    let offer = Offer::new(&connectors, &index, |_| true, &snippets);
    let snippets_first = snippets.iter().map(|s| s.name.as_str());
    let targets = std::iter::once(asked).chain(snippets_first).chain(tools.iter().map(|(name, _)| *name)).take(8);
    for target in targets {
        searched(&offer, target);
        docs(&offer, target);
    }
    let bare = Offer::new(&connectors, &index, |_| true, &[]);
    for method in description.methods.iter().take(10) {
        let path = format!("t.{}", method.name);
        assert_eq!(docs(&bare, &path).path, path);
        let all = search(&bare, &path);
        assert!(all.truncated || all.results.iter().any(|hit| hit.path == path), "{text:?}: {path}");
    }
}

/// Tools of a third party as methods.
fn connector(tools: &[(&str, &str)]) -> Description {
    let adapted = adapted(tools.iter().map(|(name, _)| *name));
    let mut names = BTreeSet::new();
    let method = |Callable { name, original }: Callable| {
        assert!(check_method_name("t", &name).is_ok() && sanitized(&name) == name, "{name:?}");
        assert!(names.insert(name.clone()), "two tools are called {name:?}");
        let description = tools.iter().find(|(name, _)| *name == original).map(|(_, text)| (*text).to_owned());
        Method { description, ..Method::read(name) }
    };
    let methods: Vec<Method> = adapted.names.into_iter().map(method).collect();
    assert_eq!(methods.len() + adapted.left_out.len(), tools.len());
    Description { methods, ..Description::default() }
}

fn searched(offer: &Offer<'_>, query: &str) {
    let all = search(offer, query);
    assert_eq!(all, search(offer, query), "{query:?}");
    let count = all.results.len();
    assert!(count == all.total.min(MAX_RESULTS) && all.truncated == (all.total > count), "{query:?}");
    let in_order = all.results.is_sorted_by(|a, b| (b.score, &a.path, a.kind) < (a.score, &b.path, b.kind));
    assert!(in_order && all.results.iter().all(|hit| hit.score > 0), "{query:?}: {:?}", all.results);
    for hit in all.results.iter().take(5) {
        // A snippet hides the method or connector of the same name.
        let docs = docs(offer, &hit.path);
        assert_eq!(docs.path, hit.path);
        assert!(docs.kind == hit.kind || docs.kind == Kind::Snippet, "{}", hit.path);
    }
    let limits = ValueLimits { units: 700, depth: 10 };
    assert!(found(offer, query, &limits).is_ok_and(|json| json.units() <= limits.units), "{query:?}");
}

fn docs(offer: &Offer<'_>, target: &str) -> Docs {
    let means = resolve(offer, target);
    let code = "async () => 1".to_owned();
    let snippet = Snippet {
        name: target.to_owned(),
        description: target.to_owned(),
        code,
        saved_at: 0,
        input_schema: None,
        connectors: Vec::new(),
    };
    let docs = describe(offer, target, means, Some(&snippet), SIZES);
    let units = usize::try_from(utf16_len(&docs.types)).unwrap_or(usize::MAX);
    assert!(units <= SIZES.block, "{target:?}: {}", docs.types);
    let limits = ValueLimits { units: 12_000, depth: 10 };
    assert!(described(offer, target, means, Some(&snippet), (SIZES, &limits)).is_ok(), "{target:?}");
    docs
}
