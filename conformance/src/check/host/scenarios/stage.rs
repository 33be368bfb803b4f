//! Where a scenario is played: it asks the host, remembers what was asked for findings, and reads what came back.

use serde_json::{Value, json};

use super::host::{Approval, ControlError, Decision, Host};
use super::seen::{Books, Outcome, Pending, json as parse, short};

/// What a scenario comes to; an `Err` ends it.
pub(super) type Play<T = ()> = Result<T, Trouble>;

/// Why a scenario ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The rule is broken; what happened instead.
    Broken(String),
    /// The host does not offer what the rule is about.
    Unsupported(String),
}

pub(super) fn broken(said: impl Into<String>) -> Trouble {
    Trouble::Broken(said.into())
}

/// That two things are the same.
pub(super) fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, wanted: &T) -> Play {
    if got == wanted {
        return Ok(());
    }
    Err(broken(format!("{what}: expected {}, got {}", short(&format!("{wanted:?}")), short(&format!("{got:?}")))))
}

/// A host, a rule, and what was asked for it.
pub(super) struct Stage<'a> {
    host: &'a mut dyn Host,
    rule: &'static str,
    pub(super) seed: u64,
    /// How many random programs are tried.
    pub(super) cases: u32,
    pub(super) tried: u64,
    asked: Vec<String>,
}

/// So many of the last asks are shown with a finding.
const SHOWN: usize = 6;

impl<'a> Stage<'a> {
    pub(super) fn new(host: &'a mut dyn Host, rule: &'static str, seed: u64, cases: u32) -> Self {
        Self { host, rule, seed, cases, tried: 0, asked: Vec::new() }
    }

    /// The steps that led here, for a finding.
    pub(super) fn steps(&self) -> String {
        let from = self.asked.len().saturating_sub(SHOWN);
        self.asked[from..].join("\n")
    }

    /// The steps themselves, for [`Stage::take_steps`].
    pub(super) fn steps_taken(&self) -> Vec<String> {
        self.asked.clone()
    }

    /// Takes other steps for those that led here.
    pub(super) fn take_steps(&mut self, steps: Vec<String>) {
        self.asked = steps;
    }

    /// Begins another case: what was asked before does not matter any more.
    pub(super) fn case(&mut self) {
        self.tried += 1;
        self.asked.clear();
    }

    pub(super) fn execute(&mut self, code: &str) -> Play<Outcome> {
        self.execute_with(code, None)
    }

    pub(super) fn execute_with(&mut self, code: &str, input: Option<&str>) -> Play<Outcome> {
        self.asked.push(format!("execute({}{})", short(code), input.map_or_else(String::new, |i| format!(", {i}"))));
        // The rule's name, for whoever looks at the executions of a checked host.
        let code = format!("{code} /* {} */", self.rule);
        self.execute_exactly(&code, input)
    }

    /// The same with exactly this text, which is too large to be shown, or not worth it.
    pub(super) fn execute_exactly(&mut self, code: &str, input: Option<&str>) -> Play<Outcome> {
        match self.host.execute(code, input) {
            Ok(text) => Outcome::read(&text),
            Err(error) => Err(broken(format!("execute gave {error} and no outcome"))),
        }
    }

    /// Approves calls as they were shown, and demands an outcome.
    pub(super) fn approve(&mut self, calls: &[Pending]) -> Play<Outcome> {
        let id = calls.first().map_or_else(String::new, |call| call.execution.clone());
        let picks: Vec<Approval> =
            calls.iter().map(|call| Approval { seq: call.seq, digest: call.digest.clone() }).collect();
        self.try_approve(&id, &picks)?.map_err(|error| broken(format!("approve gave {error} and no outcome")))
    }

    /// Approves, and gives the refusal as well.
    pub(super) fn try_approve(&mut self, id: &str, picks: &[Approval]) -> Play<Result<Outcome, ControlError>> {
        let seqs: Vec<u32> = picks.iter().map(|pick| pick.seq).collect();
        self.asked.push(format!("approve({id}, {seqs:?})"));
        match self.host.approve(id, picks, &by()) {
            Ok(text) => Ok(Ok(Outcome::read(&text)?)),
            Err(error) => Ok(Err(self.meant("approve", error)?)),
        }
    }

    /// Approves whatever waits until nothing does.
    pub(super) fn approve_all(&mut self, mut outcome: Outcome) -> Play<Outcome> {
        for _ in 0..100 {
            if outcome.status() != "paused" {
                return Ok(outcome);
            }
            outcome = self.approve(&outcome.paused()?)?;
        }
        Err(broken("still paused after a hundred approvals"))
    }

    pub(super) fn reject(&mut self, id: &str, seq: u32) -> Play<Result<bool, ControlError>> {
        self.asked.push(format!("reject({id}, {seq})"));
        match self.host.reject(id, seq, &by()) {
            Ok(rejected) => Ok(Ok(rejected)),
            Err(error) => Ok(Err(self.meant("reject", error)?)),
        }
    }

    /// What is pending; an execution that is not known has nothing.
    pub(super) fn pending(&mut self, id: Option<&str>) -> Play<Vec<Pending>> {
        self.asked.push(format!("pending({})", id.unwrap_or_default()));
        match self.host.pending(id) {
            Ok(text) => Pending::read(&text),
            Err(ControlError::NotFound(_)) if id.is_some() => Ok(Vec::new()),
            Err(error) => Err(broken(format!("pending gave {error}"))),
        }
    }

    /// The report of a rollback.
    pub(super) fn rollback(&mut self, id: &str) -> Play<Value> {
        self.try_rollback(id)?.map_err(|error| broken(format!("rollback gave {error} and no report")))
    }

    pub(super) fn try_rollback(&mut self, id: &str) -> Play<Result<Value, ControlError>> {
        self.asked.push(format!("rollback({id})"));
        match self.host.rollback(id) {
            Ok(text) => Ok(Ok(parse(&text, "the report")?)),
            Err(error) => Ok(Err(self.meant("rollback", error)?)),
        }
    }

    pub(super) fn restart(&mut self) -> Play {
        self.asked.push("restart".to_owned());
        self.host.restart().map_err(|unsupported| Trouble::Unsupported(unsupported.0))
    }

    /// What the ledger says of an execution, asked by another one.
    pub(super) fn books(&mut self, id: &str) -> Play<Books> {
        let code = format!("async () => ledger.look({}) /* {} */", json!({ "execution": id }), self.rule);
        Books::read(&self.execute_exactly(&code, None)?.completed()?)
    }

    /// The texts of the effects of an execution.
    pub(super) fn effects(&mut self, id: &str) -> Play<Vec<String>> {
        Ok(self.books(id)?.texts().into_iter().map(str::to_owned).collect())
    }

    /// Demands that an execution has had exactly these effects, by seq.
    pub(super) fn demand_effects(&mut self, id: &str, wanted: &[&str]) -> Play {
        let wanted: Vec<String> = wanted.iter().map(|text| (*text).to_owned()).collect();
        same("effects in the ledger", &self.effects(id)?, &wanted)
    }

    /// A refusal that is one; a host that fails says nothing of the rule, but it may not fail.
    fn meant(&self, operation: &str, error: ControlError) -> Play<ControlError> {
        match error {
            ControlError::Unavailable(said) => Err(broken(format!("{operation} gave unavailable ({said})"))),
            error => Ok(error),
        }
    }
}

/// Who decides in scenarios.
pub(super) fn by() -> Decision {
    Decision { actor: "anna".to_owned(), channel: "conformance".to_owned(), reason: None }
}
