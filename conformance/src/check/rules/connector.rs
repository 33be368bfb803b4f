//! What a connector component has to keep.

use crate::check::rule::{Rule, Severity, Subject};

const fn rule(
    id: &'static str,
    severity: Severity,
    title: &'static str,
    demands: &'static str,
    why: &'static str,
) -> Rule {
    Rule::first(Subject::Connector, id, severity, title, demands, why)
}

/// All, in the order in which they are tried.
pub(super) static RULES: [Rule; 37] = [
    rule(
        "CONN-LOAD-01",
        Severity::Must,
        "is a connector of this contract",
        "The file is a WebAssembly component that exports `codemode:component/methods` in a version that is linked here.",
        "A host refuses anything else before it runs a single instruction of it.",
    ),
    rule(
        "CONN-LOAD-02",
        Severity::Must,
        "imports nothing but what is granted",
        "Every import is `codemode:component/state`, `codemode:component/config` or a WASI 0.2 base interface; where http is \
         granted, also `wasi:http/types` and `wasi:http/outgoing-handler`.",
        "Whatever else it wants, no host links it, so the component cannot be started anywhere.",
    ),
    rule(
        "CONN-DESC-01",
        Severity::Must,
        "describes itself",
        "`describe` answers without state, without a trap and within its time, with at most 10,000 methods.",
        "A runtime with a connector that cannot be described does not start.",
    ),
    rule(
        "CONN-DESC-02",
        Severity::Must,
        "describes itself the same way each time",
        "Two instances say the same, one instance does when it is asked again, and so does one with another clock and \
         other random numbers.",
        "An approval names the contract a person saw; a description that changes makes every approval stale.",
    ),
    rule(
        "CONN-DESC-03",
        Severity::Must,
        "has names that can be called",
        "Every method name is an ASCII identifier of 1 to 128 characters that the language does not look up by itself, and \
         no two are the same.",
        "The code reaches a method as `connector.name(…)`; a name that cannot be written, or that is taken, is refused.",
    ),
    rule(
        "CONN-DESC-04",
        Severity::Must,
        "has schemas that are schemas",
        "Input and output schemas are valid JSON Schema of at most 1,000,000 bytes that refer to nothing outside of themselves.",
        "Models read them as types and hosts check arguments against them; a broken one leaves both blind.",
    ),
    rule(
        "CONN-DESC-05",
        Severity::Must,
        "never performs an approved call again by design",
        "No method combines `requires-approval` with `reexecute`.",
        "A replay would repeat what a person approved once.",
    ),
    rule(
        "CONN-DESC-06",
        Severity::Advice,
        "describes itself in few words",
        "The description of a method has at most 10,000 characters, the instructions at most 50,000; all schemas together \
         have at most 4,000,000 bytes.",
        "A model reads descriptions each time, and what it is shown is cut at a limit.",
    ),
    rule(
        "CONN-DESC-07",
        Severity::Advice,
        "lists its methods in the same order each time",
        "Descriptions that say the same list methods, origins and configuration keys in the same order.",
        "What a model is shown changes from start to start, and caches of prompts with it.",
    ),
    rule(
        "CONN-CALL-01",
        Severity::Must,
        "takes what its schemas allow",
        "A call with arguments that fit the input schema gives a value or a failure: no trap, within time and memory.",
        "A trap loses the reason, and a host must take the effect for possible: a person has to look at it.",
    ),
    rule(
        "CONN-CALL-02",
        Severity::Must,
        "gives JSON",
        "A value is one JSON text (RFC 8259), nested at most 512 levels.",
        "What cannot be journaled cannot be replayed; the call counts as failed although it had its effect.",
    ),
    rule(
        "CONN-CALL-03",
        Severity::Should,
        "gives what its schemas say",
        "A value fits the output schema of its method.",
        "The model writes code against the types that it is shown.",
    ),
    rule(
        "CONN-CALL-04",
        Severity::Must,
        "knows which methods it has not",
        "A method that is not declared fails with the code `unknown-method`.",
        "An older execution may ask for a method that is gone; the code has to be able to catch that.",
    ),
    rule(
        "CONN-CALL-05",
        Severity::Must,
        "refuses what its schemas forbid without falling over",
        "A call with arguments that do not fit gives a value or a failure, never a trap.",
        "A host may be told not to check arguments, and an attacker chooses them.",
    ),
    rule(
        "CONN-CALL-06",
        Severity::Must,
        "keeps nothing in memory",
        "The same calls give the same answers in one instance as in an instance each.",
        "Hosts start each call in a fresh instance; what was kept in memory is gone without a word.",
    ),
    rule(
        "CONN-CALL-07",
        Severity::Must,
        "bears large arguments",
        "An argument with a text of 900,000 characters gives a value or a failure, never a trap.",
        "Arguments may have up to 1,000,000 characters.",
    ),
    rule(
        "CONN-CALL-08",
        Severity::Should,
        "reads the same under the same clock and random numbers",
        "A method that is `read-only` or `reexecute` gives the same answer to the same call, with the same state, clock and \
         random numbers.",
        "A read that is performed again on replay, or in a test, is expected to show the same.",
    ),
    rule(
        "CONN-CALL-09",
        Severity::Advice,
        "gives JSON that every reader takes",
        "A value has no escape of half a surrogate pair, and at most 127 levels.",
        "JavaScript reads it, and so does a host; many other readers refuse it, in logs and in tools.",
    ),
    rule(
        "CONN-BOUND-01",
        Severity::Should,
        "computes little for small arguments",
        "A call with a small argument computes for at most 200 milliseconds.",
        "On a busy machine the same call takes many times as long, and is given up after its effect.",
    ),
    rule(
        "CONN-BOUND-02",
        Severity::Should,
        "needs little memory for small arguments",
        "A call with a small argument gets by with half of the memory that an instance may have.",
        "With an argument of ordinary size it runs out of memory, which is a trap.",
    ),
    rule(
        "CONN-BOUND-03",
        Severity::Must,
        "gives no more than can be kept",
        "A value that a call with small fitting arguments gives has at most 1,000,000 UTF-16 units of JSON.",
        "A larger one is not recorded, and ends the execution; say `too-large`, or give it in pages.",
    ),
    rule(
        "CONN-STATE-01",
        Severity::Must,
        "changes nothing where it says so",
        "A method declared `read-only` or `reexecute` writes no state.",
        "Such calls are repeated freely, and rollback does not undo them.",
    ),
    rule(
        "CONN-STATE-02",
        Severity::Must,
        "reports a state that cannot be reached",
        "When any one state operation fails, the call fails; it neither traps nor claims success.",
        "A call that swallows the fault tells the code that something was kept which was not.",
    ),
    rule(
        "CONN-STATE-03",
        Severity::Must,
        "bears a slow state",
        "When each state operation takes a minute by the connector's clock, a call gives a value or a failure: no trap.",
        "A store waits for its turn at times; that is no reason to fall over.",
    ),
    rule(
        "CONN-KEY-01",
        Severity::Must,
        "recognises a repeat where it says so",
        "A method that is repeatable `with-key` or `always`, called twice with one idempotency key, has the effect that \
         one call has: what the probes show, or else the state, or what the connector's own read-only methods give.",
        "After a crash a host performs such a call again without asking anybody.",
    ),
    rule(
        "CONN-KEY-02",
        Severity::Must,
        "refuses other arguments under the same key",
        "A method that is repeatable `with-key`, called again with the same idempotency key and other arguments, fails.",
        "The stored answer belongs to another question; whoever gets it believes that this one was done.",
    ),
    rule(
        "CONN-KEY-03",
        Severity::Must,
        "starts over after a call that was given up",
        "A call that is given up at one of its state operations leaves nothing, and the next attempt with the same key leaves \
         what one undisturbed call leaves.",
        "After a crash a host makes the second attempt, and nothing of the first was kept.",
    ),
    rule(
        "CONN-REVERT-01",
        Severity::Must,
        "undoes what it says it can undo",
        "After a call of a revertible method and its revert, what the probes show is what it was before the call. \
         Without a probe that saw the effect, the whole state is, or else what the connector's own read-only methods give.",
        "Rollback reports the call as undone.",
    ),
    rule(
        "CONN-REVERT-02",
        Severity::Must,
        "undoes only once",
        "A second revert of the same call changes nothing, and neither traps nor fails.",
        "A crash between a revert and its record makes the host revert again.",
    ),
    rule(
        "CONN-REVERT-03",
        Severity::Must,
        "undoes a call whose result nobody knows",
        "A revert with the result `unknown` leaves what a revert that knows the result leaves; it neither traps nor fails.",
        "When a host crashes during a call, the journal has no result, and rollback reverts the call all the same.",
    ),
    rule(
        "CONN-REVERT-04",
        Severity::Must,
        "undoes several calls",
        "Of two calls in one execution, reverting the second leaves what the first one left, and reverting the first leaves \
         what was there before. In the other order neither traps, and a failure has the code `conflict`.",
        "Rollback reverts the newest call first, and executions are rolled back in any order.",
    ),
    rule(
        "CONN-REVERT-05",
        Severity::Must,
        "undoes nothing where nothing happened",
        "A revert of a call that was never made changes nothing, and neither traps nor fails.",
        "The host may have crashed before the call began; nobody can know.",
    ),
    rule(
        "CONN-HTTP-01",
        Severity::Must,
        "asks only where it said",
        "The origins that `describe` declares are `https://host[:port]` or `http://host[:port]`, and every request goes to one of \
         them.",
        "The operator grants what was declared; anything else is denied, and looks like a connector that has been tampered with.",
    ),
    rule(
        "CONN-HTTP-02",
        Severity::Must,
        "bears a web that fails",
        "When one request fails, or is answered with an error or with nonsense, the call gives a failure or a value that fits \
         its output schema: no trap, within its time. When no request gets an answer and nothing is stored yet, the call fails.",
        "Networks fail every day; a call that hides it tells the code that something was done which was not.",
    ),
    rule(
        "CONN-HTTP-03",
        Severity::Must,
        "owns up to what may have happened",
        "When a request that changes something gets no answer, or only a part of one, a call that fails for it does not say that \
         it had no effect.",
        "Code and people repeat what had no effect, and then it happens twice.",
    ),
    rule(
        "CONN-HTTP-04",
        Severity::Must,
        "sends the same request for the same key",
        "A method that is repeatable `with-key`, called twice with one idempotency key from one state, sends the same requests \
         that change something: to the same places, with the same `Idempotency-Key`, or else with the same body.",
        "After a crash the second request is all that the other side sees; it can recognise a repeat only by what is the same.",
    ),
    rule(
        "CONN-HOOK-01",
        Severity::Must,
        "bears hooks at any time",
        "Hooks for executions that it never saw, and hooks that come twice, do not trap and change nothing the second time.",
        "Hooks come at least once, after crashes and rollbacks too.",
    ),
];
