//! Checks a connector component. What has to hold first is tried first; what cannot be tried then is blocked, and says by
//! which rule.

mod cabinet;
mod calls;
mod describing;
mod keeping;
mod subject;
mod web;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use codemode_runtime::Engine;
use codemode_runtime::connector::Method;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::generate::Shape;
use super::report::{Checked, Report, Verdict};
use super::rule::{Rule, Subject as Kind};
use super::trial::{Options, Progress, Trial};
use super::{Expected, rules};
use cabinet::Cabinet;
use subject::{At, Came, Subject};
pub use web::MockAnswer;

/// A connector to check.
pub struct Component<'a> {
    /// What reports call it: its file.
    pub name: &'a str,
    /// The component.
    pub bytes: &'a [u8],
    /// Its configuration.
    pub config: BTreeMap<String, String>,
    /// What its requests are answered with. With none of them, it is granted no http.
    pub http: Vec<MockAnswer>,
}

/// Checks a connector. Blocks; takes seconds.
///
/// # Errors
/// When the machine cannot run components at all.
pub fn check_connector(
    component: &Component<'_>,
    expected: &Expected,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Report, String> {
    let engine = options.engine()?;
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let bench = Bench { engine, threads: threads.map_err(|error| error.to_string())? };
    let chosen: Vec<&'static Rule> = rules::of(Kind::Connector).iter().filter(|rule| options.wants(rule)).collect();
    let mut steps = Steps { options, progress, count: chosen.len(), number: 0, checked: Vec::new() };
    bench.run(component, &chosen, &mut steps);
    Ok(Report::new(Kind::Connector, component.name, options, steps.checked, expected))
}

/// What runs components.
struct Bench {
    engine: Engine,
    threads: Runtime,
}

/// Goes through the rules and remembers what came of them.
struct Steps<'a> {
    options: &'a Options,
    progress: &'a mut dyn Progress,
    count: usize,
    number: usize,
    checked: Vec<Checked>,
}

impl Steps<'_> {
    /// Tries a rule; `nothing` says what is missing where no case can be made.
    fn rule(&mut self, rule: &'static Rule, nothing: &str, try_it: impl FnOnce(&mut Trial)) {
        self.number += 1;
        self.progress.trying(rule, self.number, self.count);
        let mut trial = Trial::new(self.options);
        try_it(&mut trial);
        self.checked.push(trial.verdict(rule, nothing));
    }

    /// Blocks a rule.
    fn blocked(&mut self, rule: &'static Rule, by: &'static str) {
        self.number += 1;
        let trial = Trial::new(self.options);
        self.checked.push(Checked { verdict: Verdict::Blocked(by), ..trial.verdict(rule, "") });
    }
}

impl Bench {
    fn run(&self, component: &Component<'_>, chosen: &[&'static Rule], steps: &mut Steps<'_>) {
        let config: Vec<(String, String)> = component.config.clone().into_iter().collect();
        let loaded = describing::loaded(self, component.bytes, &config, steps.options.call_ms);
        let described = describing::described(self, loaded.as_ref().ok());
        let obstacle = describing::obstacle(&loaded, &described);
        let subject = match (loaded.as_ref(), described.as_ref(), obstacle) {
            (Ok(connector), Ok(description), None) => {
                Some(Subject::new(connector.clone(), description.clone(), steps.options.call_ms))
            }
            _ => None,
        };
        let first = OnceCell::new();
        for rule in chosen {
            if rule.id.starts_with("CONN-LOAD") || rule.id.starts_with("CONN-DESC") {
                describing::check(self, rule, steps, &loaded, &described, (component.bytes, &config));
            } else {
                match &subject {
                    Some(subject) => Calling { bench: self, subject, first: &first }.check(rule, steps),
                    None => steps.blocked(rule, obstacle.unwrap_or("CONN-DESC-01")),
                }
            }
        }
    }

    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.threads.block_on(future)
    }
}

/// A described connector that is being called.
struct Calling<'a> {
    bench: &'a Bench,
    subject: &'a Subject,
    first: &'a OnceCell<First>,
}

/// What came of using each method a little.
struct First {
    /// The state that this left.
    cabinet: Cabinet,
    /// Methods that were stopped. They break CONN-CALL-01, and are tried for no other rule: each try might take as long.
    stopped: Vec<String>,
}

impl Calling<'_> {
    fn check(&self, rule: &'static Rule, steps: &mut Steps<'_>) {
        match rule.id {
            "CONN-CALL-01" => steps.rule(rule, "it has no methods", |trial| self.takes(trial)),
            "CONN-CALL-02" => steps.rule(rule, "it gave no value", |trial| self.gives_json(trial)),
            "CONN-CALL-03" => steps.rule(rule, "no method has an output schema", |trial| self.fits(trial)),
            "CONN-CALL-04" => steps.rule(rule, "", |trial| self.unknown(trial)),
            "CONN-CALL-05" => steps.rule(rule, "every argument fits", |trial| self.refuses(trial)),
            "CONN-CALL-06" => steps.rule(rule, "it has no methods", |trial| self.forgets(trial)),
            "CONN-CALL-07" => steps.rule(rule, "it has no methods", |trial| self.bears(trial)),
            "CONN-STATE-01" => steps.rule(rule, "no method is read-only", |trial| self.only_reads(trial)),
            "CONN-STATE-02" => steps.rule(rule, "it uses no state", |trial| self.reports(trial)),
            "CONN-KEY-01" => steps.rule(rule, "no method is repeatable", |trial| self.recognises(trial)),
            "CONN-REVERT-01" => steps.rule(rule, "no method is revertible", |trial| self.undoes(trial)),
            "CONN-REVERT-02" => steps.rule(rule, "no method is revertible", |trial| self.undoes_once(trial)),
            _ => steps.rule(rule, "it wants no hooks", |trial| self.bears_hooks(trial)),
        }
    }

    /// The methods, each with the shape of its argument.
    fn methods(&self) -> Vec<(&Method, Shape)> {
        let shape = |m: &Method| Shape::read(m.input_schema.as_deref()).or_else(|_| Shape::read(None));
        self.subject.description().methods.iter().filter_map(|m| Some((m, shape(m).ok()?))).collect()
    }

    /// Those that answer, so that more can be asked of them.
    fn answering(&self) -> Vec<(&Method, Shape)> {
        let stopped = &self.first().stopped;
        self.methods().into_iter().filter(|(method, _)| !stopped.contains(&method.name)).collect()
    }

    /// Calls a method of an execution of its own, and keeps what it wrote.
    fn call(&self, cabinet: &Cabinet, at: &At, method: &str, args: &Value) -> Came {
        self.bench.wait(self.subject.call(cabinet, at, method, Some(args)))
    }

    /// A state in which the connector was used a little.
    fn used(&self) -> Cabinet {
        self.first().cabinet.copy()
    }

    fn first(&self) -> &First {
        self.first.get_or_init(|| {
            let (cabinet, mut stopped) = (Cabinet::default(), Vec::new());
            for (method, shape) in self.methods() {
                let mut trial = Trial::new(&Options { cases: 2, ..Options::default() });
                trial.values("", shape.fitting(), |args| {
                    if stopped.contains(&method.name) {
                        return Ok(());
                    }
                    if let Came::Stopped(_) = self.call(&cabinet, &self.subject.fresh(), &method.name, args) {
                        stopped.push(method.name.clone());
                    }
                    Ok(())
                });
            }
            First { cabinet, stopped }
        })
    }
}
