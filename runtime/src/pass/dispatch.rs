//! Serves the executor's asks: checks and converts, hands them to the replay machine, appends what it wants written,
//! begins what it wants begun, and waits for arrivals.

mod console;
pub(super) mod offline;

use std::any::Any;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::Sleep;

use self::console::Console;
use super::answer::{self, Asked, answer};
use super::perform::{Arrived, Gate, Perform, Performance, Ready, commit, perform};
use super::refusal::{self, MESSAGE_UNITS, RESULT, storage, unrecordable};
use super::{Live, Setting};
use crate::connector::BoxFuture;
use crate::durable::execution::Execution;
use crate::durable::failure::{CodeError, EffectState, ErrorKind, Failure, code};
use crate::durable::id::{ExecutionId, Op, Token};
use crate::durable::journal::{Answer, Entry, Request, STEP_CONNECTOR};
use crate::durable::json::{cut, utf16_len};
use crate::durable::limits::Breach;
use crate::durable::replay::{End, Keep, Next, Replay, Settled, Start, StepRun};
use crate::durable::snippet::{Sources, delivered};
use crate::durable::value::{Json, ValueLimits};
use crate::durable::write::Write;
use crate::executor::{Completion, Dispatch, Level, PassOver, Refusal, StepOutcome};
use crate::store::{Barrier, StateLock, Ticket};

/// A pass in progress.
pub(crate) struct Pass {
    pub(super) setting: Arc<Setting>,
    pub(super) id: ExecutionId,
    pub(super) token: Token,
    number: u32,
    /// The connectors that the code sees.
    connectors: Arc<[String]>,
    pub(crate) replay: Replay,
    sources: Sources,
    pub(super) performing: FuturesUnordered<Performance>,
    gate: Arc<Gate>,
    timers: FuturesUnordered<Performance>,
    /// When each armed timer fires, on the monotonic clock.
    fires_at: BTreeMap<Op, u64>,
    /// On the monotonic clock.
    ends_at: u64,
    deadline: Pin<Box<Sleep>>,
    pub(super) console: Console,
    over: Option<End>,
    /// The host said that nothing is outstanding.
    finished: bool,
    pub(super) live: Arc<Live>,
}

impl Pass {
    pub(super) fn new(setting: Arc<Setting>, execution: &Execution, entries: Vec<Entry>, live: Arc<Live>) -> Self {
        let limits = &setting.limits;
        let sources = Sources::of(&entries);
        let replay = Replay::new(entries, execution.pass, execution.start.created_at, limits.in_flight);
        Self {
            id: execution.id().clone(),
            token: execution.token,
            number: execution.pass,
            connectors: execution.start.namespaces.iter().map(|n| n.name.clone()).collect(),
            replay,
            sources,
            performing: FuturesUnordered::new(),
            gate: Arc::default(),
            timers: FuturesUnordered::new(),
            fires_at: BTreeMap::new(),
            ends_at: setting.clock.monotonic_ms().saturating_add(limits.pass_ms),
            deadline: Box::pin(tokio::time::sleep(Duration::from_millis(limits.pass_ms))),
            console: Console::default(),
            over: None,
            finished: false,
            live,
            setting,
        }
    }

    /// Why the host ended the pass, if it did.
    pub(super) fn take_over(&mut self) -> Option<End> {
        self.over.take()
    }

    /// Why the guest was stopped while it computed.
    pub(super) fn stopped(&mut self) -> Option<End> {
        if self.live.is_cancelled() {
            self.cancelled();
        } else {
            self.out_of_time();
        }
        self.take_over()
    }

    /// Nothing begins from here on; what did not begin is told apart from what may have happened.
    pub(super) fn close(&mut self) {
        self.gate.close();
        let ops: Vec<Op> = self.replay.performing().map(|e| e.op).collect();
        for op in ops.into_iter().filter(|op| !self.gate.has_begun(*op)) {
            self.replay.never_began(op);
        }
    }

    /// Timers that are armed, with the milliseconds they have left.
    pub(super) fn timers_left(&self) -> Vec<(Op, u64)> {
        let now = self.setting.clock.monotonic_ms();
        let armed = self.fires_at.iter().filter(|(op, _)| self.replay.is_armed(**op));
        armed.map(|(op, at)| (*op, at.saturating_sub(now))).collect()
    }

    pub(super) fn value_limits(&self) -> ValueLimits {
        self.setting.limits.of_values()
    }

    fn end(&mut self, end: End) -> PassOver {
        self.over.get_or_insert(end);
        PassOver
    }

    fn fail(&mut self, error: CodeError) -> PassOver {
        self.end(End::Failed(error))
    }

