//! One run of the code: set up, call the function, then hand out answers one at a time until nothing is outstanding.
//! Every runnable job runs to its end between two answers.

use std::mem::ManuallyDrop;

use boa_engine::builtins::promise::PromiseState;
use boa_engine::object::builtins::JsPromise;
use boa_engine::object::{JsObject, ObjectInitializer};
use boa_engine::property::Attribute;
use boa_engine::{Context, JsError, JsResult, JsString, JsValue, js_string};

use crate::bindings::codemode::component::dispatch::{self, Completion};
use crate::bindings::codemode::component::types::{CallError, EffectState};
use crate::bindings::exports::codemode::component::sandbox::{CodeError, Request};
use crate::{clock, engine, native, random, web};

type Outcome = Result<Option<String>, CodeError>;

/// The prelude: one function of the native functions and the request, in parts by subject.
const PRELUDE: &str = concat!(
    "((native, request) => {",
    include_str!("prelude/intrinsics.js"),
    include_str!("prelude/encode.js"),
    include_str!("prelude/decode.js"),
    include_str!("prelude/errors.js"),
    include_str!("prelude/asks.js"),
    include_str!("prelude/steps.js"),
    include_str!("prelude/timers.js"),
    include_str!("prelude/names.js"),
    include_str!("prelude/globals.js"),
    include_str!("prelude/clone.js"),
    include_str!("prelude/base64.js"),
    include_str!("prelude/run.js"),
    "})"
);

pub(crate) fn run(request: &Request) -> Outcome {
    clock::start(&request.clock);
    random::start(&request.seed);
    let broken = |error: JsError| plain("InternalError", &error.to_string());
    // The host throws the instance away: nobody has to tidy up in it.
    let mut context = ManuallyDrop::new(engine::create().map_err(broken)?);
    let glue = Glue::install(request, &mut context).map_err(broken)?;
    drive(&glue, request, &mut context).unwrap_or_else(|error| Err(given_up(&error)))
}

fn plain(name: &str, message: &str) -> CodeError {
    CodeError { name: name.to_owned(), message: message.to_owned(), line: None, column: None, stack: None, value: None }
}

/// The engine ended the code where no `catch` can see it.
fn given_up(error: &JsError) -> CodeError {
    match error.as_engine() {
        Some(boa_engine::error::EngineError::RuntimeLimit(_)) => {
            plain("RangeError", "too much recursion: the code calls itself too deeply")
        }
        // With the message come frames, one line each.
        _ => plain("InternalError", error.to_string().lines().next().unwrap_or("the engine failed")),
    }
}

fn drive(glue: &Glue, request: &Request, context: &mut Context) -> JsResult<Outcome> {
    let promise = match glue.call("start", &[js_string!(request.code.as_str()).into(), text(&request.input)], context) {
        Ok(promise) => promise,
        Err(error) => return glue.failed(error, context).map(Err),
    };
    let own = promise.to_object(context)?;
    let promise = JsPromise::from_object(own.clone())?;
    let mut outcome = None;
    loop {
        context.run_jobs()?;
        // The result is read when it is there: what the code does to the object afterwards is too late.
        if outcome.is_none() && !matches!(promise.state(), PromiseState::Pending) {
            outcome = Some(glue.settled(&promise, context)?);
            context.run_jobs()?;
        }
        let Some(completion) = dispatch::next(outcome.is_some()) else { break };
        clock::advance(completion.now);
        glue.deliver(completion, context)?;
    }
    let unseen = engine::rejections().into_iter().filter(|known| !JsObject::equals(&known.promise, &own));
    for rejection in unseen {
        glue.call("unseen", &[rejection.reason], context)?;
    }
    Ok(outcome.unwrap_or_else(|| Err(plain("Error", "the code waits for something that never settles"))))
}

fn text(text: &Option<String>) -> JsValue {
    text.as_deref().map_or_else(JsValue::undefined, |text| JsString::from(text).into())
}

/// What the prelude hands back: functions by name.
struct Glue(JsObject);

impl Glue {
    fn install(request: &Request, context: &mut Context) -> JsResult<Self> {
        web::install(context)?;
        let native = native::object(context)?;
        let given = given(request, context)?;
        let prelude = engine::evaluate(PRELUDE, native::PRELUDE, context)?.to_object(context)?;
        let glue = prelude.call(&JsValue::undefined(), &[native.into(), given.into()], context)?;
        Ok(Self(glue.to_object(context)?))
    }

