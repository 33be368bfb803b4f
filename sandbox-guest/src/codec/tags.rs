//! Names that both directions share.

use rquickjs::qjs;

/// Kinds of views in the engine's numbering, with their name and the bytes of one element.
pub const VIEWS: [(&str, qjs::JSTypedArrayEnum, usize); 12] = [
    ("Uint8ClampedArray", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_UINT8C, 1),
    ("Int8Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_INT8, 1),
    ("Uint8Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_UINT8, 1),
    ("Int16Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_INT16, 2),
    ("Uint16Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_UINT16, 2),
    ("Int32Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_INT32, 4),
    ("Uint32Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_UINT32, 4),
    ("BigInt64Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_BIG_INT64, 8),
    ("BigUint64Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_BIG_UINT64, 8),
    ("Float16Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_FLOAT16, 2),
    ("Float32Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_FLOAT32, 4),
    ("Float64Array", qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_FLOAT64, 8),
];
