//! The life of one execution: passes that end, pause or are cut off by a crash, and what people say in between. All
//! chance comes from a list of numbers, so that a life can be lived again and made smaller.

use std::collections::BTreeMap;

use super::kept::Kept;
use super::program::{Kind, Program, answer};
use super::run::Run;
use crate::durable::approval::{Approved, Pick, Picks, approve};
use crate::durable::execution::{Execution, Status};
use crate::durable::failure::Failure;
use crate::durable::finish::{Ended, HookWish, PassEnd, finish};
use crate::durable::id::{Op, OwnerId};
use crate::durable::journal::{Answer, Decision, Entry, EntryState, Request};
use crate::durable::limits::Limits;
use crate::durable::recovery::{Work, left_undone, take_over};
use crate::durable::resolve::{Word, may_go_on, resolve};
use crate::durable::value::Json;
use crate::durable::write::{HookKind, Write};

/// Numbers that decide everything that is left open.
pub(super) struct Fate {
    numbers: Vec<u16>,
    at: usize,
    /// Events until the process is gone; none of it after that is used up.
    pub(super) crashes: Vec<u16>,
}

impl Fate {
    pub(super) fn new(numbers: Vec<u16>, crashes: Vec<u16>) -> Self {
        Self { numbers, at: 0, crashes }
    }

    pub(super) fn shown(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Fate::new(vec!{:?}, vec!{:?})", self.numbers, self.crashes)
    }

    /// A number below `of`.
    pub(super) fn below(&mut self, of: usize) -> usize {
        self.at += 1;
        let number = self.numbers.get(self.at % self.numbers.len().max(1)).copied().unwrap_or(0);
        (usize::from(number) + self.at / self.numbers.len().max(1)) % of.max(1)
    }

    /// Whether the process is gone at this point.
    pub(super) fn is_fatal(&mut self) -> bool {
        match self.crashes.last_mut() {
            Some(0) => self.crashes.pop().is_some(),
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        }
    }
}

/// The process is gone.
pub(super) struct Gone;

/// An execution with its world.
pub(super) struct Life {
    pub(super) program: Program,
    pub(super) kept: Kept,
    pub(super) fate: Fate,
    pub(super) wishes: Vec<HookWish>,
    pub(super) now: u64,
    pub(super) max_in_flight: u32,
    /// How often each call was performed, and how often that did something in the world.
    pub(super) performed: BTreeMap<u32, u32>,
    pub(super) effects: BTreeMap<u32, u32>,
    /// What the code heard in the pass that ended last.
    pub(super) heard: Vec<Vec<String>>,
    pub(super) passes: u32,
    pub(super) crashed: u32,
    /// Every hook that was ever due, as kind, pass and status.
    pub(super) told: Vec<(HookKind, u32, Status)>,
}

/// The number in the arguments of a call, and what it is.
pub(super) fn told_apart(entry: &Entry) -> Option<(u32, Kind)> {
    let Request::Call { method, args, .. } = &entry.request else { return None };
    let id = args.as_ref()?.as_str().strip_prefix("{\"id\":")?.strip_suffix('}')?.parse().ok()?;
    Kind::ALL.into_iter().find(|k| format!("{k:?}") == *method).map(|kind| (id, kind))
}

pub(super) fn anna() -> Decision {
    Decision { actor: "anna".into(), channel: "test".into(), reason: None, at: 9 }
}

impl Life {
    pub(super) fn of(program: Program, fate: Fate, max_in_flight: u32) -> Self {
        let kinds = vec![HookKind::PassEnded, HookKind::ExecutionEnded];
        Self {
            program,
            kept: Kept::new(),
            fate,
            wishes: vec![HookWish { connector: "t".into(), kinds }],
            now: 1_000,
            max_in_flight,
            performed: BTreeMap::new(),
            effects: BTreeMap::new(),
            heard: Vec::new(),
            passes: 0,
            crashed: 0,
            told: Vec::new(),
        }
    }

    /// Lives until there is nothing left to do but what `stop` says: it is asked at each pause.
    pub(super) fn lived(&mut self, stop: impl Fn(&Self) -> bool) {
        for _ in 0..200 {
            if self.pass().is_err() {
                self.crashed += 1;
                let left = left_undone(&self.kept.execution, &self.kept.entries, &[]);
                assert_eq!(left, Work::Pass);
                let (writes, next) = take_over(&self.kept.execution, OwnerId(2), &self.wishes, self.now);
                self.kept.commit(writes);
                assert_eq!(self.kept.execution, Execution { updated_at: 1_000, ..next });
                self.told();
                continue;
            }
            self.told();
            if self.kept.has_ended() || stop(self) {
                return;
            }
            self.people();
        }
        panic!("it goes on for ever");
    }

