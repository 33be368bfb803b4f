//! From a JavaScript value to tagged JSON.

use rquickjs::{Ctx, Result as JsResult, Value, qjs};

use super::path::{Path, Step};
use super::tags::VIEWS;
use super::write::Text;
use super::{Failure, Refusal, looks_like_tag};
use crate::intrinsics::Classes;
use crate::state::{intrinsics, state};
use crate::{errors, js};

type Done = Result<(), Failure>;

/// Encodes a whole value; `None` stands for `undefined`. `root` begins the paths in refusals.
pub fn encode(value: &Value<'_>, root: &str, limit: usize, depth: usize) -> Result<Option<String>, Failure> {
    if value.is_undefined() {
        return Ok(None);
    }
    let ctx = value.ctx();
    let classes = intrinsics(ctx).classes;
    let mut encoder = Encoder {
        ctx,
        classes,
        text: Text::new(limit),
        path: Path::new(root),
        open: Vec::new(),
        depth: 0,
        limit: depth,
    };
    let start = encoder.text.mark();
    encoder.value(value)?;
    // A `toJSON` that returns `undefined` leaves nothing.
    if encoder.text.mark().is(start) { Ok(None) } else { Ok(Some(encoder.text.finish())) }
}

/// Whether an object's `toJSON` is still to be asked: a stand-in's is not.
#[derive(Clone, Copy)]
enum ToJson {
    Ask,
    Asked,
}

struct Encoder<'a, 'js> {
    ctx: &'a Ctx<'js>,
    classes: Classes,
    text: Text,
    path: Path<'js>,
    /// The objects that contain the current one; meeting one of them again is a cycle.
    open: Vec<usize>,
    depth: usize,
    limit: usize,
}

