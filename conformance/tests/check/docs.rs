//! The pages on rules are made from the rules.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use codemode_conformance::check::{Subject, rules};

/// What the page of a subject has to say.
fn page(subject: Subject) -> String {
    let mut text = format!(
        "<!-- Made from the rules by `BLESS=1 cargo test --test check docs`. -->\n\n# What {} {subject} has to keep\n\n\
         [How to check it](README.md).\n",
        if subject == Subject::Executor { "an" } else { "a" }
    );
    for rule in rules::of(subject) {
        let _ = write!(
            text,
            "\n## {}: it {}\n\n{}, since {}\n\n**Demands.** {}\n\n**Why.** {}\n",
            rule.id, rule.title, rule.severity, rule.wit, rule.demands, rule.why
        );
    }
    text
}

#[test]
fn the_pages_are_what_the_rules_say() {
    for subject in Subject::ALL.into_iter().filter(|subject| !rules::of(*subject).is_empty()) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/conformance/{subject}.md"));
        let page = page(subject);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&file, &page).unwrap();
        }
        let stored = fs::read_to_string(&file).unwrap_or_default();
        assert!(stored == page, "{} is stale: BLESS=1 cargo test --test check docs", file.display());
    }
}

#[test]
fn ids_are_unique_and_every_rule_says_what_and_why() {
    let ids: Vec<&str> = rules::all().map(|rule| rule.id).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    for rule in rules::all() {
        assert!(rule.demands.ends_with('.') && rule.why.ends_with('.'), "{}", rule.id);
        assert!(!rule.title.ends_with('.') && rule.title.len() <= 60, "{}", rule.id);
        assert_eq!(rules::find(rule.id).map(|found| found.id), Some(rule.id));
    }
}
