//! The methods that change files, and how each change is taken back.

use serde_json::{Value, json};

use crate::change::{Change, What, request};
use crate::chunks::Chunks;
use crate::codemode::component::types::{CallContext, CallError, Reverted};
use crate::failed;
use crate::head::Head;

/// Limit `file size`: UTF-16 code units of one file. A call may write 16,000,000 bytes of state; one that replaces a file
/// writes the former text once more, so that it can be restored, and a unit takes up to two bytes.
pub(crate) const MAX_FILE: usize = 6_000_000;
/// Limit `text size`: UTF-16 code units that one call may write.
pub(crate) const MAX_TEXT: usize = 1_000_000;

/// What becomes of the text that a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The new text replaces it.
    Replace,
    /// The new text follows it.
    Append,
}

/// Writes a file and says how long it is now.
pub(crate) fn write(ctx: &CallContext, path: String, text: &[u16], mode: Mode) -> Result<Value, CallError> {
    let key = &ctx.idempotency_key;
    let request = request(&["write", &path, if mode == Mode::Append { "append" } else { "replace" }], text);
    if let Some(answer) = Change::repeated(key, &request)? {
        return Ok(answer);
    }
    let before = Head::of(&path)?;
    let (former, change) = before.as_ref().map_or((0, 0), |head| (head.size, head.change));
    let start = if mode == Mode::Append { former } else { 0 };
    let size = start + text.len();
    check_size(&path, text.len(), size)?;

    let content = Chunks::of_file(&path);
    let what = match (before, mode) {
        (None, _) => What::Made,
        (Some(before), Mode::Append) => What::Extended(before),
        (Some(before), Mode::Replace) => {
            content.copy(&Chunks::kept_for(key), before.size)?;
            What::Replaced(before)
        }
    };
    content.append(start, text)?;
    content.remove(former, size)?;
    Head { size, by: key.clone(), change: change + 1 }.set(&path)?;
    let answer = json!({ "path": path, "size": size });
    keep(ctx, Change { path, seq: ctx.seq, what, request: Some(request), answer })
}

/// Deletes a file and says whether there was one.
pub(crate) fn delete(ctx: &CallContext, path: String) -> Result<Value, CallError> {
    let key = &ctx.idempotency_key;
    let request = request(&["delete", &path], &[]);
    if let Some(answer) = Change::repeated(key, &request)? {
        return Ok(answer);
    }
    let what = match Head::of(&path)? {
        None => What::Nothing,
        Some(before) => {
            let content = Chunks::of_file(&path);
            content.copy(&Chunks::kept_for(key), before.size)?;
            content.remove(before.size, 0)?;
            Head::remove(&path)?;
            What::Deleted(before)
        }
    };
    let deleted = what != What::Nothing;
    let answer = json!({ "path": path, "deleted": deleted });
    keep(ctx, Change { path, seq: ctx.seq, what, request: Some(request), answer })
}

/// Restores what was there before the call with that key. A file that another call changed since is left alone: what
/// that one wrote would be lost.
pub(crate) fn revert(key: &str) -> Result<Reverted, CallError> {
    let Some(change) = Change::of(key)? else { return Ok(Reverted::NothingToRevert) };
    let path = &change.path;
    let content = Chunks::of_file(path);
    let reverted = match (&change.what, Head::of(path)?) {
        (What::Nothing, _) | (What::Made, None) => Reverted::NothingToRevert,
        (What::Made, Some(now)) if now.by == key => {
            content.remove(now.size, 0)?;
            Head::remove(path)?;
            Reverted::Reverted
        }
        (What::Extended(before), Some(now)) if now.by == key => {
            content.cut(now.size, before.size)?;
            put_head_back(path, before, now.change)?
        }
        (What::Replaced(before), Some(now)) if now.by == key => {
            Chunks::kept_for(key).copy(&content, before.size)?;
            content.remove(now.size, before.size)?;
            put_head_back(path, before, now.change)?
        }
        (What::Deleted(before), None) => {
            Chunks::kept_for(key).copy(&content, before.size)?;
            put_head_back(path, before, before.change)?
        }
        (_, now) => {
            let since = if now.is_some() { "written" } else { "deleted" };
            return Err(failed(
                "conflict",
                format!("{path:?} was {since} by another call since, and is left as it is"),
            ));
        }
    };
    change.forget(key)?;
    Ok(reverted)
}

fn keep(ctx: &CallContext, change: Change) -> Result<Value, CallError> {
    change.keep(&ctx.idempotency_key)?;
    Ok(change.answer)
}

fn put_head_back(path: &str, before: &Head, change: u64) -> Result<Reverted, CallError> {
    Head { change: change + 1, ..before.clone() }.set(path)?;
    Ok(Reverted::Reverted)
}

fn check_size(path: &str, text: usize, size: usize) -> Result<(), CallError> {
    if text > MAX_TEXT {
        let message = format!(
            "a call writes at most {MAX_TEXT} characters (limit `text size`), and this text has {text}: write it in \
             parts, all but the first with append: true"
        );
        return Err(failed("too-large", message));
    }
    if size > MAX_FILE {
        let message = format!(
            "{path:?} would have {size} characters, and a file has at most {MAX_FILE} (limit `file size`): go on in \
             another file"
        );
        return Err(failed("too-large", message));
    }
    Ok(())
}
