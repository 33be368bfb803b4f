//! The native functions that the prelude stands on: the way to the host, what only the engine knows about a value, and
//! bytes. The code gets none of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use boa_engine::builtins::array_buffer::ArrayBuffer;
use boa_engine::builtins::async_generator::AsyncGenerator;
use boa_engine::builtins::dataview::DataView;
use boa_engine::builtins::date::Date;
use boa_engine::builtins::error::Error;
use boa_engine::builtins::generator::Generator;
use boa_engine::builtins::promise::Promise;
use boa_engine::builtins::regexp::RegExp;
use boa_engine::native_function::NativeFunctionPointer;
use boa_engine::object::builtins::{
    JsArrayBuffer, JsMap, JsMapIterator, JsSet, JsSetIterator, JsTypedArray, JsWeakMap, JsWeakSet,
};
use boa_engine::object::{JsObject, ObjectInitializer};
use boa_engine::{
    Context, JsArgs, JsBigInt, JsNativeError, JsResult, JsString, JsSymbol, JsValue, NativeFunction, js_string,
};

use crate::bindings::codemode::component::dispatch::{self, Breach, Level};
use crate::bindings::codemode::component::types::{CallError, EffectState};
use crate::{clock, encode, engine, json, random};

/// The file name of the prelude in stack frames.
pub(crate) const PRELUDE: &str = "prelude";

const FUNCTIONS: [(&str, NativeFunctionPointer); 24] = [
    ("submit", submit),
    ("sleep", sleep),
    ("cancel", cancel),
    ("search", |_, args, context| Ok(dispatch::search(&string(args.get_or_undefined(0), context)?).into())),
    ("describe", |_, args, context| Ok(dispatch::describe(&string(args.get_or_undefined(0), context)?).into())),
    ("snippet", snippet),
    ("stepEnter", step_enter),
    ("stepExit", step_exit),
    ("log", log),
    ("refuse", refuse),
    ("now", |_, _, _| Ok(JsValue::new(clock::now() as f64))),
    ("random", |_, _, _| Ok(JsValue::new(random::unit()))),
    ("enterStream", enter_stream),
    ("leaveStream", |_, _, _| {
        random::leave();
        Ok(JsValue::undefined())
    }),
    ("fill", fill),
    ("kind", kind),
    ("prepare", encode::prepare),
    ("namespace", encode::namespace),
    ("encode", encode::encode),
    ("parse", |_, args, context| json::parse(&string(args.get_or_undefined(0), context)?, context)),
    ("base64", base64),
    ("bytes", bytes),
    ("evaluate", evaluate),
    ("level", level),
];

/// All of them, as members of one object.
pub(crate) fn object(context: &mut Context) -> JsResult<JsObject> {
    let mut object = ObjectInitializer::new(context);
    for (name, function) in FUNCTIONS {
        object.function(NativeFunction::from_fn_ptr(function), js_string!(name), 0);
    }
    Ok(object.build())
}

/// A text. Lone surrogates, which no text of the wire can have, become U+FFFD; encoded values have none.
pub(crate) fn string(value: &JsValue, context: &mut Context) -> JsResult<String> {
    Ok(value.to_string(context)?.to_std_string_lossy())
}

/// A text, or none for `undefined`.
pub(crate) fn optional(value: &JsValue, context: &mut Context) -> JsResult<Option<String>> {
    if value.is_undefined() { Ok(None) } else { string(value, context).map(Some) }
}

fn number(value: &JsValue) -> f64 {
    value.as_number().unwrap_or(0.0)
}

/// (connector, method, arguments as text) => op
fn submit(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let connector = string(args.get_or_undefined(0), context)?;
    let method = string(args.get_or_undefined(1), context)?;
    let text = optional(args.get_or_undefined(2), context)?;
    Ok(dispatch::submit(&connector, &method, text.as_deref()).into())
}

