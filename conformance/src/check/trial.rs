//! How a rule is tried: so many cases from one seed, shrunk to the smallest that breaks it, and told as it goes on.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codemode_runtime::{Engine, EngineOptions};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestCaseError, TestError, TestRunner};
use serde_json::Value;

use super::report::{Checked, Finding, Held, Verdict};
use super::rule::{Rule, Subject};
use super::rules;

/// How a run is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Cases for each rule and method. 32.
    pub cases: u32,
    /// The same seed tries the same cases.
    pub seed: u64,
    /// Only the rules whose ids start so; empty: all.
    pub only: Vec<String>,
    /// How long one call may take, in milliseconds; then it is stopped. 2,000.
    pub call_ms: u64,
    /// How long one method is tried for one rule, in milliseconds; then further cases are left out. 5,000.
    pub method_ms: u64,
    /// How long a whole run may take, in milliseconds; then what is left is not tried, and the run counts as cut. 120,000.
    pub run_ms: u64,
    /// Where compiled components are kept, so that the next run does not compile the same file again. `None`: nowhere.
    pub cache_dir: Option<PathBuf>,
    /// What a command line needs beside seed and rule to try the same again. Shown with what is broken; changes nothing.
    pub words: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        let (only, words) = (Vec::new(), Vec::new());
        let (call_ms, method_ms, run_ms) = (2_000, 5_000, 120_000);
        Self { cases: 32, seed: 0, only, call_ms, method_ms, run_ms, cache_dir: None, words }
    }
}

impl Options {
    /// What runs components.
    pub(super) fn engine(&self) -> Result<Engine, String> {
        let mut options = EngineOptions::default();
        options.cache_dir = self.cache_dir.clone();
        Engine::new(options).map_err(|error| error.to_string())
    }

    /// The rules of a subject that are to be tried, in their order.
    pub(super) fn chosen(&self, subject: Subject) -> Vec<&'static Rule> {
        rules::of(subject).iter().filter(|rule| self.wants(rule)).collect()
    }

    /// Whether a rule is to be tried.
    #[must_use]
    pub fn wants(&self, rule: &Rule) -> bool {
        self.wants_id(rule.id)
    }

    /// Whether what has this id is to be tried.
    #[must_use]
    pub fn wants_id(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|start| id.starts_with(start.as_str()))
    }
}

/// Is told how far a run is.
pub trait Progress {
    /// A rule is being tried; the first is 1.
    fn trying(&mut self, rule: &'static Rule, number: usize, of: usize);
}

/// Tells nobody.
impl Progress for () {
    fn trying(&mut self, _: &'static Rule, _: usize, _: usize) {}
}

/// The calls of the case that is being tried, for whoever has to see them. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace(Arc<Mutex<Vec<String>>>);

/// So many calls of one case are kept.
const MAX_CALLS: usize = 20;

impl Trace {
    /// Remembers a call.
    pub(super) fn note(&self, call: impl FnOnce() -> String) {
        let mut calls = self.calls();
        if calls.len() < MAX_CALLS {
            calls.push(call());
        }
    }

    /// Forgets the calls after the first that are of that kind.
    pub(super) fn forget(&self, kind: impl Fn(&str) -> bool) {
        self.calls().retain(|call| !kind(call));
    }

    /// What was remembered; nothing is left.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls())
    }

