//! Ops: what the code asked the host for, and what happens when the answer comes. Promises are made with the engine's
//! own capability, so replacing `Promise` changes nothing here.

use rquickjs::{Ctx, Promise, Result, Value, qjs};

use crate::bindings::codemode::component::dispatch::{self, Breach, Completion};
use crate::bindings::codemode::component::types::CallError;
use crate::codec::{self, Failure, Refusal};
use crate::snippets::Snippet;
use crate::state::{intrinsics, state};
use crate::timers::Timer;
use crate::{clock, errors, js, snippets, timers};

/// What waits for the answer to one op.
pub enum Waiting<'js> {
    Promise(Settle<'js>),
    Timer(Timer<'js>),
    Snippet(Settle<'js>, Snippet),
}

/// The two ends of a promise that the code holds.
pub struct Settle<'js> {
    resolve: Value<'js>,
    reject: Value<'js>,
    /// Where the code asked, as an error's stack text.
    stack: Value<'js>,
    /// What was asked for, as a person would name it: `shelf.list`, `step "n"`.
    label: String,
}

impl<'js> Settle<'js> {
    pub fn resolve(&self, value: Value<'js>) -> Result<()> {
        js::call(&self.resolve, &js::undefined(value.ctx()), std::slice::from_ref(&value)).map(drop)
    }

    pub fn reject(&self, reason: Value<'js>) -> Result<()> {
        if reason.is_object() {
            state(reason.ctx()).failures.borrow_mut().push((reason.clone(), self.label.clone()));
        }
        js::call(&self.reject, &js::undefined(reason.ctx()), std::slice::from_ref(&reason)).map(drop)
    }

    /// Rejects with what is pending as exception.
    pub fn reject_pending(&self, ctx: &Ctx<'js>) -> Result<()> {
        self.reject(errors::caught(ctx))
    }

    pub fn settle(&self, ctx: &Ctx<'js>, outcome: std::result::Result<Option<String>, CallError>) -> Result<()> {
        match outcome {
            Ok(text) => match codec::decode(ctx, text.as_deref()) {
                Ok(value) => self.resolve(value),
                Err(_) => self.reject_pending(ctx),
            },
            Err(error) => self.reject(errors::from_call(ctx, &error, &self.stack)?),
        }
    }
}

/// A promise for the code, and its ends. `label` names what it stands for in a warning.
pub fn promise<'js>(ctx: &Ctx<'js>, label: String) -> Result<(Value<'js>, Settle<'js>)> {
    let (promise, resolve, reject) = Promise::new(ctx)?;
    let holder = js::bare(ctx)?;
    js::call(&intrinsics(ctx).capture_stack, &js::undefined(ctx), std::slice::from_ref(&holder))?;
    let stack = js::own_data(&holder, "stack")?.unwrap_or_else(|| js::undefined(ctx));
    let settle = Settle { resolve: resolve.into_value(), reject: reject.into_value(), stack, label };
    Ok((promise.into_value(), settle))
}

/// Counts an op and remembers what waits for it.
pub fn wait<'js>(ctx: &Ctx<'js>, op: u32, waiting: Waiting<'js>) {
    let state = state(ctx);
    state.asked.set(state.asked.get().wrapping_add(1));
    state.waiting.borrow_mut().insert(op, waiting);
}

/// A promise for the answer to an op that needs no more than decoding.
pub fn ask<'js>(ctx: &Ctx<'js>, label: String, submit: impl FnOnce() -> u32) -> Result<Value<'js>> {
    let (promise, settle) = promise(ctx, label)?;
    wait(ctx, submit(), Waiting::Promise(settle));
    Ok(promise)
}

/// Asks for a call. The arguments are encoded here and now, once.
pub fn call<'js>(ctx: &Ctx<'js>, connector: &str, method: &str, args: &[Value<'js>]) -> Result<Value<'js>> {
    let path = format!("{connector}.{method}");
    let text = match args.first() {
        Some(value) => encode_or_refuse(value, "args", || format!("arguments to {path}"))?,
        None => None,
    };
    ask(ctx, path, || dispatch::submit(connector, method, text.as_deref()))
}

/// Encodes a value for the journal; one that has no encoding ends the pass.
pub fn encode_or_refuse<'js>(
    value: &Value<'js>,
    root: &str,
    subject: impl FnOnce() -> String,
) -> Result<Option<String>> {
    let ctx = value.ctx();
    let limits = state(ctx).limits.get();
    match codec::encode(value, root, limits.value, limits.depth) {
        Ok(text) => Ok(text),
        Err(Failure::Thrown) => Err(rquickjs::Error::Exception),
        Err(Failure::Refused(refusal)) => Err(refuse(ctx, &subject(), &refusal)),
    }
}

/// Ends the pass. A host that goes on regardless gets an ordinary exception.
pub fn refuse(ctx: &Ctx<'_>, subject: &str, refusal: &Refusal) -> rquickjs::Error {
    let (breach, text) = match refusal {
        Refusal::TooLarge => (Breach::TooLarge, "too large".to_owned()),
        Refusal::TooDeep => (Breach::TooDeep, "nested too deeply".to_owned()),
        Refusal::Cyclic(path) => (Breach::Cyclic(path.clone()), format!("{path} contains itself")),
        Refusal::Unsupported(path, kind) => {
            (Breach::Unsupported((path.clone(), (*kind).to_owned())), format!("{path} is {kind}"))
        }
    };
    dispatch::refuse(subject, &breach);
    errors::throw(ctx, "TypeError", &format!("{subject}: {text}"))
}

/// Hands one answer to what waits for it. An exception in here is the code's own and is logged by the caller.
pub fn deliver<'js>(ctx: &Ctx<'js>, completion: Completion) -> Result<()> {
    clock::advance(completion.now);
    let waiting = state(ctx).waiting.borrow_mut().remove(&completion.op);
    match waiting {
        None => Ok(()),
        Some(Waiting::Promise(settle)) => settle.settle(ctx, completion.outcome),
        Some(Waiting::Timer(timer)) => timers::fire(ctx, timer, completion.outcome),
        Some(Waiting::Snippet(settle, snippet)) => snippets::start(ctx, settle, snippet, completion.outcome),
    }
}

/// Attaches native reactions to a promise or a thenable.
pub fn follow<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    fulfilled: impl Fn(&Ctx<'js>, Value<'js>) -> Result<()> + 'js,
    rejected: impl Fn(&Ctx<'js>, Value<'js>) -> Result<()> + 'js,
) -> Result<()> {
    let promise = if value.is_promise() {
        value.clone()
    } else {
        let (promise, resolve, _) = Promise::new(ctx)?;
        js::call(resolve.as_value(), &js::undefined(ctx), std::slice::from_ref(value))?;
        promise.into_value()
    };
    let first = |args: &[Value<'js>], ctx: &Ctx<'js>| args.first().cloned().unwrap_or_else(|| js::undefined(ctx));
    let on_fulfilled = js::native(ctx, "", 1, move |ctx, _, args| {
        fulfilled(ctx, first(args, ctx))?;
        Ok(js::undefined(ctx))
    })?;
    let on_rejected = js::native(ctx, "", 1, move |ctx, _, args| {
        rejected(ctx, first(args, ctx))?;
        Ok(js::undefined(ctx))
    })?;
    js::take(ctx, unsafe {
        qjs::JS_PromiseThen(js::raw(ctx), promise.as_raw(), on_fulfilled.as_raw(), on_rejected.as_raw())
    })
    .map(drop)
}
