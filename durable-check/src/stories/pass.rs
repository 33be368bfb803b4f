//! Of passes.

use super::*;
use crate::durable::failure::Failure;
use crate::durable::journal::{Delivery, ReplayPolicy};
use crate::durable::replay::{End, Keep, Start as Begin, StepRun};
use crate::durable::write::Write;

fn delivered(entry: Entry, place: u32) -> Entry {
    Entry { answer: Some(Ok(None)), delivery: Some(Delivery { place, now: 1_000 }), ..entry }
}

#[test]
fn a_timer_of_another_length_diverges() {
    let recorded = row(0, Request::Sleep { ms: 5 }, Terms::default(), EntryState::Applied);
    let mut replay = Replay::new(vec![delivered(recorded, 0)], 2, 1_000, 300);
    let error = replay.ask(Request::Sleep { ms: 6 }, Ok(Terms::default()), 10).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Divergence);
    assert!(error.message.contains("expected a timer of 5 ms, the code asked for a timer of 6 ms"), "{error:?}");
}

#[test]
fn calls_and_steps_are_counted_apart_from_asks() {
    let mut replay = fresh();
    assert_eq!((replay.calls(), replay.asked()), (0, 0));
    for _ in 0..3 {
        ask(&mut replay, Request::Sleep { ms: 1 }, Terms::default());
        ask(&mut replay, call("a"), read());
    }
    replay.step_enter("s".into(), 10).unwrap();
    assert_eq!((replay.calls(), replay.asked()), (4, 7));
}

#[test]
fn what_is_to_be_written_can_be_taken_without_what_is_to_be_begun() {
    let mut replay = fresh();
    let op = ask(&mut replay, call("a"), read());
    assert_eq!(next(&mut replay), Next::Wait);
    assert!(matches!(&replay.drain_writes()[..], [Write::Asked(entry)] if entry.op == op));
    assert_eq!(replay.drain(), (Vec::new(), vec![Begin::Perform(op)]));
}

#[test]
fn a_step_that_did_not_end_is_begun_once_more() {
    let step = row(0, Request::Step { name: "s".into() }, Terms::default(), EntryState::Executing);
    let mut replay = Replay::new(vec![Entry { attempt: 2, ..step }], 2, 1_000, 300);
    let (op, run) = replay.step_enter("s".into(), 10).unwrap();
    assert_eq!((run, replay.entry(op).unwrap().attempt), (StepRun::Run, 3));
    assert!(replay.is_stepping(op) && replay.running_step("s") == Some(op) && replay.running_step("r").is_none());
    replay.step_exit(op, Ok(None), Rerun::No, 20);
    assert!(!replay.is_stepping(op) && replay.running_step("s").is_none());
}

#[test]
fn of_steps_with_one_name_the_one_that_began_last_runs() {
    let mut replay = fresh();
    let (first, _) = replay.step_enter("s".into(), 10).unwrap();
    let (second, _) = replay.step_enter("s".into(), 10).unwrap();
    assert_eq!(replay.running_step("s"), Some(second));
    replay.step_exit(second, Ok(None), Rerun::No, 20);
    assert_eq!(replay.running_step("s"), Some(first));
}

#[test]
fn an_answer_is_kept_while_it_is_waited_for_and_by_reads_that_are_never_kept_not_twice() {
    let live = || Terms { replay: ReplayPolicy::Reexecute, ..read() };
    let mut replay = fresh();
    let op = ask(&mut replay, call("live"), live());
    assert_eq!(replay.answer_write(op, &Ok(Some(json("1"))), 20), None, "it was not begun");
    next(&mut replay);
    let write = replay.answer_write(op, &Ok(Some(json("1"))), 20);
    let Some(Write::Answered { state: EntryState::Applied, answer: Some(Ok(None)), event: Some(2), at: 20, .. }) =
        write
    else {
        panic!("{write:?}")
    };
    replay.arrived(op, Ok(Some(json("1"))), 20, Keep::Written);
    assert!(matches!(next(&mut replay), Next::Deliver { answer: Ok(Some(value)), .. } if value.as_str() == "1"));
    assert_eq!(replay.answer_write(op, &Ok(None), 20), None, "it was answered");

    let mut again = Replay::new(replay.entries().to_vec(), 2, 1_000, 300);
    let op = ask(&mut again, call("live"), live());
    assert_eq!(again.performing().map(|e| e.op).collect::<Vec<_>>(), [op]);
    assert_eq!(again.answer_write(op, &Ok(Some(json("2"))), 20), None, "its answer has a place");
}

