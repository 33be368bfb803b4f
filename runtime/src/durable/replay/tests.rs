//! Stories of passes against journals, without a sandbox or a store.

use super::super::failure::{ErrorKind, Failure};
use super::super::id::{Op, Seq};
use super::super::journal::{
    Answer, Approval, Decision, Effect, Entry, EntryState, Reach, ReplayPolicy, Request, Rerun, Terms,
};
use super::super::value::{Json, ValueLimits};
use super::super::write::Write;
use super::{End, Keep, Next, Replay, Settled, Start, StepRun};

fn json(text: &str) -> Json {
    Json::from_tagged(text, &ValueLimits::default()).unwrap()
}

fn call(method: &str, args: &str) -> Request {
    let args = (!args.is_empty()).then(|| json(args));
    Request::Call { connector: "t".into(), method: method.into(), args }
}

fn read() -> Terms {
    Terms { effect: Effect::ReadOnly, ..Terms::default() }
}

fn gated() -> Terms {
    Terms { approval: Approval::Required, effect: Effect::Write, ..Terms::default() }
}

/// A pass with its journal, as a shell would drive it.
struct Story {
    replay: Replay,
    performed: Vec<Op>,
    timers: Vec<(Op, u64)>,
    now: u64,
}

impl Story {
    fn first() -> Self {
        Self::on(Vec::new(), 1)
    }

    fn on(entries: Vec<Entry>, pass: u32) -> Self {
        Self { replay: Replay::new(entries, pass, 1_000, 300), performed: Vec::new(), timers: Vec::new(), now: 1_000 }
    }

    /// The next pass over the same journal, with these calls approved.
    fn again(self, approved: &[u32]) -> Self {
        let mut entries = self.replay.entries().to_vec();
        for entry in entries.iter_mut().filter(|e| e.seq.is_some_and(|s| approved.contains(&s.0))) {
            entry.decision = Some(Decision { actor: "a".into(), channel: "test".into(), reason: None, at: self.now });
        }
        Self { now: self.now + 1_000_000, ..Self::on(entries, 2) }
    }

    fn ask(&mut self, request: Request, terms: Terms) -> Op {
        self.replay.ask(request, Ok(terms), self.now).unwrap()
    }

    fn next(&mut self, settled: Settled) -> Next {
        self.now += 10;
        let next = self.replay.next(settled, self.now);
        for start in self.replay.drain().1 {
            match start {
                Start::Perform(op) => self.performed.push(op),
                Start::Timer(op, ms) => self.timers.push((op, ms)),
            }
        }
        next
    }

    fn answer(&mut self, op: Op, value: &str) {
        self.replay.arrived(op, Ok(Some(json(value))), self.now, Keep::ToWrite);
    }

    fn delivers(&mut self, op: Op, value: &str) -> u64 {
        let Next::Deliver { op: got, answer, now } = self.next(Settled::No) else { panic!("nothing was delivered") };
        assert_eq!((got, answer), (op, Ok(Some(json(value)))));
        now
    }

    fn state(&self, op: Op) -> EntryState {
        self.replay.entry(op).unwrap().state
    }

    fn diverges(&mut self, request: Request) -> String {
        let error = self.replay.ask(request, Ok(read()), self.now).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Divergence);
        error.message
    }
}

