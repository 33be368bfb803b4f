//! The choice for one ask: what the journal says about it, before anything else is looked at. A pure function of the
//! recorded row and the request, small enough for a truth table.

use super::failure::{CodeError, ErrorKind};
use super::id::Seq;
use super::journal::{Approval, Entry, EntryState, Request, Rerun};
use super::json::first_difference;
use super::value::Json;

/// What to do with an ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The journal has nothing here: it is asked for the first time.
    Fresh,
    /// Answer with the recorded value or failure.
    Replay,
    /// Run the step's closure again, and answer with the recorded outcome all the same.
    RunAgain,
    /// Perform once more: an ephemeral result, an approved call, or one that was interrupted and may be repeated.
    Perform,
    /// Wait for a person's consent.
    StayPending,
    /// Wait for a person to say whether it happened.
    StayUnknown,
    /// The code asks for something else than the journal has.
    Diverge(Divergence),
}

/// How an ask differs from the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// Another kind, connector or method.
    Target {
        /// The recorded call's seq, where it has one.
        seq: Option<Seq>,
        /// What was recorded.
        expected: String,
        /// What was asked.
        actual: String,
    },
    /// Other arguments.
    Arguments {
        /// The recorded call's seq, where it has one.
        seq: Option<Seq>,
        /// What was recorded and asked.
        title: String,
        /// Where they differ first, such as `.who`; `None`: one of them is absent.
        path: Option<String>,
    },
    /// Something new while recorded answers are still to be delivered.
    Early {
        /// What was asked.
        actual: String,
    },
    /// The code went on without asking for what is recorded.
    NotReached {
        /// The recorded call's seq, where it has one.
        seq: Option<Seq>,
        /// What was recorded.
        expected: String,
    },
}

/// Decides one ask. The recorded row governs: its terms, not what the connector declares now (REPLAY-16).
#[must_use]
pub fn decide(recorded: Option<&Entry>, request: &Request) -> Verdict {
    let Some(entry) = recorded else { return Verdict::Fresh };
    if let Some(divergence) = compare(entry, request) {
        return Verdict::Diverge(divergence);
    }
    match entry.state {
        EntryState::Applied if entry.is_ephemeral() => Verdict::Perform,
        EntryState::Applied | EntryState::Failed if entry.rerun == Rerun::Yes => Verdict::RunAgain,
        EntryState::Applied | EntryState::Failed => Verdict::Replay,
        EntryState::Pending if entry.decision.is_some() => Verdict::Perform,
        EntryState::Pending => Verdict::StayPending,
        // A timer or a step that did not end is begun again; a call only where its class allows that.
        EntryState::Executing | EntryState::Unknown
            if !matches!(request, Request::Call { .. } | Request::Fetch { .. }) || entry.terms.may_repeat() =>
        {
            Verdict::Perform
        }
        EntryState::Executing | EntryState::Unknown => Verdict::StayUnknown,
        // A withdrawn, reverted or unrecordable entry belongs to an execution that does not run again.
        EntryState::Unrecordable | EntryState::Reverting | EntryState::Reverted | EntryState::Withdrawn => {
            Verdict::StayUnknown
        }
    }
}

/// Whether a fresh call waits for a person.
#[must_use]
pub fn waits_for_approval(entry: &Entry) -> bool {
    entry.terms.approval == Approval::Required && entry.decision.is_none()
}

fn compare(entry: &Entry, request: &Request) -> Option<Divergence> {
    if entry.request == *request {
        return None;
    }
    let same_kind = std::mem::discriminant(&entry.request) == std::mem::discriminant(request);
    // Two timers differ in nothing but their time, which is in their titles.
    let is_timer = matches!(request, Request::Sleep { .. });
    if !same_kind || is_timer || entry.request.path() != request.path() {
        return Some(Divergence::Target { seq: entry.seq, expected: entry.request.title(), actual: request.title() });
    }
    let path = match (entry.request.args(), request.args()) {
        (Some(a), Some(b)) if same_value(a, b) => return None,
        (Some(a), Some(b)) => first_difference(&a.canonical(), &b.canonical()),
        _ => None,
    };
    Some(Divergence::Arguments { seq: entry.seq, title: request.title(), path })
}

/// By value, independent of the order of members (REPLAY-06).
fn same_value(a: &Json, b: &Json) -> bool {
    a == b || a.canonical() == b.canonical()
}

