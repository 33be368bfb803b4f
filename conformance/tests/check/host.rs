//! A host that keeps every rule, through both doors; and doubles of it that break one each.

mod connector;
mod control;
mod double;
mod driver;
mod printed;

use std::path::PathBuf;

use codemode_conformance::check::host::{
    Approval, ControlError, Decision, Host, Keep, Ours, Unsupported, check_host, read_lines,
};
use codemode_conformance::check::report::{Judgement, Report, Style, Verdict, human};
use codemode_conformance::check::{Expected, Options, Rule, Subject, rules};
use double::Double;

/// Few programs, and compiled components from an earlier run.
fn options() -> Options {
    Options { cases: 8, cache_dir: Some(PathBuf::from(env!("CODEMODE_TEST_CACHE"))), ..Options::default() }
}

/// A report with every rule in it, each with a verdict that is fine.
fn is_whole(report: &Report, fine: impl Fn(&Verdict) -> bool) {
    let others: Vec<_> = report.checked.iter().filter(|checked| !fine(&checked.verdict)).collect();
    assert!(others.is_empty(), "{}", human(report, Style::Plain));
    assert_eq!(report.judgement(), Judgement::Kept);
    let ids = |rules: &[Rule]| rules.iter().map(|rule| rule.id).collect::<Vec<_>>();
    let checked: Vec<_> = report.checked.iter().map(|checked| checked.rule.id).collect();
    assert_eq!(checked, ids(rules::of(Subject::Host)));
}

#[test]
fn our_runtime_keeps_every_rule_through_the_library() {
    let folder = tempfile::tempdir().unwrap();
    for keep in [Keep::Memory, Keep::File(folder.path().join("codemode.db"))] {
        let mut host = Ours::new(keep, &options()).unwrap();
        let report = check_host(&mut host, "ours", &Expected::default(), &options(), &mut ());
        is_whole(&report, |verdict| *verdict == Verdict::Pass);
    }
}

#[test]
fn our_runtime_keeps_every_rule_through_the_component() {
    let host = Ours::new(Keep::Memory, &options()).unwrap();
    let lines = host.drive(vec!["--cases".to_owned(), "8".to_owned()]).unwrap();
    let report = read_lines(&lines, "ours", &Expected::default(), &options()).unwrap();
    is_whole(&report, |verdict| matches!(verdict, Verdict::Pass | Verdict::Unsupported(_)));
    let unsupported: Vec<_> =
        report.checked.iter().filter(|c| c.verdict != Verdict::Pass).map(|checked| checked.rule.id).collect();
    assert_eq!(unsupported, ["HOST-RESTART-01", "HOST-RESTART-02", "HOST-RESTART-03"]);
}

/// Tries the doubles of all rules of some groups.
fn told(groups: &[&str]) {
    let all = rules::of(Subject::Host);
    let group = |rule: &Rule| rule.id.split('-').nth(1).unwrap().to_owned();
    for rule in all.iter().filter(|rule| groups.contains(&group(rule).as_str())) {
        // Limits take longest, and nothing of a double is left when another rule is tried, unless it is built wrong.
        let needed = |other: &&Rule| Double::is_built_wrong(rule.id) || group(other) != "LIMIT" || other.id == rule.id;
        let only = all.iter().filter(needed).map(|rule| rule.id.to_owned()).collect();
        let options = Options { cases: 3, only, ..options() };
        let report = check_host(&mut Double::of(rule.id), rule.id, &Expected::default(), &options, &mut ());
        let broken: Vec<_> = report.broken().iter().map(|checked| checked.rule.id).collect();
        assert_eq!(broken, [rule.id], "{}", human(&report, Style::Plain));
    }
}

#[test]
fn doubles_that_run_code_wrongly_are_told_by_their_own_rules_only() {
    told(&["RUN", "FIND", "HOOK", "STEP"]);
}

#[test]
fn doubles_that_call_or_replay_wrongly_are_told_by_their_own_rules_only() {
    told(&["CALL", "REPLAY"]);
}

