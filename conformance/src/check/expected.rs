//! Failures that somebody knows and accepts for now, with the reason. One that does not fail any more is as wrong as a new
//! failure: the list would stop saying what is true.

use serde::Deserialize;

use super::report::{Checked, OwnCase, Verdict};
use super::rules;

/// The list, as it stands in `expected-failures.toml`:
///
/// ```toml
/// [[expected]]
/// rule = "CONN-STATE-02"
/// reason = "revert is built in March"
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expected {
    expected: Vec<Expectation>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    rule: String,
    reason: String,
}

impl Expected {
    /// Reads the list.
    ///
    /// # Errors
    /// What is wrong with the text, with its place.
    pub fn read(text: &str) -> Result<Self, String> {
        let list: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        match list.expected.iter().find(|e| e.reason.trim().is_empty()) {
            Some(silent) => Err(format!("the expectation of {} gives no reason", silent.rule)),
            None => Ok(list),
        }
    }

    /// Marks what is expected, and says which expectations are stale. A rule that was not tried in this run makes none
    /// stale.
    pub fn apply(&self, checked: &mut [Checked]) -> Vec<String> {
        let mut stale = Vec::new();
        for Expectation { rule, reason } in self.expected.iter().filter(|e| !e.is_of_case()) {
            match checked.iter_mut().find(|c| c.rule.id == rule) {
                Some(found) if matches!(found.verdict, Verdict::Fail(_)) => found.expected = Some(reason.clone()),
                Some(found) => {
                    stale.push(format!("{rule} is expected to fail ({reason}), and is {}", found.verdict.as_str()))
                }
                None if rules::find(rule).is_some() => {}
                None => stale.push(format!("there is no rule {rule}, which is expected to fail ({reason})")),
            }
        }
        stale
    }

    /// The same for cases of the user's own, whose ids start with `CASE-`. `known`: those that were not tried too.
    pub fn apply_to_cases(&self, cases: &mut [OwnCase], known: &[&str]) -> Vec<String> {
        let mut stale = Vec::new();
        for Expectation { rule: id, reason } in self.expected.iter().filter(|e| e.is_of_case()) {
            match cases.iter_mut().find(|c| c.id == *id) {
                Some(found) if matches!(found.verdict, Verdict::Fail(_)) => found.expected = Some(reason.clone()),
                Some(found) => {
                    stale.push(format!("{id} is expected to fail ({reason}), and is {}", found.verdict.as_str()));
                }
                None if known.contains(&id.as_str()) => {}
                None => stale.push(format!("there is no case {id}, which is expected to fail ({reason})")),
            }
        }
        stale
    }
}

impl Expectation {
    fn is_of_case(&self) -> bool {
        self.rule.starts_with("CASE-")
    }
}
