//! Serves the executor's asks: checks and converts, hands them to the replay machine, appends what it wants written,
//! begins what it wants begun, and waits for arrivals.

use std::any::Any;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::Sleep;

use super::perform::{Arrived, Perform, Performance, commit, perform};
use super::{Live, Setting};
use crate::connector::BoxFuture;
use crate::durable::execution::Execution;
use crate::durable::failure::{CodeError, ErrorKind, Failure, code};
use crate::durable::id::{ExecutionId, Op, Token};
use crate::durable::journal::{Answer, Entry, Request, STEP_CONNECTOR};
use crate::durable::json::cut;
use crate::durable::limits::Breach;
use crate::durable::replay::{End, Keep, Next, Replay, Settled, Start, StepRun};
use crate::durable::value::{Json, ValueError, ValueLimits};
use crate::durable::write::Write;
use crate::executor::{Completion, Dispatch, Level, PassOver, Refusal, StepOutcome};
use crate::store::{Barrier, StoreError, Ticket};

/// A pass in progress.
pub(crate) struct Pass {
    pub(super) setting: Arc<Setting>,
    pub(super) id: ExecutionId,
    pub(super) token: Token,
    number: u32,
    pub(crate) replay: Replay,
    pub(super) performing: FuturesUnordered<Performance>,
    timers: FuturesUnordered<Performance>,
    /// When each armed timer fires, on the monotonic clock.
    fires_at: BTreeMap<Op, u64>,
    /// On the monotonic clock.
    ends_at: u64,
    deadline: Pin<Box<Sleep>>,
    logs: Vec<String>,
    unlogged: u64,
    over: Option<End>,
    live: Arc<Live>,
}

