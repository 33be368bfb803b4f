//! The command as CI uses it: exit codes, forms of output, files.

use std::process::{Command, Output};

const DOUBLES: &str = env!("CODEMODE_DOUBLES_WASM");

fn conformance(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_codemode-conformance")).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_exit_code_says_whether_the_rules_are_kept() {
    let kept = conformance(&["connector", DOUBLES, "--rule", "CONN-CALL"]);
    assert_eq!(kept.status.code(), Some(0), "{}", text(&kept.stdout));
    let broken = conformance(&["connector", DOUBLES, "--config", "bug=CONN-CALL-02", "--rule", "CONN-CALL"]);
    assert_eq!(broken.status.code(), Some(1));
    let again = "--rule CONN-CALL-02 --seed 0 --config bug=CONN-CALL-02";
    assert!(text(&broken.stdout).contains(again), "{}", text(&broken.stdout));
    assert!(text(&broken.stdout).contains("FAIL        CONN-CALL-02"), "{}", text(&broken.stdout));
    let warned = ["connector", DOUBLES, "--config", "bug=CONN-DESC-06", "--rule", "CONN-DESC"];
    assert_eq!(conformance(&warned).status.code(), Some(0), "advice fails no run");
    assert_eq!(conformance(&[&warned[..], &["--strict"]].concat()).status.code(), Some(1), "that is not strict");
    let untried = conformance(&["connector", DOUBLES, "--config", "bug=CONN-DESC-01", "--rule", "CONN-CALL"]);
    assert_eq!(untried.status.code(), Some(3), "{}", text(&untried.stdout));
    for wrong in [vec!["connector", "no-such.wasm"], vec!["connector", DOUBLES, "--rule", "CONN-X"], vec!["rules", "X"]]
    {
        let refused = conformance(&wrong);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{wrong:?}");
        assert!(!refused.stderr.is_empty());
    }
}

#[test]
fn machines_get_json_and_junit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("junit.xml");
    let args =
        ["connector", DOUBLES, "--config", "bug=CONN-KEY-01", "--output", "json", "--junit", file.to_str().unwrap()];
    let done = conformance(&args);
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&report["counts"]["fail"], &report["subject"]), (&1.into(), &"connector".into()));
    assert!(text(&done.stderr).is_empty(), "no bar where nobody looks");
    assert!(std::fs::read_to_string(file).unwrap().contains("<testsuite "));
}

#[test]
fn rules_are_listed_and_one_is_explained() {
    let all = conformance(&["rules"]);
    assert_eq!(text(&all.stdout).lines().count(), codemode_conformance::check::rules::all().count());
    let one = conformance(&["rules", "CONN-KEY-01"]);
    assert!(text(&one.stdout).contains("\nWhy: "), "{}", text(&one.stdout));
}

#[test]
fn known_failures_are_read_from_a_file_and_a_stale_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("expected-failures.toml");
    std::fs::write(&file, "[[expected]]\nrule = \"CONN-KEY-01\"\nreason = \"in March\"\n").unwrap();
    let run = |bug: &str| {
        let bug = format!("bug={bug}");
        let expected = file.to_str().unwrap();
        conformance(&["connector", DOUBLES, "--config", &bug, "--rule", "CONN-KEY", "--expected-failures", expected])
    };
    assert_eq!(run("CONN-KEY-01").status.code(), Some(0));
    let stale = run("none");
    assert_eq!(stale.status.code(), Some(1));
    assert!(text(&stale.stdout).contains("stale"), "{}", text(&stale.stdout));
}
