//! `console`: one line of text per call, handed to the host at once. It never throws, whatever it is given.

use rquickjs::{Ctx, Object, Result, Value};

use crate::bindings::codemode::component::dispatch::{self, Level};
use crate::errors;
use crate::js;
use crate::state::{intrinsics, state};

/// Methods that write a line.
const WRITERS: [(&str, Level); 8] = [
    ("log", Level::Log),
    ("info", Level::Info),
    ("warn", Level::Warn),
    ("error", Level::Error),
    ("debug", Level::Debug),
    ("dir", Level::Log),
    ("table", Level::Log),
    ("trace", Level::Debug),
];

/// Methods that people call out of habit and that have nothing to do here.
const SILENT: [&str; 9] =
    ["group", "groupCollapsed", "groupEnd", "time", "timeEnd", "timeLog", "count", "countReset", "clear"];

pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let console = Object::new(ctx.clone())?.into_value();
    for (name, level) in WRITERS {
        let write = js::native(ctx, name, 0, move |ctx, _, args| {
            write(ctx, level, args);
            Ok(js::undefined(ctx))
        })?;
        js::freeze(&write)?;
        js::define(&console, name, &write, js::LOCKED_VISIBLE)?;
    }
    for name in SILENT {
        let nothing = js::native(ctx, name, 0, |ctx, _, _| Ok(js::undefined(ctx)))?;
        js::freeze(&nothing)?;
        js::define(&console, name, &nothing, js::LOCKED_VISIBLE)?;
    }
    let assert = js::native(ctx, "assert", 0, |ctx, _, args| {
        if !args.first().is_some_and(truthy) {
            let mut parts = vec![js::string(ctx, "Assertion failed:")?];
            parts.extend(args.iter().skip(1).cloned());
            write(ctx, Level::Error, &parts);
        }
        Ok(js::undefined(ctx))
    })?;
    js::freeze(&assert)?;
    js::define(&console, "assert", &assert, js::LOCKED_VISIBLE)?;
    js::freeze(&console)?;
    js::define(ctx.globals().as_value(), "console", &console, js::LOCKED)
}

fn truthy(value: &Value<'_>) -> bool {
    unsafe { rquickjs::qjs::JS_ToBool(js::raw(value.ctx()), value.as_raw()) > 0 }
}

fn write<'js>(ctx: &Ctx<'js>, level: Level, args: &[Value<'js>]) {
    let enough = enough(ctx);
    let (mut text, mut full) = (String::new(), args.len().saturating_sub(1));
    for (at, arg) in args.iter().enumerate() {
        let (part, units) = described(arg, enough);
        full += units;
        // What no line can show is only counted.
        if text.len() <= enough {
            if at > 0 {
                text.push(' ');
            }
            text.push_str(&part);
        }
    }
    cut_line(ctx, level, text, full);
}

/// More bytes than a line can show, whatever the characters are.
fn enough(ctx: &Ctx<'_>) -> usize {
    state(ctx).limits.get().line.saturating_mul(3)
}

/// Hands a line to the host, cut at the limit.
pub fn line(ctx: &Ctx<'_>, level: Level, text: String) {
    let full = js::units(&text);
    cut_line(ctx, level, text, full);
}

fn cut_line(ctx: &Ctx<'_>, level: Level, mut text: String, full: usize) {
    js::cut_marked(&mut text, state(ctx).limits.get().line, full);
    dispatch::log(level, &text);
}

/// `String(value)`, with an answer for values that have none.
pub fn describe(value: &Value<'_>) -> String {
    described(value, enough(value.ctx())).0
}

/// [`describe`] of about `max` bytes, and how many UTF-16 units the whole text has.
pub fn described(value: &Value<'_>, max: usize) -> (String, usize) {
    let ctx = value.ctx();
    let text = if value.is_symbol() {
        js::call(&intrinsics(ctx).symbol_text, value, &[]).and_then(|text| js::measured_within(&text, max))
    } else {
        js::measured_within(value, max)
    };
    text.unwrap_or_else(|_| {
        // What it threw is of no interest, and must not stay pending.
        let _ = errors::caught(ctx);
        let text = if value.is_function() { "[function]" } else { "[object Object]" };
        (text.to_owned(), text.len())
    })
}
