//! What an executor has to keep.

mod asking;
mod bounding;
mod running;

use crate::check::rule::{Rule, Severity, Subject};

const fn must(id: &'static str, title: &'static str, demands: &'static str, why: &'static str) -> Rule {
    Rule::first(Subject::Executor, id, Severity::Must, title, demands, why)
}

const fn should(id: &'static str, title: &'static str, demands: &'static str, why: &'static str) -> Rule {
    Rule::first(Subject::Executor, id, Severity::Should, title, demands, why)
}

const PARTS: [&[Rule]; 3] = [&running::RULES, &asking::RULES, &bounding::RULES];

const COUNT: usize = PARTS[0].len() + PARTS[1].len() + PARTS[2].len();

/// All, in the order in which they are tried.
pub(super) static RULES: [Rule; COUNT] = all();

const fn all() -> [Rule; COUNT] {
    let mut all = [PARTS[0][0]; COUNT];
    let (mut at, mut part, mut from) = (0, 0, 0);
    while at < COUNT {
        if at == from + PARTS[part].len() {
            from = at;
            part += 1;
        }
        all[at] = PARTS[part][at - from];
        at += 1;
    }
    all
}
