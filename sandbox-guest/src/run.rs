//! One run of the code: set up what differs per run, call the function, then hand out answers one at a time until
//! nothing is outstanding. Every runnable job runs to its end between two answers.

use std::mem::MaybeUninit;

use rquickjs::{Ctx, Promise, Result as JsResult, Value, promise::PromiseState, qjs};

use crate::bindings::codemode::component::dispatch;
use crate::bindings::exports::codemode::component::sandbox::{CodeError, Request};
use crate::codec::{self, Failure};
use crate::state::{Limits, state};
use crate::{asks, clock, engine, errors, js, namespace, random, rejections, timers};

type Outcome = Result<Option<String>, CodeError>;

pub fn run(request: Request) -> Outcome {
    let outcome = engine::with(|ctx| {
        if state(ctx).used.replace(true) {
            return Err(plain_error("this sandbox had its run already"));
        }
        match begin(ctx, &request) {
            Ok(promise) => drive(ctx, &promise),
            Err(_) => Err(errors::describe(&errors::caught(ctx))),
        }
    });
    outcome.map_err(|error| CodeError { column: in_units(&request.code, error.line, error.column), ..error })
}

/// The engine counts columns in bytes; what is said of code is counted in UTF-16 code units.
fn in_units(code: &str, line: Option<u32>, column: Option<u32>) -> Option<u32> {
    let text = code.split('\n').nth((line? as usize).checked_sub(1)?)?;
    let before = text.char_indices().take_while(|(at, _)| *at + 1 < column.unwrap_or(1) as usize);
    let units: usize = before.map(|(_, c)| c.len_utf16()).sum();
    column.map(|_| units as u32 + 1)
}

fn plain_error(message: &str) -> CodeError {
    CodeError {
        name: "Error".to_owned(),
        message: message.to_owned(),
        line: None,
        column: None,
        stack: None,
        value: None,
    }
}

/// Calls the function; the answer is a promise for its result.
fn begin<'js>(ctx: &Ctx<'js>, request: &Request) -> JsResult<Promise<'js>> {
    clock::start(&request.clock);
    random::start(&request.seed);
    state(ctx).limits.set(Limits {
        value: request.limits.value as usize,
        outcome: request.limits.outcome as usize,
        depth: request.limits.depth as usize,
        line: request.limits.line as usize,
    });
    namespace::install(ctx, &request.namespaces)?;

    let input = codec::decode(ctx, request.input.as_deref())?;
    let function = js::evaluate(ctx, &request.code, errors::FILE)?;
    if !function.is_function() {
        return Err(errors::throw(ctx, "TypeError", "the code is not a function"));
    }
    let returned = js::call(&function, &js::undefined(ctx), &[input])?;
    if let Some(promise) = returned.as_promise() {
        return Ok(promise.clone());
    }
    let (promise, resolve, _) = Promise::new(ctx)?;
    js::call(resolve.as_value(), &js::undefined(ctx), &[returned])?;
    Ok(promise)
}

fn drive<'js>(ctx: &Ctx<'js>, promise: &Promise<'js>) -> Outcome {
    let mut outcome = None;
    loop {
        jobs(ctx);
        // The result is read when it is there: what the code does to the object afterwards is too late.
        if outcome.is_none() && promise.state() != PromiseState::Pending {
            outcome = Some(settled(ctx, promise));
            jobs(ctx);
        }
        let Some(completion) = dispatch::next(outcome.is_some()) else { break };
        if asks::deliver(ctx, completion).is_err() {
            timers::uncaught(ctx);
        }
    }
    rejections::report(ctx, promise.as_value());
    outcome.unwrap_or_else(|| Err(plain_error("the code waits for something that never settles")))
}

/// Runs every job that can run.
fn jobs(ctx: &Ctx<'_>) {
    let runtime = unsafe { qjs::JS_GetRuntime(js::raw(ctx)) };
    loop {
        let mut context = MaybeUninit::uninit();
        match unsafe { qjs::JS_ExecutePendingJob(runtime, context.as_mut_ptr()) } {
            0 => return,
            done if done < 0 => timers::uncaught(ctx),
            _ => {}
        }
    }
}

fn settled<'js>(ctx: &Ctx<'js>, promise: &Promise<'js>) -> Outcome {
    let value = unsafe { qjs::JS_PromiseResult(js::raw(ctx), promise.as_value().as_raw()) };
    // SAFETY: the engine handed over one reference.
    let value = unsafe { Value::from_raw(ctx.clone(), value) };
    if promise.state() == PromiseState::Rejected {
        return Err(errors::describe(&value));
    }
    let limits = state(ctx).limits.get();
    match codec::encode(&value, "result", limits.outcome, limits.depth) {
        Ok(text) => Ok(text),
        Err(Failure::Thrown) => Err(errors::describe(&errors::caught(ctx))),
        Err(Failure::Refused(refusal)) => {
            asks::refuse(ctx, "the result", &refusal);
            Err(errors::describe(&errors::caught(ctx)))
        }
    }
}
