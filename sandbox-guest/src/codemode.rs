//! The global `codemode`: search, describe, step, run. Native functions only; there is no way from here to the host
//! but these four.

use rquickjs::{Ctx, Promise, Result, Value};

use crate::bindings::codemode::component::dispatch;
use crate::state::state;
use crate::{asks, errors, js, namespace, snippets, steps};

/// What it is called. A connector of that name has its methods here, beside these four.
pub const NAME: &str = "codemode";

pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let search = text_ask(ctx, "search", dispatch::search)?;
    let describe = text_ask(ctx, "describe", dispatch::describe)?;
    let step = js::native(ctx, "step", 2, |ctx, _, args| steps::step(ctx, args))?;
    let run = js::native(ctx, "run", 2, |ctx, _, args| snippets::run(ctx, args))?;
    for function in [&search, &describe, &step, &run] {
        js::freeze(function)?;
    }
    let members = [("search", search), ("describe", describe), ("step", step), ("run", run)];
    let proxy = namespace::guarded(ctx, "[codemode]".to_owned(), &members, |ctx, name| {
        if state(ctx).members.borrow().iter().any(|member| member == name) {
            return namespace::method_function(ctx, &NAME.into(), name);
        }
        let message = format!(
            "Tool \"{name}\" not found on codemode. It has search(query), describe(target), step(name, fn) and \
             run(name, input); connectors are globals of their own."
        );
        let function = js::native(ctx, name, 0, move |ctx, _, _| rejected(ctx, &message))?;
        js::freeze(&function)?;
        Ok(function)
    })?;
    js::define(ctx.globals().as_value(), NAME, &proxy, js::LOCKED_VISIBLE)
}

/// So many bytes of a text are asked with: enough for the longest name of a snippet.
const MAX_ASKED: usize = 16_384;

/// A function that asks for something by one text.
fn text_ask<'js>(ctx: &Ctx<'js>, name: &'static str, submit: fn(&str) -> u32) -> Result<Value<'js>> {
    js::native(ctx, name, 1, move |ctx, _, args| {
        let text = match args.first() {
            None => "undefined".to_owned(),
            Some(value) => js::text_within(value, MAX_ASKED)?,
        };
        let json = quoted(ctx, &text)?;
        asks::ask(ctx, format!("codemode.{name}"), || submit(&json))
    })
}

/// A text as JSON.
fn quoted<'js>(ctx: &Ctx<'js>, text: &str) -> Result<String> {
    let value = js::string(ctx, text)?;
    let json = asks::encode_or_refuse(&value, "text", || "text for discovery".to_owned())?;
    Ok(json.unwrap_or_else(|| "\"\"".to_owned()))
}

/// A promise that is rejected already.
pub fn rejected<'js>(ctx: &Ctx<'js>, message: &str) -> Result<Value<'js>> {
    let (promise, _, reject) = Promise::new(ctx)?;
    let error = errors::make(ctx, "Error", message)?;
    js::call(reject.as_value(), &js::undefined(ctx), &[error])?;
    Ok(promise.into_value())
}