#[test]
fn an_answer_that_cannot_be_kept_makes_room_and_is_not_delivered() {
    let mut replay = Replay::new(Vec::new(), 1, 1_000, 1);
    let (large, other) = (ask(&mut replay, call("large"), read()), ask(&mut replay, call("other"), read()));
    next(&mut replay);
    replay.drain();
    replay.unrecordable(large, 30);
    let row = replay.entry(large).unwrap();
    assert_eq!((row.state, row.answered_at, row.answered_event), (EntryState::Unrecordable, Some(30), Some(3)));
    let writes = replay.drain_writes();
    assert!(matches!(&writes[..], [Write::Answered { state: EntryState::Unrecordable, event: Some(3), .. }]));
    assert_eq!(next(&mut replay), Next::Wait);
    assert_eq!(replay.drain().1, [Begin::Perform(other)], "there is room for the next one");
    replay.arrived(other, Ok(None), 40, Keep::ToWrite);
    assert!(matches!(next(&mut replay), Next::Deliver { op, .. } if op == other));
    let Next::End(End::Failed(error)) = next(&mut replay) else { panic!("it waits") };
    assert_eq!(error.kind, ErrorKind::NeverSettles);
}

#[test]
fn what_was_not_begun_can_become_unrecordable_as_well() {
    let mut replay = Replay::new(Vec::new(), 1, 1_000, 1);
    let (first, queued) = (ask(&mut replay, call("a"), read()), ask(&mut replay, call("b"), read()));
    next(&mut replay);
    replay.unrecordable(queued, 30);
    replay.arrived(first, Ok(None), 40, Keep::ToWrite);
    assert!(matches!(next(&mut replay), Next::Deliver { op, .. } if op == first));
}

#[test]
fn only_timers_are_taken_back_and_only_while_they_have_no_place() {
    let mut replay = fresh();
    let (read_op, timer) = (ask(&mut replay, call("a"), read()), ask(&mut replay, Request::Sleep { ms: 5 }, read()));
    next(&mut replay);
    assert!(replay.is_armed(timer) && !replay.is_armed(read_op));
    replay.cancel(read_op);
    replay.cancel(timer);
    assert!(!replay.is_armed(timer));
    replay.arrived(read_op, Ok(None), 20, Keep::ToWrite);
    assert!(matches!(next(&mut replay), Next::Deliver { op, .. } if op == read_op), "a call is not taken back");

    // In the recorded run the answer of the timer was there before.
    let recorded = row(0, Request::Sleep { ms: 5 }, Terms::default(), EntryState::Applied);
    let mut replay = Replay::new(vec![delivered(recorded, 0)], 2, 1_000, 300);
    let timer = ask(&mut replay, Request::Sleep { ms: 5 }, Terms::default());
    replay.cancel(timer);
    assert!(matches!(next(&mut replay), Next::Deliver { op, .. } if op == timer));
    replay.cancel(timer);
    assert!(matches!(next(&mut replay), Next::End(End::Failed(_))));
}

#[test]
fn a_timer_that_fired_and_was_taken_back_before_its_turn_is_not_delivered() {
    let mut replay = fresh();
    let timer = ask(&mut replay, Request::Sleep { ms: 5 }, Terms::default());
    next(&mut replay);
    replay.arrived(timer, Ok(None), 20, Keep::ToWrite);
    replay.cancel(timer);
    assert!(matches!(next(&mut replay), Next::End(End::Failed(_))));
}

#[test]
fn a_timer_that_waits_for_the_record_can_be_taken_back_before_it_starts() {
    let recorded = delivered(row(0, call("a"), read(), EntryState::Applied), 0);
    let timer = row(1, Request::Sleep { ms: 5 }, Terms::default(), EntryState::Executing);
    let mut replay = Replay::new(vec![recorded, timer], 2, 1_000, 300);
    ask(&mut replay, call("a"), read());
    let timer = ask(&mut replay, Request::Sleep { ms: 5 }, Terms::default());
    assert!(!replay.is_armed(timer), "the record comes first");
    replay.cancel(timer);
    assert!(matches!(next(&mut replay), Next::Deliver { .. }));
    next(&mut replay);
    assert_eq!(replay.drain().1, []);
}