impl<'js> Encoder<'_, 'js> {
    /// Writes nothing for `undefined`.
    fn value(&mut self, value: &Value<'js>) -> Done {
        if value.is_object() { self.object(value, ToJson::Ask) } else { self.primitive(value) }
    }

    fn primitive(&mut self, value: &Value<'js>) -> Done {
        if value.is_undefined() {
            return Ok(());
        }
        if value.is_null() {
            return Ok(self.text.plain("null")?);
        }
        if let Some(flag) = value.as_bool() {
            return Ok(self.text.plain(if flag { "true" } else { "false" })?);
        }
        if let Some(number) = value.as_int() {
            return Ok(self.text.plain(&number.to_string())?);
        }
        if let Some(number) = value.as_float() {
            return self.float(number, value);
        }
        if value.is_string() {
            return self.string(value);
        }
        if value.is_big_int() {
            let digits = js::text(value)?;
            return Ok(self.text.plain(&format!("{{\"$cm\":[\"bigint\",\"{digits}\"]}}"))?);
        }
        if value.is_symbol() {
            return Err(self.unsupported("a symbol"));
        }
        Err(self.unsupported("a value of the engine"))
    }

    fn float(&mut self, number: f64, value: &Value<'js>) -> Done {
        let special = if number.is_nan() {
            "NaN"
        } else if number == f64::INFINITY {
            "Infinity"
        } else if number == f64::NEG_INFINITY {
            "-Infinity"
        } else if number == 0.0 && number.is_sign_negative() {
            "-0"
        } else {
            let digits = js::text(value)?;
            return Ok(self.text.plain(&digits)?);
        };
        Ok(self.text.plain(&format!("{{\"$cm\":[\"number\",\"{special}\"]}}"))?)
    }

    fn string(&mut self, value: &Value<'js>) -> Done {
        // A text that cannot fit is not even copied.
        self.text.reserve(js::length(value)? as usize)?;
        let text = &mut self.text;
        Ok(js::with_bytes(value, |bytes| text.quoted(bytes))??)
    }

    fn object(&mut self, value: &Value<'js>, to_json: ToJson) -> Done {
        if value.is_function() {
            return Err(self.unsupported("a function"));
        }
        let address = js::address(value);
        if self.open.contains(&address) {
            return Err(Refusal::Cyclic(self.path.text()).into());
        }
        if state(self.ctx).namespaces.borrow().iter().any(|namespace| js::address(namespace) == address) {
            return Err(self.unsupported("a connector namespace"));
        }
        self.open.push(address);
        let done = self.kind(value, to_json);
        self.open.pop();
        done
    }

    /// What has a tag of its own comes before `toJSON`.
    fn kind(&mut self, value: &Value<'js>, to_json: ToJson) -> Done {
        let intrinsics = intrinsics(self.ctx);
        let raw = value.as_raw();
        if is_array(self.ctx, value)? {
            return self.unless_json(value, to_json, Self::array);
        }
        if unsafe { qjs::JS_IsDate(raw) } {
            let time = js::call(&intrinsics.date_value, value, &[])?;
            let ms = js::number(&time)?;
            return self.tag("date", |encoder| {
                if ms.is_nan() { Ok(encoder.text.plain("null")?) } else { Ok(encoder.text.plain(&js::text(&time)?)?) }
            });
        }
        if unsafe { qjs::JS_IsMap(raw) } {
            let entries = collect(self.ctx, &intrinsics.map_each, value, 2)?;
            return self.tag("map", |encoder| encoder.entries(&entries));
        }
        if unsafe { qjs::JS_IsSet(raw) } {
            let members = collect(self.ctx, &intrinsics.set_each, value, 1)?;
            return self.tag("set", |encoder| encoder.members(&members));
        }
        if unsafe { qjs::JS_IsRegExp(raw) } {
            let source = js::call(&intrinsics.regexp_source, value, &[])?;
            let flags = regexp_flags(value)?;
            return self.tag("regexp", |encoder| {
                encoder.string(&source)?;
                encoder.text.plain(",")?;
                Ok(encoder.text.quoted(flags.as_bytes())?)
            });
        }
        if let Some((name, bytes)) = visible_bytes(self.ctx, value)? {
            return self.tag("bytes", |encoder| {
                encoder.text.plain(&format!("\"{name}\","))?;
                Ok(encoder.text.base64(&bytes)?)
            });
        }
        if errors::is_error(value) {
            return self.tag("error", |encoder| encoder.error(value));
        }
        let class = js::class(value);
        if let Some(unboxed) = self.unbox(class, value)? {
            return self.primitive(&unboxed);
        }
        if let Some(what) = self.refused(class) {
            return Err(self.unsupported(what));
        }
        self.unless_json(value, to_json, Self::members_of)
    }

    /// Honours `toJSON`: what it returns is encoded in place of the value, without asking it again.
    fn unless_json(&mut self, value: &Value<'js>, to_json: ToJson, own: fn(&mut Self, &Value<'js>) -> Done) -> Done {
        let method = match to_json {
            ToJson::Ask => js::get_str(value, "toJSON")?,
            ToJson::Asked => return own(self, value),
        };
        if !method.is_function() {
            return own(self, value);
        }
        let key = js::string(self.ctx, &self.path.key())?;
        let stand_in = js::call(&method, value, &[key])?;
        if !stand_in.is_object() {
            self.primitive(&stand_in)
        } else if js::address(&stand_in) == js::address(value) {
            own(self, value)
        } else {
            self.object(&stand_in, ToJson::Asked)
        }
    }

    fn array(&mut self, value: &Value<'js>) -> Done {
        let len = u32::try_from(js::length(value)?).map_err(|_| Refusal::TooLarge)?;
        self.nested("[", "]", |encoder| {
            for index in 0..len {
                if index > 0 {
                    encoder.text.plain(",")?;
                }
                let item = js::get_index(value, index)?;
                encoder.path.push(Step::Index(index));
                encoder.item(&item)?;
                encoder.path.pop();
            }
            Ok(())
        })
    }

    /// A place where `undefined` has to be said.
    fn item(&mut self, value: &Value<'js>) -> Done {
        let before = self.text.mark();
        self.value(value)?;
        if self.text.mark().is(before) {
            self.text.plain("{\"$cm\":[\"undefined\"]}")?;
        }
        Ok(())
    }

    fn members(&mut self, values: &[Value<'js>]) -> Done {
        self.nested("[", "]", |encoder| {
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    encoder.text.plain(",")?;
                }
                encoder.path.push(Step::Index(at as u32));
                encoder.item(value)?;
                encoder.path.pop();
            }
            Ok(())
        })
    }

    /// Pairs of key and value, flat.
    fn entries(&mut self, pairs: &[Value<'js>]) -> Done {
        self.nested("[", "]", |encoder| {
            for (at, pair) in pairs.chunks(2).enumerate() {
                if at > 0 {
                    encoder.text.plain(",")?;
                }
                encoder.path.push(Step::Index(at as u32));
                encoder.members(pair)?;
                encoder.path.pop();
            }
            Ok(())
        })
    }

    fn members_of(&mut self, value: &Value<'js>) -> Done {
        self.nested("{", "}", |encoder| {
            let mut first = true;
            encoder.own_members(value, &[], &mut first)
        })
    }

    fn own_members(&mut self, value: &Value<'js>, without: &[&str], first: &mut bool) -> Done {
        for key in js::keys(value)? {
            let name = key.value()?;
            let bytes = js::bytes(&name)?;
            if without.iter().any(|known| known.as_bytes() == bytes) {
                continue;
            }
            let member = js::get(value, &key)?;
            self.path.push(Step::Member(name));
            self.member(&bytes, &member, first)?;
            self.path.pop();
        }
        Ok(())
    }

    /// One member, unless it turns out to be `undefined`.
    fn member(&mut self, key: &[u8], value: &Value<'js>, first: &mut bool) -> Done {
        if value.is_undefined() {
            return Ok(());
        }
        let before = self.text.mark();
        if !*first {
            self.text.plain(",")?;
        }
        if looks_like_tag(key) {
            self.text.quoted(&[b"$", key].concat())?;
        } else {
            self.text.quoted(key)?;
        }
        self.text.plain(":")?;
        let here = self.text.mark();
        self.value(value)?;
        if self.text.mark().is(here) {
            self.text.back_to(before);
        } else {
            *first = false;
        }
        Ok(())
    }

    fn error(&mut self, error: &Value<'js>) -> Done {
        let name = js::get_str(error, "name")?;
        let message = js::get_str(error, "message")?;
        self.nested("{", "}", |encoder| {
            encoder.text.plain("\"name\":")?;
            if name.is_string() {
                encoder.string(&name)?
            } else {
                encoder.text.plain("\"Error\"")?
            }
            encoder.text.plain(",\"message\":")?;
            if message.is_string() {
                encoder.string(&message)?
            } else {
                encoder.text.plain("\"\"")?
            }
            let mut first = false;
            for hidden in ["cause", "errors"] {
                encoder.optional(error, hidden, &mut first)?;
            }
            encoder.own_members(error, &["name", "message", "stack", "cause", "errors"], &mut first)
        })
    }

    /// A member that is left out where it has no encoding: an error must not be lost because of its cause.
    fn optional(&mut self, error: &Value<'js>, key: &'static str, first: &mut bool) -> Done {
        let Some(value) = js::own_data(error, key)? else { return Ok(()) };
        let (text, path, open, depth) = (self.text.mark(), self.path.len(), self.open.len(), self.depth);
        self.path.push(Step::Named(key));
        match self.member(key.as_bytes(), &value, first) {
            Err(Failure::Refused(Refusal::TooLarge)) => Err(Refusal::TooLarge.into()),
            Err(Failure::Refused(_)) => {
                self.text.back_to(text);
                self.path.truncate(path);
                self.open.truncate(open);
                self.depth = depth;
                Ok(())
            }
            done => {
                self.path.pop();
                done
            }
        }
    }

    fn tag(&mut self, kind: &str, parts: impl FnOnce(&mut Self) -> Done) -> Done {
        self.nested("{\"$cm\":", "}", |encoder| {
            encoder.nested("[", "]", |encoder| {
                encoder.text.plain(&format!("\"{kind}\","))?;
                parts(encoder)
            })
        })
    }

    /// A level of the text. Levels of tags count like others, so that no reader of the text meets more than the limit.
    fn nested(&mut self, begin: &str, end: &str, inside: impl FnOnce(&mut Self) -> Done) -> Done {
        if self.depth >= self.limit {
            return Err(Refusal::TooDeep.into());
        }
        self.depth += 1;
        self.text.plain(begin)?;
        inside(self)?;
        self.text.plain(end)?;
        self.depth -= 1;
        Ok(())
    }

    fn unbox(&self, class: qjs::JSClassID, value: &Value<'js>) -> JsResult<Option<Value<'js>>> {
        let intrinsics = intrinsics(self.ctx);
        let method = match class {
            class if class == self.classes.number => &intrinsics.number_value,
            class if class == self.classes.string => &intrinsics.string_value,
            class if class == self.classes.boolean => &intrinsics.boolean_value,
            class if class == self.classes.bigint => &intrinsics.bigint_value,
            class if class == self.classes.symbol => &intrinsics.symbol_value,
            _ => return Ok(None),
        };
        js::call(method, value, &[]).map(Some)
    }

    fn refused(&self, class: qjs::JSClassID) -> Option<&'static str> {
        let classes = &self.classes;
        [
            (classes.promise, "a promise"),
            (classes.weak_map, "a WeakMap"),
            (classes.weak_set, "a WeakSet"),
            (classes.generator, "a generator"),
            (classes.async_generator, "an async generator"),
            (classes.array_iterator, "an iterator"),
            (classes.map_iterator, "an iterator"),
            (classes.set_iterator, "an iterator"),
            (classes.string_iterator, "an iterator"),
        ]
        .into_iter()
        .find_map(|(refused, what)| (refused == class).then_some(what))
    }

    fn unsupported(&self, what: &'static str) -> Failure {
        Refusal::Unsupported(self.path.text(), what).into()
    }
}