impl Pass {
    pub(super) fn new(setting: Arc<Setting>, execution: &Execution, entries: Vec<Entry>, live: Arc<Live>) -> Self {
        let limits = &setting.limits;
        let replay = Replay::new(entries, execution.pass, execution.start.created_at, limits.in_flight);
        Self {
            id: execution.id().clone(),
            token: execution.token,
            number: execution.pass,
            replay,
            performing: FuturesUnordered::new(),
            timers: FuturesUnordered::new(),
            fires_at: BTreeMap::new(),
            ends_at: setting.clock.monotonic_ms().saturating_add(limits.pass_ms),
            deadline: Box::pin(tokio::time::sleep(Duration::from_millis(limits.pass_ms))),
            logs: Vec::new(),
            unlogged: 0,
            over: None,
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

    /// Timers that are armed, with the milliseconds they have left.
    pub(super) fn timers_left(&self) -> Vec<(Op, u64)> {
        let now = self.setting.clock.monotonic_ms();
        let armed = self.fires_at.iter().filter(|(op, _)| self.replay.is_armed(**op));
        armed.map(|(op, at)| (*op, at.saturating_sub(now))).collect()
    }

    /// The console lines of this pass.
    pub(super) fn take_logs(&mut self) -> Vec<String> {
        if self.unlogged > 0 {
            let limit = self.setting.limits.log_lines;
            self.logs
                .push(format!("[codemode] {} more lines were dropped (limit `log lines`, {limit})", self.unlogged));
            self.unlogged = 0;
        }
        std::mem::take(&mut self.logs)
    }

    pub(super) fn value_limits(&self) -> ValueLimits {
        ValueLimits { units: u64::from(self.setting.limits.value_units), depth: self.setting.limits.depth }
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

    fn ask(&mut self, request: Request) -> Result<Op, PassOver> {
        let limits = &self.setting.limits;
        if request.is_numbered() && self.replay.calls() >= limits.calls {
            let limit = limits.calls;
            return Err(self.breach(Breach::Calls(limit)));
        }
        if self.replay.asked() >= limits.ops {
            let limit = limits.ops;
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
            Request::Search { .. } | Request::Describe { .. } | Request::Snippet { .. } => {
                Err(Failure::new(code::UNAVAILABLE, format!("{} is not available yet", request.title())))
            }
        }
    }

    /// Appends what the machine wants written and begins what it wants begun.
    fn flush(&mut self) -> Result<(), PassOver> {
        let (writes, starts) = self.replay.drain();
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
                    let Some(call) = self.call_of(op) else { continue };
                    self.performing.push(Box::pin(perform(self.setting.clone(), call, ticket.clone())));
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

    fn call_of(&self, op: Op) -> Option<Perform> {
        let entry = self.replay.entry(op)?;
        Perform::of(&self.id, self.token, self.number, entry, self.value_limits())
    }

    /// Takes an arrival in.
    fn arrive(&mut self, arrived: Arrived) -> Result<(), PassOver> {
        let at = self.setting.clock.epoch_ms();
        match arrived {
            Arrived::Timer { op } => {
                self.fires_at.remove(&op);
                self.replay.arrived(op, Ok(None), at, Keep::ToWrite);
            }
            Arrived::Answer { op, answer, state } if state.is_empty() => {
                self.replay.arrived(op, answer, at, Keep::ToWrite);
            }
            Arrived::Answer { op, answer, state } => self.commit_with_state(op, answer, state, at),
            Arrived::Committed { op, answer } => self.replay.arrived(op, answer, at, Keep::Written),
            Arrived::Conflict { op } => {
                if let Some(call) = self.call_of(op) {
                    let ready = Ticket::settled(Ok(())).boxed().shared();
                    self.performing.push(Box::pin(perform(self.setting.clone(), call.again(), ready)));
                }
            }
            Arrived::TooLarge { op, error } => {
                self.replay.unrecordable(op, at);
                return Err(self.fail(error));
            }
            Arrived::Store { error } => return Err(self.fail(storage(&error))),
        }
        Ok(())
    }

    /// An answer with connector state: both are committed before the code gets it.
    fn commit_with_state(&mut self, op: Op, answer: Answer, state: Vec<Write>, at: u64) {
        let Some(write) = self.replay.answer_write(op, &answer, at) else {
            return self.replay.arrived(op, answer, at, Keep::ToWrite);
        };
        // What the machine wants written comes first, so that the journal stays in order.
        let earlier = self.replay.drain_writes();
        let writes = commit::batch(op, earlier, write, state);
        let ticket = self.setting.store.append(&self.id, self.token, writes, Barrier::Now);
        self.live.change();
        self.performing.push(Box::pin(commit::wait(op, answer, ticket)));
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
        let possible: Vec<String> =
            self.replay.performing().filter(|e| e.terms.needs_barrier()).map(|e| e.request.title()).collect();
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
                Next::Deliver { op, answer, now } => return Ok(Some(Completion { op, answer, now })),
                Next::Wait => self.wait().await?,
                Next::Finished => return Ok(None),
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
        let limits = &self.setting.limits;
        if self.replay.calls() >= limits.calls {
            let limit = limits.calls;
            return Err(self.breach(Breach::Calls(limit)));
        }
        let at = self.setting.clock.epoch_ms();
        self.replay.step_enter(name, at).map_err(|error| self.fail(error))
    }

    fn step_exit(&mut self, op: Op, outcome: StepOutcome) -> Result<(), PassOver> {
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
                Err(Failure { details, name, ..Failure::new(&raw.code, cut(&raw.message, MESSAGE_UNITS)) })
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
        if self.logs.len() >= self.setting.limits.log_lines as usize {
            self.unlogged += 1;
            return;
        }
        let prefix = match level {
            Level::Log => "",
            Level::Info => "[info] ",
            Level::Warn => "[warn] ",
            Level::Error => "[error] ",
            Level::Debug => "[debug] ",
        };
        let line = cut(&line, self.setting.limits.log_line_units as usize);
        self.logs.push(format!("{prefix}{line}"));
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
        let limits = &self.setting.limits;
        let error = match refusal {
            Refusal::TooLarge if is_result => Breach::Outcome(limits.outcome_units).into_error(),
            Refusal::TooLarge => Breach::Value { subject, units: None, limit: limits.value_units }.into_error(),
            Refusal::TooDeep => CodeError::new(
                ErrorKind::Unrecordable,
                format!("{subject}: nested deeper than {} levels", limits.depth),
            )
            .with_hint("flatten the value"),
            Refusal::Cyclic(path) => {
                CodeError::new(ErrorKind::Unrecordable, format!("{subject}: {path} contains itself (a cycle)"))
                    .with_hint(ALLOWED)
            }
            Refusal::Unsupported(path, kind) => CodeError::new(
                ErrorKind::Unrecordable,
                format!("{subject}: {path} is {kind}, which cannot be recorded"),
            )
            .with_hint(ALLOWED),
        };
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

/// The longest message of a failure, in UTF-16 code units.
pub(super) const MESSAGE_UNITS: usize = 10_000;

/// How executors name the code's own result.
const RESULT: &str = "the result";

const ALLOWED: &str =
    "allowed are JSON values, byte data, big integers, dates, maps, sets, regular expressions and errors";

/// Why a value cannot be kept.
pub(super) fn unrecordable(error: &ValueError, subject: String) -> CodeError {
    match error {
        ValueError::TooLarge { units, limit } => {
            let limit = u32::try_from(*limit).unwrap_or(u32::MAX);
            Breach::Value { subject, units: Some(*units), limit }.into_error()
        }
        other => CodeError::new(ErrorKind::Unrecordable, format!("{subject}: {other}")).with_hint(ALLOWED),
    }
}

pub(super) fn storage(error: &StoreError) -> CodeError {
    CodeError::new(ErrorKind::Storage, format!("the journal could not be written: {error}"))
        .with_hint("nothing was performed that is not recorded; mend the storage and run the code again")
}
