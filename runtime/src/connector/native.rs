//! A connector made of closures: for tools that a host has in Rust already.
//!
//! ```
//! use codemode_runtime::connector::native::Native;
//! use codemode_runtime::connector::{Method, Reverted};
//! use serde_json::json;
//!
//! let shelf = Native::new("shelf")
//!     .method(Method::read("list"), |_args, _context| async { Ok(json!([{ "id": 1 }])) })
//!     .method(Method::write("put"), |args, context| async move {
//!         Ok(json!({ "title": args, "key": context.idempotency_key }))
//!     })
//!     .on_revert(|_undo| async { Ok(Reverted::Reverted) });
//! ```

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::Value;

use super::{
    BoxFuture, Call, CallContext, CallOutput, Connector, Description, Flag, Method, Revert, Reverted, StateSession,
    Values, check_description, convert,
};
use crate::durable::execution::Status;
use crate::durable::failure::{EffectState, Failure, code};
use crate::durable::id::ExecutionId;
use crate::durable::journal::{Approval, Effect, Reach};

type Perform = Box<dyn Fn(Option<String>, CallContext) -> BoxFuture<'static, CallOutput> + Send + Sync>;
type Undoing = Box<dyn Fn(Undo) -> BoxFuture<'static, Result<Reverted, Failure>> + Send + Sync>;
type PassEnded = Box<dyn Fn(ExecutionId, u32, Status) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;
type ExecutionEnded = Box<dyn Fn(ExecutionId, Status) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;

/// A connector made of closures. A closure that panics fails its call only.
#[derive(Default)]
pub struct Native {
    description: Description,
    // In the order of `description.methods`.
    methods: Vec<Closures>,
    pass_ended: Option<PassEnded>,
    execution_ended: Option<ExecutionEnded>,
}

struct Closures {
    perform: Perform,
    undo: Option<Undoing>,
}

/// A call to undo, as a closure sees it.
#[derive(Clone, Debug)]
pub struct Undo {
    /// The revert's own context.
    pub context: CallContext,
    /// The idempotency key that the call had.
    pub call_key: String,
    /// The recorded argument, as text in the form that the connector speaks.
    pub args: Option<String>,
    /// What the journal knows of the call.
    pub outcome: Recorded,
}

/// What the journal knows of a call that is to be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It returned this: text in the form that the connector speaks.
    Returned(Option<String>),
    /// It failed, perhaps after its effect.
    Failed(Failure),
    /// It may or may not have happened.
    Unknown,
}

impl Undo {
    /// The recorded argument as plain JSON; `None` where there was none or it does not parse.
    #[must_use]
    pub fn args(&self) -> Option<Value> {
        self.args.as_deref().and_then(|text| serde_json::from_str(text).ok())
    }

    /// The recorded result as plain JSON; `None` where there is none or it does not parse.
    #[must_use]
    pub fn result(&self) -> Option<Value> {
        match &self.outcome {
            Recorded::Returned(Some(text)) => serde_json::from_str(text).ok(),
            _ => None,
        }
    }
}

impl Method {
    /// A method of that name that changes nothing. Everything else can be set with `..`.
    #[must_use]
    pub fn read(name: impl Into<String>) -> Self {
        Self { name: name.into(), effect: Effect::ReadOnly, ..Self::default() }
    }

    /// A method of that name that changes something.
    #[must_use]
    pub fn write(name: impl Into<String>) -> Self {
        Self { name: name.into(), effect: Effect::Write, ..Self::default() }
    }

    /// The same method, but a person is asked before each call.
    #[must_use]
    pub fn needs_approval(self) -> Self {
        Self { approval: Approval::Required, ..self }
    }
}

/// What a closure may return: a JSON value, an optional one, or nothing, which the code sees as `undefined`.
pub trait Returned {
    /// The value; `None` is `undefined`.
    fn into_value(self) -> Option<Value>;
}

