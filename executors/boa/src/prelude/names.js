
// The globals through which the code reaches the connectors. A namespace answers for its declared methods and for nothing
// that the language looks up behind the code's back; any other name is a method that the host will refuse.
const HABITS = {
  __proto__: null, then: true, catch: true, finally: true, toJSON: true, constructor: true, prototype: true,
  ["__proto__"]: true, valueOf: true, toLocaleString: true, hasOwnProperty: true, isPrototypeOf: true,
  propertyIsEnumerable: true, inspect: true, length: true, name: true, nodeType: true, asymmetricMatch: true,
  $$typeof: true,
};

const methodOf = (connector, name) =>
  exposed(name, 1, (...args) => call(connector, name, args.length > 0 ? args[0] : undefined));

// An object with exactly these members, which cannot be changed; `unknown` makes what stands for any other name.
const guarded = (title, members, unknown) => {
  const target = { __proto__: null };
  for (const name in members) define(target, name, members[name], SHOWN);
  const toString = exposed("toString", 0, () => title);
  // What was made up is kept, so that it is the same each time.
  const made = { __proto__: null };
  const get = (_, key) => {
    if (typeof key !== "string") return undefined;
    if (hasOwn(target, key)) return target[key];
    if (key === "toString") return toString;
    if (key in HABITS) return undefined;
    made[key] ??= unknown(key);
    return made[key];
  };
  const proxy = new OwnProxy(freeze(target), freeze({ __proto__: null, get }));
  setAdd(namespaces, proxy);
  native.namespace(proxy);
  return proxy;
};

// So many characters of a text are asked with: enough for the longest name of a snippet.
const MAX_ASKED = 16384;

const textAsk = (name, submit) => exposed(name, 1, (...args) => {
  const text = stringify(slice(args.length > 0 ? toText(args[0]) : "undefined", 0, MAX_ASKED));
  return ask(`codemode.${name}`, () => submit(text));
});

const installNames = () => {
  const own = { __proto__: null };
  for (let at = 0; at < request.namespaces.length; at += 1) {
    const { name, methods } = request.namespaces[at];
    if (name === "codemode") {
      for (let index = 0; index < methods.length; index += 1) own[methods[index]] = true;
      continue;
    }
    const members = { __proto__: null };
    for (let index = 0; index < methods.length; index += 1) {
      define(members, methods[index], methodOf(name, methods[index]), ORDINARY);
    }
    define(globalThis, name, guarded(`[connector ${name}]`, members, (method) => methodOf(name, method)), SHOWN);
  }
  const members = {
    __proto__: null,
    search: textAsk("search", native.search),
    describe: textAsk("describe", native.describe),
    step: exposed("step", 2, step),
    run: exposed("run", 2, runSnippet),
  };
  const unknown = (name) => name in own ? methodOf("codemode", name) : exposed(name, 0, () => rejected(
    `Tool "${name}" not found on codemode. It has search(query), describe(target), step(name, fn) and run(name, input); ` +
      "connectors are globals of their own.",
  ));
  define(globalThis, "codemode", guarded("[codemode]", members, unknown), SHOWN);
};
