//! A host that follows a script: it writes down everything that an executor asks, answers by a plan, and hands the answers
//! over in an order that the case chose. Nothing waits for time, so the same plan gives the same run.

use std::any::Any;
use std::cell::Cell;

use codemode_runtime::connector::BoxFuture;
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::durable::id::Op;
use codemode_runtime::durable::journal::Answer;
use codemode_runtime::durable::replay::{Settled, StepRun};
use codemode_runtime::executor::{Completion, Dispatch, Level, PassOver, RawFailure, Refusal, StepOutcome};
use codemode_runtime::{Json, ValueLimits};

use super::story::{Ask, Event};
use crate::check::trial::short;

/// Where the clock of a run starts: 2024-01-01T00:00:00Z, epoch milliseconds.
pub(super) const START: u64 = 1_704_067_200_000;

/// By how much the clock moves with each answer, in milliseconds.
pub(super) const TICK: u64 = 7;

/// So many asks are enough to see that there is no end to them.
const MAX_ASKS: u32 = 5_000;

/// So much of what happens is kept; nobody reads more.
const MAX_EVENTS: usize = 50_000;

/// Timers that are further away are not drawn before they are all that is left, in milliseconds.
const NEAR: u64 = 1_000;

/// When an answer is ready.
pub(super) enum Reply {
    Now(Answer),
    Never,
}

/// Which of the answers that are ready is handed over next.
pub(super) enum Order {
    /// The first that was asked for.
    Arrival,
    /// That of these ops, in this order; then the first that was asked for.
    These(Vec<u32>),
    /// Any, and timers between them; the same number draws the same.
    Drawn(u64),
}

/// What a step is told.
pub(super) enum Steps {
    /// To run; its outcome is handed over as it was.
    Run,
    /// To run; this is handed over instead.
    Overruled(Answer),
    /// Not to run; this is handed over.
    Recorded(Answer),
}

/// Where the host ends the run, whatever the code does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Never,
    /// At this ask.
    Ask(u32),
    /// At the `next` of this number, from 0.
    Next(u32),
}

/// What a run is answered with.
pub(super) struct Plan {
    pub(super) answers: Box<dyn FnMut(&Ask) -> Reply + Send>,
    pub(super) order: Order,
    pub(super) steps: Steps,
    pub(super) ending: Ending,
}

/// A plan being followed.
pub(super) struct Script {
    plan: Plan,
    events: Vec<Event>,
    asked: u32,
    now: u64,
    looked: Cell<u64>,
    ready: Vec<(Op, Answer)>,
    timers: Vec<(u64, Op)>,
    exited: Vec<Op>,
    awaited: u32,
    /// `next` said that nothing is outstanding.
    finished: bool,
    /// The host ended the run.
    ended: bool,
}

/// What a run left behind.
pub(super) struct Told {
    /// In their order.
    pub(super) events: Vec<Event>,
    /// How often the wall clock was asked for.
    pub(super) looked: u64,
}

impl Script {
    pub(super) fn new(plan: Plan) -> Self {
        Self {
            plan,
            events: Vec::new(),
            asked: 0,
            now: START,
            looked: Cell::new(0),
            ready: Vec::new(),
            timers: Vec::new(),
            exited: Vec::new(),
            awaited: 0,
            finished: false,
            ended: false,
        }
    }

    pub(super) fn told(self) -> Told {
        Told { events: self.events, looked: self.looked.get() }
    }

