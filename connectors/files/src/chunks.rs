//! Where the text of a file is: in pieces that fit into a value of the state. Every piece but the last has the same
//! number of units, so a place in the text is a piece and a place in it, and nothing has to be searched for.

use std::ops::Range;

use crate::codemode::component::state::{self, Scope};
use crate::codemode::component::types::CallError;
use crate::text::{pack, unpack};
use crate::{failed, refused};

/// Units of one piece. At two bytes each, a piece stays below the 1,000,000 bytes of a value.
const CHUNK: usize = 400_000;

/// The pieces of one text.
pub(crate) struct Chunks {
    scope: Scope,
    prefix: String,
}

impl Chunks {
    /// What a file has now.
    pub(crate) fn of_file(path: &str) -> Self {
        Self { scope: Scope::Connector, prefix: format!("text/{path}") }
    }

    /// What a file had before the call with that key; it goes with the record of the execution.
    pub(crate) fn kept_for(key: &str) -> Self {
        Self { scope: Scope::Execution, prefix: format!("kept/{key}") }
    }

    /// The units of that range; `None` where not all of it is there.
    pub(crate) fn read(&self, range: Range<usize>) -> Result<Option<Vec<u16>>, CallError> {
        let mut text = Vec::with_capacity(range.len());
        let mut at = range.start;
        while at < range.end {
            let start = at % CHUNK;
            let end = (start + range.end - at).min(CHUNK);
            let chunk = self.get(at / CHUNK)?;
            let Some(part) = chunk.as_deref().and_then(|units| units.get(start..end)) else { return Ok(None) };
            text.extend_from_slice(part);
            at += part.len();
        }
        Ok(Some(text))
    }

    /// Puts the text where the first `size` units end.
    pub(crate) fn append(&self, size: usize, text: &[u16]) -> Result<(), CallError> {
        let (mut at, mut rest) = (size, text);
        while !rest.is_empty() {
            let start = at % CHUNK;
            let mut chunk = self.start_of(at)?;
            let (part, left) = rest.split_at(rest.len().min(CHUNK - start));
            chunk.extend_from_slice(part);
            self.set(at / CHUNK, &chunk)?;
            at += part.len();
            rest = left;
        }
        Ok(())
    }

    /// Shortens a text of `from` units to its first `to`.
    pub(crate) fn cut(&self, from: usize, to: usize) -> Result<(), CallError> {
        let last = self.start_of(to)?;
        if !last.is_empty() {
            self.set(to / CHUNK, &last)?;
        }
        self.remove(from, to)
    }

    /// Removes the pieces that a text of `from` units has and one of `to` units has not.
    pub(crate) fn remove(&self, from: usize, to: usize) -> Result<(), CallError> {
        for n in to.div_ceil(CHUNK)..from.div_ceil(CHUNK) {
            state::delete(self.scope, &self.key(n)).map_err(refused)?;
        }
        Ok(())
    }

    /// Copies a text of `size` units to another place.
    pub(crate) fn copy(&self, to: &Self, size: usize) -> Result<(), CallError> {
        for n in 0..size.div_ceil(CHUNK) {
            let bytes = state::get(self.scope, &self.key(n)).map_err(refused)?.ok_or_else(damaged)?;
            state::set(to.scope, &to.key(n), &bytes).map_err(refused)?;
        }
        Ok(())
    }

    /// What stands before `at` in its piece.
    fn start_of(&self, at: usize) -> Result<Vec<u16>, CallError> {
        let start = at % CHUNK;
        if start == 0 {
            return Ok(Vec::new());
        }
        let mut chunk = self.get(at / CHUNK)?.filter(|units| units.len() >= start).ok_or_else(damaged)?;
        chunk.truncate(start);
        Ok(chunk)
    }

    /// A path has no tab, so the keys of two files never meet.
    fn key(&self, n: usize) -> String {
        format!("{}\t{n:04}", self.prefix)
    }

    fn get(&self, n: usize) -> Result<Option<Vec<u16>>, CallError> {
        match state::get(self.scope, &self.key(n)).map_err(refused)? {
            Some(bytes) => unpack(&bytes).map(Some).ok_or_else(damaged),
            None => Ok(None),
        }
    }

    fn set(&self, n: usize, units: &[u16]) -> Result<(), CallError> {
        state::set(self.scope, &self.key(n), &pack(units)).map_err(refused)
    }
}

/// What the state holds is not what was put there.
pub(crate) fn damaged() -> CallError {
    failed("internal", "what is stored of this file is damaged")
}
