//! A stack large enough for the parser.
//!
//! The parser recurses with the nesting of the code and a stack overflow ends the process, so the nesting is bounded
//! before it runs. The bound is an estimate from above that no text can cheat: where only a real parser could tell
//! a regular expression from a division, everything that follows is taken as nested.

use std::{panic, thread};

/// Stack for one level, several times what was measured, so that unoptimised builds fit too.
const BYTES_PER_LEVEL: usize = 4 * 1024;
/// Up to this many levels the caller's stack is enough.
const INLINE: usize = 100;
/// More levels are refused: 64 MiB of stack.
const MAX: usize = 16_000;
/// More brackets inside each other are refused, because the parser looks ahead in each of them for an arrow.
const MAX_BRACKETS: usize = 512;
/// Up to this many levels trying another grammar takes no noticeable time.
const MAX_RETRY: usize = 1_000;

/// Does the work with a stack that suits the nesting of `text`; `None` if it is nested too deeply.
pub(super) fn with_stack<T: Send>(text: &str, work: impl FnOnce() -> T + Send) -> Option<T> {
    let Bound { levels, brackets } = bound(text);
    if levels <= INLINE {
        return Some(work());
    }
    if levels > MAX || brackets > MAX_BRACKETS {
        return None;
    }
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("normalize".to_owned());
        let running = builder.stack_size((levels + 64) * BYTES_PER_LEVEL).spawn_scoped(scope, work).ok()?;
        Some(running.join().unwrap_or_else(|payload| panic::resume_unwind(payload)))
    })
}

/// Whether a text is flat enough to be parsed once more, only for a better message.
pub(super) fn allows_retry(text: &str) -> bool {
    bound(text).levels <= MAX_RETRY
}

/// How deep the parser can be at most, in any part of a text.
struct Bound {
    levels: usize,
    /// How many of the levels are brackets.
    brackets: usize,
}

fn bound(text: &str) -> Bound {
    let mut scan = Scan::new(text.as_bytes());
    // Scripts and modules do not agree on what these are.
    let ambiguous = text.contains("<!--") || text.contains("-->");
    if ambiguous || scan.run().is_none() {
        let rest = scan.bytes.get(scan.at..).unwrap_or_default();
        let opening = rest.iter().filter(|b| matches!(b, b'(' | b'[' | b'{')).count();
        scan.deepest = scan.deepest.max(scan.total + tokens(rest));
        scan.brackets = scan.brackets.max(scan.open.len() + opening / 2);
    }
    Bound { levels: scan.deepest, brackets: scan.brackets }
}

