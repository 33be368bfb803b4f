//! What each call changed, kept with the record of its execution. It answers a repeated attempt, tells a revert what to
//! restore, and lets a read that is performed again on replay find the text as it was at its place in the journal.

use serde_json::{Value, json};

use crate::chunks::{Chunks, damaged};
use crate::codemode::component::state::{self, Scope};
use crate::codemode::component::types::CallError;
use crate::head::Head;
use crate::{failed, refused};

/// What a call did to a file, with the file as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// There was none.
    Made,
    /// Its text got longer; what it had is still its beginning.
    Extended(Head),
    /// It got another text; the former one was kept.
    Replaced(Head),
    /// It was removed; its text was kept.
    Deleted(Head),
    /// There was none to delete.
    Nothing,
}

/// One call's change.
pub(crate) struct Change {
    pub(crate) path: String,
    /// The call's place in the journal.
    pub(crate) seq: u32,
    pub(crate) what: What,
    /// What the call asked for, as [`request`] says it; `None` where it was not kept.
    pub(crate) request: Option<String>,
    /// What the call returned.
    pub(crate) answer: Value,
}

/// A short name of what a call asks for, to tell a repeat from another call under the same key.
pub(crate) fn request(parts: &[&str], text: &[u16]) -> String {
    let parts = parts.iter().flat_map(|part| part.bytes().map(u16::from).chain([u16::MAX]));
    // FNV-1a; nobody gains anything by making two the same.
    let mixed = |hash: u64, unit: u16| (hash ^ u64::from(unit)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", parts.chain(text.iter().copied()).fold(0xcbf2_9ce4_8422_2325, mixed))
}

impl Change {
    /// What the call with that key was answered, if it was made and asked for the same.
    pub(crate) fn repeated(key: &str, request: &str) -> Result<Option<Value>, CallError> {
        let Some(done) = Self::of(key)? else { return Ok(None) };
        match done.request {
            Some(made) if made != request => {
                Err(failed("conflict", "another change was made under this idempotency key"))
            }
            _ => Ok(Some(done.answer)),
        }
    }

    /// The change that the call with that key made in this execution.
    pub(crate) fn of(key: &str) -> Result<Option<Self>, CallError> {
        let Some(bytes) = state::get(Scope::Execution, &by_key(key)).map_err(refused)? else { return Ok(None) };
        let value: Value = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        Self::from_json(&value).map(Some).ok_or_else(damaged)
    }

    /// The first change of that file by a call of this execution that comes later than `seq`, with its key.
    pub(crate) fn first_after(path: &str, seq: u32) -> Result<Option<(String, Self)>, CallError> {
        let place = by_place(path, seq);
        let page = state::list_keys(Scope::Execution, &places(path), Some(&place), 1).map_err(refused)?;
        let Some(place) = page.keys.first() else { return Ok(None) };
        let key = state::get(Scope::Execution, place).map_err(refused)?.unwrap_or_default();
        let key = String::from_utf8(key).map_err(|_| damaged())?;
        Ok(Self::of(&key)?.map(|change| (key, change)))
    }

    /// Keeps it under the key of its call.
    pub(crate) fn keep(&self, key: &str) -> Result<(), CallError> {
        state::set(Scope::Execution, &by_key(key), self.to_json().to_string().as_bytes()).map_err(refused)?;
        state::set(Scope::Execution, &by_place(&self.path, self.seq), key.as_bytes()).map_err(refused)
    }

    /// Removes it, and the text that was kept for it.
    pub(crate) fn forget(&self, key: &str) -> Result<(), CallError> {
        if let What::Replaced(before) | What::Deleted(before) = &self.what {
            Chunks::kept_for(key).remove(before.size, 0)?;
        }
        for place in [by_key(key), by_place(&self.path, self.seq)] {
            state::delete(Scope::Execution, &place).map_err(refused)?;
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let (what, before) = match &self.what {
            What::Made => ("made", None),
            What::Extended(before) => ("extended", Some(before)),
            What::Replaced(before) => ("replaced", Some(before)),
            What::Deleted(before) => ("deleted", Some(before)),
            What::Nothing => ("nothing", None),
        };
        let before = before.map(Head::to_json);
        let (request, answer) = (&self.request, &self.answer);
        json!({ "path": self.path, "seq": self.seq, "what": what, "before": before, "request": request, "answer": answer })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let before = || Head::from_json(&value["before"]);
        let what = match value["what"].as_str()? {
            "made" => What::Made,
            "extended" => What::Extended(before()?),
            "replaced" => What::Replaced(before()?),
            "deleted" => What::Deleted(before()?),
            "nothing" => What::Nothing,
            _ => return None,
        };
        Some(Self {
            path: value["path"].as_str()?.to_owned(),
            seq: u32::try_from(value["seq"].as_u64()?).ok()?,
            what,
            request: value["request"].as_str().map(str::to_owned),
            answer: value["answer"].clone(),
        })
    }
}

fn by_key(key: &str) -> String {
    format!("call/{key}")
}

/// Where the changes of one file stand, in the order of their calls.
fn places(path: &str) -> String {
    format!("change/{path}\t")
}

fn by_place(path: &str, seq: u32) -> String {
    format!("{}{seq:010}", places(path))
}
