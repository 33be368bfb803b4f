//! The verdict as a table: how the recorded pass ended, against how the replay did.

use super::super::rewind::rewound;
use super::*;
use crate::durable::failure::Failure;
use crate::durable::id::Seq;
use crate::durable::journal::{
    Answer, Decision, Delivery, EntryState, ReplayPolicy, Rerun, Resolution, RevertAttempt, Terms,
};
use crate::durable::journal::{EntryState as S, Verdict as Said};
use crate::durable::value::ValueLimits;

fn json(text: &str) -> Json {
    Json::from_tagged(text, &ValueLimits::default()).unwrap()
}

fn entry_of(op: u32, request: Request, answer: Option<Answer>, state: EntryState) -> Entry {
    Entry {
        op: Op(op),
        seq: request.is_numbered().then_some(Seq(op)),
        request,
        terms: Terms::default(),
        state,
        delivery: answer.as_ref().map(|_| Delivery { place: op, now: 0 }),
        answer,
        rerun: Rerun::No,
        digest: None,
        decision: None,
        resolution: None,
        revert: None,
        remaining_ms: None,
        attempt: 1,
        pass: 1,
        asked_at: 0,
        answered_at: None,
        asked_event: 0,
        answered_event: None,
    }
}

fn call() -> Request {
    Request::Call { connector: "t".into(), method: "m".into(), args: Some(json("1")) }
}

fn entries() -> Vec<Entry> {
    let done = entry_of(0, call(), Some(Ok(Some(json("2")))), S::Applied);
    let live = Terms { replay: ReplayPolicy::Reexecute, ..Terms::default() };
    vec![
        done.clone(),
        Entry { terms: live, ..entry_of(1, call(), Some(Ok(None)), S::Applied) },
        entry_of(2, Request::Sleep { ms: 9 }, None, S::Executing),
        entry_of(3, Request::Step { name: "s".into() }, None, S::Executing),
        Entry { op: Op(4), delivery: None, ..done },
        Entry { decision: Some(decision()), ..entry_of(5, call(), None, S::Pending) },
    ]
}

fn decision() -> Decision {
    Decision { actor: "a".into(), channel: "t".into(), reason: None, at: 0 }
}

fn error(kind: ErrorKind, message: &str) -> CodeError {
    CodeError::new(kind, message)
}

fn ended(status: Status, result: Option<&str>, error: Option<CodeError>) -> PlayEnd {
    PlayEnd::Ended { status, result: result.map(json), error, asking: None }
}

fn word(recorded: &Recorded, end: &PlayEnd) -> &'static str {
    judge(recorded, &entries(), 6, end.clone()).as_str()
}

#[test]
fn each_recorded_end_against_each_end_of_a_replay() {
    let thrown = error(ErrorKind::Thrown, "no");
    let slow = error(ErrorKind::Limit, "too slow");
    let other = error(ErrorKind::Divergence, "replay divergence");
    let fresh = || PlayEnd::Fresh(Asking { op: Op(6), words: "t.m 1".into() });
    let recorded = [
        Recorded::Completed(Some(json("{\"a\":1.0,\"b\":2}"))),
        Recorded::Paused,
        Recorded::Failed(thrown.clone()),
        Recorded::CompletedOrPaused,
        Recorded::Cut(slow.clone()),
        Recorded::Open,
    ];
    let [s, d, e] = ["same", "diverged", "ends_early"];
    let table = [
        (ended(Status::Completed, Some("{\"b\":2,\"a\":1}"), None), [s, d, d, d, e, e]),
        (ended(Status::Completed, Some("2"), None), [d, d, d, d, e, e]),
        (ended(Status::Completed, None, None), [d, d, d, s, e, e]),
        (ended(Status::Paused, None, None), [d, s, d, s, e, e]),
        (ended(Status::Error, None, Some(thrown)), [d, d, s, d, e, e]),
        (ended(Status::Error, None, Some(error(ErrorKind::Thrown, "yes"))), [d, d, d, d, e, e]),
        (ended(Status::Error, None, Some(slow)), [d, d, d, d, s, e]),
        (ended(Status::Error, None, Some(other.clone())), [d, d, d, d, d, d]),
        (fresh(), [d, d, d, d, e, e]),
        // A read whose result is not kept, an approved call.
        (PlayEnd::Unanswered(Op(1)), [e, e, e, e, e, e]),
        (PlayEnd::Unanswered(Op(5)), [e, e, e, e, e, e]),
        (PlayEnd::Unanswered(Op(99)), [e, e, e, e, e, e]),
        // A timer.
        (PlayEnd::Unanswered(Op(2)), [d, d, d, d, e, e]),
        // A step that ends now; a call that was answered after the pass.
        (PlayEnd::Undelivered(Op(3)), [d, d, d, d, e, e]),
        (PlayEnd::Undelivered(Op(4)), [e, e, e, e, e, e]),
    ];
    for (end, words) in &table {
        for (recorded, expected) in recorded.iter().zip(words) {
            assert_eq!(word(recorded, end), *expected, "{recorded:?} against {end:?}");
        }
    }
    assert_eq!(word(&Recorded::Failed(other.clone()), &ended(Status::Error, None, Some(other))), s);
}

