//! Connectors that keep the contract, and doubles that break one rule each.

use std::collections::BTreeMap;

use codemode_conformance::check::connector::{Component, check_connector};
use codemode_conformance::check::report::{Judgement, Report, Style, Verdict, human, json, junit};
use codemode_conformance::check::{Expected, Options, Subject, rules};

const DOUBLES: &str = env!("CODEMODE_DOUBLES_WASM");

fn checked(bytes: &[u8], config: &[(&str, &str)], options: &Options, expected: &Expected) -> Report {
    let config: BTreeMap<String, String> = config.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    check_connector(&Component { name: "it.wasm", bytes, config, http: Vec::new() }, expected, options, &mut ()).unwrap()
}

fn doubles() -> Vec<u8> {
    std::fs::read(DOUBLES).unwrap()
}

/// The rules that a report says are broken.
fn broken(report: &Report) -> Vec<&'static str> {
    report.broken().iter().map(|checked| checked.rule.id).collect()
}

#[test]
fn a_connector_that_keeps_every_rule_passes_every_one() {
    let report = checked(&doubles(), &[], &Options::default(), &Expected::default());
    let others: Vec<_> = report.checked.iter().filter(|c| c.verdict != Verdict::Pass).collect();
    assert!(others.is_empty(), "{}", human(&report, Style::Plain));
    assert_eq!(report.judgement(), Judgement::Kept);
    assert_eq!(report.checked.len(), rules::of(Subject::Connector).len());
}

#[test]
fn each_double_is_told_by_its_own_rule_and_by_no_other() {
    for rule in rules::of(Subject::Connector).iter().filter(|rule| !rule.id.starts_with("CONN-LOAD")) {
        let report = checked(&doubles(), &[("bug", rule.id)], &Options::default(), &Expected::default());
        assert_eq!(broken(&report), [rule.id], "{}", human(&report, Style::Plain));
    }
}

#[test]
fn what_is_no_component_and_what_imports_more_are_told_apart() {
    let module = checked(b"\0asm\x01\0\0\0", &[], &Options::default(), &Expected::default());
    assert_eq!(broken(&module), ["CONN-LOAD-01"], "{}", human(&module, Style::Plain));
    let greedy = checked(&greedy(), &[], &Options::default(), &Expected::default());
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
    let options = Options { seed: 7, ..Options::default() };
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
    let known = checked(&doubles(), &bug, &Options::default(), &list("CONN-KEY-01"));
    assert_eq!((known.judgement(), broken(&known).len()), (Judgement::Kept, 0));
    let stale = checked(&doubles(), &[], &Options::default(), &list("CONN-KEY-01"));
    assert_eq!(stale.judgement(), Judgement::Broken);
    assert!(stale.stale[0].contains("CONN-KEY-01 is expected to fail (in March), and is pass"), "{:?}", stale.stale);
    assert!(checked(&doubles(), &[], &Options::default(), &list("CONN-X-01")).stale[0].contains("there is no rule"));
    assert!(Expected::read("[[expected]]\nrule = \"a\"\nreason = \" \"\n").unwrap_err().contains("no reason"));
}

#[test]
fn the_same_seed_tries_the_same_cases() {
    let run = || {
        let bug = [("bug", "CONN-CALL-03")];
        let report = checked(&doubles(), &bug, &Options { seed: 3, ..Options::default() }, &Expected::default());
        report.checked.into_iter().map(|c| (c.rule.id, c.verdict, c.cases)).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}
