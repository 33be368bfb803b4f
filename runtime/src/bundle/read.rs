//! Reads a bundle, and trusts nothing in it: every line has its place, its bounds and its shape, and the last one vouches
//! for all others. What is refused is refused with its line and a reason.
//!
//! The digest finds accidents, not forgery: whoever edits a bundle can compute it anew.

use serde::de::DeserializeOwned;

use super::check::Checker;
use super::lines::{AnyLine, ConnectorLine, DigestLine, EndLine, EntryLine, HeaderLine, LogLine, StartLine, kind};
use super::{Bundle, BundleError, ConsoleLine, FORMAT, Offered, ReadLimits, Standing};
use crate::durable::digest;
use crate::durable::execution::Start;
use crate::durable::journal::Entry;

/// Reads a whole bundle. Members of lines that this version does not know are ignored, unknown lines are refused unless
/// they say that they are optional.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read(bytes: &[u8], limits: &ReadLimits) -> Result<Bundle, BundleError> {
    if bytes.len() as u64 > limits.bytes {
        return Err(BundleError::TooLarge { line: 1, limit: "bundle size", allowed: limits.bytes });
    }
    let mut reader = Reader::new(limits);
    let mut rest = bytes;
    while !rest.is_empty() {
        let (line, after) = match rest.iter().position(|b| *b == b'\n') {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        reader.line += 1;
        reader.before = bytes.len() - rest.len();
        let text = reader.text(line)?;
        // Only when it is known that this is one can it be called damaged.
        if reader.line > 1 && after.is_none() {
            return Err(reader.damaged("it is cut off: the end of the line is missing"));
        }
        reader.take(text, bytes)?;
        rest = after.unwrap_or_default();
    }
    reader.end()
}

/// Which lines may stand next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Header,
    Start,
    Connectors,
    Entries,
    Logs,
    Digest,
    Over,
}

struct Reader<'a> {
    limits: &'a ReadLimits,
    /// The number of the line, from 1.
    line: u64,
    /// Bytes before it.
    before: usize,
    next: Part,
    written_by: String,
    start: Option<Start>,
    connectors: Vec<Offered>,
    checker: Checker,
    entries: Vec<Entry>,
    logs: Vec<ConsoleLine>,
    standing: Option<Standing>,
}

impl<'a> Reader<'a> {
    fn new(limits: &'a ReadLimits) -> Self {
        Self {
            limits,
            line: 0,
            before: 0,
            next: Part::Header,
            written_by: String::new(),
            start: None,
            connectors: Vec::new(),
            checker: Checker::default(),
            entries: Vec::new(),
            logs: Vec::new(),
            standing: None,
        }
    }

    fn damaged(&self, reason: impl Into<String>) -> BundleError {
        BundleError::Damaged { line: self.line, reason: reason.into() }
    }

