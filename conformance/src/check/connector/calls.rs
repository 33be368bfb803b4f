//! What calls come to: values, failures, and nothing worse.

use codemode_runtime::{Json, ValueLimits};
use serde_json::{Value, json};

use super::Calling;
use super::cabinet::Cabinet;
use super::subject::Came;
use crate::check::generate::Shape;
use crate::check::trial::{Options, Trial, short};

impl Calling<'_> {
    pub(super) fn takes(&self, trial: &mut Trial) {
        let cabinet = self.used();
        for (method, shape) in self.methods() {
            trial.values(&method.name, shape.fitting(), |args| {
                not_stopped(&self.call(&cabinet, &self.subject.fresh(), &method.name, args))
            });
        }
    }

    pub(super) fn gives_json(&self, trial: &mut Trial) {
        self.each_value(trial, |_, text| match Json::from_plain(text, &ValueLimits::default()) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("it gave {}, which is no JSON: {error}", short(text))),
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
    fn each_value(&self, trial: &mut Trial, mut judge: impl FnMut(&str, &str) -> Result<(), String>) {
        let cabinet = self.used();
        for (method, shape) in self.answering() {
            trial.values(&method.name, shape.fitting(), |args| {
                match self.call(&cabinet, &self.subject.fresh(), &method.name, args) {
                    Came::Value(Some(text)) => judge(&method.name, &text),
                    _ => Ok(()),
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
            let small = first(&shape);
            if let Came::Stopped(_) = self.call(&cabinet, &self.subject.fresh(), &method.name, &small) {
                continue;
            }
            let args = enlarged(small, &long);
            let came = self.call(&cabinet, &self.subject.fresh(), &method.name, &args);
            trial.case(not_stopped(&came).map_err(|what| format!("{}: with 900,000 characters {what}", method.name)));
        }
    }

    pub(super) fn forgets(&self, trial: &mut Trial) {
        let cabinet = self.used();
        for (method, shape) in self.answering() {
            trial.values(&method.name, shape.fitting(), |args| {
                // No call sees what the others wrote, neither here nor there.
                let at: Vec<_> = (0..3).map(|_| self.subject.fresh()).collect();
                let alone = |at| self.bench.wait(self.subject.try_call(&cabinet, at, &method.name, Some(args))).0;
                let alone: Vec<Came> = at.iter().map(alone).collect();
                if alone.iter().any(|came| matches!(came, Came::Stopped(_))) {
                    return Ok(());
                }
                let together = self.bench.wait(self.subject.calls_in_one(&cabinet, &at, &method.name, args));
                match alone.iter().zip(&together).position(|(a, b)| a != b) {
                    None => Ok(()),
                    Some(number) => Err(format!(
                        "call {} of three: in one instance {}, in an instance of its own {}",
                        number + 1,
                        together[number].told(),
                        alone[number].told()
                    )),
                }
            });
        }
    }
}

fn not_stopped(came: &Came) -> Result<(), String> {
    match came {
        Came::Stopped(_) => Err(came.told()),
        _ => Ok(()),
    }
}

/// A value that fits.
fn first(shape: &Shape) -> Value {
    let mut found = Value::Null;
    let mut one = Trial::new(&Options { cases: 1, ..Options::default() });
    one.values("", shape.fitting(), |value| {
        found = value.clone();
        Ok(())
    });
    found
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
