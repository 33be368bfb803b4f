//! What lists and records tell beyond what was written: which executions somebody should look at, and which pass wrote
//! which console line.

use codemode_runtime::durable::execution::{LoggedPass, Status};
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::journal::{Effect, Entry, EntryState, RevertAttempt, Terms};
use codemode_runtime::durable::write::Write;
use codemode_runtime::store::{Attention, Query, Store};

use super::Open;
use super::samples::{append, asked, begin, entry, id, load, moved};

fn listed(store: &dyn Store, query: &Query) -> Vec<String> {
    store.list(query).expect("lists").into_iter().map(|s| s.id.to_string()).collect()
}

/// The same executions whose counts say so, in the order of all lists, and in pages.
pub fn what_needs_attention_is_found(open: Open<'_>) {
    let store = open();
    (1..=6).for_each(|n| drop(begin(&*store, n)));
    let unknown = |op| Entry { state: EntryState::Unknown, ..entry(op) };
    let harmless = Entry { terms: Terms { effect: Effect::ReadOnly, ..Terms::default() }, ..unknown(0) };
    let undone = |state, failure: Option<&str>| {
        let failure = failure.map(|text| Failure::new("unavailable", text));
        let revert = RevertAttempt { from: EntryState::Applied, number: 1, failure, at: 5_000 };
        Entry { state, revert: Some(revert), ..entry(0) }
    };
    append(&*store, &id(1), vec![asked(unknown(0)), moved(Status::Paused, 1, 2_000)]);
    append(&*store, &id(2), vec![asked(undone(EntryState::Applied, Some("no"))), asked(unknown(1))]);
    append(&*store, &id(3), vec![asked(harmless)]);
    append(&*store, &id(4), vec![asked(undone(EntryState::Reverted, None))]);
    append(&*store, &id(5), vec![asked(undone(EntryState::Reverting, None))]);
    append(&*store, &id(6), vec![asked(undone(EntryState::Unknown, Some("no")))]);

    let attention = |why| Query { attention: Some(why), ..Query::default() };
    let ids = |numbers: &[u64]| numbers.iter().map(|n| id(*n).to_string()).collect::<Vec<_>>();
    assert_eq!(listed(&*store, &attention(Attention::Unresolved)), ids(&[6, 2, 1]));
    assert_eq!(listed(&*store, &attention(Attention::NotReverted)), ids(&[6, 2]));
    for summary in store.list(&Query::default()).expect("lists") {
        let is_in = |why| listed(&*store, &attention(why)).contains(&summary.id.to_string());
        assert_eq!(summary.unresolved > 0, is_in(Attention::Unresolved), "{}", summary.id);
        assert_eq!(summary.not_reverted > 0, is_in(Attention::NotReverted), "{}", summary.id);
    }
    let page = Query { before: Some(id(6)), limit: Some(1), ..attention(Attention::Unresolved) };
    assert_eq!(listed(&*store, &page), ids(&[2]));
    let paused = Query { status: Some(Status::Paused), ..attention(Attention::Unresolved) };
    assert_eq!(listed(&*store, &paused), ids(&[1]));
}

/// A pass that wrote none is not in it.
pub fn lines_are_counted_for_the_pass_that_wrote_them(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    let lines = |lines: &[&str]| Write::Logged { lines: lines.iter().map(|l| (*l).to_owned()).collect() };
    append(&*store, &id, vec![lines(&["a"]), lines(&[]), moved(Status::Paused, 1, 2_000)]);
    append(&*store, &id, vec![lines(&["b", "c"]), moved(Status::Paused, 2, 3_000)]);
    let execution = load(&*store, &id).execution;
    assert_eq!(execution.logs, ["first", "a", "b", "c"]);
    let [first, second] = execution.logged[..] else { panic!("{:?}", execution.logged) };
    assert_eq!(first, LoggedPass { pass: 1, lines: 2 });
    assert_eq!(second.lines, 2);
    assert!(second.pass > 1, "{second:?}");
}
