//! What is known of a file without its text: how long it is and which call wrote it last.

use serde_json::{Value, json};

use crate::chunks::damaged;
use crate::codemode::component::state::{self, Scope};
use crate::codemode::component::types::CallError;
use crate::refused;

/// What the keys of heads begin with; the rest is the path, so that listing keys lists files.
pub(crate) const HEADS: &str = "file/";

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// UTF-16 code units.
    pub(crate) size: usize,
    /// The idempotency key of the call that changed it last. Who reverts another call must not touch this.
    pub(crate) by: String,
    /// Grows with each change, reverts included: two equal heads mean that nothing happened between.
    pub(crate) change: u64,
}

impl Head {
    /// The file at that path.
    pub(crate) fn of(path: &str) -> Result<Option<Self>, CallError> {
        let Some(bytes) = state::get(Scope::Connector, &key(path)).map_err(refused)? else { return Ok(None) };
        let value: Value = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        Self::from_json(&value).map(Some).ok_or_else(damaged)
    }

    pub(crate) fn set(&self, path: &str) -> Result<(), CallError> {
        state::set(Scope::Connector, &key(path), self.to_json().to_string().as_bytes()).map_err(refused)
    }

    pub(crate) fn remove(path: &str) -> Result<bool, CallError> {
        state::delete(Scope::Connector, &key(path)).map_err(refused)
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "size": self.size, "by": self.by, "change": self.change })
    }

    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            size: usize::try_from(value["size"].as_u64()?).ok()?,
            by: value["by"].as_str()?.to_owned(),
            change: value["change"].as_u64()?,
        })
    }
}

fn key(path: &str) -> String {
    format!("{HEADS}{path}")
}
