//! Promises that were rejected while nobody waited for them. A failed call that the code did not await would vanish
//! without a trace; at the end of a run each is one warning line, in the order in which they failed.

use rquickjs::{Ctx, Runtime, Value};

use crate::bindings::codemode::component::dispatch::Level;
use crate::console;
use crate::state::state;

pub struct Rejection<'js> {
    promise: Value<'js>,
    reason: Value<'js>,
}

/// Makes the engine report to the state of the run.
pub fn track(runtime: &Runtime) {
    runtime.set_host_promise_rejection_tracker(Some(Box::new(|ctx, promise, reason, handled| {
        let state = state(&ctx);
        let mut rejections = state.rejections.borrow_mut();
        if handled {
            rejections.retain(|rejection| rejection.promise != promise);
        } else {
            rejections.push(Rejection { promise, reason });
        }
    })));
}

/// Writes the warnings. `own` is the promise of the code itself, whose failure is the outcome of the run.
pub fn report<'js>(ctx: &Ctx<'js>, own: &Value<'js>) {
    let rejections = state(ctx).rejections.take();
    let mut seen: Vec<Value<'js>> = Vec::new();
    if let Some(outcome) = rejections.iter().find(|rejection| rejection.promise == *own) {
        // The same failure passed on by several promises is one failure.
        seen.push(outcome.reason.clone());
    }
    for Rejection { promise, reason } in rejections {
        if promise == *own || (reason.is_object() && seen.contains(&reason)) {
            continue;
        }
        let label = state(ctx).failures.borrow().iter().find(|(failed, _)| *failed == reason).map(|(_, l)| l.clone());
        let label = label.as_deref().unwrap_or("a promise");
        let text = console::describe(&reason);
        console::line(ctx, Level::Warn, format!("{label} rejected and nobody awaited it: {text}"));
        seen.push(reason);
    }
}
