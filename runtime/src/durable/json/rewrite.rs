//! The one scanner: reads JSON text and writes it in another style, with its own stack.

use std::cmp::Ordering;

use super::{JsonError, JsonReason, integer_is_exact, js_number, path};

/// How the text is written anew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) keys: Keys,
    pub(crate) numbers: Numbers,
    pub(crate) members: Members,
}

/// What happens to keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    AsWritten,
    /// Keys that would read as a tag get one more `$` in front.
    Escaped,
}

/// What happens to numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    AsWritten,
    /// As JavaScript prints them.
    Canonical,
    /// What JavaScript would change becomes a tag.
    Tagged,
}

/// What happens to the order of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    AsWritten,
    /// By the UTF-16 code units of their keys.
    Sorted,
}

/// Writes `text` in the given style.
pub(crate) fn rewrite(text: &str, depth: u32, style: Style) -> Result<String, JsonError> {
    let mut rewriter = Rewriter {
        text,
        at: 0,
        depth,
        style,
        out: String::with_capacity(text.len()),
        frames: Vec::new(),
        members: Vec::new(),
    };
    match rewriter.run() {
        Ok(()) => Ok(rewriter.out),
        Err(reason) => Err(JsonError { offset: rewriter.at, path: rewriter.path(), reason }),
    }
}

/// The offset just behind a string's closing quote; `at` is its opening quote, the text well-formed.
pub(crate) fn string_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at + 1;
    while let Some(&b) = bytes.get(end) {
        match b {
            b'"' => return end + 1,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    bytes.len()
}

struct Rewriter<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    style: Style,
    out: String,
    frames: Vec<Frame>,
    /// The members of all open objects, the outermost first.
    members: Vec<Member>,
}

#[derive(Clone, Copy)]
enum Frame {
    /// How many elements came before the current one.
    Array(usize),
    /// Where its members start in `members`.
    Object(usize),
}

/// Offsets in the text written so far.
#[derive(Clone, Copy)]
struct Member {
    start: usize,
    key_end: usize,
}

