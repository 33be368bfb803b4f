//! Connectors that keep the contract, and doubles that break one rule each.

use std::collections::BTreeMap;

use codemode_conformance::check::connector::{Component, check_connector};
use codemode_conformance::check::report::{Judgement, Report, Style, Verdict, human, json, junit};
use codemode_conformance::check::{Expected, Options, Subject, rules};

const DOUBLES: &str = env!("CODEMODE_DOUBLES_WASM");

fn checked(bytes: &[u8], config: &[(&str, &str)], options: &Options, expected: &Expected) -> Report {
    let config: BTreeMap<String, String> = config.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    check_connector(&Component { config, ..Component::new("it.wasm", bytes) }, expected, options, &mut ()).unwrap()
}

fn doubles() -> Vec<u8> {
    std::fs::read(DOUBLES).unwrap()
}

/// The defaults, with components that are compiled once for all tests.
pub(crate) fn options() -> Options {
    Options { cache_dir: Some(env!("CODEMODE_TEST_CACHE").into()), ..Options::default() }
}

/// The rules that a report says are broken, and those that it warns of.
pub(crate) fn told(report: &Report) -> Vec<&'static str> {
    report.broken().into_iter().chain(report.warnings()).map(|checked| checked.rule.id).collect()
}

/// The rules that a report says are broken.
fn broken(report: &Report) -> Vec<&'static str> {
    report.broken().iter().map(|checked| checked.rule.id).collect()
}

#[test]
fn a_connector_that_keeps_every_rule_passes_every_one() {
    let report = checked(&doubles(), &[], &options(), &Expected::default());
    let is_of_web = |id: &str| id.starts_with("CONN-HTTP");
    let others: Vec<_> =
        report.checked.iter().filter(|c| c.verdict != Verdict::Pass && !is_of_web(c.rule.id)).collect();
    assert!(others.is_empty(), "{}", human(&report, Style::Plain));
    assert_eq!(report.judgement(), Judgement::Kept);
    assert_eq!(report.checked.len(), rules::of(Subject::Connector).len());
    assert!(report.methods.iter().all(|line| line.verdict == "pass"), "{:?}", report.methods);
}