    /// The line as text within the limits.
    fn text<'t>(&self, line: &'t [u8]) -> Result<&'t str, BundleError> {
        let too_large = |limit, allowed| BundleError::TooLarge { line: self.line, limit, allowed };
        if self.line > u64::from(self.limits.lines) {
            return Err(too_large("bundle lines", u64::from(self.limits.lines)));
        }
        if line.len() as u64 > self.limits.line_bytes {
            return Err(too_large("bundle line", self.limits.line_bytes));
        }
        std::str::from_utf8(line).map_err(|error| {
            let at = error.valid_up_to() + 1;
            self.no_bundle(format!("it is not UTF-8 text: byte {at} does not belong there"))
        })
    }

    /// What is wrong with the first line makes it something else; what is wrong with another one makes it damaged.
    fn no_bundle(&self, reason: String) -> BundleError {
        if self.line == 1 { BundleError::NotABundle { reason } } else { self.damaged(reason) }
    }

    fn parse<T: DeserializeOwned>(&self, text: &str) -> Result<T, BundleError> {
        if !text.starts_with('{') {
            return Err(self.no_bundle("the line is no JSON object".to_owned()));
        }
        serde_json::from_str(text).map_err(|error| {
            let (column, message) = (error.column(), error.to_string());
            let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
            self.no_bundle(format!("{what} (column {column})"))
        })
    }

    fn unconverted(&self, text: &str) -> Result<(), BundleError> {
        if text.ends_with('\r') {
            return Err(self.damaged("it ends in a carriage return: ends of lines were converted; copy it as binary"));
        }
        Ok(())
    }

    fn take(&mut self, text: &str, all: &[u8]) -> Result<(), BundleError> {
        if self.next == Part::Header {
            return self.header(text);
        }
        self.unconverted(text)?;
        let AnyLine { kind, optional } = self.parse(text)?;
        if self.next == Part::Over {
            return Err(self.damaged("it stands after the digest, which is the last line"));
        }
        match kind.as_str() {
            kind::START => self.start(text),
            kind::CONNECTOR => self.connector(text),
            kind::ENTRY => self.entry(text),
            kind::LOG => self.log(text),
            kind::END => self.standing(text),
            kind::DIGEST => self.digest(text, all),
            _ if optional => Ok(()),
            other => {
                let other: String = other.chars().take(100).collect();
                Err(self.damaged(format!("a line of the unknown kind {other:?}")))
            }
        }
    }

    /// Goes on to a part, unless another line must stand here.
    fn enter(&mut self, kind: &str, part: Part) -> Result<(), BundleError> {
        let after_start = self.next > Part::Start || part == Part::Start;
        if part < self.next || !after_start || (part == Part::Digest && self.standing.is_none()) {
            let wanted = match self.next {
                Part::Header | Part::Start => "a start line",
                Part::Connectors => "a connector, entry, log or end line",
                Part::Entries => "an entry, log or end line",
                Part::Logs => "a log or end line",
                Part::Digest => "the digest line",
                Part::Over => "nothing more",
            };
            return Err(self.damaged(format!("a line of kind `{kind}` stands where {wanted} must")));
        }
        self.next = part;
        Ok(())
    }

    fn header(&mut self, text: &str) -> Result<(), BundleError> {
        let AnyLine { kind, .. } = self.parse(text)?;
        if kind != kind::HEADER {
            return Err(self.no_bundle("its first line is not the header of one".to_owned()));
        }
        let header: HeaderLine = self.parse(text)?;
        if header.format > u64::from(FORMAT) {
            let written_by =
                if header.written_by.is_empty() { "another program".to_owned() } else { header.written_by };
            let written_by = written_by.chars().take(100).collect();
            return Err(BundleError::Newer { found: header.format, supported: FORMAT, written_by });
        }
        if header.format == 0 {
            return Err(self.no_bundle("there is no format 0".to_owned()));
        }
        self.unconverted(text)?;
        self.written_by = header.written_by;
        self.next = Part::Start;
        Ok(())
    }

    fn start(&mut self, text: &str) -> Result<(), BundleError> {
        self.enter(kind::START, Part::Start)?;
        let line: StartLine = self.parse(text)?;
        self.start = Some(line.start(self.limits.depth).map_err(|reason| self.damaged(reason))?);
        self.next = Part::Connectors;
        Ok(())
    }

    fn connector(&mut self, text: &str) -> Result<(), BundleError> {
        self.enter(kind::CONNECTOR, Part::Connectors)?;
        let line: ConnectorLine = self.parse(text)?;
        self.connectors.push(line.offered());
        Ok(())
    }

    fn entry(&mut self, text: &str) -> Result<(), BundleError> {
        self.enter(kind::ENTRY, Part::Entries)?;
        let line: EntryLine = self.parse(text)?;
        let entry = line.entry(self.limits.depth).map_err(|reason| self.damaged(reason))?;
        self.checker.entry(&entry).map_err(|reason| BundleError::Damaged { line: self.line, reason })?;
        self.entries.push(entry);
        Ok(())
    }

    fn log(&mut self, text: &str) -> Result<(), BundleError> {
        self.enter(kind::LOG, Part::Logs)?;
        let line: LogLine = self.parse(text)?;
        self.logs.push(line.line());
        Ok(())
    }

    fn standing(&mut self, text: &str) -> Result<(), BundleError> {
        self.enter(kind::END, Part::Logs)?;
        let line: EndLine = self.parse(text)?;
        let logs = std::mem::take(&mut self.logs);
        self.standing = Some(line.standing(logs, self.limits.depth).map_err(|reason| self.damaged(reason))?);
        std::mem::take(&mut self.checker).end().map_err(|reason| self.damaged(reason))?;
        self.next = Part::Digest;
        Ok(())
    }

    fn digest(&mut self, text: &str, all: &[u8]) -> Result<(), BundleError> {
        self.enter(kind::DIGEST, Part::Digest)?;
        let line: DigestLine = self.parse(text)?;
        let before = self.line - 1;
        if line.lines != before {
            return Err(self.damaged(format!("the digest is over {} lines, and {before} stand before it", line.lines)));
        }
        if line.sha256 != digest::of_bytes(&all[..self.before]) {
            return Err(self.damaged("the digest does not fit: something before it was changed after it was written"));
        }
        self.next = Part::Over;
        Ok(())
    }

    fn end(self) -> Result<Bundle, BundleError> {
        if self.line == 0 {
            return Err(BundleError::NotABundle { reason: "it is empty".to_owned() });
        }
        match (self.next, self.start, self.standing) {
            (Part::Over, Some(start), Some(standing)) => Ok(Bundle {
                written_by: self.written_by,
                start,
                connectors: self.connectors,
                entries: self.entries,
                standing,
            }),
            _ => Err(BundleError::Damaged {
                line: self.line,
                reason: "it is cut off: this is the last line, and not the digest".to_owned(),
            }),
        }
    }
}
