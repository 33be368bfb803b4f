//! A pass against a record that nothing can be added to: nothing is performed, nothing is stored, no timer runs. The same
//! shell and the same machine as in a real pass; only what a real pass would begin ends this one.

use std::any::Any;
use std::sync::Arc;

use super::super::{Live, Setting, ending, request};
use super::Pass;
use crate::catalogue::Catalogue;
use crate::clock::SystemClock;
use crate::connector::BoxFuture;
use crate::durable::execution::{Execution, Status};
use crate::durable::failure::CodeError;
use crate::durable::finish::{PassEnd, finish};
use crate::durable::id::Op;
use crate::durable::journal::{Entry, STEP_CONNECTOR};
use crate::durable::json::cut;
use crate::durable::limits::Limits;
use crate::durable::replay::{Next, Settled, StepRun};
use crate::durable::snippet::delivered;
use crate::durable::value::Json;
use crate::durable::write::Write;
use crate::error::Error;
use crate::executor::{Completion, Dispatch, Executor, Level, PassOver, Refusal, StepOutcome};
use crate::normalize::Normalized;
use crate::schema::Validate;
use crate::store::memory::MemoryStore;

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Played {
    /// How often the code asked.
    pub(crate) asks: u32,
    /// Its console lines.
    pub(crate) logs: Vec<String>,
    pub(crate) end: PlayEnd,
}

/// How it came to its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PlayEnd {
    /// By itself; what the record of the execution would get. `asking`: in the middle of this ask.
    Ended { status: Status, result: Option<Json>, error: Option<CodeError>, asking: Option<Asking> },
    /// The code asks for something that is not recorded.
    Fresh(Asking),
    /// The code waits for the answer of this ask, which nobody can give here.
    Unanswered(Op),
    /// This answer is due, and the recorded pass did not deliver it.
    Undelivered(Op),
}

/// An ask in words, cut where it is long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asking {
    pub(crate) op: Op,
    pub(crate) words: String,
}

/// The longest argument in words, in characters.
const SHOWN: usize = 300;

/// How an ask is shown.
pub(crate) fn words(title: &str, args: Option<&str>) -> String {
    let title = cut(title, SHOWN);
    match args {
        Some(args) => format!("{title} {}", cut(args, SHOWN)),
        None => title.into_owned(),
    }
}

/// Runs the code once against the entries. Belongs on the executor's runtime.
pub(crate) async fn play(
    executor: Arc<dyn Executor>,
    limits: Limits,
    execution: &Execution,
    entries: Vec<Entry>,
    normalized: &Normalized,
) -> Result<Played, Error> {
    let setting = Arc::new(Setting {
        store: Arc::new(MemoryStore::new()),
        executor: executor.clone(),
        catalogue: Arc::new(Catalogue::new(Vec::new(), Validate::Nothing)),
        clock: Arc::new(SystemClock::default()),
        limits,
        late: Arc::default(),
    });
    let request = request(&setting, execution, normalized, execution.start.seed);
    let mut order: Vec<(u32, Op)> = entries.iter().filter_map(|e| Some((e.delivery?.place, e.op))).collect();
    order.sort_unstable();
    let offline = Offline {
        recorded: entries.len(),
        order: order.into_iter().map(|(_, op)| op).collect(),
        delivered: 0,
        left: None,
        asking: None,
        pass: Pass::new(setting.clone(), execution, entries, Arc::new(Live::default())),
    };
    let (ran, dispatch) = executor.run(request, Box::new(offline)).await;
    let Ok(offline) = dispatch.into_any().downcast::<Offline>() else {
        return Err(Error::Lost("the executor gave back another dispatch than it was given".to_owned()));
    };
    let Offline { mut pass, left, asking, .. } = *offline;
    let logs = pass.console.end(&setting.limits);
    let end = left.unwrap_or_else(|| {
        let (ended, _) = ending::ended(&mut pass, ran, &execution.start.code, normalized);
        let at = setting.clock.epoch_ms();
        let end = PassEnd { ended, timers_left: &[], logs: Vec::new(), at };
        let finish = finish(&pass.replay, execution, end, &[], &setting.limits);
        let moved = finish.writes.into_iter().find_map(|w| if let Write::Moved(m) = w { Some(*m) } else { None });
        let (result, error) = moved.map_or((None, finish.error), |m| (m.result, m.error));
        PlayEnd::Ended { status: finish.status, result, error, asking }
    });
    Ok(Played { asks: pass.replay.asked(), logs, end })
}

struct Offline {
    pass: Pass,
    /// Recorded entries.
    recorded: usize,
    /// Recorded deliveries, by place.
    order: Vec<Op>,
    /// Deliveries so far.
    delivered: usize,
    /// Why the record does not lead on.
    left: Option<PlayEnd>,
    /// The ask that ended the pass.
    asking: Option<Asking>,
}

