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
pub(super) static RULES: [Rule; 20] = [
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
        "Every import is `codemode:component/state`, `codemode:component/config` or a WASI 0.2 base interface.",
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
        "Two fresh instances give equal descriptions.",
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
        "CONN-KEY-01",
        Severity::Must,
        "recognises a repeat where it says so",
        "A method that is repeatable `with-key` or `always`, called twice with one idempotency key, leaves the state that one \
         call leaves.",
        "After a crash a host performs such a call again without asking anybody.",
    ),
    rule(
        "CONN-REVERT-01",
        Severity::Must,
        "undoes what it says it can undo",
        "After a call and its revert, the state of a revertible method is what it was before the call.",
        "Rollback reports the call as undone.",
    ),
    rule(
        "CONN-REVERT-02",
        Severity::Must,
        "undoes only once",
        "A second revert of the same call changes nothing and does not trap.",
        "A crash between a revert and its record makes the host revert again.",
    ),
    rule(
        "CONN-HOOK-01",
        Severity::Must,
        "bears hooks at any time",
        "Hooks for executions that it never saw, and hooks that come twice, do not trap and change nothing the second time.",
        "Hooks come at least once, after crashes and rollbacks too.",
    ),
];
