//! What a replay of a bundle says, in words that people and programs can use.

use std::fmt;

use crate::durable::id::{ExecutionId, Op, Seq};

/// What came of replaying a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Which execution.
    pub execution: ExecutionId,
    /// The answer.
    pub verdict: Verdict,
    /// How many things the code asked for.
    pub asks: u32,
    /// How many are recorded.
    pub recorded: u32,
    /// What a reader should know besides. None of it changes the verdict.
    pub notes: Vec<Note>,
}

/// Whether the code does again what is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It asked for the same things in the same order and came to the same end: status, and result, error or pending
    /// calls.
    Same,
    /// It did something else.
    Diverged(Box<Difference>),
    /// All that is recorded was done again, and then the code needs what no record has.
    EndsEarly(Place),
}

impl Verdict {
    /// A stable word for machines.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Diverged(_) => "diverged",
            Self::EndsEarly(_) => "ends_early",
        }
    }
}

/// A place in the journal, and what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The ask; the number of recorded asks where it is behind the last one.
    pub op: Op,
    /// Its number for people, where it is a recorded call or step.
    pub seq: Option<Seq>,
    /// One sentence.
    pub why: String,
}

/// Where the code did something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where, and how.
    pub at: Place,
    /// What is recorded there, cut where it is long.
    pub expected: String,
    /// What the code did, cut where it is long.
    pub actual: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// What a reader of a report should know besides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The execution ran in another sandbox than the one that replayed it.
    OtherExecutor {
        /// The digest of the recorded one.
        recorded: String,
        /// The digest of the one that was used.
        used: String,
    },
    /// Time and randomness of the code were those of the moment: what uses them without a step cannot be replayed.
    Live,
    /// The bundle was written while the execution ran: its journal goes on elsewhere.
    Running,
    /// The console lines differ from those of the recorded pass, from this line on, counted from 1.
    Console {
        /// The first line that differs.
        line: usize,
    },
}

impl Note {
    /// A stable word for machines.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::OtherExecutor { .. } => "other_executor",
            Self::Live => "live",
            Self::Running => "running",
            Self::Console { .. } => "console",
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherExecutor { recorded, used } => {
                write!(f, "recorded in the executor {recorded}, replayed in {used}")
            }
            Self::Live => f.write_str(
                "the execution ran with live time and randomness: what it took from them outside of steps is not recorded",
            ),
            Self::Running => f.write_str("the bundle was written while the execution ran: the record is not at its end"),
            Self::Console { line } => {
                write!(f, "the console lines of the replay differ from the recorded ones, first at line {line}")
            }
        }
    }
}
