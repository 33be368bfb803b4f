//! What the component prints for other hosts, the report that is made of it, and the command around both.

use std::process::{Command, Output};

use codemode_conformance::check::host::read_lines;
use codemode_conformance::check::report::{Judgement, Report, Verdict};
use codemode_conformance::check::{Expected, Options};

fn report(lines: &str) -> Result<Report, String> {
    read_lines(lines, "theirs", &Expected::default(), &Options::default())
}

fn conformance(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_codemode-conformance")).args(args).output().unwrap()
}

#[test]
fn lines_of_all_verdicts_become_a_report() {
    let read = report(concat!(
        "{\"rule\":\"HOST-RUN-01\",\"verdict\":\"pass\",\"cases\":1}\n\n",
        "{\"rule\":\"HOST-RUN-02\",\"verdict\":\"fail\",\"cases\":2,\"what\":\"it broke\",\"input\":\"execute(1)\"}\n",
        "{\"rule\":\"HOST-RUN-03\",\"verdict\":\"blocked\",\"cases\":0,\"reason\":\"HOST-RUN-02\"}\n",
        "{\"rule\":\"HOST-RESTART-01\",\"verdict\":\"unsupported\",\"cases\":1,\"reason\":\"no door\"}\n",
    ))
    .unwrap();
    let verdicts: Vec<_> = read.checked.iter().map(|c| (c.rule.id, c.cases, &c.verdict)).collect();
    assert_eq!(verdicts[0], ("HOST-RUN-01", 1, &Verdict::Pass));
    assert!(matches!(verdicts[1], ("HOST-RUN-02", 2, Verdict::Fail(found)) if found[0].what == "it broke"));
    assert_eq!(verdicts[2], ("HOST-RUN-03", 0, &Verdict::Blocked("HOST-RUN-02")));
    assert_eq!(verdicts[3].2, &Verdict::Unsupported("no door".to_owned()));
    assert_eq!(read.judgement(), Judgement::Broken);
}

#[test]
fn lines_that_are_none_of_the_component_are_refused_with_their_number() {
    for (lines, said) in [
        ("", "no lines"),
        ("\n", "no lines"),
        ("hello", "line 1: no JSON"),
        ("\n[1]", "line 2: it has no string `verdict`"),
        ("{\"rule\":\"HOST-X-01\",\"verdict\":\"pass\"}", "line 1: there is no rule HOST-X-01"),
        ("{\"rule\":\"CONN-CALL-01\",\"verdict\":\"pass\"}", "line 1: there is no rule CONN-CALL-01 for hosts"),
        ("{\"rule\":\"HOST-RUN-01\",\"verdict\":\"fine\"}", "line 1: there is no verdict `fine`"),
    ] {
        let refused = report(lines).unwrap_err();
        assert!(refused.starts_with(said) || refused.contains(said), "{lines}: {refused}");
    }
}

#[test]
fn the_command_checks_our_runtime_through_both_doors() {
    for more in [&["--store", "memory"][..], &["--door", "component"], &[]] {
        let args = [&["host", "--rule", "HOST-RUN-0", "--cases", "2"], more].concat();
        let done = conformance(&args);
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(done.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&done.stderr));
        assert!(text.contains("9 pass"), "{text}");
    }
}

#[test]
fn another_host_is_given_what_it_needs_and_its_lines_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let kit = folder.path().join("kit");
    let written = conformance(&["host", "--write", kit.to_str().unwrap()]);
    assert_eq!(written.status.code(), Some(0));
    for file in ["ledger.wasm", "host-check.wasm"] {
        assert!(std::fs::read(kit.join(file)).unwrap().starts_with(b"\0asm"));
    }
    assert!(std::fs::read_to_string(kit.join("README.txt")).unwrap().contains("host-check.wasm"));
    let file = folder.path().join("lines.jsonl");
    let read = |lines: &str| {
        std::fs::write(&file, lines).unwrap();
        conformance(&["host", "--read", file.to_str().unwrap()])
    };
    assert_eq!(read("{\"rule\":\"HOST-RUN-01\",\"verdict\":\"pass\",\"cases\":1}\n").status.code(), Some(0));
    let broken = read("{\"rule\":\"HOST-RUN-01\",\"verdict\":\"fail\",\"cases\":1,\"what\":\"w\",\"input\":\"\"}\n");
    assert_eq!(broken.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&broken.stdout).contains("HOST-RUN-01"));
    assert_eq!(read("no lines of it").status.code(), Some(3));
    assert_eq!(conformance(&["host", "--read", "no-such-file"]).status.code(), Some(2));
}
