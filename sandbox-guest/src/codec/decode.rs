//! From tagged JSON to a JavaScript value. The engine parses; where the text holds a tag, the values are then made in
//! place of their tags. Everything is defined as own property, so no setter or prototype of the code's has a part.

use rquickjs::{Ctx, Error, Result, Value, qjs};

use super::looks_like_tag;
use super::tags::VIEWS;
use crate::js::Key;
use crate::state::intrinsics;
use crate::{errors, js, text};

/// More levels than any text of the journal has, and few enough for the stack.
const LEVELS: usize = 2_000;

/// Decodes a whole value; no text stands for `undefined`. A malformed text throws.
pub fn decode<'js>(ctx: &Ctx<'js>, text: Option<&str>) -> Result<Value<'js>> {
    let Some(text) = text else { return Ok(js::undefined(ctx)) };
    let value = parse(ctx, text)?;
    if text.contains("$cm\"") { plain(ctx, &value, LEVELS) } else { Ok(value) }
}

/// The engine's parser, whatever `JSON.parse` is by now. The caller vouches for the nesting.
pub fn parse<'js>(ctx: &Ctx<'js>, text: &str) -> Result<Value<'js>> {
    // The parser wants a zero after the end.
    let mut bytes = Vec::with_capacity(text.len() + 1);
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(0);
    js::take(ctx, unsafe { qjs::JS_ParseJSON(js::raw(ctx), bytes.as_ptr().cast(), text.len() as _, c"value".as_ptr()) })
}

fn malformed(ctx: &Ctx<'_>) -> Error {
    errors::throw(ctx, "TypeError", "a value from the journal is malformed")
}

/// Replaces tags inside a freshly parsed value.
fn plain<'js>(ctx: &Ctx<'js>, value: &Value<'js>, levels: usize) -> Result<Value<'js>> {
    if !value.is_object() {
        return Ok(value.clone());
    }
    let levels = levels.checked_sub(1).ok_or_else(|| malformed(ctx))?;
    if value.is_array() {
        for index in 0..js::length(value)? as u32 {
            let item = js::get_index(value, index)?;
            if item.is_object() {
                let item = plain(ctx, &item, levels)?;
                js::define_index(value, index, &item)?;
            }
        }
        return Ok(value.clone());
    }
    let keys = js::keys(value)?;
    let names = keys.iter().map(|key| js::bytes(&key.value()?)).collect::<Result<Vec<_>>>()?;
    if names.iter().any(|name| name == b"$cm") {
        return match &keys[..] {
            [key] => tagged(ctx, &js::get(value, key)?, levels),
            _ => Err(malformed(ctx)),
        };
    }
    let escaped = names.iter().any(|name| looks_like_tag(name));
    // A key that changes must keep its place, so the whole object is made anew.
    let target = if escaped { rquickjs::Object::new(ctx.clone())?.into_value() } else { value.clone() };
    for (key, name) in keys.iter().zip(&names) {
        let parsed = js::get(value, key)?;
        let member = if parsed.is_object() { plain(ctx, &parsed, levels)? } else { parsed.clone() };
        if looks_like_tag(name) {
            js::define_key(&target, &Key::from_bytes(ctx, &name[1..])?, &member, js::ORDINARY)?;
        } else if escaped || parsed.is_object() {
            js::define_key(&target, key, &member, js::ORDINARY)?;
        }
    }
    Ok(target)
}

