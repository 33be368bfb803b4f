//! The globals through which the code reaches the connectors. A namespace answers for its declared methods and for
//! nothing that the language looks up behind the code's back (`then` of an awaited value, `toJSON` of a printed one);
//! any other name is a method that the host will refuse with suggestions.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use rquickjs::{Ctx, Result, Value, qjs};

use crate::bindings::exports::codemode::component::sandbox::Namespace;
use crate::state::state;
use crate::{asks, codemode, js};

/// Names that code, the language or tools look up on any object. They are never taken for methods.
const HABITS: [&str; 18] = [
    "then",
    "catch",
    "finally",
    "toJSON",
    "constructor",
    "prototype",
    "__proto__",
    "valueOf",
    "toLocaleString",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "inspect",
    "length",
    "name",
    "nodeType",
    "asymmetricMatch",
    "$$typeof",
];

/// Defines the globals of a run.
pub fn install(ctx: &Ctx<'_>, namespaces: &[Namespace]) -> Result<()> {
    for namespace in namespaces {
        // The host names a namespace so whose methods belong to the global that is there already.
        if namespace.name == codemode::NAME {
            *state(ctx).members.borrow_mut() = namespace.methods.clone();
            continue;
        }
        let connector: Rc<str> = namespace.name.as_str().into();
        let mut methods = Vec::with_capacity(namespace.methods.len());
        for method in &namespace.methods {
            methods.push((method.as_str(), method_function(ctx, &connector, method)?));
        }
        let title = format!("[connector {connector}]");
        let proxy = guarded(ctx, title, &methods, move |ctx, name| method_function(ctx, &connector, name))?;
        js::define(ctx.globals().as_value(), &namespace.name, &proxy, js::LOCKED_VISIBLE)?;
    }
    Ok(())
}

/// What stands for a method of a connector.
pub fn method_function<'js>(ctx: &Ctx<'js>, connector: &Rc<str>, method: &str) -> Result<Value<'js>> {
    let (connector, name) = (connector.clone(), method.to_owned());
    let function = js::native(ctx, method, 1, move |ctx, _, args| asks::call(ctx, &connector, &name, args))?;
    js::freeze(&function)?;
    Ok(function)
}

/// An object with exactly these members, which cannot be changed; `unknown` makes what stands for any other name. As a
/// text, it is its title.
pub fn guarded<'js>(
    ctx: &Ctx<'js>,
    title: String,
    members: &[(&str, Value<'js>)],
    unknown: impl Fn(&Ctx<'js>, &str) -> Result<Value<'js>> + 'js,
) -> Result<Value<'js>> {
    let target = js::bare(ctx)?;
    for (name, member) in members {
        js::define(&target, name, member, js::LOCKED_VISIBLE)?;
    }
    js::freeze(&target)?;

    let to_string = js::native(ctx, "toString", 0, move |ctx, _, _| js::string(ctx, &title))?;
    js::freeze(&to_string)?;
    // Frozen members are the same each time; made-up ones are kept, so that they are too.
    let made: RefCell<BTreeMap<Vec<u8>, Value<'js>>> = RefCell::default();
    let get = js::native(ctx, "get", 3, move |ctx, _, args| {
        let [target, key, ..] = args else { return Ok(js::undefined(ctx)) };
        if !key.is_string() {
            return Ok(js::undefined(ctx));
        }
        let name = js::bytes(key)?;
        if let Some(own) = js::own_data(target, &js::lossy(&name))? {
            return Ok(own);
        }
        if name == b"toString" {
            return Ok(to_string.clone());
        }
        if HABITS.iter().any(|habit| habit.as_bytes() == name) {
            return Ok(js::undefined(ctx));
        }
        if let Some(known) = made.borrow().get(&name) {
            return Ok(known.clone());
        }
        let function = unknown(ctx, &js::lossy(&name))?;
        made.borrow_mut().insert(name, function.clone());
        Ok(function)
    })?;
    let handler = js::bare(ctx)?;
    js::define(&handler, "get", &get, js::LOCKED)?;
    js::freeze(&handler)?;
    let proxy = js::take(ctx, unsafe { qjs::JS_NewProxy(js::raw(ctx), target.as_raw(), handler.as_raw()) })?;
    state(ctx).namespaces.borrow_mut().push(proxy.clone());
    Ok(proxy)
}