/// (milliseconds) => op
fn sleep(_: &JsValue, args: &[JsValue], _: &mut Context) -> JsResult<JsValue> {
    Ok(dispatch::sleep(number(args.get_or_undefined(0)) as u64).into())
}

fn cancel(_: &JsValue, args: &[JsValue], _: &mut Context) -> JsResult<JsValue> {
    dispatch::cancel(number(args.get_or_undefined(0)) as u32);
    Ok(JsValue::undefined())
}

/// (name, input as text) => op
fn snippet(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let name = string(args.get_or_undefined(0), context)?;
    let input = optional(args.get_or_undefined(1), context)?;
    Ok(dispatch::snippet(&name, input.as_deref()).into())
}

/// (name) => op where the closure is to be run, else -1 - op
fn step_enter(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let step = dispatch::step_enter(&string(args.get_or_undefined(0), context)?);
    let op = f64::from(step.op);
    Ok(JsValue::new(if step.run { op } else { -1.0 - op }))
}

/// (op, again, value as text, failure as {name, message, value} or undefined)
fn step_exit(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let op = number(args.get_or_undefined(0)) as u32;
    let again = args.get_or_undefined(1).to_boolean();
    match args.get_or_undefined(3).as_object() {
        None => dispatch::step_exit(op, Ok(optional(args.get_or_undefined(2), context)?.as_deref()), again),
        Some(failure) => {
            let mut member = |name: &str| failure.get(js_string!(name), context);
            let (name, message, value) = (member("name")?, member("message")?, member("value")?);
            let error = CallError {
                code: "thrown".to_owned(),
                message: string(&message, context)?,
                details: optional(&value, context)?,
                effect: EffectState::None,
                retry_after_ms: None,
                // The prelude gives it as JSON already.
                extras: vec![("name".to_owned(), string(&name, context)?)],
            };
            dispatch::step_exit(op, Err(&error), again);
        }
    }
    Ok(JsValue::undefined())
}

/// (level, line)
fn log(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let level = match string(args.get_or_undefined(0), context)?.as_str() {
        "info" => Level::Info,
        "warn" => Level::Warn,
        "error" => Level::Error,
        "debug" => Level::Debug,
        _ => Level::Log,
    };
    dispatch::log(level, &string(args.get_or_undefined(1), context)?);
    Ok(JsValue::undefined())
}

/// (subject, kind of breach, path, what is there); does not return
fn refuse(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let subject = string(args.get_or_undefined(0), context)?;
    let kind = string(args.get_or_undefined(1), context)?;
    let path = string(args.get_or_undefined(2), context)?;
    let breach = match kind.as_str() {
        "too-large" => Breach::TooLarge,
        "too-deep" => Breach::TooDeep,
        "cyclic" => Breach::Cyclic(path),
        _ => Breach::Unsupported((path, string(args.get_or_undefined(3), context)?)),
    };
    dispatch::refuse(&subject, &breach);
    Ok(JsValue::undefined())
}

fn enter_stream(_: &JsValue, args: &[JsValue], _: &mut Context) -> JsResult<JsValue> {
    random::enter(number(args.get_or_undefined(0)) as u64 + 1);
    Ok(JsValue::undefined())
}

/// (object) => its kind, as a text
fn kind(_: &JsValue, args: &[JsValue], _: &mut Context) -> JsResult<JsValue> {
    let object = args.get_or_undefined(0).as_object();
    Ok(object.map_or_else(JsValue::undefined, |object| js_string!(kind_of(&object)).into()))
}