impl Divergence {
    /// The error that ends the execution.
    #[must_use]
    pub fn into_error(self) -> CodeError {
        let at = |seq: &Option<Seq>| seq.map_or_else(String::new, |seq| format!(" at seq {seq}"));
        let (message, hint) = match &self {
            Self::Target { seq, expected, actual } => (
                format!("replay divergence{}: expected {expected}, the code asked for {actual}", at(seq)),
                "every pass must ask for the same things in the same order; take outside values (time, randomness, \
                 anything a step wrote to outer variables) from what a call or `codemode.step` returned",
            ),
            Self::Arguments { seq, title, path } => (
                format!(
                    "replay divergence{}: the arguments of {title} differ from the recorded run{}",
                    at(seq),
                    path.as_ref().map_or_else(|| " (one of them has none)".to_owned(), |p| format!(" at {p}"))
                ),
                "capture values that change between passes with `codemode.step` and use what it returned",
            ),
            Self::Early { actual } => (
                format!(
                    "replay divergence: the code asked for {actual} before it got all the answers it had got before"
                ),
                "the code took another path than in the recorded run; capture what changed with `codemode.step`",
            ),
            Self::NotReached { seq, expected } => (
                format!("replay divergence{}: the recorded call of {expected} was not reached", at(seq)),
                "the code took a shorter path than in the recorded run; a re-executed read may have answered differently",
            ),
        };
        CodeError::new(ErrorKind::Divergence, message).with_hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::super::journal::{Decision, Effect, ReplayPolicy, Terms};
    use super::super::replay::testing;
    use super::*;

    fn recorded(request: &Request, state: EntryState) -> Entry {
        Entry { state, ..testing::entry(request.clone()) }
    }

    fn call() -> Request {
        Request::Call { connector: "t".into(), method: "m".into(), args: None }
    }

    fn approved(entry: Entry) -> Entry {
        let decision = Decision { actor: "a".into(), channel: "t".into(), reason: None, at: 0 };
        Entry { decision: Some(decision), ..entry }
    }

    fn with_terms(entry: Entry, terms: Terms) -> Entry {
        Entry { terms, ..entry }
    }

    #[test]
    fn each_state_of_a_call_has_one_verdict() {
        use EntryState as S;
        let read = || Terms { effect: Effect::ReadOnly, ..Terms::default() };
        let live = || Terms { replay: ReplayPolicy::Reexecute, ..read() };
        let row = |state| recorded(&call(), state);
        let table = [
            (row(S::Applied), Verdict::Replay),
            (row(S::Failed), Verdict::Replay),
            (with_terms(row(S::Applied), live()), Verdict::Perform),
            (with_terms(row(S::Failed), live()), Verdict::Replay),
            (row(S::Pending), Verdict::StayPending),
            (approved(row(S::Pending)), Verdict::Perform),
            (row(S::Executing), Verdict::StayUnknown),
            (with_terms(row(S::Executing), read()), Verdict::Perform),
            (row(S::Unknown), Verdict::StayUnknown),
            (with_terms(row(S::Unknown), read()), Verdict::Perform),
            (row(S::Unrecordable), Verdict::StayUnknown),
            (row(S::Reverting), Verdict::StayUnknown),
            (row(S::Reverted), Verdict::StayUnknown),
            (row(S::Withdrawn), Verdict::StayUnknown),
        ];
        assert_eq!(decide(None, &call()), Verdict::Fresh);
        for (entry, verdict) in table {
            assert_eq!(decide(Some(&entry), &call()), verdict, "{entry:?}");
        }
    }

    #[test]
    fn steps_and_timers_that_did_not_end_are_begun_again() {
        for request in [Request::Step { name: "s".into() }, Request::Sleep { ms: 5 }] {
            assert_eq!(decide(Some(&recorded(&request, EntryState::Executing)), &request), Verdict::Perform);
        }
        let step = Request::Step { name: "s".into() };
        let rerun = Entry { rerun: Rerun::Yes, ..recorded(&step, EntryState::Applied) };
        assert_eq!(decide(Some(&rerun), &step), Verdict::RunAgain);
        assert_eq!(decide(Some(&recorded(&step, EntryState::Applied)), &step), Verdict::Replay);
    }
}
