//! What a second attempt at a call comes to, under the key that the first had.

use codemode_runtime::durable::journal::{Reach, Repeatable};
use serde_json::Value;

use super::calling::Calling;
use super::subject::{At, Came};
use crate::check::trial::{Trial, Why};

impl Calling<'_> {
    pub(super) fn recognises(&self, trial: &mut Trial) {
        for (method, shape) in self.methods_that(|m| m.repeatable != Repeatable::No) {
            let name = &method.name;
            trial.values(name, self.fitting(method, shape), |args| {
                let state = self.used();
                let at = self.subject.fresh();
                let before = self.seen(&state, name);
                if !matches!(self.call(&state, &at, name, args), Came::Value(_)) {
                    return Err(Why::NothingTried);
                }
                let once = self.seen(&state, name);
                for (subject, (attempt, ordinal)) in self.later.iter().zip([(2, "second"), (3, "third")]) {
                    let again = At { attempt, ..at.clone() };
                    let came = self.bench.wait(subject.call(&state, &again, name, Some(args)));
                    if came.is_stopped() {
                        return Err(Why::Broken(format!("the {ordinal} call with the same key: {}", came.told())));
                    }
                    let what = format!("two effects for one key: the {ordinal} call with the same key changed");
                    let repeated = self.seen(&state, name);
                    self.same_effect([&before, &once, &repeated], args, &what).map_err(Why::Broken)?;
                }
                Ok(())
            });
        }
    }

    pub(super) fn tells_apart(&self, trial: &mut Trial) {
        for (method, shape) in self.methods_that(|m| m.repeatable == Repeatable::WithKey) {
            let others = self.several(method, shape, 16);
            let name = &method.name;
            let mut own = Trial::like(trial);
            let mut told = 0;
            own.values(name, self.fitting(method, shape), |args| {
                let Some(other) = others.iter().find(|other| *other != args) else { return Err(Why::NothingTried) };
                let at = self.subject.fresh();
                // The other argument has to be one that the method takes at all.
                let takes = |value: &Value| matches!(self.call(&self.used(), &at, name, value), Came::Value(_));
                if !takes(other) {
                    return Err(Why::NothingTried);
                }
                let state = self.used();
                let before = self.seen(&state, name);
                drop(self.subject.trace().take());
                if !matches!(self.call(&state, &at, name, args), Came::Value(_)) {
                    return Err(Why::NothingTried);
                }
                let calls = self.subject.trace().take();
                // Where no repeat is recognised at all, another rule tells.
                let (again, second) = (state.copy(), At { attempt: 2, ..at });
                self.call(&again, &second, name, args);
                let once = self.seen(&state, name);
                if self.same_effect([&before, &once, &self.seen(&again, name)], args, "").is_err() {
                    return Err(Why::NothingTried);
                }
                drop(self.subject.trace().take());
                calls.into_iter().for_each(|call| self.subject.trace().note(|| call));
                told += 1;
                match self.call(&state, &second, name, other) {
                    Came::Failed(_) => Ok(()),
                    came => {
                        let what = format!("same key, other arguments must be refused: with {other} {}", came.told());
                        Err(Why::Broken(what))
                    }
                }
            });
            if told > 0 {
                trial.take(own);
            }
        }
    }

    pub(super) fn starts_over(&self, trial: &mut Trial) {
        let is_alone = self.subject.reach() == Reach::StateOnly;
        for (method, shape) in self.methods_that(|m| is_alone || m.repeatable != Repeatable::No) {
            let mut own = Trial::like(trial);
            let mut dropped = 0;
            own.values(&method.name, self.fitting(method, shape), |args| {
                let (sound, at) = (self.used(), self.subject.fresh());
                let whole = self.call(&sound, &at, &method.name, args);
                if !matches!(whole, Came::Value(_)) {
                    return Err(Why::NothingTried);
                }
                for look in 1..=sound.asked().min(4) {
                    dropped += 1;
                    let state = self.used();
                    let before = state.contents();
                    drop(self.subject.trace().take());
                    self.bench.wait(self.subject.give_up(&state.copy(), &at, &method.name, args, look));
                    if state.contents() != before {
                        return Err(Why::Broken("a call that was given up changed the state".to_owned()));
                    }
                    let came = self.call(&state, &At { attempt: 2, ..at.clone() }, &method.name, args);
                    if !matches!(came, Came::Value(_)) {
                        return Err(Why::Broken(format!("the attempt after one that was given up: {}", came.told())));
                    }
                    let what = "the attempt after one that was given up leaves other than an undisturbed call:";
                    super::probe::same(&sound.contents(), &state.contents(), what)?;
                }
                Ok(())
            });
            if dropped > 0 {
                trial.take(own);
            }
        }
    }
}
