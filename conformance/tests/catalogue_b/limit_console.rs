//! Console lines are bounded by number and length, and cutting never breaks a character or hangs.

use codemode_conformance::harness::{Host, result_of};
use codemode_runtime::Outcome;

use crate::kit::{run, soon, stored};

fn logs(outcome: &Outcome) -> &[String] {
    match outcome {
        Outcome::Completed { logs, .. } | Outcome::Failed { logs, .. } => logs,
        other => panic!("no logs: {other:#?}"),
    }
}

/// Covers LIMIT-11.
#[tokio::test(flavor = "multi_thread")]
async fn so_many_lines_are_kept_and_the_rest_is_counted() {
    let host = Host::new().limits(|l| l.log_lines = 3);
    let runtime = host.runtime();
    let code = |n: u32| format!("async () => {{ for (let i = 0; i < {n}; i++) console.log(i); }}");
    let fits = runtime.execute(code(3)).await.unwrap();
    assert_eq!(logs(&fits), ["0", "1", "2"]);
    let over = runtime.execute(code(5)).await.unwrap();
    let expected = ["0", "1", "2", "[codemode] 2 more lines were dropped (limit `log lines`, 3)"];
    assert_eq!(logs(&over), expected);
    assert_eq!(stored(&runtime, &over).execution.logs, expected);
}

/// Covers LIMIT-11.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_the_limit_is_whole_and_a_longer_one_is_cut_with_its_size() {
    let host = Host::new().limits(|l| l.log_line_units = 100);
    let code = |n: u32| format!("async () => {{ console.log('x'.repeat({n})); }}");
    let fits = host.runtime().execute(code(100)).await.unwrap();
    assert_eq!(logs(&fits), ["x".repeat(100)]);
    let over = host.runtime().execute(code(101)).await.unwrap();
    let line = &logs(&over)[0];
    assert_eq!(line.encode_utf16().count(), 100);
    assert!(line.ends_with("… [cut; 101 characters in full]"), "{line}");
}

/// Covers LIMIT-11, WEAK-19.
#[tokio::test(flavor = "multi_thread")]
async fn two_lines_of_which_the_last_is_huge_neither_hang_nor_fail_the_execution() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { console.log('first'); console.log('y'.repeat(1100000)); return 'done'; }";
    let outcome = soon(runtime.execute(code)).await.unwrap();
    assert_eq!(result_of(&outcome), "\"done\"");
    assert_eq!(logs(&outcome)[0], "first");
    assert_eq!(logs(&outcome)[1].encode_utf16().count(), 10_000);
    assert!(logs(&outcome)[1].starts_with("yyyyyyyy"));
    assert_eq!(stored(&runtime, &outcome).execution.logs, logs(&outcome));
}

/// Covers BUG-LIM-01.
#[tokio::test(flavor = "multi_thread")]
async fn texts_of_wide_characters_are_cut_between_characters() {
    let code = r#"async () => {
        const out = [];
        for (const ch of ["é", "中", "🙂", "e\u0301", "\ud83d\udc68\u200d\ud83d\udc69"]) for (let off = 0; off < 4; off++) {
            const s = "x".repeat(off) + ch.repeat(300000); console.log(s.slice(0, 70000)); out.push(s.length); }
        throw new Error("中".repeat(1500000));
    }"#;
    let outcome = soon(run(code)).await;
    let Outcome::Failed { error, logs, .. } = &outcome else { panic!("{outcome:#?}") };
    assert_eq!(logs.len(), 20);
    for line in logs {
        assert!((9_999..=10_000).contains(&line.encode_utf16().count()), "{}", line.encode_utf16().count());
        assert!(line.ends_with("… [cut; 70000 characters in full]"), "{}", &line[line.len() - 60..]);
    }
    assert_eq!(error.message.encode_utf16().count(), 1_000_000);
    assert!(error.message.ends_with("… [cut; 1500000 characters in full]"));
}
