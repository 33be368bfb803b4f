//! Timers over `sleep`: each is an op, so that its place in the order of deliveries is journaled like an answer's.

use rquickjs::{Ctx, Result, Value};

use crate::asks::{self, Waiting};
use crate::bindings::codemode::component::dispatch::{self, Level};
use crate::bindings::codemode::component::types::CallError;
use crate::state::state;
use crate::{console, errors, js};

/// What a timer does when its time has come.
pub struct Timer<'js> {
    /// What `clearTimeout` is given.
    id: u32,
    callback: Value<'js>,
    args: Vec<Value<'js>>,
    /// Milliseconds until the next time, for an interval.
    every: Option<u64>,
}

pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let globals = ctx.globals().into_value();
    for (name, repeats) in [("setTimeout", false), ("setInterval", true)] {
        let set = js::native(ctx, name, 1, move |ctx, _, args| set(ctx, name, args, repeats))?;
        js::define(&globals, name, &set, js::HIDDEN)?;
    }
    for name in ["clearTimeout", "clearInterval"] {
        let clear = js::native(ctx, name, 1, |ctx, _, args| clear(ctx, args))?;
        js::define(&globals, name, &clear, js::HIDDEN)?;
    }
    Ok(())
}

fn set<'js>(ctx: &Ctx<'js>, name: &str, args: &[Value<'js>], repeats: bool) -> Result<Value<'js>> {
    let Some(callback) = args.first().filter(|callback| callback.is_function()) else {
        return Err(errors::throw(ctx, "TypeError", &format!("the first argument of {name} is not a function")));
    };
    let ms = match args.get(1) {
        Some(ms) => delay(js::number(ms)?),
        None => 0,
    };
    let op = dispatch::sleep(ms);
    let id = op.wrapping_add(1);
    let args = args.iter().skip(2).cloned().collect();
    let timer = Timer { id, callback: callback.clone(), args, every: repeats.then_some(ms.max(1)) };
    arm(ctx, op, timer);
    Ok(Value::new_number(ctx.clone(), f64::from(id)))
}

/// Whole milliseconds; what is no time at all counts as none, what is too long as the longest.
fn delay(ms: f64) -> u64 {
    const LONGEST: f64 = 9_007_199_254_740_991.0;
    if ms.is_nan() { 0 } else { ms.clamp(0.0, LONGEST) as u64 }
}

fn arm<'js>(ctx: &Ctx<'js>, op: u32, timer: Timer<'js>) {
    if timer.every.is_some() {
        state(ctx).intervals.borrow_mut().insert(timer.id, op);
    }
    asks::wait(ctx, op, Waiting::Timer(timer));
}

fn clear<'js>(ctx: &Ctx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let id = match args.first() {
        Some(id) if id.is_number() => js::number(id)?,
        _ => return Ok(js::undefined(ctx)),
    };
    if id >= 1.0 && id <= f64::from(u32::MAX) && id.fract() == 0.0 {
        let id = id as u32;
        let state = state(ctx);
        let interval = state.intervals.borrow_mut().remove(&id);
        let op = interval.unwrap_or(id - 1);
        let mut waiting = state.waiting.borrow_mut();
        let armed = matches!(waiting.get(&op), Some(Waiting::Timer(_)));
        if armed {
            waiting.remove(&op);
            dispatch::cancel(op);
        }
        if armed || interval.is_some() {
            // A step that took a timer back did something that its recorded outcome does not hold: it runs on replay.
            state.asked.set(state.asked.get().wrapping_add(1));
        }
    }
    Ok(js::undefined(ctx))
}

pub fn fire<'js>(
    ctx: &Ctx<'js>,
    timer: Timer<'js>,
    outcome: std::result::Result<Option<String>, CallError>,
) -> Result<()> {
    if let Err(error) = outcome {
        state(ctx).intervals.borrow_mut().remove(&timer.id);
        console::line(ctx, Level::Error, format!("a timer was refused: {}", error.message));
        return Ok(());
    }
    if js::call(&timer.callback, &js::undefined(ctx), &timer.args).is_err() {
        uncaught(ctx);
    }
    if let Some(ms) = timer.every
        && state(ctx).intervals.borrow().contains_key(&timer.id)
    {
        arm(ctx, dispatch::sleep(ms), timer);
    }
    Ok(())
}

/// An exception that nobody can catch is one error line; the run goes on.
pub fn uncaught(ctx: &Ctx<'_>) {
    let thrown = errors::caught(ctx);
    let (name, message) = errors::summary(&thrown);
    let text = if errors::is_error(&thrown) && name != message { format!("{name}: {message}") } else { message };
    console::line(ctx, Level::Error, format!("Uncaught {text}"));
}
