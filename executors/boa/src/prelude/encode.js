
// The native encoder walks a value; what only the engine's own functions know of it is asked for here.
const flagsOf = (value) => {
  let flags = "";
  for (let at = 0; at < FLAGS.length; at += 1) if (FLAGS[at].read(value)) flags += FLAGS[at].letter;
  return flags;
};

// The engine puts a `\` before each `/` of a pattern, also before one that had it; the language only where it is needed.
const sourceOf = (value) => {
  const parts = split(engineSource(value), "\\/");
  let text = parts[0];
  for (let at = 1; at < parts.length; at += 1) {
    let before = 0;
    while (before < text.length && unitAt(text, text.length - 1 - before) === 92) before += 1;
    text += (before % 2 === 1 ? "/" : "\\/") + parts[at];
  }
  return text;
};

// The buffer of a view, and which part of it is visible.
const visible = (value) => {
  const name = nameOfArray(value);
  if (name !== undefined) {
    return { __proto__: null, name, buffer: bufferOfArray(value), from: offsetOfArray(value), length: lengthOfArray(value) };
  }
  if (native.kind(value) === "buffer") {
    return { __proto__: null, name: "ArrayBuffer", buffer: value, from: 0, length: lengthOfBuffer(value) };
  }
  return {
    __proto__: null, name: "DataView", buffer: bufferOfView(value), from: offsetOfView(value), length: lengthOfView(value),
  };
};

// The parts of a tag that has no values inside.
const leaf = (kind, value) => {
  if (kind === "date") {
    const time = timeOf(value);
    return `"date",${time === time ? time : "null"}`;
  }
  if (kind === "regexp") return `"regexp",${stringify(sourceOf(value))},"${flagsOf(value)}"`;
  const { name, buffer, from, length } = visible(value);
  return `"bytes","${name}","${native.base64(buffer, from, length)}"`;
};

native.prepare(keys, isArray, ownData, leaf, arrayIterators, stringIterators);

const REFUSED = freeze({ __proto__: null });
let refusal;

// The text of a whole value; `undefined` has none. Throws `REFUSED` for what has no encoding.
const encode = (value, root, limit) => {
  const made = native.encode(value, root, limit, request.depth);
  if (!isObject(made)) return made;
  refusal = { __proto__: null, kind: made[0], path: made[1], what: made[2] };
  throw REFUSED;
};

// One or more `$`, then `cm`.
const looksLikeTag = (key) => {
  const dollars = key.length - 2;
  if (dollars < 1 || unitAt(key, dollars) !== 99 || unitAt(key, dollars + 1) !== 109) return false;
  for (let at = 0; at < dollars; at += 1) if (unitAt(key, at) !== 36) return false;
  return true;
};
