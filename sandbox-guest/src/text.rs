//! Text and bytes: what `TextEncoder` and `TextDecoder` stand on, and base64.

use rquickjs::{Ctx, Result, Value};

use crate::codec;
use crate::{errors, js};

/// Adds the native functions to what the prelude gets.
pub fn natives<'js>(ctx: &Ctx<'js>, natives: &Value<'js>) -> Result<()> {
    let encode = js::native(ctx, "encode", 1, |ctx, _, args| {
        let text = match args.first() {
            Some(value) => js::text(value)?,
            None => String::new(),
        };
        codec::view(ctx, "Uint8Array", text.as_bytes())
    })?;
    js::define(natives, "encodeText", &encode, js::LOCKED)?;

    // (bytes, fatal) => text: bytes that are no UTF-8 become U+FFFD, or an exception.
    let decode = js::native(ctx, "decode", 2, |ctx, _, args| {
        let Some(bytes) = args.first().filter(|bytes| bytes.is_object()) else { return js::string(ctx, "") };
        let Some((_, bytes)) = codec::visible_bytes(ctx, bytes)? else {
            return Err(errors::throw(ctx, "TypeError", "decode needs an ArrayBuffer or a view of one"));
        };
        let fatal = args.get(1).and_then(Value::as_bool).unwrap_or(false);
        match std::str::from_utf8(&bytes) {
            Ok(text) => js::string(ctx, text),
            Err(_) if fatal => Err(errors::throw(ctx, "TypeError", "The encoded data was not valid utf-8")),
            Err(_) => js::string(ctx, &String::from_utf8_lossy(&bytes)),
        }
    })?;
    js::define(natives, "decodeText", &decode, js::LOCKED)?;

    // How many bytes at the end are the beginning of a character that is not complete.
    let pending = js::native(ctx, "pending", 1, |ctx, _, args| {
        let bytes = match args.first() {
            Some(bytes) if bytes.is_object() => codec::visible_bytes(ctx, bytes)?.map(|(_, bytes)| bytes),
            _ => None,
        };
        let pending = bytes.map_or(0, |bytes| incomplete(&bytes));
        Ok(Value::new_int(ctx.clone(), pending as i32))
    })?;
    js::define(natives, "pendingBytes", &pending, js::LOCKED)
}

fn incomplete(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let tail = &bytes[bytes.len() - back..];
        match std::str::from_utf8(tail) {
            Err(error) if error.valid_up_to() == 0 && error.error_len().is_none() => return back,
            Ok(_) => return 0,
            Err(_) => {}
        }
    }
    0
}

/// Strict, padded base64, as the journal writes it.
pub fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        let mut group = 0u32;
        for digit in chunk {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            group = group << 6 | u32::from(value);
        }
        group <<= 6 * (4 - chunk.len());
        let whole = group.to_be_bytes();
        match chunk.len() {
            4 => bytes.extend_from_slice(&whole[1..4]),
            3 => bytes.extend_from_slice(&whole[1..3]),
            2 => bytes.push(whole[1]),
            _ => return None,
        }
    }
    Some(bytes)
}
