
// `structuredClone`: a deep copy that keeps shared references and cycles.
const installClone = () => {
  define(globalThis, "DOMException", DOMException, HIDDEN);
  define(globalThis, "structuredClone", exposed("structuredClone", 1, (...args) => {
    if (args.length === 0) throw makeError("TypeError", "structuredClone needs a value");
    return copy(args[0], new OwnMap(), 0);
  }), HIDDEN);
};

// The errors of what is not in the language.
class DOMException extends Error {
  constructor(message = "", name = "Error") {
    super(message);
    define(this, "name", toText(name), HIDDEN);
  }
}

const notCloned = (what) => new DOMException(`${what} could not be cloned`, "DataCloneError");

const copy = (value, done, level) => {
  if (typeof value === "symbol") throw notCloned("a symbol");
  if (typeof value === "function") throw notCloned("a function");
  if (!isObject(value)) return value;
  if (mapHas(done, value)) return mapGet(done, value);
  if (setHas(namespaces, value)) throw notCloned("a connector namespace");
  if (level > 400) throw makeError("RangeError", "the value is nested too deeply to be cloned");
  const made = emptyCopy(value, isArray(value) ? "array" : native.kind(value));
  mapSet(done, value, made);
  fillCopy(value, made, done, level + 1);
  return made;
};

const emptyCopy = (value, kind) => {
  switch (kind) {
    case "array": {
      const made = [];
      made.length = value.length;
      return made;
    }
    case "map": return new OwnMap();
    case "set": return new OwnSet();
    case "date": return new OwnDate(timeOf(value));
    case "regexp": return new OwnRegExp(sourceOf(value), flagsOf(value));
    case "number": return OwnObject(numberOf(value));
    case "string": return OwnObject(stringOf(value));
    case "boolean": return OwnObject(booleanOf(value));
    case "bigint": return OwnObject(bigintOf(value));
    case "buffer": case "view": {
      const part = visible(value);
      return taggedBytes(part.name, native.base64(part.buffer, part.from, part.length));
    }
    case "error": return new ERRORS.Error();
    case "object": return {};
    default: throw notCloned(kind === "symbol" ? "a symbol" : kind);
  }
};

const fillCopy = (value, made, done, level) => {
  const kind = isArray(value) ? "array" : native.kind(value);
  if (kind === "map") {
    const pairs = list();
    mapEach(value, (item, key) => push(pairs, { __proto__: null, key, item }));
    for (let at = 0; at < pairs.length; at += 1) {
      mapSet(made, copy(pairs[at].key, done, level), copy(pairs[at].item, done, level));
    }
  } else if (kind === "set") {
    const items = list();
    setEach(value, (item) => push(items, item));
    for (let at = 0; at < items.length; at += 1) setAdd(made, copy(items[at], done, level));
  } else if (kind === "error") {
    copyError(value, made, done, level);
  } else if (kind === "array" || kind === "object") {
    const names = keys(value);
    for (let at = 0; at < names.length; at += 1) {
      define(made, names[at], copy(value[names[at]], done, level), ORDINARY);
    }
  }
};

const COPIED = ["message", "cause", "errors"];

const copyError = (value, made, done, level) => {
  const name = value.name;
  if (typeof name === "string" && name in ERRORS) setPrototypeOf(made, PROTOTYPES[name]);
  else define(made, "name", shown(name), HIDDEN);
  for (let at = 0; at < COPIED.length; at += 1) {
    const key = COPIED[at];
    const member = ownData(value, key);
    if (member !== undefined) define(made, key, copy(member, done, level), HIDDEN);
  }
  define(made, "stack", stackText(framesOfError(value)), HIDDEN);
};
