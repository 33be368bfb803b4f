//! What the engine's safe bindings leave out: strings with lone surrogates, property attributes, class ids. The rest
//! of the crate calls these instead of the raw interface where it can.

use std::mem::MaybeUninit;

use rquickjs::function::{Rest, This};
use rquickjs::{Ctx, Error, Function, Object, Result, Value, qjs};

/// Attributes of a property.
pub const HIDDEN: u32 = qjs::JS_PROP_CONFIGURABLE | qjs::JS_PROP_WRITABLE;
pub const ORDINARY: u32 = HIDDEN | qjs::JS_PROP_ENUMERABLE;
pub const LOCKED: u32 = 0;
pub const LOCKED_VISIBLE: u32 = qjs::JS_PROP_ENUMERABLE;

pub fn raw(ctx: &Ctx<'_>) -> *mut qjs::JSContext {
    ctx.as_raw().as_ptr()
}

/// Takes over what an engine function returned; an exception stays pending in the context.
pub fn take<'js>(ctx: &Ctx<'js>, value: qjs::JSValue) -> Result<Value<'js>> {
    if unsafe { qjs::JS_IsException(value) } {
        return Err(Error::Exception);
    }
    // SAFETY: the engine handed over one reference to a value of this context.
    Ok(unsafe { Value::from_raw(ctx.clone(), value) })
}

/// A property key: a text or a symbol.
pub struct Key<'js> {
    ctx: Ctx<'js>,
    atom: qjs::JSAtom,
}

impl<'js> Key<'js> {
    pub fn new(ctx: &Ctx<'js>, name: &str) -> Result<Self> {
        Self::from_bytes(ctx, name.as_bytes())
    }

    pub fn from_bytes(ctx: &Ctx<'js>, name: &[u8]) -> Result<Self> {
        Self::own(ctx, unsafe { qjs::JS_NewAtomLen(raw(ctx), name.as_ptr().cast(), name.len() as _) })
    }

    fn own(ctx: &Ctx<'js>, atom: qjs::JSAtom) -> Result<Self> {
        if atom == qjs::JS_ATOM_NULL { Err(Error::Exception) } else { Ok(Self { ctx: ctx.clone(), atom }) }
    }

    pub fn value(&self) -> Result<Value<'js>> {
        take(&self.ctx, unsafe { qjs::JS_AtomToValue(raw(&self.ctx), self.atom) })
    }
}

impl Drop for Key<'_> {
    fn drop(&mut self) {
        unsafe { qjs::JS_FreeAtom(raw(&self.ctx), self.atom) };
    }
}

fn check(code: i32) -> Result<bool> {
    if code < 0 { Err(Error::Exception) } else { Ok(code != 0) }
}

/// The UTF-8 bytes of `String(value)`; a lone surrogate is three bytes from ED A0 80 on.
pub fn bytes(value: &Value<'_>) -> Result<Vec<u8>> {
    with_bytes(value, |bytes| bytes.to_vec())
}

/// Like [`bytes`] without the copy.
pub fn with_bytes<R>(value: &Value<'_>, read: impl FnOnce(&[u8]) -> R) -> Result<R> {
    let ctx = raw(value.ctx());
    let mut len = MaybeUninit::uninit();
    let ptr = unsafe { qjs::JS_ToCStringLen2(ctx, len.as_mut_ptr(), value.as_raw(), false) };
    if ptr.is_null() {
        return Err(Error::Exception);
    }
    // SAFETY: the engine filled in the length and keeps the text until it is freed below.
    let answer = read(unsafe { std::slice::from_raw_parts(ptr.cast(), len.assume_init() as usize) });
    unsafe { qjs::JS_FreeCString(ctx, ptr) };
    Ok(answer)
}

/// `String(value)` with lone surrogates replaced.
pub fn text(value: &Value<'_>) -> Result<String> {
    with_bytes(value, lossy)
}

/// [`text`] of no more than about `max` bytes: what is longer is not copied.
pub fn text_within(value: &Value<'_>, max: usize) -> Result<String> {
    with_bytes(value, |bytes| start(bytes, max))
}

/// [`text_within`], and how many UTF-16 units the whole text has.
pub fn measured_within(value: &Value<'_>, max: usize) -> Result<(String, usize)> {
    with_bytes(value, |bytes| (start(bytes, max), units_of(bytes)))
}

fn start(bytes: &[u8], max: usize) -> String {
    let mut end = bytes.len().min(max);
    while end < bytes.len() && bytes[end] & 0xC0 == 0x80 {
        end += 1;
    }
    lossy(&bytes[..end])
}

/// Replaces each lone surrogate by one U+FFFD.
pub fn lossy(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            let mut fixed = bytes.to_vec();
            let mut at = 0;
            while at + 2 < fixed.len() {
                if fixed[at] == 0xED && fixed[at + 1] >= 0xA0 {
                    // The replacement character has three bytes as well.
                    fixed[at..at + 3].copy_from_slice("\u{FFFD}".as_bytes());
                    at += 3;
                } else {
                    at += 1;
                }
            }
            String::from_utf8_lossy(&fixed).into_owned()
        }
    }
}