    fn calls(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When a run has to be over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(Instant);

impl Deadline {
    /// That of a run that begins now.
    pub(super) fn of(options: &Options) -> Self {
        // A time that no clock reaches is none: a day is as good.
        Self(now() + Duration::from_millis(options.run_ms.min(86_400_000)))
    }

    /// Whether it has passed.
    pub(super) fn is_over(self) -> bool {
        now() >= self.0
    }
}

/// Why a case is no success.
pub(super) enum Why {
    /// It breaks the rule; what happened.
    Broken(String),
    /// It did not lead where the rule can be tried.
    NothingTried,
}

impl From<String> for Why {
    fn from(what: String) -> Self {
        Self::Broken(what)
    }
}

/// Measures what is shown to people.
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(now())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// One rule being tried: counts cases and collects what breaks it.
pub(super) struct Trial {
    options: Options,
    tried: u64,
    findings: Vec<Finding>,
    /// Cases in which the rule could not be tried.
    in_vain: u64,
    /// Findings that are not kept.
    unkept: u64,
    methods: BTreeMap<String, Held>,
    trace: Trace,
    deadline: Option<Deadline>,
    is_cut: bool,
    started: Instant,
}

/// The time, for what is shown to people and for giving up.
#[expect(clippy::disallowed_methods, reason = "no case and no verdict of a run that is not cut depends on it")]
fn now() -> Instant {
    Instant::now()
}

/// A report shows at most so many cases for one rule.
const MAX_FINDINGS: usize = 5;

impl Trial {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
            tried: 0,
            findings: Vec::new(),
            in_vain: 0,
            unkept: 0,
            methods: BTreeMap::new(),
            trace: Trace::default(),
            deadline: None,
            is_cut: false,
            started: now(),
        }
    }

    /// Shows the calls that are traced there with what breaks the rule, and tries nothing any more after the deadline.
    pub(super) fn watching(mut self, trace: &Trace, deadline: Deadline) -> Self {
        (self.trace, self.deadline) = (trace.clone(), Some(deadline));
        self
    }

    /// One of the same kind, with nothing tried yet.
    pub(super) fn like(other: &Self) -> Self {
        let (trace, deadline) = (other.trace.clone(), other.deadline);
        Self { trace, deadline, ..Self::new(&other.options) }
    }

    /// Takes over what another one tried and found.
    pub(super) fn take(&mut self, other: Self) {
        self.tried += other.tried;
        self.in_vain += other.in_vain;
        self.unkept += other.unkept;
        self.is_cut |= other.is_cut;
        for (name, held) in other.methods {
            self.hold(&name, held);
        }
        other.findings.into_iter().for_each(|finding| self.found(finding));
    }

    /// Whether the run has to end. What was not tried then is told as cut.
    pub(super) fn is_over(&mut self) -> bool {
        let is_over = self.deadline.is_some_and(Deadline::is_over);
        self.is_cut |= is_over;
        is_over
    }

    /// How many cases are to be tried for each method.
    pub(super) fn set_cases(&mut self, cases: u32) {
        self.options.cases = cases;
    }

    /// Tries one case that needs no value.
    pub(super) fn case(&mut self, outcome: Result<(), String>) {
        self.case_of("", "", outcome);
    }

    /// Tries one case of a method, with the input that it had. What breaks the rule says itself whose it is.
    pub(super) fn case_of(&mut self, name: &str, input: &str, outcome: Result<(), String>) {
        self.tried += 1;
        let calls = self.trace.take();
        self.hold(name, if outcome.is_ok() { Held::Kept } else { Held::Broken });
        if let Err(what) = outcome {
            let input = (!input.is_empty()).then(|| short(input));
            self.found(Finding { what, input, calls });
        }
    }

