
// What the code asked the host for and has no answer to yet, by op.
const waiting = { __proto__: null };

// How many ops were asked for; a step looks whether its closure moved it.
let asked = 0;

// What was asked for by the error that the code got for it.
const failures = new OwnWeakMap();

// The globals of the connectors, and `codemode`: objects that no value may contain.
const namespaces = new OwnSet();

const pending = (label) => {
  const ends = { __proto__: null, label, place: new ERRORS.Error(), resolve: undefined, reject: undefined };
  ends.promise = new OwnPromise((resolve, reject) => {
    ends.resolve = resolve;
    ends.reject = (reason) => {
      if (isObject(reason)) weakSet(failures, reason, label);
      reject(reason);
    };
  });
  return ends;
};

const wait = (op, answered) => {
  asked += 1;
  waiting[op] = answered;
};

// Settles a promise of the code with an answer.
const settle = (ends, text, failure) => {
  if (failure !== undefined) return ends.reject(fromCall(failure, ends.place));
  let value;
  try {
    value = decode(text);
  } catch (error) {
    return ends.reject(error);
  }
  return ends.resolve(value);
};

// A promise for the answer to an op that needs no more than decoding.
const ask = (label, submit) => {
  const ends = pending(label);
  wait(submit(), (text, failure) => settle(ends, text, failure));
  return ends.promise;
};

// Ends the pass. A host that goes on regardless gets an ordinary exception.
const refuse = (subject) => {
  const { kind, path, what } = refusal;
  native.refuse(subject, kind, path, what);
  throw makeError("TypeError", `${subject} cannot be kept: ${kind}`);
};

const encodeOrRefuse = (value, root, subject, limit = request.value) => {
  try {
    return encode(value, root, limit);
  } catch (thrown) {
    if (thrown !== REFUSED) throw thrown;
    return refuse(subject);
  }
};

// The arguments are encoded here and now, once.
const call = (connector, name, args) => {
  const path = `${connector}.${name}`;
  const text = encodeOrRefuse(args, "args", `arguments to ${path}`);
  return ask(path, () => native.submit(connector, name, text));
};

const rejected = (message) => {
  const error = makeError("Error", message);
  return new OwnPromise((_, reject) => reject(error));
};

const deliver = (op, text, failure) => {
  const answered = waiting[op];
  if (answered === undefined) return;
  delete waiting[op];
  try {
    answered(text, failure);
  } catch (error) {
    uncaught(error);
  }
};
