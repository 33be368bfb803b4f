
// From tagged JSON to a value. Everything is defined as own property, so no setter of the code's has a part.
const malformed = () => makeError("TypeError", "a value from the journal is malformed");

const decode = (text) => {
  if (text === undefined) return undefined;
  const value = native.parse(text);
  return indexOf(text, '$cm"') >= 0 ? untagged(value) : value;
};

// Replaces the tags inside of a freshly parsed value.
const untagged = (value) => {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) {
    for (let at = 0; at < value.length; at += 1) define(value, at, untagged(value[at]), ORDINARY);
    return value;
  }
  const names = keys(value);
  let escaped = false;
  for (let at = 0; at < names.length; at += 1) {
    if (names[at] === "$cm") {
      if (names.length > 1) throw malformed();
      return tagged(value.$cm);
    }
    escaped = escaped || looksLikeTag(names[at]);
  }
  // A key that changes must keep its place, so the whole object is made anew.
  const target = escaped ? {} : value;
  for (let at = 0; at < names.length; at += 1) {
    const key = looksLikeTag(names[at]) ? slice(names[at], 1) : names[at];
    define(target, key, untagged(ownData(value, names[at])), ORDINARY);
  }
  return target;
};

const isDecimal = (text) => {
  const start = text.length > 0 && unitAt(text, 0) === 45 ? 1 : 0;
  for (let at = start; at < text.length; at += 1) {
    const unit = unitAt(text, at);
    if (unit < 48 || unit > 57) return false;
  }
  return text.length > start;
};

const NUMBERS = { __proto__: null, NaN, Infinity, "-Infinity": -Infinity, "-0": -0 };

const tagged = (parts) => {
  if (!isArray(parts) || parts.length === 0 || parts.length > 3) throw malformed();
  const kind = `${parts.length}${typeof parts[0] === "string" ? parts[0] : ""}`;
  const first = parts.length > 1 ? parts[1] : undefined;
  const second = parts.length > 2 ? parts[2] : undefined;
  switch (kind) {
    case "1undefined": return undefined;
    case "2number":
      if (typeof first === "string" && first in NUMBERS) return NUMBERS[first];
      break;
    case "2bigint":
      if (typeof first === "string" && isDecimal(first)) return OwnBigInt(first);
      break;
    case "2date":
      if (typeof first === "number" || first === null) return new OwnDate(first === null ? NaN : first);
      break;
    case "2map": if (isArray(first)) return taggedMap(first); break;
    case "2set": if (isArray(first)) return taggedSet(first); break;
    case "3regexp":
      if (typeof first === "string" && typeof second === "string") return new OwnRegExp(first, second);
      break;
    case "2error":
      if (typeof first === "object" && first !== null && !isArray(first)) return taggedError(first);
      break;
    case "3bytes":
      if (typeof first === "string" && typeof second === "string") return taggedBytes(first, second);
      break;
  }
  throw malformed();
};

const taggedMap = (entries) => {
  const map = new OwnMap();
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at];
    if (!isArray(entry) || entry.length !== 2) throw malformed();
    mapSet(map, untagged(entry[0]), untagged(entry[1]));
  }
  return map;
};

const taggedSet = (members) => {
  const set = new OwnSet();
  for (let at = 0; at < members.length; at += 1) setAdd(set, untagged(members[at]));
  return set;
};

const taggedBytes = (name, text) => {
  const buffer = native.bytes(text);
  if (buffer === undefined) throw malformed();
  if (name === "ArrayBuffer") return buffer;
  const View = VIEWS[name];
  const width = View === undefined ? 0 : View === VIEWS.DataView ? 1 : View.BYTES_PER_ELEMENT;
  if (width === 0 || lengthOfBuffer(buffer) % width !== 0) throw malformed();
  return new View(buffer);
};

const HIDDEN_OF_ERRORS = { __proto__: null, name: true, cause: true, errors: true };

const taggedError = (members) => {
  const name = ownData(members, "name");
  const message = ownData(members, "message");
  if (typeof name !== "string" || typeof message !== "string") throw malformed();
  const error = new ERRORS.Error();
  if (name in ERRORS) setPrototypeOf(error, PROTOTYPES[name]);
  define(error, "message", message, HIDDEN);
  const names = keys(members);
  for (let at = 0; at < names.length; at += 1) {
    const key = names[at];
    if (key === "message" || (key === "name" && name in ERRORS)) continue;
    const own = looksLikeTag(key) ? slice(key, 1) : key;
    define(error, own, untagged(ownData(members, key)), key in HIDDEN_OF_ERRORS ? HIDDEN : ORDINARY);
  }
  return error;
};