    fn breach(&mut self, breach: Breach) -> PassOver {
        self.fail(breach.into_error())
    }

    /// A value that the code handed over; a refused one ends the pass.
    fn value(&mut self, text: &str, subject: impl FnOnce() -> String) -> Result<Json, PassOver> {
        Json::from_tagged(text, &self.value_limits()).map_err(|error| {
            let error = unrecordable(&error, subject());
            self.fail(error)
        })
    }

    /// Nothing can be asked for after the end, when nobody would answer; and names are journaled like values.
    fn may_ask(&mut self, title: &str, names: [&str; 2]) -> Result<(), PassOver> {
        if self.finished {
            let message = format!("{} was asked for after the code had ended", cut(title, 200));
            return Err(self.fail(CodeError::new(ErrorKind::Sandbox, message)));
        }
        let limit = self.setting.limits.value_units;
        for name in names {
            let units = utf16_len(name);
            if units > u64::from(limit) {
                let subject = format!("the name {}", cut(name, 200));
                return Err(self.breach(Breach::Value { subject, units: Some(units), limit }));
            }
        }
        Ok(())
    }

    /// Whether one more call or step fits.
    fn may_number(&mut self) -> Result<(), PassOver> {
        let limit = self.setting.limits.calls;
        if self.replay.calls() >= limit {
            return Err(self.breach(Breach::Calls(limit)));
        }
        Ok(())
    }

    fn ask(&mut self, request: Request) -> Result<Op, PassOver> {
        let (connector, method) = request.path();
        self.may_ask(method, [connector, method])?;
        if request.is_numbered() {
            self.may_number()?;
        }
        let limit = self.setting.limits.ops;
        if self.replay.asked() >= limit {
            return Err(self.breach(Breach::Ops(limit)));
        }
        let terms = if self.replay.is_next_fresh() { self.terms(&request) } else { Ok(Default::default()) };
        let at = self.setting.clock.epoch_ms();
        self.replay.ask(request, terms, at).map_err(|error| self.fail(error))
    }

    fn terms(&self, request: &Request) -> Result<crate::durable::journal::Terms, Failure> {
        match request {
            Request::Call { .. } => self.setting.catalogue.terms(request),
            Request::Sleep { .. } | Request::Step { .. } => Ok(Default::default()),
            Request::Fetch { .. } => Err(Failure::new(code::DENIED, "fetch is not granted to the sandbox")),
            Request::Search { .. } | Request::Describe { .. } | Request::Snippet { .. } => Ok(answer::terms()),
        }
    }

    /// Appends what the machine wants written and what was printed, and begins what the machine wants begun.
    fn flush(&mut self) -> Result<(), PassOver> {
        let (mut writes, starts) = self.replay.drain();
        writes.extend(self.console.news());
        let effectful = |start: &Start| match start {
            Start::Perform(op) => self.replay.entry(*op).is_some_and(|e| e.terms.needs_barrier()),
            Start::Timer(..) => false,
        };
        let barrier = if starts.iter().any(effectful) { Barrier::Now } else { Barrier::Later };
        if writes.is_empty() && starts.is_empty() {
            return Ok(());
        }
        let ticket = if writes.is_empty() && barrier == Barrier::Later {
            Ticket::settled(Ok(()))
        } else {
            self.setting.store.append(&self.id, self.token, writes, barrier)
        };
        self.live.change();
        let ticket = ticket.boxed().shared();
        for start in starts {
            match start {
                Start::Perform(op) => {
                    self.performing.extend(self.performance(op, ticket.clone()));
                }
                Start::Timer(op, ms) => self.arm(op, ms)?,
            }
        }
        Ok(())
    }

