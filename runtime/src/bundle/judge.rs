//! From what a replay came to, the verdict: a pure function of the bundle and the end of the replay.

use super::rewind::Recorded;
use super::verdict::{Difference, Place, Verdict};
use crate::durable::execution::Status;
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::id::Op;
use crate::durable::journal::{Entry, Request};
use crate::durable::json::{cut, first_difference};
use crate::durable::value::Json;
use crate::pass::{Asking, PlayEnd, words};

/// Judges one replay. `entries` are the bundle's own; `asks` is how often the code asked.
pub(super) fn judge(recorded: &Recorded, entries: &[Entry], asks: u32, end: PlayEnd) -> Verdict {
    let place = |op: Op, why: String| Place { op, seq: entry(entries, op).and_then(|e| e.seq), why };
    match end {
        PlayEnd::Fresh(Asking { op, words }) if recorded.is_open() => {
            let why = format!("the record ends here: the code goes on with {words}{}", because(recorded));
            Verdict::EndsEarly(place(op, why))
        }
        PlayEnd::Fresh(asking) => {
            let why = "the code asks for something more than is recorded".to_owned();
            diverged(place(asking.op, why), ended_as(recorded), asking.words, Some(LONGER))
        }
        PlayEnd::Unanswered(op) => unanswered(recorded, entries, place(op, String::new())),
        PlayEnd::Undelivered(op) => undelivered(recorded, entries, place(op, String::new())),
        PlayEnd::Ended { status, result, error, asking } => {
            let came = Came { status, result, error };
            if is_same(recorded, &came) {
                return Verdict::Same;
            }
            if let Some(error) = came.error.as_ref().filter(|e| e.kind == ErrorKind::Divergence) {
                let op = asking.as_ref().map_or(Op(asks), |a| a.op);
                let expected = entry(entries, op).map_or_else(|| ANSWERS_FIRST.to_owned(), asked_as);
                let actual = asking.map_or_else(|| "the end of the code, or of its way so far".to_owned(), |a| a.words);
                return diverged(place(op, error.message.clone()), expected, actual, error.hint.as_deref());
            }
            match recorded {
                Recorded::Open => {
                    let why = format!("the record ends here: the code came to its end, {}", came.words());
                    Verdict::EndsEarly(place(Op(asks), why))
                }
                Recorded::Cut(_) => {
                    Verdict::EndsEarly(place(Op(asks), format!("the record ends here{}", because(recorded))))
                }
                _ => {
                    let why = format!("the code comes to another end{}", difference(recorded, &came));
                    diverged(place(Op(asks), why), ended_as(recorded), came.words(), None)
                }
            }
        }
    }
}

const ANSWERS_FIRST: &str = "the answers that are recorded, before anything new";
const LONGER: &str = "the code takes a longer path than in the recorded run";

/// The longest value in words, in UTF-16 code units.
const SHOWN: usize = 300;

/// How the replay ended, as the record would have it.
struct Came {
    status: Status,
    result: Option<Json>,
    error: Option<CodeError>,
}

impl Came {
    fn words(&self) -> String {
        match (&self.error, self.status) {
            (Some(error), _) => error_words(error),
            (None, Status::Paused) => PAUSED.to_owned(),
            (None, _) => completed(self.result.as_ref()),
        }
    }
}

const PAUSED: &str = "paused: waiting for a person";

fn completed(result: Option<&Json>) -> String {
    words("completed with", Some(result.map_or("undefined", Json::as_str)))
}

fn error_words(error: &CodeError) -> String {
    let place = error.line.zip(error.column).map_or_else(String::new, |(l, c)| format!(" (line {l}, column {c})"));
    format!("error[{}]: {}: {}{place}", error.kind.as_str(), cut(&error.name, SHOWN), cut(&error.message, SHOWN))
}

/// The recorded end in words.
fn ended_as(recorded: &Recorded) -> String {
    match recorded {
        Recorded::Completed(result) => completed(result.as_ref()),
        Recorded::Paused => PAUSED.to_owned(),
        Recorded::Failed(error) | Recorded::Cut(error) => error_words(error),
        Recorded::CompletedOrPaused => "completed with undefined, or paused (it was rolled back)".to_owned(),
        Recorded::Open => "the end of the record".to_owned(),
    }
}