impl Rewriter<'_> {
    fn run(&mut self) -> Result<(), JsonReason> {
        loop {
            self.value()?;
            // A value may close several containers at once; an opened one has its first value next.
            while self.value_ended() {
                let next = self.peek_after_space();
                match (self.frames.last_mut(), next) {
                    (None, None) => return Ok(()),
                    (None, Some(_)) => return Err(JsonReason::TrailingText),
                    (Some(Frame::Array(count)), Some(b',')) => {
                        *count += 1;
                        self.structural(',');
                        break;
                    }
                    (Some(Frame::Object(_)), Some(b',')) => {
                        self.structural(',');
                        self.key()?;
                        break;
                    }
                    (Some(Frame::Array(_)), Some(b']')) => {
                        self.structural(']');
                        self.frames.pop();
                    }
                    (Some(&mut Frame::Object(from)), Some(b'}')) => self.close_object(from)?,
                    (Some(_), None) => return Err(JsonReason::UnexpectedEnd),
                    (Some(_), Some(_)) => return Err(JsonReason::ExpectedComma),
                }
            }
        }
    }

    /// Whether a value has just ended, in contrast to a container that has just been opened.
    fn value_ended(&self) -> bool {
        !matches!(self.out.as_bytes().last(), Some(b'[' | b':'))
    }

    /// Writes one scalar or empty container, or opens a container up to where its first value starts.
    fn value(&mut self) -> Result<(), JsonReason> {
        match self.peek_after_space() {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'{') => {
                self.open(Frame::Object(self.members.len()), '{')?;
                match self.peek_after_space() {
                    Some(b'}') => self.close_object(self.members.len()),
                    _ => self.key(),
                }
            }
            Some(b'[') => {
                self.open(Frame::Array(0), '[')?;
                if self.peek_after_space() == Some(b']') {
                    self.structural(']');
                    self.frames.pop();
                }
                Ok(())
            }
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(_) => Err(JsonReason::ExpectedValue),
            None => Err(JsonReason::UnexpectedEnd),
        }
    }

    fn peek_after_space(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at).copied() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other,
            }
        }
    }

    fn structural(&mut self, c: char) {
        self.at += 1;
        self.out.push(c);
    }

    fn open(&mut self, frame: Frame, bracket: char) -> Result<(), JsonReason> {
        if self.frames.len() as u64 >= u64::from(self.depth) {
            return Err(JsonReason::TooDeep { limit: self.depth });
        }
        self.structural(bracket);
        self.frames.push(frame);
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), JsonReason> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(JsonReason::ExpectedValue);
        }
        self.at += word.len();
        self.out.push_str(word);
        Ok(())
    }

    fn key(&mut self) -> Result<(), JsonReason> {
        match self.peek_after_space() {
            Some(b'"') => {}
            Some(_) => return Err(JsonReason::ExpectedKey),
            None => return Err(JsonReason::UnexpectedEnd),
        }
        let start = self.out.len();
        self.string()?;
        if self.style.keys == Keys::Escaped && reads_as_tag(&self.out[start + 1..self.out.len() - 1]) {
            self.out.insert(start + 1, '$');
        }
        self.members.push(Member { start, key_end: self.out.len() });
        match self.peek_after_space() {
            Some(b':') => self.structural(':'),
            Some(_) => return Err(JsonReason::ExpectedColon),
            None => return Err(JsonReason::UnexpectedEnd),
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), JsonReason> {
        let bytes = self.text.as_bytes();
        self.structural('"');
        loop {
            let from = self.at;
            while bytes.get(self.at).is_some_and(|&b| b >= 0x20 && b != b'"' && b != b'\\') {
                self.at += 1;
            }
            self.out.push_str(&self.text[from..self.at]);
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(JsonReason::ControlCharacter),
                None => return Err(JsonReason::UnexpectedEnd),
            }
        }
        self.structural('"');
        Ok(())
    }

    fn escape(&mut self) -> Result<(), JsonReason> {
        let bytes = self.text.as_bytes();
        let Some(&kind) = bytes.get(self.at + 1) else { return Err(JsonReason::UnexpectedEnd) };
        match kind {
            b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => {
                self.out.push_str(&self.text[self.at..self.at + 2]);
                self.at += 2;
            }
            b'/' => {
                self.out.push('/');
                self.at += 2;
            }
            b'u' => {
                let unit = hex4(bytes, self.at + 2).ok_or(JsonReason::MalformedEscape)?;
                let low = if matches!(unit, 0xD800..=0xDBFF) && bytes[self.at + 6..].starts_with(b"\\u") {
                    hex4(bytes, self.at + 8).filter(|low| matches!(low, 0xDC00..=0xDFFF))
                } else {
                    None
                };
                self.at += if low.is_some() { 12 } else { 6 };
                push_unit(&mut self.out, unit, low);
            }
            _ => return Err(JsonReason::MalformedEscape),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonReason> {
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| {
            let from = at;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            (at > from).then_some(at).ok_or(JsonReason::MalformedNumber)
        };
        let start = self.at;
        let mut end = start + usize::from(bytes[start] == b'-');
        end = if bytes.get(end) == Some(&b'0') { end + 1 } else { digits(end)? };
        let whole_end = end;
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1)?;
        }
        let mut exponent = false;
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            exponent = true;
            end = digits(end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-'))))?;
        }
        let text = &self.text[start..end];
        if (exponent || whole_end - start > 300) && !text.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(JsonReason::NumberOutOfRange);
        }
        self.write_number(text, whole_end == end);
        self.at = end;
        Ok(())
    }

    fn write_number(&mut self, text: &str, integer: bool) {
        let short = integer && text.len() <= 15 && text != "-0";
        match self.style.numbers {
            Numbers::Canonical if !short && (!integer || integer_is_exact(text)) => {
                self.out.push_str(&js_number(text.parse().unwrap_or(0.0)));
            }
            Numbers::Tagged if !short && integer && !integer_is_exact(text) => {
                self.out.extend(["{\"$cm\":[\"bigint\",\"", text, "\"]}"]);
            }
            Numbers::Tagged if text.starts_with('-') && text.parse() == Ok(0.0) => {
                self.out.push_str("{\"$cm\":[\"number\",\"-0\"]}");
            }
            _ => self.out.push_str(text),
        }
    }

    fn close_object(&mut self, from: usize) -> Result<(), JsonReason> {
        self.check_members(from)?;
        self.members.truncate(from);
        self.frames.pop();
        self.structural('}');
        Ok(())
    }

    /// Refuses repeated keys and sorts where the style says so. Objects that come sorted cost one comparison a member.
    fn check_members(&mut self, from: usize) -> Result<(), JsonReason> {
        let out = &self.out;
        let key = |member: &Member| &out[member.start + 1..member.key_end - 1];
        let open = &self.members[from..];
        if self.style.members == Members::AsWritten && open.len() <= 8 {
            let repeated = |at: usize| open[..at].iter().any(|before| key(before) == key(&open[at]));
            return match (1..open.len()).find(|&at| repeated(at)) {
                None => Ok(()),
                Some(last) => {
                    self.members.truncate(from + last + 1);
                    Err(JsonReason::RepeatedKey)
                }
            };
        }
        if open.windows(2).all(|two| compare_keys(key(&two[0]), key(&two[1])) == Ordering::Less) {
            return Ok(());
        }
        let mut order: Vec<usize> = (0..open.len()).collect();
        order.sort_by(|&a, &b| compare_keys(key(&open[a]), key(&open[b])));
        if let Some(two) = order.windows(2).find(|two| key(&open[two[0]]) == key(&open[two[1]])) {
            // The path is that of the last member left.
            let last = from + two[1];
            self.members.truncate(last + 1);
            return Err(JsonReason::RepeatedKey);
        }
        if self.style.members == Members::Sorted {
            let start = open[0].start;
            let mut sorted = String::with_capacity(out.len() - start);
            for &at in &order {
                if !sorted.is_empty() {
                    sorted.push(',');
                }
                let end = open.get(at + 1).map_or(out.len(), |next| next.start - 1);
                sorted.push_str(&out[open[at].start..end]);
            }
            self.out.truncate(start);
            self.out.push_str(&sorted);
        }
        Ok(())
    }

    /// Where the scanner stands.
    fn path(&self) -> String {
        let mut path = path::Path::default();
        for (level, frame) in self.frames.iter().enumerate() {
            match *frame {
                Frame::Array(count) => path.index(count),
                Frame::Object(from) => {
                    let end = self.frames[level + 1..].iter().find_map(|frame| match frame {
                        Frame::Object(next) => Some(*next),
                        Frame::Array(_) => None,
                    });
                    let open = &self.members[from..end.unwrap_or(self.members.len()).max(from)];
                    if let Some(member) = open.last() {
                        let key = &self.out[member.start + 1..member.key_end - 1];
                        let escaped = self.style.keys == Keys::Escaped && reads_as_tag(key);
                        path.key(if escaped { &key[1..] } else { key });
                    }
                }
            }
        }
        path.finish()
    }
}