    fn arm(&mut self, op: Op, ms: u64) -> Result<(), PassOver> {
        let now = self.setting.clock.monotonic_ms();
        let left_ms = self.ends_at.saturating_sub(now);
        if ms > left_ms {
            return Err(self.breach(Breach::TimerTime { ms, left_ms, limit_ms: self.setting.limits.pass_ms }));
        }
        self.fires_at.insert(op, now + ms);
        self.timers.push(Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Arrived::Timer { op }
        }));
        Ok(())
    }

    fn performance(&self, op: Op, ready: Ready) -> Option<Performance> {
        let (entry, limits) = (self.replay.entry(op)?, self.value_limits());
        if let Some(asked) = Asked::of(entry, &self.connectors, limits) {
            return Some(Box::pin(answer(self.setting.clone(), asked, ready)));
        }
        let call = Perform::of(&self.id, self.number, entry, limits)?;
        Some(Box::pin(perform(self.setting.clone(), call, ready, self.gate.clone())))
    }

    /// Takes an arrival in.
    fn arrive(&mut self, arrived: Arrived) -> Result<(), PassOver> {
        let at = self.setting.clock.epoch_ms();
        match arrived {
            Arrived::Timer { op } => {
                self.fires_at.remove(&op);
                self.replay.arrived(op, Ok(None), at, Keep::ToWrite);
            }
            Arrived::Answer { op, answer, state, .. } if state.is_empty() => {
                let answer = self.sources.kept(self.replay.entries(), op, answer);
                self.replay.arrived(op, answer, at, Keep::ToWrite);
            }
            Arrived::Answer { op, answer, state, turn } => self.commit_with_state(op, answer, (state, turn), at),
            Arrived::Committed { op, answer } => self.replay.arrived(op, answer, at, Keep::Written),
            Arrived::Conflict { op } => self.conflicted(op, at),
            Arrived::TooLarge { op, error } => {
                self.replay.unrecordable(op, at);
                return Err(self.fail(error));
            }
            Arrived::NotBegun => {}
            Arrived::Store { error } => return Err(self.fail(storage(&error))),
        }
        Ok(())
    }

    /// An answer with connector state: both are committed before the code gets it.
    fn commit_with_state(&mut self, op: Op, answer: Answer, (state, turn): (Vec<Write>, Option<StateLock>), at: u64) {
        let Some(write) = self.replay.answer_write(op, &answer, at) else {
            return self.replay.arrived(op, answer, at, Keep::ToWrite);
        };
        // What the machine wants written comes first, so that the journal stays in order; in a batch of its own, because
        // the one with state may be refused as a whole.
        let earlier = self.replay.drain_writes();
        if !earlier.is_empty() {
            drop(self.setting.store.append(&self.id, self.token, earlier, Barrier::Later));
        }
        let writes = commit::batch(op, write, state);
        let ticket = self.setting.store.append(&self.id, self.token, writes, Barrier::Now);
        self.live.change();
        self.performing.push(Box::pin(commit::wait(op, answer, ticket, turn)));
    }

    /// Another call changed the state that this one had read, so nothing of it is kept. It is performed again where that
    /// does nothing twice; otherwise the code is told.
    fn conflicted(&mut self, op: Op, at: u64) {
        if self.replay.perform_again(op) {
            let ready = Ticket::settled(Ok(())).boxed().shared();
            self.performing.extend(self.performance(op, ready));
            return;
        }
        let title = self.replay.entry(op).map_or_else(String::new, |e| e.request.title());
        let message = format!(
            "{title} was performed, but its connector's state changed meanwhile: what it wrote to its state is lost"
        );
        let failure = Failure::new(code::INTERNAL, message).with_effect(EffectState::Happened);
        self.replay.arrived(op, Err(failure), at, Keep::ToWrite);
    }

    async fn wait(&mut self) -> Result<(), PassOver> {
        let live = self.live.clone();
        let arrived = tokio::select! {
            biased;
            Some(arrived) = self.performing.next(), if !self.performing.is_empty() => arrived,
            Some(arrived) = self.timers.next(), if !self.timers.is_empty() => arrived,
            () = live.cancellation() => return Err(self.cancelled()),
            () = self.deadline.as_mut() => return Err(self.out_of_time()),
        };
        self.arrive(arrived)
    }

    fn cancelled(&mut self) -> PassOver {
        self.fail(CodeError::new(ErrorKind::Cancelled, "the execution was cancelled while it ran"))
    }

    fn out_of_time(&mut self) -> PassOver {
        let possible = |e: &&Entry| e.terms.needs_barrier() && self.gate.has_begun(e.op);
        let possible: Vec<String> = self.replay.performing().filter(possible).map(|e| e.request.title()).collect();
        let mut error = Breach::PassTime(self.setting.limits.pass_ms).into_error();
        if !possible.is_empty() {
            error.message = format!("{}; {} may have taken effect", error.message, possible.join(", "));
        }
        self.fail(error)
    }

    async fn next_completion(&mut self, settled: Settled) -> Result<Option<Completion>, PassOver> {
        loop {
            if self.over.is_some() {
                return Err(PassOver);
            }
            if self.live.is_cancelled() {
                return Err(self.cancelled());
            }
            if self.setting.clock.monotonic_ms() >= self.ends_at {
                return Err(self.out_of_time());
            }
            let next = self.replay.next(settled, self.setting.clock.epoch_ms());
            self.flush()?;
            match next {
                Next::Deliver { op, answer, now } => {
                    let answer = delivered(self.replay.entries(), op, answer);
                    return Ok(Some(Completion { op, answer, now }));
                }
                Next::Wait => self.wait().await?,
                Next::Finished => {
                    self.finished = true;
                    return Ok(None);
                }
                Next::End(end) => return Err(self.end(end)),
            }
        }
    }
}