    fn told(&mut self) {
        self.told.extend(self.kept.hooks.drain(..).map(|h| (h.kind, h.pass, h.status)));
    }

    /// One pass, from its beginning to its end in the record.
    fn pass(&mut self) -> Result<(), Gone> {
        self.passes += 1;
        self.now += 1_000_000;
        let mut run = Run::of(self);
        let over = run.runs(self);
        let Run { replay, outside, .. } = &run;
        let ended = match over {
            Ok(ended) => ended,
            Err(Gone) => {
                for op in outside {
                    // It may have happened before the process was gone.
                    if self.fate.below(2) == 1 {
                        drop(self.happens(replay.entry(*op).unwrap()));
                    }
                }
                let left = self.fate.below(4);
                self.kept.crash(left);
                return Err(Gone);
            }
        };
        self.heard = run.guest.heard();
        if ended == Ended::Paused || matches!(ended, Ended::Fulfilled(_)) {
            assert!(outside.is_empty(), "nothing is performed at a pause or at the end");
        }
        let timers_left: Vec<(Op, u64)> = run.timers.iter().map(|op| (*op, 3)).collect();
        let end = PassEnd { ended, timers_left: &timers_left, logs: Vec::new(), at: self.now };
        let done = finish(replay, &self.kept.execution, end, &self.wishes, &Limits::default());
        if self.fate.is_fatal() {
            let left = self.fate.below(4);
            self.kept.crash(left);
            return Err(Gone);
        }
        self.kept.commit(done.writes);
        assert_eq!(done.status, self.kept.execution.status);
        Ok(())
    }

    /// What the world does for a call.
    pub(super) fn happens(&mut self, entry: &Entry) -> Answer {
        let Some((id, kind)) = told_apart(entry) else {
            let found = entry.request.args().map(|q| format!("found {}", q.as_str().trim_matches('"')));
            return Ok(found.map(|f| Json::string(&f)));
        };
        *self.performed.entry(id).or_default() += 1;
        let before = self.effects.get(&id).copied().unwrap_or(0);
        // With the same key a second performance does nothing more.
        if kind.has_effect() && !(kind == Kind::Keyed && before > 0) {
            *self.effects.entry(id).or_default() += 1;
        }
        match kind {
            Kind::Failing => Err(Failure::new("internal", id.to_string())),
            _ => Ok(Some(Json::string(&answer(id, kind)))),
        }
    }

    /// People approve some of what is pending, and say of what is in doubt whether it happened.
    pub(super) fn people(&mut self) {
        assert!(self.kept.is(Status::Paused));
        let doubts: Vec<(u32, Entry)> = self
            .kept
            .entries
            .iter()
            .filter(|e| e.state == EntryState::Unknown)
            .filter_map(|e| Some((told_apart(e)?.0, e.clone())))
            .collect();
        for (id, entry) in doubts.into_iter().filter(|(_, e)| !e.terms.may_repeat()) {
            let happened = self.effects.get(&id).copied().unwrap_or(0) > 0;
            let word = if happened { Word::Applied(Some(Json::string(&format!("done {id}")))) } else { Word::Retry };
            let seq = entry.seq.unwrap();
            let writes = resolve(&self.kept.execution, &self.kept.entries, seq, word, &anna()).unwrap();
            self.kept.commit(writes);
        }
        let pending: Vec<&Entry> =
            self.kept.entries.iter().filter(|e| e.state == EntryState::Pending && e.decision.is_none()).collect();
        let start = self.fate.below(pending.len());
        let mut chosen = Vec::new();
        for (at, entry) in pending.iter().enumerate() {
            if at == start || self.fate.below(2) == 0 {
                chosen.push(Pick { seq: entry.seq.unwrap(), digest: entry.digest.clone().unwrap() });
            }
        }
        let waits = pending.len() > chosen.len();
        let picks = if chosen.is_empty() { Picks::AllPending } else { Picks::These(chosen) };
        let contract = |_: &str, _: &str| Some("c".to_owned());
        let approved = approve(&self.kept.execution, &self.kept.entries, &picks, &["t"], contract, &anna(), OwnerId(1));
        let Ok(Approved::Resume { writes, .. }) = approved else { panic!("{approved:?}") };
        let decided: Vec<_> = writes.clone();
        self.kept.commit(decided.into_iter().filter(|w| !matches!(w, Write::Moved(_))).collect());
        assert_eq!(may_go_on(&self.kept.execution, &self.kept.entries), !waits);
        self.kept.commit(writes.into_iter().filter(|w| matches!(w, Write::Moved(_))).collect());
    }
}
