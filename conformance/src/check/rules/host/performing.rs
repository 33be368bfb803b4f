//! Running code, calls and steps.

use super::rule;
use crate::check::rule::{Rule, Severity};

pub(super) const RULES: [Rule; 26] = [
    rule(
        "HOST-RUN-01",
        Severity::Must,
        "runs code and gives its result",
        "`execute` of one function gives JSON with `status` `completed`, the function's value as `result`, and an `executionId`.",
        "Everything else is built on it.",
    ),
    rule(
        "HOST-RUN-02",
        Severity::Must,
        "performs calls of the connector that it is checked with",
        "The connector `ledger` is there under that name, a call of it has its effect, and another execution sees it.",
        "Without the ledger nothing that the host does outside can be seen.",
    ),
    rule(
        "HOST-RUN-03",
        Severity::Must,
        "tells failures of the code as outcomes",
        "Code that throws an error or any other value, or that does not parse, gives an outcome with `status` `error`, a text \
         `error` that says what was thrown, an `executionId` and no `result`.",
        "A model reads the error and tries again; a host that fails instead tells it nothing.",
    ),
    rule(
        "HOST-RUN-04",
        Severity::Must,
        "gives each execution an id of its own",
        "No two executions have one `executionId`, and a connector is told the same id as the caller.",
        "Approvals, rollback and everything that a connector keeps hang on the id.",
    ),
    rule(
        "HOST-RUN-05",
        Severity::Must,
        "hands the input over",
        "The function's argument is the `input` as given, of any JSON type; `undefined` where none was given; an input that is \
         no JSON is refused.",
        "Code that is run with parameters would work on others.",
    ),
    rule(
        "HOST-RUN-06",
        Severity::Should,
        "keeps null and undefined apart",
        "Code that returns nothing gives an outcome without `result`; code that returns null gives `result` null.",
        "A reader cannot tell an empty answer from none.",
    ),
    rule(
        "HOST-RUN-07",
        Severity::Must,
        "shows the journal with each outcome",
        "`calls` has each call and step by a dense `seq` in the order of asking, with connector (`__step` for steps), method, \
         `args` and `result` where there are some, `state`, `requiresApproval`, and `ephemeral` for re-executed ones.",
        "It is what a person looks at before they approve, and what tells afterwards what was done.",
    ),
    rule(
        "HOST-RUN-08",
        Severity::Should,
        "gives the console lines of the pass",
        "`logs` has one line for each console call, in order, and is absent where there are none.",
        "Models debug by printing.",
    ),
    rule(
        "HOST-RUN-09",
        Severity::Should,
        "says where an error is",
        "`errorInfo` of an outcome has `line` and `column`, from 1, of the code as it was given: of the throw, and of a syntax error.",
        "Without a position a model guesses which part to change.",
    ),
    rule(
        "HOST-RUN-10",
        Severity::Must,
        "begins each pass in a fresh sandbox",
        "Nothing that code leaves in globals or built-ins is seen by another execution or by a later pass.",
        "One execution would change what another one does; a replay would differ from what it replays.",
    ),
    rule(
        "HOST-RUN-11",
        Severity::Must,
        "gives code no way out but its connectors",
        "There are no `process`, `require`, `Deno`, `Bun`, `XMLHttpRequest`, `WebSocket`, `WebAssembly` and `SharedArrayBuffer`, and \
         no module can be imported.",
        "What code does outside of connectors is in no journal, needs no approval and cannot be undone.",
    ),
    rule(
        "HOST-RUN-12",
        Severity::Must,
        "ends what never settles",
        "Code that waits for something that cannot come ends as an error; what it did before stays.",
        "An execution that hangs holds its caller up for ever.",
    ),
    rule(
        "HOST-FIND-01",
        Severity::Should,
        "lets code find methods",
        "`codemode.search` finds a method by words of its path, `codemode.describe` gives its type; both say `requiresApproval`; \
         neither takes a `seq`.",
        "Models are not shown all methods at once; they look for them.",
    ),
    rule(
        "HOST-HOOK-01",
        Severity::Must,
        "tells connectors when passes and executions end",
        "`pass-ended` comes after each pass with its number and status, `execution-ended` when the execution completed, failed or \
         was rejected, and not before.",
        "Connectors free what they hold; without the word they leak, or free it too early.",
    ),
    rule(
        "HOST-CALL-01",
        Severity::Must,
        "performs each call once",
        "Calls one after another have their effect once each, the same call twice has it twice, and each gives its own value.",
        "Money is sent twice, or not at all.",
    ),
    rule(
        "HOST-CALL-02",
        Severity::Must,
        "carries values both ways unchanged",
        "JSON values that JavaScript can hold, drawn from the seed, come back from a connector as they went, and are in the \
         journal as they were; nothing, null, and a second argument (which is dropped) are told apart.",
        "Data that changes on the way is found much later, far from here.",
    ),
    rule(
        "HOST-CALL-03",
        Severity::Must,
        "keeps what JSON cannot say",
        "Dates, maps, sets, bytes, big integers, NaN, -0, `undefined` and objects that look like tags are the same values in a \
         replay as they were when they were recorded.",
        "Code takes another branch after an approval than it took before.",
    ),
    rule(
        "HOST-CALL-04",
        Severity::Must,
        "checks arguments before it performs a call",
        "Arguments that do not fit the method's input schema are answered with an error that the code can catch, and the \
         connector is not asked.",
        "A model's wrong guess becomes an effect.",
    ),
    rule(
        "HOST-CALL-05",
        Severity::Must,
        "lets code catch the failure of a call",
        "A connector's failure is thrown into the code as an `Error` with its message; caught, the code goes on; not caught, it is \
         the outcome's error; the call's `state` is `error`.",
        "Code cannot handle what it cannot see.",
    ),
    rule(
        "HOST-CALL-06",
        Severity::Must,
        "refuses what is not there",
        "A method that its connector does not have is an error that names it; a connector that is not there is one as well; nothing \
         is performed.",
        "Models invent names; they learn from the error.",
    ),
    rule(
        "HOST-CALL-07",
        Severity::Must,
        "keeps calls at the same time apart",
        "Of calls that overlap each gets its own value, each has its effect once, and their `seq`s follow the order of asking.",
        "`Promise.all` would hand out answers of others.",
    ),
    rule(
        "HOST-CALL-08",
        Severity::Must,
        "gives each call a key of its own",
        "A connector is given an idempotency key of 1 to 128 printable ASCII characters with each call; no two calls have the same.",
        "A connector that recognises repeats by their key would take a new call for an old one.",
    ),
    rule(
        "HOST-CALL-09",
        Severity::Must,
        "drops what a failed call wrote",
        "State that a connector writes in a call that fails is not kept.",
        "Half of an effect is left that no journal knows and no rollback undoes.",
    ),
    rule(
        "HOST-STEP-01",
        Severity::Must,
        "records a step once",
        "`codemode.step` gives the value of the first time in every later pass, whether its closure is synchronous or not.",
        "What was shown for approval is not what happens.",
    ),
    rule(
        "HOST-STEP-02",
        Severity::Must,
        "does nothing of a step again",
        "Calls inside of a recorded step have their effect once, however many passes follow.",
        "Each approval would repeat them.",
    ),
    rule(
        "HOST-STEP-03",
        Severity::Must,
        "keeps the failure of a step",
        "A step that threw throws the same in later passes, and code that caught it goes on.",
        "The code takes another branch than the one that was approved.",
    ),
];
