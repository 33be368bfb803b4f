//! What a host has to keep.

mod deciding;
mod performing;

use crate::check::rule::{Rule, Severity, Subject};

const fn rule(
    id: &'static str,
    severity: Severity,
    title: &'static str,
    demands: &'static str,
    why: &'static str,
) -> Rule {
    Rule::first(Subject::Host, id, severity, title, demands, why)
}

/// All, in the order in which they are tried.
pub(super) static RULES: [Rule; COUNT] = all();

const COUNT: usize = performing::RULES.len() + deciding::RULES.len();

const fn all() -> [Rule; COUNT] {
    let (first, then) = (performing::RULES, deciding::RULES);
    let mut all = [first[0]; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = if at < first.len() { first[at] } else { then[at - first.len()] };
        at += 1;
    }
    all
}