impl Returned for Value {
    fn into_value(self) -> Option<Value> {
        Some(self)
    }
}

impl Returned for Option<Value> {
    fn into_value(self) -> Option<Value> {
        self
    }
}

impl Returned for () {
    fn into_value(self) -> Option<Value> {
        None
    }
}

impl Native {
    /// An empty connector with this suggested name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let description = Description { suggested_name: name.into(), ..Description::default() };
        Self { description, ..Self::default() }
    }

    /// How to use it, for the model.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.description.instructions = Some(text.into());
        self
    }

    /// Arguments arrive and results leave as tagged JSON (`docs/values.md`), so that bytes, big integers, dates and the
    /// like pass. Goes with [`Native::raw`].
    #[must_use]
    pub fn tagged(mut self) -> Self {
        self.description.values = Values::Tagged;
        self
    }

    /// Adds a method. The closure gets the first argument (`None`: none or `undefined`; `Some(Null)`: `null`).
    #[must_use]
    pub fn method<F, Fut, T>(self, method: Method, perform: F) -> Self
    where
        F: Fn(Option<Value>, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, Failure>> + Send + 'static,
        T: Returned + 'static,
    {
        self.raw(method, move |args, context| {
            let performed = parse(args.as_deref()).map(|args| perform(args, context));
            async move { Ok(performed?.await?.into_value().map(|value| value.to_string())) }
        })
    }

    /// Adds a method whose closure answers at once. It must not block for long: it runs where passes run.
    #[must_use]
    pub fn method_sync<F, T>(self, method: Method, perform: F) -> Self
    where
        F: Fn(Option<Value>, &CallContext) -> Result<T, Failure> + Send + Sync + 'static,
        T: Returned + 'static,
    {
        let perform = Arc::new(perform);
        self.raw(method, move |args, context| {
            let perform = Arc::clone(&perform);
            async move { Ok(perform(parse(args.as_deref())?, &context)?.into_value().map(|value| value.to_string())) }
        })
    }

    /// Adds a method whose closure gets and gives JSON text in the form that the connector speaks.
    #[must_use]
    pub fn raw<F, Fut>(mut self, method: Method, perform: F) -> Self
    where
        F: Fn(Option<String>, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = CallOutput> + Send + 'static,
    {
        self.description.methods.push(method);
        self.methods
            .push(Closures { perform: Box::new(move |args, context| Box::pin(perform(args, context))), undo: None });
        self
    }

    /// Says how the method that was added last is undone. Must be harmless when repeated.
    #[must_use]
    pub fn on_revert<F, Fut>(mut self, undo: F) -> Self
    where
        F: Fn(Undo) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Reverted, Failure>> + Send + 'static,
    {
        if let (Some(method), Some(closures)) = (self.description.methods.last_mut(), self.methods.last_mut()) {
            method.revertible = Flag::Yes;
            closures.undo = Some(Box::new(move |call| Box::pin(undo(call))));
        }
        self
    }

    /// Runs after each pass of an execution. May run more than once for one pass.
    #[must_use]
    pub fn on_pass_ended<F, Fut>(mut self, hook: F) -> Self
    where
        F: Fn(ExecutionId, u32, Status) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.description.hooks.pass_ended = Flag::Yes;
        self.pass_ended = Some(Box::new(move |id, pass, status| Box::pin(hook(id, pass, status))));
        self
    }

    /// Runs after the end of an execution, and again after its rollback.
    #[must_use]
    pub fn on_execution_ended<F, Fut>(mut self, hook: F) -> Self
    where
        F: Fn(ExecutionId, Status) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.description.hooks.execution_ended = Flag::Yes;
        self.execution_ended = Some(Box::new(move |id, status| Box::pin(hook(id, status))));
        self
    }

    fn closures(&self, method: &str) -> Result<&Closures, Failure> {
        let at = self.description.methods.iter().position(|m| m.name == method);
        at.and_then(|at| self.methods.get(at)).ok_or_else(|| {
            let name = &self.description.suggested_name;
            Failure::new(code::UNKNOWN_METHOD, format!("there is no method `{method}` on `{name}`"))
        })
    }
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Native").field("description", &self.description).finish_non_exhaustive()
    }
}

