//! One pass: the guest and the machine, and a shell that performs and stores as it is told.

use super::guest::{Guest, word};
use super::life::{Gone, Life, told_apart};
use super::program::Kind;
use crate::durable::failure::CodeError;
use crate::durable::finish::Ended;
use crate::durable::id::Op;
use crate::durable::journal::{Answer, Approval, Entry, EntryState};
use crate::durable::replay::{ANSWERABLE, End, Keep, Next, Replay, Start};
use crate::durable::write::{Scope, StateKey, StateWrite, Write};

/// A pass in progress.
pub(super) struct Run {
    pub(super) replay: Replay,
    pub(super) guest: Guest,
    /// What was begun outside and not answered yet.
    pub(super) outside: Vec<Op>,
    pub(super) timers: Vec<Op>,
    /// The journal as the pass found it.
    before: Vec<Entry>,
    delivered: usize,
}

impl Run {
    pub(super) fn of(life: &Life) -> Self {
        let before = life.kept.entries.clone();
        let created_at = life.kept.execution.start.created_at;
        Self {
            replay: Replay::new(before.clone(), life.kept.execution.pass, created_at, life.max_in_flight),
            guest: Guest::of(&life.program),
            outside: Vec::new(),
            timers: Vec::new(),
            before,
            delivered: 0,
        }
    }

    pub(super) fn runs(&mut self, life: &mut Life) -> Result<Ended, Gone> {
        if let Err(error) = self.guest.begin(&mut self.replay, life.now) {
            return Ok(self.fails(life, error));
        }
        loop {
            // Not all clocks only go forward.
            life.now = if life.fate.below(7) == 0 { life.now - 5 } else { life.now + 10 };
            let next = self.replay.next(self.guest.settled(), life.now);
            self.flush(life)?;
            match next {
                Next::Deliver { op, answer, now } => {
                    self.is_the_recorded_one(op, &answer, now);
                    self.delivered += 1;
                    if let Err(error) = self.guest.hear(op, &answer, &mut self.replay, life.now) {
                        return Ok(self.fails(life, error));
                    }
                }
                Next::Wait => self.arrives(life)?,
                Next::Finished => return Ok(Ended::Fulfilled(None)),
                Next::End(End::Paused) => return Ok(Ended::Paused),
                Next::End(End::Failed(error)) => return Ok(self.fails(life, error)),
            }
        }
    }

    fn fails(&mut self, life: &mut Life, error: CodeError) -> Ended {
        life.kept.append(self.replay.drain().0);
        Ended::Failed(error)
    }

    /// The code hears what it heard before, at the same place and time.
    fn is_the_recorded_one(&self, op: Op, answer: &Answer, now: u64) {
        let place = u32::try_from(self.delivered).unwrap();
        let Some(recorded) = self.before.iter().find(|e| e.delivery.is_some_and(|d| d.place == place)) else { return };
        assert_eq!((recorded.op, recorded.delivery.unwrap().now), (op, now));
        if !recorded.is_ephemeral() {
            assert_eq!(recorded.answer.as_ref().map(word), Some(word(answer)));
        }
    }

    /// Stores what is to be stored, then begins what is to be begun.
    fn flush(&mut self, life: &mut Life) -> Result<(), Gone> {
        let (writes, starts) = self.replay.drain();
        life.kept.append(writes);
        if life.fate.is_fatal() {
            return Err(Gone);
        }
        let effectful = |start: &Start| match start {
            Start::Perform(op) => self.replay.entry(*op).unwrap().terms.needs_barrier(),
            Start::Timer(..) => false,
        };
        if starts.iter().any(effectful) {
            life.kept.sync();
        }
        for start in starts {
            match start {
                Start::Timer(op, _) => self.timers.push(op),
                Start::Perform(op) => self.begins(op, life),
            }
        }
        Ok(())
    }

    fn begins(&mut self, op: Op, life: &Life) {
        let entry = self.replay.entry(op).unwrap();
        let recorded = self.before.get(op.0 as usize);
        let answered = recorded.is_some_and(|e| matches!(e.state, EntryState::Applied | EntryState::Failed));
        assert!(!answered || entry.is_ephemeral(), "what is answered is not performed again");
        let ahead = self.before.iter().filter(|e| e.delivery.is_some()).count() > self.delivered;
        assert!(!ahead || recorded.is_some_and(|e| e.delivery.is_some()), "nothing new happens before the record ends");
        if entry.terms.needs_barrier() {
            let durable = &life.kept.entries[op.0 as usize];
            assert_eq!((durable.state, durable.attempt), (EntryState::Executing, entry.attempt), "write before effect");
            assert!(durable.terms.approval == Approval::NotNeeded || durable.decision.is_some(), "nobody consented");
        }
        self.outside.push(op);
        assert!(self.outside.len() <= life.max_in_flight as usize);
        assert!(self.replay.performing().count() >= self.outside.len());
    }

    /// One of what is outstanding comes to its end, or the process to its own.
    fn arrives(&mut self, life: &mut Life) -> Result<(), Gone> {
        self.timers.retain(|op| self.replay.is_armed(*op));
        let all = self.outside.len() + self.timers.len();
        assert!(all > 0, "it waits for nothing");
        if life.fate.is_fatal() {
            return Err(Gone);
        }
        let which = life.fate.below(all);
        if which < self.outside.len() {
            let op = self.outside.remove(which);
            let entry = self.replay.entry(op).unwrap().clone();
            let answer = life.happens(&entry);
            if told_apart(&entry).is_some_and(|(_, kind)| kind == Kind::Own) {
                return self.commits(op, answer, life);
            }
            // An answer may come twice.
            self.replay.arrived(op, answer.clone(), life.now, Keep::ToWrite);
            if life.fate.below(5) == 0 {
                self.replay.arrived(op, answer, life.now, Keep::ToWrite);
            }
        } else {
            let op = self.timers.remove(which - self.outside.len());
            self.replay.arrived(op, Ok(None), life.now, Keep::ToWrite);
        }
        Ok(())
    }

    /// An answer with state: both are kept or neither is. Sometimes another call changed the state meanwhile; then nothing
    /// of it is kept, and the call is performed once more.
    fn commits(&mut self, op: Op, answer: Answer, life: &mut Life) -> Result<(), Gone> {
        if life.fate.below(6) == 0 {
            assert!(self.replay.perform_again(op), "state alone may be written again");
            self.outside.push(op);
            return Ok(());
        }
        let Some(write) = self.replay.answer_write(op, &answer, life.now) else { panic!("it is waited for") };
        life.kept.append(self.replay.drain_writes());
        if life.fate.is_fatal() {
            return Err(Gone);
        }
        let at = StateKey { connector: "t".into(), scope: Scope::Connector, key: op.to_string() };
        let state = Write::State(StateWrite { at, value: Some(Vec::new()) });
        life.kept.commit(vec![Write::Require { op, states: ANSWERABLE }, write, state]);
        self.replay.arrived(op, answer, life.now, Keep::Written);
        Ok(())
    }
}
