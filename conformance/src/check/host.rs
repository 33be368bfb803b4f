//! Checks a host: whatever runs code durably behind the five operations of the interface `control`. The scenarios drive it
//! through the trait [`Host`], or come as a component of the world `runtime` that it runs itself; its connectors must be
//! the [`ledger`] under the name [`LEDGER`].

mod ours;
mod scenarios;

pub use ours::{Keep, Ours};
pub use scenarios::{Approval, ControlError, Decision, Host, Unsupported};

use super::report::{Checked, Finding, Report, Verdict};
use super::rule::{Rule, Subject};
use super::trial::{Options, Progress, Trial};
use super::{Expected, rules};
use scenarios::{Plan, Played, Run};

/// The name under which a host that is checked has the [`ledger`].
pub const LEDGER: &str = "ledger";

/// The connector that a host is checked with: a component that asks for nothing but state.
#[must_use]
pub fn ledger() -> &'static [u8] {
    include_bytes!(env!("CODEMODE_LEDGER_WASM"))
}

/// The checks as a component: a command of the world `runtime` that prints one line of JSON for each rule, for
/// [`read_lines`]. Arguments: `--rule ID`, `--seed N`, `--cases N`.
#[must_use]
pub fn component() -> &'static [u8] {
    include_bytes!(env!("CODEMODE_HOST_CHECK_WASM"))
}

/// Checks a host through the trait. Blocks; takes seconds.
pub fn check_host(
    host: &mut dyn Host,
    name: &str,
    expected: &Expected,
    options: &Options,
    progress: &mut dyn Progress,
) -> Report {
    let plan = Plan { only: options.only.clone(), seed: options.seed, cases: options.cases };
    let chosen: Vec<_> = scenarios::all().into_iter().filter(|scenario| plan.wants(scenario.rule)).collect();
    let (mut run, mut checked) = (Run::default(), Vec::new());
    for (number, scenario) in chosen.iter().enumerate() {
        let Some(rule) = rules::find(scenario.rule) else { continue };
        progress.trying(rule, number + 1, chosen.len());
        let trial = Trial::new(options);
        let played = run.play(host, scenario, &plan);
        checked.push(judged(rule, played, trial));
    }
    Report::new(Subject::Host, name, options, checked, expected)
}

/// The report of a run of the [`component`], from what it printed.
///
/// # Errors
/// The first line that is none of the component's, with its number; or that there is none for the rules that are wanted.
pub fn read_lines(lines: &str, name: &str, expected: &Expected, options: &Options) -> Result<Report, String> {
    let mut checked = Vec::new();
    for (number, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |reason: String| format!("line {}: {reason}", number + 1);
        let played = Played::read(line).map_err(wrong)?;
        let rule = rules::find(&played.rule).filter(|rule| rule.subject == Subject::Host);
        let rule = rule.ok_or_else(|| wrong(format!("there is no rule {} for hosts", played.rule)))?;
        if options.wants(rule) {
            checked.push(judged(rule, played, Trial::new(options)));
        }
    }
    if checked.is_empty() {
        return Err("there are no lines of the component for the rules that are wanted".to_owned());
    }
    Ok(Report::new(Subject::Host, name, options, checked, expected))
}

fn judged(rule: &'static Rule, played: Played, trial: Trial) -> Checked {
    let cases = played.cases;
    let verdict = match played.verdict {
        scenarios::Verdict::Kept => Verdict::Pass,
        scenarios::Verdict::Unsupported(why) => Verdict::Unsupported(why),
        scenarios::Verdict::Broken(what, input) => {
            Verdict::Fail(vec![Finding { what, input: Some(input), ..Finding::default() }])
        }
        scenarios::Verdict::Blocked(by) => match rules::find(&by) {
            Some(rule) => Verdict::Blocked(rule.id),
            None => Verdict::NotCovered(by),
        },
    };
    Checked { verdict, cases, ..trial.verdict(rule, "") }
}
