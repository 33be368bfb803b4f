//! `crypto`: the two functions that code uses for identifiers, over the run's seeded numbers. No real secrets can come
//! of it, and none are needed here: keys live on the host.

use rquickjs::{Ctx, Result, qjs};

use crate::{errors, js, random};

/// Bytes that one call fills at most, as in browsers.
const MOST: usize = 65_536;

pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let crypto = rquickjs::Object::new(ctx.clone())?.into_value();
    let fill = js::native(ctx, "getRandomValues", 1, |ctx, _, args| {
        let Some(view) = args.first().filter(|view| is_integer_view(view)) else {
            return Err(errors::throw(ctx, "TypeError", "getRandomValues needs an array of integers"));
        };
        let (mut offset, mut len, mut size) = (0, 0, 0);
        let buffer = js::take(ctx, unsafe {
            qjs::JS_GetTypedArrayBuffer(js::raw(ctx), view.as_raw(), &mut offset, &mut len, &mut size)
        })?;
        if len as usize > MOST {
            return Err(errors::throw(ctx, "QuotaExceededError", "getRandomValues fills at most 65536 bytes"));
        }
        let mut whole = 0;
        let start = unsafe { qjs::JS_GetArrayBuffer(js::raw(ctx), &mut whole, buffer.as_raw()) };
        if start.is_null() {
            return if ctx.has_exception() { Err(rquickjs::Error::Exception) } else { Ok(view.clone()) };
        }
        // SAFETY: the engine said where the buffer is and how long; nothing runs in between.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start, whole as usize) };
        if let Some(visible) = bytes.get_mut(offset as usize..(offset + len) as usize) {
            random::fill(visible);
        }
        Ok(view.clone())
    })?;
    let uuid = js::native(ctx, "randomUUID", 0, |ctx, _, _| {
        let mut bytes = [0u8; 16];
        random::fill(&mut bytes);
        bytes[6] = bytes[6] & 0x0F | 0x40;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        let mut text = String::with_capacity(36);
        for (at, byte) in bytes.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            text.push_str(&format!("{byte:02x}"));
        }
        js::string(ctx, &text)
    })?;
    js::define(&crypto, "getRandomValues", &fill, js::ORDINARY)?;
    js::define(&crypto, "randomUUID", &uuid, js::ORDINARY)?;
    js::define(ctx.globals().as_value(), "crypto", &crypto, js::HIDDEN)
}

fn is_integer_view(value: &rquickjs::Value<'_>) -> bool {
    let kind = unsafe { qjs::JS_GetTypedArrayType(value.as_raw()) };
    (0..=qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_BIG_UINT64 as i32).contains(&kind)
}
