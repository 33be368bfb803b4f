//! What calls and hooks do to state, and what state may do to them.

use codemode_runtime::connector::{Flag, Method};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::journal::{Effect, ReplayPolicy};
use codemode_runtime::durable::write::Write;
use codemode_runtime::host::{Ambient, Fixed};
use serde_json::Value;

use super::calling::Calling;
use super::probe::same;
use super::subject::{Came, Hook};
use crate::check::trial::{Trial, Why};

/// How long each operation of a slow state takes, as the connector's clock says: a minute.
const SLOW_MS: u64 = 60_000;

impl Calling<'_> {
    pub(super) fn only_reads(&self, trial: &mut Trial) {
        let reads = |m: &Method| m.effect == Effect::ReadOnly || m.replay == ReplayPolicy::Reexecute;
        let cabinet = self.used();
        for (method, shape) in self.methods_that(reads) {
            trial.values(&method.name, self.fitting(method, shape), |args| {
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
        for (method, shape) in self.answering() {
            let mut looks = 0;
            let mut judge = |args: &Value| {
                let sound = cabinet.copy();
                let at = self.subject.fresh();
                if !matches!(self.call(&sound, &at, &method.name, args), Came::Value(_)) {
                    return Err(Why::NothingTried);
                }
                for look in 1..=sound.asked().min(8) {
                    looks += 1;
                    let faulty = cabinet.copy();
                    faulty.fail_at(look);
                    let came = self.call(&faulty, &at, &method.name, args);
                    if !matches!(came, Came::Failed(_)) {
                        return Err(Why::Broken(format!("state operation {look} failed, and {}", came.told())));
                    }
                }
                Ok(())
            };
            let mut own = Trial::like(trial);
            own.values(&method.name, self.fitting(method, shape), &mut judge);
            if looks > 0 {
                trial.take(own);
            }
        }
    }

    pub(super) fn bears_slow_state(&self, trial: &mut Trial) {
        let cabinet = self.used();
        for (method, shape) in self.answering() {
            let mut looks = 0;
            let mut own = Trial::like(trial);
            own.values(&method.name, self.fitting(method, shape), |args| {
                let clock = Fixed::new(super::CLOCK_MS, 0);
                let (slow, subject) = (cabinet.copy(), self.subject.under(Ambient::Fixed(clock.clone())));
                slow.slow_down(&clock, SLOW_MS);
                let came = self.bench.wait(subject.call(&slow, &subject.fresh(), &method.name, Some(args)));
                looks += slow.asked();
                match came {
                    Came::Stopped(_) => {
                        Err(format!("each state operation took {} s, and {}", SLOW_MS / 1_000, came.told()))
                    }
                    _ => Ok(()),
                }
            });
            if looks > 0 {
                trial.take(own);
            }
        }
    }

    pub(super) fn bears_hooks(&self, trial: &mut Trial) {
        let wanted = self.subject.description().hooks;
        let ends = [Status::Completed, Status::Error, Status::Rejected, Status::RolledBack];
        let hooks = [
            (Hook::PassEnded, wanted.pass_ended, &[Status::Completed, Status::Error, Status::Paused][..]),
            (Hook::ExecutionEnded, wanted.execution_ended, &ends[..]),
        ];
        for (hook, _, statuses) in hooks.into_iter().filter(|(_, wanted, _)| *wanted == Flag::Yes) {
            for status in statuses {
                let told = if trial.is_over() { return } else { self.tell_twice(hook, *status) };
                // One that does not come back takes its time for each status.
                let is_late = matches!(&told, Err((Came::Late(_), _)));
                let said = |(_, what)| format!("{hook:?} ({status:?}) for an execution that it never saw: {what}");
                trial.case(told.map_err(said));
                if is_late {
                    break;
                }
            }
        }
    }

    /// Tells of the end of an execution that the connector never saw, and tells it again.
    fn tell_twice(&self, hook: Hook, status: Status) -> Result<(), (Came, String)> {
        let (state, at) = (self.used(), self.subject.fresh());
        let tell = |time: &str| {
            let told = self.bench.wait(self.subject.hook(&state, &at, hook, status));
            told.map_err(|came| {
                let what = format!("the {time} time {}", came.told());
                (came, what)
            })
        };
        tell("first")?;
        let once = state.contents();
        tell("second")?;
        same(&once, &state.contents(), "the second time it changed").map_err(|what| (Came::Value(None), what))
    }
}
