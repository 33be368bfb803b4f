//! What no JavaScript engine has and code expects all the same: text as bytes, and URLs. The classes over these functions
//! are the ones of the executor that ships (`shared/`): they are JavaScript without any way to the host.

use boa_engine::object::ObjectInitializer;
use boa_engine::object::builtins::{JsArray, JsArrayBuffer, JsUint8Array};
use boa_engine::{Context, JsArgs, JsNativeError, JsResult, JsString, JsValue, NativeFunction, js_string};
use url::{Url, quirks};

use crate::{engine, native};

/// Each is a function of the native functions that it needs.
const SHARED: [(&str, &str); 6] = [
    ("events", include_str!("../shared/events.js")),
    ("text", include_str!("../shared/text.js")),
    ("url", include_str!("../shared/url.js")),
    ("numbers", include_str!("../shared/numbers.js")),
    ("dates", include_str!("../shared/dates.js")),
    ("words", include_str!("../shared/words.js")),
];

/// Defines their globals.
pub(crate) fn install(context: &mut Context) -> JsResult<()> {
    let mut object = ObjectInitializer::new(context);
    object
        .function(NativeFunction::from_fn_ptr(encode), js_string!("encodeText"), 1)
        .function(NativeFunction::from_fn_ptr(decode), js_string!("decodeText"), 2)
        .function(NativeFunction::from_fn_ptr(pending), js_string!("pendingBytes"), 1)
        .function(NativeFunction::from_fn_ptr(parse), js_string!("parseUrl"), 2)
        .function(NativeFunction::from_fn_ptr(change), js_string!("changeUrl"), 3);
    let natives = JsValue::from(object.build());
    for (_, source) in SHARED {
        let install = engine::evaluate(&format!("({source}\n)"), native::PRELUDE, context)?.to_object(context)?;
        install.call(&JsValue::undefined(), std::slice::from_ref(&natives), context)?;
    }
    Ok(())
}

/// (text) => bytes
fn encode(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let text = native::string(args.get_or_undefined(0), context)?;
    let buffer = JsArrayBuffer::new(text.len(), context)?;
    if let Some(mut data) = buffer.data_mut() {
        data.copy_from_slice(text.as_bytes());
    }
    Ok(JsUint8Array::from_array_buffer(buffer, context)?.into())
}

/// The bytes that a `Uint8Array` shows.
fn bytes(value: &JsValue, context: &mut Context) -> JsResult<Vec<u8>> {
    let needs = || JsNativeError::typ().with_message("decode needs an ArrayBuffer or a view of one");
    let array = JsUint8Array::from_object(value.as_object().ok_or_else(needs)?)?;
    let (from, len) = (array.byte_offset(context)?, array.byte_length(context)?);
    let buffer = JsArrayBuffer::from_object(array.buffer(context)?.to_object(context)?)?;
    Ok(buffer.data().and_then(|data| data.get(from..from + len).map(<[u8]>::to_vec)).unwrap_or_default())
}

/// (bytes, fatal) => text
fn decode(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let bytes = bytes(args.get_or_undefined(0), context)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(js_string!(text).into()),
        Err(_) if args.get_or_undefined(1).to_boolean() => {
            Err(JsNativeError::typ().with_message("The encoded data was not valid utf-8").into())
        }
        Err(error) => Ok(js_string!(&*String::from_utf8_lossy(error.as_bytes())).into()),
    }
}

/// (bytes) => how many at the end begin a character that is not complete
fn pending(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let bytes = bytes(args.get_or_undefined(0), context)?;
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let incomplete = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
    Ok(JsValue::new(if incomplete { last.len() as u32 } else { 0 }))
}

fn parts(url: &Url, context: &mut Context) -> JsValue {
    let parts = [
        url.as_str(),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
        &quirks::origin(url),
    ]
    .map(|part| JsValue::from(JsString::from(part)));
    JsArray::from_iter(parts, context).into()
}

/// (text, base or undefined) => parts, or undefined for what is no URL
fn parse(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let text = native::string(args.get_or_undefined(0), context)?;
    let base = match native::optional(args.get_or_undefined(1), context)?.map(|base| Url::parse(&base)) {
        Some(Err(_)) => return Ok(JsValue::undefined()),
        base => base.and_then(Result::ok),
    };
    let url = Url::options().base_url(base.as_ref()).parse(&text);
    Ok(url.map_or_else(|_| JsValue::undefined(), |url| parts(&url, context)))
}

/// (href, part, value) => parts: what assigning to a part makes of a URL
fn change(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let href = native::string(args.get_or_undefined(0), context)?;
    let part = native::string(args.get_or_undefined(1), context)?;
    let value = native::string(args.get_or_undefined(2), context)?;
    let mut url = Url::parse(&href).map_err(|_| JsNativeError::typ().with_message("Invalid URL"))?;
    // A part that cannot be changed so stays as it was.
    let _ = match part.as_str() {
        "protocol" => quirks::set_protocol(&mut url, &value),
        "username" => quirks::set_username(&mut url, &value),
        "password" => quirks::set_password(&mut url, &value),
        "host" => quirks::set_host(&mut url, &value),
        "hostname" => quirks::set_hostname(&mut url, &value),
        "port" => quirks::set_port(&mut url, &value),
        _ => Ok(()),
    };
    match part.as_str() {
        "pathname" => quirks::set_pathname(&mut url, &value),
        "search" => quirks::set_search(&mut url, &value),
        "hash" => quirks::set_hash(&mut url, &value),
        _ => {}
    }
    Ok(parts(&url, context))
}
