//! Reads a schema without loss. JSON may escape half a surrogate pair, which no Rust string can hold, and may write
//! numbers that no double can hold; `serde_json` refuses both. A schema that has them is a schema all the same.
//!
//! A lone surrogate is held as a mark and four hexadecimal digits. The mark is a noncharacter, which Unicode keeps out of
//! interchange; where a text has one all the same, it is held in the same way. A number out of range becomes the
//! largest one.

use std::borrow::Cow;

use serde_json::Value;

use crate::durable::json::string_end;

const MARK: char = '\u{10ffff}';
/// How the mark itself is held.
const HELD_MARK: &str = "\u{10ffff}ffff";

/// Reads JSON whose strings may have lone surrogates, for which see [`held_escape`].
pub(crate) fn parse(json: &str) -> serde_json::Result<Value> {
    let json = held(json);
    // The kind of an error is not told; what is wrong for another reason stays so.
    serde_json::from_str(&json).or_else(|error| match in_range(&json) {
        Cow::Owned(json) => serde_json::from_str(&json),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Numbers beyond the range of a double, brought into it.
fn in_range(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(start) = json[at..].find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()).map(|n| at + n) {
        if json[start..].starts_with('"') {
            at = string_end(json, start);
            continue;
        }
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        at = json[start..].find(|c| !is_part(c)).map_or(json.len(), |n| start + n);
        if let Some(number) = json[start..at].parse::<f64>().ok().filter(|number| number.is_infinite()) {
            out.push_str(&json[kept..start]);
            out.push_str(&format!("{:e}", number.clamp(f64::MIN, f64::MAX)));
            kept = at;
        }
    }
    if kept == 0 { Cow::Borrowed(json) } else { Cow::Owned(out + &json[kept..]) }
}

/// A text that [`parse`] gave, for people: half a pair is a replacement character.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    if !text.contains(MARK) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        out.push('\u{fffd}');
        rest = held_escape(&rest[at..]).map_or(&rest[at + MARK.len_utf8()..], |(_, after)| after);
    }
    Cow::Owned(out + rest)
}

/// The escape of what is held at the start of a text that [`parse`] gave, and what follows.
pub(super) fn held_escape(text: &str) -> Option<(String, &str)> {
    let (digits, after) = text.strip_prefix(MARK)?.split_at_checked(4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xffff => Some(("\\udbff\\udfff".to_owned(), after)),
        0xd800..=0xdfff => Some((format!("\\u{digits}"), after)),
        _ => None,
    }
}

fn held(json: &str) -> Cow<'_, str> {
    if !json.contains("\\u") && !json.contains(MARK) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(['\\', MARK]) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix(MARK) {
            out.push_str(HELD_MARK);
            rest = after;
            continue;
        }
        let taken = match (escaped_unit(rest), rest.get(6..).and_then(escaped_unit)) {
            (Some(0xdbff), Some(0xdfff)) => {
                out.push_str(HELD_MARK);
                rest = &rest[12..];
                continue;
            }
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(unit @ 0xd800..=0xdfff), _) => {
                out.push(MARK);
                out.push_str(&format!("{unit:04x}"));
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            // Another escape: two characters, whatever the second one is.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The code unit that an escape at the start of the text says.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> String {
        let value = parse(json).unwrap();
        let (mut out, mut rest) = (String::new(), value.as_str().unwrap());
        while let Some(c) = rest.chars().next() {
            let (text, after) = held_escape(rest).unwrap_or_else(|| (c.to_string(), &rest[c.len_utf8()..]));
            out.push_str(&text);
            rest = after;
        }
        out
    }

    #[test]
    fn lone_surrogates_survive_and_pairs_are_characters() {
        assert_eq!(read(r#""a\ud800\"\u0041\ud83d\ude42\udc00""#), "a\\ud800\"A🙂\\udc00");
        assert_eq!(read(r#""\ud800\ud800\udc00""#), "\\ud800\u{10000}");
        assert_eq!(read(r#""\uD8aB""#), "\\ud8ab");
        assert_eq!(read(r#""\\ud800""#), "\\ud800", "an escaped backslash starts no escape");
        assert_eq!(parse(r#""\\ud800""#).unwrap(), "\\ud800");
    }

    #[test]
    fn the_mark_itself_survives() {
        assert_eq!(read("\"\u{10ffff}d800\""), "\\udbff\\udfffd800");
        assert_eq!(read(r#""\udbff\udfffd800""#), "\\udbff\\udfffd800");
    }

    #[test]
    fn numbers_out_of_range_are_the_largest_ones() {
        let read = parse(r#"{"a":1e400,"b":-1E+999,"c":"1e400 \"-1e999\"","d":[1.5,1e308,2e-999]}"#).unwrap();
        let largest = f64::MAX;
        assert_eq!(
            read,
            serde_json::json!({"a": largest, "b": -largest, "c": "1e400 \"-1e999\"", "d": [1.5, 1e308, 0.0]})
        );
        for text in ["1e400x", "[1e400", "1e400e", "\"1e400", "--1e400"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn people_read_a_replacement_character() {
        let text = parse(r#""a\ud800b\udbff\udfffc""#).unwrap();
        assert_eq!(readable(text.as_str().unwrap()), "a\u{fffd}b\u{fffd}c");
        assert_eq!(readable("plain"), "plain");
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "\"\\u12\"", "\"\\", "{\"\\ud800", "\\ud800", "\u{10ffff}"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