/// What an object is to the engine, whatever its prototype says. A proxy is an object like any other.
pub(crate) fn kind_of(object: &JsObject) -> &'static str {
    type Test = fn(&JsObject) -> bool;
    const TESTS: [(&str, Test); 20] = [
        ("date", |object| object.is::<Date>()),
        ("regexp", |object| object.is::<RegExp>()),
        ("map", |object| JsMap::from_object(object.clone()).is_ok()),
        ("set", |object| JsSet::from_object(object.clone()).is_ok()),
        ("buffer", |object| object.is::<ArrayBuffer>()),
        ("view", |object| object.is::<DataView>()),
        ("view", |object| JsTypedArray::from_object(object.clone()).is_ok()),
        ("error", |object| object.is::<Error>()),
        ("number", |object| object.is::<f64>()),
        ("string", |object| object.is::<JsString>()),
        ("boolean", |object| object.is::<bool>()),
        ("bigint", |object| object.is::<JsBigInt>()),
        ("symbol", |object| object.is::<JsSymbol>()),
        ("a promise", |object| object.is::<Promise>()),
        ("a WeakMap", |object| JsWeakMap::from_object(object.clone()).is_ok()),
        ("a WeakSet", |object| JsWeakSet::from_object(object.clone()).is_ok()),
        ("a generator", |object| object.is::<Generator>()),
        ("an async generator", |object| object.is::<AsyncGenerator>()),
        ("an iterator", |object| JsMapIterator::from_object(object.clone()).is_ok()),
        ("an iterator", |object| JsSetIterator::from_object(object.clone()).is_ok()),
    ];
    let found = if object.is_ordinary() { None } else { TESTS.iter().find(|(_, test)| test(object)) };
    found.map_or("object", |(kind, _)| *kind)
}

fn buffer(args: &[JsValue]) -> JsResult<(JsArrayBuffer, usize, usize)> {
    let needs = || JsNativeError::typ().with_message("a buffer is needed");
    let object = args.get_or_undefined(0).as_object().ok_or_else(needs)?;
    let (from, len) = (number(args.get_or_undefined(1)) as usize, number(args.get_or_undefined(2)) as usize);
    Ok((JsArrayBuffer::from_object(object)?, from, len))
}

/// (buffer, offset, length): fills with the code's random bytes
fn fill(_: &JsValue, args: &[JsValue], _: &mut Context) -> JsResult<JsValue> {
    let (buffer, from, len) = buffer(args)?;
    if let Some(mut data) = buffer.data_mut()
        && let Some(visible) = data.get_mut(from..from + len)
    {
        random::fill(visible);
    }
    Ok(JsValue::undefined())
}

/// (buffer, offset, length) => padded base64
fn base64(_: &JsValue, args: &[JsValue], _: &mut Context) -> JsResult<JsValue> {
    let (buffer, from, len) = buffer(args)?;
    let text = match buffer.data() {
        Some(data) => STANDARD.encode(data.get(from..from + len).unwrap_or_default()),
        // Detached: nothing is visible.
        None => String::new(),
    };
    Ok(js_string!(text).into())
}

/// (base64) => a buffer, or undefined for what is none
fn bytes(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let Ok(bytes) = STANDARD.decode(string(args.get_or_undefined(0), context)?) else {
        return Ok(JsValue::undefined());
    };
    let buffer = JsArrayBuffer::new(bytes.len(), context)?;
    if let Some(mut data) = buffer.data_mut() {
        data.copy_from_slice(&bytes);
    }
    Ok(buffer.into())
}

/// (text of an expression, file name) => its value
fn evaluate(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let text = string(args.get_or_undefined(0), context)?;
    let name = string(args.get_or_undefined(1), context)?;
    // The closing parenthesis is on a line of its own: the text may end in a comment. The opening one moves the columns of
    // the first line by one, which the prelude takes back.
    engine::evaluate(&format!("({text}\n)"), &name, context).map_err(|error| match error.as_engine() {
        Some(_) => error,
        None => engine::placed(&error, &name, context),
    })
}

/// How many snippets the asking function is inside of; 0 for the code itself.
fn level(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let asking = context.stack_trace().map(|frame| frame.position().path.to_string());
    let level = asking.filter(|file| file != PRELUDE).find_map(|file| match file.split_once(' ') {
        Some(("snippet", _)) => Some(1),
        Some((level, _)) => level.strip_prefix("snippet-").and_then(|level| level.parse().ok()),
        None => (file == "code").then_some(0),
    });
    Ok(level.unwrap_or(0).into())
}
