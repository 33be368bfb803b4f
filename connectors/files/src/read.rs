//! The methods that change nothing.

use serde_json::{Value, json};

use crate::change::{Change, What};
use crate::chunks::{Chunks, damaged};
use crate::codemode::component::state::{self, Scope};
use crate::codemode::component::types::CallError;
use crate::head::{HEADS, Head};
use crate::{failed, refused, text};

/// How often a read looks again when the file changes under it.
const ATTEMPTS: usize = 5;

/// Where the text is that a call has to see.
#[derive(PartialEq, Eq)]
enum Source {
    Missing,
    /// The first `size` units of what the file has now.
    File {
        head: Head,
        size: usize,
    },
    /// The first `size` units of what the call with that key found.
    Kept {
        key: String,
        size: usize,
    },
}

/// A part of a file as JSON: `length` units from `offset`, fewer where the text ends before.
///
/// A read is performed again on replay. Calls of the same execution that come after it have changed the file by then, so
/// it looks behind their changes, and gets what it got the first time. It does not look behind those of others.
pub(crate) fn read(seq: u32, path: &str, offset: usize, length: usize) -> Result<String, CallError> {
    for _ in 0..ATTEMPTS {
        let source = locate(seq, path)?;
        let (place, size) = match &source {
            Source::Missing => (None, 0),
            Source::File { size, .. } => (Some(Chunks::of_file(path)), *size),
            Source::Kept { key, size } => (Some(Chunks::kept_for(key)), *size),
        };
        let start = offset.min(size);
        let found = match &place {
            Some(chunks) => chunks.read(start..start.saturating_add(length).min(size))?,
            None => None,
        };
        // The pieces were read one after the other; what was committed between would mix two texts.
        if locate(seq, path)? == source {
            return match (place, found) {
                (_, Some(units)) => Ok(text::to_json(&units)),
                (Some(_), None) => Err(damaged()),
                (None, _) => {
                    Err(failed("not-found", format!("there is no file {path:?}; `list` gives those there are")))
                }
            };
        }
    }
    Err(failed("unavailable", format!("{path:?} is being written all the time; read it again")))
}

/// A page of files in the order of their paths.
pub(crate) fn list(prefix: &str, after: Option<&str>, limit: u32) -> Result<Value, CallError> {
    let after = after.map(|path| format!("{HEADS}{path}"));
    let page =
        state::list_keys(Scope::Connector, &format!("{HEADS}{prefix}"), after.as_deref(), limit).map_err(refused)?;
    let mut files = Vec::with_capacity(page.keys.len());
    for path in page.keys.iter().filter_map(|key| key.strip_prefix(HEADS)) {
        // It may have gone since the keys were listed.
        if let Some(head) = Head::of(path)? {
            files.push(json!({ "path": path, "size": head.size }));
        }
    }
    let mut given = json!({ "files": files });
    if let Some(next) = page.next.as_deref().and_then(|key| key.strip_prefix(HEADS)) {
        given["next"] = json!(next);
    }
    Ok(given)
}

fn locate(seq: u32, path: &str) -> Result<Source, CallError> {
    let (mut seq, mut most) = (seq, usize::MAX);
    while let Some((key, change)) = Change::first_after(path, seq)? {
        match change.what {
            What::Made | What::Nothing => return Ok(Source::Missing),
            What::Extended(before) => most = most.min(before.size),
            What::Replaced(before) | What::Deleted(before) => {
                return Ok(Source::Kept { key, size: before.size.min(most) });
            }
        }
        seq = change.seq;
    }
    Ok(match Head::of(path)? {
        Some(head) => Source::File { size: head.size.min(most), head },
        None => Source::Missing,
    })
}
