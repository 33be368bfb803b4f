//! What an executor has to keep.

mod asking;
mod bounding;
mod running;

use super::{count, joined};
use crate::check::rule::{Rule, Severity, Subject};

const fn must(id: &'static str, title: &'static str, demands: &'static str, why: &'static str) -> Rule {
    Rule::first(Subject::Executor, id, Severity::Must, title, demands, why)
}

const fn should(id: &'static str, title: &'static str, demands: &'static str, why: &'static str) -> Rule {
    Rule::first(Subject::Executor, id, Severity::Should, title, demands, why)
}

const PARTS: [&[Rule]; 3] = [&running::RULES, &asking::RULES, &bounding::RULES];

/// All, in the order in which they are tried.
pub(super) static RULES: [Rule; count(&PARTS)] = joined(&PARTS);
