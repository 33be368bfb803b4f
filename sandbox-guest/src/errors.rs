//! Exceptions in both directions: what the code threw, as the host reads it, and what the host refused, as the code
//! catches it.

use rquickjs::{Ctx, Error, Result, Value};

use crate::bindings::codemode::component::types::{CallError, EffectState};
use crate::bindings::exports::codemode::component::sandbox::CodeError;
use crate::state::{intrinsics, state};
use crate::{codec, console, js, memory, snippets};

/// The file name of the code in stack frames.
pub const FILE: &str = "code";

/// Takes the pending exception. When memory ran out, the engine may have had none left to make an error of.
pub fn caught<'js>(ctx: &Ctx<'js>) -> Value<'js> {
    exact(ctx.catch())
}

/// Replaces the `null` that stands for a lack of memory.
fn exact(value: Value<'_>) -> Value<'_> {
    if value.is_null() && memory::take_ran_out() {
        return make(value.ctx(), "InternalError", "out of memory").unwrap_or(value);
    }
    value
}

/// A new error of a built-in type, or an `Error` with that name.
pub fn make<'js>(ctx: &Ctx<'js>, name: &str, message: &str) -> Result<Value<'js>> {
    let intrinsics = intrinsics(ctx);
    let known = js::own_data(&intrinsics.errors, name)?.filter(|_| name != "AggregateError");
    let text = js::string(ctx, message)?;
    match known {
        Some(constructor) => js::construct(&constructor, &[text]),
        None => {
            let error = js::construct(&intrinsics.error, &[text])?;
            js::define(&error, "name", &js::string(ctx, name)?, js::HIDDEN)?;
            Ok(error)
        }
    }
}

/// Throws a new error.
pub fn throw(ctx: &Ctx<'_>, name: &str, message: &str) -> Error {
    match make(ctx, name, message) {
        Ok(error) => ctx.throw(error),
        Err(error) => error,
    }
}

/// What the code catches for a call that failed. `stack` tells where it asked.
pub fn from_call<'js>(ctx: &Ctx<'js>, error: &CallError, stack: &Value<'js>) -> Result<Value<'js>> {
    let details = match &error.details {
        Some(text) => match codec::decode(ctx, Some(text)) {
            Ok(details) => Some(details),
            // Details are an addition; the failure itself must arrive.
            Err(_) => {
                let _ = caught(ctx);
                None
            }
        },
        None => None,
    };
    if error.code == "thrown"
        && let Some(value) = details
    {
        if value.is_error() && !stack.is_undefined() {
            js::define(&value, "stack", stack, js::HIDDEN)?;
        }
        return Ok(value);
    }
    let name = extra_text(ctx, error, "name").unwrap_or_else(|| "ConnectorError".to_owned());
    let failure = make(ctx, &name, &error.message)?;
    if !stack.is_undefined() {
        js::define(&failure, "stack", stack, js::HIDDEN)?;
    }
    js::define(&failure, "code", &js::string(ctx, &error.code)?, js::ORDINARY)?;
    if let Some(details) = details {
        js::define(&failure, "details", &details, js::ORDINARY)?;
        js::define(&failure, "data", &details, js::ORDINARY)?;
    }
    if let Some(ms) = error.retry_after_ms {
        js::define(&failure, "retryAfterMs", &Value::new_number(ctx.clone(), ms as f64), js::ORDINARY)?;
    }
    let effect = match error.effect {
        EffectState::None => "none",
        EffectState::Possible => "possible",
        EffectState::Happened => "happened",
    };
    js::define(&failure, "effect", &js::string(ctx, effect)?, js::ORDINARY)?;
    Ok(failure)
}

fn extra_text(ctx: &Ctx<'_>, error: &CallError, key: &str) -> Option<String> {
    let (_, json) = error.extras.iter().find(|(name, _)| name == key)?;
    match codec::decode(ctx, Some(json)) {
        Ok(value) if value.is_string() => js::text(&value).ok().filter(|text| !text.is_empty()),
        Ok(_) => None,
        Err(_) => {
            let _ = caught(ctx);
            None
        }
    }
}

/// What the host learns about a thrown value.
pub fn describe(thrown: &Value<'_>) -> CodeError {
    let thrown = &exact(thrown.clone());
    let ctx = thrown.ctx();
    let limits = state(ctx).limits.get();
    let value = match codec::encode(thrown, "value", limits.value, limits.depth) {
        Ok(text) => text,
        Err(codec::Failure::Thrown) => {
            let _ = caught(ctx);
            None
        }
        Err(codec::Failure::Refused(_)) => None,
    };
    let (name, message) = if is_error(thrown) { named(thrown) } else { ("Thrown".to_owned(), shown(thrown, &value)) };
    let frames = frames(thrown);
    let position = frames.iter().find_map(|frame| position(frame));
    CodeError {
        name,
        message,
        line: position.map(|(line, _)| line),
        column: position.map(|(_, column)| column),
        stack: if frames.is_empty() { None } else { Some(frames.join("\n")) },
        value,
    }
}

