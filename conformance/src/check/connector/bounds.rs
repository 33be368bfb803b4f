//! What calls take of the machine, and how much they give.

use codemode_runtime::Limits;
use codemode_runtime::connector::component::ComponentLimits;
use codemode_runtime::durable::value::ValueError;

use super::cabinet::Cabinet;
use super::calling::Calling;
use super::subject::Came;
use crate::check::trial::Trial;

/// How long a call with a small argument may compute, in milliseconds.
const MAX_CPU_MS: u64 = 200;

impl Calling<'_> {
    pub(super) fn computes_little(&self, trial: &mut Trial) {
        let mut limits = self.subject.limits();
        limits.cpu_ms = MAX_CPU_MS;
        self.stays_within(trial, limits, "connector cpu", &format!("{} ms of computing", limits.cpu_ms));
    }

    pub(super) fn needs_little(&self, trial: &mut Trial) {
        let mut limits = self.subject.limits();
        limits.memory_bytes /= 2;
        let words = format!("half of the memory, {} MiB", limits.memory_bytes >> 20);
        self.stays_within(trial, limits, "connector memory", &words);
    }

    /// Calls each method that answers with one small argument, within tighter limits.
    fn stays_within(&self, trial: &mut Trial, limits: ComponentLimits, limit: &str, words: &str) {
        let (used, tight) = (self.used(), self.subject.within(limits));
        for (method, shape) in self.answering() {
            let Some(args) = self.several(method, shape, 1).into_iter().next() else { continue };
            if trial.is_over() {
                return;
            }
            let call = |state: &Cabinet| self.bench.wait(tight.call(state, &tight.fresh(), &method.name, Some(&args)));
            let mut came = call(&used.copy());
            // On a busy machine one breach may be the machine's.
            for _ in 0..2 {
                if matches!(&came, Came::Stopped(reason) if reason.contains(limit)) {
                    came = call(&used.copy());
                }
            }
            let outcome = match &came {
                Came::Stopped(reason) if reason.contains(limit) => {
                    Err(format!("{}: {words} is not enough for a small argument: it {reason}", method.name))
                }
                _ => Ok(()),
            };
            trial.case_of(&method.name, &args.to_string(), outcome);
        }
    }

    pub(super) fn gives_little(&self, trial: &mut Trial) {
        let most = Limits::default().value_units;
        self.each_value(trial, |_, text| match self.subject.json(text) {
            Err(ValueError::TooLarge { units, .. }) => {
                Err(format!("it gave {units} characters of JSON (UTF-16 units), at most {most} can be kept"))
            }
            _ => Ok(()),
        });
    }
}
