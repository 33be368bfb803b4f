//! The shape of tagged values.

use super::{TagKind, ValueError};
use crate::durable::json::{path_at, string_end};

/// What follows the key of a tagged negative zero.
pub(super) const NEGATIVE_ZERO_REST: &str = r#":["number","-0"]}"#;

const TAG: &str = r#"{"$cm":"#;

/// Views over binary data and the size of their elements.
const VIEWS: [(&str, usize); 14] = [
    ("ArrayBuffer", 1),
    ("DataView", 1),
    ("Int8Array", 1),
    ("Uint8Array", 1),
    ("Uint8ClampedArray", 1),
    ("Int16Array", 2),
    ("Uint16Array", 2),
    ("Float16Array", 2),
    ("Int32Array", 4),
    ("Uint32Array", 4),
    ("Float32Array", 4),
    ("Float64Array", 8),
    ("BigInt64Array", 8),
    ("BigUint64Array", 8),
];

/// The kind of the tag whose key ends at `at` in checked text.
pub(super) fn kind_at(text: &str, at: usize) -> Option<TagKind> {
    let rest = text.get(at..)?.strip_prefix(":[\"")?;
    kind_named(rest.split('"').next()?)
}

fn kind_named(name: &str) -> Option<TagKind> {
    Some(match name {
        "undefined" => TagKind::Undefined,
        "number" => TagKind::Number,
        "bigint" => TagKind::BigInt,
        "date" => TagKind::Date,
        "map" => TagKind::Map,
        "set" => TagKind::Set,
        "regexp" => TagKind::RegExp,
        "error" => TagKind::Error,
        "bytes" => TagKind::Bytes,
        _ => return None,
    })
}

/// Checks each tag, and the depth of the text; tags that stand for a primitive value are no levels. `text` is in
/// normal form.
pub(super) fn check(text: &str, depth: u32) -> Result<(), ValueError> {
    let mut checker = Checker { text, at: 0, open: Vec::new(), levels: 0, depth };
    checker.run().map_err(|refusal| match refusal {
        Refusal::Malformed(at) => ValueError::MalformedTag { path: path_at(text, at) },
        Refusal::TooDeep => ValueError::TooDeep { limit: depth },
    })
}

enum Refusal {
    /// The tag at this offset.
    Malformed(usize),
    TooDeep,
}

/// An open container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Array,
    Object,
    /// The list of a map's pairs, with the offset of its tag.
    Map(usize),
    /// One pair of a map and how many commas it has so far.
    Pair(usize, u8),
    /// The members of a set or an error, behind which the tag itself ends.
    Members(usize),
}

impl Open {
    /// How many brackets it has in the text.
    fn levels(self) -> u32 {
        match self {
            Self::Array | Self::Object | Self::Pair(..) => 1,
            Self::Map(_) | Self::Members(_) => 3,
        }
    }
}

struct Checker<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Open>,
    levels: u32,
    depth: u32,
}

