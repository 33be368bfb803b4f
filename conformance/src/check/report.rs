//! What came of a run: one verdict for each rule, with what somebody needs to see it again. Pure; the forms in which it
//! is shown are in their own modules.

mod human;
mod json;
mod junit;

use std::time::Duration;

pub use human::{Style, human};
pub use json::json;
pub use junit::junit;

use super::rule::{Rule, Severity, Subject};
use super::{Expected, Options};

/// What a check says about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is kept in every case that was tried.
    Pass,
    /// It is broken.
    Fail(Vec<Finding>),
    /// The subject declares that it does not offer what the rule is about; the text says what.
    Unsupported(String),
    /// Nothing here could try it, such as a rule on `revert` where no method is revertible; the text says what is missing.
    NotCovered(String),
    /// Another rule has to be kept first; its id.
    Blocked(&'static str),
}

/// One case that breaks a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// What happened, and what should have.
    pub what: String,
    /// The smallest input that shows it, as JSON or as the steps that lead there.
    pub input: Option<String>,
}

/// A rule with its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Which rule.
    pub rule: &'static Rule,
    /// What the check says.
    pub verdict: Verdict,
    /// Whether `expected-failures.toml` has it, and why.
    pub expected: Option<String>,
    /// How many cases were tried.
    pub cases: u64,
    /// How long they took.
    pub took: Duration,
}

/// A whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Who was checked.
    pub subject: Subject,
    /// The subject's name: its file, or the host's own.
    pub name: String,
    /// With it the same cases are tried again.
    pub seed: u64,
    /// Further words of a command that tries the same cases again, such as `--config` and `key=value`.
    pub words: Vec<String>,
    /// In the order of the rules.
    pub checked: Vec<Checked>,
    /// Expected failures that did not fail, or that name no rule; each a sentence.
    pub stale: Vec<String>,
}

/// How a run is to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Every rule that could be tried is kept, or expected not to be.
    Kept,
    /// At least one is broken, or an expectation is stale.
    Broken,
    /// None is broken, but the subject could not be tried: everything is blocked.
    Untried,
}

impl Verdict {
    /// The word in reports.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::Unsupported(_) => "unsupported",
            Self::NotCovered(_) => "not-covered",
            Self::Blocked(_) => "blocked",
        }
    }

    /// Why it is neither pass nor fail.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Pass | Self::Fail(_) => None,
            Self::Unsupported(reason) | Self::NotCovered(reason) => Some(reason.clone()),
            Self::Blocked(rule) => Some(format!("{rule} has to be kept first")),
        }
    }
}

impl Checked {
    /// Whether it fails the run.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        matches!(self.verdict, Verdict::Fail(_)) && self.expected.is_none()
    }

    /// The command that shows it again.
    #[must_use]
    pub fn reproduce(&self, report: &Report) -> String {
        let file = (report.subject != Subject::Host).then_some(report.name.as_str());
        let seed = report.seed.to_string();
        let words = [report.subject.as_str()].into_iter().chain(file).chain(["--rule", self.rule.id, "--seed", &seed]);
        let words = words.chain(report.words.iter().map(String::as_str)).map(quoted);
        format!("codemode-conformance {}", words.collect::<Vec<_>>().join(" "))
    }
}

impl Report {
    /// What came of a run with these options, judged by what was expected.
    #[must_use]
    pub fn new(
        subject: Subject,
        name: &str,
        options: &Options,
        mut checked: Vec<Checked>,
        expected: &Expected,
    ) -> Self {
        let stale = expected.apply(&mut checked);
        Self { subject, name: name.to_owned(), seed: options.seed, words: options.words.clone(), checked, stale }
    }

    /// How many have that verdict.
    #[must_use]
    pub fn count(&self, word: &str) -> usize {
        self.checked.iter().filter(|c| c.verdict.as_str() == word).count()
    }

    /// How the run is to be judged.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        if !self.stale.is_empty() || self.checked.iter().any(Checked::is_broken) {
            Judgement::Broken
        } else if self.count("pass") == 0 && self.count("fail") == 0 {
            Judgement::Untried
        } else {
            Judgement::Kept
        }
    }

    /// Those that fail the run, the gravest first.
    #[must_use]
    pub fn broken(&self) -> Vec<&Checked> {
        let mut broken: Vec<&Checked> = self.checked.iter().filter(|c| c.is_broken()).collect();
        broken.sort_by_key(|c| c.rule.severity != Severity::Must);
        broken
    }
}

/// A word of a command line, in quotes where a shell would read it otherwise.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '=' | ':' | '@' | '+');
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
