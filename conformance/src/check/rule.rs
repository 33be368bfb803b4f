//! A rule: one demand of the contract that a check decides, with everything a reader needs to know about it. Rules are
//! data, so that the list, the pages under `docs/conformance/` and the reports cannot disagree.

use std::fmt;

/// Who has to keep a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A component of the world `connector`.
    Connector,
    /// A component of the world `executor`.
    Executor,
    /// A runtime, as a library or behind the world `runtime`.
    Host,
}

/// What breaking a rule means, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The subject cannot be relied upon: something happens twice, is lost, or stops a host.
    Must,
    /// The subject works, and somebody will be surprised.
    Should,
    /// Nothing goes wrong, and it is worth a look: a warning, which fails no run that is not strict.
    Advice,
}

/// One demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable, such as `CONN-CALL-02`. Never given to another demand.
    pub id: &'static str,
    /// Who keeps it.
    pub subject: Subject,
    /// One line.
    pub title: &'static str,
    /// What is checked, precisely enough to argue about.
    pub demands: &'static str,
    /// What goes wrong for users where it is broken.
    pub why: &'static str,
    /// How bad that is.
    pub severity: Severity,
    /// The version of the contract that demands it first.
    pub wit: &'static str,
}

impl Rule {
    /// A rule of the first version of the contract.
    #[must_use]
    pub(super) const fn first(
        subject: Subject,
        id: &'static str,
        severity: Severity,
        title: &'static str,
        demands: &'static str,
        why: &'static str,
    ) -> Self {
        Self { id, subject, title, demands, why, severity, wit: "0.1.0" }
    }
}

impl Subject {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Connector, Self::Executor, Self::Host];

    /// The word on the command line and in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connector => "connector",
            Self::Executor => "executor",
            Self::Host => "host",
        }
    }
}

impl Severity {
    /// The word in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Advice => "advice",
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
