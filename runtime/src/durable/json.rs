//! JSON text without loss.
//!
//! The journal compares, sizes and stores values as text. `serde_json` cannot carry them: it refuses the escapes of
//! lone surrogates, rounds numbers, and forgets repeated keys. This module works on the text itself, in one pass
//! and with an explicit stack, so no input can exhaust the thread's own.

mod number;
mod path;
mod rewrite;
mod text;

use std::fmt;

pub(crate) use number::{integer_is_exact, js_number};
pub use path::first_difference;
pub(crate) use path::{path_at, path_of_pointer};
pub(crate) use rewrite::{Keys, Members, Numbers, Style, rewrite, string_end};
pub use text::{cut, prefix, utf16_len};

/// Brings JSON text into the normal form: no white space, members in the order given, strings escaped as
/// `JSON.stringify` does, numbers as they were written.
///
/// # Errors
///
/// Text that is no JSON, a repeated key, a number beyond the range of a double, or more than `depth` levels.
pub fn normalize(text: &str, depth: u32) -> Result<String, JsonError> {
    rewrite(text, depth, Style { keys: Keys::AsWritten, numbers: Numbers::AsWritten, members: Members::AsWritten })
}

/// Brings JSON text into the canonical form: the normal form with members sorted by the UTF-16 code units of their
/// keys and numbers as JavaScript prints them. Two values are the same if and only if their canonical forms are.
///
/// An integer that a double cannot hold keeps its digits, so that it equals nothing but itself.
///
/// # Errors
///
/// As for [`normalize`], without a limit on depth.
pub fn canonical(text: &str) -> Result<String, JsonError> {
    let style = Style { keys: Keys::AsWritten, numbers: Numbers::Canonical, members: Members::Sorted };
    rewrite(text, u32::MAX, style)
}

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Where, in bytes from the start of the text.
    pub offset: usize,
    /// Which value, from the root: `.user["first name"][3]`; empty for the root itself.
    pub path: String,
    /// What is wrong there.
    pub reason: JsonReason,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for JsonError {}

/// What is wrong with a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonReason {
    /// The text stops inside a value.
    #[error("unexpected end of text")]
    UnexpectedEnd,
    /// Something else stands where a value must start.
    #[error("expected a value")]
    ExpectedValue,
    /// Something else stands where a member's key must start.
    #[error("expected a key in double quotes")]
    ExpectedKey,
    /// No `:` after a key.
    #[error("expected `:` after the key")]
    ExpectedColon,
    /// Neither `,` nor the closing bracket after a value.
    #[error("expected `,` or a closing bracket")]
    ExpectedComma,
    /// More text after the value.
    #[error("unexpected text after the value")]
    TrailingText,
    /// Digits are missing in a number.
    #[error("malformed number")]
    MalformedNumber,
    /// A number whose magnitude no double can hold.
    #[error("number beyond the range of a double")]
    NumberOutOfRange,
    /// A backslash that starts no escape.
    #[error("malformed escape in a string")]
    MalformedEscape,
    /// A control character that must be escaped.
    #[error("control character in a string")]
    ControlCharacter,
    /// Two members of one object have the same key.
    #[error("repeated key")]
    RepeatedKey,
    /// More levels of arrays and objects than allowed.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// How many levels are allowed.
        limit: u32,
    },
}

#[cfg(test)]
mod tests;