/// Whether the language counts it as an array: proxies of arrays do.
fn is_array<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> JsResult<bool> {
    let mut value = value.clone();
    while value.is_proxy() {
        value = js::take(ctx, unsafe { qjs::JS_GetProxyTarget(js::raw(ctx), value.as_raw()) })?;
    }
    Ok(value.is_array())
}

/// What `forEach` passes: the members of a set, or key and value of each entry of a map.
pub fn collect<'js>(ctx: &Ctx<'js>, each: &Value<'js>, of: &Value<'js>, parts: usize) -> JsResult<Vec<Value<'js>>> {
    let found = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let sink = found.clone();
    let callback = js::native(ctx, "", 2, move |ctx, _, args| {
        if let [value, key, ..] = args {
            if parts == 2 {
                sink.borrow_mut().push(key.clone());
            }
            sink.borrow_mut().push(value.clone());
        }
        Ok(js::undefined(ctx))
    })?;
    js::call(each, of, &[callback])?;
    Ok(found.take())
}

pub fn regexp_flags(value: &Value<'_>) -> JsResult<String> {
    let table = &intrinsics(value.ctx()).regexp_flags;
    let mut flags = String::new();
    for at in 0..js::length(table)? as u32 {
        let row = js::get_index(table, at)?;
        if js::call(&js::get_index(&row, 0)?, value, &[])?.as_bool() == Some(true) {
            flags.push_str(&js::text(&js::get_index(&row, 1)?)?);
        }
    }
    Ok(flags)
}