/// Those of the web have doubles of their own.
///
/// Covers BUG-CNF-02, BUG-CNF-03.
#[test]
fn each_double_is_told_by_its_own_rule_and_by_no_other() {
    let mut wrong = String::new();
    for rule in rules::of(Subject::Connector) {
        if rule.id.starts_with("CONN-LOAD") || rule.id.starts_with("CONN-HTTP") {
            continue;
        }
        // What computes for long takes very long on a busy machine.
        let call_ms = if rule.id == "CONN-BOUND-01" { 60_000 } else { 4_000 };
        let options = Options { call_ms, cases: 16, run_ms: 600_000, ..options() };
        let report = checked(&doubles(), &[("bug", rule.id)], &options, &Expected::default());
        if told(&report) != [rule.id] {
            wrong.push_str(&human(&report, Style::Plain));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn our_own_connectors_keep_every_rule() {
    for wasm in [env!("CODEMODE_NOTES_WASM"), env!("CODEMODE_FILES_WASM")] {
        let report = checked(&std::fs::read(wasm).unwrap(), &[], &options(), &Expected::default());
        assert_eq!((report.judgement(), told(&report)), (Judgement::Kept, vec![]), "{}", human(&report, Style::Plain));
    }
}

#[test]
fn the_largest_value_that_can_be_kept_passes_and_one_more_unit_does_not() {
    let options = Options { cases: 2, only: vec!["CONN-BOUND-03".to_owned(), "CONN-CALL-02".to_owned()], ..options() };
    for (bug, broken) in [("nothing, but only just", vec![]), ("CONN-BOUND-03", vec!["CONN-BOUND-03"])] {
        let report = checked(&doubles(), &[("bug", bug)], &options, &Expected::default());
        assert_eq!(told(&report), broken, "{}", human(&report, Style::Plain));
    }
}

/// Covers BUG-CNF-02.
#[test]
fn a_second_effect_is_found_where_chance_or_the_third_attempt_makes_it_and_drawn_names_are_no_fault() {
    let only = ["CONN-KEY-01", "CONN-REVERT"].map(str::to_owned).to_vec();
    let told = |bug: &str| {
        let report =
            checked(&doubles(), &[("bug", bug)], &Options { only: only.clone(), ..options() }, &Expected::default());
        (broken(&report), human(&report, Style::Plain))
    };
    for bug in ["CONN-KEY-01, by chance", "CONN-KEY-01, the third time"] {
        let (broken, text) = told(bug);
        assert_eq!(broken, ["CONN-KEY-01"], "{bug}: {text}");
    }
    let (broken, text) = told("nothing, and draws names");
    assert!(broken.is_empty(), "{text}");
}

#[test]
fn what_is_no_component_and_what_imports_more_are_told_apart() {
    let module = checked(b"\0asm\x01\0\0\0", &[], &options(), &Expected::default());
    assert_eq!(broken(&module), ["CONN-LOAD-01"], "{}", human(&module, Style::Plain));
    let greedy = checked(&greedy(), &[], &options(), &Expected::default());
    assert_eq!(broken(&greedy), ["CONN-LOAD-02"], "{}", human(&greedy, Style::Plain));
    let text = human(&greedy, Style::Plain);
    assert!(text.contains("x:y/z") && text.contains("blocked"), "{text}");
}

/// A connector that imports an interface that no host has.
fn greedy() -> Vec<u8> {
    use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
    use wit_parser::{ManglingAndAbi, Resolve};
    let mut resolve = Resolve::default();
    resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit")).unwrap();
    let text = "package x:y; interface z { f: func(); } world greedy { include codemode:component/connector@0.1.0; import z; }";
    let package = resolve.push_str("greedy.wit", text).unwrap();
    let world = resolve.select_world(&[package], Some("greedy")).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

#[test]
fn a_broken_rule_comes_with_the_smallest_case_and_a_command_that_shows_it_again() {
    let options = Options { seed: 7, ..options() };
    let report = checked(&doubles(), &[("bug", "CONN-CALL-01")], &options, &Expected::default());
    let text = human(&report, Style::Plain);
    let line = text.lines().find(|line| line.trim_start().starts_with("with ")).unwrap();
    assert!(line.contains("\"text\":\"\"") && line.contains("\"count\":5"), "{text}");
    assert!(text.contains("codemode-conformance connector it.wasm --rule CONN-CALL-01 --seed 7"), "{text}");
    let value = json(&report);
    let rule = value["rules"].as_array().unwrap().iter().find(|r| r["id"] == "CONN-CALL-01").unwrap();
    assert_eq!((&rule["verdict"], &rule["severity"]), (&"fail".into(), &"must".into()));
    let xml = junit(&report).unwrap();
    assert!(xml.contains("failures=\"1\"") && xml.contains("CONN-CALL-01"), "{xml}");
}

#[test]
fn a_known_failure_is_kept_apart_and_one_that_is_gone_fails() {
    let list =
        |rule: &str| Expected::read(&format!("[[expected]]\nrule = \"{rule}\"\nreason = \"in March\"\n")).unwrap();
    let bug = [("bug", "CONN-KEY-01")];
    let known = checked(&doubles(), &bug, &options(), &list("CONN-KEY-01"));
    assert_eq!((known.judgement(), broken(&known).len()), (Judgement::Kept, 0));
    let stale = checked(&doubles(), &[], &options(), &list("CONN-KEY-01"));
    assert_eq!(stale.judgement(), Judgement::Broken);
    assert!(stale.stale[0].contains("CONN-KEY-01 is expected to fail (in March), and is pass"), "{:?}", stale.stale);
    assert!(checked(&doubles(), &[], &options(), &list("CONN-X-01")).stale[0].contains("there is no rule"));
    assert!(Expected::read("[[expected]]\nrule = \"a\"\nreason = \" \"\n").unwrap_err().contains("no reason"));
}

#[test]
fn the_same_seed_tries_the_same_cases() {
    let run = || {
        let bug = [("bug", "CONN-CALL-03")];
        let report = checked(&doubles(), &bug, &Options { seed: 3, ..options() }, &Expected::default());
        report.checked.into_iter().map(|c| (c.rule.id, c.verdict, c.cases)).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}