impl Checker<'_> {
    fn run(&mut self) -> Result<(), Refusal> {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            if let (Some(&Open::Map(tag)), b'{' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') =
                (self.open.last(), byte)
            {
                return Err(Refusal::Malformed(tag));
            }
            match byte {
                b'{' if self.text[self.at..].starts_with(TAG) => self.tag()?,
                b'{' => {
                    self.enter(Open::Object)?;
                    self.at += 1;
                }
                b'[' => self.array()?,
                b']' | b'}' => self.leave()?,
                b',' => self.comma()?,
                b'"' => self.string()?,
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    fn enter(&mut self, open: Open) -> Result<(), Refusal> {
        self.room_for(open.levels())?;
        self.levels += open.levels();
        self.open.push(open);
        Ok(())
    }

    fn room_for(&self, levels: u32) -> Result<(), Refusal> {
        if levels > self.depth.saturating_sub(self.levels) { Err(Refusal::TooDeep) } else { Ok(()) }
    }

    fn array(&mut self) -> Result<(), Refusal> {
        match self.open.last() {
            Some(&Open::Map(tag)) => self.enter(Open::Pair(tag, 0))?,
            _ => self.enter(Open::Array)?,
        }
        self.at += 1;
        Ok(())
    }

    fn comma(&mut self) -> Result<(), Refusal> {
        match self.open.last_mut() {
            Some(Open::Pair(tag, commas @ 0)) => {
                let _ = tag;
                *commas = 1;
            }
            Some(Open::Pair(tag, _)) => return Err(Refusal::Malformed(*tag)),
            _ => {}
        }
        self.at += 1;
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Refusal> {
        self.at += 1;
        let Some(open) = self.open.pop() else { return Ok(()) };
        self.levels = self.levels.saturating_sub(open.levels());
        match open {
            Open::Pair(_, 1) | Open::Array | Open::Object => Ok(()),
            Open::Pair(tag, _) => Err(Refusal::Malformed(tag)),
            Open::Map(tag) | Open::Members(tag) => self.expect("]}", tag),
        }
    }

    fn string(&mut self) -> Result<(), Refusal> {
        let end = string_end(self.text, self.at);
        // A real tag is read as a whole, so its key never comes here.
        if &self.text[self.at..end] == "\"$cm\"" && self.text.as_bytes().get(end) == Some(&b':') {
            return Err(Refusal::Malformed(self.at));
        }
        self.at = end;
        Ok(())
    }

    fn tag(&mut self) -> Result<(), Refusal> {
        let tag = self.at;
        self.at += TAG.len();
        self.expect("[", tag)?;
        let kind = self.word(tag)?;
        let kind = kind_named(kind).ok_or(Refusal::Malformed(tag))?;
        if matches!(kind, TagKind::Date | TagKind::RegExp | TagKind::Bytes) {
            self.room_for(2)?;
        }
        match kind {
            TagKind::Undefined => {}
            TagKind::Number => {
                let name = self.part(tag)?;
                require(matches!(name, "NaN" | "Infinity" | "-Infinity" | "-0"), tag)?;
            }
            TagKind::BigInt => require(is_integer(self.part(tag)?), tag)?,
            TagKind::Date => self.date(tag)?,
            TagKind::RegExp => {
                self.part(tag)?;
                require(are_flags(self.part(tag)?), tag)?;
            }
            TagKind::Bytes => {
                let view = self.part(tag)?;
                let size = VIEWS.iter().find(|(name, _)| *name == view).ok_or(Refusal::Malformed(tag))?.1;
                let length = base64_length(self.part(tag)?).ok_or(Refusal::Malformed(tag))?;
                require(length % size == 0, tag)?;
            }
            TagKind::Map => {
                self.expect(",[", tag)?;
                return self.enter(Open::Map(tag));
            }
            TagKind::Set => {
                self.expect(",[", tag)?;
                return self.enter(Open::Members(tag));
            }
            TagKind::Error => {
                self.expect(",{\"name\":", tag)?;
                self.word(tag)?;
                self.expect(",\"message\":", tag)?;
                self.word(tag)?;
                return self.enter(Open::Members(tag));
            }
        }
        self.expect("]}", tag)
    }

    fn date(&mut self, tag: usize) -> Result<(), Refusal> {
        self.expect(",", tag)?;
        let rest = &self.text[self.at..];
        let time = &rest[..rest.find(']').unwrap_or(rest.len())];
        // The range of a `Date`: 100,000,000 days on both sides of 1970.
        let valid = is_integer(time) && time.parse::<i64>().is_ok_and(|ms| ms.abs() <= 8_640_000_000_000_000);
        require(valid || time == "null", tag)?;
        self.at += time.len();
        Ok(())
    }

    fn expect(&mut self, text: &str, tag: usize) -> Result<(), Refusal> {
        require(self.text[self.at..].starts_with(text), tag)?;
        self.at += text.len();
        Ok(())
    }

    /// A further part that must be a string; without its quotes.
    fn part(&mut self, tag: usize) -> Result<&str, Refusal> {
        self.expect(",", tag)?;
        self.word(tag)
    }

    fn word(&mut self, tag: usize) -> Result<&str, Refusal> {
        require(self.text[self.at..].starts_with('"'), tag)?;
        let from = self.at;
        self.at = string_end(self.text, from);
        Ok(&self.text[from + 1..self.at - 1])
    }
}

fn require(condition: bool, tag: usize) -> Result<(), Refusal> {
    if condition { Ok(()) } else { Err(Refusal::Malformed(tag)) }
}

/// Decimal digits as a big integer prints them.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let zero_led = digits.starts_with('0') && text != "0";
    !digits.is_empty() && !zero_led && digits.bytes().all(|b| b.is_ascii_digit())
}

fn are_flags(text: &str) -> bool {
    let known = text.bytes().all(|b| b"dgimsuvy".contains(&b));
    let repeated = text.bytes().enumerate().any(|(at, b)| text.as_bytes()[..at].contains(&b));
    known && !repeated && !(text.contains('u') && text.contains('v'))
}

/// How many bytes padded base64 stands for; `None` unless it is exactly what an encoder writes.
fn base64_length(text: &str) -> Option<usize> {
    let value = |b: u8| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    if !text.len().is_multiple_of(4) || padding > 2 || !body.bytes().all(|b| value(b).is_some()) {
        return None;
    }
    // The bits that padding leaves over must be zero.
    let last = body.bytes().last().and_then(value).unwrap_or(0);
    let spare = [0, 0b11, 0b1111][padding];
    (last & spare == 0).then(|| text.len() / 4 * 3 - padding)
}