/// Name and visible bytes of a buffer or view.
pub fn visible_bytes<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> JsResult<Option<(&'static str, Vec<u8>)>> {
    if unsafe { qjs::JS_IsArrayBuffer(value.as_raw()) } {
        return Ok(Some(("ArrayBuffer", buffer_bytes(ctx, value, 0, usize::MAX)?)));
    }
    if unsafe { qjs::JS_IsDataView(value.as_raw()) } {
        let intrinsics = intrinsics(ctx);
        let read = |getter: &Value<'js>| js::call(getter, value, &[]);
        let offset = js::number(&read(&intrinsics.view_offset)?)? as usize;
        let len = js::number(&read(&intrinsics.view_length)?)? as usize;
        return Ok(Some(("DataView", buffer_bytes(ctx, &read(&intrinsics.view_buffer)?, offset, len)?)));
    }
    let kind = unsafe { qjs::JS_GetTypedArrayType(value.as_raw()) };
    let Some((name, ..)) = VIEWS.iter().find(|(_, view, _)| kind >= 0 && *view == kind as qjs::JSTypedArrayEnum) else {
        return Ok(None);
    };
    let (mut offset, mut len, mut size) = (0, 0, 0);
    let buffer = js::take(ctx, unsafe {
        qjs::JS_GetTypedArrayBuffer(js::raw(ctx), value.as_raw(), &mut offset, &mut len, &mut size)
    })?;
    Ok(Some((name, buffer_bytes(ctx, &buffer, offset as usize, len as usize)?)))
}

fn buffer_bytes<'js>(ctx: &Ctx<'js>, buffer: &Value<'js>, offset: usize, len: usize) -> JsResult<Vec<u8>> {
    let mut size = 0;
    let start = unsafe { qjs::JS_GetArrayBuffer(js::raw(ctx), &mut size, buffer.as_raw()) };
    if start.is_null() {
        // Detached, or empty.
        if ctx.has_exception() {
            return Err(rquickjs::Error::Exception);
        }
        return Ok(Vec::new());
    }
    // SAFETY: the engine said where the buffer is and how long; nothing runs in between.
    let bytes = unsafe { std::slice::from_raw_parts(start, size as usize) };
    let rest = bytes.get(offset..).unwrap_or_default();
    Ok(rest[..len.min(rest.len())].to_vec())
}
