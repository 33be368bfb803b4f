//! The values that cross between code, journal and connectors.
//!
//! A [`Json`] is text that was checked once, when it came in: normal form, tags of the right shape, within the
//! limits. Whoever holds one need not check again. `docs/values.md` has the rules, `docs/values.json` examples of
//! each.

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod plain;
mod tags;

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::json::{self, JsonError, JsonReason};

/// Bounds for one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueLimits {
    /// Length of the text in UTF-16 code units.
    pub units: u64,
    /// Levels of brackets in the text; the tags of `undefined`, numbers and big integers are none.
    pub depth: u32,
}

impl Default for ValueLimits {
    fn default() -> Self {
        Self { units: 1_000_000, depth: 512 }
    }
}

impl ValueLimits {
    /// No limits, for text that was checked when it was first stored.
    const NONE: Self = Self { units: u64::MAX, depth: u32::MAX };
}

/// One value as tagged JSON text in normal form. Cheap to clone.
#[derive(Clone)]
pub struct Json {
    text: Arc<str>,
    units: u64,
}

impl Json {
    /// Checks tagged JSON, as the sandbox and connectors with `values` = `"tagged"` give it. Bare numbers that
    /// JavaScript would change are tagged, as in [`Json::from_plain`].
    ///
    /// # Errors
    ///
    /// All kinds but [`ValueError::Tagged`].
    pub fn from_tagged(text: &str, limits: &ValueLimits) -> Result<Self, ValueError> {
        // The tag of a primitive value is no level, but has two brackets.
        let brackets = limits.depth.saturating_add(2);
        let normal = plain::settle(text, brackets).map_err(|error| ValueError::new(error, limits))?;
        tags::check(&normal, limits.depth)?;
        Self::sized(normal, limits)
    }

    /// Checks plain JSON, as connectors give it, and tags what JavaScript would change: keys that look like tags,
    /// integers beyond 2^53 that a double cannot hold, and `-0`.
    ///
    /// # Errors
    ///
    /// [`ValueError::NotJson`], [`TooDeep`](ValueError::TooDeep), [`TooLarge`](ValueError::TooLarge) (of the tagged
    /// text), [`RepeatedKey`](ValueError::RepeatedKey) and [`NumberOutOfRange`](ValueError::NumberOutOfRange).
    pub fn from_plain(text: &str, limits: &ValueLimits) -> Result<Self, ValueError> {
        Self::sized(plain::tag(text, limits.depth).map_err(|error| ValueError::new(error, limits))?, limits)
    }

    /// The same value as plain JSON, for a connector.
    ///
    /// # Errors
    ///
    /// [`ValueError::Tagged`] for the first value that JSON cannot say.
    pub fn to_plain(&self) -> Result<String, ValueError> {
        plain::untag(&self.text)
    }

    /// A JSON string with this text.
    pub fn string(text: &str) -> Self {
        let quoted = serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned());
        // Normal form escapes nothing more than this does; what remains is to measure it.
        let units = json::utf16_len(&quoted);
        Self { text: quoted.into(), units }
    }

    /// The text in normal form.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The length of the text in UTF-16 code units.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// The text in canonical form, for comparing values and for digests.
    pub fn canonical(&self) -> String {
        // Text in normal form has a canonical one; the fallback only keeps this free of panics.
        json::canonical(&self.text).unwrap_or_else(|_| self.text.as_ref().to_owned())
    }

    fn sized(text: String, limits: &ValueLimits) -> Result<Self, ValueError> {
        let units = json::utf16_len(&text);
        if units > limits.units {
            return Err(ValueError::TooLarge { units, limit: limits.units });
        }
        Ok(Self { text: text.into(), units })
    }
}

impl PartialEq for Json {
    /// By text: `1.0` and `1` differ. Compare [`Json::canonical`] for values.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Json {}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&json::cut(&self.text, 1_000))
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Json {
    /// As a string that holds the text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_tagged(&text, &ValueLimits::NONE).map_err(de::Error::custom)
    }
}

