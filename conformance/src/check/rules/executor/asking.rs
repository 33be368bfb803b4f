//! The dispatch protocol: calls, steps, timers, snippets.

use super::{must, should};
use crate::check::rule::Rule;

pub(super) const RULES: [Rule; 25] = [
    must(
        "EXEC-ASK-01",
        "asks for what the code asks, in its order, at once",
        "Calls, steps, timers, discovery and snippets reach `dispatch` once each, in the order of the code, before \
         the function goes on.",
        "The number of an ask is its place; replay finds its answer by it.",
    ),
    must(
        "EXEC-ASK-02",
        "hands over the first argument",
        "A call has the encoded first argument; none where there is none or where it is `undefined`, `null` where it \
         is `null`.",
        "The journal tells the three apart, and so do connectors.",
    ),
    must(
        "EXEC-ASK-03",
        "gives each answer to who asked for it",
        "Answers may come in any order: each settles its own promise, and the code goes on in the order of the \
         answers.",
        "Parallel calls would get one another's results.",
    ),
    must(
        "EXEC-ASK-04",
        "throws failures as errors",
        "A failed call rejects with an `Error` of the given name (`ConnectorError` without one) and message, with \
         `code`, `details`, `effect` and `retryAfterMs`; uncaught, it is told with that name and message.",
        "Code decides by them whether to try again.",
    ),
    must(
        "EXEC-ASK-05",
        "asks for methods that it does not know",
        "Any method name of a namespace is asked for, the undeclared too, but for what the language looks up by \
         itself, such as `then`.",
        "The host knows close names and says them; and awaiting a namespace must not hang.",
    ),
    must(
        "EXEC-ASK-06",
        "shows the declared methods",
        "A namespace is an object whose own keys are its methods; what is no namespace is not there.",
        "Models look at what they have.",
    ),
    must(
        "EXEC-ASK-07",
        "adds the methods of a namespace called `codemode`",
        "They are members of that global beside its own, and no other name of it is asked for.",
        "A host may offer tools under this name.",
    ),
    must(
        "EXEC-ASK-08",
        "goes on with the answer that came",
        "`Promise.race`, `any`, `all` and `allSettled` of calls settle at the answer that decides them, and what \
         follows is asked before the next answer.",
        "A race that waits for all asks in another order than the recorded run.",
    ),
    must(
        "EXEC-ASK-09",
        "searches and describes",
        "`codemode.search` and `codemode.describe` ask with their argument as a JSON string and give the decoded \
         answer, or reject.",
        "It is how models find methods.",
    ),
    must(
        "EXEC-ASK-10",
        "bears many calls",
        "600 calls in a row and 400 at once get their answers.",
        "Code that goes through a list is the usual code.",
    ),
    must(
        "EXEC-ORDER-01",
        "does the same again",
        "Random programs: two runs with the same order of answers ask for the same things at the same places and give \
         what the program gives.",
        "A pass is replayed by nothing but the order of its answers.",
    ),
    must(
        "EXEC-STEP-01",
        "enters and leaves each step once",
        "`step-enter`, the closure, `step-exit` with its value, once each; what the closure asks for comes between.",
        "The journal would hold no outcome, or two.",
    ),
    must(
        "EXEC-STEP-02",
        "says which closures run again",
        "`again` exactly where the closure returned a promise or thenable, or asked for something.",
        "Otherwise a replay leaves out asks, or repeats what was to run once.",
    ),
    must(
        "EXEC-STEP-03",
        "leaves out a step that is recorded",
        "Where `run` is false, the closure is not run, there is no `step-exit`, and the value comes through `next`.",
        "The closure ran in an earlier pass.",
    ),
    must(
        "EXEC-STEP-04",
        "takes a step's outcome from the host",
        "The code gets what `next` delivers for the step, when it is delivered, not what the closure gave.",
        "The first pass and its replays must go on from the same value at the same place.",
    ),
    must(
        "EXEC-STEP-05",
        "throws what a closure threw as it was",
        "`step-exit` has the code `thrown` and the value in its details; such a failure is thrown with that value \
         again. What has no encoding arrives as an error; something else than a function fails the step.",
        "`catch` sees the same in each pass.",
    ),
    must(
        "EXEC-STEP-06",
        "lets a step draw apart",
        "What a closure draws from `Math.random` changes nothing outside, whether it runs or not; two steps draw \
         differently.",
        "On replay the closure is left out, and the code behind it must draw the same.",
    ),
    must(
        "EXEC-TIMER-01",
        "asks for timers",
        "`setTimeout` asks for whole milliseconds, 0 where there are none, and calls back with its arguments when \
         that is delivered.",
        "Timers are journaled like answers.",
    ),
    must(
        "EXEC-TIMER-02",
        "takes timers back",
        "`clearTimeout` cancels once and the callback does not run; what is no armed timer is ignored.",
        "The host would wait for it, and replay would fire it.",
    ),
    must(
        "EXEC-TIMER-03",
        "repeats intervals",
        "`setInterval` asks again after each time until it is cleared.",
        "Polling code would hang.",
    ),
    must(
        "EXEC-TIMER-04",
        "bears callbacks that throw",
        "An exception in a timer is one error line with its message, and the run goes on.",
        "It would vanish, or take the run with it.",
    ),
    must(
        "EXEC-SNIPPET-01",
        "runs snippets",
        "`codemode.run` asks with name and input; an answer `{code}` is evaluated and called with the input in the \
         same sandbox, and what it returns is the result. Its asks are asks of the code.",
        "Saved code is written like any other.",
    ),
    must(
        "EXEC-SNIPPET-02",
        "takes any other answer as the result",
        "An answer without `code` as text is the result itself.",
        "That is how the host says that a snippet is not there.",
    ),
    must(
        "EXEC-SNIPPET-03",
        "throws the failures of snippets",
        "What a snippet throws, and that it does not parse or is no function, rejects the promise.",
        "The code has to be able to catch it.",
    ),
    should(
        "EXEC-SNIPPET-04",
        "bounds snippets in snippets",
        "Eight levels run; the ninth rejects, and is not asked for. Snippets beside each other do not count.",
        "A snippet that runs itself would go on until a limit ends the whole execution.",
    ),
];
