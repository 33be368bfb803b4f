//! Values and their limits, what stops the code, what it must not reach, and what the host learns.

use super::{must, should};
use crate::check::rule::Rule;

pub(super) const RULES: [Rule; 33] = [
    must(
        "EXEC-VALUE-01",
        "encodes values as documented",
        "Every row of the table in `docs/values.json` is encoded to its text.",
        "The journal, approvals and connectors read that text.",
    ),
    must(
        "EXEC-VALUE-02",
        "decodes values as documented",
        "What arrives has the type, the prototype and the members of its kind, each time anew.",
        "The code sees the same value in the first pass and in each replay only if all kinds come back.",
    ),
    must(
        "EXEC-VALUE-03",
        "carries values everywhere",
        "Random values of all kinds pass unchanged through input, answers, arguments, steps, snippets and the result.",
        "A place with another encoding is found by the first user that needs it.",
    ),
    must(
        "EXEC-VALUE-04",
        "refuses what has no encoding",
        "Functions, symbols, cycles and what has no members to keep end the pass by `refuse`, with the subject, and \
         the path for arguments; the code cannot catch it. Shared parts are no cycles.",
        "A value that cannot be journaled cannot be replayed; the path is what a model needs to mend it.",
    ),
    must(
        "EXEC-VALUE-05",
        "reads a value once, when it is asked with",
        "Getters run once in the order of the members, `toJSON` once; what changes later does not count; what they \
         throw is thrown at the call.",
        "Arguments read twice may differ from those that were approved.",
    ),
    must(
        "EXEC-LIMIT-01",
        "bounds values",
        "An encoded argument or step value of as many UTF-16 code units as the limit `value` passes; one more is \
         refused as too large, by its subject.",
        "The host could not journal it.",
    ),
    must(
        "EXEC-LIMIT-02",
        "bounds the result",
        "The same with the limit `outcome` for the result.",
        "Results may be larger than what is journaled, and not endless.",
    ),
    must(
        "EXEC-LIMIT-03",
        "bounds depth",
        "The same with the limit `depth` for levels of nesting.",
        "Whoever reads the value again has a stack of its own.",
    ),
    should(
        "EXEC-LIMIT-04",
        "bounds console lines",
        "A line within the limit `line` is whole; a longer one is cut to at most that.",
        "A line of megabytes crosses the boundary to be cut there.",
    ),
    must(
        "EXEC-STOP-01",
        "can be stopped",
        "Loops without end, in code, in jobs and in getters, end by the host's limit of computing, and the next run \
         is unharmed.",
        "One execution must not take the others along.",
    ),
    must(
        "EXEC-STOP-02",
        "runs out of memory in order",
        "Code that takes memory without end meets the limit or an error with a message, never a broken sandbox, and \
         the next run is unharmed.",
        "A crash hides what was wrong with the code.",
    ),
    must(
        "EXEC-STOP-03",
        "bears depth",
        "Recursion without end and data of 30,000 levels work or throw an error that the code can catch, and the run \
         goes on.",
        "A trap takes the whole pass with it.",
    ),
    must(
        "EXEC-STOP-04",
        "stops encoding at the limit",
        "A small value that unfolds to 2^40 parts is refused as too large, within memory and time.",
        "It costs the code nothing to make one.",
    ),
    must(
        "EXEC-STOP-05",
        "ends where the host ends it",
        "When the host ends the run at an ask or at `next`, nothing of the code runs any more: no `catch`, no `finally`.",
        "The host has written down where the pass ended; what comes later would be lost.",
    ),
    must(
        "EXEC-CLOCK-01",
        "has a clock that stands still",
        "In the clock `recorded`, `Date.now()` and `new Date()` start at the given time and move only to the `now` of \
         each completion; the wall clock is not asked.",
        "A replay reads the same times.",
    ),
    must(
        "EXEC-CLOCK-02",
        "looks at the wall clock where it is told to",
        "In the clock `live`, each `Date.now()` asks `now`.",
        "A host may choose real time.",
    ),
    must("EXEC-CLOCK-03", "lives in UTC", "The time zone is UTC.", "The code gives the same on every machine."),
    must(
        "EXEC-SEED-01",
        "draws the same from the same seed",
        "Two runs with one seed draw the same numbers.",
        "A replay draws what was drawn.",
    ),
    must(
        "EXEC-SEED-02",
        "draws by the whole seed",
        "`Math.random()` gives numbers from 0 to below 1, another one at each draw, and another sequence for each other \
         seed, whichever byte differs.",
        "Ids made of them would meet.",
    ),
    should(
        "EXEC-SEED-03",
        "draws `crypto` from the seed",
        "Where there is a `crypto`, `randomUUID` and `getRandomValues` draw anew each time, and the same from the \
         same seed.",
        "Code makes ids and keys of idempotency with them.",
    ),
    must(
        "EXEC-TAMPER-01",
        "bears replaced built-ins",
        "Calls, steps, failures and lines work as before when the code has replaced `Promise`, `JSON`, prototypes and \
         other built-ins.",
        "A careless polyfill, or an attacker, could change what is asked for.",
    ),
    must(
        "EXEC-TAMPER-02",
        "leads nowhere else",
        "No names of machines, frameworks or the host are there, `import` fails, `fetch` is absent or asks, and what \
         looks like control information is data.",
        "Everything that the code does has to go through `dispatch`.",
    ),
    must(
        "EXEC-TAMPER-03",
        "keeps its globals",
        "Namespaces, `codemode` and `console` work as before whatever the code assigns to them.",
        "Code that is reused would be served by a forgery.",
    ),
    must(
        "EXEC-LOG-01",
        "keeps the levels of lines",
        "`console.log`, `info`, `warn`, `error` and `debug` are lines of their level.",
        "The model tells warnings by them.",
    ),
    must(
        "EXEC-LOG-02",
        "makes text of arguments",
        "Each argument becomes text as by `String`, and they are joined by a blank.",
        "Lines are compared between passes and executors.",
    ),
    must(
        "EXEC-LOG-03",
        "never throws from a line",
        "Whatever it is given, a line is written and the run goes on.",
        "Debugging must not change what the code does.",
    ),
    must(
        "EXEC-LOG-04",
        "writes lines at once",
        "A line reaches the host before what the code does next.",
        "Of a run that is stopped, the lines are what is left.",
    ),
    must(
        "EXEC-LOG-05",
        "tells of failures that nobody awaited",
        "A rejected call that nothing awaits is one warn line with its message; one that is caught is none.",
        "It would vanish without a trace.",
    ),
    must(
        "EXEC-ERROR-01",
        "tells what was thrown",
        "Name and message of an error, `Thrown` for what is none; the message is never empty; the value is tagged \
         JSON where it has an encoding.",
        "It is all that the model learns.",
    ),
    should(
        "EXEC-ERROR-02",
        "tells the place",
        "Line and column, where they are told, are those of the request's code, from 1, in UTF-16 code units: of what \
         threw, of the call that failed, of what does not parse.",
        "A wrong line sends the model to the wrong place.",
    ),
    must(
        "EXEC-ERROR-03",
        "tells what does not parse",
        "Code that does not parse ends with a `SyntaxError` before anything is asked for; what is no function ends \
         with an error.",
        "Code that runs half is worse than code that does not run.",
    ),
    should(
        "EXEC-ERROR-04",
        "shows frames of the code only",
        "The stack, where there is one, has one line for each function of the code that was under way.",
        "Frames of the executor mean nothing to the reader.",
    ),
    must(
        "EXEC-REPLAY-01",
        "replays what others recorded",
        "Recorded executions replay to the end that they had: the same asks, and the same result, error or pause.",
        "Executions that wait for a person outlive the executor that began them.",
    ),
];
