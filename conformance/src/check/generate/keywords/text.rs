//! Texts.

use proptest::prelude::*;
use proptest::string::string_regex;
use serde_json::Value;

use super::size;

/// The longest text that is made because it may not be shorter.
const MAX_LENGTH: usize = 100_000;

/// A text of each format, as a pattern.
const FORMATS: [(&str, &str); 14] = [
    ("date-time", "20[0-9]{2}-0[1-9]-1[0-9]T1[0-9]:[0-5][0-9]:[0-5][0-9]Z"),
    ("date", "20[0-9]{2}-0[1-9]-1[0-9]"),
    ("time", "1[0-9]:[0-5][0-9]:[0-5][0-9]Z"),
    ("duration", "P[1-9]DT[1-9]H"),
    ("email", "[a-z]{1,8}@example\\.com"),
    ("hostname", "[a-z]{1,8}\\.example"),
    ("uri", "https://example\\.com/[a-z]{0,8}"),
    ("url", "https://example\\.com/[a-z]{0,8}"),
    ("uri-reference", "/[a-z]{0,8}"),
    ("uuid", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}"),
    ("ipv4", "10\\.[0-9]\\.[0-9]\\.[0-9]"),
    ("ipv6", "2001:db8::[1-9a-f]{1,4}"),
    ("json-pointer", "(/[a-z]{1,4}){0,3}"),
    ("byte", "([A-Za-z0-9]{4}){0,4}"),
];

pub(super) fn values(schema: &Value) -> BoxedStrategy<Value> {
    let word = |name: &str| schema.get(name).and_then(Value::as_str);
    let (least, most) = (size(schema, "minLength").unwrap_or(0), size(schema, "maxLength"));
    if least > MAX_LENGTH {
        return super::nothing();
    }
    let pattern = word("pattern").and_then(|pattern| string_regex(&whole(pattern)).ok());
    if let Some(made) = pattern {
        // A pattern that is not bound to the beginning allows anything before it, which makes up for what is missing.
        let is_open = word("pattern").is_some_and(|pattern| !pattern.starts_with('^'));
        let stuffed = move |text: String| {
            let missing = least.saturating_sub(text.chars().count());
            if is_open && missing > 0 { format!("{}{text}", "x".repeat(missing)) } else { text }
        };
        return made.prop_map(stuffed).prop_map(Value::from).boxed();
    }
    let format = FORMATS.iter().find(|(name, _)| word("format") == Some(*name));
    if let Some(made) = format.and_then(|(_, pattern)| string_regex(pattern).ok()) {
        return made.prop_map(Value::from).boxed();
    }
    let most = most.unwrap_or(usize::MAX).max(least);
    let character = prop_oneof![
        8 => prop::char::range('a', 'z'),
        2 => prop::sample::select(vec![' ', 'É', '日', '🙂', '"', '\\', '\n', '/', '\u{0}', '\u{2028}']),
    ];
    // A long text is as long as it has to be, and only its beginning is drawn.
    let drawn = prop::collection::vec(character, 0..=most.min(24));
    let filled = move |chars: Vec<char>| {
        let missing = least.saturating_sub(chars.len());
        Value::from(chars.into_iter().chain(std::iter::repeat_n('x', missing)).collect::<String>())
    };
    drawn.prop_map(filled).boxed()
}

/// A pattern of JSON Schema, which may match anywhere and whose classes are of ASCII, as one for a whole text.
pub(super) fn whole(pattern: &str) -> String {
    let mut whole = String::with_capacity(pattern.len());
    let (mut chars, mut is_in_class) = (pattern.strip_prefix('^').unwrap_or(pattern).chars().peekable(), false);
    while let Some(char) = chars.next() {
        match (char, is_in_class) {
            ('\\', _) => match (chars.next(), is_in_class) {
                (Some('d'), false) => whole.push_str("[0-9]"),
                (Some('d'), true) => whole.push_str("0-9"),
                (Some('w'), false) => whole.push_str("[A-Za-z0-9_]"),
                (Some('w'), true) => whole.push_str("A-Za-z0-9_"),
                (Some('s'), _) => whole.push(' '),
                (Some('/'), _) => whole.push('/'),
                (Some(other), _) => whole.extend(['\\', other]),
                (None, _) => whole.push('\\'),
            },
            ('[', false) => {
                is_in_class = true;
                whole.push('[');
            }
            // In the other dialect these begin something inside of a class.
            ('[' | '&' | '~', true) => whole.extend(['\\', char]),
            (']', true) => {
                is_in_class = false;
                whole.push(']');
            }
            ('$', false) if chars.peek().is_none() => {}
            _ => whole.push(char),
        }
    }
    whole
}
