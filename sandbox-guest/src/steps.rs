//! `codemode.step(name, fn)`: a closure whose outcome is recorded once. The outcome reaches the code only through
//! `next`, in the first pass as on replay, so both passes go on from the same place.

use std::rc::Rc;

use rquickjs::{Ctx, Result, Value};

use crate::asks::{self, Waiting};
use crate::bindings::codemode::component::dispatch;
use crate::bindings::codemode::component::types::{CallError, EffectState};
use crate::codec::{self, Failure};
use crate::state::state;
use crate::{errors, js, random};

pub fn step<'js>(ctx: &Ctx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let name: Rc<str> = match args.first() {
        Some(name) => js::text(name)?.into(),
        None => "undefined".into(),
    };
    let (promise, settle) = asks::promise(ctx, format!("step \"{name}\""))?;
    let step = dispatch::step_enter(&name);
    asks::wait(ctx, step.op, Waiting::Promise(settle));
    if step.run {
        let closure = args.get(1).cloned().unwrap_or_else(|| js::undefined(ctx));
        run(ctx, step.op, &name, &closure)?;
    }
    Ok(promise)
}

fn run<'js>(ctx: &Ctx<'js>, op: u32, name: &Rc<str>, closure: &Value<'js>) -> Result<()> {
    if !closure.is_function() {
        let error = errors::make(ctx, "TypeError", "the second argument of codemode.step is not a function")?;
        failed(ctx, op, &error, false);
        return Ok(());
    }
    let asked = state(ctx).asked.get();
    let outside = random::enter_step(op);
    let returned = js::call(closure, &js::undefined(ctx), &[]);
    random::resume(outside);
    let again = state(ctx).asked.get() != asked;
    match returned {
        Err(_) => failed(ctx, op, &errors::caught(ctx), again),
        Ok(value) => match is_thenable(&value) {
            Err(_) => failed(ctx, op, &errors::caught(ctx), again),
            Ok(false) => returned_plain(ctx, op, name, &value, again)?,
            Ok(true) => {
                let name = name.clone();
                asks::follow(
                    ctx,
                    &value,
                    move |ctx, value| returned_plain(ctx, op, &name, &value, true),
                    move |ctx, thrown| {
                        failed(ctx, op, &thrown, true);
                        Ok(())
                    },
                )?;
            }
        },
    }
    Ok(())
}

fn is_thenable(value: &Value<'_>) -> Result<bool> {
    if !value.is_object() {
        return Ok(false);
    }
    Ok(value.is_promise() || js::get_str(value, "then")?.is_function())
}

fn returned_plain<'js>(ctx: &Ctx<'js>, op: u32, name: &str, value: &Value<'js>, again: bool) -> Result<()> {
    let limits = state(ctx).limits.get();
    match codec::encode(value, "result", limits.value, limits.depth) {
        Ok(text) => dispatch::step_exit(op, Ok(text.as_deref()), again),
        Err(Failure::Thrown) => failed(ctx, op, &errors::caught(ctx), again),
        Err(Failure::Refused(refusal)) => {
            return Err(asks::refuse(ctx, &format!("result of step \"{name}\""), &refusal));
        }
    }
    Ok(())
}

fn failed(ctx: &Ctx<'_>, op: u32, thrown: &Value<'_>, again: bool) {
    let error = errors::describe(thrown);
    let name = js::string(ctx, &error.name)
        .and_then(|name| asks::encode_or_refuse(&name, "name", || "name of an error".to_owned()))
        .ok()
        .flatten();
    let failure = CallError {
        code: "thrown".to_owned(),
        message: error.message,
        details: error.value,
        effect: EffectState::None,
        retry_after_ms: None,
        extras: name.map(|name| vec![("name".to_owned(), name)]).unwrap_or_default(),
    };
    dispatch::step_exit(op, Err(&failure), again);
}