pub fn string<'js>(ctx: &Ctx<'js>, text: &str) -> Result<Value<'js>> {
    take(ctx, unsafe { qjs::JS_NewStringLen(raw(ctx), text.as_ptr().cast(), text.len() as _) })
}

/// UTF-16 units of a text.
pub fn units(text: &str) -> usize {
    units_of(text.as_bytes())
}

fn units_of(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum()
}

/// Cuts a text for display to at most `limit` UTF-16 units, at a character boundary and with a marker that tells its
/// whole length, `full`; the host cuts the same way. Where not even the marker fits, it is cut without one.
pub fn cut_marked(text: &mut String, limit: usize, full: usize) {
    if full <= limit {
        return;
    }
    let marker = format!("… [cut; {full} characters in full]");
    match limit.checked_sub(units(&marker)) {
        Some(room) => {
            cut(text, room);
            text.push_str(&marker);
        }
        None => cut(text, limit),
    }
}

/// Cuts at a character boundary so that at most `limit` UTF-16 units remain.
fn cut(text: &mut String, limit: usize) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.len_utf16();
        if used > limit {
            text.truncate(at);
            return;
        }
    }
}

pub fn number(value: &Value<'_>) -> Result<f64> {
    let mut number = 0.0;
    check(unsafe { qjs::JS_ToFloat64(raw(value.ctx()), &mut number, value.as_raw()) })?;
    Ok(number)
}

pub fn undefined<'js>(ctx: &Ctx<'js>) -> Value<'js> {
    Value::new_undefined(ctx.clone())
}

/// The value's address, which identifies an object while it lives.
pub fn address(value: &Value<'_>) -> usize {
    unsafe { qjs::JS_VALUE_GET_PTR(value.as_raw()) as usize }
}

pub fn class(value: &Value<'_>) -> qjs::JSClassID {
    unsafe { qjs::JS_GetClassID(value.as_raw()) }
}

/// Defines an own property whatever the prototypes say.
pub fn define<'js>(object: &Value<'js>, key: &str, value: &Value<'js>, attributes: u32) -> Result<()> {
    define_key(object, &Key::new(object.ctx(), key)?, value, attributes)
}

pub fn define_key<'js>(object: &Value<'js>, key: &Key<'js>, value: &Value<'js>, attributes: u32) -> Result<()> {
    let ctx = object.ctx();
    let flags = attributes | qjs::JS_PROP_THROW;
    // The engine takes over one reference to the value.
    let value = unsafe { qjs::JS_DupValue(raw(ctx), value.as_raw()) };
    check(unsafe { qjs::JS_DefinePropertyValue(raw(ctx), object.as_raw(), key.atom, value, flags as _) })?;
    Ok(())
}

pub fn define_index<'js>(array: &Value<'js>, index: u32, value: &Value<'js>) -> Result<()> {
    let ctx = array.ctx();
    let flags = ORDINARY | qjs::JS_PROP_THROW;
    let value = unsafe { qjs::JS_DupValue(raw(ctx), value.as_raw()) };
    check(unsafe { qjs::JS_DefinePropertyValueUint32(raw(ctx), array.as_raw(), index, value, flags as _) })?;
    Ok(())
}

pub fn set_prototype<'js>(object: &Value<'js>, prototype: &Value<'js>) -> Result<()> {
    check(unsafe { qjs::JS_SetPrototype(raw(object.ctx()), object.as_raw(), prototype.as_raw()) })?;
    Ok(())
}

/// Defines an accessor.
pub fn define_getter<'js>(
    object: &Value<'js>,
    key: &str,
    getter: &Value<'js>,
    setter: &Value<'js>,
    attributes: u32,
) -> Result<()> {
    let ctx = object.ctx();
    let key = Key::new(ctx, key)?;
    let flags = attributes
        | qjs::JS_PROP_THROW
        | qjs::JS_PROP_HAS_GET
        | qjs::JS_PROP_HAS_SET
        | qjs::JS_PROP_HAS_CONFIGURABLE
        | qjs::JS_PROP_HAS_ENUMERABLE;
    let undefined = undefined(ctx);
    check(unsafe {
        qjs::JS_DefineProperty(
            raw(ctx),
            object.as_raw(),
            key.atom,
            undefined.as_raw(),
            getter.as_raw(),
            setter.as_raw(),
            flags as _,
        )
    })?;
    Ok(())
}