/// Name and message, the message never empty.
pub fn summary(thrown: &Value<'_>) -> (String, String) {
    let error = describe(thrown);
    (error.name, error.message)
}

pub fn is_error(value: &Value<'_>) -> bool {
    value.is_error() || (value.is_object() && js::class(value) == intrinsics(value.ctx()).classes.dom_exception)
}

/// A member as text; what throws or is no text counts as absent.
fn member(value: &Value<'_>, key: &str) -> Option<String> {
    let ctx = value.ctx();
    let read = js::get_str(value, key).and_then(|member| {
        if member.is_undefined() || member.is_symbol() {
            Ok(None)
        } else {
            js::measured_within(&member, most(ctx)).map(Some)
        }
    });
    match read {
        Ok(text) => text.map(|(text, full)| cut(ctx, text, full)).filter(|text| !text.is_empty()),
        Err(_) => {
            let _ = caught(ctx);
            None
        }
    }
}

/// More bytes than a text within the limit of values has, whatever the characters are.
fn most(ctx: &Ctx<'_>) -> usize {
    state(ctx).limits.get().value.saturating_mul(3)
}

/// Cuts a text for display to the limit of values; `full` is its whole length.
fn cut(ctx: &Ctx<'_>, mut text: String, full: usize) -> String {
    js::cut_marked(&mut text, state(ctx).limits.get().value, full);
    text
}

fn named(error: &Value<'_>) -> (String, String) {
    let name = member(error, "name").unwrap_or_else(|| "Error".to_owned());
    let message = member(error, "message").or_else(|| inner_messages(error)).unwrap_or_else(|| name.clone());
    (name, message)
}

/// An `AggregateError` is often made without a message of its own.
fn inner_messages(error: &Value<'_>) -> Option<String> {
    let errors = js::own_data(error, "errors").ok()??;
    let count = js::length(&errors).ok()?.min(5);
    let inner: Vec<_> =
        (0..count as u32)
            .filter_map(|at| js::get_index(&errors, at).ok())
            .map(|inner| {
                if is_error(&inner) { member(&inner, "message").unwrap_or_default() } else { console::describe(&inner) }
            })
            .filter(|message| !message.is_empty())
            .collect();
    if inner.is_empty() { None } else { Some(inner.join("; ")) }
}

/// A thrown value that is no error.
fn shown(thrown: &Value<'_>, encoded: &Option<String>) -> String {
    if thrown.is_string() {
        let ctx = thrown.ctx();
        let (text, full) = console::described(thrown, most(ctx));
        let text = cut(ctx, text, full);
        return if text.is_empty() { "\"\"".to_owned() } else { text };
    }
    if thrown.is_object()
        && !thrown.is_function()
        && let Some(text) = encoded
    {
        return text.clone();
    }
    console::describe(thrown)
}

/// The lines of the stack that are the code's own.
fn frames(thrown: &Value<'_>) -> Vec<String> {
    if !thrown.is_object() {
        return Vec::new();
    }
    let ctx = thrown.ctx();
    // The engine keeps an error's stack out of reach of members; a member of that name stands for it where we put it.
    let stack = match js::own_data(thrown, "stack") {
        Ok(None) if thrown.is_error() => js::call(&intrinsics(ctx).error_stack, thrown, &[]).ok(),
        own => own.ok().flatten(),
    };
    let Some(stack) = stack.filter(Value::is_string) else { return Vec::new() };
    let stack = js::text_within(&stack, 64 * 1024).unwrap_or_default();
    let own = |line: &&str| position(line).is_some() || snippets::is_frame(ctx, line);
    stack.lines().filter(own).map(|line| line.trim_end().to_owned()).collect()
}

/// Line and column of a frame `at f (code:3:5)` or `at code:3:5`.
fn position(frame: &str) -> Option<(u32, u32)> {
    let place = frame.trim_end().strip_suffix(')').unwrap_or(frame.trim_end());
    let (place, column) = place.rsplit_once(':')?;
    let (place, line) = place.rsplit_once(':')?;
    let file = place.rsplit_once(['(', ' ']).map_or(place, |(_, file)| file);
    if file != FILE {
        return None;
    }
    Some((line.parse().ok()?, column.parse().ok()?))
}