/// An upper bound for the number of tokens that can nest.
fn tokens(bytes: &[u8]) -> usize {
    let mut in_word = false;
    let starts = bytes.iter().filter(|&&b| {
        let before = std::mem::replace(&mut in_word, is_word(b));
        !(b.is_ascii_whitespace() || before && in_word)
    });
    starts.count()
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

/// One open bracket and what nests in it without brackets.
#[derive(Default)]
struct Level {
    opener: u8,
    /// Whether these are the parentheses of `if`, `for`, `while` or `with`.
    is_head: bool,
    /// Operators of the current expression; a comma or semicolon ends them.
    operators: usize,
    /// Statements that hold another statement: `if (a) for (;;) …`.
    statements: usize,
    /// Whether a statement may go on behind a semicolon: with `else` or `while`.
    goes_on: bool,
    /// Colons of the current expression that no `?` explains.
    colons: usize,
    questions: usize,
}

/// What the last token says about a following slash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slash {
    Division,
    RegExp,
    Unknown,
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Never empty: the first is the text itself.
    open: Vec<Level>,
    total: usize,
    deepest: usize,
    brackets: usize,
    /// Whether the last token was a dot, so that a word is a name.
    after_dot: bool,
    /// Whether the last word was one whose parentheses are a statement's head.
    before_head: bool,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            open: vec![Level::default()],
            total: 0,
            deepest: 0,
            brackets: 0,
            after_dot: false,
            before_head: false,
        }
    }

    /// Goes through the text; `None` where it cannot be sure how to read on.
    fn run(&mut self) -> Option<()> {
        let mut slash = Slash::RegExp;
        while let Some(&b) = self.bytes.get(self.at) {
            let next = self.bytes.get(self.at + 1).copied();
            slash = match b {
                b' ' | b'\t' | b'\n' | b'\r' => {
                    self.at += 1;
                    slash
                }
                b'/' if next == Some(b'/') => {
                    self.line_comment();
                    slash
                }
                b'/' if next == Some(b'*') => {
                    self.block_comment()?;
                    slash
                }
                b'/' => self.slash(slash)?,
                b'"' | b'\'' => self.string(b)?,
                b'`' => {
                    self.push(b);
                    self.template()?
                }
                b'(' | b'[' | b'{' => {
                    self.push(b);
                    Slash::RegExp
                }
                b')' | b']' | b'}' => self.close(b)?,
                b'\\' => return None,
                _ if is_word(b) => self.word(),
                _ => self.punctuation(b, next),
            };
        }
        Some(())
    }

    fn level(&mut self) -> &mut Level {
        if self.open.is_empty() {
            self.open.push(Level::default());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn count(&mut self) {
        self.total += 1;
        self.deepest = self.deepest.max(self.total);
    }

    fn operator(&mut self) {
        self.level().operators += 1;
        self.count();
    }

    fn statement(&mut self) {
        self.level().statements += 1;
        self.count();
    }

    fn push(&mut self, opener: u8) {
        self.at += 1;
        let is_head = std::mem::take(&mut self.before_head);
        self.after_dot = false;
        self.open.push(Level { opener, is_head, ..Level::default() });
        self.brackets = self.brackets.max(self.open.len());
        self.count();
    }

    fn pop(&mut self) {
        if let Some(level) = self.open.pop() {
            self.total -= (1 + level.operators + level.statements).min(self.total);
        }
    }

    fn close(&mut self, b: u8) -> Option<Slash> {
        match (self.level().opener, b) {
            (b'(', b')') => {
                let is_head = self.level().is_head;
                self.pop();
                self.at += 1;
                Some(if is_head { Slash::RegExp } else { Slash::Division })
            }
            (b'{', b'}') => {
                self.pop();
                self.at += 1;
                Some(Slash::Unknown)
            }
            (b'[', b']') => {
                self.pop();
                self.at += 1;
                Some(Slash::Division)
            }
            // The end of `${…}`.
            (b'$', b'}') => {
                self.pop();
                self.at += 1;
                self.template()
            }
            _ => None,
        }
    }

    fn punctuation(&mut self, b: u8, next: Option<u8>) -> Slash {
        self.at += 1;
        self.after_dot = matches!(b, b'.' | b'#');
        self.before_head = false;
        match b {
            b',' | b';' => {
                let level = self.level();
                let mut ended = std::mem::take(&mut level.operators);
                (level.colons, level.questions) = (0, 0);
                if b == b';' && !level.goes_on {
                    ended += std::mem::take(&mut level.statements);
                }
                self.total -= ended.min(self.total);
            }
            b':' => {
                let level = self.level();
                level.colons += 1;
                // One is that of a member or a conditional; more are labels, which a comma does not end.
                if level.colons > 1 + level.questions { self.statement() } else { self.operator() }
            }
            _ => {
                self.level().questions += usize::from(b == b'?');
                self.operator();
            }
        }
        if matches!(b, b'+' | b'-') && next == Some(b) { Slash::Unknown } else { self.after_sign(b) }
    }

    /// The second of two signs leaves open whether they stand before or behind their operand.
    fn after_sign(&self, b: u8) -> Slash {
        let doubled = matches!(b, b'+' | b'-') && self.at >= 2 && self.bytes.get(self.at - 2) == Some(&b);
        if doubled { Slash::Unknown } else { Slash::RegExp }
    }

    fn word(&mut self) -> Slash {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|&b| is_word(b)) {
            self.at += 1;
        }
        if std::mem::take(&mut self.after_dot) {
            return Slash::Division;
        }
        let before_head = std::mem::take(&mut self.before_head);
        match &self.bytes[start..self.at] {
            word @ (b"if" | b"else" | b"do") => {
                self.before_head = word == b"if";
                self.level().goes_on = true;
                self.statement();
                Slash::RegExp
            }
            b"for" | b"while" | b"with" => {
                self.before_head = true;
                self.statement();
                Slash::Unknown
            }
            // `for await (`.
            b"await" => {
                self.before_head = before_head;
                self.operator();
                Slash::RegExp
            }
            b"return" | b"typeof" | b"case" | b"in" | b"delete" | b"void" | b"throw" | b"new" | b"instanceof" => {
                self.operator();
                Slash::RegExp
            }
            b"yield" | b"of" | b"async" | b"function" | b"class" | b"extends" | b"import" | b"export" | b"default"
            | b"static" | b"try" | b"catch" | b"finally" | b"switch" | b"let" | b"const" | b"var" => {
                self.operator();
                Slash::Unknown
            }
            _ => Slash::Division,
        }
    }

    /// The end of a line for comments and regular expressions.
    fn ends_line(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            None | Some(b'\n' | b'\r') => true,
            Some(0xE2) => matches!(self.bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])),
            Some(_) => false,
        }
    }

    fn line_comment(&mut self) {
        while !self.ends_line(self.at) {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at + 2..];
        self.at += 4 + rest.windows(2).position(|two| two == b"*/")?;
        Some(())
    }

    fn string(&mut self, quote: u8) -> Option<Slash> {
        let mut at = self.at + 1;
        loop {
            match *self.bytes.get(at)? {
                b if b == quote => break,
                b'\n' | b'\r' => return None,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Some(Slash::Division)
    }

    /// The text of a template, from behind a backtick or the end of a substitution.
    fn template(&mut self) -> Option<Slash> {
        loop {
            match *self.bytes.get(self.at)? {
                b'`' => {
                    self.pop();
                    self.at += 1;
                    return Some(Slash::Division);
                }
                b'$' if self.bytes.get(self.at + 1) == Some(&b'{') => {
                    self.at += 1;
                    self.push(b'$');
                    return Some(Slash::RegExp);
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    fn slash(&mut self, before: Slash) -> Option<Slash> {
        let division = match before {
            Slash::Division => true,
            Slash::RegExp => false,
            // A regular expression ends on its line.
            Slash::Unknown => {
                let rest = &self.bytes[self.at + 1..];
                let line = rest.split(|&b| b == b'\n').next().unwrap_or_default();
                if line.contains(&b'/') {
                    return None;
                }
                true
            }
        };
        if division {
            self.at += 1;
            self.operator();
            return Some(Slash::RegExp);
        }
        let (mut at, mut in_class) = (self.at + 1, false);
        while in_class || self.bytes.get(at) != Some(&b'/') {
            if self.ends_line(at) {
                return None;
            }
            match self.bytes[at] {
                b'[' => in_class = true,
                b']' => in_class = false,
                b'\\' if self.ends_line(at + 1) => return None,
                b'\\' => at += 1,
                _ => {}
            }
            at += 1;
        }
        self.at = at + 1;
        Some(Slash::Division)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_code_needs_few_levels() {
        for (code, most) in [
            ("", 0),
            ("async () => { const r = await t.echo({ a: [1, 2] }); return r.a.map((x) => x / 2); }", 12),
            ("a = 1;\n".repeat(10_000).as_str(), 1),
            ("if (a) { b(); } else { c(); }\n".repeat(10).as_str(), 30),
            ("x = (a + b) / 2;\n".repeat(10_000).as_str(), 4),
            ("x = (a + b) / 2 + f(c) / 3;\n".repeat(10_000).as_str(), 6),
            ("if (a) /'/.test(b); for await (x of y) /(/.test(x); a.if(b) / 2 / c\n;".repeat(100).as_str(), 210),
            ("x = s.replace(/[\"'`({]/g, `${a}`);\n".repeat(10_000).as_str(), 6),
        ] {
            assert!(bound(code).levels <= most, "{} for {code:.80}", bound(code).levels);
        }
    }

    #[test]
    fn what_cannot_be_read_for_sure_counts_as_nested() {
        for start in ["if (a) {} /'/+", "a++/'/+", "x = 'it\n", "\\u0061;", "a }", "<!--'\n"] {
            let found = bound(&format!("{start}{}", "['],".repeat(1_000)));
            assert!(found.levels >= 1_000 && found.brackets >= 500, "{start}");
        }
    }
}
