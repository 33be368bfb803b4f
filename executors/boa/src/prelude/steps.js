
// A step's outcome reaches the code only through `next`, in the first pass as on replay, so both go on from the same
// place.
const step = (...args) => {
  const name = toText(args.length > 0 ? args[0] : undefined);
  const ends = pending(`step "${name}"`);
  const entered = native.stepEnter(name);
  const op = entered < 0 ? -1 - entered : entered;
  wait(op, (text, failure) => settle(ends, text, failure));
  if (entered >= 0) runStep(op, name, args.length > 1 ? args[1] : undefined);
  return ends.promise;
};

const runStep = (op, name, closure) => {
  if (typeof closure !== "function") {
    return stepFailed(op, makeError("TypeError", "the second argument of codemode.step is not a function"), false);
  }
  const before = asked;
  let returned;
  let thrown;
  let threw = false;
  native.enterStream(op);
  try {
    returned = apply(closure, undefined, []);
  } catch (error) {
    threw = true;
    thrown = error;
  } finally {
    native.leaveStream();
  }
  const again = asked !== before;
  if (threw) return stepFailed(op, thrown, again);
  let later;
  try {
    later = isObject(returned) && (native.kind(returned) === "a promise" || typeof returned.then === "function");
  } catch (error) {
    return stepFailed(op, error, again);
  }
  if (later) return void follow(op, name, returned);
  return stepReturned(op, name, returned, again);
};

const follow = async (op, name, returned) => {
  let value;
  try {
    value = await returned;
  } catch (error) {
    return stepFailed(op, error, true);
  }
  return stepReturned(op, name, value, true);
};

const stepReturned = (op, name, value, again) => {
  let text;
  try {
    text = encode(value, "result", request.value);
  } catch (error) {
    if (error === REFUSED) return refuse(`result of step "${name}"`);
    return stepFailed(op, error, again);
  }
  return native.stepExit(op, again, text, undefined);
};

const stepFailed = (op, thrown, again) => {
  const { name, message, value } = describe(thrown);
  native.stepExit(op, again, undefined, { __proto__: null, name: stringify(name), message, value });
};

// Saved code, fetched from the host and run in the same realm. How deep snippets are inside of each other is read off the
// file of the asking function, so it is known across `await` too.
const LEVELS = 8;

const runSnippet = (...args) => {
  const name = toText(args.length > 0 ? args[0] : undefined);
  const level = native.level() + 1;
  if (level > LEVELS) return rejected(`snippet "${name}" is nested more than ${LEVELS} levels deep`);
  const input = encodeOrRefuse(args.length > 1 ? args[1] : undefined, "input", `input of snippet "${name}"`);
  const ends = pending(`codemode.run("${name}")`);
  wait(native.snippet(name, input), (text, failure) => {
    if (failure !== undefined) return settle(ends, text, failure);
    let value;
    try {
      value = startSnippet(name, level, input, decode(text));
    } catch (error) {
      return ends.reject(error);
    }
    return ends.resolve(value);
  });
  return ends.promise;
};

const startSnippet = (name, level, input, answer) => {
  const code = isObject(answer) ? ownData(answer, "code") : undefined;
  if (typeof code !== "string") return answer;
  // A name is any text and must not pass for another file: only what cannot end one is left of it.
  let plain = "";
  for (let at = 0; at < name.length; at += 1) {
    const unit = unitAt(name, at);
    plain += unit < 32 || unit === 40 || unit === 41 || unit === 58 ? "_" : slice(name, at, at + 1);
  }
  const file = `${level === 1 ? "snippet" : `snippet-${level}`} ${plain}`;
  files[file] = true;
  const run = native.evaluate(code, file);
  if (typeof run !== "function") throw makeError("TypeError", `snippet "${name}" is not a function`);
  return apply(run, undefined, [decode(input)]);
};
