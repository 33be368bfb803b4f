//! The engine's own functions and class numbers, taken before any code runs. Whatever the code replaces later
//! (`Map.prototype.forEach`, `Error`, `Promise`), the crate works with these.

use rquickjs::{Ctx, JsLifetime, Result, Value, qjs};

use crate::js;

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $name:ident = $source:literal,)*) => {
        /// Intrinsic values by name.
        pub struct Intrinsics<'js> {
            $($(#[$doc])* pub $name: Value<'js>,)*
            pub classes: Classes,
        }

        impl<'js> Intrinsics<'js> {
            pub fn new(ctx: &Ctx<'js>) -> Result<Self> {
                Ok(Self {
                    $($name: js::evaluate(ctx, $source, "")?,)*
                    classes: Classes::new(ctx)?,
                })
            }
        }
    };
}

intrinsics! {
    date_value = "Date.prototype.valueOf",
    date = "Date",
    map = "Map",
    map_each = "Map.prototype.forEach",
    map_set = "Map.prototype.set",
    set = "Set",
    set_each = "Set.prototype.forEach",
    set_add = "Set.prototype.add",
    regexp = "RegExp",
    regexp_source = "Object.getOwnPropertyDescriptor(RegExp.prototype, 'source').get",
    /// A function that reads the flags through the original getters.
    regexp_flags = "[['hasIndices', 'd'], ['global', 'g'], ['ignoreCase', 'i'], ['multiline', 'm'], ['dotAll', 's'], \
        ['unicode', 'u'], ['unicodeSets', 'v'], ['sticky', 'y']].map(([name, letter]) => \
        [Object.getOwnPropertyDescriptor(RegExp.prototype, name).get, letter])",
    number_value = "Number.prototype.valueOf",
    string_value = "String.prototype.valueOf",
    boolean_value = "Boolean.prototype.valueOf",
    bigint_value = "BigInt.prototype.valueOf",
    symbol_value = "Symbol.prototype.valueOf",
    symbol_text = "Symbol.prototype.toString",
    bigint = "BigInt",
    object = "Object",
    data_view = "DataView",
    view_buffer = "Object.getOwnPropertyDescriptor(DataView.prototype, 'buffer').get",
    view_offset = "Object.getOwnPropertyDescriptor(DataView.prototype, 'byteOffset').get",
    view_length = "Object.getOwnPropertyDescriptor(DataView.prototype, 'byteLength').get",
    error = "Error",
    errors = "({ __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, \
        AggregateError })",
    error_prototypes = "({ __proto__: null, Error: Error.prototype, EvalError: EvalError.prototype, \
        RangeError: RangeError.prototype, ReferenceError: ReferenceError.prototype, \
        SyntaxError: SyntaxError.prototype, TypeError: TypeError.prototype, URIError: URIError.prototype, \
        AggregateError: AggregateError.prototype })",
    error_stack = "Object.getOwnPropertyDescriptor(Error.prototype, 'stack').get",
    capture_stack = "Error.captureStackTrace",
}

// SAFETY: the struct is invariant in 'js only through the values it holds.
unsafe impl<'js> JsLifetime<'js> for Intrinsics<'js> {
    type Changed<'to> = Intrinsics<'to>;
}

/// The engine numbers the kinds of objects; the numbers are learned from a sample of each.
#[derive(Clone, Copy)]
pub struct Classes {
    pub number: qjs::JSClassID,
    pub string: qjs::JSClassID,
    pub boolean: qjs::JSClassID,
    pub symbol: qjs::JSClassID,
    pub bigint: qjs::JSClassID,
    pub weak_map: qjs::JSClassID,
    pub weak_set: qjs::JSClassID,
    pub promise: qjs::JSClassID,
    pub generator: qjs::JSClassID,
    pub async_generator: qjs::JSClassID,
    pub array_iterator: qjs::JSClassID,
    pub map_iterator: qjs::JSClassID,
    pub set_iterator: qjs::JSClassID,
    pub string_iterator: qjs::JSClassID,
    pub dom_exception: qjs::JSClassID,
}

impl Classes {
    fn new(ctx: &Ctx<'_>) -> Result<Self> {
        let of = |sample: &str| js::evaluate(ctx, sample, "").map(|value| js::class(&value));
        Ok(Self {
            number: of("Object(0)")?,
            string: of("Object('')")?,
            boolean: of("Object(false)")?,
            symbol: of("Object(Symbol())")?,
            bigint: of("Object(0n)")?,
            weak_map: of("new WeakMap()")?,
            weak_set: of("new WeakSet()")?,
            promise: of("Promise.resolve()")?,
            generator: of("(function* () {})()")?,
            async_generator: of("(async function* () {})()")?,
            array_iterator: of("[].values()")?,
            map_iterator: of("new Map().values()")?,
            set_iterator: of("new Set().values()")?,
            string_iterator: of("''[Symbol.iterator]()")?,
            dom_exception: of("new DOMException()")?,
        })
    }
}
