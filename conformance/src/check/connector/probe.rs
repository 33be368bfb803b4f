//! How an effect is seen: in the connector's own state, or with a method that the user names, whose answer shows it.

use std::sync::OnceLock;

use codemode_runtime::ExecutionId;
use codemode_runtime::durable::journal::Effect;
use serde_json::Value;

use super::cabinet::{Cabinet, Contents};
use super::calling::Calling;
use super::subject::{At, Came};
use crate::check::generate::Shape;

/// A call whose answer shows what other calls did.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Probe {
    pub(super) method: String,
    pub(super) args: Option<Value>,
    /// The methods whose effect it shows; empty: all.
    pub(super) of: Vec<String>,
}

/// What is to be seen at one moment.
pub(super) struct Seen {
    /// Whose effects are looked for.
    method: String,
    state: Cabinet,
    contents: Contents,
    /// What each probe gave, in their order.
    answers: Answers,
}

/// Methods with what they gave.
type Answers = Vec<(String, Came)>;

/// So many read-only methods are asked where no probe is.
const MAX_READS: usize = 8;

impl Calling<'_> {
    /// What is to be seen of a method's effects.
    pub(super) fn seen(&self, state: &Cabinet, method: &str) -> Seen {
        let probes = self.probes().iter().filter(|probe| probe.of.is_empty() || probe.of.iter().any(|of| of == method));
        let answers = probes.map(|probe| self.ask(state, &probe.method, probe.args.as_ref())).collect();
        Seen { method: method.to_owned(), state: state.copy(), contents: state.contents(), answers }
    }

    /// What the connector's own reads give, with the members of those arguments that they take.
    fn reads(&self, state: &Cabinet, args: &Value) -> Answers {
        let readable = self.methods_that(|m| m.effect == Effect::ReadOnly).take(MAX_READS);
        readable
            .filter_map(|(method, shape)| {
                let own = self.several(method, shape, 1).into_iter().next()?;
                Some(self.ask(state, &method.name, Some(&borrowing(own, args, shape))))
            })
            .collect()
    }

    /// Whether the connector's own reads show what that method does, for one of a few arguments.
    fn is_readable(&self, method: &str) -> bool {
        if let Some(known) = self.readable.borrow().get(method) {
            return *known;
        }
        // These calls are none of the case at hand.
        let calls = self.subject.trace().take();
        let Some((found, shape)) = self.methods_that(|m| m.name == method).next() else { return false };
        let is_shown = self.several(found, shape, 8).iter().any(|args| {
            let (before, after) = (self.used(), self.used());
            self.call(&after, &self.subject.fresh(), method, args);
            telling(&self.reads(&before, args), &self.reads(&after, args))
        });
        drop(self.subject.trace().take());
        calls.into_iter().for_each(|call| self.subject.trace().note(|| call));
        self.readable.borrow_mut().insert(method.to_owned(), is_shown);
        is_shown
    }

    fn ask(&self, state: &Cabinet, method: &str, args: Option<&Value>) -> (String, Came) {
        static EXECUTION: OnceLock<ExecutionId> = OnceLock::new();
        let execution = EXECUTION.get_or_init(|| ExecutionId::from_text("exec_probe")).clone();
        let at = At { execution, seq: 0, attempt: 1 };
        (method.to_owned(), self.bench.wait(self.subject.try_call(&state.copy(), &at, method, args)).0)
    }

    /// Whether a second effect came to a first one: nothing, one call, and another one.
    pub(super) fn same_effect(
        &self,
        [before, once, twice]: [&Seen; 3],
        args: &Value,
        what: &str,
    ) -> Result<(), String> {
        match telling(&once.answers, &before.answers) || telling(&twice.answers, &before.answers) {
            true => equal(&once.answers, &twice.answers, what),
            false => self.judge([before, once, twice], (once, twice), args, what),
        }
    }

    /// Whether nothing is to be seen any more of the effect that was there in between.
    pub(super) fn restored(&self, [before, during, after]: [&Seen; 3], args: &Value, what: &str) -> Result<(), String> {
        match telling(&during.answers, &before.answers) {
            true => equal(&before.answers, &after.answers, what),
            false => self.judge([before, during, after], (before, after), args, what),
        }
    }

    /// Whether a call had an effect that is to be seen.
    pub(super) fn had_effect(&self, before: &Seen, after: &Seen, args: &Value) -> bool {
        telling(&after.answers, &before.answers)
            || telling(&self.reads(&after.state, args), &self.reads(&before.state, args))
    }

    /// Without a probe that saw the effect: the state has to be the same, or at least what the connector's own reads give,
    /// where these show what the method does. A count of changes that goes on is nobody's business.
    fn judge(
        &self,
        [before, during, _]: [&Seen; 3],
        (one, other): (&Seen, &Seen),
        args: &Value,
        what: &str,
    ) -> Result<(), String> {
        let Err(fault) = same(&one.contents, &other.contents, what) else { return Ok(()) };
        let [was, is] = [before, during].map(|seen| self.reads(&seen.state, args));
        if !telling(&is, &was) && !self.is_readable(&one.method) {
            return Err(fault);
        }
        equal(&self.reads(&one.state, args), &self.reads(&other.state, args), what)
    }
}

impl Seen {
    /// Whether there was no effect. Where there are probes, they decide alone.
    pub(super) fn unchanged(&self, before: &Self, what: &str) -> Result<(), String> {
        match self.answers.is_empty() {
            true => same(&before.contents, &self.contents, what),
            false => equal(&before.answers, &self.answers, what),
        }
    }
}

/// Whether any of them gives something else.
fn telling(now: &Answers, then: &Answers) -> bool {
    now.iter().zip(then).any(|(now, then)| now != then)
}

fn equal(before: &Answers, now: &Answers, what: &str) -> Result<(), String> {
    match before.iter().zip(now).find(|(before, now)| before != now) {
        None => Ok(()),
        Some(((name, before), (_, now))) => {
            Err(format!("{what} what `{name}` gives: before {}, now {}", before.told(), now.told()))
        }
    }
}

/// An argument with those members of another one that fit there.
fn borrowing(own: Value, args: &Value, shape: &Shape) -> Value {
    let (Value::Object(mut members), Value::Object(others)) = (own.clone(), args) else { return own };
    for (key, value) in others {
        let former = members.insert(key.clone(), value.clone());
        if !shape.fits(&Value::Object(members.clone())) {
            match former {
                Some(former) => drop(members.insert(key.clone(), former)),
                None => drop(members.shift_remove(key)),
            }
        }
    }
    Value::Object(members)
}

/// Whether two states are the same; if not, where they differ first.
pub(super) fn same(one: &Contents, other: &Contents, what: &str) -> Result<(), String> {
    let keys = one.keys().chain(other.keys());
    match keys.into_iter().find(|place| one.get(*place) != other.get(*place)) {
        None => Ok(()),
        Some((None, key)) => Err(format!("{what} state {key:?}")),
        Some((Some(_), key)) => Err(format!("{what} state {key:?} of the execution")),
    }
}
