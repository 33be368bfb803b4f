//! Checks a connector component. What has to hold first is tried first; what cannot be tried then is blocked, and says by
//! which rule.

mod asking;
mod bounds;
mod cabinet;
mod calling;
mod calls;
pub mod cases;
mod describing;
mod difference;
mod keeping;
mod probe;
mod repeating;
mod reverting;
mod subject;
mod web;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use codemode_runtime::Engine;
use codemode_runtime::connector::component::{ComponentLimits, ComponentOptions};
use codemode_runtime::host::{Ambient, DEFAULT_MEMORY_BYTES, Fixed};
use tokio::runtime::Runtime;

use super::Expected;
use super::report::{Checked, Held, MethodLine, OwnCase, Report};
use super::rule::{Rule, Severity, Subject as Kind};
use super::trial::{Deadline, Options, Progress, Trace, Trial};
use calling::Calling;
use cases::Cases;
use subject::LABEL;
pub use web::MockAnswer;
use web::Web;

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
    /// How much memory one instance may have, in bytes.
    pub memory_bytes: u64,
    /// What the clock says in each instance when it is first read: milliseconds since the Unix epoch.
    pub clock_ms: u64,
    /// The user's own cases, and how effects are seen.
    pub cases: Cases,
}

/// The clock of instances, unless somebody says otherwise: the first of January 2026.
pub const CLOCK_MS: u64 = 1_767_225_600_000;

impl<'a> Component<'a> {
    /// One without configuration, grants and cases.
    #[must_use]
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        let (config, http, cases) = (BTreeMap::new(), Vec::new(), Cases::default());
        Self { name, bytes, config, http, memory_bytes: DEFAULT_MEMORY_BYTES, clock_ms: CLOCK_MS, cases }
    }

    /// What it is loaded with.
    fn options(&self, call_ms: u64) -> ComponentOptions {
        let mut options = ComponentOptions::new(LABEL);
        options.config = self.config.clone();
        options.limits = self.limits(call_ms);
        options
    }

    fn limits(&self, call_ms: u64) -> ComponentLimits {
        let mut limits = ComponentLimits::default();
        // For what carries no time of its own: describing, hooks, and three calls in one instance.
        limits.time_ms = call_ms.saturating_mul(3);
        limits.memory_bytes = self.memory_bytes;
        limits
    }

    /// Time and chance of an instance that begins so many milliseconds after the first ones.
    fn ambient(&self, after_ms: u64, seed: u64) -> Ambient {
        Ambient::Fixed(Fixed::new(self.clock_ms.saturating_add(after_ms), seed))
    }
}

/// Checks a connector. Blocks; takes seconds.
///
/// # Errors
/// When the machine cannot run components at all, or a mock answer is none.
pub fn check_connector(
    component: &Component<'_>,
    expected: &Expected,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Report, String> {
    let engine = options.engine()?;
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let web = if component.http.is_empty() { None } else { Some(Web::of(&component.http)?) };
    let bench = Bench { engine, threads: threads.map_err(|error| error.to_string())?, web };
    let chosen = options.chosen(Kind::Connector);
    let (trace, deadline) = (Trace::default(), Deadline::of(options));
    let count = chosen.len();
    let mut steps = Steps { options, progress, trace, deadline, count, number: 0, checked: Vec::new() };
    let (methods, cases) = bench.run(component, &chosen, &mut steps);
    let lines = lines(methods, &steps.checked);
    let known: Vec<&str> = component.cases.ids().collect();
    let report = Report::new(Kind::Connector, component.name, options, steps.checked, expected);
    Ok(Report { methods: lines, ..report.with_cases(cases, &known, expected) })
}

/// How each method stands to all the rules that were tried with it.
fn lines(methods: Vec<String>, checked: &[Checked]) -> Vec<MethodLine> {
    let mut seen = BTreeSet::new();
    let once = methods.into_iter().filter(|name| seen.insert(name.clone()));
    let line = |name: String| {
        let tried: Vec<_> = checked.iter().filter_map(|c| Some((c.rule, *c.methods.get(&name)?))).collect();
        let broken = tried.iter().filter(|(_, held)| *held == Held::Broken).map(|(rule, _)| *rule);
        let verdict = match broken.clone().map(|rule| rule.severity).min() {
            _ if tried.is_empty() => "not-covered",
            None => "pass",
            Some(Severity::Advice) => "warn",
            Some(Severity::Must | Severity::Should) => "fail",
        };
        MethodLine { name, verdict, broken: broken.map(|rule| rule.id).collect() }
    };
    once.map(line).collect()
}

/// What runs components.
struct Bench {
    engine: Engine,
    threads: Runtime,
    /// What requests are answered by; `None`: no http is granted.
    web: Option<Arc<Web>>,
}

/// Goes through the rules and remembers what came of them.
struct Steps<'a> {
    options: &'a Options,
    progress: &'a mut dyn Progress,
    trace: Trace,
    deadline: Deadline,
    count: usize,
    number: usize,
    checked: Vec<Checked>,
}

impl Steps<'_> {
    /// Tries a rule; `nothing` says what is missing where no case can be made.
    fn rule(&mut self, rule: &'static Rule, nothing: &str, try_it: impl FnOnce(&mut Trial)) {
        self.number += 1;
        self.progress.trying(rule, self.number, self.count);
        let mut trial = Trial::new(self.options).watching(&self.trace, self.deadline);
        try_it(&mut trial);
        self.checked.push(trial.verdict(rule, nothing));
    }

    /// Blocks a rule.
    fn blocked(&mut self, rule: &'static Rule, by: &'static str) {
        self.number += 1;
        self.checked.push(Trial::new(self.options).blocked(rule, by));
    }
}

impl Bench {
    /// Tries the rules and the user's cases; gives the names of the methods, and what came of the cases.
    fn run(
        &self,
        component: &Component<'_>,
        chosen: &[&'static Rule],
        steps: &mut Steps<'_>,
    ) -> (Vec<String>, Vec<OwnCase>) {
        let found = describing::Found::of(self, component, steps.options);
        // Compiling is no part of the run: the next one finds it done.
        steps.deadline = Deadline::of(steps.options);
        let obstacle = found.obstacle();
        let subject = found.subject(obstacle, steps);
        let calling =
            subject.as_ref().map(|subject| Calling::new(self, subject, component, (steps.options, steps.deadline)));
        for rule in chosen {
            if rule.id.starts_with("CONN-LOAD") || rule.id.starts_with("CONN-DESC") {
                found.check(self, rule, steps);
            } else {
                match &calling {
                    Some(calling) => calling.check(rule, steps),
                    None => steps.blocked(rule, obstacle.unwrap_or("CONN-DESC-01")),
                }
            }
        }
        let cases = match &subject {
            Some(subject) => cases::run(self, subject, &component.cases, (steps.options, steps.deadline)),
            None => component.cases.blocked(steps.options, obstacle.unwrap_or("CONN-DESC-01")),
        };
        (found.methods(), cases)
    }

    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.threads.block_on(future)
    }
}
