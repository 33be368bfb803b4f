
// The run itself, as the host side drives it.
const start = (code, input) => {
  const run = native.evaluate(code, "code");
  if (typeof run !== "function") throw makeError("TypeError", "the code is not a function");
  const returned = apply(run, undefined, [decode(input)]);
  if (isObject(returned) && native.kind(returned) === "a promise") return returned;
  return new OwnPromise((resolve) => resolve(returned));
};

const result = (value) => encodeOrRefuse(value, "result", "the result", request.outcome);

// Failures that were told already: one that several promises pass on is one.
const told = new OwnSet();

const failed = (thrown) => {
  if (isObject(thrown)) setAdd(told, thrown);
  return describe(thrown);
};

// A failed call that the code did not await would vanish without a trace.
const unseen = (reason) => {
  if (isObject(reason)) {
    if (setHas(told, reason)) return;
    setAdd(told, reason);
  }
  const label = isObject(reason) ? weakGet(failures, reason) : undefined;
  line("warn", `${label ?? "a promise"} rejected and nobody awaited it: ${shown(reason)}`);
};

installGlobals();
return { __proto__: null, start, result, describe: failed, deliver, unseen };