#[test]
fn a_difference_says_where_what_and_what_instead() {
    let asking = Some(Asking { op: Op(0), words: "t.m 3".into() });
    let error = Some(error(ErrorKind::Divergence, "the arguments differ").with_hint("capture it"));
    let end = PlayEnd::Ended { status: Status::Error, result: None, error, asking };
    let Verdict::Diverged(found) = judge(&Recorded::Paused, &entries(), 1, end) else { panic!("it diverged") };
    let at = Place { op: Op(0), seq: Some(Seq(0)), why: "the arguments differ".into() };
    let (expected, actual) = ("t.m 1".to_owned(), "t.m 3".to_owned());
    assert_eq!(*found, Difference { at, expected, actual, hint: Some("capture it".into()) });

    let recorded = Recorded::Completed(Some(json("{\"a\":[1,2]}")));
    let Verdict::Diverged(found) =
        judge(&recorded, &entries(), 6, ended(Status::Completed, Some("{\"a\":[1,3]}"), None))
    else {
        panic!("it diverged")
    };
    assert_eq!(
        found.at,
        Place { op: Op(6), seq: None, why: "the code comes to another end: the result differs at .a[1]".into() }
    );
    assert_eq!(
        (found.expected.as_str(), found.actual.as_str()),
        ("completed with {\"a\":[1,2]}", "completed with {\"a\":[1,3]}")
    );
}

#[test]
fn errors_are_the_same_by_what_the_code_can_see() {
    let thrown = || CodeError { line: Some(3), column: Some(4), ..error(ErrorKind::Thrown, "no") };
    let same = |b: CodeError| word(&Recorded::Failed(thrown()), &ended(Status::Error, None, Some(b))) == "same";
    assert!(same(CodeError { stack: Some("at x".into()), hint: Some("h".into()), ..thrown() }));
    for other in [
        CodeError { line: Some(4), ..thrown() },
        CodeError { column: None, ..thrown() },
        CodeError { name: "TypeError".into(), ..thrown() },
        CodeError { value: Some(json("1")), ..thrown() },
        CodeError { kind: ErrorKind::NeverSettles, ..thrown() },
    ] {
        assert!(!same(other.clone()), "{other:?}");
    }
}

/// The state of an entry before the end of the pass, and whether it still has its answer and its consent.
#[test]
fn what_happened_after_the_pass_is_taken_back() {
    let answer = || Some(Ok(Some(json("2"))));
    let revert = |from| Some(RevertAttempt { from, number: 1, failure: None, at: 0 });
    let said = |verdict| Some(Resolution { verdict, decision: decision() });
    let failed = || Some(Err(Failure::new("x", "y")));
    let row = |state, answer| Entry { delivery: None, ..entry_of(0, call(), answer, state) };
    let delivered = |state, answer| entry_of(0, call(), answer, state);
    let pending = |state| Entry { digest: Some("d".into()), decision: Some(decision()), ..row(state, None) };
    let table = [
        (delivered(S::Applied, answer()), S::Applied, true),
        (Entry { revert: revert(S::Applied), ..delivered(S::Reverted, answer()) }, S::Applied, true),
        (Entry { revert: revert(S::Failed), ..delivered(S::Reverting, failed()) }, S::Failed, true),
        (Entry { revert: revert(S::Unknown), ..row(S::Reverted, None) }, S::Unknown, false),
        (Entry { revert: revert(S::Applied), ..delivered(S::Applied, answer()) }, S::Applied, true),
        // Somebody's word: before a pass got it, and after.
        (Entry { resolution: said(Said::Applied), ..row(S::Applied, answer()) }, S::Unknown, false),
        (Entry { resolution: said(Said::Failed), ..row(S::Failed, failed()) }, S::Unknown, false),
        (Entry { resolution: said(Said::Applied), ..delivered(S::Applied, answer()) }, S::Applied, true),
        (Entry { resolution: said(Said::Retry), ..row(S::Withdrawn, None) }, S::Unknown, false),
        (pending(S::Withdrawn), S::Pending, false),
        (row(S::Withdrawn, None), S::Executing, false),
        (row(S::Unknown, None), S::Unknown, false),
        (pending(S::Pending), S::Pending, false),
    ];
    for (entry, state, has_answer) in table {
        let before = rewound(std::slice::from_ref(&entry)).remove(0);
        assert_eq!((before.state, before.answer.is_some()), (state, has_answer), "{entry:?}");
        // Consent that a call still waits with is kept; that of a withdrawn one came too late.
        assert_eq!(before.decision.is_some(), entry.state == S::Pending, "{entry:?}");
    }
}