impl Offline {
    fn leave(&mut self, end: PlayEnd) -> PassOver {
        self.left.get_or_insert(end);
        PassOver
    }

    fn ask<T>(&mut self, words: String, ask: impl FnOnce(&mut Pass) -> Result<T, PassOver>) -> Result<T, PassOver> {
        let op = Op(self.pass.replay.asked());
        let asked = ask(&mut self.pass);
        match asked {
            // The pass itself comes first: a limit on calls is a limit here too.
            Ok(_) if op.0 as usize >= self.recorded => Err(self.leave(PlayEnd::Fresh(Asking { op, words }))),
            Ok(asked) => Ok(asked),
            Err(over) => {
                self.asking.get_or_insert(Asking { op, words });
                Err(over)
            }
        }
    }

    fn next_recorded(&mut self, settled: Settled) -> Result<Option<Completion>, PassOver> {
        if self.is_over() {
            return Err(PassOver);
        }
        let next = self.pass.replay.next(settled, self.pass.setting.clock.epoch_ms());
        // Nothing is stored and nothing begun.
        drop(self.pass.replay.drain());
        match next {
            Next::Deliver { op, .. } if self.delivered >= self.order.len() => Err(self.leave(PlayEnd::Undelivered(op))),
            Next::Deliver { op, answer, now } => {
                self.delivered += 1;
                let answer = delivered(self.pass.replay.entries(), op, answer);
                Ok(Some(Completion { op, answer, now }))
            }
            Next::Wait => {
                let awaited = self.awaited();
                Err(self.leave(PlayEnd::Unanswered(awaited)))
            }
            Next::Finished => {
                self.pass.finished = true;
                Ok(None)
            }
            Next::End(end) => Err(self.pass.end(end)),
        }
    }

    /// What the code waits for: the next recorded delivery, else what would be performed first, else a timer.
    fn awaited(&self) -> Op {
        let replay = &self.pass.replay;
        let performing = || replay.performing().map(|e| e.op).next();
        let timer = || replay.entries().iter().map(|e| e.op).find(|op| replay.is_armed(*op));
        let recorded = self.order.get(self.delivered).copied();
        recorded.or_else(performing).or_else(timer).unwrap_or(Op(replay.asked()))
    }
}

impl Dispatch for Offline {
    fn submit(&mut self, connector: String, method: String, args: Option<String>) -> Result<Op, PassOver> {
        let words = words(&format!("{}.{}", cut(&connector, SHOWN), cut(&method, SHOWN)), args.as_deref());
        self.ask(words, |pass| pass.submit(connector, method, args))
    }

    fn fetch(&mut self, request: String) -> Result<Op, PassOver> {
        self.ask(words("fetch", Some(&request)), |pass| pass.fetch(request))
    }

    fn sleep(&mut self, ms: u64) -> Result<Op, PassOver> {
        self.ask(format!("a timer of {ms} ms"), |pass| pass.sleep(ms))
    }

    fn cancel(&mut self, op: Op) {
        self.pass.cancel(op);
    }

    fn search(&mut self, query: String) -> Result<Op, PassOver> {
        self.ask(words("codemode.search", Some(&query)), |pass| pass.search(query))
    }

    fn describe(&mut self, target: String) -> Result<Op, PassOver> {
        self.ask(words("codemode.describe", Some(&target)), |pass| pass.describe(target))
    }

    fn snippet(&mut self, name: String, input: Option<String>) -> Result<Op, PassOver> {
        self.ask(words(&format!("codemode.run({name:?})"), input.as_deref()), |pass| pass.snippet(name, input))
    }

    fn step_enter(&mut self, name: String) -> Result<(Op, StepRun), PassOver> {
        self.ask(words(&format!("{STEP_CONNECTOR}.{name}"), None), |pass| pass.step_enter(name))
    }

    fn step_exit(&mut self, op: Op, outcome: StepOutcome) -> Result<(), PassOver> {
        self.pass.step_exit(op, outcome)
    }

    fn next(&mut self, settled: Settled) -> BoxFuture<'_, Result<Option<Completion>, PassOver>> {
        Box::pin(std::future::ready(self.next_recorded(settled)))
    }

    fn log(&mut self, level: Level, line: String) {
        self.pass.log(level, line);
    }

    fn refuse(&mut self, subject: String, refusal: Refusal) -> PassOver {
        self.pass.refuse(subject, refusal)
    }

    fn now(&self) -> u64 {
        self.pass.now()
    }

    fn is_over(&self) -> bool {
        self.left.is_some() || self.pass.is_over()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
