//! What the code prints: lines within bounds, kept for the outcome, and written as the journal grows, so that a process
//! that is killed leaves behind what the code had said (WEAK-24).

use crate::durable::json::cut;
use crate::durable::limits::Limits;
use crate::durable::write::Write;
use crate::executor::Level;

/// The console of one pass.
#[derive(Default)]
pub(crate) struct Console {
    lines: Vec<String>,
    /// Lines beyond the limit.
    dropped: u64,
    /// So many lines were given to be written.
    written: usize,
}

impl Console {
    /// Takes a line, or only counts it.
    pub(super) fn log(&mut self, level: Level, line: &str, limits: &Limits) {
        if self.lines.len() >= limits.log_lines as usize {
            self.dropped += 1;
            return;
        }
        let prefix = match level {
            Level::Log => "",
            Level::Info => "[info] ",
            Level::Warn => "[warn] ",
            Level::Error => "[error] ",
            Level::Debug => "[debug] ",
        };
        let line = cut(line, limits.log_line_units as usize);
        self.lines.push(format!("{prefix}{line}"));
    }

    /// What is to be written that was not yet.
    pub(super) fn news(&mut self) -> Option<Write> {
        let lines = self.unwritten();
        (!lines.is_empty()).then_some(Write::Logged { lines })
    }

    /// The same as lines.
    pub(crate) fn unwritten(&mut self) -> Vec<String> {
        let lines = self.lines.get(self.written..).unwrap_or_default().to_vec();
        self.written = self.lines.len();
        lines
    }

    /// All lines of the pass, which is over; a last one counts those that are missing.
    pub(crate) fn end(&mut self, limits: &Limits) -> Vec<String> {
        let dropped = std::mem::take(&mut self.dropped);
        if dropped > 0 {
            let limit = limits.log_lines;
            self.lines.push(format!("[codemode] {dropped} more lines were dropped (limit `log lines`, {limit})"));
        }
        self.lines.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(lines: u32) -> Limits {
        Limits { log_lines: lines, ..Limits::default() }
    }

    #[test]
    fn each_line_is_written_once_and_all_are_kept() {
        let (mut console, limits) = (Console::default(), limits(3));
        assert_eq!(console.news(), None);
        console.log(Level::Log, "a", &limits);
        console.log(Level::Warn, "b", &limits);
        let lines = vec!["a".to_owned(), "[warn] b".to_owned()];
        assert_eq!(console.news(), Some(Write::Logged { lines }));
        assert_eq!(console.news(), None);
        console.log(Level::Log, "c", &limits);
        assert_eq!(console.end(&limits), ["a", "[warn] b", "c"]);
        assert_eq!(console.unwritten(), ["c"]);
    }

    #[test]
    fn a_line_too_many_is_counted() {
        let (mut console, limits) = (Console::default(), limits(1));
        console.log(Level::Log, "a", &limits);
        assert_eq!(console.end(&limits), ["a"]);
        console.log(Level::Log, "b", &limits);
        let note = "[codemode] 1 more lines were dropped (limit `log lines`, 1)";
        assert_eq!(console.end(&limits), ["a", note]);
        assert_eq!(console.unwritten(), ["a", note]);
    }
}