fn parse(text: Option<&str>) -> Result<Option<Value>, Failure> {
    let invalid =
        |e: serde_json::Error| Failure::new(code::INVALID_ARGUMENTS, format!("the argument cannot be read: {e}"));
    text.map(|text| serde_json::from_str(text).map_err(invalid)).transpose()
}

/// Awaits a closure's future; a panic becomes a failure.
async fn guarded<T>(what: &str, work: impl FnOnce() -> BoxFuture<'static, Result<T, Failure>>) -> Result<T, Failure> {
    let run = AssertUnwindSafe(async { work().await }).catch_unwind();
    run.await.unwrap_or_else(|panic| {
        let text = crate::host::panic_text(&*panic);
        Err(Failure::new(code::INTERNAL, format!("`{what}` panicked: {text}")).with_effect(EffectState::Possible))
    })
}

impl Connector for Native {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        Box::pin(async {
            check_description(&self.description.suggested_name, &self.description)?;
            Ok(self.description.clone())
        })
    }

    fn reach(&self) -> Reach {
        Reach::Outside
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        Box::pin(async move {
            let closures = self.closures(&call.method)?;
            guarded(&call.method, || (closures.perform)(call.args, call.context)).await
        })
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        Box::pin(async move {
            let Some(undo) = &self.closures(&revert.method)?.undo else { return Ok(Reverted::NothingToRevert) };
            let outcome = match revert.outcome {
                None => Recorded::Unknown,
                Some(Err(failure)) => Recorded::Failed(failure),
                Some(Ok(value)) => {
                    Recorded::Returned(value.map(|json| convert::text(&json, self.description.values)).transpose()?)
                }
            };
            let call = Undo { context: revert.context, call_key: revert.call_key, args: revert.args, outcome };
            guarded(&revert.method, || undo(call)).await
        })
    }

    fn pass_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        pass: u32,
        status: Status,
        _state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            let Some(hook) = &self.pass_ended else { return Ok(()) };
            guarded("pass-ended", || hook(execution.clone(), pass, status)).await
        })
    }

    fn execution_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        status: Status,
        _state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            let Some(hook) = &self.execution_ended else { return Ok(()) };
            guarded("execution-ended", || hook(execution.clone(), status)).await
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::connector::StateAccess;
    use crate::durable::id::Seq;
    use crate::durable::value::{Json, ValueLimits};
    use crate::store::memory::MemoryStore;

    fn state() -> Arc<StateSession> {
        StateSession::new(Arc::new(MemoryStore::new()), "k", &ExecutionId::from_text("e"), StateAccess::Denied)
    }

    fn context() -> CallContext {
        CallContext {
            execution: ExecutionId::from_text("e"),
            seq: Seq(0),
            pass: 1,
            idempotency_key: "e:0".to_owned(),
            attempt: 1,
            remaining_ms: 1_000,
        }
    }

    async fn call(native: &Native, method: &str, args: Option<&str>) -> CallOutput {
        let (method, args) = (method.to_owned(), args.map(str::to_owned));
        native.call(Call { context: context(), method, args, state: state() }).await
    }

    fn sample() -> Native {
        Native::new("k")
            .method(Method::read("echo"), |args, _| async move { Ok(args) })
            .method(Method::read("absent"), |args, _| async move { Ok(json!(args.is_none())) })
            .method_sync(Method::read("key"), |_, context| Ok(json!(context.idempotency_key)))
            .method_sync(Method::write("nothing"), |_, _| Ok(()))
            .method(Method::write("panic"), |_, _| async { if true { panic!("oops") } else { Ok(()) } })
            .method(Method::write("fail").needs_approval(), |_, _| async {
                Err::<Value, _>(Failure::new(code::CONFLICT, "taken"))
            })
    }

    #[tokio::test]
    async fn absent_null_and_nothing_are_told_apart() {
        let k = sample();
        assert_eq!(call(&k, "echo", None).await, Ok(None));
        assert_eq!(call(&k, "echo", Some("null")).await, Ok(Some("null".to_owned())));
        assert_eq!(call(&k, "absent", None).await, Ok(Some("true".to_owned())));
        assert_eq!(call(&k, "absent", Some("null")).await, Ok(Some("false".to_owned())));
        assert_eq!(call(&k, "nothing", None).await, Ok(None));
        assert_eq!(call(&k, "key", None).await, Ok(Some("\"e:0\"".to_owned())));
    }

    #[tokio::test]
    async fn failures_and_panics_fail_the_call_only() {
        let k = sample();
        assert_eq!(call(&k, "fail", None).await.unwrap_err().message, "taken");
        let panic = call(&k, "panic", None).await.unwrap_err();
        assert_eq!((panic.code.as_str(), panic.effect), ("internal", EffectState::Possible));
        assert!(panic.message.contains("`panic` panicked: oops"), "{}", panic.message);
        let unknown = call(&k, "nope", None).await.unwrap_err();
        assert_eq!(unknown.code, "unknown-method");
        assert!(unknown.message.contains("`nope` on `k`"));
        assert_eq!(call(&k, "echo", Some("{")).await.unwrap_err().code, "invalid-arguments");
    }

    #[tokio::test]
    async fn a_method_is_revertible_exactly_when_it_says_how() {
        let k = Native::new("k")
            .method(Method::read("list"), |_, _| async { Ok(json!([])) })
            .method(Method::write("put"), |_, _| async { Ok(json!(1)) })
            .on_revert(|undo| async move {
                assert_eq!((undo.args(), undo.result()), (Some(json!({ "a": 1 })), Some(json!({ "$cm": 1 }))));
                Ok(Reverted::Reverted)
            });
        let methods = k.describe().await.unwrap().methods;
        assert_eq!((methods[0].revertible, methods[1].revertible), (Flag::No, Flag::Yes));
        let revert = |method: &str| Revert {
            context: context(),
            call_key: "e:0".to_owned(),
            method: method.to_owned(),
            args: Some("{\"a\":1}".to_owned()),
            outcome: Some(Ok(Some(Json::from_plain("{\"$cm\":1}", &ValueLimits::default()).unwrap()))),
            state: state(),
        };
        assert_eq!(k.revert(revert("put")).await, Ok(Reverted::Reverted));
        assert_eq!(k.revert(revert("list")).await, Ok(Reverted::NothingToRevert));
        assert!(k.revert(revert("nope")).await.is_err());
    }

    #[tokio::test]
    async fn hooks_are_wanted_exactly_when_they_are_given() {
        let k = sample().on_execution_ended(|_, status| async move {
            assert_eq!(status, Status::Completed);
            Err(Failure::new(code::INTERNAL, "the hook failed"))
        });
        let hooks = k.describe().await.unwrap().hooks;
        assert_eq!((hooks.pass_ended, hooks.execution_ended), (Flag::No, Flag::Yes));
        let id = ExecutionId::from_text("e");
        assert!(k.execution_ended(&id, Status::Completed, state()).await.is_err());
        assert_eq!(k.pass_ended(&id, 1, Status::Paused, state()).await, Ok(()));
    }

    #[tokio::test]
    async fn a_wrong_description_is_refused_like_that_of_a_component() {
        let k = Native::new("k").method(Method::read("a-b"), |_, _| async { Ok(()) });
        assert!(k.describe().await.unwrap_err().message.contains("\"a-b\""));
    }
}
