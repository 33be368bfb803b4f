//! The portable record: one execution as one self-contained text, so that it can be kept, sent, looked at, and replayed
//! where neither its store nor its connectors are.
//!
//! JSON Lines. The first line names the format, the last one has a digest of everything before it; between them are what
//! was fixed at the start, the connectors as far as they are known, the journal, the console lines, and where the
//! execution stands. `docs/bundle.md` describes each line. What is not in it: connector state, configuration and secrets,
//! hooks that are due, and who owns the execution.

mod check;
mod judge;
mod lines;
mod read;
mod replay;
mod rewind;
mod verdict;
mod write;

pub use read::read;
pub use replay::replay;
pub use verdict::{Difference, Note, Place, Report, Verdict};
pub use write::write;

use crate::connector::{Description, Method};
use crate::durable::execution::{Start, Status};
use crate::durable::failure::CodeError;
use crate::durable::journal::Entry;
use crate::durable::value::Json;
use crate::store::Record;

/// The format that is written. All formats up to it are read.
pub const FORMAT: u32 = 1;

/// One execution, free of its store.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// The program that wrote it, with its version. For people; nothing depends on it.
    pub written_by: String,
    /// What was fixed when the execution started.
    pub start: Start,
    /// The connectors of the execution that were configured when it was written, in the order of the execution's
    /// namespaces. One that is missing was not configured then, or did not say what it is.
    pub connectors: Vec<Offered>,
    /// All entries, by op, dense.
    pub entries: Vec<Entry>,
    /// Where it stood when the bundle was written.
    pub standing: Standing,
}

/// Where an execution stands: the changing part of its row that means something outside of its store.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Its status.
    pub status: Status,
    /// Passes begun.
    pub pass: u32,
    /// The recorded result.
    pub result: Option<Json>,
    /// Why it ended, when it did not complete.
    pub error: Option<CodeError>,
    /// Console lines of all passes, in order.
    pub logs: Vec<ConsoleLine>,
    /// Epoch milliseconds of the last change.
    pub updated_at: u64,
    /// Epoch milliseconds of the end.
    pub ended_at: Option<u64>,
}

/// A console line of the code, with its level in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleLine {
    /// The pass that wrote it; `None` where the store did not keep that.
    pub pass: Option<u32>,
    /// The line.
    pub text: String,
}

/// What a connector offered when the bundle was written. It may have offered something else when the execution ran; the
/// journal has the contract's digest of each call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The global in the code.
    pub name: String,
    /// For the model.
    pub instructions: Option<String>,
    /// In declared order.
    pub methods: Vec<OfferedMethod>,
}

/// A method with the digest of its contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedMethod {
    /// What was declared.
    pub method: Method,
    /// The digest.
    pub contract: String,
}

impl Bundle {
    /// The bundle of a record. Of `offered`, only connectors that the execution had are taken.
    #[must_use]
    pub fn of(record: Record, offered: Vec<Offered>) -> Self {
        let Record { execution, entries, .. } = record;
        let known = |name: &str| offered.iter().find(|o| o.name == name).cloned();
        let connectors = execution.start.namespaces.iter().filter_map(|n| known(&n.name)).collect();
        // Old stores did not keep which pass it was, and say 0.
        let known = |pass: u32| (pass > 0).then_some(pass);
        let passes = execution.logged.iter().flat_map(|l| std::iter::repeat_n(known(l.pass), l.lines as usize));
        let logs = passes.chain(std::iter::repeat(None)).zip(execution.logs);
        let standing = Standing {
            logs: logs.map(|(pass, text)| ConsoleLine { pass, text }).collect(),
            status: execution.status,
            pass: execution.pass,
            result: execution.result,
            error: execution.error,
            updated_at: execution.updated_at,
            ended_at: execution.ended_at,
        };
        let written_by = concat!("codemode ", env!("CARGO_PKG_VERSION")).to_owned();
        Self { written_by, start: execution.start, connectors, entries, standing }
    }
}

impl Offered {
    /// What a connector says of itself, under the name that it has in the code. Its configuration is left out.
    #[must_use]
    pub fn of(name: &str, description: &Description) -> Self {
        let offered = |m: &Method| OfferedMethod { contract: m.contract(name), method: m.clone() };
        Self {
            name: name.to_owned(),
            instructions: description.instructions.clone(),
            methods: description.methods.iter().map(offered).collect(),
        }
    }
}

/// The bounds of a bundle that is read. They are there because it may come from anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadLimits {
    /// `bundle size`: bytes of the whole text. 512 MiB.
    pub bytes: u64,
    /// `bundle line`: bytes of one line. 64 MiB.
    pub line_bytes: u64,
    /// `bundle lines`: how many lines. 1,000,000.
    pub lines: u32,
    /// `nesting`: levels of a value in it. 512.
    pub depth: u32,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { bytes: 512 << 20, line_bytes: 64 << 20, lines: 1_000_000, depth: 512 }
    }
}

/// Why a text is not taken as a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// It is something else.
    #[error("this is not a codemode bundle: {reason}")]
    NotABundle {
        /// What it lacks.
        reason: String,
    },
    /// A newer version wrote it.
    #[error(
        "the bundle has format {found}, written by {written_by}; this version reads up to format {supported}: use a \
         newer codemode"
    )]
    Newer {
        /// Its format.
        found: u64,
        /// Ours.
        supported: u32,
        /// Who wrote it, as it says itself.
        written_by: String,
    },
    /// It is over a limit.
    #[error("the bundle is over the limit `{limit}` of {allowed} at line {line}")]
    TooLarge {
        /// Where, from 1.
        line: u64,
        /// Which limit.
        limit: &'static str,
        /// What it allows.
        allowed: u64,
    },
    /// It is not as it was written.
    #[error("the bundle is damaged at line {line}: {reason}")]
    Damaged {
        /// Where, from 1.
        line: u64,
        /// What is wrong there.
        reason: String,
    },
}

impl BundleError {
    /// A stable word for machines; each has a page under `docs/errors/`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotABundle { .. } => "not_a_bundle",
            Self::Newer { .. } => "bundle_newer",
            Self::TooLarge { .. } => "bundle_too_large",
            Self::Damaged { .. } => "bundle_damaged",
        }
    }
}

#[cfg(test)]
mod tests;
