//! What the code passed, checked member by member; every refusal says what the method expects and what it got.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::codemode::component::types::CallError;
use crate::write::Mode;
use crate::{failed, text};

/// The longest path, in UTF-16 code units. Even at three bytes each it leaves room in a key of the state.
pub(crate) const MAX_PATH: usize = 300;
/// The most files on one page.
pub(crate) const MAX_PAGE: u32 = 1_000;
/// Files on one page where nobody says how many.
pub(crate) const PAGE: u32 = 100;

/// The members of one argument, each as it was written: a text may have halves of surrogate pairs.
pub(crate) struct Args {
    expected: &'static str,
    members: BTreeMap<String, Box<RawValue>>,
}

impl Args {
    /// Takes the argument of a method apart. `expected` is its shape, for refusals.
    pub(crate) fn of(args: Option<&str>, expected: &'static str, known: &[&str]) -> Result<Self, CallError> {
        let empty = Self { expected, members: BTreeMap::new() };
        let Some(args) = args else { return Ok(empty) };
        let Ok(members) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(args) else {
            return Err(empty.invalid("a value that is no object"));
        };
        if let Some(unknown) = members.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(empty.invalid(&format!("an unknown member {unknown:?}")));
        }
        Ok(Self { members, ..empty })
    }

    pub(crate) fn path(&self) -> Result<String, CallError> {
        let path = self.name("path")?.ok_or_else(|| self.invalid("no `path`"))?;
        if path.is_empty() { Err(self.invalid("an empty `path`")) } else { Ok(path) }
    }

    /// A path or a part of one.
    pub(crate) fn name(&self, member: &str) -> Result<Option<String>, CallError> {
        let Some(raw) = self.members.get(member) else { return Ok(None) };
        if !raw.get().starts_with('"') {
            return Err(self.invalid(&format!("a `{member}` that is no string")));
        }
        let Ok(name) = serde_json::from_str::<String>(raw.get()) else {
            return Err(self.invalid(&format!("a `{member}` with half of a surrogate pair")));
        };
        let units = name.encode_utf16().count();
        if units > MAX_PATH {
            return Err(self.invalid(&format!("a `{member}` of {units} characters; the limit is {MAX_PATH}")));
        }
        match name.chars().find(|c| c.is_control()) {
            Some(control) => Err(self.invalid(&format!("a `{member}` with the control character {control:?}"))),
            None => Ok(Some(name)),
        }
    }

    pub(crate) fn text(&self) -> Result<Vec<u16>, CallError> {
        let raw = self.members.get("text").ok_or_else(|| self.invalid("no `text`"))?;
        text::from_json(raw.get())
            .ok_or_else(|| self.invalid("a `text` that is no string (JSON.stringify makes one of other values)"))
    }

    pub(crate) fn mode(&self) -> Result<Mode, CallError> {
        match self.members.get("append").map(|raw| raw.get()) {
            Some("true") => Ok(Mode::Append),
            Some("false") | None => Ok(Mode::Replace),
            Some(_) => Err(self.invalid("an `append` that is neither true nor false")),
        }
    }

    /// A whole number from 0; one beyond what a text can have is as good as the largest.
    pub(crate) fn count(&self, member: &str) -> Result<Option<usize>, CallError> {
        let Some(raw) = self.members.get(member) else { return Ok(None) };
        let Ok(count) = raw.get().parse::<u64>() else {
            return Err(self.invalid(&format!("a `{member}` that is no whole number from 0")));
        };
        Ok(Some(usize::try_from(count).unwrap_or(usize::MAX)))
    }

    pub(crate) fn limit(&self) -> Result<u32, CallError> {
        let Some(limit) = self.count("limit")? else { return Ok(PAGE) };
        match u32::try_from(limit) {
            Ok(limit) if (1..=MAX_PAGE).contains(&limit) => Ok(limit),
            _ => Err(self.invalid(&format!("a `limit` that is not from 1 to {MAX_PAGE}"))),
        }
    }

    fn invalid(&self, got: &str) -> CallError {
        failed("invalid-arguments", format!("{}; it got {got}", self.expected))
    }
}
