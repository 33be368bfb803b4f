//! `codemode.run(name, input)`: saved code, fetched from the host and run in the same realm. Which snippet asks is
//! read off the file name of the asking function, so the nesting is known across `await` too.

use rquickjs::{Ctx, Result, Value, qjs};

use crate::asks::{self, Settle, Waiting};
use crate::bindings::codemode::component::dispatch;
use crate::bindings::codemode::component::types::CallError;
use crate::state::state;
use crate::{codec, codemode, errors, js};

/// Snippets inside snippets, at most.
const LEVELS: u32 = 8;

/// Frames of the asking side that are looked at: native functions have no file.
const FRAMES: i32 = 16;

pub struct Snippet {
    name: String,
    input: Option<String>,
    level: u32,
}

pub fn run<'js>(ctx: &Ctx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let name = match args.first() {
        Some(name) => js::text(name)?,
        None => "undefined".to_owned(),
    };
    let level = caller_level(ctx) + 1;
    if level > LEVELS {
        return codemode::rejected(ctx, &format!("snippet \"{name}\" is nested more than {LEVELS} levels deep"));
    }
    let input = match args.get(1) {
        Some(input) => asks::encode_or_refuse(input, "input", || format!("input of snippet \"{name}\""))?,
        None => None,
    };
    let (promise, settle) = asks::promise(ctx, format!("codemode.run(\"{name}\")"))?;
    let op = dispatch::snippet(&name, input.as_deref());
    asks::wait(ctx, op, Waiting::Snippet(settle, Snippet { name, input, level }));
    Ok(promise)
}

/// The nesting of the function that asks; 0 for the code itself.
fn caller_level(ctx: &Ctx<'_>) -> u32 {
    for frame in 0..FRAMES {
        let file = unsafe { qjs::JS_GetScriptOrModuleName(js::raw(ctx), frame) };
        if file == qjs::JS_ATOM_NULL {
            continue;
        }
        let value = js::take(ctx, unsafe { qjs::JS_AtomToValue(js::raw(ctx), file) });
        unsafe { qjs::JS_FreeAtom(js::raw(ctx), file) };
        let file = value.and_then(|value| js::text(&value)).unwrap_or_default();
        if let Some(level) = state(ctx).snippets.borrow().get(&file) {
            return *level;
        }
        if file == errors::FILE {
            return 0;
        }
    }
    0
}

/// The source arrived, or why there is none.
pub fn start<'js>(
    ctx: &Ctx<'js>,
    settle: Settle<'js>,
    snippet: Snippet,
    outcome: std::result::Result<Option<String>, CallError>,
) -> Result<()> {
    let text = match outcome {
        Ok(text) => text,
        Err(error) => return settle.settle(ctx, Err(error)),
    };
    match evaluate(ctx, &snippet, text.as_deref()) {
        Ok(value) => settle.resolve(value),
        Err(_) => settle.reject_pending(ctx),
    }
}

fn evaluate<'js>(ctx: &Ctx<'js>, snippet: &Snippet, text: Option<&str>) -> Result<Value<'js>> {
    let answer = codec::decode(ctx, text)?;
    if !answer.is_object() {
        return Ok(answer);
    }
    let Some(code) = js::own_data(&answer, "code")?.filter(|code| code.is_string()) else { return Ok(answer) };
    let name: String = snippet.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // The level stands before the name: a name is any text, and must not pass for another snippet at another level.
    let file = match snippet.level {
        1 => format!("snippet {name}"),
        level => format!("snippet-{level} {name}"),
    };
    state(ctx).snippets.borrow_mut().insert(file.clone(), snippet.level);
    let function = js::evaluate(ctx, &js::text(&code)?, &file)?;
    if !function.is_function() {
        return Err(errors::throw(ctx, "TypeError", &format!("snippet \"{name}\" is not a function")));
    }
    let input = codec::decode(ctx, snippet.input.as_deref())?;
    js::call(&function, &js::undefined(ctx), &[input])
}

/// Whether a stack line belongs to a snippet.
pub fn is_frame(ctx: &Ctx<'_>, line: &str) -> bool {
    state(ctx).snippets.borrow().keys().any(|file| line.contains(&format!("({file}:")))
}
