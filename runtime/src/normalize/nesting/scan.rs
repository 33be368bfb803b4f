//! How deep a parser can nest in a text, and how often it can read the same part, estimated from above.
//!
//! No text may cheat: a parser that nests deeper than the estimate ends the process. So whatever could nest is counted,
//! and only what certainly ends an expression or a statement takes it back. Where a slash may be a division or a
//! regular expression, the line counts as both; where even that cannot be read, all that follows counts as nested.
//!
//! Types count in JavaScript too: the parser reads those behind `as` and `satisfies`, to say that they are none.

use super::super::parse::Grammar;
use super::levels::{Bracket, Cost, Levels};
use super::text::{has_word, is_line_end, is_separator, is_word, is_word_char, tokens};
use super::words::{Word, word};

/// What reading a text in a grammar can cost.
pub(super) fn cost(text: &str, grammar: Grammar) -> Cost {
    let has_types = grammar == Grammar::TypeScript || ["as", "satisfies"].iter().any(|word| has_word(text, word));
    let mut scan = Scan {
        text,
        bytes: text.as_bytes(),
        has_types,
        at: 0,
        levels: Levels::new(has_types),
        before: Before::Operator,
        after_dot: false,
        before_head: false,
        line_end: None,
        token_end: 0,
    };
    if scan.run().is_none() {
        scan.give_up();
    }
    scan.levels.cost
}

/// What stands before the next token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// The end of an operand: a slash divides, a word starts a statement.
    Operand,
    /// A closing brace: a word starts a statement.
    Brace,
    /// A greater sign, which may end type arguments: only a word that starts nothing but statements starts one.
    Angle,
    /// An operand must follow: a slash starts a regular expression.
    Operator,
    /// Nothing can be said.
    Unknown,
}

pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) has_types: bool,
    pub(super) at: usize,
    pub(super) levels: Levels,
    pub(super) before: Before,
    /// Whether the last token was a dot, so that a word is a name.
    pub(super) after_dot: bool,
    /// Whether the last word was one whose parentheses are a statement's head.
    pub(super) before_head: bool,
    /// Where the last token ends.
    pub(super) token_end: usize,
    /// Where the line ends that was last asked for.
    pub(super) line_end: Option<usize>,
}

