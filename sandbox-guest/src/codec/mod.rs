//! Values as the journal keeps them: the tagged JSON of `docs/values.md`, in both directions.
//!
//! Encoding happens natively and stops as soon as a limit is passed, so a value that would explode costs no more than
//! the limit. Whatever the code replaced in the language's built-ins has no influence on it.

mod decode;
mod encode;
mod path;
mod tags;
mod write;

pub use decode::{decode, view};
pub use encode::{collect, encode, regexp_flags, visible_bytes};

/// Why a value has no encoding.
pub enum Refusal {
    TooLarge,
    TooDeep,
    /// The path to the repeat.
    Cyclic(String),
    /// The path, and what is there.
    Unsupported(String, &'static str),
}

pub enum Failure {
    Refused(Refusal),
    /// A getter or `toJSON` threw; the exception is pending.
    Thrown,
}

impl From<rquickjs::Error> for Failure {
    fn from(_: rquickjs::Error) -> Self {
        Self::Thrown
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Whether a key has to be escaped, or once was: one or more `$`, then `cm`.
fn looks_like_tag(key: &[u8]) -> bool {
    key.strip_suffix(b"cm").is_some_and(|dollars| !dollars.is_empty() && dollars.iter().all(|byte| *byte == b'$'))
}