    fn call(&self, name: &str, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
        self.0.get(js_string!(name), context)?.to_object(context)?.call(&JsValue::undefined(), args, context)
    }

    fn deliver(&self, completion: Completion, context: &mut Context) -> JsResult<()> {
        let op = JsValue::from(completion.op);
        let args = match &completion.outcome {
            Ok(value) => [op, text(value), JsValue::undefined()],
            Err(error) => [op, JsValue::undefined(), failure(error, context).into()],
        };
        self.call("deliver", &args, context).map(drop)
    }

    fn settled(&self, promise: &JsPromise, context: &mut Context) -> JsResult<Outcome> {
        let done = match promise.state() {
            PromiseState::Rejected(reason) => Err(JsError::from_opaque(reason)),
            PromiseState::Fulfilled(value) => self.call("result", &[value], context),
            PromiseState::Pending => Ok(JsValue::undefined()),
        };
        match done {
            Ok(value) if value.is_undefined() => Ok(Ok(None)),
            Ok(value) => Ok(Ok(Some(native::string(&value, context)?))),
            Err(error) => self.failed(error, context).map(Err),
        }
    }

    /// What the host learns about a thrown value.
    fn failed(&self, error: JsError, context: &mut Context) -> JsResult<CodeError> {
        let thrown = error.into_opaque(context)?;
        let said = self.call("describe", &[thrown], context)?.to_object(context)?;
        let mut member = |name: &str| said.get(js_string!(name), context);
        let (name, message, stack, value) = (member("name")?, member("message")?, member("stack")?, member("value")?);
        let (line, column) = (member("line")?, member("column")?);
        let number = |value: &JsValue| value.as_number().map(|number| number as u32);
        Ok(CodeError {
            name: native::string(&name, context)?,
            message: native::string(&message, context)?,
            line: number(&line),
            column: number(&column),
            stack: native::optional(&stack, context)?,
            value: native::optional(&value, context)?,
        })
    }
}

/// The parts of the request that the prelude needs.
fn given(request: &Request, context: &mut Context) -> JsResult<JsObject> {
    let mut namespaces = Vec::new();
    for namespace in &request.namespaces {
        let methods =
            namespace.methods.iter().map(|name| JsString::from(name.as_str()).into()).collect::<Vec<JsValue>>();
        let methods = boa_engine::object::builtins::JsArray::from_iter(methods, context);
        let mut object = ObjectInitializer::new(context);
        object.property(js_string!("name"), js_string!(namespace.name.as_str()), Attribute::all());
        object.property(js_string!("methods"), methods, Attribute::all());
        namespaces.push(JsValue::from(object.build()));
    }
    let namespaces = boa_engine::object::builtins::JsArray::from_iter(namespaces, context);
    let limits = request.limits;
    let mut object = ObjectInitializer::new(context);
    object.property(js_string!("namespaces"), namespaces, Attribute::all());
    for (name, limit) in
        [("value", limits.value), ("outcome", limits.outcome), ("depth", limits.depth), ("line", limits.line)]
    {
        object.property(js_string!(name), limit, Attribute::all());
    }
    Ok(object.build())
}

fn failure(error: &CallError, context: &mut Context) -> JsObject {
    let effect = match error.effect {
        EffectState::None => "none",
        EffectState::Possible => "possible",
        EffectState::Happened => "happened",
    };
    let name = error.extras.iter().find(|(key, _)| key == "name").map(|(_, json)| json.clone());
    let after = error.retry_after_ms.map_or_else(JsValue::undefined, |ms| JsValue::new(ms as f64));
    let members = [
        ("code", js_string!(error.code.as_str()).into()),
        ("message", js_string!(error.message.as_str()).into()),
        ("details", text(&error.details)),
        ("effect", js_string!(effect).into()),
        ("retryAfterMs", after),
        ("name", text(&name)),
    ];
    let mut object = ObjectInitializer::new(context);
    for (key, value) in members {
        object.property(js_string!(key), value, Attribute::all());
    }
    object.build()
}
