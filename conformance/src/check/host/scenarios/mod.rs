//! What a host is made to do, rule by rule. One source for both doors: it is part of this crate, where it drives anything
//! that is a [`Host`], and of the component in `conformance/host-guest`, which drives whatever host runs it. So there is
//! nothing in here but std and `serde_json`.

/// Ends a scenario as broken unless something holds.
macro_rules! demand {
    ($holds:expr, $($said:tt)+) => {
        if !$holds {
            return Err(super::stage::broken(format!($($said)+)));
        }
    };
}

mod approving;
mod calling;
mod drawn;
mod host;
mod limiting;
mod rejecting;
mod replaying;
mod restarting;
mod running;
mod seen;
mod stage;
mod stepping;
mod undoing;
mod whole;

pub use host::{Approval, ControlError, Decision, Host, Unsupported};
use serde_json::{Value, json};
use stage::{Play, Stage, Trouble};

/// How one rule is tried.
pub(super) struct Scenario {
    /// The rule's id.
    pub(super) rule: &'static str,
    play: fn(&mut Stage<'_>) -> Play,
}

/// What is tried.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Only the rules whose ids start so; empty: all.
    pub(super) only: Vec<String>,
    /// The same seed tries the same programs.
    pub(super) seed: u64,
    /// Random programs for each rule that has some.
    pub(super) cases: u32,
}

/// What came of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is kept.
    Kept,
    /// It is broken: what happened, and the steps that lead there.
    Broken(String, String),
    /// The host does not offer what it is about; why.
    Unsupported(String),
    /// Another rule has to be kept first.
    Blocked(String),
}

/// A rule, tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Played {
    /// The rule's id.
    pub(super) rule: String,
    /// What came of it.
    pub(super) verdict: Verdict,
    /// How many cases were tried.
    pub(super) cases: u64,
}

/// All scenarios, in the order in which they are played.
#[must_use]
pub(super) fn all() -> Vec<Scenario> {
    let groups: [&[Scenario]; 9] = [
        &running::ALL,
        &calling::ALL,
        &stepping::ALL,
        &replaying::ALL,
        &approving::ALL,
        &rejecting::ALL,
        &undoing::ALL,
        &limiting::ALL,
        &whole::ALL,
    ];
    let scenario = |s: &Scenario| Scenario { rule: s.rule, play: s.play };
    groups.into_iter().flatten().chain(&restarting::ALL).map(scenario).collect()
}

/// Plays one scenario after another.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// The first rule without which nothing can be tried that is broken.
    obstacle: Option<&'static str>,
}

/// Without these nothing can be tried.
const FOUNDATIONS: [&str; 2] = ["HOST-RUN-01", "HOST-RUN-02"];

impl Run {
    /// Plays one.
    pub(super) fn play(&mut self, host: &mut dyn Host, scenario: &Scenario, plan: &Plan) -> Played {
        if let Some(obstacle) = self.obstacle {
            let verdict = Verdict::Blocked(obstacle.to_owned());
            return Played { rule: scenario.rule.to_owned(), verdict, cases: 0 };
        }
        let mut stage = Stage::new(host, scenario.rule, plan.seed, plan.cases);
        stage.case();
        let played = (scenario.play)(&mut stage);
        let (cases, steps) = (stage.tried, stage.steps());
        let verdict = match played {
            Ok(()) => Verdict::Kept,
            Err(Trouble::Broken(what)) => Verdict::Broken(what, steps),
            Err(Trouble::Unsupported(why)) => Verdict::Unsupported(why),
        };
        if matches!(verdict, Verdict::Broken(..)) && FOUNDATIONS.contains(&scenario.rule) {
            self.obstacle = Some(scenario.rule);
        }
        Played { rule: scenario.rule.to_owned(), verdict, cases }
    }
}

impl Plan {
    /// Whether a rule is to be tried.
    #[must_use]
    pub(super) fn wants(&self, rule: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|start| rule.starts_with(start.as_str()))
    }
}

#[allow(dead_code, reason = "one door writes what the other one reads")]
impl Played {
    /// One line of JSON, as the component prints it: `rule`, `verdict`, `cases`, and `what` with `input`, or `reason`.
    #[must_use]
    pub(super) fn line(&self) -> String {
        let mut line = json!({ "rule": self.rule, "verdict": "pass", "cases": self.cases });
        let mut say = |verdict: &str, members: &[(&str, &String)]| {
            line["verdict"] = json!(verdict);
            members.iter().for_each(|(name, text)| line[*name] = json!(text));
        };
        match &self.verdict {
            Verdict::Kept => {}
            Verdict::Broken(what, input) => say("fail", &[("what", what), ("input", input)]),
            Verdict::Unsupported(why) => say("unsupported", &[("reason", why)]),
            Verdict::Blocked(rule) => say("blocked", &[("reason", rule)]),
        }
        line.to_string()
    }

    /// Reads such a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("no JSON: {error}"))?;
        let text = |member: &str| {
            value[member].as_str().map(str::to_owned).ok_or_else(|| format!("it has no string `{member}`"))
        };
        let verdict = match text("verdict")?.as_str() {
            "pass" => Verdict::Kept,
            "fail" => Verdict::Broken(text("what")?, text("input")?),
            "unsupported" => Verdict::Unsupported(text("reason")?),
            "blocked" => Verdict::Blocked(text("reason")?),
            other => return Err(format!("there is no verdict `{other}`")),
        };
        Ok(Self { rule: text("rule")?, verdict, cases: value["cases"].as_u64().unwrap_or_default() })
    }
}