impl Scan<'_> {
    /// Goes through the text, or to where it breaks off inside of a token, which no parser reads beyond; `None` where it
    /// cannot be sure how to read on.
    fn run(&mut self) -> Option<()> {
        while let Some(&b) = self.bytes.get(self.at) {
            let next = self.bytes.get(self.at + 1).copied();
            match b {
                b if b.is_ascii_whitespace() || b == 0x0B => self.at += 1,
                0x80.. if self.separator() => {}
                b'/' if next == Some(b'/') => {
                    let end = self.line_end();
                    self.skip_to(end);
                }
                b'/' if next == Some(b'*') => {
                    let end = self.text[self.at + 2..].find("*/").map_or(self.text.len(), |end| self.at + end + 4);
                    self.skip_to(end);
                }
                _ => {
                    self.token(b, next)?;
                    self.token_end = self.at;
                }
            }
        }
        Some(())
    }

    /// Whether the character that starts here separates tokens; if so, it is read.
    fn separator(&mut self) -> bool {
        match self.text[self.at..].chars().next() {
            Some(c) if is_separator(c) => {
                self.at += c.len_utf8();
                true
            }
            _ => false,
        }
    }

    fn token(&mut self, b: u8, next: Option<u8>) -> Option<()> {
        self.levels.spend(1);
        if self.levels.has_ended() && !is_word(b) {
            self.levels.end_statements();
        }
        match b {
            // Scripts and modules do not agree on what these are.
            b'<' | b'-' if ["<!--", "-->"].iter().any(|token| self.text[self.at..].starts_with(token)) => return None,
            b'/' => self.slash()?,
            b'"' | b'\'' => self.string(b),
            b'`' => {
                self.push(b);
                self.template();
            }
            b'(' | b'[' | b'{' => self.push(b),
            b')' | b']' | b'}' => self.close(b)?,
            // Escapes in names hide words; decorators put expressions before a class.
            b'\\' | b'@' => return None,
            _ if is_word(b) => self.word(),
            _ => self.punctuation(b, next),
        }
        Some(())
    }

    pub(super) fn push(&mut self, opener: u8) {
        self.at += 1;
        let is_head = std::mem::take(&mut self.before_head);
        let bracket = match opener {
            b'(' if is_head => Bracket::Head,
            b'(' if self.before == Before::Operand => Bracket::Plain,
            // A comment may stand in between.
            b'(' if self.text[self.at..].trim_start().starts_with(['[', '{', '/']) => Bracket::Pattern,
            b'(' => Bracket::Tried,
            _ => Bracket::Plain,
        };
        self.after_dot = false;
        self.before = Before::Operator;
        self.levels.push(opener, bracket);
    }

    fn close(&mut self, b: u8) -> Option<()> {
        let (opener, bracket) = self.levels.opener();
        self.after_dot = false;
        self.before_head = false;
        self.at += 1;
        match (opener, b) {
            (b'(', b')') if bracket == Bracket::Head => {
                self.levels.pop();
                self.before = Before::Operator;
            }
            (b'(', b')') | (b'[', b']') => {
                self.levels.pop();
                // A call, an index: `a()()[0]` nests as it goes on.
                self.levels.nest();
                self.before = Before::Operand;
            }
            (b'{', b'}') => {
                self.levels.pop();
                self.before = Before::Brace;
            }
            // The end of `${…}`.
            (b'$', b'}') => {
                self.levels.pop();
                self.template();
            }
            _ => return None,
        }
        Some(())
    }

    fn punctuation(&mut self, b: u8, next: Option<u8>) {
        let previous = self.at.checked_sub(1).map_or(0, |at| self.bytes[at]);
        let ends_arrow = b == b'>' && previous == b'=';
        self.before = match b {
            b'!' => self.behind_exclamation(),
            b'>' if !ends_arrow => Before::Angle,
            // The second of two signs leaves open whether they stand before or behind their operand.
            b'+' | b'-' if previous == b || next == Some(b) => Before::Unknown,
            _ => Before::Operator,
        };
        self.at += 1;
        self.after_dot = matches!(b, b'.' | b'#') && !self.text[..self.at].ends_with("...");
        self.before_head = false;
        match b {
            b',' => self.levels.comma(),
            b';' => self.levels.semicolon(),
            b':' => {
                let last = self.token_end.checked_sub(1).map_or(0, |at| self.bytes[at]);
                self.levels.colon(last);
            }
            b'?' => self.levels.question(),
            b'<' if next != Some(b'=') => self.levels.open_angle(),
            b'>' if !ends_arrow => self.levels.close_angle(),
            _ => self.levels.nest(),
        }
    }

    /// On the line of its operand it says that there is one, elsewhere it negates one.
    fn behind_exclamation(&self) -> Before {
        match self.before {
            Before::Operand if !self.is_on_new_line() => Before::Operand,
            Before::Operand | Before::Operator => Before::Operator,
            Before::Brace | Before::Angle | Before::Unknown => Before::Unknown,
        }
    }

    /// Whether the next token stands on another line than the last one.
    pub(super) fn is_on_new_line(&self) -> bool {
        self.text[self.token_end..self.at].contains(is_line_end)
    }

    fn word(&mut self) {
        let text = self.text;
        let rest = &text[self.at..];
        let end = rest.find(|c: char| !is_word_char(c)).unwrap_or(rest.len());
        let found = &rest[..end];
        let is_name = std::mem::take(&mut self.after_dot);
        let is_number = !is_name && found.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        // The dot of a number is none of a member.
        let end = match rest[end..].strip_prefix('.') {
            Some(fraction) if is_number => {
                rest.len() - fraction.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len()
            }
            _ => end,
        };
        let kind = if is_name { Word::Operand } else { word(found) };
        self.end_before(kind);
        self.skip_to(self.at + end);
        let before_head = std::mem::take(&mut self.before_head);
        // `for await (`
        self.before_head = match found {
            "if" | "for" | "while" | "with" => !is_name,
            "await" => before_head,
            _ => false,
        };
        match kind {
            Word::Operand => {}
            Word::Holds | Word::Continues => self.levels.hold(),
            // A constraint behind it is read again.
            Word::Prefix if found == "infer" => self.levels.open_angle(),
            Word::Operator | Word::Prefix | Word::Statement | Word::Infix => self.levels.nest(),
        }
        self.before = match kind {
            Word::Operand => Before::Operand,
            Word::Operator | Word::Holds | Word::Continues => Before::Operator,
            Word::Prefix | Word::Statement | Word::Infix => Before::Unknown,
        };
    }

    /// Ends what a word ends by standing where it stands: behind an operand only a few go on with the expression.
    fn end_before(&mut self, kind: Word) {
        let starts_statement = match kind {
            Word::Statement => matches!(self.before, Before::Operand | Before::Brace | Before::Angle),
            _ => matches!(self.before, Before::Operand | Before::Brace),
        };
        let has_ended = self.levels.has_ended();
        match kind {
            Word::Infix if has_ended => self.levels.end_statements(),
            Word::Infix => {}
            Word::Continues => {
                self.levels.go_on();
                if starts_statement {
                    self.levels.end_expression();
                }
            }
            _ if starts_statement || has_ended => {
                self.levels.end_expression();
                self.levels.end_statements();
            }
            _ => {}
        }
    }

    /// The tokens that are left count as nested in each other, and as read as often as can be.
    fn give_up(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let parentheses = rest.matches('(').count();
        let times = if self.has_types {
            let brackets = rest.matches(['(', '[', '{']).count();
            let patterns = rest.split('(').skip(1).filter(|behind| behind.trim_start().starts_with(['[', '{', '/']));
            let tries = rest.matches('<').count() + rest.matches("infer").count() + patterns.count();
            // Each may double or triple what is in the brackets behind it.
            3_u64.saturating_pow(u32::try_from(tries.min(brackets)).unwrap_or(u32::MAX))
        } else {
            1
        };
        self.levels.give_up(tokens(rest), times.saturating_mul(1 + parentheses as u64));
    }
}
