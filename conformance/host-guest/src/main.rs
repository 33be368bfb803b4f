//! The checks of a host as a component of the world `runtime`: it drives whatever host runs it, prints one line of JSON for
//! each rule, and fails when a rule is broken. The scenarios are those of the library, from the same files.
//!
//! Arguments: `--rule ID` (only rules whose ids start so; repeat for more), `--seed N` (0), `--cases N` (32).

#[allow(dead_code, unreachable_pub, unused_imports, reason = "the library uses what this does not")]
#[path = "../../src/check/host/scenarios/mod.rs"]
mod scenarios;

wit_bindgen::generate!({ path: "wit", world: "runtime" });

use std::io::{self, Write as _};
use std::process::ExitCode;

use codemode::component::control;
use scenarios::{Approval, ControlError, Decision, Host, Plan, Run, Verdict};

/// The host that runs this component.
struct Outside;

impl Host for Outside {
    fn execute(&mut self, code: &str, input: Option<&str>) -> Result<String, ControlError> {
        control::execute(code, input).map_err(error)
    }

    fn approve(&mut self, execution: &str, calls: &[Approval], by: &Decision) -> Result<String, ControlError> {
        let calls: Vec<control::Approval> =
            calls.iter().map(|call| control::Approval { seq: call.seq, digest: call.digest.clone() }).collect();
        control::approve(execution, &calls, &decision(by)).map_err(error)
    }

    fn reject(&mut self, execution: &str, seq: u32, by: &Decision) -> Result<bool, ControlError> {
        control::reject(execution, seq, &decision(by)).map_err(error)
    }

    fn pending(&mut self, execution: Option<&str>) -> Result<String, ControlError> {
        control::pending(execution).map_err(error)
    }

    fn rollback(&mut self, execution: &str) -> Result<String, ControlError> {
        control::rollback(execution).map_err(error)
    }
}

fn decision(by: &Decision) -> control::Decision {
    control::Decision { actor: by.actor.clone(), channel: by.channel.clone(), reason: by.reason.clone() }
}

fn error(error: control::ControlError) -> ControlError {
    match error {
        control::ControlError::NotFound(said) => ControlError::NotFound(said),
        control::ControlError::Conflict(said) => ControlError::Conflict(said),
        control::ControlError::Invalid(said) => ControlError::Invalid(said),
        control::ControlError::Unavailable(said) => ControlError::Unavailable(said),
    }
}

fn main() -> ExitCode {
    let plan = match plan(std::env::args().skip(1)) {
        Ok(plan) => plan,
        Err(message) => {
            let _ = writeln!(io::stderr(), "{message}");
            return ExitCode::from(2);
        }
    };
    let (mut run, mut exit) = (Run::default(), ExitCode::SUCCESS);
    for scenario in scenarios::all().iter().filter(|scenario| plan.wants(scenario.rule)) {
        let played = run.play(&mut Outside, scenario, &plan);
        if matches!(played.verdict, Verdict::Broken(..) | Verdict::Blocked(_)) {
            exit = ExitCode::FAILURE;
        }
        // Whoever does not listen gets the exit code.
        let _ = writeln!(io::stdout(), "{}", played.line());
    }
    exit
}

fn plan(mut arguments: impl Iterator<Item = String>) -> Result<Plan, String> {
    let mut plan = Plan { only: Vec::new(), seed: 0, cases: 32 };
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{option} needs a value"))?;
        let wrong = |_| format!("{option} takes a whole number, not {value}");
        match option.as_str() {
            "--rule" => plan.only.push(value),
            "--seed" => plan.seed = value.parse().map_err(wrong)?,
            "--cases" => plan.cases = value.parse().map_err(wrong)?,
            _ => return Err(format!("there is no option {option}; there are --rule, --seed and --cases")),
        }
    }
    Ok(plan)
}
