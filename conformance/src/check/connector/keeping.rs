//! What calls leave behind: state, repeats, reverts, hooks.

use codemode_runtime::connector::{Flag, Method};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::journal::{Effect, Repeatable, ReplayPolicy};
use codemode_runtime::durable::write::Write;
use serde_json::Value;

use super::Calling;
use super::cabinet::Contents;
use super::subject::{At, Came, Hook};
use crate::check::generate::Shape;
use crate::check::trial::Trial;

impl Calling<'_> {
    pub(super) fn only_reads(&self, trial: &mut Trial) {
        let reads = |m: &Method| m.effect == Effect::ReadOnly || m.replay == ReplayPolicy::Reexecute;
        let cabinet = self.used();
        for (method, shape) in self.methods_that(reads) {
            trial.values(&method.name, shape.fitting(), |args| {
                let at = self.subject.fresh();
                let (_, writes) = self.bench.wait(self.subject.try_call(&cabinet, &at, &method.name, Some(args)));
                match writes.iter().find_map(|w| if let Write::State(w) = w { Some(&w.at.key) } else { None }) {
                    Some(key) => Err(format!("it is declared read-only, and wrote {key:?}")),
                    None => Ok(()),
                }
            });
        }
    }

    pub(super) fn reports(&self, trial: &mut Trial) {
        let cabinet = self.used();
        for (method, shape) in self.methods_that(|_| true) {
            let mut looks = 0;
            let mut judge = |args: &Value| {
                let sound = cabinet.copy();
                let at = self.subject.fresh();
                if !matches!(self.call(&sound, &at, &method.name, args), Came::Value(_)) {
                    return Ok(());
                }
                for look in 1..=sound.asked().min(8) {
                    looks += 1;
                    let faulty = cabinet.copy();
                    faulty.fail_at(look);
                    let came = self.call(&faulty, &at, &method.name, args);
                    if !matches!(came, Came::Failed(_)) {
                        return Err(format!("state operation {look} failed, and {}", came.told()));
                    }
                }
                Ok(())
            };
            let mut own = Trial::like(trial);
            own.values(&method.name, shape.fitting(), &mut judge);
            if looks > 0 {
                trial.take(own);
            }
        }
    }

    pub(super) fn recognises(&self, trial: &mut Trial) {
        let cabinet = self.used();
        for (method, shape) in self.methods_that(|m| m.repeatable != Repeatable::No) {
            trial.values(&method.name, shape.fitting(), |args| {
                let state = cabinet.copy();
                let at = self.subject.fresh();
                if !matches!(self.call(&state, &at, &method.name, args), Came::Value(_)) {
                    return Ok(());
                }
                let once = state.contents();
                let came = self.call(&state, &At { attempt: 2, ..at }, &method.name, args);
                if let Came::Stopped(_) = came {
                    return Err(format!("the second call with the same key {}", came.told()));
                }
                same(&once, &state.contents(), "the second call with the same key changed")
            });
        }
    }

    pub(super) fn undoes(&self, trial: &mut Trial) {
        self.each_revert(trial, |before, after, _| {
            same(before, after, "the revert left another state than before the call:")
        });
    }

    pub(super) fn undoes_once(&self, trial: &mut Trial) {
        self.each_revert(trial, |_, after, again| {
            again().and_then(|second| same(after, &second, "the second revert changed"))
        });
    }

    /// Calls and reverts; judges the state before the call, after the revert, and after another revert.
    fn each_revert(
        &self,
        trial: &mut Trial,
        mut judge: impl FnMut(&Contents, &Contents, &dyn Fn() -> Result<Contents, String>) -> Result<(), String>,
    ) {
        let cabinet = self.used();
        for (method, shape) in self.methods_that(|m| m.revertible == Flag::Yes) {
            trial.values(&method.name, shape.fitting(), |args| {
                let state = cabinet.copy();
                let before = state.contents();
                let at = self.subject.fresh();
                let Came::Value(result) = self.call(&state, &at, &method.name, args) else { return Ok(()) };
                let revert = || {
                    let done = self.subject.revert(&state, &at, &method.name, Some(args), result.as_deref());
                    self.bench.wait(done).map_err(|came| format!("revert: {}", came.told()))
                };
                revert()?;
                let after = state.contents();
                judge(&before, &after, &|| revert().map(|_| state.contents()))
            });
        }
    }

    pub(super) fn bears_hooks(&self, trial: &mut Trial) {
        let wanted = self.subject.description().hooks;
        let hooks = [(Hook::PassEnded, wanted.pass_ended), (Hook::ExecutionEnded, wanted.execution_ended)];
        let cabinet = self.used();
        for (hook, _) in hooks.into_iter().filter(|(_, wanted)| *wanted == Flag::Yes) {
            for status in [Status::Completed, Status::Error] {
                let (state, at) = (cabinet.copy(), self.subject.fresh());
                let tell = || self.bench.wait(self.subject.hook(&state, &at, hook, status)).map_err(|came| came.told());
                let judged = tell().and_then(|()| {
                    let once = state.contents();
                    tell().and_then(|()| same(&once, &state.contents(), "the second time it changed"))
                });
                trial.case(judged.map_err(|what| format!("{hook:?} for an execution that it never saw: {what}")));
            }
        }
    }

    fn methods_that(&self, wanted: impl Fn(&Method) -> bool) -> Vec<(&Method, Shape)> {
        self.answering().into_iter().filter(|(method, _)| wanted(method)).collect()
    }
}

/// Whether two states are the same; if not, where they differ first.
fn same(one: &Contents, other: &Contents, what: &str) -> Result<(), String> {
    let keys = one.keys().chain(other.keys());
    match keys.into_iter().find(|place| one.get(*place) != other.get(*place)) {
        None => Ok(()),
        Some((_, key)) => Err(format!("{what} {key:?}")),
    }
}
