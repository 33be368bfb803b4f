//! The end of a pass: which status it leaves, what happens to the entries that are still open, which hooks are due.

use super::execution::{Execution, Status};
use super::failure::CodeError;
use super::id::Op;
use super::journal::{EntryState, Request, Rerun};
use super::json::cut;
use super::limits::Limits;
use super::replay::Replay;
use super::value::Json;
use super::write::{Hook, HookKind, Move, Write};

/// How a pass came to its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The code's promise was fulfilled; `None` is `undefined`.
    Fulfilled(Option<Json>),
    /// The code failed, or the host ended the pass with an error.
    Failed(CodeError),
    /// Only a person can go on.
    Paused,
}

/// Which hooks a connector wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookWish {
    /// Its name.
    pub connector: String,
    /// Which of the two.
    pub kinds: Vec<HookKind>,
}

/// What the end of a pass leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Finish {
    /// The status.
    pub status: Status,
    /// Why, when it is `error`.
    pub error: Option<CodeError>,
    /// Everything to be written, in one batch.
    pub writes: Vec<Write>,
}

/// A pass that is over.
#[derive(Clone, Debug)]
pub struct PassEnd<'a> {
    /// How it came to its end.
    pub ended: Ended,
    /// Armed timers, with the milliseconds they have left.
    pub timers_left: &'a [(Op, u64)],
    /// Its console lines, as far as they are not written yet.
    pub logs: Vec<String>,
    /// Epoch milliseconds.
    pub at: u64,
}

/// Ends a pass: what its execution becomes, and everything that is to be written.
#[must_use]
pub fn finish(
    replay: &Replay,
    execution: &Execution,
    end: PassEnd<'_>,
    wishes: &[HookWish],
    limits: &Limits,
) -> Finish {
    let PassEnd { ended, timers_left, logs, at } = end;
    let (status, result, error) = match ended {
        // Fulfilled beside a pending call: the result is provisional, the next pass makes it again.
        Ended::Fulfilled(_) if replay.waits() => (Status::Paused, None, None),
        Ended::Paused => (Status::Paused, None, None),
        Ended::Fulfilled(result) => (Status::Completed, result.map(|r| recordable_result(r, limits)), None),
        Ended::Failed(error) => (Status::Error, None, Some(error)),
    };
    let mut writes = Vec::new();
    if status == Status::Paused {
        writes.extend(timers_left.iter().map(|&(op, remaining_ms)| Write::TimerLeft { op, remaining_ms }));
    }
    close_entries(replay, status, at, &mut writes);
    if !logs.is_empty() {
        writes.push(Write::Logged { lines: logs });
    }
    let hooks = due_hooks(wishes, execution.pass, status);
    // Hooks run under the ownership of the pass, before the next one may start.
    let owner = execution.owner.filter(|_| !hooks.is_empty());
    writes.extend(hooks);
    writes.push(Write::Moved(Box::new(Move {
        status,
        pass: execution.pass,
        token: execution.token,
        owner,
        result,
        error: error.clone().map(|e| recordable_error(e, limits)),
        at,
    })));
    Finish { status, error, writes }
}

/// The hooks that a status makes due: `pass_ended` for each end of a pass, `execution_ended` for a terminal one.
#[must_use]
pub fn due_hooks(wishes: &[HookWish], pass: u32, status: Status) -> Vec<Write> {
    let due = |kind: HookKind| {
        wishes
            .iter()
            .filter(move |w| w.kinds.contains(&kind))
            .map(move |w| Write::HookDue(Hook { id: 0, kind, connector: w.connector.clone(), pass, status }))
    };
    let mut hooks: Vec<Write> = due(HookKind::PassEnded).collect();
    if status.is_terminal() {
        hooks.extend(due(HookKind::ExecutionEnded));
    }
    hooks
}

/// A call that was begun may have happened, also beside a pause: an executor can give up before its answer. What never
/// began, timers and steps did not happen; after a pause they go on.
fn close_entries(replay: &Replay, status: Status, at: u64, writes: &mut Vec<Write>) {
    let over = status != Status::Paused;
    for entry in replay.entries() {
        let state = match (entry.state, &entry.request) {
            (EntryState::Executing, Request::Call { .. } | Request::Fetch { .. })
                if replay.may_have_happened(entry.op) =>
            {
                EntryState::Unknown
            }
            (EntryState::Executing | EntryState::Pending, _) if over => EntryState::Withdrawn,
            _ => continue,
        };
        writes.push(Write::Answered {
            op: entry.op,
            from: OPEN,
            state,
            answer: None,
            rerun: Rerun::No,
            at,
            event: None,
        });
    }
}

const OPEN: &[EntryState] = &[EntryState::Executing, EntryState::Pending];

/// The result as the record keeps it (LIMIT-09): a note in place of one that is too large.
fn recordable_result(result: Json, limits: &Limits) -> Json {
    if result.units() <= u64::from(limits.value_units) {
        return result;
    }
    Json::string(&format!(
        "result omitted from the audit trail: {} characters, the limit is {}; the caller got the real value",
        result.units(),
        limits.value_units
    ))
}

/// Error texts are cut when stored (LIMIT-10).
fn recordable_error(error: CodeError, limits: &Limits) -> CodeError {
    let units = limits.value_units as usize;
    CodeError { message: cut(&error.message, units).into_owned(), ..error }
}
