//! What a replay says when the code, the record or the sandbox is another one.

use codemode_conformance::harness::{Host, executor, id_of};
use codemode_runtime::bundle::{self, Bundle, Note, ReadLimits, Verdict};
use codemode_runtime::{Limits, Seq};

use crate::kit::{difference, early_end, exported, replayed, resealed, with_code};
use crate::stories::bundle_of;

const CODE: &str = "async () => {
  const a = await t.echo({ id: 1 });
  const k = await codemode.step('k', () => 2);
  await new Promise((r) => setTimeout(r, 1));
  const [b, c] = await Promise.all([t.add({ n: k }), shelf.list()]);
  console.log('end');
  return { a, b: b.n, c };
}";

async fn original() -> Bundle {
    let host = Host::new();
    let id = id_of(&host.runtime().execute(CODE).await.unwrap());
    exported(&host, &id).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_changes_nothing_is_the_same() {
    let original = original().await;
    for (from, to) in [
        ("const a = await", "/* why */ const a =\n\n await"),
        ("{ id: 1 }", "{ ...{}, ['i' + 'd']: 0 + 1 }"),
        ("{ a, b: b.n, c }", "{ c, a, b: b.n }"),
    ] {
        let report = replayed(&with_code(&original, from, to)).await;
        assert_eq!((&report.verdict, report.notes.len()), (&Verdict::Same, 0), "{to}: {report:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn edited_code_diverges_at_its_place() {
    let original = original().await;
    let end = "completed with {\"a\":{\"id\":1},\"b\":2,\"c\":[]}";
    // What is edited; op and seq of the difference; what is recorded there, and what the code does.
    let table = [
        (("{ id: 1 }", "{ id: 7 }"), (0, Some(0)), "t.echo {\"id\":1}", "t.echo {\"id\":7}"),
        (("t.echo", "t.add"), (0, Some(0)), "t.echo {\"id\":1}", "t.add {\"id\":1}"),
        (("({ id: 1 })", "()"), (0, Some(0)), "t.echo {\"id\":1}", "t.echo"),
        (("'k'", "'other'"), (1, Some(1)), "__step.k", "__step.other"),
        (("(r, 1)", "(r, 5)"), (2, None), "a timer of 1 ms", "a timer of 5 ms"),
        (
            ("t.add({ n: k }), shelf.list()", "shelf.list(), t.add({ n: k })"),
            (3, Some(2)),
            "t.add {\"n\":2}",
            "shelf.list",
        ),
        (("const a", "await t.echo({ id: 0 }); const a"), (0, Some(0)), "t.echo {\"id\":1}", "t.echo {\"id\":0}"),
        (("console.log('end')", "await t.echo(1)"), (5, None), end, "t.echo 1"),
        (("console.log('end')", "t.echo(1)"), (5, None), end, "t.echo 1"),
        (("b: b.n", "b: 3"), (5, None), end, "completed with {\"a\":{\"id\":1},\"b\":3,\"c\":[]}"),
        (("{ a, b: b.n, c }", "undefined"), (5, None), end, "completed with undefined"),
    ];
    for ((from, to), (op, seq), expected, actual) in table {
        let found = difference(&with_code(&original, from, to)).await;
        let place = (found.at.op.0, found.at.seq);
        assert_eq!(
            (place, &*found.expected, &*found.actual),
            ((op, seq.map(Seq)), expected, actual),
            "{to}: {found:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_ends_otherwise_diverges_at_the_end() {
    let original = original().await;
    let short = difference(&with_code(&original, "const [b, c]", "return a; const [b, c]")).await;
    assert_eq!((short.at.op.0, short.at.seq, &*short.expected), (3, Some(Seq(2)), "t.add {\"n\":2}"));
    assert!(short.at.why.contains("the recorded call of t.add was not reached"), "{short:?}");
    assert!(short.hint.is_some_and(|h| h.contains("shorter path")));

    let thrown = difference(&with_code(&original, "console.log('end')", "throw new TypeError('no')")).await;
    assert_eq!(thrown.actual, "error[thrown]: TypeError: no (line 6, column 13)");
    let unparsable = difference(&with_code(&original, "async () => {", "async () => { ) ")).await;
    assert!(unparsable.actual.starts_with("error[syntax]: "), "{unparsable:?}");
    let stuck = difference(&with_code(&original, "console.log('end')", "await new Promise(() => {})")).await;
    assert!(stuck.actual.starts_with("error[never_settles]: "), "{stuck:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_record_shows() {
    let original = original().await;
    let mut answer = original.clone();
    answer.entries[0].answer = Some(Ok(Some(codemode_conformance::harness::json("{\"id\":8}"))));
    let found = difference(&answer).await;
    assert_eq!(found.at.why, "the code comes to another end: the result differs at .a.id");

    let mut order = original.clone();
    let delivery = order.entries[3].delivery;
    order.entries[3].delivery = order.entries[0].delivery;
    order.entries[0].delivery = delivery;
    let found = difference(&order).await;
    assert!(found.at.why.contains("was not reached"), "{found:?}");

    let mut console = original.clone();
    console.standing.logs[0].text = "start".to_owned();
    let report = replayed(&console).await;
    assert_eq!((report.verdict, report.notes), (Verdict::Same, vec![Note::Console { line: 1 }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_sandbox_is_a_note_and_other_rules_are_a_refusal() {
    let mut other = original().await;
    other.start.executor = "sha256:0".to_owned();
    let report = replayed(&other).await;
    let Note::OtherExecutor { recorded, used } = &report.notes[0] else { panic!("{report:?}") };
    assert_eq!((report.verdict, recorded.as_str()), (Verdict::Same, "sha256:0"));
    assert!(used.starts_with("sha256:") && used.len() == 71, "{used}");

    other.start.replay_version += 1;
    let error = bundle::replay(executor(), &other, &Limits::default()).await.unwrap_err();
    assert_eq!(error.code(), "replay_version");
    let text = bundle::write(&other);
    assert_eq!(bundle::read(text.as_bytes(), &ReadLimits::default()), Ok(other), "it can still be read");
}

/// A bundle may come from anybody.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_code_in_a_bundle_ends_within_the_limits() {
    let original = original().await;
    let mut limits = Limits::default();
    limits.cpu_ms = 200;
    for (from, limit) in
        [("for (;;) {}", "guest CPU"), ("const l = []; for (;;) l.push(new Array(1e6).fill(0))", "guest memory")]
    {
        let hostile = with_code(&original, "console.log('end')", from);
        let report = bundle::replay(executor(), &hostile, &limits).await.unwrap();
        let Verdict::Diverged(found) = &report.verdict else { panic!("{report:?}") };
        assert!(found.actual.contains("error[limit]"), "{limit}: {found:?}");
    }
    let mut names = original.clone();
    for name in ["__proto__", "codemode", "", "a b"] {
        names.start.namespaces[0].name = name.to_owned();
        replayed(&names).await;
    }
    let mut floods = original;
    floods.start.code = "async () => { for (;;) t.echo({}); }".to_owned();
    assert_eq!(difference(&floods).await.at.op.0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_that_the_recorded_run_did_not_wait_for_is_never_waited_for() {
    let host = Host::new();
    let code = "async () => { setTimeout(() => {}, 50000); await t.echo({}); return 1; }";
    let id = id_of(&host.runtime().execute(code).await.unwrap());
    let bundle = exported(&host, &id).await;
    assert_eq!(replayed(&bundle).await.verdict, Verdict::Same);
    let waits = with_code(
        &bundle,
        "setTimeout(() => {}, 50000); await t.echo({})",
        "const p = new Promise(r => setTimeout(r, 50000)); await t.echo({}); await p",
    );
    let found = difference(&waits).await;
    assert_eq!(found.at.why, "the code waits for a timer of 50000 ms, which had not fired in the recorded run");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_call_that_was_not_performed_ends_the_record() {
    let mut paused = bundle_of("paused").await;
    let decision = bundle_of("approved").await.entries[0].decision.clone();
    assert!(decision.is_some());
    paused.entries[0].decision = decision;
    let end = early_end(&paused).await;
    assert_eq!((end.op.0, end.seq), (0, Some(Seq(0))));
    assert!(end.why.contains("it is approved and was not performed yet"), "{end:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_optional_lines_do_not_disturb_a_replay() {
    let original = original().await;
    let text = bundle::write(&original).replacen(
        "{\"kind\":\"end\"",
        "{\"kind\":\"picture\",\"optional\":true}\n{\"kind\":\"end\"",
        1,
    );
    let read = bundle::read(resealed(&text).as_bytes(), &ReadLimits::default()).unwrap();
    assert_eq!(read, original);
}
