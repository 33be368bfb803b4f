//! What undoing comes to: once, twice, without the result, in and out of order, and for calls that never happened. Each
//! finding names the step.

use codemode_runtime::connector::{Flag, Method, Reverted};
use serde_json::Value;

use super::cabinet::Cabinet;
use super::calling::Calling;
use super::subject::{At, Came, Known};
use crate::check::generate::Shape;
use crate::check::trial::{Trial, Why};

/// One call that is to be undone.
struct Done<'a> {
    at: &'a At,
    method: &'a str,
    args: &'a Value,
}

impl Calling<'_> {
    pub(super) fn undoes(&self, trial: &mut Trial) {
        self.each_done(trial, |state, done, result| {
            let [before, during] = [&state.0, &state.1].map(|state| self.seen(state, done.method));
            self.step(&state.1, done, Known::Returned(result), "step 2, revert")?;
            let after = self.seen(&state.1, done.method);
            let what = "step 2, revert: it left other than before the call:";
            self.restored([&before, &during, &after], done.args, what)
        });
    }

    pub(super) fn undoes_once(&self, trial: &mut Trial) {
        self.each_done(trial, |state, done, result| {
            let state = &state.1;
            // Another rule is about the first.
            if self.step(state, done, Known::Returned(result), "").is_err() {
                return Ok(());
            }
            let after = self.seen(state, done.method);
            self.step(state, done, Known::Returned(result), "step 3, second revert")?;
            self.seen(state, done.method).unchanged(&after, "step 3, second revert: it changed")
        });
    }

    pub(super) fn undoes_unknown(&self, trial: &mut Trial) {
        self.each_done(trial, |state, done, result| {
            let (known, unknown) = (&state.1.copy(), &state.1);
            if self.step(known, done, Known::Returned(result), "").is_err() {
                return Ok(());
            }
            drop(self.subject.trace().take());
            self.step(unknown, done, Known::Nothing, "step 2, revert with the result unknown")?;
            let what = "step 2, revert with the result unknown: it left other than a revert that knows the result:";
            super::probe::same(&known.contents(), &unknown.contents(), what)
        });
    }

    pub(super) fn undoes_in_order(&self, trial: &mut Trial) {
        for (method, shape) in self.revertible() {
            let others = self.several(&method, &shape, 8);
            self.done(trial, (&method, &shape), |state, done, result| {
                let other = others.iter().find(|other| *other != done.args).unwrap_or(done.args);
                self.two_undone(state, done, result, other)
            });
        }
    }

    /// Makes another call after the one that was made, and undoes both, in both orders.
    fn two_undone(
        &self,
        (before, state): &(Cabinet, Cabinet),
        done: &Done<'_>,
        result: Option<&str>,
        other: &Value,
    ) -> Result<(), String> {
        let seen = |state| self.seen(state, done.method);
        let first = (done, Known::Returned(result));
        // Where not even one call is undone, another rule tells.
        let alone = state.copy();
        if self.step(&alone, first.0, first.1, "").is_err()
            || self.restored([&seen(before), &seen(state), &seen(&alone)], done.args, "").is_err()
        {
            return Ok(());
        }
        self.subject.trace().forget(|call| !call.starts_with(done.method));
        let (none, one) = (seen(before), seen(state));
        let later = At { seq: done.at.seq + 9, ..done.at.clone() };
        let made = self.later[1].call(state, &later, done.method, Some(other));
        let Came::Value(given) = self.bench.wait(made) else { return Ok(()) };
        let both = seen(state);
        let second = (&Done { at: &later, args: other, ..*done }, Known::Returned(given.as_deref()));
        // Newest first, as a rollback does it.
        let newest = state.copy();
        self.step(&newest, second.0, second.1, "step 3, revert of the second call")?;
        let what = "step 3, revert of the second call: it left other than the first call did:";
        self.restored([&one, &both, &seen(&newest)], other, what)?;
        self.step(&newest, first.0, first.1, "step 4, revert of the first call")?;
        let what = "step 4, revert of the first call: it left other than before both calls:";
        self.restored([&none, &one, &seen(&newest)], done.args, what)?;
        // Out of order, as it happens between executions: what cannot be undone may be told as a conflict.
        let effects = [self.had_effect(&none, &one, done.args), self.had_effect(&one, &both, other)];
        for ((done, known), had_effect, step) in [
            (first, effects[0], "step 3 out of order, revert of the first call"),
            (second, effects[1], "step 4 out of order, revert of the second call"),
        ] {
            match self.revert(state, done, known) {
                Err(Came::Failed(failure)) if failure.code == "conflict" => {}
                Err(came) => return Err(format!("{step}: {}", came.told())),
                Ok(Reverted::NothingToRevert) if had_effect => {
                    return Err(format!("{step}: it says that there is nothing to revert, and the call had an effect"));
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }

    pub(super) fn undoes_nothing(&self, trial: &mut Trial) {
        for (method, shape) in self.revertible() {
            trial.values(&method.name, self.fitting(&method, &shape), |args| {
                let (state, at) = (self.used(), self.subject.fresh());
                let done = Done { at: &at, method: &method.name, args };
                let before = self.seen(&state, done.method);
                self.step(&state, &done, Known::Nothing, "step 1, revert of a call that never happened")?;
                let what = "step 1, revert of a call that never happened: it changed";
                self.seen(&state, done.method).unchanged(&before, what)
            });
        }
    }

    /// Makes calls of each revertible method that succeed, and judges what may be undone: the state before the call and
    /// after it, the call, and its result.
    fn each_done(
        &self,
        trial: &mut Trial,
        mut judge: impl FnMut(&(Cabinet, Cabinet), &Done<'_>, Option<&str>) -> Result<(), String>,
    ) {
        for (method, shape) in self.revertible() {
            self.done(trial, (&method, &shape), &mut judge);
        }
    }

    fn done(
        &self,
        trial: &mut Trial,
        (method, shape): (&Method, &Shape),
        mut judge: impl FnMut(&(Cabinet, Cabinet), &Done<'_>, Option<&str>) -> Result<(), String>,
    ) {
        let name = &method.name;
        trial.values(name, self.fitting(method, shape), |args| {
            if self.late_reverts.borrow().contains(name) {
                return Err(Why::NothingTried);
            }
            let (before, at) = (self.used(), At { seq: 1, ..self.subject.fresh() });
            let state = before.copy();
            // Not at the moment at which the state was made: what is drawn would be there already.
            match self.bench.wait(self.later[0].call(&state, &at, name, Some(args))) {
                Came::Value(result) => {
                    judge(&(before, state), &Done { at: &at, method: name, args }, result.as_deref())
                        .map_err(Why::Broken)
                }
                _ => Err(Why::NothingTried),
            }
        });
    }

    fn revertible(&self) -> Vec<(Method, Shape)> {
        let late = self.late_reverts.borrow();
        let revertible = self.methods_that(|m| m.revertible == Flag::Yes && !late.contains(&m.name));
        revertible.map(|(method, shape)| (method.clone(), shape.clone())).collect()
    }

    /// Undoes a call; a failure is told with the step.
    fn step(&self, state: &Cabinet, done: &Done<'_>, known: Known<'_>, step: &str) -> Result<(), String> {
        self.revert(state, done, known).map(drop).map_err(|came| format!("{step}: {}", came.told()))
    }

    fn revert(&self, state: &Cabinet, done: &Done<'_>, known: Known<'_>) -> Result<Reverted, Came> {
        let given = self.bench.wait(self.subject.revert(state, done.at, (done.method, done.args), known));
        if matches!(given, Err(Came::Late(_))) {
            self.late_reverts.borrow_mut().insert(done.method.to_owned());
        }
        given
    }
}
