//! All rules there are.

mod connector;
mod executor;
mod host;

use super::rule::{Rule, Subject};

/// The rules of a subject, in the order in which they are tried.
#[must_use]
pub fn of(subject: Subject) -> &'static [Rule] {
    match subject {
        Subject::Connector => &connector::RULES,
        Subject::Executor => &executor::RULES,
        Subject::Host => &host::RULES,
    }
}

/// All rules.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    Subject::ALL.into_iter().flat_map(of)
}

/// The rule of that id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}