/// Whether a key is one or more `$` followed by `cm`.
fn reads_as_tag(key: &str) -> bool {
    key.strip_suffix("cm").is_some_and(|dollars| !dollars.is_empty() && dollars.bytes().all(|b| b == b'$'))
}

/// Compares two keys in normal form by their UTF-16 code units.
pub(super) fn compare_keys(a: &str, b: &str) -> Ordering {
    let plain = |key: &str| key.is_ascii() && !key.contains('\\');
    if plain(a) && plain(b) { a.cmp(b) } else { units(a).cmp(units(b)) }
}

/// The UTF-16 code units of a string in normal form.
fn units(text: &str) -> impl Iterator<Item = u16> {
    let mut chars = text.chars();
    let mut low = None;
    std::iter::from_fn(move || {
        if let Some(unit) = low.take() {
            return Some(unit);
        }
        let c = match chars.next()? {
            '\\' => match chars.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let digits = chars.as_str().get(..4)?;
                    chars = chars.as_str()[4..].chars();
                    return u16::from_str_radix(digits, 16).ok();
                }
                same => same,
            },
            c => c,
        };
        let mut pair = [0; 2];
        let encoded = c.encode_utf16(&mut pair);
        low = encoded.get(1).copied();
        encoded.first().copied()
    })
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |unit, &b| Some(unit * 16 + char::from(b).to_digit(16)?))
}

/// Writes an escaped code unit, or pair of them, in normal form.
fn push_unit(out: &mut String, unit: u32, low: Option<u32>) {
    let code = low.map_or(unit, |low| 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
    match char::from_u32(code) {
        Some('"') => out.push_str("\\\""),
        Some('\\') => out.push_str("\\\\"),
        Some('\u{8}') => out.push_str("\\b"),
        Some('\u{c}') => out.push_str("\\f"),
        Some('\n') => out.push_str("\\n"),
        Some('\r') => out.push_str("\\r"),
        Some('\t') => out.push_str("\\t"),
        Some(c) if c >= ' ' => out.push(c),
        // Other controls, and surrogates without their other half.
        _ => out.push_str(&format!("\\u{code:04x}")),
    }
}
