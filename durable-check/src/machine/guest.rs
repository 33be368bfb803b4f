//! The code's side of a pass: asks what the program says, and hears what is delivered.

use super::program::{Act, Kind, Program, Settles, call};
use crate::durable::failure::{CodeError, Failure};
use crate::durable::id::Op;
use crate::durable::journal::{Answer, Request, Rerun, Terms};
use crate::durable::replay::{Replay, Settled, StepRun};
use crate::durable::value::Json;

/// Where a chain stands.
struct Chain {
    acts: Vec<Act>,
    /// What it waits for.
    op: Option<Op>,
    /// The step that is to end with the answer to `op`.
    step: Option<Op>,
    heard: Vec<String>,
}

pub(super) struct Guest {
    chains: Vec<Chain>,
    settles: Settles,
}

/// An answer in one word.
pub(super) fn word(answer: &Answer) -> String {
    match answer {
        Ok(None) => "nothing".to_owned(),
        Ok(Some(json)) => json.as_str().trim_matches('"').to_owned(),
        Err(failure) => format!("failed {}", failure.message),
    }
}

impl Guest {
    pub(super) fn of(program: &Program) -> Self {
        let chain = |acts: &Vec<Act>| Chain {
            acts: acts.iter().rev().copied().collect(),
            op: None,
            step: None,
            heard: Vec::new(),
        };
        Self { chains: program.chains.iter().map(chain).collect(), settles: program.settles }
    }

    /// Runs up to the first `next`.
    pub(super) fn begin(&mut self, replay: &mut Replay, at: u64) -> Result<(), CodeError> {
        self.chains.iter_mut().try_for_each(|chain| chain.goes_on(replay, at))
    }

    /// Hears an answer, and runs up to the next `next`.
    pub(super) fn hear(&mut self, op: Op, answer: &Answer, replay: &mut Replay, at: u64) -> Result<(), CodeError> {
        let chain = self.chains.iter_mut().find(|c| c.op == Some(op)).expect("somebody waits for it");
        chain.heard.push(word(answer));
        chain.op = None;
        match chain.step.take() {
            Some(step) => {
                replay.step_exit(step, answer.clone(), Rerun::Yes, at);
                chain.op = Some(step);
                Ok(())
            }
            None => chain.goes_on(replay, at),
        }
    }

    pub(super) fn settled(&self) -> Settled {
        let mut over = self.chains.iter().map(|c| c.acts.is_empty() && c.op.is_none());
        let settled = match self.settles {
            Settles::Last => over.all(|o| o),
            Settles::First => over.any(|o| o),
        };
        if settled { Settled::Yes } else { Settled::No }
    }

    pub(super) fn heard(&self) -> Vec<Vec<String>> {
        self.chains.iter().map(|c| c.heard.clone()).collect()
    }
}

impl Chain {
    fn goes_on(&mut self, replay: &mut Replay, at: u64) -> Result<(), CodeError> {
        while self.op.is_none() {
            let Some(act) = self.acts.pop() else { return Ok(()) };
            match act {
                Act::Call(id, kind) => self.op = Some(asked(replay, id, kind, at)?),
                Act::Search(id) => {
                    let query = Json::string(&id.to_string());
                    self.op = Some(replay.ask(Request::Search { query }, Ok(Terms::default()), at)?);
                }
                Act::Sleep(id) => {
                    self.op = Some(replay.ask(Request::Sleep { ms: u64::from(id) }, Ok(Terms::default()), at)?);
                }
                Act::Cancelled(id) => {
                    let op = replay.ask(Request::Sleep { ms: u64::from(id) }, Ok(Terms::default()), at)?;
                    replay.cancel(op);
                }
                Act::Step(id) => {
                    let (op, run) = replay.step_enter(format!("s{id}"), at)?;
                    if run == StepRun::Run {
                        replay.step_exit(op, Ok(Some(Json::string(&format!("step {id}")))), Rerun::No, at);
                    }
                    self.op = Some(op);
                }
                Act::Asking(id, kind) => {
                    let (op, run) = replay.step_enter(format!("s{id}"), at)?;
                    assert_eq!(run, StepRun::Run, "what asked for something runs again");
                    self.step = Some(op);
                    self.op = Some(asked(replay, id, kind, at)?);
                }
            }
        }
        Ok(())
    }
}

fn asked(replay: &mut Replay, id: u32, kind: Kind, at: u64) -> Result<Op, CodeError> {
    let terms = if kind == Kind::Missing { Err(Failure::new("unknown-method", "missing")) } else { Ok(kind.terms()) };
    replay.ask(call(id, kind), terms, at)
}
