//! The one engine of an instance: created at the first use, which is when the component is built, so that the
//! snapshot holds it ready.

use std::cell::OnceCell;

use rquickjs::context::intrinsic;
use rquickjs::{Context, Ctx, Result, Runtime, qjs};

use crate::intrinsics::Intrinsics;
use crate::state::State;
use crate::{builtins, js, memory, rejections};

/// The engine's own stack limit, for a host that gives 2 MiB of wasm stack: a level of recursion takes up to three and
/// a half times as much of that as of the engine's, and only the engine's limit ends in an exception that the code can
/// catch.
const STACK: usize = 400 * 1024;

/// The collector runs when memory has grown by this much; smaller values cost time in short runs.
const COLLECT_AFTER: usize = 4 * 1024 * 1024;

type Kinds = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
    intrinsic::DOMException,
);

thread_local! {
    static ENGINE: OnceCell<Context> = const { OnceCell::new() };
}

/// Calls `body` with the engine, creating it where needed.
pub fn with<R>(body: impl FnOnce(&Ctx<'_>) -> R) -> R {
    ENGINE.with(|engine| {
        // A failure here is one of the build: the snapshot is made with this very code.
        let context = engine.get_or_init(|| create().expect("the engine starts"));
        context.with(|ctx| body(&ctx))
    })
}

fn create() -> Result<Context> {
    let runtime = Runtime::new_with_alloc(memory::Malloc)?;
    runtime.set_max_stack_size(STACK);
    runtime.set_gc_threshold(COLLECT_AFTER);
    let context = Context::custom::<Kinds>(&runtime)?;
    context.with(|ctx| {
        // The safe bindings have no name for this part.
        unsafe { qjs::JS_AddIntrinsicAToB(js::raw(&ctx)) };
        let intrinsics = Intrinsics::new(&ctx)?;
        ctx.store_userdata(intrinsics).map_err(|_| rquickjs::Error::Unknown)?;
        ctx.store_userdata(State::new()).map_err(|_| rquickjs::Error::Unknown)?;
        builtins::install(&ctx)
    })?;
    rejections::track(&runtime);
    Ok(context)
}
