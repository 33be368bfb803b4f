//! What came of a run: one verdict for each rule, with what somebody needs to see it again. Pure; the forms in which it
//! is shown are in their own modules.

mod human;
mod json;
mod junit;

use std::collections::BTreeMap;
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
    /// The calls that were made, in their order, each with what came of it; empty where none was.
    pub calls: Vec<String>,
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
    /// Whether cases were left out because the time of the run was over.
    pub is_cut: bool,
    /// For rules on methods: each that was tried, and whether it broke the rule.
    pub methods: BTreeMap<String, Held>,
}

/// How one method stands to one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// It kept the rule wherever it was tried.
    Kept,
    /// It broke it.
    Broken,
}

/// A case of the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCase {
    /// `CASE-` and the name in letters, digits and dashes.
    pub id: String,
    /// As in the file.
    pub name: String,
    /// `Pass`, `Fail` with one finding, `NotCovered` or `Blocked`.
    pub verdict: Verdict,
    /// Whether `expected-failures.toml` has it, and why.
    pub expected: Option<String>,
    /// How long it took.
    pub took: Duration,
    /// Whether it was left out because the time of the run was over.
    pub is_cut: bool,
}

/// How one method stands to all rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodLine {
    /// The method.
    pub name: String,
    /// `pass`, `warn`, `fail` or `not-covered`.
    pub verdict: &'static str,
    /// The rules that it breaks.
    pub broken: Vec<&'static str>,
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
    /// The user's own cases, in the order of their file.
    pub cases: Vec<OwnCase>,
    /// The methods of a connector, in the order in which it describes them.
    pub methods: Vec<MethodLine>,
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
    /// None is broken, but the subject could not be tried: everything is blocked, or the time of the run was over first.
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
        self.fails() && self.rule.severity != Severity::Advice
    }

    /// Whether it is broken and only a warning.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.fails() && self.rule.severity == Severity::Advice
    }

    /// The word in reports: that of the verdict, and `warn` for a warning.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.is_warning() { "warn" } else { self.verdict.as_str() }
    }

    fn fails(&self) -> bool {
        matches!(self.verdict, Verdict::Fail(_)) && self.expected.is_none()
    }

    /// The command that shows it again.
    #[must_use]
    pub fn reproduce(&self, report: &Report) -> String {
        report.reproduce(self.rule.id)
    }
}

impl OwnCase {
    /// Whether it fails the run.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        matches!(self.verdict, Verdict::Fail(_)) && self.expected.is_none()
    }

    /// The command that shows it again.
    #[must_use]
    pub fn reproduce(&self, report: &Report) -> String {
        report.reproduce(&self.id)
    }
}

/// The words that are counted, in the order in which they are shown.
const WORDS: [&str; 6] = ["pass", "fail", "warn", "unsupported", "not-covered", "blocked"];

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
        let (name, seed, words) = (name.to_owned(), options.seed, options.words.clone());
        Self { subject, name, seed, words, checked, cases: Vec::new(), methods: Vec::new(), stale }
    }

    /// The same with cases of the user's own; `known` has the ids of all, tried or not.
    #[must_use]
    pub fn with_cases(mut self, mut cases: Vec<OwnCase>, known: &[&str], expected: &Expected) -> Self {
        self.stale.extend(expected.apply_to_cases(&mut cases, known));
        Self { cases, ..self }
    }

    /// How many rules and cases have that verdict.
    #[must_use]
    pub fn count(&self, word: &str) -> usize {
        let rules = self.checked.iter().filter(|c| c.word() == word).count();
        rules + self.cases.iter().filter(|c| c.verdict.as_str() == word).count()
    }

    fn reproduce(&self, id: &str) -> String {
        let file = (self.subject != Subject::Host).then_some(self.name.as_str());
        let seed = self.seed.to_string();
        let words = [self.subject.as_str()].into_iter().chain(file).chain(["--rule", id, "--seed", &seed]);
        let words = words.chain(self.words.iter().map(String::as_str)).map(quoted);
        format!("codemode-conformance {}", words.collect::<Vec<_>>().join(" "))
    }

    /// How the run is to be judged.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        let is_cut = self.checked.iter().any(|c| c.is_cut) || self.cases.iter().any(|c| c.is_cut);
        let is_broken = self.checked.iter().any(Checked::is_broken) || self.cases.iter().any(OwnCase::is_broken);
        if !self.stale.is_empty() || is_broken {
            Judgement::Broken
        } else if is_cut || ["pass", "fail", "warn"].iter().all(|word| self.count(word) == 0) {
            Judgement::Untried
        } else {
            Judgement::Kept
        }
    }

    /// The rules that fail the run, the gravest first.
    #[must_use]
    pub fn broken(&self) -> Vec<&Checked> {
        let mut broken: Vec<&Checked> = self.checked.iter().filter(|c| c.is_broken()).collect();
        broken.sort_by_key(|c| c.rule.severity != Severity::Must);
        broken
    }

    /// The rules that are worth a look.
    #[must_use]
    pub fn warnings(&self) -> Vec<&Checked> {
        self.checked.iter().filter(|c| c.is_warning()).collect()
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
