//! Writes a bundle: the same bundle is always the same text.

use serde::Serialize;

use super::lines::{ConnectorLine, DigestLine, EndLine, EntryLine, HeaderLine, LogLine, StartLine, kind};
use super::{Bundle, FORMAT};
use crate::durable::digest;

/// The text of a bundle; it ends with the end of a line.
#[must_use]
pub fn write(bundle: &Bundle) -> String {
    let mut text = Text::default();
    text.line(&HeaderLine {
        kind: kind::HEADER.to_owned(),
        format: u64::from(FORMAT),
        written_by: bundle.written_by.clone(),
        execution: bundle.start.id.as_str().to_owned(),
    });
    text.line(&StartLine::of(&bundle.start));
    for offered in &bundle.connectors {
        text.line(&ConnectorLine::of(offered));
    }
    for entry in &bundle.entries {
        text.line(&EntryLine::of(entry));
    }
    for line in &bundle.standing.logs {
        text.line(&LogLine::of(line));
    }
    text.line(&EndLine::of(&bundle.standing));
    text.close()
}

#[derive(Default)]
struct Text {
    text: String,
    lines: u64,
}

impl Text {
    fn line(&mut self, line: &impl Serialize) {
        // None of the lines can fail to be written.
        self.text.push_str(&serde_json::to_string(line).unwrap_or_default());
        self.text.push('\n');
        self.lines += 1;
    }

    fn close(mut self) -> String {
        let sha256 = digest::of_bytes(self.text.as_bytes());
        let lines = self.lines;
        self.line(&DigestLine { kind: kind::DIGEST.to_owned(), lines, sha256 });
        self.text
    }
}
