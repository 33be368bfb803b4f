"use strict";
// The engine's own functions, taken before any code runs. Whatever the code replaces later, the prelude works with these.
// So nothing below uses what looks things up on prototypes that belong to the code: methods of values, `for … of`, spread
// and destructuring of arrays, `instanceof`. Tables have no prototype.
const uncurried = Function.prototype.bind.bind(Function.prototype.call);
const method = (prototype, name) => uncurried(prototype[name]);
const getter = (prototype, name) => uncurried(Object.getOwnPropertyDescriptor(prototype, name).get);

const { apply } = Reflect;
const { keys, freeze, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, hasOwn } = Object;
const { isArray } = Array;
const { stringify } = JSON;
const { floor } = Math;
const OwnPromise = Promise;
const OwnProxy = Proxy;
const OwnMap = Map;
const OwnSet = Set;
const OwnWeakMap = WeakMap;
const OwnDate = Date;
const OwnRegExp = RegExp;
const OwnObject = Object;
const OwnBigInt = BigInt;
const OwnString = String;
const OwnNumber = Number;

const bind = method(Function.prototype, "bind");
const mapEach = method(Map.prototype, "forEach");
const mapGet = method(Map.prototype, "get");
const mapSet = method(Map.prototype, "set");
const mapHas = method(Map.prototype, "has");
const setEach = method(Set.prototype, "forEach");
const setAdd = method(Set.prototype, "add");
const setHas = method(Set.prototype, "has");
const weakGet = method(WeakMap.prototype, "get");
const weakSet = method(WeakMap.prototype, "set");
const timeOf = method(Date.prototype, "getTime");
const numberOf = method(Number.prototype, "valueOf");
const stringOf = method(String.prototype, "valueOf");
const booleanOf = method(Boolean.prototype, "valueOf");
const bigintOf = method(BigInt.prototype, "valueOf");
const symbolText = method(Symbol.prototype, "toString");
const join = method(Array.prototype, "join");
const slice = method(String.prototype, "slice");
const indexOf = method(String.prototype, "indexOf");
const unitAt = method(String.prototype, "charCodeAt");
const trimEnd = method(String.prototype, "trimEnd");
const engineSource = getter(RegExp.prototype, "source");
const bufferOfView = getter(DataView.prototype, "buffer");
const offsetOfView = getter(DataView.prototype, "byteOffset");
const lengthOfView = getter(DataView.prototype, "byteLength");
const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
const bufferOfArray = getter(TypedArrayPrototype, "buffer");
const offsetOfArray = getter(TypedArrayPrototype, "byteOffset");
const lengthOfArray = getter(TypedArrayPrototype, "byteLength");
const nameOfArray = getter(TypedArrayPrototype, Symbol.toStringTag);
const lengthOfBuffer = getter(ArrayBuffer.prototype, "byteLength");
const engineStack = getter(Error.prototype, "stack");
const arrayIterators = getPrototypeOf([].values());
const stringIterators = getPrototypeOf(""[Symbol.iterator]());

const ERRORS = {
  __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError,
};
const VIEWS = {
  __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
  BigInt64Array, BigUint64Array, Float32Array, Float64Array, DataView,
};
if (typeof Float16Array === "function") VIEWS.Float16Array = Float16Array;
const FLAGS = [
  ["hasIndices", "d"], ["global", "g"], ["ignoreCase", "i"], ["multiline", "m"], ["dotAll", "s"], ["unicode", "u"],
  ["unicodeSets", "v"], ["sticky", "y"],
].filter((flag) => flag[0] in RegExp.prototype).map((flag) => ({
  __proto__: null, read: getter(RegExp.prototype, flag[0]), letter: flag[1],
}));

// Flags of a property, in the order writable, enumerable, configurable.
const ORDINARY = { __proto__: null, writable: true, enumerable: true, configurable: true };
const HIDDEN = { __proto__: null, writable: true, enumerable: false, configurable: true };
const LOCKED = { __proto__: null, writable: false, enumerable: false, configurable: false };
const SHOWN = { __proto__: null, writable: false, enumerable: true, configurable: false };
const define = (target, key, value, how) => defineProperty(target, key, { __proto__: null, ...how, value });

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

// An own member as it is, without asking a getter.
const ownData = (object, key) => {
  const member = getOwnPropertyDescriptor(object, key);
  return member !== undefined && hasOwn(member, "value") ? member.value : undefined;
};

// A list without a prototype: setting an index of an array would ask the code's setters.
const list = () => ({ __proto__: null, length: 0 });
const push = (items, item) => {
  items[items.length] = item;
  items.length += 1;
};

// The pieces of a text between marks. The language's own `split` would ask the mark for a method.
const split = (text, mark) => {
  const pieces = list();
  let from = 0;
  for (let at = indexOf(text, mark); at >= 0; at = indexOf(text, mark, from)) {
    push(pieces, slice(text, from, at));
    from = at + mark.length;
  }
  push(pieces, slice(text, from));
  return pieces;
};

// A function for the code: it cannot be changed, and its text shows nothing of the prelude.
const exposed = (name, length, body) => {
  const made = bind(body, undefined);
  define(made, "name", name, LOCKED);
  define(made, "length", length, LOCKED);
  return freeze(made);
};
