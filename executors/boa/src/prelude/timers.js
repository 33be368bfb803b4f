
// Timers over `sleep`: each is an op, so that its place in the order of deliveries is journaled like an answer's.
// Running intervals by id: the op for which each waits now.
const intervals = { __proto__: null };
// Ops that are timers.
const timers = { __proto__: null };

const LONGEST = 9007199254740991;

// Whole milliseconds; what is no time at all counts as none, what is too long as the longest.
const delay = (ms) => {
  const time = OwnNumber(ms);
  return time > 0 ? (time < LONGEST ? floor(time) : LONGEST) : 0;
};

const setTimer = (name, repeats) => (...args) => {
  const callback = args.length > 0 ? args[0] : undefined;
  if (typeof callback !== "function") throw makeError("TypeError", `the first argument of ${name} is not a function`);
  const ms = args.length > 1 ? delay(args[1]) : 0;
  const op = native.sleep(ms);
  const passed = [];
  for (let at = 2; at < args.length; at += 1) define(passed, at - 2, args[at], ORDINARY);
  const timer = { __proto__: null, id: op + 1, callback, passed, every: repeats ? (ms > 1 ? ms : 1) : undefined };
  arm(op, timer);
  return timer.id;
};

const arm = (op, timer) => {
  if (timer.every !== undefined) intervals[timer.id] = op;
  timers[op] = true;
  wait(op, (_, failure) => {
    delete timers[op];
    fire(timer, failure);
  });
};

const fire = (timer, failure) => {
  if (failure !== undefined) {
    delete intervals[timer.id];
    return line("error", `a timer was refused: ${failure.message}`);
  }
  try {
    apply(timer.callback, undefined, timer.passed);
  } catch (error) {
    uncaught(error);
  }
  if (timer.every !== undefined && timer.id in intervals) arm(native.sleep(timer.every), timer);
};

const clearTimer = (id) => {
  if (typeof id !== "number" || !(id >= 1 && id <= 4294967295) || floor(id) !== id) return;
  const repeating = intervals[id];
  const op = repeating ?? id - 1;
  const armed = op in timers;
  delete intervals[id];
  if (armed) {
    delete timers[op];
    delete waiting[op];
    native.cancel(op);
  }
  // A step that took a timer back did something that its recorded outcome does not hold: it runs on replay.
  if (armed || repeating !== undefined) asked += 1;
};
