
// The globals of every run: what the engine has, minus what depends on chance, plus what code expects.
const toText = (value) => `${value}`;

// The value as text, with an answer for values that have none.
const shown = (value) => {
  try {
    return typeof value === "symbol" ? symbolText(value) : `${value}`;
  } catch {
    return typeof value === "function" ? "[function]" : "[object Object]";
  }
};

const line = (level, text) => native.log(level, cut(text, request.line));

// An exception that nobody can catch is one line; the run goes on.
const uncaught = (thrown) => {
  const { name, message } = describe(thrown);
  line("error", `Uncaught ${isError(thrown) && name !== message ? `${name}: ` : ""}${message}`);
};

const writer = (level) => (...args) => {
  const parts = list();
  for (let at = 0; at < args.length; at += 1) push(parts, shown(args[at]));
  line(level, join(parts, " "));
};

const installConsole = () => {
  const console = {};
  const add = (name, body) => define(console, name, exposed(name, 0, body), SHOWN);
  const levels = { __proto__: null, log: "log", info: "info", warn: "warn", error: "error", debug: "debug", dir: "log", table: "log", trace: "debug" };
  for (const name in levels) add(name, writer(levels[name]));
  const silent = ["group", "groupCollapsed", "groupEnd", "time", "timeEnd", "timeLog", "count", "countReset", "clear"];
  for (let at = 0; at < silent.length; at += 1) add(silent[at], () => undefined);
  const complain = writer("error");
  add("assert", (...args) => {
    if (args.length > 0 && args[0]) return;
    if (args.length === 0) args = [undefined];
    args[0] = "Assertion failed:";
    apply(complain, undefined, args);
  });
  define(globalThis, "console", freeze(console), LOCKED);
};

const installTime = () => {
  const start = native.now();
  const performance = {};
  define(performance, "now", exposed("now", 0, () => native.now() - start), ORDINARY);
  define(performance, "timeOrigin", start, SHOWN);
  define(globalThis, "performance", performance, HIDDEN);
  for (const name of ["setTimeout", "setInterval"]) {
    define(globalThis, name, exposed(name, 1, setTimer(name, name === "setInterval")), HIDDEN);
  }
  for (const name of ["clearTimeout", "clearInterval"]) define(globalThis, name, exposed(name, 1, clearTimer), HIDDEN);
};

const installMicrotasks = () => {
  const later = async (callback) => {
    await undefined;
    try {
      apply(callback, undefined, []);
    } catch (error) {
      uncaught(error);
    }
  };
  define(globalThis, "queueMicrotask", exposed("queueMicrotask", 1, (callback) => {
    if (typeof callback !== "function") throw makeError("TypeError", "queueMicrotask needs a function");
    later(callback);
  }), HIDDEN);
};

const HEX = "0123456789abcdef";

const randomUUID = () => {
  const bytes = new VIEWS.Uint8Array(16);
  native.fill(bufferOfArray(bytes), 0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  let text = "";
  for (let at = 0; at < 16; at += 1) {
    if (at === 4 || at === 6 || at === 8 || at === 10) text += "-";
    text += HEX[bytes[at] >> 4] + HEX[bytes[at] & 15];
  }
  return text;
};

const installRandom = () => {
  define(Math, "random", exposed("random", 0, () => native.random()), HIDDEN);
  const crypto = {};
  define(crypto, "randomUUID", exposed("randomUUID", 0, randomUUID), ORDINARY);
  define(crypto, "getRandomValues", exposed("getRandomValues", 1, (array) => {
    const name = isObject(array) ? nameOfArray(array) : undefined;
    if (name === undefined || name === "Float16Array" || name === "Float32Array" || name === "Float64Array") {
      throw makeError("TypeError", "getRandomValues needs an array of integers");
    }
    if (lengthOfArray(array) > 65536) {
      throw new DOMException("getRandomValues fills at most 65536 bytes", "QuotaExceededError");
    }
    native.fill(bufferOfArray(array), offsetOfArray(array), lengthOfArray(array));
    return array;
  }), ORDINARY);
  define(globalThis, "crypto", crypto, HIDDEN);
};

const installGlobals = () => {
  // What depends on garbage collection or on other threads would differ between two passes.
  for (const name of ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics", "TypedArray"]) delete globalThis[name];
  // The engine's own text shows the prelude's frames too.
  const { set } = getOwnPropertyDescriptor(Error.prototype, "stack");
  const get = { stack() { return isError(this) ? recorded(this) : undefined; } }.stack;
  defineProperty(Error.prototype, "stack", { __proto__: null, get: freeze(get), set, enumerable: false, configurable: true });
  installConsole();
  installTime();
  installMicrotasks();
  installRandom();
  installClone();
  installBase64();
  installNames();
};
