//! Of the ends of passes.

use super::*;
use crate::durable::finish::{Ended, Finish, HookWish, PassEnd, finish};
use crate::durable::limits::Limits;
use crate::durable::write::{HookKind, Write};

fn ends(replay: &Replay, ended: Ended, timers_left: &[(Op, u64)], limits: &Limits) -> Finish {
    let end = PassEnd { ended, timers_left, logs: vec!["line".into()], at: 50 };
    let wishes = [HookWish { connector: "t".into(), kinds: vec![HookKind::ExecutionEnded] }];
    finish(replay, &execution(Status::Running), end, &wishes, limits)
}

fn moved(done: &Finish) -> &crate::durable::write::Move {
    match done.writes.last() {
        Some(Write::Moved(moved)) => moved,
        other => panic!("{other:?}"),
    }
}

/// The states that entries get, by op.
fn closed(done: &Finish) -> Vec<(u32, EntryState)> {
    let closed = |w: &Write| if let Write::Answered { op, state, .. } = w { Some((op.0, *state)) } else { None };
    done.writes.iter().filter_map(closed).collect()
}

fn waiting() -> Replay {
    let mut replay = fresh();
    ask(&mut replay, call("gate"), gated());
    replay
}

#[test]
fn what_the_code_came_to_and_what_still_waits_make_the_status() {
    let limits = Limits::default();
    let fulfilled = || Ended::Fulfilled(Some(json("1")));
    let failed = || Ended::Failed(CodeError::new(ErrorKind::Thrown, "no"));
    for (replay, ended, status, hooks) in [
        (fresh(), fulfilled(), Status::Completed, 1),
        (waiting(), fulfilled(), Status::Paused, 0),
        (waiting(), Ended::Paused, Status::Paused, 0),
        (fresh(), failed(), Status::Error, 1),
        (waiting(), failed(), Status::Error, 1),
    ] {
        let done = ends(&replay, ended, &[], &limits);
        let moved = moved(&done);
        assert_eq!((done.status, moved.status, moved.pass, moved.token), (status, status, 3, Token(5)));
        assert_eq!(moved.result.is_some(), status == Status::Completed);
        assert_eq!((done.error.is_some(), moved.error.is_some()), (status == Status::Error, status == Status::Error));
        let due = done.writes.iter().filter(|w| matches!(w, Write::HookDue(_))).count();
        assert_eq!((due, moved.owner), (hooks, (hooks > 0).then_some(OwnerId(1))), "whoever runs the hooks owns it");
        assert!(done.writes.contains(&Write::Logged { lines: vec!["line".into()] }));
    }
}

#[test]
fn timers_keep_their_time_over_a_pause_and_over_nothing_else() {
    let left = [(Op(0), 7)];
    let kept = |done: Finish| done.writes.contains(&Write::TimerLeft { op: Op(0), remaining_ms: 7 });
    assert!(kept(ends(&waiting(), Ended::Paused, &left, &Limits::default())));
    assert!(!kept(ends(&fresh(), Ended::Fulfilled(None), &left, &Limits::default())));
}

#[test]
fn what_may_have_happened_is_in_doubt_and_what_did_not_begin_is_withdrawn_or_goes_on() {
    let state = |over: Ended| {
        let mut replay = Replay::new(Vec::new(), 1, 1_000, 2);
        ask(&mut replay, call("begun"), write());
        ask(&mut replay, Request::Fetch { request: json("1") }, Terms::default());
        ask(&mut replay, call("queued"), write());
        ask(&mut replay, Request::Sleep { ms: 5 }, Terms::default());
        replay.step_enter("s".into(), 10).unwrap();
        ask(&mut replay, call("gate"), gated());
        next(&mut replay);
        closed(&ends(&replay, over, &[], &Limits::default()))
    };
    let (unknown, withdrawn) = (EntryState::Unknown, EntryState::Withdrawn);
    let failed = Ended::Failed(CodeError::new(ErrorKind::Limit, "too long"));
    let expected = [(0, unknown), (1, unknown), (2, withdrawn), (3, withdrawn), (4, withdrawn), (5, withdrawn)];
    assert_eq!(state(failed), expected);
    // An executor gave up before its answers: what had not begun goes on after the pause.
    assert_eq!(state(Ended::Paused), [(0, unknown), (1, unknown)]);
}

#[test]
fn a_result_is_recorded_up_to_the_limit_and_named_beyond_it() {
    let limits = |units| Limits { value_units: units, ..Limits::default() };
    let result = |units| {
        let done = ends(&fresh(), Ended::Fulfilled(Some(json("\"abc\""))), &[], &limits(units));
        moved(&done).result.clone().unwrap().as_str().to_owned()
    };
    assert_eq!(result(5), "\"abc\"");
    assert_eq!(
        result(4),
        "\"result omitted from the audit trail: 5 characters, the limit is 4; the caller got the real value\""
    );
    let error = CodeError::new(ErrorKind::Thrown, "x".repeat(80)).with_hint("hint");
    let done = ends(&fresh(), Ended::Failed(error.clone()), &[], &limits(50));
    let recorded = moved(&done).error.clone().unwrap();
    assert!(recorded.message.ends_with("… [cut; 80 characters in full]") && recorded.message.len() < 60);
    assert_eq!((done.error, recorded.hint.as_deref()), (Some(error), Some("hint")), "the caller gets it whole");
}
