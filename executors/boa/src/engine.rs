//! One engine, for one run: nothing of it asks its surroundings for anything.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::Path;
use std::pin::pin;
use std::rc::Rc;
use std::task::{self, Poll, Waker};

use boa_engine::builtins::promise::{OperationType, Promise, PromiseState};
use boa_engine::context::{ContextBuilder, HostHooks};
use boa_engine::job::{Job, JobExecutor};
use boa_engine::object::JsObject;
use boa_engine::object::builtins::JsPromise;
use boa_engine::{Context, JsError, JsNativeError, JsResult, JsValue, Script, Source};

use crate::clock;

/// Calls inside calls. Each way of calling takes some of the machine's stack, which nobody can measure from inside; at
/// this depth the deepest of them still has room.
const RECURSION: usize = 1_800;

/// Values on the engine's own stack, for so many calls.
const VALUES: usize = 1_000_000;

/// A fresh engine.
pub(crate) fn create() -> JsResult<Context> {
    let mut context = ContextBuilder::new()
        .clock(Rc::new(clock::Given))
        .host_hooks(Rc::new(Hooks))
        .job_executor(Rc::new(Jobs::default()))
        .build()?;
    context.strict(true);
    context.runtime_limits_mut().set_recursion_limit(RECURSION);
    context.runtime_limits_mut().set_stack_size_limit(VALUES);
    Ok(context)
}

/// The value of a script. `name` is the file that stack frames show.
pub(crate) fn evaluate(text: &str, name: &str, context: &mut Context) -> JsResult<JsValue> {
    let source = Source::from_bytes(text.as_bytes()).with_path(Path::new(name));
    Script::parse(source, None, context)?.evaluate(context)
}

/// Jobs in the order in which they came.
#[derive(Default)]
struct Jobs(RefCell<VecDeque<Job>>);

impl JobExecutor for Jobs {
    fn enqueue_job(self: Rc<Self>, job: Job, _: &mut Context) {
        self.0.borrow_mut().push_back(job);
    }

    /// Runs every job that can run. A job that throws reports to its promise; what is left is the engine giving up.
    fn run_jobs(self: Rc<Self>, context: &mut Context) -> JsResult<()> {
        loop {
            let Some(job) = self.0.borrow_mut().pop_front() else { return Ok(()) };
            let done = match job {
                Job::PromiseJob(job) => job.call(context),
                // Only `import()` makes one, and there is no module to wait for: it fails at once.
                Job::AsyncJob(job) => {
                    let context = RefCell::new(&mut *context);
                    match pin!(job.call(&context)).poll(&mut task::Context::from_waker(Waker::noop())) {
                        Poll::Ready(done) => done,
                        Poll::Pending => continue,
                    }
                }
                _ => continue,
            };
            match done {
                Err(error) if error.as_engine().is_some() => return Err(error),
                _ => {}
            }
        }
    }
}

/// A rejection that nobody has looked at yet.
pub(crate) struct Rejection {
    pub(crate) promise: JsObject,
    pub(crate) reason: JsValue,
}

thread_local! {
    static REJECTIONS: RefCell<Vec<Rejection>> = const { RefCell::new(Vec::new()) };
}

/// The rejections that nobody looked at, in the order in which they happened.
pub(crate) fn rejections() -> Vec<Rejection> {
    REJECTIONS.take()
}

struct Hooks;

impl HostHooks for Hooks {
    fn promise_rejection_tracker(&self, promise: &JsObject<Promise>, operation: OperationType, _: &mut Context) {
        let promise = promise.clone().upcast();
        let reason = match JsPromise::from_object(promise.clone()).map(|promise| promise.state()) {
            Ok(PromiseState::Rejected(reason)) => reason,
            _ => JsValue::undefined(),
        };
        REJECTIONS.with_borrow_mut(|rejections| match operation {
            OperationType::Reject => rejections.push(Rejection { promise, reason }),
            OperationType::Handle => rejections.retain(|known| !JsObject::equals(&known.promise, &promise)),
        });
    }

    fn local_timezone_offset_seconds(&self, _: i64) -> i32 {
        0
    }

    fn max_buffer_size(&self, _: &mut Context) -> u64 {
        // Beyond what a sandbox gets in all, so that asking for it is an error and no trap.
        64 << 20
    }
}

/// A syntax error that says where, as far as the engine's message does: the place becomes the error's stack.
pub(crate) fn placed(error: &JsError, name: &str, context: &mut Context) -> JsError {
    let text = error.as_native().map(|native| native.message().to_string()).unwrap_or_default();
    let Some((message, place)) = text.rsplit_once(" at line ") else { return error.clone() };
    let mut numbers = place.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let mut number = || numbers.next().and_then(|digits| digits.parse::<u32>().ok());
    let (Some(line), Some(column)) = (number(), number()) else { return error.clone() };
    // Before the text stands a parenthesis that is not the code's.
    let column = if line == 1 { column.saturating_sub(1).max(1) } else { column };
    let thrown = JsNativeError::syntax().with_message(message.to_owned()).into_opaque(context);
    let stack = boa_engine::js_string!(format!("    at {name} ({name}:{line}:{column})"));
    match thrown.create_data_property(boa_engine::js_string!("stack"), stack, context) {
        Ok(_) => JsError::from_opaque(thrown.into()),
        Err(error) => error,
    }
}
