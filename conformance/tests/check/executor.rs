//! Executors that keep the contract, and doubles that break one rule each.

mod around;
mod bent;
mod double;

use std::sync::Arc;

use codemode_conformance::check::executor::{check_executor, check_running};
use codemode_conformance::check::report::{Judgement, Report, Style, Verdict, human};
use codemode_conformance::check::{Expected, Options, Subject, rules};
use codemode_conformance::harness;

use self::double::Double;

/// The executor that ships, and the same one without what is prepared in it: a second one, which does the same another way.
const WARM: &str = env!("CODEMODE_WARM_SANDBOX_WASM");
const COLD: &str = env!("CODEMODE_COLD_SANDBOX_WASM");

fn options() -> Options {
    let cache_dir = Some(env!("CODEMODE_TEST_CACHE").into());
    Options { cache_dir, call_ms: 10_000, ..Options::default() }
}

fn checked(bytes: &[u8]) -> Report {
    check_executor("it.wasm", bytes, &Expected::default(), &options(), &mut ()).unwrap()
}

/// The rules that a report says are broken.
fn broken(report: &Report) -> Vec<&'static str> {
    report.broken().iter().map(|checked| checked.rule.id).collect()
}

#[test]
fn the_executor_that_ships_keeps_every_rule_and_so_does_one_that_is_built_otherwise() {
    for file in [WARM, COLD] {
        let report = checked(&std::fs::read(file).unwrap());
        let others: Vec<_> = report.checked.iter().filter(|c| c.verdict != Verdict::Pass).collect();
        assert!(others.is_empty(), "{file}: {}", human(&report, Style::Plain));
        assert_eq!(report.judgement(), Judgement::Kept);
        assert_eq!(report.checked.len(), rules::of(Subject::Executor).len());
    }
    assert_ne!(std::fs::read(WARM).unwrap(), std::fs::read(COLD).unwrap());
}

#[test]
fn each_executor_that_breaks_a_rule_is_told_by_that_rule_and_by_no_other() {
    let rules = rules::of(Subject::Executor).iter().filter(|rule| !rule.id.starts_with("EXEC-LOAD"));
    let ids: Vec<&'static str> = rules.map(|rule| rule.id).collect();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let halves = ids.chunks(ids.len().div_ceil(2));
        let threads: Vec<_> =
            halves.map(|ids| scope.spawn(|| ids.iter().copied().filter_map(told).collect())).collect();
        threads.into_iter().flat_map(|thread| -> Vec<String> { thread.join().unwrap() }).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How the report on a double is wrong.
fn told(bug: &'static str) -> Option<String> {
    let double = Arc::new(Double::new(harness::executor(), bug));
    // Time enough for a machine that does much else.
    let options = Options { cases: 8, call_ms: 10_000, ..Options::default() };
    let report = check_running(bug, double, &Expected::default(), &options, &mut ());
    (broken(&report) != [bug]).then(|| format!("the double of {bug}: {}", human(&report, Style::Plain)))
}

#[test]
fn what_is_no_component_and_what_imports_more_are_told_apart() {
    let module = checked(b"\0asm\x01\0\0\0");
    assert_eq!(broken(&module), ["EXEC-LOAD-01"], "{}", human(&module, Style::Plain));
    let greedy = checked(&greedy());
    assert_eq!(broken(&greedy), ["EXEC-LOAD-02"], "{}", human(&greedy, Style::Plain));
    let text = human(&greedy, Style::Plain);
    assert!(text.contains("x:y/z") && text.contains("blocked"), "{text}");
    assert_eq!(greedy.judgement(), Judgement::Broken);
}

/// An executor that imports an interface that no host has.
fn greedy() -> Vec<u8> {
    dummy("interface z { f: func(); } world w { include codemode:component/executor@0.1.0; import z; }")
}

/// A component of that world, whose functions trap.
fn dummy(text: &str) -> Vec<u8> {
    use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
    use wit_parser::{ManglingAndAbi, Resolve};
    let mut resolve = Resolve::default();
    resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit")).unwrap();
    let package = resolve.push_str("w.wit", &format!("package x:y; {text}")).unwrap();
    let world = resolve.select_world(&[package], Some("w")).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

#[test]
fn an_executor_that_traps_or_hangs_breaks_the_first_rule_and_the_others_wait_for_that() {
    let traps = checked(&dummy("world w { include codemode:component/executor@0.1.0; }"));
    let hanging = Arc::new(Double::new(harness::executor(), "hangs"));
    let short = Options { call_ms: 30, ..options() };
    let hangs = check_running("it", hanging, &Expected::default(), &short, &mut ());
    for report in [traps, hangs] {
        let text = human(&report, Style::Plain);
        assert_eq!(broken(&report), ["EXEC-RUN-01"], "{text}");
        let waiting = report.checked.iter().filter(|c| c.verdict == Verdict::Blocked("EXEC-RUN-01")).count();
        assert_eq!(waiting, rules::of(Subject::Executor).len() - 3, "{text}");
    }
}

#[test]
fn a_run_whose_time_is_over_says_what_it_did_not_try() {
    let none = Options { run_ms: 0, ..options() };
    let report = check_running("it", harness::executor(), &Expected::default(), &none, &mut ());
    assert_eq!(report.judgement(), Judgement::Untried);
    assert!(human(&report, Style::Plain).contains("the run was over after 0 ms"), "{}", human(&report, Style::Plain));
}

#[test]
fn a_broken_rule_comes_with_the_code_that_shows_it_and_a_command() {
    let report = check_running(
        "it.wasm",
        Arc::new(Double::new(harness::executor(), "EXEC-VALUE-03")),
        &Expected::default(),
        &Options { seed: 5, only: vec!["EXEC-VALUE".to_owned(), "EXEC-LANG-08".to_owned()], ..Options::default() },
        &mut (),
    );
    let text = human(&report, Style::Plain);
    assert_eq!(broken(&report), ["EXEC-VALUE-03"], "{text}");
    assert!(text.contains(r#"with {"$cm":["date",null]}"#), "it is the smallest value: {text}");
    assert!(text.contains("codemode-conformance executor it.wasm --rule EXEC-VALUE-03 --seed 5"), "{text}");
}

#[test]
fn the_command_checks_executors() {
    let run = |file: &str, rule: &str| {
        let binary = std::process::Command::new(env!("CARGO_BIN_EXE_codemode-conformance"))
            .args(["executor", file, "--rule", rule])
            .env("XDG_CACHE_HOME", env!("CODEMODE_TEST_CACHE"))
            .output()
            .unwrap();
        (binary.status.code(), String::from_utf8(binary.stdout).unwrap())
    };
    let (kept, text) = run(WARM, "EXEC-RUN");
    assert!(kept == Some(0) && text.contains("3 pass"), "{text}");
    let (untried, text) = run(env!("CODEMODE_DOUBLES_WASM"), "EXEC-RUN");
    assert!(untried == Some(3) && text.contains("EXEC-LOAD-01 has to be kept first"), "{text}");
    assert_eq!(run(WARM, "CONN-CALL-01").0, Some(2));
    assert_eq!(run("no-such.wasm", "EXEC-RUN").0, Some(2));
}