    fn note(&mut self, event: Event) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }

    fn misuse(&mut self, what: String) -> PassOver {
        self.note(Event::Misused(what));
        PassOver
    }

    fn end(&mut self) -> PassOver {
        self.ended = true;
        self.note(Event::Ended);
        PassOver
    }

    /// Counts an ask; there is no end to some code.
    fn count(&mut self, ask: &Ask) -> Result<Op, PassOver> {
        if self.ended {
            return Err(self.misuse(format!("it asked `{}` after the host had ended the run", shown(ask))));
        }
        if self.plan.ending == Ending::Ask(self.asked) {
            return Err(self.end());
        }
        if self.finished {
            return Err(
                self.misuse(format!("it asked `{}` after `next` had said that nothing is outstanding", shown(ask)))
            );
        }
        if self.asked == MAX_ASKS {
            return Err(self.misuse(format!("it asked more than {MAX_ASKS} times")));
        }
        let op = Op(self.asked);
        self.asked += 1;
        Ok(op)
    }

    fn ask(&mut self, ask: Ask) -> Result<Op, PassOver> {
        let op = self.count(&ask)?;
        if let Some(text) = ask.value()
            && let Err(error) = Json::from_tagged(text, &ValueLimits::default())
        {
            return Err(self.misuse(format!("`{}` carries what is no tagged JSON: {error}", shown(&ask))));
        }
        if let Reply::Now(answer) = (self.plan.answers)(&ask) {
            self.ready.push((op, answer));
        }
        self.note(Event::Asked(ask));
        Ok(op)
    }

    /// The answer of a step whose closure ended, once.
    fn outcome(&mut self, op: Op, outcome: &StepOutcome) -> Result<(), PassOver> {
        if self.exited.contains(&op) {
            return Ok(());
        }
        self.exited.push(op);
        let answer = match &self.plan.steps {
            Steps::Overruled(answer) => answer.clone(),
            Steps::Run | Steps::Recorded(_) => match kept(outcome) {
                Ok(answer) => answer,
                Err(what) => return Err(self.misuse(what)),
            },
        };
        self.ready.push((op, answer));
        Ok(())
    }

    fn pick(&mut self, settled: Settled) -> Option<Completion> {
        let first = (0..self.timers.len()).min_by_key(|at| self.timers[*at]).filter(|_| settled == Settled::No);
        let near = first.filter(|at| self.timers[*at].0 < self.now + NEAR);
        let at = match &mut self.plan.order {
            Order::Arrival => 0,
            Order::These(ops) => {
                let planned = ops.iter().position(|op| self.ready.iter().any(|(ready, _)| ready.0 == *op));
                let op = planned.map(|at| ops.remove(at));
                op.and_then(|op| self.ready.iter().position(|(ready, _)| ready.0 == op)).unwrap_or(0)
            }
            Order::Drawn(state) => draw(state, self.ready.len() + usize::from(near.is_some())),
        };
        if at < self.ready.len() {
            let (op, answer) = self.ready.remove(at);
            self.now += TICK;
            return Some(Completion { op, answer, now: self.now });
        }
        let (due, op) = self.timers.remove(first?);
        self.now = self.now.max(due);
        Some(Completion { op, answer: Ok(None), now: self.now })
    }

    fn following(&mut self, settled: Settled) -> Result<Option<Completion>, PassOver> {
        if self.ended {
            return Err(self.misuse("it asked `next` after the host had ended the run".to_owned()));
        }
        if self.plan.ending == Ending::Next(self.awaited) {
            return Err(self.end());
        }
        self.awaited += 1;
        self.note(Event::Awaited(settled));
        if self.finished {
            return Err(self.misuse("it asked `next` again after that had said that nothing is outstanding".to_owned()));
        }
        let picked = self.pick(settled);
        match &picked {
            Some(completion) => self.note(Event::Gave(completion.op)),
            None => self.finished = true,
        }
        Ok(picked)
    }
}

fn shown(ask: &Ask) -> String {
    short(&ask.to_string())
}

/// A number below `count`; 0 where there is none. The state never becomes 0.
fn draw(state: &mut u64, count: usize) -> usize {
    *state |= 1;
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    usize::try_from(*state % count.max(1) as u64).unwrap_or(0)
}

/// What the journal keeps of a closure's outcome.
fn kept(outcome: &StepOutcome) -> Result<Answer, String> {
    let read = |text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => Json::from_tagged(text, &ValueLimits::default())
            .map(Some)
            .map_err(|error| format!("a step ended with what is no tagged JSON: {error}")),
    };
    Ok(match &outcome.result {
        Ok(value) => Ok(read(value)?),
        Err(RawFailure { code, message, name, details }) => {
            let failure = Failure::new(code, message);
            Err(Failure { name: name.clone(), details: read(details)?, ..failure })
        }
    })
}