impl Dispatch for Pass {
    fn submit(&mut self, connector: String, method: String, args: Option<String>) -> Result<Op, PassOver> {
        let args = match args {
            Some(text) => Some(self.value(&text, || format!("arguments to {connector}.{method}"))?),
            None => None,
        };
        self.ask(Request::Call { connector, method, args })
    }

    fn fetch(&mut self, request: String) -> Result<Op, PassOver> {
        let request = self.value(&request, || "the request to fetch".to_owned())?;
        self.ask(Request::Fetch { request })
    }

    fn sleep(&mut self, ms: u64) -> Result<Op, PassOver> {
        self.ask(Request::Sleep { ms })
    }

    fn cancel(&mut self, op: Op) {
        self.replay.cancel(op);
        self.fires_at.remove(&op);
    }

    fn search(&mut self, query: String) -> Result<Op, PassOver> {
        let query = self.value(&query, || "the query of codemode.search".to_owned())?;
        self.ask(Request::Search { query })
    }

    fn describe(&mut self, target: String) -> Result<Op, PassOver> {
        let target = self.value(&target, || "the target of codemode.describe".to_owned())?;
        self.ask(Request::Describe { target })
    }

    fn snippet(&mut self, name: String, input: Option<String>) -> Result<Op, PassOver> {
        let input = match input {
            Some(text) => Some(self.value(&text, || format!("the input of snippet {name:?}"))?),
            None => None,
        };
        self.ask(Request::Snippet { name, input })
    }

    fn step_enter(&mut self, name: String) -> Result<(Op, StepRun), PassOver> {
        self.may_ask(&name, [STEP_CONNECTOR, &name])?;
        self.may_number()?;
        let at = self.setting.clock.epoch_ms();
        self.replay.step_enter(name, at).map_err(|error| self.fail(error))
    }

    fn step_exit(&mut self, op: Op, outcome: StepOutcome) -> Result<(), PassOver> {
        // The closure of a recorded step ran again: its recorded outcome stands, whatever it came to this time.
        if !self.replay.is_stepping(op) {
            return Ok(());
        }
        let at = self.setting.clock.epoch_ms();
        let subject = || {
            let name = self.replay.entry(op).map(|e| e.request.title());
            format!("result of {}", name.unwrap_or_else(|| "a step".to_owned()))
        };
        let limits = self.value_limits();
        let checked = match outcome.result {
            Ok(None) => Ok(Ok(None)),
            Ok(Some(text)) => Json::from_tagged(&text, &limits).map(|v| Ok(Some(v))),
            Err(raw) => raw.details.as_deref().map(|d| Json::from_tagged(d, &limits)).transpose().map(|details| {
                let name = raw.name.as_deref().map(|n| cut(n, 128).into_owned());
                Err(Failure { details, name, ..Failure::new(&cut(&raw.code, 128), cut(&raw.message, MESSAGE_UNITS)) })
            }),
        };
        match checked {
            Ok(answer) => self.replay.step_exit(op, answer, outcome.rerun, at),
            Err(error) => {
                let error = unrecordable(&error, subject());
                self.replay.unrecordable(op, at);
                return Err(self.fail(error));
            }
        }
        Ok(())
    }

    fn next(&mut self, settled: Settled) -> BoxFuture<'_, Result<Option<Completion>, PassOver>> {
        Box::pin(self.next_completion(settled))
    }

    fn log(&mut self, level: Level, line: String) {
        self.console.log(level, &line, &self.setting.limits);
    }

    fn refuse(&mut self, subject: String, refusal: Refusal) -> PassOver {
        let is_result = subject == RESULT;
        let step = subject.strip_prefix("result of step \"").and_then(|name| name.strip_suffix('"'));
        if let Some(op) = step.and_then(|name| self.replay.running_step(name)) {
            self.replay.unrecordable(op, self.setting.clock.epoch_ms());
        }
        let subject = match step {
            Some(name) => format!("result of {STEP_CONNECTOR}.{name}"),
            None if is_result => "the final result".to_owned(),
            None => subject,
        };
        let error = refusal::error(subject, is_result, refusal, &self.setting.limits);
        self.fail(error)
    }

    fn now(&self) -> u64 {
        self.setting.clock.epoch_ms()
    }

    fn is_over(&self) -> bool {
        self.over.is_some() || self.live.is_cancelled() || self.setting.clock.monotonic_ms() >= self.ends_at
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
