//! From a value to tagged JSON. Natively, because code makes values of a million characters, and in frames of our own
//! instead of calls: an exploding or deep value costs no more than the limits.

mod kinds;
mod path;
mod walk;

use std::cell::RefCell;

use boa_engine::object::JsObject;
use boa_engine::object::builtins::JsArray;
use boa_engine::{Context, JsArgs, JsError, JsNativeError, JsResult, JsValue, js_string};

use crate::native;
use crate::text::{Full, Text};
use walk::Encoder;

/// Functions of the prelude, which keeps the engine's own whatever the code replaces.
#[derive(Clone)]
struct Help {
    keys: JsObject,
    is_array: JsObject,
    own_data: JsObject,
    /// (kind, value) => the parts of a tag that has no values inside.
    leaf: JsObject,
    /// Prototypes of what is an iterator.
    iterators: [JsObject; 2],
}

thread_local! {
    static HELP: RefCell<Option<Help>> = const { RefCell::new(None) };
    /// Objects that no value may contain.
    static NAMESPACES: RefCell<Vec<JsObject>> = const { RefCell::new(Vec::new()) };
}

/// (keys, isArray, ownData, leaf, prototype of array iterators, of string iterators)
pub(crate) fn prepare(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let mut object = |at: usize| args.get_or_undefined(at).to_object(context);
    let iterators = [object(4)?, object(5)?];
    let help = Help { keys: object(0)?, is_array: object(1)?, own_data: object(2)?, leaf: object(3)?, iterators };
    HELP.set(Some(help));
    NAMESPACES.set(Vec::new());
    Ok(JsValue::undefined())
}

/// (namespace): it is refused inside of values from here on.
pub(crate) fn namespace(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let object = args.get_or_undefined(0).to_object(context)?;
    NAMESPACES.with_borrow_mut(|all| all.push(object));
    Ok(JsValue::undefined())
}

/// (value, root of paths, limit of units, limit of levels) => text, `undefined` for none, or why not: [kind, path, what]
pub(crate) fn encode(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let help = HELP.with_borrow(Clone::clone).ok_or_else(|| JsNativeError::error().with_message("too early"))?;
    let root = native::string(args.get_or_undefined(1), context)?;
    let (limit, most) = (args.get_or_undefined(2).to_u32(context)?, args.get_or_undefined(3).to_u32(context)?);
    let mut encoder =
        Encoder { help, root, text: Text::new(limit as usize), frames: Vec::new(), levels: 0, most: most as usize };
    match encoder.whole(args.get_or_undefined(0), context) {
        Ok(()) => Ok(encoder.text.finish().map_or_else(JsValue::undefined, |text| js_string!(text).into())),
        Err(Failure::Thrown(error)) => Err(error),
        Err(Failure::Refused(kind, what)) => {
            let path = encoder.path();
            let parts = [js_string!(kind), js_string!(path), js_string!(what)].map(JsValue::from);
            Ok(JsArray::from_iter(parts, context).into())
        }
    }
}

enum Failure {
    /// A getter or `toJSON` threw.
    Thrown(JsError),
    /// The kind of breach, and what is there.
    Refused(&'static str, &'static str),
}

impl From<JsError> for Failure {
    fn from(error: JsError) -> Self {
        Self::Thrown(error)
    }
}

impl From<Full> for Failure {
    fn from(_: Full) -> Self {
        Self::Refused("too-large", "")
    }
}

type Done = Result<(), Failure>;

fn unsupported(what: &'static str) -> Failure {
    Failure::Refused("unsupported", what)
}

fn is_namespace(object: &JsObject) -> bool {
    NAMESPACES.with_borrow(|all| all.iter().any(|known| JsObject::equals(known, object)))
}