    /// Tries values, and keeps the smallest one that breaks the rule. `name` says whose they are.
    pub(super) fn values<S, E>(&mut self, name: &str, values: S, mut judge: impl FnMut(&Value) -> Result<(), E>)
    where
        S: Strategy<Value = Value>,
        E: Into<Why>,
    {
        if self.is_over() {
            return;
        }
        let config = Config {
            cases: self.options.cases,
            rng_seed: RngSeed::Fixed(self.options.seed),
            rng_algorithm: RngAlgorithm::ChaCha,
            failure_persistence: None,
            // So many values that do not fit are thrown away; then nothing fits that this maker can make.
            max_local_rejects: 4_096,
            max_global_rejects: 4_096,
            max_shrink_iters: 256,
            ..Config::default()
        };
        let judge = RefCell::new(&mut judge);
        let (tried, judged, broken_by) = (Cell::new(0_u64), Cell::new(0_u64), RefCell::new(Vec::new()));
        let (began, enough) = (now(), Duration::from_millis(self.options.method_ms));
        let (trace, deadline) = (&self.trace, self.deadline);
        let outcome = TestRunner::new(config).run(&values, |value| {
            // At least one case, and what was found is kept: a slow method must not hold up all the others.
            if tried.get() > 0 && (began.elapsed() > enough || deadline.is_some_and(Deadline::is_over)) {
                return Ok(());
            }
            tried.set(tried.get() + 1);
            drop(trace.take());
            match (judge.borrow_mut())(&value).map_err(Into::into) {
                Ok(()) => judged.set(judged.get() + 1),
                Err(Why::NothingTried) => {}
                Err(Why::Broken(what)) => {
                    judged.set(judged.get() + 1);
                    // The last value that fails is the smallest.
                    *broken_by.borrow_mut() = trace.take();
                    return Err(TestCaseError::fail(what));
                }
            }
            Ok(())
        });
        drop(self.trace.take());
        self.tried += judged.get();
        self.in_vain += tried.get() - judged.get();
        if judged.get() > 0 {
            let broken = matches!(outcome, Err(TestError::Fail(..)));
            self.hold(name, if broken { Held::Broken } else { Held::Kept });
        }
        // Where so few values fit that none were made, nothing was tried.
        if let Err(TestError::Fail(reason, value)) = outcome {
            let what = format!("{name}: {}", reason.message());
            let (input, calls) = (Some(short(&value.to_string())), broken_by.into_inner());
            self.found(Finding { what, input, calls });
        }
    }

    fn hold(&mut self, name: &str, held: Held) {
        if !name.is_empty() {
            let entry = self.methods.entry(name.to_owned()).or_insert(held);
            *entry = held.max(*entry);
        }
    }

    /// The verdict: `nothing` says why no case could be made, where none was.
    pub(super) fn verdict(mut self, rule: &'static Rule, nothing: &str) -> Checked {
        if self.unkept > 0 {
            let what = format!("and {} more that are not shown", self.unkept);
            self.findings.push(Finding { what, ..Finding::default() });
        }
        let verdict = match (self.findings.is_empty(), self.tried, self.is_cut) {
            (false, _, _) => Verdict::Fail(self.findings),
            (true, _, true) => Verdict::NotCovered(over(&self.options)),
            (true, 0, false) if self.in_vain > 0 => Verdict::NotCovered(IN_VAIN.to_owned()),
            (true, 0, false) => Verdict::NotCovered(nothing.to_owned()),
            (true, _, false) => Verdict::Pass,
        };
        let (cases, took, is_cut, methods) = (self.tried, self.started.elapsed(), self.is_cut, self.methods);
        Checked { rule, verdict, expected: None, cases, took, is_cut, methods }
    }

    /// The verdict where another rule has to be kept first.
    pub(super) fn blocked(self, rule: &'static Rule, by: &'static str) -> Checked {
        Checked { verdict: Verdict::Blocked(by), ..self.verdict(rule, "") }
    }

    fn found(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        } else {
            self.unkept += 1;
        }
    }
}

/// Why a rule was not tried although there was something to try it with.
const IN_VAIN: &str = "no generated argument led where it can be tried; cases of your own give better ones";

/// Why something was not tried.
pub(super) fn over(options: &Options) -> String {
    format!("the run was over after {} ms; --run-ms gives it more", options.run_ms)
}

/// At most 300 characters, for a finding. What a terminal would obey is written out.
pub(super) fn short(text: &str) -> String {
    let cut = text.char_indices().nth(300).map(|(at, _)| at);
    let mut shown = String::with_capacity(cut.unwrap_or(text.len()));
    for c in text[..cut.unwrap_or(text.len())].chars() {
        match c {
            '\n' | '"' | '\'' | '\\' => shown.push(c),
            c => shown.extend(c.escape_debug()),
        }
    }
    if cut.is_some() {
        shown.push('…');
    }
    shown
}
