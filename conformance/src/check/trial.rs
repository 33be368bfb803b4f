//! How a rule is tried: so many cases from one seed, shrunk to the smallest that breaks it, and told as it goes on.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use codemode_runtime::{Engine, EngineOptions};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestCaseError, TestError, TestRunner};
use serde_json::Value;

use super::report::{Checked, Finding, Verdict};
use super::rule::Rule;

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
    /// Where compiled components are kept, so that the next run does not compile the same file again. `None`: nowhere.
    pub cache_dir: Option<PathBuf>,
    /// What a command line needs beside seed and rule to try the same again. Shown with what is broken; changes nothing.
    pub words: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        let (only, words) = (Vec::new(), Vec::new());
        Self { cases: 32, seed: 0, only, call_ms: 2_000, method_ms: 5_000, cache_dir: None, words }
    }
}

impl Options {
    /// What runs components.
    pub(super) fn engine(&self) -> Result<Engine, String> {
        let mut options = EngineOptions::default();
        options.cache_dir = self.cache_dir.clone();
        Engine::new(options).map_err(|error| error.to_string())
    }

    /// Whether a rule is to be tried.
    #[must_use]
    pub fn wants(&self, rule: &Rule) -> bool {
        self.only.is_empty() || self.only.iter().any(|start| rule.id.starts_with(start.as_str()))
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

/// One rule being tried: counts cases and collects what breaks it.
pub(super) struct Trial {
    options: Options,
    tried: u64,
    findings: Vec<Finding>,
    started: Instant,
}

/// The time, for what is shown to people and for giving up.
#[expect(clippy::disallowed_methods, reason = "no case and no verdict depends on it")]
fn now() -> Instant {
    Instant::now()
}

/// A report shows at most so many cases for one rule.
const MAX_FINDINGS: usize = 5;

impl Trial {
    pub(super) fn new(options: &Options) -> Self {
        Self { options: options.clone(), tried: 0, findings: Vec::new(), started: now() }
    }

    /// One of the same kind, with nothing tried yet.
    pub(super) fn like(other: &Self) -> Self {
        Self::new(&other.options)
    }

    /// Takes over what another one tried and found.
    pub(super) fn take(&mut self, other: Self) {
        self.tried += other.tried;
        other.findings.into_iter().for_each(|finding| self.found(finding));
    }

    /// Tries one case that needs no value.
    pub(super) fn case(&mut self, outcome: Result<(), String>) {
        self.tried += 1;
        if let Err(what) = outcome {
            self.found(Finding { what, input: None });
        }
    }

    /// Tries values, and keeps the smallest one that breaks the rule. `name` says whose they are.
    pub(super) fn values<S>(&mut self, name: &str, values: S, mut judge: impl FnMut(&Value) -> Result<(), String>)
    where
        S: Strategy<Value = Value>,
    {
        let config = Config {
            cases: self.options.cases,
            rng_seed: RngSeed::Fixed(self.options.seed),
            rng_algorithm: RngAlgorithm::ChaCha,
            failure_persistence: None,
            max_global_rejects: 4_096,
            max_shrink_iters: 256,
            ..Config::default()
        };
        let judge = std::cell::RefCell::new(&mut judge);
        let tried = std::cell::Cell::new(0_u64);
        let (began, enough) = (now(), Duration::from_millis(self.options.method_ms));
        let outcome = TestRunner::new(config).run(&values, |value| {
            // At least one case, and what was found is kept: a slow method must not hold up all the others.
            if tried.get() > 0 && began.elapsed() > enough {
                return Ok(());
            }
            tried.set(tried.get() + 1);
            (judge.borrow_mut())(&value).map_err(TestCaseError::fail)
        });
        self.tried += tried.get();
        match outcome {
            Err(TestError::Fail(reason, value)) => {
                let what = format!("{name}: {}", reason.message());
                self.found(Finding { what, input: Some(short(&value.to_string())) });
            }
            // So few values fit that none were made: nothing was tried.
            Err(TestError::Abort(_)) | Ok(()) => {}
        }
    }

    /// The verdict: `nothing` says why no case could be made, where none was.
    pub(super) fn verdict(self, rule: &'static Rule, nothing: &str) -> Checked {
        let verdict = match (self.findings.is_empty(), self.tried) {
            (false, _) => Verdict::Fail(self.findings),
            (true, 0) => Verdict::NotCovered(nothing.to_owned()),
            (true, _) => Verdict::Pass,
        };
        Checked { rule, verdict, expected: None, cases: self.tried, took: self.started.elapsed() }
    }

    fn found(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }
}

/// At most 300 characters, for a finding.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
