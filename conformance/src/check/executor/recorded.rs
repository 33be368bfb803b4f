//! Recorded executions, replayed: what was journaled in one executor goes on in this one.

use codemode_runtime::Limits;
use codemode_runtime::bundle::{self, ReadLimits, Report, Verdict};
use codemode_runtime::durable::failure::ErrorKind;

use super::Check;
use super::subject::Subject;
use crate::check::trial::Trial;

pub(super) const CHECKS: &[(&str, Check, &str)] = &[("EXEC-REPLAY-01", replays, "")];

/// The records, each with the verdict that its replay comes to. None of them depends on how numbers are drawn from a seed:
/// that is the executor's own.
const RECORDS: [(&str, &str, &[u8]); 15] = [
    ("approved", "same", include_bytes!("../../../bundles/1/approved.jsonl")),
    ("caught-and-thrown", "same", include_bytes!("../../../bundles/1/caught-and-thrown.jsonl")),
    ("discovery", "same", include_bytes!("../../../bundles/1/discovery.jsonl")),
    ("diverged", "same", include_bytes!("../../../bundles/1/diverged.jsonl")),
    ("in-doubt", "ends_early", include_bytes!("../../../bundles/1/in-doubt.jsonl")),
    ("live-read", "ends_early", include_bytes!("../../../bundles/1/live-read.jsonl")),
    ("never-settles", "same", include_bytes!("../../../bundles/1/never-settles.jsonl")),
    ("paused", "same", include_bytes!("../../../bundles/1/paused.jsonl")),
    ("rejected", "same", include_bytes!("../../../bundles/1/rejected.jsonl")),
    ("resolved", "ends_early", include_bytes!("../../../bundles/1/resolved.jsonl")),
    ("rolled-back", "same", include_bytes!("../../../bundles/1/rolled-back.jsonl")),
    ("running", "ends_early", include_bytes!("../../../bundles/1/running.jsonl")),
    ("syntax", "same", include_bytes!("../../../bundles/1/syntax.jsonl")),
    ("too-many-calls", "ends_early", include_bytes!("../../../bundles/1/too-many-calls.jsonl")),
    ("values", "same", include_bytes!("../../../bundles/1/values.jsonl")),
];

fn replays(subject: &Subject, trial: &mut Trial) {
    for (name, wanted, bytes) in RECORDS {
        trial.case_of("", name, replayed(subject, bytes, wanted));
    }
}

fn replayed(subject: &Subject, bytes: &[u8], wanted: &str) -> Result<(), String> {
    let bundle = bundle::read(bytes, &ReadLimits::default()).map_err(|error| error.to_string())?;
    let executor = subject.executor().clone();
    let runtime = executor.runtime();
    let report = runtime.block_on(bundle::replay(executor, &bundle, &Limits::default()));
    let report = report.map_err(|error| error.to_string())?;
    // Where exactly an error was thrown is for people: engines count columns in ways of their own.
    let thrown = bundle.standing.error.as_ref().is_some_and(|error| error.kind == ErrorKind::Thrown);
    let same_asks = thrown && report.asks == report.recorded;
    if report.verdict.as_str() == wanted || same_asks { Ok(()) } else { Err(told(&report)) }
}

fn told(report: &Report) -> String {
    match &report.verdict {
        Verdict::Same => "it replays to its end, and the record has none".to_owned(),
        Verdict::EndsEarly(place) => format!("at op {}: {}", place.op, place.why),
        Verdict::Diverged(difference) => format!(
            "at op {}: {}; recorded is {}, and the code did {}",
            difference.at.op, difference.at.why, difference.expected, difference.actual
        ),
    }
}
