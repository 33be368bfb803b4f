//! What a host has to keep.

mod deciding;
mod performing;

use super::{count, joined};
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

const PARTS: [&[Rule]; 2] = [&performing::RULES, &deciding::RULES];

/// All, in the order in which they are tried.
pub(super) static RULES: [Rule; count(&PARTS)] = joined(&PARTS);
