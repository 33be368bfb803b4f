//! The globals of every run: what the engine has, minus what depends on chance, plus what code expects.

use rquickjs::{Ctx, Object, Result, Value};

use crate::{clock, clone, codemode, console, crypto, js, random, text, timers, url};

/// The prelude: helpers in JavaScript without any way to the host. Each file is a function of the natives it needs.
const PRELUDE: [(&str, &str); 6] = [
    ("built-in events", include_str!("prelude/events.js")),
    ("built-in text", include_str!("prelude/text.js")),
    ("built-in url", include_str!("prelude/url.js")),
    ("built-in numbers", include_str!("prelude/numbers.js")),
    ("built-in dates", include_str!("prelude/dates.js")),
    ("built-in words", include_str!("prelude/words.js")),
];

/// What depends on garbage collection or on other threads would differ between two passes.
const REMOVED: [&str; 6] =
    ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics", "navigator", "scriptArgs"];

pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let globals = ctx.globals();
    for name in REMOVED {
        globals.remove(name)?;
    }
    lock_stack_hooks(ctx)?;

    let draw = js::native(ctx, "random", 0, |ctx, _, _| Ok(Value::new_float(ctx.clone(), random::unit())))?;
    js::define(&globals.get::<_, Value<'_>>("Math")?, "random", &draw, js::HIDDEN)?;
    clock::install(ctx)?;
    console::install(ctx)?;
    timers::install(ctx)?;
    crypto::install(ctx)?;
    clone::install(ctx)?;

    let natives = Object::new_proto(ctx.clone(), None)?.into_value();
    text::natives(ctx, &natives)?;
    url::natives(ctx, &natives)?;
    for (file, source) in PRELUDE {
        let install = js::evaluate(ctx, source, file)?;
        js::call(&install, &js::undefined(ctx), std::slice::from_ref(&natives))?;
    }
    codemode::install(ctx)
}

/// The engine would hand call-site objects, with functions and receivers of every frame, to a hook of the code's.
/// Setting one is allowed, as elsewhere, and does nothing.
fn lock_stack_hooks(ctx: &Ctx<'_>) -> Result<()> {
    let error: Value<'_> = ctx.globals().get("Error")?;
    let ignore = js::native(ctx, "", 1, |ctx, _, _| Ok(js::undefined(ctx)))?;
    js::freeze(&ignore)?;
    js::define_getter(&error, "prepareStackTrace", &ignore, &ignore, js::LOCKED)?;
    let limit = js::native(ctx, "", 0, |ctx, _, _| Ok(Value::new_int(ctx.clone(), FRAMES)))?;
    js::freeze(&limit)?;
    error.get::<Object<'_>>()?.set("stackTraceLimit", FRAMES)?;
    js::define_getter(&error, "stackTraceLimit", &limit, &ignore, js::LOCKED)
}

/// Frames that an error's stack shows.
const FRAMES: i32 = 20;