/// Why a value was refused. Paths start at the value: `.user.tags[3]`, empty for the value itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The text is no JSON.
    #[error("{}", self.about("the value"))]
    NotJson {
        /// Where, in bytes.
        offset: usize,
        /// What is wrong there.
        reason: JsonReason,
    },
    /// Too many levels of arrays and objects.
    #[error("{}", self.about("the value"))]
    TooDeep {
        /// How many levels are allowed.
        limit: u32,
    },
    /// The text is too long.
    #[error("{}", self.about("the value"))]
    TooLarge {
        /// Its length in UTF-16 code units.
        units: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// An object has the same key twice.
    #[error("{}", self.about("the value"))]
    RepeatedKey {
        /// Which member.
        path: String,
    },
    /// A number that no double can hold.
    #[error("{}", self.about("the value"))]
    NumberOutOfRange {
        /// Which number.
        path: String,
    },
    /// An object with the key `$cm` that is no tagged value.
    #[error("{}", self.about("the value"))]
    MalformedTag {
        /// Which object.
        path: String,
    },
    /// A tagged value where plain JSON is needed.
    #[error("{}", self.about("the value"))]
    Tagged {
        /// Which value.
        path: String,
        /// What it is.
        kind: TagKind,
    },
}

impl ValueError {
    /// The message, with the value under the name that its reader knows: `args`, `result`.
    pub fn about(&self, subject: &str) -> String {
        match self {
            Self::NotJson { offset, reason } => {
                format!("{subject} is not valid JSON: {reason} at byte {offset}")
            }
            Self::TooDeep { limit } => format!("{subject} is nested deeper than {limit} levels; make it flatter"),
            Self::TooLarge { units, limit } => format!(
                "{subject} is too large: {units} characters of JSON, at most {limit} are allowed; \
                 keep the data elsewhere and hand over a short pointer, for instance a file path"
            ),
            Self::RepeatedKey { path } => format!("{subject}{path} is there twice; give each key once"),
            Self::NumberOutOfRange { path } => {
                format!("{subject}{path} is beyond the range of a JavaScript number; send it as text")
            }
            Self::MalformedTag { path } => format!(
                "{subject}{path} has the reserved key \"$cm\" and is no tagged value; in tagged JSON write \
                 this key as \"$$cm\""
            ),
            Self::Tagged { path, kind } => format!("{subject}{path} is {kind}; {}", kind.advice()),
        }
    }

    /// A stable name for this kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotJson { .. } => "not-json",
            Self::TooDeep { .. } => "too-deep",
            Self::TooLarge { .. } => "too-large",
            Self::RepeatedKey { .. } => "repeated-key",
            Self::NumberOutOfRange { .. } => "number-out-of-range",
            Self::MalformedTag { .. } => "malformed-tag",
            Self::Tagged { .. } => "tagged",
        }
    }

    fn new(error: JsonError, limits: &ValueLimits) -> Self {
        let JsonError { offset, path, reason } = error;
        match reason {
            JsonReason::TooDeep { .. } => Self::TooDeep { limit: limits.depth },
            JsonReason::RepeatedKey => Self::RepeatedKey { path },
            JsonReason::NumberOutOfRange => Self::NumberOutOfRange { path },
            reason => Self::NotJson { offset, reason },
        }
    }
}

/// What a tagged value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TagKind {
    /// `undefined` in an array.
    Undefined,
    /// `NaN`, `Infinity`, `-Infinity` or `-0`.
    Number,
    /// A big integer.
    BigInt,
    /// A `Date`.
    Date,
    /// A `Map`.
    Map,
    /// A `Set`.
    Set,
    /// A `RegExp`.
    RegExp,
    /// An `Error`.
    Error,
    /// An `ArrayBuffer` or a view of one.
    Bytes,
}

impl TagKind {
    /// What to send instead, for the model.
    fn advice(self) -> &'static str {
        match self {
            Self::Undefined => "send null or leave the element out",
            Self::Number => "JSON has no such number, send null or text",
            Self::BigInt => "send it as text, String(value)",
            Self::Date => "send value.toISOString() or value.getTime()",
            Self::Map => "send Object.fromEntries(value) or [...value]",
            Self::Set => "send [...value]",
            Self::RegExp => "send value.source",
            Self::Error => "send value.message",
            Self::Bytes => "send base64 text or an array of numbers",
        }
    }
}

impl fmt::Display for TagKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undefined => "undefined",
            Self::Number => "a number that is not finite",
            Self::BigInt => "a big integer",
            Self::Date => "a Date",
            Self::Map => "a Map",
            Self::Set => "a Set",
            Self::RegExp => "a regular expression",
            Self::Error => "an Error",
            Self::Bytes => "binary data",
        })
    }
}

#[cfg(test)]
mod tests;