fn tagged<'js>(ctx: &Ctx<'js>, parts: &Value<'js>, levels: usize) -> Result<Value<'js>> {
    if !parts.is_array() {
        return Err(malformed(ctx));
    }
    let parts: Vec<_> = (0..js::length(parts)? as u32).map(|at| js::get_index(parts, at)).collect::<Result<_>>()?;
    let Some((kind, parts)) = parts.split_first() else { return Err(malformed(ctx)) };
    let kind = if kind.is_string() { js::text(kind)? } else { return Err(malformed(ctx)) };
    let intrinsics = intrinsics(ctx);
    match (kind.as_str(), parts) {
        ("undefined", []) => Ok(js::undefined(ctx)),
        ("number", [name]) if name.is_string() => number(ctx, &js::text(name)?),
        ("bigint", [digits]) if digits.is_string() => {
            let text = js::text(digits)?;
            let figures = text.strip_prefix('-').unwrap_or(&text);
            if figures.is_empty() || !figures.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(malformed(ctx));
            }
            js::call(&intrinsics.bigint, &js::undefined(ctx), std::slice::from_ref(digits))
        }
        ("date", [ms]) if ms.is_number() => js::construct(&intrinsics.date, std::slice::from_ref(ms)),
        ("date", [ms]) if ms.is_null() => js::construct(&intrinsics.date, &[Value::new_float(ctx.clone(), f64::NAN)]),
        ("map", [entries]) if entries.is_array() => {
            let map = js::construct(&intrinsics.map, &[])?;
            for at in 0..js::length(entries)? as u32 {
                let entry = js::get_index(entries, at)?;
                if !entry.is_array() || js::length(&entry)? != 2 {
                    return Err(malformed(ctx));
                }
                let key = plain(ctx, &js::get_index(&entry, 0)?, levels)?;
                let value = plain(ctx, &js::get_index(&entry, 1)?, levels)?;
                js::call(&intrinsics.map_set, &map, &[key, value])?;
            }
            Ok(map)
        }
        ("set", [members]) if members.is_array() => {
            let set = js::construct(&intrinsics.set, &[])?;
            for at in 0..js::length(members)? as u32 {
                let member = plain(ctx, &js::get_index(members, at)?, levels)?;
                js::call(&intrinsics.set_add, &set, &[member])?;
            }
            Ok(set)
        }
        ("regexp", [source, flags]) if source.is_string() && flags.is_string() => {
            js::construct(&intrinsics.regexp, &[source.clone(), flags.clone()])
        }
        ("error", [members]) if members.is_object() && !members.is_array() => error(ctx, members, levels),
        ("bytes", [name, data]) if name.is_string() && data.is_string() => {
            let bytes = text::from_base64(&js::bytes(data)?).ok_or_else(|| malformed(ctx))?;
            view(ctx, &js::text(name)?, &bytes)
        }
        _ => Err(malformed(ctx)),
    }
}

fn number<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Value<'js>> {
    let number = match name {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        "-0" => -0.0,
        _ => return Err(malformed(ctx)),
    };
    Ok(Value::new_float(ctx.clone(), number))
}

/// An object of the built-in error type; the members that the language hides stay hidden.
fn error<'js>(ctx: &Ctx<'js>, members: &Value<'js>, levels: usize) -> Result<Value<'js>> {
    let name = js::get_str(members, "name")?;
    let message = js::get_str(members, "message")?;
    if !name.is_string() || !message.is_string() {
        return Err(malformed(ctx));
    }
    let intrinsics = intrinsics(ctx);
    let known = js::own_data(&intrinsics.error_prototypes, &js::text(&name)?)?;
    let error = js::take(ctx, unsafe { qjs::JS_NewError(js::raw(ctx)) })?;
    if let Some(prototype) = &known {
        js::set_prototype(&error, prototype)?;
    }
    js::define(&error, "message", &message, js::HIDDEN)?;
    for key in js::keys(members)? {
        let bytes = js::bytes(&key.value()?)?;
        let value = plain(ctx, &js::get(members, &key)?, levels)?;
        match &bytes[..] {
            b"message" => {}
            b"name" if known.is_some() => {}
            b"name" | b"cause" | b"errors" => js::define_key(&error, &key, &value, js::HIDDEN)?,
            name if looks_like_tag(name) => {
                js::define_key(&error, &Key::from_bytes(ctx, &name[1..])?, &value, js::ORDINARY)?;
            }
            _ => js::define_key(&error, &key, &value, js::ORDINARY)?,
        }
    }
    Ok(error)
}

/// A buffer, or a view over a buffer of its own.
pub fn view<'js>(ctx: &Ctx<'js>, name: &str, bytes: &[u8]) -> Result<Value<'js>> {
    let buffer = js::take(ctx, unsafe { qjs::JS_NewArrayBufferCopy(js::raw(ctx), bytes.as_ptr(), bytes.len() as _) })?;
    if name == "ArrayBuffer" {
        return Ok(buffer);
    }
    if name == "DataView" {
        return js::construct(&intrinsics(ctx).data_view, &[buffer]);
    }
    match VIEWS.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, size)) if bytes.len().is_multiple_of(*size) => {
            let mut args = [buffer.as_raw()];
            js::take(ctx, unsafe { qjs::JS_NewTypedArray(js::raw(ctx), 1, args.as_mut_ptr(), *kind) })
        }
        _ => Err(malformed(ctx)),
    }
}
