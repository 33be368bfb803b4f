//! What happened between an executor and its host in one run, and how that reads: one line for each ask, answer and console
//! line. Checks compare these lines, and findings show them.

use std::fmt;

use codemode_runtime::durable::id::Op;
use codemode_runtime::durable::journal::Rerun;
use codemode_runtime::durable::replay::Settled;
use codemode_runtime::executor::{Level, Ran, Refusal, StepOutcome, Thrown};

use super::script::Told;
use crate::check::trial::short;

/// What the code asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Call { connector: String, method: String, args: Option<String> },
    Fetch(String),
    Sleep(u64),
    Search(String),
    Describe(String),
    Snippet(String, Option<String>),
    Step(String),
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    Asked(Ask),
    Exited(Op, StepOutcome),
    Cancelled(Op),
    Awaited(Settled),
    Gave(Op),
    Said(Level, String),
    Refused(String, Refusal),
    /// The host ended the run.
    Ended,
    /// What no executor may do, in words; the run ended there.
    Misused(String),
}

/// One run, from outside.
pub(super) struct Came {
    pub(super) ran: Ran,
    pub(super) events: Vec<Event>,
    /// How often the wall clock was asked for.
    pub(super) looked: u64,
}

impl Ask {
    /// The value that it carries, as tagged JSON.
    pub(super) fn value(&self) -> Option<&str> {
        match self {
            Self::Call { args, .. } => args.as_deref(),
            Self::Snippet(_, input) => input.as_deref(),
            Self::Search(text) | Self::Describe(text) => Some(text),
            Self::Fetch(_) | Self::Sleep(_) | Self::Step(_) => None,
        }
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { connector, method, .. } => write!(f, "call {connector}.{method}")?,
            Self::Fetch(request) => return write!(f, "fetch {request}"),
            Self::Sleep(ms) => return write!(f, "sleep {ms}"),
            Self::Search(_) => f.write_str("search")?,
            Self::Describe(_) => f.write_str("describe")?,
            Self::Snippet(name, _) => write!(f, "snippet {name}")?,
            Self::Step(name) => return write!(f, "step {name}"),
        }
        self.value().map_or(Ok(()), |value| write!(f, " {value}"))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked(ask) => write!(f, "{ask}"),
            Self::Exited(op, StepOutcome { result, rerun }) => {
                match result {
                    Ok(value) => write!(f, "exit {op} {}", shown(value.as_deref()))?,
                    Err(failure) => write!(f, "exit {op} {} {}", failure.code, shown(failure.details.as_deref()))?,
                }
                f.write_str(if *rerun == Rerun::Yes { " again" } else { "" })
            }
            Self::Cancelled(op) => write!(f, "cancel {op}"),
            Self::Awaited(Settled::Yes) => f.write_str("next settled"),
            Self::Awaited(Settled::No) => f.write_str("next"),
            Self::Gave(op) => write!(f, "gave {op}"),
            Self::Said(level, line) => write!(f, "{} {line}", level_word(*level)),
            Self::Refused(subject, refusal) => write!(f, "refuse {subject}: {}", refusal_words(refusal)),
            Self::Ended => f.write_str("ended"),
            Self::Misused(what) => write!(f, "misuse: {what}"),
        }
    }
}

fn shown(value: Option<&str>) -> &str {
    value.unwrap_or("undefined")
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::Log => "log",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
        Level::Debug => "debug",
    }
}

fn refusal_words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::TooLarge => "too large".to_owned(),
        Refusal::TooDeep => "too deep".to_owned(),
        Refusal::Cyclic(path) => format!("cyclic at {path}"),
        Refusal::Unsupported(path, kind) => format!("unsupported at {path} ({kind})"),
    }
}

impl Came {
    pub(super) fn new(ran: Ran, told: Told) -> Self {
        Self { ran, events: told.events, looked: told.looked }
    }

    /// The lines of what `wanted` says to keep.
    pub(super) fn lines(&self, wanted: impl Fn(&Event) -> bool) -> Vec<String> {
        self.events.iter().filter(|event| wanted(event)).map(ToString::to_string).collect()
    }

    /// What was asked for, in the order of asking.
    pub(super) fn asks(&self) -> Vec<String> {
        self.lines(|event| matches!(event, Event::Asked(_) | Event::Cancelled(_)))
    }

    /// The console lines.
    pub(super) fn logs(&self) -> Vec<String> {
        self.lines(|event| matches!(event, Event::Said(..)))
    }

    /// What was refused, with its subject.
    pub(super) fn refused(&self) -> Option<(&str, &Refusal)> {
        self.events.iter().find_map(|event| match event {
            Event::Refused(subject, refusal) => Some((subject.as_str(), refusal)),
            _ => None,
        })
    }

    /// The encoded result, `undefined` as that word; or what happened instead.
    pub(super) fn returned(&self) -> Result<&str, String> {
        match &self.ran {
            Ran::Returned(value) => Ok(shown(value.as_deref())),
            _ => Err(self.told()),
        }
    }

    /// What the code threw; or what happened instead.
    pub(super) fn threw(&self) -> Result<&Thrown, String> {
        match &self.ran {
            Ran::Threw(thrown) => Ok(thrown),
            _ => Err(self.told()),
        }
    }

    /// The end of the run in words, for a finding.
    pub(super) fn told(&self) -> String {
        match &self.ran {
            Ran::Returned(value) => format!("it returned {}", short(shown(value.as_deref()))),
            Ran::Threw(thrown) => format!("it threw {}: {}", short(&thrown.name), short(&thrown.message)),
            Ran::Over => match self.events.iter().rfind(|e| matches!(e, Event::Misused(_) | Event::Refused(..))) {
                Some(Event::Misused(what)) => short(what),
                Some(refused) => format!("the run ended with `{}`", short(&refused.to_string())),
                None => "the host ended the run".to_owned(),
            },
            Ran::CpuLimit => "it computed until it was stopped".to_owned(),
            Ran::MemoryLimit => "it ran out of memory".to_owned(),
            Ran::Broke(reason) => format!("it broke: {}", short(reason)),
        }
    }
}