/// An own property's value when it is plain data; accessors are not run.
pub fn own_data<'js>(object: &Value<'js>, key: &str) -> Result<Option<Value<'js>>> {
    let ctx = object.ctx();
    let key = Key::new(ctx, key)?;
    let mut descriptor = MaybeUninit::uninit();
    if !check(unsafe { qjs::JS_GetOwnProperty(raw(ctx), descriptor.as_mut_ptr(), object.as_raw(), key.atom) })? {
        return Ok(None);
    }
    // SAFETY: the engine filled it in, as the answer says; each member is an owned reference.
    let descriptor = unsafe { descriptor.assume_init() };
    let value = take(ctx, descriptor.value)?;
    let _getter = take(ctx, descriptor.getter)?;
    let _setter = take(ctx, descriptor.setter)?;
    let accessor = descriptor.flags as u32 & qjs::JS_PROP_GETSET != 0;
    Ok(if accessor { None } else { Some(value) })
}

/// Own enumerable string keys, in order.
pub fn keys<'js>(object: &Value<'js>) -> Result<Vec<Key<'js>>> {
    let ctx = object.ctx();
    let mut table = std::ptr::null_mut();
    let mut len = 0;
    let flags = qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY;
    check(unsafe { qjs::JS_GetOwnPropertyNames(raw(ctx), &mut table, &mut len, object.as_raw(), flags as _) })?;
    let mut keys = Vec::with_capacity(len as usize);
    for at in 0..len as usize {
        // SAFETY: the table has `len` entries; each key gets a reference of its own before the table is freed.
        keys.push(Key { ctx: ctx.clone(), atom: unsafe { qjs::JS_DupAtom(raw(ctx), (*table.add(at)).atom) } });
    }
    unsafe { qjs::JS_FreePropertyEnum(raw(ctx), table, len) };
    Ok(keys)
}

pub fn get<'js>(object: &Value<'js>, key: &Key<'js>) -> Result<Value<'js>> {
    let ctx = object.ctx();
    take(ctx, unsafe { qjs::JS_GetProperty(raw(ctx), object.as_raw(), key.atom) })
}

pub fn get_str<'js>(object: &Value<'js>, key: &str) -> Result<Value<'js>> {
    get(object, &Key::new(object.ctx(), key)?)
}

pub fn get_index<'js>(object: &Value<'js>, index: u32) -> Result<Value<'js>> {
    let ctx = object.ctx();
    take(ctx, unsafe { qjs::JS_GetPropertyUint32(raw(ctx), object.as_raw(), index) })
}

/// `object.length` as the language counts it.
pub fn length(object: &Value<'_>) -> Result<u64> {
    let mut len = 0;
    check(unsafe { qjs::JS_GetLength(raw(object.ctx()), object.as_raw(), &mut len) })?;
    Ok(len.max(0) as u64)
}

pub fn call<'js>(function: &Value<'js>, this: &Value<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let ctx = function.ctx();
    let mut raw_args: Vec<_> = args.iter().map(Value::as_raw).collect();
    take(ctx, unsafe {
        qjs::JS_Call(raw(ctx), function.as_raw(), this.as_raw(), raw_args.len() as _, raw_args.as_mut_ptr())
    })
}

pub fn construct<'js>(constructor: &Value<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let ctx = constructor.ctx();
    let mut raw_args: Vec<_> = args.iter().map(Value::as_raw).collect();
    take(ctx, unsafe {
        qjs::JS_CallConstructor(raw(ctx), constructor.as_raw(), raw_args.len() as _, raw_args.as_mut_ptr())
    })
}

pub fn freeze(object: &Value<'_>) -> Result<()> {
    check(unsafe { qjs::JS_FreezeObject(raw(object.ctx()), object.as_raw()) })?;
    Ok(())
}

/// An object without prototype: nothing in it is inherited.
pub fn bare<'js>(ctx: &Ctx<'js>) -> Result<Value<'js>> {
    Ok(Object::new_proto(ctx.clone(), None)?.into_value())
}

/// A native function as the code sees it.
pub fn native<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    length: usize,
    body: impl Fn(&Ctx<'js>, &Value<'js>, &[Value<'js>]) -> Result<Value<'js>> + 'js,
) -> Result<Value<'js>> {
    let function = Function::new(ctx.clone(), move |ctx: Ctx<'js>, this: This<Value<'js>>, args: Rest<Value<'js>>| {
        body(&ctx, &this.0, &args.0)
    })?;
    Ok(function.with_name(name)?.with_length(length)?.into_value())
}

/// Evaluates a script so that its first character is at line 1, column 1 of `file`.
pub fn evaluate<'js>(ctx: &Ctx<'js>, source: &str, file: &str) -> Result<Value<'js>> {
    // The text is one expression. The parentheses stand on two lines before it, which are counted from -1, so lines
    // and columns inside need no correction. The closing one is on a line of its own: the text may end in a comment.
    let text = format!("(\n\n{source}\n)\0");
    let file = format!("{}\0", file.replace('\0', " "));
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as _,
        eval_flags: (qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT) as _,
        filename: file.as_ptr().cast(),
        line_num: -1,
    };
    take(ctx, unsafe { qjs::JS_Eval2(raw(ctx), text.as_ptr().cast(), (text.len() - 1) as _, &mut options) })
}
