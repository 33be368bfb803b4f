//! The files connector: where code puts texts that are too large to be passed around, so that it can pass their paths.
//! Files live in the state that the host gives to each connector: no grant is needed, there is no file system behind
//! them, and every write is committed together with the journal entry of its call.
//!
//! The names are flat. A path is a text without control characters; nothing in it is resolved, so nothing can lead out.
//!
//! # What is stored
//!
//! | scope | key | value |
//! |---|---|---|
//! | connector | `file/<path>` | size, last writer, number of changes |
//! | connector | `text/<path>⇥<n>` | a piece of the text |
//! | execution | `call/<key>` | what the call with that idempotency key changed, and its answer |
//! | execution | `change/<path>⇥<seq>` | the key of the call that changed that file |
//! | execution | `kept/<key>⇥<n>` | a piece of the text that this call replaced or deleted |
//!
//! The second half goes with the record of the execution. Until then a repeated attempt is answered from it, a revert
//! restores from it, and a read that is performed again on replay sees the text that it saw the first time.

mod args;
mod change;
mod chunks;
mod describe;
mod head;
mod read;
mod text;
mod write;

wit_bindgen::generate!({ path: "wit", world: "connector" });

use args::Args;
use codemode::component::state::StateError;
use codemode::component::types::{
    CallContext, CallError, Description, EffectState, EndStatus, PassStatus, Recorded, Reverted,
};

struct Files;
export!(Files);

impl exports::codemode::component::methods::Guest for Files {
    fn describe() -> Result<Description, CallError> {
        Ok(describe::description())
    }

    fn call(ctx: CallContext, method: String, args: Option<String>) -> Result<Option<String>, CallError> {
        let args = |expected, known: &[&str]| Args::of(args.as_deref(), expected, known);
        let given = match method.as_str() {
            "write" => {
                let expected = "write expects { path: string, text: string, append?: boolean }";
                let args = args(expected, &["path", "text", "append"])?;
                write::write(&ctx, args.path()?, &args.text()?, args.mode()?)?.to_string()
            }
            "read" => {
                let args = args(
                    "read expects { path: string, offset?: number, length?: number }",
                    &["path", "offset", "length"],
                )?;
                let (offset, length) = (args.count("offset")?, args.count("length")?);
                read::read(ctx.seq, &args.path()?, offset.unwrap_or(0), length.unwrap_or(usize::MAX))?
            }
            "list" => {
                let expected = "list expects { prefix?: string, after?: string, limit?: number }";
                let args = args(expected, &["prefix", "after", "limit"])?;
                let prefix = args.name("prefix")?.unwrap_or_default();
                read::list(&prefix, args.name("after")?.as_deref(), args.limit()?)?.to_string()
            }
            "delete" => {
                let args = args("delete expects { path: string }", &["path"])?;
                write::delete(&ctx, args.path()?)?.to_string()
            }
            other => return Err(failed("unknown-method", format!("files has no method `{other}`"))),
        };
        Ok(Some(given))
    }

    fn revert(
        _ctx: CallContext,
        call_key: String,
        _method: String,
        _args: Option<String>,
        _outcome: Recorded,
    ) -> Result<Reverted, CallError> {
        // The change says all; what the call returned does not matter, even when the answer was lost.
        write::revert(&call_key)
    }

    fn pass_ended(_execution_id: String, _pass: u32, _status: PassStatus) {}

    fn execution_ended(_execution_id: String, _status: EndStatus) {}
}

/// A failure before anything happened; writes of a failed call are dropped anyway.
fn failed(code: &str, message: impl Into<String>) -> CallError {
    CallError {
        code: code.to_owned(),
        message: message.into(),
        details: None,
        effect: EffectState::None,
        retry_after_ms: None,
        extras: Vec::new(),
    }
}

/// Why the host would not take or give a piece of state.
fn refused(error: StateError) -> CallError {
    match error {
        StateError::Denied(reason) => failed("denied", reason),
        StateError::TooLarge(limit) => failed("too-large", format!("the files are over a limit of {limit} bytes")),
        // The host performs the call again.
        StateError::Conflict => failed("conflict", "the files were changed by another call meanwhile"),
        StateError::Unavailable(reason) => failed("unavailable", reason),
    }
}