#[test]
fn doubles_that_decide_wrongly_are_told_by_their_own_rules_only() {
    told(&["APPROVE", "REJECT"]);
}

#[test]
fn doubles_that_undo_limit_or_forget_wrongly_are_told_by_their_own_rules_only() {
    told(&["ROLLBACK", "LIMIT", "LAW", "RESTART"]);
}

#[test]
fn every_rule_has_a_double_in_one_of_the_groups() {
    let groups =
        ["RUN", "FIND", "HOOK", "STEP", "CALL", "REPLAY", "APPROVE", "REJECT", "ROLLBACK", "LIMIT", "LAW", "RESTART"];
    for rule in rules::of(Subject::Host) {
        assert!(groups.contains(&rule.id.split('-').nth(1).unwrap()), "{} is in no group", rule.id);
    }
}

#[test]
fn a_program_that_breaks_a_law_is_told_at_its_smallest() {
    let options = Options { only: vec!["HOST-LAW-01".to_owned()], cases: 32, ..options() };
    let report = check_host(&mut Double::of("HOST-LAW-01"), "double", &Expected::default(), &options, &mut ());
    let Verdict::Fail(found) = &report.checked[0].verdict else { panic!("{}", human(&report, Style::Plain)) };
    let input = found[0].input.clone().unwrap_or_default();
    assert!(input.matches("ledger.").count() == 1 && input.contains("ledger.slow"), "{input}");
}

/// A host that gives the same answer to everything.
struct Parrot(String);

impl Host for Parrot {
    fn execute(&mut self, _: &str, _: Option<&str>) -> Result<String, ControlError> {
        Ok(self.0.clone())
    }

    fn approve(&mut self, _: &str, _: &[Approval], _: &Decision) -> Result<String, ControlError> {
        Ok(self.0.clone())
    }

    fn reject(&mut self, _: &str, _: u32, _: &Decision) -> Result<bool, ControlError> {
        Ok(true)
    }

    fn pending(&mut self, _: Option<&str>) -> Result<String, ControlError> {
        Ok(self.0.clone())
    }

    fn rollback(&mut self, _: &str) -> Result<String, ControlError> {
        Ok(self.0.clone())
    }

    fn restart(&mut self) -> Result<(), Unsupported> {
        Ok(())
    }
}

#[test]
fn a_host_that_answers_nonsense_breaks_every_rule_and_nothing_else() {
    let call = r#"{"executionId":"e","seq":0,"connector":"ledger","method":"gate","args":{"text":"g1"},"digest":"d"}"#;
    let answers = [
        String::new(),
        "null".to_owned(),
        "[]".to_owned(),
        "{\"status\":\"completed\"".to_owned(),
        r#"{"status":"completed","executionId":""}"#.to_owned(),
        r#"{"status":"completed","executionId":"e","calls":[],"result":{"rows":[],"undone":[],"hooks":[]}}"#.to_owned(),
        r#"{"status":"error","executionId":"e","error":7,"calls":{}}"#.to_owned(),
        r#"{"status":"paused","executionId":"e","pending":[],"calls":[]}"#.to_owned(),
        format!(r#"{{"status":"paused","executionId":"e","pending":[{call}],"calls":[]}}"#),
        format!(r#"{{"status":"paused","executionId":"e","pending":[{call},{call},{call}],"calls":[null]}}"#),
        format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{{\"status\":\"{}\",\"executionId\":\"\u{fffd}\\ud800\"}}", "x".repeat(1_000)),
    ];
    for answer in answers {
        for rule in rules::of(Subject::Host) {
            let options = Options { only: vec![rule.id.to_owned()], cases: 2, ..options() };
            let report = check_host(&mut Parrot(answer.clone()), "parrot", &Expected::default(), &options, &mut ());
            let words: Vec<_> = report.checked.iter().map(|checked| checked.verdict.as_str()).collect();
            assert_eq!(words, ["fail"], "{} with {:.100}", rule.id, answer);
        }
    }
}