fn asked_as(entry: &Entry) -> String {
    words(&entry.request.title(), entry.request.args().map(Json::as_str))
}

fn because(recorded: &Recorded) -> String {
    match recorded {
        Recorded::Cut(error) => format!("; the host ended the recorded pass: {}", cut(&error.message, SHOWN)),
        _ => String::new(),
    }
}

fn entry(entries: &[Entry], op: Op) -> Option<&Entry> {
    entries.get(usize::try_from(op.0).ok()?)
}

fn diverged(at: Place, expected: String, actual: String, hint: Option<&str>) -> Verdict {
    Verdict::Diverged(Box::new(Difference { at, expected, actual, hint: hint.map(str::to_owned) }))
}

/// The code waits for what nobody can answer here.
fn unanswered(recorded: &Recorded, entries: &[Entry], place: Place) -> Verdict {
    let Some(entry) = entry(entries, place.op) else {
        let why = "the code waits for something that is not recorded".to_owned();
        return Verdict::EndsEarly(Place { why, ..place });
    };
    let title = cut(&entry.request.title(), SHOWN).into_owned();
    let is_timer = matches!(entry.request, Request::Sleep { .. });
    // Whatever the recorded pass came to, it did not wait for this timer.
    if is_timer && !recorded.is_open() {
        let why = format!("the code waits for {title}, which had not fired in the recorded run");
        return diverged(Place { why, ..place }, ended_as(recorded), format!("waiting for {title}"), None);
    }
    let what = if entry.is_ephemeral() {
        "its result is never recorded (it is read again in each pass)"
    } else if entry.decision.is_some() {
        "it is approved and was not performed yet"
    } else {
        "it has no recorded answer"
    };
    let why = format!("the record ends here: the code waits for {title}; {what}{}", because(recorded));
    Verdict::EndsEarly(Place { why, ..place })
}

/// An answer is due that the recorded pass did not deliver.
fn undelivered(recorded: &Recorded, entries: &[Entry], place: Place) -> Verdict {
    let title = entry(entries, place.op).map_or_else(String::new, |e| cut(&e.request.title(), SHOWN).into_owned());
    let is_recorded = entry(entries, place.op).is_some_and(|e| e.answer.is_some());
    if is_recorded || recorded.is_open() {
        let why = format!("the record ends here: {title} is answered, but no recorded pass got the answer");
        return Verdict::EndsEarly(Place { why, ..place });
    }
    let why = format!("{title} ends, and had not ended in the recorded run");
    diverged(Place { why, ..place }, ended_as(recorded), format!("the end of {title}"), None)
}

fn is_same(recorded: &Recorded, came: &Came) -> bool {
    match (recorded, came.status, &came.error) {
        (Recorded::Completed(result), Status::Completed, None) => same_value(result.as_ref(), came.result.as_ref()),
        (Recorded::Paused | Recorded::CompletedOrPaused, Status::Paused, None) => true,
        (Recorded::CompletedOrPaused, Status::Completed, None) => came.result.is_none(),
        (Recorded::Failed(a) | Recorded::Cut(a), _, Some(b)) => same_error(a, b),
        _ => false,
    }
}

fn same_value(a: Option<&Json>, b: Option<&Json>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b || a.canonical() == b.canonical(),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// The stack, the line and the hint are for people, and may be put in other words by another version.
fn same_error(a: &CodeError, b: &CodeError) -> bool {
    let place = |e: &CodeError| (e.line, e.column);
    a.kind == b.kind
        && a.name == b.name
        && a.message == b.message
        && place(a) == place(b)
        && same_value(a.value.as_ref(), b.value.as_ref())
}

/// Where two results differ first.
fn difference(recorded: &Recorded, came: &Came) -> String {
    let (Recorded::Completed(Some(a)), Some(b)) = (recorded, &came.result) else { return String::new() };
    match first_difference(&a.canonical(), &b.canonical()) {
        Some(path) if !path.is_empty() => format!(": the result differs at {path}"),
        _ => ": the result differs".to_owned(),
    }
}

#[cfg(test)]
mod tests;