#[test]
fn a_step_that_waits_for_a_timer_holds_the_end_back_unless_somebody_has_to_decide_first() {
    let mut replay = fresh();
    let (step, _) = replay.step_enter("s".into(), 10).unwrap();
    assert_eq!(replay.next(Settled::Yes, 20), Next::Finished, "nothing can end it");
    let timer = ask(&mut replay, Request::Sleep { ms: 5 }, Terms::default());
    assert_eq!(replay.next(Settled::Yes, 20), Next::Wait);
    ask(&mut replay, call("gate"), gated());
    assert!(replay.waits());
    assert_eq!(replay.next(Settled::Yes, 20), Next::Finished);
    assert_eq!(replay.next(Settled::No, 20), Next::End(End::Paused));
    replay.arrived(timer, Ok(None), 30, Keep::ToWrite);
    assert!(matches!(replay.next(Settled::No, 30), Next::Deliver { op, .. } if op == timer));
    replay.step_exit(step, Ok(None), Rerun::Yes, 40);
    assert!(matches!(replay.next(Settled::Yes, 40), Next::Deliver { op, .. } if op == step));
}

#[test]
fn events_go_on_counting_where_the_record_ends() {
    let recorded = delivered(row(0, call("a"), read(), EntryState::Applied), 0);
    let recorded = Entry { asked_event: 4, answered_event: Some(7), ..recorded };
    let mut replay = Replay::new(vec![recorded], 2, 1_000, 300);
    ask(&mut replay, call("a"), read());
    next(&mut replay);
    let op = ask(&mut replay, call("b"), read());
    assert_eq!(replay.entry(op).unwrap().asked_event, 8);
}

#[test]
fn what_diverges_before_it_was_answered_fails_and_says_why() {
    let pending = row(0, call("gate"), gated(), EntryState::Pending);
    let begun = row(0, call("gate"), write(), EntryState::Executing);
    let timer = row(0, Request::Sleep { ms: 5 }, Terms::default(), EntryState::Executing);
    let queued = Entry { attempt: 0, ..begun.clone() };
    let answered = Entry { answer: Some(Ok(None)), ..row(0, call("gate"), write(), EntryState::Applied) };
    for (entry, left) in [
        (pending, EntryState::Failed),
        (begun, EntryState::Executing),
        (timer, EntryState::Failed),
        (queued, EntryState::Failed),
        (answered, EntryState::Applied),
    ] {
        let mut replay = Replay::new(vec![entry], 2, 1_000, 300);
        replay.ask(call("other"), Ok(read()), 10).unwrap_err();
        let (row, writes) = (replay.entry(Op(0)).unwrap().clone(), replay.drain_writes());
        assert_eq!((row.state, writes.len()), (left, usize::from(left == EntryState::Failed)), "{row:?}");
        let failure = row.answer.and_then(Result::err);
        assert_eq!(failure.map(|f: Failure| f.code), (left == EntryState::Failed).then(|| "divergence".to_owned()));
    }
}

#[test]
fn each_beginning_is_an_attempt_of_the_pass_that_made_it() {
    let consent =
        Entry { decision: Some(by("anna")), attempt: 0, ..row(0, call("gate"), gated(), EntryState::Pending) };
    let lost = Entry { attempt: 2, ..row(1, call("list"), read(), EntryState::Executing) };
    let mut replay = Replay::new(vec![consent, lost], 5, 1_000, 300);
    ask(&mut replay, call("gate"), gated());
    ask(&mut replay, call("list"), read());
    assert_eq!(next(&mut replay), Next::Wait);
    let begun: Vec<_> = replay.entries().iter().map(|e| (e.state, e.attempt, e.pass)).collect();
    assert_eq!(begun, [(EntryState::Executing, 1, 5), (EntryState::Executing, 3, 5)]);
    assert_eq!(replay.drain_writes().len(), 2, "both are written before they are begun");
}

#[test]
fn what_waits_for_its_turn_surely_did_not_happen() {
    let mut replay = Replay::new(Vec::new(), 1, 1_000, 1);
    let (begun, queued) = (ask(&mut replay, call("a"), write()), ask(&mut replay, call("b"), write()));
    next(&mut replay);
    assert!(replay.may_have_happened(begun) && !replay.may_have_happened(queued));
    assert!(!replay.may_have_happened(Op(9)));
    let mut first = fresh();
    let only = ask(&mut first, call("a"), write());
    assert!(!first.may_have_happened(only), "nothing was begun before the first `next`");
}

#[test]
fn nobody_waits_for_what_never_began() {
    let mut replay = fresh();
    let op = ask(&mut replay, call("a"), write());
    assert_eq!(next(&mut replay), Next::Wait);
    replay.never_began(op);
    assert_eq!((replay.entry(op).unwrap().attempt, replay.performing().count()), (0, 0));
    assert!(matches!(next(&mut replay), Next::End(End::Failed(_))));
    replay.never_began(op);
    assert!(matches!(next(&mut replay), Next::End(End::Failed(_))), "once is enough");
}
