//! Calls that are undone, and calls of which nobody knows whether they happened.

use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::id::{Op, Version};
use codemode_runtime::durable::journal::{Effect, Entry, EntryState, Reach, Resolution, RevertAttempt, Terms, Verdict};
use codemode_runtime::durable::write::Write;
use codemode_runtime::store::{Query, Store, Summary};

use super::Open;
use super::samples::{append, asked, begin, decision, entry, id, json, load, moved};

fn attempt(number: u32, failure: Option<Failure>, at: u64) -> RevertAttempt {
    RevertAttempt { from: EntryState::Applied, number, failure, at }
}

fn applied(op: u32) -> Entry {
    Entry { state: EntryState::Applied, answer: Some(Ok(Some(json("1")))), ..entry(op) }
}

fn unknown(op: u32) -> Entry {
    Entry { state: EntryState::Unknown, ..entry(op) }
}

fn resolved(op: u32, verdict: Verdict, state: EntryState) -> Write {
    Write::Resolved {
        op: Op(op),
        state,
        answer: (verdict == Verdict::Applied).then(|| Ok(Some(json("{\"said\":true}")))),
        consent: (verdict == Verdict::Retry).then(|| decision(6)),
        resolution: Resolution { verdict, decision: decision(8_000) },
    }
}

fn only(store: &dyn Store) -> Summary {
    store.list(&Query::default()).expect("lists").remove(0)
}

/// With its number, its reason and its time, through failure and success.
pub fn an_attempt_to_undo_is_kept_on_its_entry(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    append(&*store, &id, vec![asked(applied(0)), asked(applied(1)), moved(Status::Completed, 1, 3_000)]);
    let failure = Failure { details: Some(json("[null]")), ..Failure::new("unavailable", "the \"failure\": no") };
    let steps = [
        (EntryState::Reverting, attempt(1, None, 4_000), 0),
        (EntryState::Applied, attempt(1, Some(failure), 5_000), 1),
        (EntryState::Reverting, attempt(2, None, 6_000), 0),
        (EntryState::Reverted, attempt(2, None, 7_000), 0),
    ];
    for (state, revert, left) in steps {
        let at = revert.at;
        append(&*store, &id, vec![Write::Reverted { op: Op(1), state, revert: revert.clone() }]);
        let record = load(&*store, &id);
        assert_eq!(record.entries, [applied(0), Entry { state, revert: Some(revert), ..applied(1) }]);
        let listed = only(&*store);
        assert_eq!((listed.not_reverted, listed.updated_at, record.execution.updated_at), (left, at, at));
        assert_eq!((record.execution.status, record.execution.ended_at), (Status::Completed, Some(3_000)));
    }
    append(&*store, &id, vec![Write::Reverted { op: Op(7), state: EntryState::Reverted, revert: attempt(1, None, 9) }]);
    assert_eq!(load(&*store, &id).entries.len(), 2);
}

/// Whatever its kind; a call that may be repeated is in doubt for nobody, and is not counted.
pub fn executions_in_doubt_are_listed_newest_first(open: Open<'_>) {
    let store = open();
    (1..=5).for_each(|n| drop(begin(&*store, n)));
    let terms = |effect, reach| Terms { effect, reach, ..Terms::default() };
    let read = Entry { terms: terms(Effect::ReadOnly, Reach::Outside), ..unknown(1) };
    let own = Entry { terms: terms(Effect::Write, Reach::StateOnly), ..unknown(2) };
    append(&*store, &id(2), vec![asked(unknown(0)), asked(read.clone()), asked(own)]);
    append(&*store, &id(4), vec![asked(applied(0)), asked(unknown(1))]);
    append(&*store, &id(1), vec![asked(applied(0))]);
    append(&*store, &id(5), vec![asked(Entry { op: Op(0), ..read })]);
    assert_eq!(store.unresolved(), Ok(vec![id(5), id(4), id(2)]));
    let counts: Vec<u32> = store.list(&Query::default()).expect("lists").into_iter().map(|s| s.unresolved).collect();
    assert_eq!(counts, [0, 1, 0, 1, 0]);
    store.commit(&id(4), Version(1), vec![resolved(1, Verdict::Failed, EntryState::Failed)]).expect("resolves");
    store.commit(&id(5), Version(1), vec![Write::Delete]).expect("deletes");
    assert_eq!(store.unresolved(), Ok(vec![id(2)]));
}

/// The answer, the consent for one more try, and who said it; nothing where it is not in doubt.
pub fn a_word_is_taken_only_while_its_call_is_in_doubt(open: Open<'_>) {
    let store = open();
    for (n, state) in (1..).zip(EntryState::ALL) {
        let id = begin(&*store, n);
        let before = Entry { state, decision: Some(decision(5)), ..entry(0) };
        append(&*store, &id, vec![asked(before.clone())]);
        store.commit(&id, Version(1), vec![resolved(0, Verdict::Applied, EntryState::Applied)]).expect("commits");
        let after = load(&*store, &id).entries.remove(0);
        if state == EntryState::Unknown {
            assert_eq!((after.state, after.answered_at, after.decision), (EntryState::Applied, Some(8_000), None));
            assert_eq!(after.answer, Some(Ok(Some(json("{\"said\":true}")))));
            let resolution = after.resolution.expect("who said it");
            assert_eq!((resolution.verdict, resolution.decision), (Verdict::Applied, decision(8_000)));
        } else {
            assert_eq!(after, before, "{state:?}");
        }
    }

    let id = begin(&*store, 20);
    append(&*store, &id, vec![asked(unknown(0))]);
    store.commit(&id, Version(1), vec![resolved(0, Verdict::Retry, EntryState::Pending)]).expect("commits");
    let again = load(&*store, &id).entries.remove(0);
    assert_eq!((again.state, again.answer, again.decision), (EntryState::Pending, None, Some(decision(6))));
    // One that begins anew keeps nothing of what was said.
    append(&*store, &id, vec![asked(entry(0))]);
    assert_eq!(load(&*store, &id).entries, [entry(0)]);
}
