//! `structuredClone`: a deep copy that keeps shared references and cycles, natively, so that it neither depends on
//! what the code replaced nor runs out of stack.

use std::collections::HashMap;

use rquickjs::{Ctx, Object, Result, Value, qjs};

use crate::state::{intrinsics, state};
use crate::{codec, errors, js};

/// Levels of nesting that are copied.
const LEVELS: usize = 1_000;

pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let clone = js::native(ctx, "structuredClone", 1, |ctx, _, args| {
        let Some(value) = args.first() else {
            return Err(errors::throw(ctx, "TypeError", "structuredClone needs a value"));
        };
        Copier { ctx, done: HashMap::new() }.copy(value, LEVELS)
    })?;
    js::define(ctx.globals().as_value(), "structuredClone", &clone, js::HIDDEN)
}

struct Copier<'a, 'js> {
    ctx: &'a Ctx<'js>,
    /// Copies by the address of their original.
    done: HashMap<usize, Value<'js>>,
}

impl<'js> Copier<'_, 'js> {
    fn copy(&mut self, value: &Value<'js>, levels: usize) -> Result<Value<'js>> {
        if value.is_symbol() {
            return Err(self.refuse("a symbol"));
        }
        if !value.is_object() {
            return Ok(value.clone());
        }
        let address = js::address(value);
        if let Some(copy) = self.done.get(&address) {
            return Ok(copy.clone());
        }
        let Some(levels) = levels.checked_sub(1) else {
            return Err(errors::throw(self.ctx, "RangeError", "the value is nested too deeply to be cloned"));
        };
        if value.is_function() {
            return Err(self.refuse("a function"));
        }
        if state(self.ctx).namespaces.borrow().iter().any(|namespace| js::address(namespace) == address) {
            return Err(self.refuse("a connector namespace"));
        }
        let intrinsics = intrinsics(self.ctx);
        let raw = value.as_raw();
        if unsafe { qjs::JS_IsMap(raw) } {
            let copy = self.remember(address, js::construct(&intrinsics.map, &[])?);
            for pair in codec::collect(self.ctx, &intrinsics.map_each, value, 2)?.chunks(2) {
                let pair = [self.copy(&pair[0], levels)?, self.copy(&pair[1], levels)?];
                js::call(&intrinsics.map_set, &copy, &pair)?;
            }
            return Ok(copy);
        }
        if unsafe { qjs::JS_IsSet(raw) } {
            let copy = self.remember(address, js::construct(&intrinsics.set, &[])?);
            for member in codec::collect(self.ctx, &intrinsics.set_each, value, 1)? {
                let member = self.copy(&member, levels)?;
                js::call(&intrinsics.set_add, &copy, &[member])?;
            }
            return Ok(copy);
        }
        if errors::is_error(value) {
            return self.error(value, address, levels);
        }
        if let Some(copy) = self.leaf(value)? {
            return Ok(self.remember(address, copy));
        }
        let copy = if value.is_array() {
            let copy = rquickjs::Array::new(self.ctx.clone())?.into_value();
            js::define(&copy, "length", &js::get_str(value, "length")?, qjs::JS_PROP_WRITABLE)?;
            copy
        } else {
            Object::new(self.ctx.clone())?.into_value()
        };
        self.remember(address, copy.clone());
        for key in js::keys(value)? {
            let member = self.copy(&js::get(value, &key)?, levels)?;
            js::define_key(&copy, &key, &member, js::ORDINARY)?;
        }
        Ok(copy)
    }

    fn remember(&mut self, address: usize, copy: Value<'js>) -> Value<'js> {
        self.done.insert(address, copy.clone());
        copy
    }

    /// Objects without members of their own to copy.
    fn leaf(&self, value: &Value<'js>) -> Result<Option<Value<'js>>> {
        let intrinsics = intrinsics(self.ctx);
        let classes = intrinsics.classes;
        if unsafe { qjs::JS_IsDate(value.as_raw()) } {
            let time = js::call(&intrinsics.date_value, value, &[])?;
            return js::construct(&intrinsics.date, &[time]).map(Some);
        }
        if unsafe { qjs::JS_IsRegExp(value.as_raw()) } {
            let source = js::call(&intrinsics.regexp_source, value, &[])?;
            let flags = js::string(self.ctx, &codec::regexp_flags(value)?)?;
            return js::construct(&intrinsics.regexp, &[source, flags]).map(Some);
        }
        if let Some((name, bytes)) = codec::visible_bytes(self.ctx, value)? {
            return codec::view(self.ctx, name, &bytes).map(Some);
        }
        let class = js::class(value);
        let boxed = [
            (classes.number, &intrinsics.number_value),
            (classes.string, &intrinsics.string_value),
            (classes.boolean, &intrinsics.boolean_value),
            (classes.bigint, &intrinsics.bigint_value),
        ];
        if let Some((_, unbox)) = boxed.into_iter().find(|(boxed, _)| *boxed == class) {
            let inner = js::call(unbox, value, &[])?;
            return js::call(&intrinsics.object, &js::undefined(self.ctx), &[inner]).map(Some);
        }
        let refused = [
            (classes.promise, "a promise"),
            (classes.weak_map, "a WeakMap"),
            (classes.weak_set, "a WeakSet"),
            (classes.symbol, "a symbol"),
            (classes.generator, "a generator"),
            (classes.async_generator, "an async generator"),
        ];
        match refused.into_iter().find(|(refused, _)| *refused == class) {
            Some((_, what)) => Err(self.refuse(what)),
            None => Ok(None),
        }
    }

    fn error(&mut self, error: &Value<'js>, address: usize, levels: usize) -> Result<Value<'js>> {
        let intrinsics = intrinsics(self.ctx);
        let name = js::get_str(error, "name")?;
        let copy = js::take(self.ctx, unsafe { qjs::JS_NewError(js::raw(self.ctx)) })?;
        self.remember(address, copy.clone());
        match if name.is_string() { js::own_data(&intrinsics.error_prototypes, &js::text(&name)?)? } else { None } {
            Some(prototype) => js::set_prototype(&copy, &prototype)?,
            None => js::define(&copy, "name", &name, js::HIDDEN)?,
        }
        for key in ["message", "stack", "cause", "errors"] {
            if let Some(member) = js::own_data(error, key)? {
                let member = self.copy(&member, levels)?;
                js::define(&copy, key, &member, js::HIDDEN)?;
            }
        }
        Ok(copy)
    }

    fn refuse(&self, what: &str) -> rquickjs::Error {
        errors::throw(self.ctx, "DataCloneError", &format!("{what} cannot be cloned"))
    }
}