#[test]
fn a_call_is_performed_once_and_replayed_after_an_approval() {
    let mut first = Story::first();
    let list = first.ask(call("list", ""), read());
    assert_eq!(first.next(Settled::No), Next::Wait);
    assert_eq!(first.performed, [list]);
    first.answer(list, "[]");
    let recorded_now = first.delivers(list, "[]");
    let put = first.ask(call("put", r#"{"a":1}"#), gated());
    assert_eq!(first.next(Settled::No), Next::End(End::Paused));
    assert_eq!((first.state(put), first.performed.len()), (EntryState::Pending, 1));

    let mut second = first.again(&[1]);
    assert_eq!(second.ask(call("list", ""), read()), list);
    assert_eq!(second.delivers(list, "[]"), recorded_now);
    second.ask(call("put", r#"{"a":1}"#), gated());
    assert_eq!(second.next(Settled::No), Next::Wait);
    assert_eq!(second.performed, [put]);
    assert_eq!(second.state(put), EntryState::Executing);
    second.answer(put, "{}");
    second.delivers(put, "{}");
    assert_eq!(second.next(Settled::Yes), Next::Finished);
}

#[test]
fn answers_are_delivered_in_the_recorded_order_whatever_arrives_first() {
    let mut first = Story::first();
    let (a, b) = (first.ask(call("slow", "1"), read()), first.ask(call("slow", "2"), read()));
    first.next(Settled::No);
    first.answer(b, "2");
    first.delivers(b, "2");
    first.answer(a, "1");
    first.delivers(a, "1");
    first.ask(call("gate", ""), gated());
    assert_eq!(first.next(Settled::No), Next::End(End::Paused));

    let mut second = first.again(&[2]);
    second.ask(call("slow", "1"), read());
    second.ask(call("slow", "2"), read());
    second.delivers(b, "2");
    second.delivers(a, "1");
    assert!(second.performed.is_empty());
}

#[test]
fn several_pending_calls_are_all_shown_and_only_the_approved_one_runs() {
    let mut first = Story::first();
    let (a, b) = (first.ask(call("put", "1"), gated()), first.ask(call("put", "2"), gated()));
    assert_eq!(first.next(Settled::No), Next::End(End::Paused));
    assert_eq!(first.replay.pending().map(|e| e.op).collect::<Vec<_>>(), [a, b]);

    let mut second = first.again(&[1]);
    second.ask(call("put", "1"), gated());
    second.ask(call("put", "2"), gated());
    assert_eq!(second.next(Settled::No), Next::Wait);
    assert_eq!(second.performed, [b]);
    second.answer(b, "2");
    second.delivers(b, "2");
    assert_eq!(second.next(Settled::No), Next::End(End::Paused));
    assert_eq!(second.state(a), EntryState::Pending);
}

#[test]
fn a_call_beside_a_pending_one_finishes_before_the_pause() {
    let mut story = Story::first();
    let slow = story.ask(call("slow", ""), read());
    story.ask(call("gate", ""), gated());
    assert_eq!(story.next(Settled::No), Next::Wait);
    story.answer(slow, "1");
    story.delivers(slow, "1");
    assert_eq!(story.next(Settled::No), Next::End(End::Paused));
}

#[test]
fn another_target_other_arguments_and_absent_arguments_diverge() {
    let recorded = || {
        let mut first = Story::first();
        let op = first.ask(call("echo", r#"{"who":"alice","b":1}"#), read());
        first.next(Settled::No);
        first.answer(op, "1");
        first.delivers(op, "1");
        first.again(&[])
    };
    assert!(
        recorded()
            .diverges(call("list", r#"{"who":"alice","b":1}"#))
            .contains("expected t.echo, the code asked for t.list")
    );
    assert!(
        recorded().diverges(call("echo", r#"{"who":"bob","b":1}"#)).contains("differ from the recorded run at .who")
    );
    assert!(recorded().diverges(call("echo", "")).contains("differ"));
    let step = recorded().replay.step_enter("s".into(), 0).unwrap_err();
    assert!(step.message.contains("at seq 0: expected t.echo, the code asked for __step.s"));
    let mut same = recorded();
    same.ask(call("echo", r#"{"b":1,"who":"alice"}"#), read());
}

#[test]
fn a_pending_entry_at_which_the_code_diverges_becomes_failed() {
    let mut first = Story::first();
    first.ask(call("put", "1"), gated());
    first.next(Settled::No);
    let mut second = first.again(&[0]);
    second.diverges(call("put", "2"));
    assert_eq!(second.state(Op(0)), EntryState::Failed);
    let (writes, starts) = second.replay.drain();
    assert!(matches!(&writes[..], [Write::Answered { state: EntryState::Failed, .. }]) && starts.is_empty());
}

#[test]
fn ending_or_waiting_before_every_recorded_call_is_reached_diverges() {
    let mut first = Story::first();
    first.ask(call("gate", ""), gated());
    first.next(Settled::No);
    for settled in [Settled::Yes, Settled::No] {
        let mut entries = first.replay.entries().to_vec();
        entries[0].decision = Some(Decision { actor: "a".into(), channel: "t".into(), reason: None, at: 0 });
        let mut second = Story::on(entries, 2);
        let Next::End(End::Failed(error)) = second.next(settled) else { panic!("it went on") };
        assert!(error.message.contains("t.gate was not reached"), "{}", error.message);
        assert!(second.performed.is_empty());
    }
}

#[test]
fn something_new_before_the_record_is_delivered_diverges() {
    let mut first = Story::first();
    let op = first.ask(call("list", ""), read());
    first.next(Settled::No);
    first.answer(op, "1");
    first.delivers(op, "1");
    let mut second = first.again(&[]);
    second.ask(call("list", ""), read());
    assert!(second.diverges(call("echo", "1")).contains("before it got all the answers"));
}

#[test]
fn a_reexecuted_read_is_performed_again_and_delivered_at_its_recorded_place() {
    let terms = || Terms { replay: ReplayPolicy::Reexecute, effect: Effect::ReadOnly, ..Terms::default() };
    let mut first = Story::first();
    let (live, list) = (first.ask(call("live", ""), terms()), first.ask(call("list", ""), read()));
    first.next(Settled::No);
    first.answer(live, "1");
    first.delivers(live, "1");
    first.answer(list, "[]");
    first.delivers(list, "[]");
    assert_eq!(first.replay.entry(live).unwrap().answer, Some(Ok(None)), "its value is not kept");
    let mut second = first.again(&[]);
    second.ask(call("live", ""), terms());
    second.ask(call("list", ""), read());
    assert_eq!(second.next(Settled::No), Next::Wait);
    assert_eq!(second.performed, [live]);
    second.answer(live, "2");
    second.delivers(live, "2");
    second.delivers(list, "[]");
}

#[test]
fn failures_replay_and_are_not_tried_again() {
    let mut first = Story::first();
    let op = first.ask(call("flaky", ""), Terms::default());
    first.next(Settled::No);
    let failure: Answer = Err(Failure::new("unavailable", "try later"));
    first.replay.arrived(op, failure.clone(), first.now, Keep::ToWrite);
    assert!(matches!(first.next(Settled::No), Next::Deliver { answer, .. } if answer == failure));
    let mut second = first.again(&[]);
    second.ask(call("flaky", ""), Terms::default());
    assert!(matches!(second.next(Settled::No), Next::Deliver { answer, .. } if answer == failure));
    assert!(second.performed.is_empty());
}

#[test]
fn an_ask_that_the_catalogue_refuses_is_a_failed_entry_and_performs_nothing() {
    let mut story = Story::first();
    let refusal = Failure::new("unknown-method", "no such method");
    story.replay.ask(call("nope", ""), Err(refusal.clone()), 0).unwrap();
    assert!(matches!(story.next(Settled::No), Next::Deliver { answer: Err(f), .. } if f == refusal));
    assert!(story.performed.is_empty());
}

#[test]
fn a_plain_step_is_skipped_on_replay_and_one_that_asked_runs_again() {
    for (rerun, run) in [(Rerun::No, StepRun::Skip), (Rerun::Yes, StepRun::Run)] {
        let mut first = Story::first();
        let (op, fresh) = first.replay.step_enter("k".into(), 0).unwrap();
        assert_eq!(fresh, StepRun::Run);
        first.replay.step_exit(op, Ok(Some(json("7"))), rerun, 0);
        first.delivers(op, "7");
        let mut second = first.again(&[]);
        assert_eq!(second.replay.step_enter("k".into(), 0).unwrap(), (op, run));
        second.replay.step_exit(op, Ok(Some(json("8"))), rerun, 0);
        second.delivers(op, "7");
    }
}

#[test]
fn an_interrupted_step_runs_again() {
    let mut first = Story::first();
    first.replay.step_enter("k".into(), 0).unwrap();
    let mut second = first.again(&[]);
    let (op, run) = second.replay.step_enter("k".into(), 0).unwrap();
    assert_eq!(run, StepRun::Run);
    second.replay.step_exit(op, Ok(Some(json("8"))), Rerun::No, 0);
    second.delivers(op, "8");
}

#[test]
fn seqs_count_calls_and_steps_only_and_ops_count_everything() {
    let mut story = Story::first();
    story.ask(call("a", ""), read());
    story.ask(Request::Search { query: json(r#""q""#) }, Terms::default());
    story.replay.step_enter("s".into(), 0).unwrap();
    story.ask(Request::Sleep { ms: 5 }, Terms::default());
    story.ask(call("b", ""), read());
    let seqs: Vec<_> = story.replay.entries().iter().map(|e| e.seq).collect();
    assert_eq!(seqs, [Some(Seq(0)), None, Some(Seq(1)), None, Some(Seq(2))]);
    let events: Vec<_> = story.replay.entries().iter().map(|e| e.asked_event).collect();
    assert_eq!(events, [1, 0, 2, 0, 3]);
}

#[test]
fn a_timer_does_not_hold_the_sandbox_open_and_keeps_its_time_over_a_pause() {
    let mut story = Story::first();
    let timer = story.ask(Request::Sleep { ms: 500 }, Terms::default());
    assert_eq!(story.next(Settled::No), Next::Wait);
    assert_eq!(story.timers, [(timer, 500)]);
    assert_eq!(story.next(Settled::Yes), Next::Finished);
    story.ask(call("gate", ""), gated());
    assert_eq!(story.next(Settled::No), Next::End(End::Paused));
    let mut entries = story.replay.entries().to_vec();
    entries[0].remaining_ms = Some(123);
    let mut second = Story::on(entries, 2);
    second.ask(Request::Sleep { ms: 500 }, Terms::default());
    second.ask(call("gate", ""), gated());
    second.next(Settled::No);
    assert_eq!(second.timers, [(timer, 123)]);
}

#[test]
fn a_cancelled_timer_is_not_waited_for() {
    let mut story = Story::first();
    let timer = story.ask(Request::Sleep { ms: 500 }, Terms::default());
    story.next(Settled::No);
    story.replay.cancel(timer);
    story.replay.arrived(timer, Ok(None), 0, Keep::ToWrite);
    let Next::End(End::Failed(error)) = story.next(Settled::No) else { panic!("it waited") };
    assert_eq!(error.kind, ErrorKind::NeverSettles);
}

#[test]
fn code_that_waits_for_nothing_is_told_at_once() {
    let Next::End(End::Failed(error)) = Story::first().next(Settled::No) else { panic!("it waited") };
    assert_eq!(error.kind, ErrorKind::NeverSettles);
}

#[test]
fn no_more_calls_are_in_flight_than_the_limit() {
    let mut story = Story::first();
    story.replay.max_in_flight = 2;
    let ops: Vec<Op> = (0..3).map(|_| story.ask(call("slow", ""), read())).collect();
    story.next(Settled::No);
    assert_eq!(story.performed, ops[..2]);
    story.answer(ops[0], "0");
    story.delivers(ops[0], "0");
    assert_eq!(story.performed, ops);
}

#[test]
fn the_codes_clock_never_goes_back() {
    let mut story = Story::first();
    let (a, b) = (story.ask(call("a", ""), read()), story.ask(call("b", ""), read()));
    story.next(Settled::No);
    story.answer(a, "1");
    story.answer(b, "1");
    let first = story.delivers(a, "1");
    story.now = 5;
    assert!(story.delivers(b, "1") >= first);
}

#[test]
fn a_call_left_executing_is_repeated_only_where_its_class_allows() {
    for (terms, repeats) in [(read(), true), (Terms { effect: Effect::Write, ..Terms::default() }, false)] {
        let mut first = Story::first();
        let op = first.ask(call("x", ""), terms.clone());
        first.next(Settled::No);
        let mut second = first.again(&[]);
        second.ask(call("x", ""), terms);
        let next = second.next(Settled::No);
        assert_eq!(second.performed == [op], repeats);
        assert_eq!(next == Next::End(End::Paused), !repeats);
    }
}

#[test]
fn a_call_that_an_earlier_pass_began_is_in_doubt_and_one_that_never_began_is_not() {
    let mut first = Story::first();
    let write = || Terms { effect: Effect::Write, ..Terms::default() };
    let op = first.ask(call("pay", ""), write());
    first.next(Settled::No);
    assert!(first.replay.may_have_happened(op));
    let mut second = first.again(&[]);
    assert!(second.replay.may_have_happened(op), "also while the code has not asked for it again");
    second.ask(call("pay", ""), write());
    assert_eq!(second.state(op), EntryState::Unknown);
    assert!(matches!(&second.replay.drain().0[..], [Write::Answered { state: EntryState::Unknown, .. }]));

    let mut other = Story::first();
    let begun = other.ask(call("pay", ""), write());
    other.next(Settled::No);
    let queued = other.ask(call("pay", ""), write());
    other.replay.never_began(begun);
    assert!(!other.replay.may_have_happened(begun) && !other.replay.may_have_happened(queued));
}

#[test]
fn an_approved_call_that_never_began_is_not_in_doubt() {
    let mut first = Story::first();
    let op = first.ask(call("pay", ""), gated());
    first.next(Settled::No);
    let mut second = first.again(&[0]);
    second.ask(call("pay", ""), gated());
    second.next(Settled::No);
    assert!(second.replay.may_have_happened(op));
    second.replay.never_began(op);
    assert!(!second.replay.may_have_happened(op));
}

#[test]
fn each_further_attempt_is_counted_and_written_and_effects_outside_have_none() {
    let state_only = Terms { reach: Reach::StateOnly, ..Terms::default() };
    let mut story = Story::first();
    let (own, outside) = (story.ask(call("set", ""), state_only), story.ask(call("pay", ""), Terms::default()));
    story.next(Settled::No);
    for attempt in [2, 3] {
        assert!(story.replay.perform_again(own));
        let (writes, _) = story.replay.drain();
        assert!(matches!(&writes[..], [Write::Asked(entry)] if entry.attempt == attempt));
    }
    assert!(!story.replay.perform_again(outside));
    story.answer(own, "1");
    assert!(!story.replay.perform_again(own), "it is answered");
}

#[test]
fn a_late_answer_of_a_reexecuted_read_is_not_kept() {
    let terms = Terms { replay: ReplayPolicy::Reexecute, effect: Effect::ReadOnly, ..Terms::default() };
    let mut story = Story::first();
    let op = story.ask(call("live", ""), terms);
    story.next(Settled::No);
    let write = story.replay.late_write(op, Some(&Ok(Some(json("1")))), 5);
    assert!(matches!(write, Some(Write::Answered { answer: Some(Ok(None)), state: EntryState::Applied, .. })));
}

#[test]
fn a_call_that_an_earlier_pass_began_stays_in_doubt_when_the_code_diverges_there() {
    let mut first = Story::first();
    let op = first.ask(call("pay", "1"), Terms { effect: Effect::Write, ..Terms::default() });
    first.next(Settled::No);
    let mut second = first.again(&[]);
    second.diverges(call("pay", "2"));
    assert_eq!(second.state(op), EntryState::Executing);
    assert!(second.replay.may_have_happened(op));
}
