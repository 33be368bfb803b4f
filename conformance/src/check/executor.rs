//! Checks an executor: a component of the world `executor`, or whatever else runs code behind the trait. Each case is one
//! run against a host that follows a script, so everything that the executor asks is seen, in its order.

mod asking;
mod clock;
mod ending;
mod errors;
mod language;
mod limits;
mod logging;
mod programs;
mod recorded;
mod script;
mod snippets;
mod stepping;
mod story;
mod subject;
mod tampering;
mod timers;
mod values;

use std::sync::Arc;

use codemode_runtime::ComponentExecutor;
use codemode_runtime::executor::{Executor, Ran};
use codemode_runtime::host::LoadError;

use super::Expected;
use super::report::{Checked, Report};
use super::rule::{Rule, Subject as Kind};
use super::trial::{Deadline, Options, Progress, Trace, Trial};
use subject::{Case, Subject};

/// How one rule is tried.
type Check = fn(&Subject, &mut Trial);

/// The rules of all subjects but those on the file itself, each with its check and what is missing where it tries nothing.
const CHECKS: [&[(&str, Check, &str)]; 14] = [
    ending::CHECKS,
    language::CHECKS,
    asking::CHECKS,
    programs::CHECKS,
    stepping::CHECKS,
    timers::CHECKS,
    snippets::CHECKS,
    values::CHECKS,
    limits::CHECKS,
    clock::CHECKS,
    tampering::CHECKS,
    logging::CHECKS,
    errors::CHECKS,
    recorded::CHECKS,
];

/// Checks an executor component. Blocks; takes seconds.
///
/// # Errors
/// When the machine cannot run components at all.
pub fn check_executor(
    name: &str,
    bytes: &[u8],
    expected: &Expected,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Report, String> {
    let engine = options.engine()?;
    let loaded = ComponentExecutor::load(&engine, bytes, name);
    let executor = loaded.map(|executor| -> Arc<dyn Executor> { Arc::new(executor) });
    Ok(checked(name, &Loaded::File(executor), expected, options, progress))
}

/// Checks an executor that is no component. What is said of the file itself is not tried.
pub fn check_running(
    name: &str,
    executor: Arc<dyn Executor>,
    expected: &Expected,
    options: &Options,
    progress: &mut dyn Progress,
) -> Report {
    checked(name, &Loaded::Running(executor), expected, options, progress)
}

/// What there is to be checked.
enum Loaded {
    File(Result<Arc<dyn Executor>, LoadError>),
    Running(Arc<dyn Executor>),
}

impl Loaded {
    fn executor(&self) -> Option<&Arc<dyn Executor>> {
        match self {
            Self::File(loaded) => loaded.as_ref().ok(),
            Self::Running(executor) => Some(executor),
        }
    }

    /// What says of itself that it cannot be loaded.
    fn fault(&self) -> Option<(&'static str, &LoadError)> {
        match self {
            Self::File(Err(error @ LoadError::Imports { .. })) => Some(("EXEC-LOAD-02", error)),
            Self::File(Err(error)) => Some(("EXEC-LOAD-01", error)),
            Self::File(Ok(_)) | Self::Running(_) => None,
        }
    }
}

fn checked(name: &str, loaded: &Loaded, expected: &Expected, options: &Options, progress: &mut dyn Progress) -> Report {
    let chosen = options.chosen(Kind::Executor);
    let subject = loaded.executor().map(|executor| Subject::new(executor.clone(), options.call_ms));
    let dead = subject.as_ref().is_some_and(|subject| subject.run(Case::new("() => 1")).ran != Ran::Returned(one()));
    let (trace, deadline) = (Trace::default(), Deadline::of(options));
    let tried = chosen.iter().enumerate().map(|(at, rule)| {
        progress.trying(rule, at + 1, chosen.len());
        let mut trial = Trial::new(options).watching(&trace, deadline);
        match (&subject, rule.id) {
            (_, "EXEC-LOAD-01" | "EXEC-LOAD-02") => load(rule, loaded, trial),
            (None, _) => trial.blocked(rule, loaded.fault().map_or("EXEC-LOAD-01", |(id, _)| id)),
            (Some(_), id) if dead && id != "EXEC-RUN-01" => trial.blocked(rule, "EXEC-RUN-01"),
            (Some(subject), id) => match CHECKS.iter().copied().flatten().find(|(of, ..)| *of == id) {
                Some((_, check, nothing)) => {
                    if !trial.is_over() {
                        check(subject, &mut trial);
                    }
                    trial.verdict(rule, nothing)
                }
                None => trial.verdict(rule, "nothing tries it"),
            },
        }
    });
    Report::new(Kind::Executor, name, options, tried.collect(), expected)
}

fn one() -> Option<String> {
    Some("1".to_owned())
}

/// What loading the file came to.
fn load(rule: &'static Rule, loaded: &Loaded, mut trial: Trial) -> Checked {
    match (loaded, loaded.fault()) {
        (Loaded::Running(_), _) => return trial.verdict(rule, "it is no component"),
        (Loaded::File(_), Some(("EXEC-LOAD-01", _))) if rule.id == "EXEC-LOAD-02" => {
            return trial.blocked(rule, "EXEC-LOAD-01");
        }
        (Loaded::File(_), Some((id, error))) if id == rule.id => trial.case(Err(error.to_string())),
        (Loaded::File(_), _) => trial.case(Ok(())),
    }
    trial.verdict(rule, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::rules;

    #[test]
    fn every_rule_has_one_check_and_every_check_a_rule() {
        let mut tried: Vec<&str> = CHECKS.iter().copied().flatten().map(|(id, ..)| *id).collect();
        tried.extend(["EXEC-LOAD-01", "EXEC-LOAD-02"]);
        tried.sort_unstable();
        let mut rules: Vec<&str> = rules::of(Kind::Executor).iter().map(|rule| rule.id).collect();
        rules.sort_unstable();
        assert_eq!(tried, rules);
    }
}