/// The answers of the connector `t`, by the name of the method: `fail` fails, `never` is never answered, `slow` gives its
/// member `v`, the others give their argument. Methods that it has not fail.
pub(super) fn usual(ask: &Ask) -> Reply {
    let Ask::Call { method, args, .. } = ask else { return Reply::Now(Ok(None)) };
    let value = |text: &str| Json::from_tagged(text, &ValueLimits::default()).ok();
    let args = args.as_deref().and_then(value);
    Reply::Now(match method.as_str() {
        "fail" => Err(Failure { details: value(r#"{"isbn":7}"#), ..Failure::new("not-found", "no such book") }),
        "never" => return Reply::Never,
        "slow" => Ok(args.and_then(|args| member(args.as_str(), "v"))),
        "echo" | "add" | "gate" | "live" => Ok(args),
        other => Err(Failure::new(code::UNKNOWN_METHOD, format!("t.{other} is not there"))),
    })
}

fn member(text: &str, key: &str) -> Option<Json> {
    let object: serde_json::Value = serde_json::from_str(text).ok()?;
    Json::from_tagged(&object.get(key)?.to_string(), &ValueLimits::default()).ok()
}

impl Dispatch for Script {
    fn submit(&mut self, connector: String, method: String, args: Option<String>) -> Result<Op, PassOver> {
        self.ask(Ask::Call { connector, method, args })
    }

    fn fetch(&mut self, request: String) -> Result<Op, PassOver> {
        let op = self.count(&Ask::Fetch(request.clone()))?;
        self.ready.push((op, Err(Failure::new(code::DENIED, "fetch is not granted to the sandbox"))));
        self.note(Event::Asked(Ask::Fetch(request)));
        Ok(op)
    }

    fn sleep(&mut self, ms: u64) -> Result<Op, PassOver> {
        let op = self.count(&Ask::Sleep(ms))?;
        self.timers.push((self.now.saturating_add(ms), op));
        self.note(Event::Asked(Ask::Sleep(ms)));
        Ok(op)
    }

    fn cancel(&mut self, op: Op) {
        self.timers.retain(|(_, timer)| *timer != op);
        self.note(Event::Cancelled(op));
    }

    fn search(&mut self, query: String) -> Result<Op, PassOver> {
        self.ask(Ask::Search(query))
    }

    fn describe(&mut self, target: String) -> Result<Op, PassOver> {
        self.ask(Ask::Describe(target))
    }

    fn snippet(&mut self, name: String, input: Option<String>) -> Result<Op, PassOver> {
        self.ask(Ask::Snippet(name, input))
    }

    fn step_enter(&mut self, name: String) -> Result<(Op, StepRun), PassOver> {
        let ask = Ask::Step(name);
        let op = self.count(&ask)?;
        self.note(Event::Asked(ask));
        if let Steps::Recorded(answer) = &self.plan.steps {
            self.ready.push((op, answer.clone()));
            return Ok((op, StepRun::Skip));
        }
        Ok((op, StepRun::Run))
    }

    fn step_exit(&mut self, op: Op, outcome: StepOutcome) -> Result<(), PassOver> {
        let answered = self.outcome(op, &outcome);
        self.note(Event::Exited(op, outcome));
        answered
    }

    fn next(&mut self, settled: Settled) -> BoxFuture<'_, Result<Option<Completion>, PassOver>> {
        Box::pin(std::future::ready(self.following(settled)))
    }

    fn log(&mut self, level: Level, line: String) {
        self.note(Event::Said(level, line));
    }

    fn refuse(&mut self, subject: String, refusal: Refusal) -> PassOver {
        self.note(Event::Refused(subject, refusal));
        self.ended = true;
        PassOver
    }

    fn now(&self) -> u64 {
        self.looked.set(self.looked.get() + 1);
        START + self.looked.get() * 5
    }

    fn is_over(&self) -> bool {
        self.ended
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
