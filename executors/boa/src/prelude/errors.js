
// Exceptions in both directions: what the code threw, as the host reads it, and what the host refused, as the code
// catches it.
const PROTOTYPES = { __proto__: null };
for (const name in ERRORS) PROTOTYPES[name] = ERRORS[name].prototype;

// A new error of a built-in type, or an `Error` with that name.
const makeError = (name, message) => {
  if (name in ERRORS && name !== "AggregateError") return new ERRORS[name](message);
  const error = new ERRORS.Error(message);
  define(error, "name", name, HIDDEN);
  return error;
};

const isError = (value) => isObject(value) && native.kind(value) === "error";

// Files of the code: itself, and the snippets it ran.
const files = { __proto__: null, code: true };

const isDigits = (text) => isDecimal(text) && unitAt(text, 0) !== 45;

// The place of a frame `    at name (file:line:column)` where the file is one of the code's. Every file begins with a
// parenthesis that is not the code's; `shift` takes it back.
const placeOf = (frame, shift) => {
  const parts = split(frame, ":");
  if (parts.length < 3) return undefined;
  const last = parts[parts.length - 1];
  const column = slice(last, 0, last.length - 1);
  const line = parts[parts.length - 2];
  if (!isDigits(line) || !isDigits(column)) return undefined;
  const before = slice(frame, 0, frame.length - last.length - line.length - 2);
  for (const file in files) {
    const open = before.length - file.length - 2;
    if (open >= 0 && slice(before, open) === ` (${file}`) {
      const moved = line === "1" ? shift : 0;
      return { __proto__: null, at: slice(before, 0, open), file, line: +line, column: +column - moved };
    }
  }
  return undefined;
};

// The frames that are the code's own, with their places.
const framesOf = (text, shift) => {
  const frames = list();
  const lines = split(slice(text, 0, 65536), "\n");
  for (let at = 0; at < lines.length; at += 1) {
    const place = placeOf(trimEnd(lines[at]), shift);
    if (place !== undefined) push(frames, place);
  }
  return frames;
};

const stackText = (frames) => {
  const lines = list();
  for (let at = 0; at < frames.length; at += 1) {
    const { at: where, file, line, column } = frames[at];
    push(lines, line === undefined ? `${where} (${file})` : `${where} (${file}:${line}:${column})`);
  }
  return join(lines, "\n");
};

// What the engine recorded when an error was made, without the frames of the prelude. For a name that is not there it has
// the place of the function around it: none is better than that.
const recordedFrames = (error) => {
  const frames = framesOf(engineStack(error) ?? "", 1);
  if (frames.length > 0 && getPrototypeOf(error) === PROTOTYPES.ReferenceError) frames[0].line = frames[0].column = undefined;
  return frames;
};

const recorded = (error) => stackText(recordedFrames(error));

// A member of that name stands for the engine's own record.
const framesOfError = (error) => {
  if (!isObject(error)) return list();
  const own = ownData(error, "stack");
  if (own === undefined && native.kind(error) === "error") return recordedFrames(error);
  return typeof own === "string" ? framesOf(own, 0) : list();
};

// A member as text; what throws or is no text counts as absent.
const memberText = (value, key) => {
  try {
    const member = value[key];
    if (member === undefined || typeof member === "symbol") return undefined;
    const text = cut(`${member}`, request.value);
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
};

// An `AggregateError` is often made without a message of its own.
const innerMessages = (error) => {
  const errors = ownData(error, "errors");
  if (!isArray(errors)) return undefined;
  let text = "";
  for (let at = 0; at < errors.length && at < 5; at += 1) {
    const message = isError(errors[at]) ? memberText(errors[at], "message") ?? "" : shown(errors[at]);
    if (message !== "") text += text === "" ? message : `; ${message}`;
  }
  return text === "" ? undefined : text;
};

const thrownText = (thrown, encoded) => {
  if (typeof thrown === "string") return thrown === "" ? '""' : cut(thrown, request.value);
  if (typeof thrown === "object" && thrown !== null && encoded !== undefined) return encoded;
  return shown(thrown);
};

// What the host learns about a thrown value.
const describe = (thrown) => {
  let value;
  try {
    value = encode(thrown, "value", request.value);
  } catch {
    value = undefined;
  }
  const error = isError(thrown);
  const name = error ? memberText(thrown, "name") ?? "Error" : "Thrown";
  const message = error ? memberText(thrown, "message") ?? innerMessages(thrown) ?? name : thrownText(thrown, value);
  const frames = framesOfError(thrown);
  let place;
  for (let at = 0; at < frames.length && place === undefined; at += 1) {
    if (frames[at].file === "code") place = frames[at];
  }
  return {
    __proto__: null, name, message, line: place?.line, column: place?.column,
    stack: frames.length > 0 ? stackText(frames) : undefined, value,
  };
};

// What the code catches for a call that failed. `place` is an error that was made where it asked.
const fromCall = (failure, place) => {
  const stack = recorded(place);
  let details;
  let detailed = failure.details !== undefined;
  try {
    details = decode(failure.details);
  } catch {
    // Details are an addition; the failure itself must arrive.
    detailed = false;
  }
  if (failure.code === "thrown" && detailed) {
    if (isError(details)) define(details, "stack", stack, HIDDEN);
    return details;
  }
  const error = makeError(nameOf(failure.name), failure.message);
  define(error, "stack", stack, HIDDEN);
  define(error, "code", failure.code, ORDINARY);
  if (detailed) {
    define(error, "details", details, ORDINARY);
    define(error, "data", details, ORDINARY);
  }
  if (failure.retryAfterMs !== undefined) define(error, "retryAfterMs", failure.retryAfterMs, ORDINARY);
  define(error, "effect", failure.effect, ORDINARY);
  return error;
};

const nameOf = (json) => {
  try {
    const name = decode(json);
    return typeof name === "string" && name !== "" ? name : "ConnectorError";
  } catch {
    return "ConnectorError";
  }
};

const cut = (text, limit) => {
  if (text.length <= limit) return text;
  const marker = `… [cut; ${text.length} characters in full]`;
  let room = limit >= marker.length ? limit - marker.length : limit;
  const last = room > 0 ? unitAt(text, room - 1) : 0;
  // Never half of a pair.
  if (last >= 0xd800 && last <= 0xdbff) room -= 1;
  return slice(text, 0, room) + (limit >= marker.length ? marker : "");
};
