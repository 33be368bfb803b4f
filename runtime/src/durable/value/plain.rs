//! Plain JSON to tagged JSON and back.

use super::{TagKind, ValueError, tags};
use crate::durable::json::{JsonError, Keys, Members, Numbers, Style, path_at, rewrite, string_end};

/// Tags what plain JSON text says differently.
pub(super) fn tag(text: &str, depth: u32) -> Result<String, JsonError> {
    rewrite(text, depth, Style { keys: Keys::Escaped, numbers: Numbers::Tagged, members: Members::AsWritten })
}

/// Tags the numbers in tagged text that JavaScript would change.
pub(super) fn settle(text: &str, depth: u32) -> Result<String, JsonError> {
    rewrite(text, depth, Style { keys: Keys::AsWritten, numbers: Numbers::Tagged, members: Members::AsWritten })
}

/// Takes the tags away again. `text` is checked tagged text in normal form.
pub(super) fn untag(text: &str) -> Result<String, ValueError> {
    let mut out = String::with_capacity(text.len());
    // What was written last: everything from here to the current place is still to be copied.
    let mut copied = 0;
    let mut at = 0;
    // In normal form a string is a key if and only if a colon follows at once, so no stack is needed.
    while let Some(quote) = text.get(at..).and_then(|rest| rest.find('"')).map(|next| at + next) {
        at = string_end(text, quote);
        let is_key = text.as_bytes().get(at) == Some(&b':');
        if !is_key || !text[quote..].starts_with("\"$") {
            continue;
        }
        match &text[quote + 1..at - 1] {
            // Negative zero is the one tagged value that JSON can say.
            "$cm" if text[at..].starts_with(tags::NEGATIVE_ZERO_REST) => {
                out.push_str(&text[copied..quote - 1]);
                out.push_str("-0");
                at += tags::NEGATIVE_ZERO_REST.len();
                copied = at;
            }
            "$cm" => {
                let kind = tags::kind_at(text, at).unwrap_or(TagKind::Undefined);
                return Err(ValueError::Tagged { path: path_at(text, quote), kind });
            }
            key if key.trim_start_matches('$') == "cm" => {
                out.push_str(&text[copied..=quote]);
                copied = quote + 2;
            }
            _ => {}
        }
    }
    out.push_str(&text[copied..]);
    Ok(out)
}
