//! Where notes are kept. Two keys for each: `note/<time>/<id>` holds it, so that listing by prefix gives the order of
//! creation; `at/<id>` says where it is.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::codemode::component::state::{self, Scope, StateError};
use crate::codemode::component::types::CallError;
use crate::failed;

/// The longest text of a note, in UTF-16 code units.
pub(crate) const MAX_TEXT: usize = 100_000;

const PAGE: u32 = 1_000;

/// The answer of the first call would be wrong for the second.
const OTHER_TEXT: &str = "a note with another text was created under this idempotency key";

/// All notes in order of creation.
pub(crate) fn list() -> Result<Value, CallError> {
    let mut notes = Vec::new();
    let mut after = None;
    loop {
        let page = state::list_keys(Scope::Connector, "note/", after.as_deref(), PAGE).map_err(error)?;
        for key in &page.keys {
            if let Some(note) = read(key)? {
                notes.push(note);
            }
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(Value::Array(notes)),
        }
    }
}

/// Creates the note with that id; gives the existing one when the call is a repeat, and refuses another text.
#[expect(clippy::disallowed_methods, reason = "a component has the clock that the host gives it")]
pub(crate) fn create(id: &str, text: String) -> Result<Value, CallError> {
    if let Some(key) = place_of(id)?
        && let Some(note) = read(&key)?
    {
        return if note["text"] == text { Ok(note) } else { Err(failed("conflict", OTHER_TEXT)) };
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis());
    let key = format!("note/{now:016}/{id}");
    let note = json!({ "id": id, "text": text });
    state::set(Scope::Connector, &key, note.to_string().as_bytes()).map_err(error)?;
    state::set(Scope::Connector, &at(id), key.as_bytes()).map_err(error)?;
    Ok(note)
}

/// Removes a note; says whether there was one.
pub(crate) fn delete(id: &str) -> Result<bool, CallError> {
    let Some(key) = place_of(id)? else { return Ok(false) };
    state::delete(Scope::Connector, &at(id)).map_err(error)?;
    state::delete(Scope::Connector, &key).map_err(error)
}

fn at(id: &str) -> String {
    format!("at/{id}")
}

fn place_of(id: &str) -> Result<Option<String>, CallError> {
    let key = state::get(Scope::Connector, &at(id)).map_err(error)?;
    Ok(key.and_then(|bytes| String::from_utf8(bytes).ok()))
}

fn read(key: &str) -> Result<Option<Value>, CallError> {
    let bytes = state::get(Scope::Connector, key).map_err(error)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

fn error(error: StateError) -> CallError {
    match error {
        StateError::Denied(reason) => failed("denied", reason),
        StateError::TooLarge(limit) => failed("too-large", format!("the notes are over a limit of {limit}")),
        // The host performs the call again.
        StateError::Conflict => failed("conflict", "the notes were changed by another call meanwhile"),
        StateError::Unavailable(reason) => failed("unavailable", reason),
    }
}
