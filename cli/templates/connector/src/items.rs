//! Where the items are. An item's id is the idempotency key of the call that added it: unique, the
//! same in each attempt at the call, and known to its revert even when the answer was lost.

use serde_json::{Value, json};

use crate::codemode::component::config;
use crate::codemode::component::state::{self, Scope};
use crate::{CallError, failed};

/// The longest title, in characters.
pub const MAX_TITLE: usize = 200;

/// The longest id, in characters: that of an idempotency key.
pub const MAX_ID: usize = 128;

/// How many items there may be where the configuration does not say.
const DEFAULT: u32 = 100;

/// How many it may allow: one page of keys.
const MOST: u32 = 1_000;

/// All items.
pub fn list() -> Result<Value, CallError> {
    let mut items = Vec::new();
    for key in keys()? {
        let id = key.strip_prefix("item/").unwrap_or_default();
        if let Some(title) = title(&key)? {
            items.push(item(id, &title));
        }
    }
    Ok(Value::from(items))
}

/// Adds an item. A call that comes again finds what it added; one with other arguments is refused.
pub fn add(id: &str, new: &str) -> Result<Value, CallError> {
    let key = format!("item/{id}");
    match title(&key)? {
        Some(title) if title == new => return Ok(item(id, new)),
        Some(_) => return Err(another()),
        None => {}
    }
    let most = max_items()?;
    if keys()?.len() >= most {
        return Err(failed(
            "full",
            format!("there are {most} items already; remove one first"),
        ));
    }
    state::set(Scope::Connector, &key, new.as_bytes())?;
    Ok(item(id, new))
}

/// Takes back what a call added; says whether it was there.
pub fn take_back(id: &str) -> Result<bool, CallError> {
    Ok(state::delete(Scope::Connector, &format!("item/{id}"))?)
}

/// Removes an item, and keeps it with the record of the execution: for a revert, and for a call that
/// comes again.
pub fn remove(call_key: &str, id: &str) -> Result<Value, CallError> {
    match removed(call_key)? {
        Some(removed) if removed["id"] == id => return Ok(removed),
        Some(_) => return Err(another()),
        None => {}
    }
    let key = format!("item/{id}");
    let Some(title) = title(&key)? else {
        return Err(failed(
            "not-found",
            format!("there is no item {id:?}; `list` has the ids"),
        ));
    };
    let removed = item(id, &title);
    state::delete(Scope::Connector, &key)?;
    state::set(
        Scope::Execution,
        &format!("removed/{call_key}"),
        removed.to_string().as_bytes(),
    )?;
    Ok(removed)
}

/// Brings back what a call removed; says whether it had removed anything.
pub fn bring_back(call_key: &str) -> Result<bool, CallError> {
    let Some(removed) = removed(call_key)? else {
        return Ok(false);
    };
    let (id, title) = (
        removed["id"].as_str().unwrap_or_default(),
        removed["title"].as_str().unwrap_or_default(),
    );
    state::set(Scope::Connector, &format!("item/{id}"), title.as_bytes())?;
    state::delete(Scope::Execution, &format!("removed/{call_key}"))?;
    Ok(true)
}

/// The key of a call says that it is the same call: its arguments must be the same, too.
fn another() -> CallError {
    failed("conflict", "another call was made with the key of this one")
}

fn item(id: &str, title: &str) -> Value {
    json!({ "id": id, "title": title })
}

fn keys() -> Result<Vec<String>, CallError> {
    Ok(state::list_keys(Scope::Connector, "item/", None, MOST)?.keys)
}

fn title(key: &str) -> Result<Option<String>, CallError> {
    let bytes = state::get(Scope::Connector, key)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn removed(call_key: &str) -> Result<Option<Value>, CallError> {
    let bytes = state::get(Scope::Execution, &format!("removed/{call_key}"))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

fn max_items() -> Result<usize, CallError> {
    let Some(text) = config::get("max_items") else {
        return Ok(DEFAULT as usize);
    };
    match text.parse() {
        Ok(most @ 1..=MOST) => Ok(most as usize),
        _ => Err(failed(
            "misconfigured",
            format!("`max_items` is a number from 1 to {MOST}, not {text:?}"),
        )),
    }
}
