//! What calls come to: values, failures, and nothing worse.

use codemode_runtime::connector::Method;
use codemode_runtime::durable::journal::{Effect, ReplayPolicy};
use codemode_runtime::durable::value::ValueError;
use serde_json::{Value, json};

use super::cabinet::Cabinet;
use super::calling::Calling;
use super::subject::{At, Came, Subject};
use crate::check::generate::Shape;
use crate::check::trial::{Trial, Why, short};

impl Calling<'_> {
    pub(super) fn takes(&self, trial: &mut Trial) {
        let cabinet = self.used();
        for (method, shape) in self.methods() {
            match self.stopped(&method.name) {
                // To try it again takes as long each time.
                Some(stopped) if matches!(stopped.came, Came::Late(_)) => {
                    let what = format!("{}: {}", stopped.method, stopped.came.told());
                    trial.case_of(&stopped.method, &stopped.args.to_string(), Err(what));
                }
                _ => trial.values(&method.name, self.fitting(method, shape), |args| {
                    not_stopped(&self.call(&cabinet, &self.subject.fresh(), &method.name, args))
                }),
            }
        }
    }

    pub(super) fn gives_json(&self, trial: &mut Trial) {
        self.each_value(trial, |_, text| match self.subject.json(text) {
            // Another rule is about that.
            Ok(_) | Err(ValueError::TooLarge { .. }) => Ok(()),
            Err(error) => {
                Err(format!("it gave {}, which cannot be kept: {}", short(text), short(&error.about("the value"))))
            }
        });
    }

    pub(super) fn gives_plain_json(&self, trial: &mut Trial) {
        self.each_value(trial, |_, text| match (self.subject.json(text), serde_json::from_str::<Value>(text)) {
            (Ok(_), Err(error)) => Err(format!("it gave {}, which this reader refuses: {error}", short(text))),
            _ => Ok(()),
        });
    }

    pub(super) fn fits(&self, trial: &mut Trial) {
        let schemas: Vec<(String, Shape)> = self
            .subject
            .description()
            .methods
            .iter()
            .filter_map(|m| Some((m.name.clone(), Shape::read(Some(m.output_schema.as_deref()?)).ok()?)))
            .collect();
        if schemas.is_empty() {
            return;
        }
        self.each_value(trial, |name, text| {
            let Some((_, shape)) = schemas.iter().find(|(of, _)| of == name) else { return Ok(()) };
            let Ok(value) = serde_json::from_str::<Value>(text) else { return Ok(()) };
            match shape.misfits(&value) {
                fits if fits.is_empty() => Ok(()),
                reason => Err(format!("it gave {}, which does not fit its output schema: {reason}", short(text))),
            }
        });
    }

    /// Judges each value that a call with fitting arguments gives.
    pub(super) fn each_value(&self, trial: &mut Trial, mut judge: impl FnMut(&str, &str) -> Result<(), String>) {
        let cabinet = self.used();
        for (method, shape) in self.answering() {
            trial.values(&method.name, self.fitting(method, shape), |args| {
                match self.call(&cabinet, &self.subject.fresh(), &method.name, args) {
                    Came::Value(Some(text)) => judge(&method.name, &text).map_err(Why::Broken),
                    _ => Err(Why::NothingTried),
                }
            });
        }
    }

    pub(super) fn unknown(&self, trial: &mut Trial) {
        let mut name = "no_such_method".to_owned();
        while self.subject.description().methods.iter().any(|m| m.name == name) {
            name.push('_');
        }
        for args in [None, Some(json!({}))] {
            let came =
                self.bench.wait(self.subject.call(&Cabinet::default(), &self.subject.fresh(), &name, args.as_ref()));
            trial.case(match came {
                Came::Failed(failure) if failure.code == "unknown-method" => Ok(()),
                other => Err(format!("`{name}` is not declared, and {}", other.told())),
            });
        }
    }

    pub(super) fn refuses(&self, trial: &mut Trial) {
        let cabinet = self.used();
        for (method, shape) in self.answering() {
            let Some(values) = shape.unfitting() else { continue };
            trial.values(&method.name, values, |args| {
                not_stopped(&self.call(&cabinet, &self.subject.fresh(), &method.name, args))
            });
        }
    }

    pub(super) fn bears(&self, trial: &mut Trial) {
        let cabinet = self.used();
        let long = "x".repeat(900_000);
        for (method, shape) in self.answering() {
            let Some(small) = self.several(method, shape, 1).into_iter().next() else { continue };
            if trial.is_over() || self.call(&cabinet, &self.subject.fresh(), &method.name, &small).is_stopped() {
                continue;
            }
            let args = enlarged(small, &long);
            let came = self.call(&cabinet, &self.subject.fresh(), &method.name, &args);
            let said = |what| format!("{}: with 900,000 characters {what}", method.name);
            trial.case_of(&method.name, "", not_stopped(&came).map_err(said));
        }
    }

    pub(super) fn forgets(&self, trial: &mut Trial) {
        let cabinet = self.used();
        for (method, shape) in self.answering() {
            trial.values(&method.name, self.fitting(method, shape), |args| {
                // No call sees what the others wrote, neither here nor there.
                let at: Vec<_> = (0..3).map(|_| self.subject.fresh()).collect();
                let alone = |subject: &Subject, at: &At| {
                    self.bench.wait(subject.try_call(&cabinet, at, &method.name, Some(args))).0
                };
                let each: Vec<Came> = at.iter().map(|at| alone(self.subject, at)).collect();
                if each.iter().any(Came::is_stopped) {
                    return Ok(());
                }
                let together = self.bench.wait(self.subject.calls_in_one(&cabinet, &at, &method.name, args));
                let Some(number) = each.iter().zip(&together).position(|(a, b)| a != b) else { return Ok(()) };
                // In one instance the clock goes on, and so do random numbers; what depends on them differs rightly.
                if [self.subject, &self.later[0]].iter().any(|subject| alone(subject, &at[number]) != each[number]) {
                    return Ok(());
                }
                Err(format!(
                    "call {} of three: in one instance {}, in an instance of its own {}",
                    number + 1,
                    together[number].told(),
                    each[number].told()
                ))
            });
        }
    }

    pub(super) fn repeats(&self, trial: &mut Trial) {
        let reads = |m: &Method| m.effect == Effect::ReadOnly || m.replay == ReplayPolicy::Reexecute;
        let cabinet = self.used();
        for (method, shape) in self.methods_that(reads) {
            trial.values(&method.name, self.fitting(method, shape), |args| {
                let at = self.subject.fresh();
                let once = || self.bench.wait(self.subject.try_call(&cabinet, &at, &method.name, Some(args))).0;
                let first = once();
                // One difference may be the machine's: a clock that moved because something else was running.
                for _ in 0..3 {
                    let again = once();
                    if again == first || again.is_stopped() || first.is_stopped() {
                        return Ok(());
                    }
                }
                Err(format!("the same call: first {}, then {}", first.told(), once().told()))
            });
        }
    }
}

pub(super) fn not_stopped(came: &Came) -> Result<(), String> {
    if came.is_stopped() { Err(came.told()) } else { Ok(()) }
}

/// The value with its first text made long, or a long text in its place.
fn enlarged(value: Value, long: &str) -> Value {
    match value {
        Value::Object(mut members) => {
            let text = members.iter().find(|(_, v)| v.is_string()).map(|(key, _)| key.clone());
            members.insert(text.unwrap_or_else(|| "large".to_owned()), Value::from(long));
            Value::Object(members)
        }
        _ => Value::from(long),
    }
}
