//! Tokens whose insides are no tokens.

use super::scan::{Before, Scan};
use super::text::{is_line_end, is_word_char, tokens};

/// Strings, names and comments of this length take as long as a token.
const TOKEN_BYTES: usize = 32;

impl Scan<'_> {
    /// Reads on to an offset.
    pub(super) fn skip_to(&mut self, end: usize) {
        self.levels.spend((end - self.at) / TOKEN_BYTES);
        self.at = end;
    }

    /// The text breaks off inside of a token.
    fn stop(&mut self) {
        self.skip_to(self.text.len());
    }

    fn operand(&mut self) {
        self.before = Before::Operand;
        self.after_dot = false;
        self.before_head = false;
    }

    /// The end of the line for comments and regular expressions.
    pub(super) fn line_end(&mut self) -> usize {
        match self.line_end {
            // One line may have many of them.
            Some(end) if end >= self.at => end,
            _ => {
                let end = self.text[self.at..].find(is_line_end).map_or(self.text.len(), |end| self.at + end);
                self.line_end = Some(end);
                end
            }
        }
    }

    pub(super) fn string(&mut self, quote: u8) {
        let mut at = self.at + 1;
        loop {
            match self.bytes.get(at).copied() {
                Some(b) if b == quote => break,
                None | Some(b'\n' | b'\r') => return self.stop(),
                Some(b'\\') if self.bytes[at + 1..].starts_with(b"\r\n") => at += 3,
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
            }
        }
        self.skip_to(at + 1);
        self.operand();
    }

    /// The text of a template, from behind a backtick or the end of a substitution.
    pub(super) fn template(&mut self) {
        let mut at = self.at;
        loop {
            match self.bytes.get(at).copied() {
                None => return self.stop(),
                Some(b'`') => {
                    self.skip_to(at + 1);
                    self.levels.pop();
                    // A tag: `` a`…``…` `` nests as it goes on.
                    self.levels.nest();
                    return self.operand();
                }
                Some(b'$') if self.bytes.get(at + 1) == Some(&b'{') => {
                    self.skip_to(at + 1);
                    return self.push(b'$');
                }
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
            }
        }
    }

    pub(super) fn slash(&mut self) -> Option<()> {
        let end = self.line_end();
        // A regular expression ends on its line.
        let closes = |scan: &Self| scan.bytes[scan.at + 1..end].contains(&b'/');
        let either = match self.before {
            Before::Operator => {
                self.regular_expression(end);
                return Some(());
            }
            // A declaration may end with its type and its line.
            Before::Operand => self.has_types && self.is_on_new_line(),
            Before::Unknown | Before::Brace | Before::Angle => true,
        };
        if either && closes(self) {
            return self.both_ways(end);
        }
        self.at += 1;
        self.levels.nest();
        self.after_dot = false;
        self.before = Before::Operator;
        Some(())
    }

    fn regular_expression(&mut self, end: usize) {
        let (mut at, mut in_class) = (self.at + 1, false);
        while in_class || self.bytes.get(at) != Some(&b'/') {
            if at >= end {
                return self.stop();
            }
            match self.bytes[at] {
                b'[' => in_class = true,
                b']' => in_class = false,
                b'\\' => at += 1,
                _ => {}
            }
            at += 1;
        }
        let flags = self.text[at + 1..].find(|c: char| !is_word_char(c));
        self.skip_to(flags.map_or(self.text.len(), |flags| at + 1 + flags));
        self.operand();
    }

    /// The rest of a line that may start with a division or with a regular expression: if it ends alike, all of it counts
    /// as nested.
    fn both_ways(&mut self, end: usize) -> Option<()> {
        let line = &self.text[self.at..end];
        let mut open = Vec::new();
        for (at, b) in line.bytes().enumerate() {
            match b {
                b'"' | b'\'' | b'`' | b'\\' | b'@' => return None,
                b'/' if line[at..].starts_with("//") || line[at..].starts_with("/*") => return None,
                b'(' | b'[' | b'{' => open.push(b),
                b')' if open.pop() != Some(b'(') => return None,
                b']' if open.pop() != Some(b'[') => return None,
                b'}' if open.pop() != Some(b'{') => return None,
                _ => {}
            }
        }
        // What is tried several times cannot be told from here.
        let is_tried = self.has_types && (line.contains('<') || line.matches(['(', '[', '{']).count() > 4);
        if !open.is_empty() || is_tried {
            return None;
        }
        let tries = 1 + line.matches('(').count();
        for _ in 0..tokens(line) {
            self.levels.nest();
            self.levels.spend(tries);
        }
        self.after_dot = false;
        self.before_head = false;
        self.before = Before::Unknown;
        self.at = end;
        Some(())
    }
}
