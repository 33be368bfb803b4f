//! Cases of the user's own: calls with what they have to come to. Each starts with a state in which nothing is stored, in an
//! execution of its own, with the clock and the chances of the whole run; so its answers are the same each time.

mod compare;
mod file;
mod run;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::probe::Probe;
use crate::check::report::{OwnCase, Verdict};
use crate::check::trial::Options;

pub(super) use compare::differences;
pub use file::CasesFile;
pub(super) use run::run;

/// Cases, and how effects are seen.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// Where snapshots are found.
    folder: PathBuf,
    cases: Vec<Case>,
    probes: Vec<Probe>,
    snapshots: Snapshots,
}

/// What becomes of snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Snapshots {
    /// What a call comes to is compared with them.
    #[default]
    Compare,
    /// They are written anew.
    Write,
}

/// One case.
#[derive(Clone, Debug, PartialEq)]
struct Case {
    id: String,
    name: String,
    /// Calls that have to succeed first.
    setup: Vec<Call>,
    check: Check,
    then: Then,
    /// Calls that are made last, to see what was done.
    after: Vec<Check>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) method: String,
    pub(super) args: Option<Value>,
}

/// A call with what it has to come to.
#[derive(Clone, Debug, PartialEq)]
struct Check {
    call: Call,
    expected: Expectation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Keep,
    /// The call is undone before the calls that come last.
    Revert,
}

#[derive(Clone, Debug, PartialEq)]
enum Expectation {
    /// It succeeds.
    AnyValue,
    Value(Value),
    NoValue,
    /// It fails with this code; the message contains that text.
    Failure {
        code: String,
        message: Option<String>,
    },
    /// What the file of that name says.
    Snapshot(PathBuf),
}

impl Cases {
    /// The same, with another use of snapshots.
    #[must_use]
    pub fn with_snapshots(self, snapshots: Snapshots) -> Self {
        Self { snapshots, ..self }
    }

    /// The ids of all cases, in their order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(|case| case.id.as_str())
    }

    /// The calls of each case that are expected to succeed, without those that only look.
    pub(super) fn calls(&self) -> impl Iterator<Item = Vec<&Call>> {
        self.cases.iter().map(|case| {
            let fails = matches!(case.check.expected, Expectation::Failure { .. });
            case.setup.iter().chain((!fails).then_some(&case.check.call)).collect()
        })
    }

    pub(super) fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// What is reported where no case could be tried.
    pub(super) fn blocked(&self, options: &Options, by: &'static str) -> Vec<OwnCase> {
        let wanted = self.cases.iter().filter(|case| options.wants_id(&case.id));
        wanted.map(|case| case.outcome(Verdict::Blocked(by), Duration::ZERO)).collect()
    }
}

impl Case {
    fn outcome(&self, verdict: Verdict, took: Duration) -> OwnCase {
        let (id, name) = (self.id.clone(), self.name.clone());
        OwnCase { id, name, verdict, expected: None, took, is_cut: false }
    }
}

/// `CASE-`, and the letters and digits of the name with a dash between the words.
fn id_of(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    format!("CASE-{}", words.map(str::to_lowercase).collect::<Vec<_>>().join("-"))
}
