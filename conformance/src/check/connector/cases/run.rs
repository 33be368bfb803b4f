//! Plays the user's cases, and says where what came differs from what was expected.

use std::fs;
use std::path::Path;

use codemode_runtime::ExecutionId;
use serde_json::{Value, json};

use super::super::Bench;
use super::super::cabinet::Cabinet;
use super::super::subject::{At, Came, Known, Subject};
use super::compare::differences;
use super::{Call, Case, Cases, Check, Expectation, Snapshots, Then};
use crate::check::report::{Finding, OwnCase, Verdict};
use crate::check::trial::{Deadline, Options, Stopwatch, over};

/// Plays the cases that are wanted, in their order.
pub(in crate::check::connector) fn run(
    bench: &Bench,
    subject: &Subject,
    cases: &Cases,
    (options, deadline): (&Options, Deadline),
) -> Vec<OwnCase> {
    let wanted = cases.cases.iter().filter(|case| options.wants_id(&case.id));
    let play = |case: &Case| {
        if deadline.is_over() {
            return OwnCase {
                is_cut: true,
                ..case.outcome(Verdict::NotCovered(over(options)), std::time::Duration::ZERO)
            };
        }
        let watch = Stopwatch::start();
        drop(subject.trace().take());
        let verdict = match (Playing { bench, subject, cases, state: Cabinet::default() }).play(case) {
            Ok(()) => Verdict::Pass,
            Err(what) => Verdict::Fail(vec![Finding { what, input: None, calls: subject.trace().take() }]),
        };
        case.outcome(verdict, watch.elapsed())
    };
    wanted.map(play).collect()
}

/// One case being played.
struct Playing<'a> {
    bench: &'a Bench,
    subject: &'a Subject,
    cases: &'a Cases,
    state: Cabinet,
}

impl Playing<'_> {
    fn play(&self, case: &Case) -> Result<(), String> {
        for (at, call) in case.setup.iter().enumerate() {
            let (_, came) = self.call(at, call);
            if !matches!(came, Came::Value(_)) {
                return Err(format!("setup {}, {}: {}", at + 1, call.method, came.told()));
            }
        }
        let (at, came) = self.call(case.setup.len(), &case.check.call);
        self.judge(&case.check, &came)?;
        if case.then == Then::Revert
            && let Came::Value(result) = &came
        {
            let Call { method, args } = &case.check.call;
            let null = Value::Null;
            let called = (method.as_str(), args.as_ref().unwrap_or(&null));
            let reverted = self.subject.revert(&self.state, &at, called, Known::Returned(result.as_deref()));
            self.bench.wait(reverted).map_err(|came| format!("revert of {method}: {}", came.told()))?;
        }
        for (number, check) in case.after.iter().enumerate() {
            let (_, came) = self.call(case.setup.len() + 1 + number, &check.call);
            let said = |what| format!("after {}, {}: {what}", number + 1, check.call.method);
            self.judge(check, &came).map_err(said)?;
        }
        Ok(())
    }

    fn call(&self, place: usize, call: &Call) -> (At, Came) {
        let seq = u32::try_from(place).unwrap_or(u32::MAX);
        let at = At { execution: ExecutionId::from_text("exec_case"), seq, attempt: 1 };
        let came = self.bench.wait(self.subject.call(&self.state, &at, &call.method, call.args.as_ref()));
        (at, came)
    }

    fn judge(&self, check: &Check, came: &Came) -> Result<(), String> {
        match (&check.expected, came) {
            (Expectation::AnyValue, Came::Value(_)) | (Expectation::NoValue, Came::Value(None)) => Ok(()),
            (Expectation::Value(expected), Came::Value(Some(text))) => {
                let given = read(text)?;
                tell("the value is not the expected one", expected, &given)
            }
            (Expectation::Failure { code, message }, Came::Failed(failure)) if failure.code == *code => match message {
                Some(part) if !failure.message.contains(part.as_str()) => {
                    Err(format!("the message of `{code}` should contain {part:?}; {}", came.told()))
                }
                _ => Ok(()),
            },
            (Expectation::Snapshot(file), Came::Value(_) | Came::Failed(_)) => self.compare(file, came),
            (Expectation::AnyValue | Expectation::Snapshot(_), _) => Err(format!("expected a value; {}", came.told())),
            (Expectation::NoValue, _) => Err(format!("expected no value; {}", came.told())),
            (Expectation::Value(value), _) => Err(format!("expected {value}; {}", came.told())),
            (Expectation::Failure { code, .. }, _) => Err(format!("expected to fail with `{code}`; {}", came.told())),
        }
    }

    /// Compares with a snapshot, or writes it.
    fn compare(&self, file: &Path, came: &Came) -> Result<(), String> {
        let given = match came {
            Came::Value(Some(text)) => json!({ "value": read(text)? }),
            Came::Failed(failure) => json!({ "error": { "code": failure.code, "message": failure.message } }),
            _ => json!({ "no_value": true }),
        };
        let path = self.cases.folder.join(file);
        let shown = path.display();
        if self.cases.snapshots == Snapshots::Write {
            let text = serde_json::to_string_pretty(&given).map_err(|error| error.to_string())?;
            let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
            return folder
                .and_then(|()| fs::write(&path, format!("{text}\n")))
                .map_err(|error| format!("the snapshot {shown} cannot be written: {error}"));
        }
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(format!("there is no snapshot {shown}; --bless writes what came: {}", came.told()));
            }
            Err(error) => return Err(format!("the snapshot {shown} cannot be read: {error}")),
        };
        let expected: Value =
            serde_json::from_str(&text).map_err(|error| format!("the snapshot {shown} is no JSON: {error}"))?;
        tell(&format!("the snapshot {shown} says something else (--bless writes it anew)"), &expected, &given)
    }
}

fn read(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("it gave a value that is no JSON: {error}"))
}

fn tell(what: &str, expected: &Value, given: &Value) -> Result<(), String> {
    let found = differences(expected, given);
    if found.is_empty() { Ok(()) } else { Err(format!("{what}:\n  {}", found.join("\n  "))) }
}
