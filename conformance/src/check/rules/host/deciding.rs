//! Replay, approval, rejection, rollback, limits, and all of it together.

use super::rule;
use crate::check::rule::{Rule, Severity};

pub(super) const RULES: [Rule; 39] = [
    rule(
        "HOST-REPLAY-01",
        Severity::Must,
        "answers recorded calls from the journal",
        "A read that was performed in one pass gives the same value in all later ones, and is not performed again.",
        "The code decides anew on new data after a person decided on the old.",
    ),
    rule(
        "HOST-REPLAY-02",
        Severity::Must,
        "performs re-executed reads again",
        "A method with the policy `reexecute` is performed in each pass, and the code gets the new value.",
        "Large reads are marked so because nothing is kept of them; there is nothing to answer from.",
    ),
    rule(
        "HOST-REPLAY-03",
        Severity::Must,
        "has each effect once over all passes",
        "Effects before, between and after two approvals happen once each, in the pass that reaches them first, under one \
         `executionId`.",
        "That nothing happens twice is what durable means.",
    ),
    rule(
        "HOST-REPLAY-04",
        Severity::Must,
        "stops code that is not what was recorded",
        "Code that asks for another method, other arguments, a step instead of a call, or nothing where something is recorded, \
         ends as an error; neither that call nor any later one is performed, even when it catches, and nothing is pending.",
        "An approval for one thing would be used for another.",
    ),
    rule(
        "HOST-REPLAY-05",
        Severity::Must,
        "replays a race with its winner",
        "`Promise.race` is won by the same call in a later pass as in the first, however fast the answers come then.",
        "The code goes the other way after an approval, and diverges or does the wrong thing.",
    ),
    rule(
        "HOST-REPLAY-06",
        Severity::Must,
        "replays answers in their order",
        "Chains of calls at the same time, where the next call depends on whose answer came first, replay exactly.",
        "Parallel code could not be paused.",
    ),
    rule(
        "HOST-REPLAY-07",
        Severity::Should,
        "repeats time and randomness of the code",
        "`Date.now()`, `new Date()`, `Math.random()` and `crypto.randomUUID()` give in a later pass what they gave in the first.",
        "Code that uses them outside of a step fails after each approval.",
    ),
    rule(
        "HOST-REPLAY-08",
        Severity::Must,
        "replays a failure as it was",
        "A call that failed is not performed again in a later pass; the code catches the recorded failure.",
        "A second try that succeeds leads the code another way than the one that was approved.",
    ),
    rule(
        "HOST-APPROVE-01",
        Severity::Must,
        "pauses before what needs approval",
        "A call of a method that requires approval gives an outcome with `status` `paused`, no `result`, and the call in `pending` with \
         `executionId`, `seq`, `connector`, `method`, `args` and `digest`; `pending` says the same; it has no effect yet.",
        "It is the promise that a person is asked first.",
    ),
    rule(
        "HOST-APPROVE-02",
        Severity::Must,
        "goes on after approval",
        "Approving what is pending performs it once and runs the code to its end, under the same id.",
        "Approved work would be lost.",
    ),
    rule(
        "HOST-APPROVE-03",
        Severity::Must,
        "takes an approval for what was shown only",
        "A digest that is not the pending call's is refused, with everything else in the same approval; nothing happens and the calls \
         stay pending. Calls that differ have digests that differ.",
        "What a person saw and what is done would be two things.",
    ),
    rule(
        "HOST-APPROVE-04",
        Severity::Must,
        "refuses to approve what does not wait",
        "Approving a seq that is not there, no calls, a call that was approved before or an execution that ended is refused, an \
         unknown execution with `not-found`; nothing changes.",
        "A second click performs a call a second time.",
    ),
    rule(
        "HOST-APPROVE-05",
        Severity::Must,
        "shows everything that waits",
        "Calls that wait at the same time are all pending at once, by `seq`, in the outcome and from `pending`.",
        "A person decides one by one what belongs together, and waits for a pass in between.",
    ),
    rule(
        "HOST-APPROVE-06",
        Severity::Must,
        "performs exactly what was approved",
        "Of three pending calls, those that are approved are performed in the next pass and the others stay pending.",
        "Consent to one thing is not consent to all.",
    ),
    rule(
        "HOST-APPROVE-07",
        Severity::Should,
        "lists what waits, newest execution first",
        "`pending` without an id has the calls of all paused executions, of the newest execution first, by `seq` inside one.",
        "People look at the top of a list.",
    ),
    rule(
        "HOST-APPROVE-08",
        Severity::Must,
        "lists nothing that does not wait",
        "An execution that completed or failed, and one that is not known, has no pending calls.",
        "People are asked for what cannot happen any more.",
    ),
    rule(
        "HOST-APPROVE-09",
        Severity::Must,
        "gives code no way around approval",
        "Code that catches, uses `finally`, does not await, adds members to the arguments or calls the method in other ways is \
         paused all the same, and nothing behind the pause happens; code has no operation that approves.",
        "A model would approve its own calls.",
    ),
    rule(
        "HOST-APPROVE-10",
        Severity::Should,
        "remembers who approved",
        "`approvedBy` of an approved call is the `actor` of the decision.",
        "Afterwards somebody asks who allowed it.",
    ),
    rule(
        "HOST-REJECT-01",
        Severity::Must,
        "ends an execution that is rejected",
        "Rejecting a pending call gives true; then nothing is pending, the call cannot be approved and never happens.",
        "A no would be a not yet.",
    ),
    rule(
        "HOST-REJECT-02",
        Severity::Must,
        "leaves what was done when it is rejected",
        "Effects from before the rejected call stay, and nothing is undone.",
        "Undoing is a decision of its own.",
    ),
    rule(
        "HOST-REJECT-03",
        Severity::Must,
        "rejects only what waits",
        "Rejecting a seq that is not pending, or a call of an execution that ended or is not known, is not true and changes nothing.",
        "A slip of the finger ends work that goes well.",
    ),
    rule(
        "HOST-REJECT-04",
        Severity::Must,
        "ends everything that waits with it",
        "Rejecting one of several pending calls withdraws the others; none of them happens, before or after.",
        "The rest of an execution would happen without the part that was refused.",
    ),
    rule(
        "HOST-ROLLBACK-01",
        Severity::Must,
        "undoes the newest first",
        "`rollback` reverts each applied call, the newest first, and reports them in that order as `reverted`; the status is \
         `rolled_back`.",
        "What depends on something must go before it.",
    ),
    rule(
        "HOST-ROLLBACK-02",
        Severity::Must,
        "undoes nothing twice",
        "A second rollback reverts nothing, and the status stays.",
        "Undoing twice is an effect of its own.",
    ),
    rule(
        "HOST-ROLLBACK-03",
        Severity::Must,
        "tells what it could not undo",
        "A call whose method is not revertible is reported as `no_revert`, one whose revert failed as `failed` with the reason; the \
         others are reverted all the same.",
        "People believe that everything is undone.",
    ),
    rule(
        "HOST-ROLLBACK-04",
        Severity::Must,
        "ends a paused execution that is rolled back",
        "What it did is undone, nothing is pending, and its calls cannot be approved any more.",
        "An approval that comes late revives what was undone.",
    ),
    rule(
        "HOST-ROLLBACK-05",
        Severity::Must,
        "changes nothing where nothing is to be undone",
        "An execution without effects keeps its status; an unknown one is `not-found`.",
        "A record that says rolled back would be wrong.",
    ),
    rule(
        "HOST-ROLLBACK-06",
        Severity::Must,
        "tries only what is left",
        "A rollback after one in which a revert failed tries that call again, and not those that are undone.",
        "A failure for a moment would leave an effect for good.",
    ),
    rule(
        "HOST-LIMIT-01",
        Severity::Must,
        "takes a source of 1,000,000 characters and no more",
        "Code of exactly 1,000,000 UTF-16 code units runs; one more gives an outcome with `status` `error` and an empty \
         `executionId`, and nothing runs.",
        "Whoever counts bytes refuses other languages early; whoever does not count fills the store.",
    ),
    rule(
        "HOST-LIMIT-02",
        Severity::Must,
        "takes arguments of 1,000,000 characters and no more",
        "Arguments of exactly 1,000,000 UTF-16 code units as JSON are performed; one more ends the execution as an error, and the \
         connector is not asked.",
        "What cannot be recorded must not happen.",
    ),
    rule(
        "HOST-LIMIT-03",
        Severity::Must,
        "takes results of 1,000,000 characters and no more",
        "A call's result of exactly 1,000,000 UTF-16 code units as JSON is given; one more ends the execution as an error, even when the \
         code catches.",
        "A replay would have nothing to answer with.",
    ),
    rule(
        "HOST-LIMIT-04",
        Severity::Must,
        "takes steps of 1,000,000 characters and no more",
        "A step's value of exactly 1,000,000 UTF-16 code units as JSON is recorded; one more ends the execution as an error that \
         names the limit.",
        "Data is cut off, or the store fills.",
    ),
    rule(
        "HOST-LIMIT-05",
        Severity::Should,
        "takes values of 512 levels and no more",
        "An argument that is nested 512 levels deep is carried; 513 is refused.",
        "Deep values exhaust the stacks of whoever reads them.",
    ),
    rule(
        "HOST-LIMIT-06",
        Severity::Must,
        "ends code that takes all memory",
        "Code that would hold two gigabytes ends as an error; what it did before stays, and the host goes on.",
        "One execution takes the machine down with all the others.",
    ),
    rule(
        "HOST-LAW-01",
        Severity::Must,
        "runs any program as if it never paused",
        "Programs drawn from the seed (effects, steps, failures, sequences at the same time, calls that wait), approved some at a time \
         in any order, give the value and have the effects that they would have without a pause, each once.",
        "Rules one by one do not show what happens in company.",
    ),
    rule(
        "HOST-LAW-02",
        Severity::Must,
        "undoes any program at any point",
        "Programs drawn from the seed, rolled back after any number of approvals, have nothing left, undone newest first.",
        "Rollback is for when something went wrong, which is never where one expected it.",
    ),
    rule(
        "HOST-RESTART-01",
        Severity::Must,
        "goes on after it lost its memory",
        "After a restart the same calls are pending; approving them completes the execution with what was recorded before.",
        "People decide days later.",
    ),
    rule(
        "HOST-RESTART-02",
        Severity::Must,
        "rejects and undoes after it lost its memory",
        "After a restart a pending call can be rejected; after another one what was done can be rolled back.",
        "What was begun can be ended wherever it goes on.",
    ),
    rule(
        "HOST-RESTART-03",
        Severity::Must,
        "runs any program over restarts",
        "The programs of HOST-LAW-01, with a restart at each pause, come to the same.",
        "Memory that stands in for the store shows only here.",
    ),
];
