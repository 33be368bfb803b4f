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

/// How many rules a subject's parts have together.
const fn count(parts: &[&[Rule]]) -> usize {
    let (mut count, mut part) = (0, 0);
    while part < parts.len() {
        count += parts[part].len();
        part += 1;
    }
    count
}

/// The parts of a subject's rules, one after the other; `N` is their [`count`].
const fn joined<const N: usize>(parts: &[&[Rule]]) -> [Rule; N] {
    let mut all = [parts[0][0]; N];
    let (mut at, mut part, mut from) = (0, 0, 0);
    while at < N {
        if at == from + parts[part].len() {
            from = at;
            part += 1;
        }
        all[at] = parts[part][at - from];
        at += 1;
    }
    all
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
