//! Sizes: one unit everywhere, cuts between characters, and nothing performed for a value that cannot be kept.

use codemode_conformance::harness::{Host, SIZES, anna, error_of, id_of, result_of};
use codemode_runtime::{By, EntryState, ErrorKind, Outcome, Pick, Picks, Query, Seq};

use crate::kit::soon;

/// Covers BUG-LIM-01.
#[tokio::test(flavor = "multi_thread")]
async fn long_texts_are_cut_between_characters() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = r#"async () => {
        const out = [];
        for (const ch of ["é", "中", "🙂", "e\u0301", "\ud83d\udc68\u200d\ud83d\udc69"]) for (let off = 0; off < 4; off++) { const s = "x".repeat(off) + ch.repeat(300000); console.log(s.slice(0, 70000)); out.push(s.length); }
        throw new Error("中".repeat(500000)); }"#;
    let outcome = soon(runtime.execute(code)).await.unwrap();
    let error = error_of(&outcome);
    assert_eq!((error.kind, error.message.chars().count()), (ErrorKind::Thrown, 500_000));
    let Outcome::Failed { logs, .. } = &outcome else { panic!() };
    assert_eq!(logs.len(), 20);
    for line in logs {
        let units = line.encode_utf16().count();
        assert!((9_998..=10_000).contains(&units), "{units}");
        assert!(
            line.ends_with("… [cut; 70000 characters in full]"),
            "{}",
            line.chars().rev().take(50).collect::<String>()
        );
        assert!(!line.contains('\u{fffd}'), "a character was cut in two");
    }
    let record = runtime.record(&id_of(&outcome)).unwrap().unwrap();
    assert_eq!(&record.execution.logs, logs);
    // An error text over the limit is cut when it is stored.
    for ch in ["a", "é", "中", "🙂"] {
        let code = format!("async () => {{ throw new Error('x' + '{ch}'.repeat(1200000 / '{ch}'.length)); }}");
        let outcome = soon(runtime.execute(code.as_str())).await.unwrap();
        assert!(!error_of(&outcome).message.is_empty());
        let stored = runtime.record(&id_of(&outcome)).unwrap().unwrap().execution.error.unwrap().message;
        let units = stored.encode_utf16().count();
        assert!((999_998..=1_000_000).contains(&units), "{ch}: {units}");
        assert!(stored.ends_with("characters in full]") && stored.starts_with(&format!("x{ch}")), "{ch}");
    }
}

/// Covers BUG-LIM-01.
#[tokio::test(flavor = "multi_thread")]
async fn texts_of_people_and_connectors_are_cut_too() {
    let host = Host::new();
    let runtime = host.runtime();
    for ch in ["é", "中", "🙂", "e\u{301}", "\u{1f468}\u{200d}\u{1f469}"] {
        for off in 0..4 {
            let long = format!("{}{}", "x".repeat(off), ch.repeat(30_000));
            let by = By { actor: long.clone(), channel: long.clone(), reason: Some(long.clone()) };
            let id = id_of(&runtime.execute("async () => t.gate({})").await.unwrap());
            assert!(runtime.reject(&id, Seq(0), by).await.unwrap());
            let record = runtime.record(&id).unwrap().unwrap();
            let decision = record.entries[0].decision.clone().unwrap();
            for kept in [decision.actor, decision.channel, decision.reason.unwrap()] {
                assert!(kept.encode_utf16().count() <= 10_000 && kept.ends_with("characters in full]"), "{ch} {off}");
            }
            let code = format!(
                "async () => {{ try {{ await t.fail({{ msg: 'x'.repeat({off}) + '{ch}'.repeat(30000) }}); }} \
                 catch (e) {{ return e.message; }} }}"
            );
            let message: String =
                serde_json::from_str(&result_of(&runtime.execute(code.as_str()).await.unwrap())).unwrap();
            assert!(message.encode_utf16().count() <= 10_000 && message.ends_with("characters in full]"), "{ch} {off}");
        }
    }
    // However small the room is.
    for units in 0..=40 {
        let small = Host::new().limits(|l| (l.log_line_units, l.log_lines) = (units, 3)).runtime();
        let code =
            "async () => { for (let i = 0; i < 9; i++) console.log('x'.repeat(i) + '🙂中é'.repeat(50)); return 1; }";
        let Outcome::Completed { logs, .. } = small.execute(code).await.unwrap() else { panic!("{units}") };
        assert_eq!(logs.len(), 4, "{units}");
        assert!(logs[..3].iter().all(|l| l.encode_utf16().count() <= units as usize), "{units}: {logs:?}");
        assert_eq!(logs[3], "[codemode] 6 more lines were dropped (limit `log lines`, 3)");
    }
}

/// Covers BUG-LIM-02, DIFF-01.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_a_million_characters_passes_and_one_more_does_not() {
    let host = Host::new();
    let runtime = host.runtime();
    for (n, ch, passes) in SIZES {
        let before = host.ledger.count("t", "echo");
        let code = format!(
            "async () => {{
                const n = {n}, ch = \"{ch}\";
                const r = await t.big({{ n, ch }});
                const e = await t.echo({{ s: ch.repeat(10) }});
                return [r.length, e.s.length]; }}"
        );
        let outcome = soon(runtime.execute(code.as_str())).await.unwrap();
        let units = if ch.starts_with('\\') { 1 } else { ch.encode_utf16().count() };
        if passes {
            assert_eq!(result_of(&outcome), format!("[{},{}]", n * units, 10 * units), "{n} {ch}");
            let record = runtime.record(&id_of(&outcome)).unwrap().unwrap();
            assert!(record.entries[0].answer.is_some());
        } else {
            let error = error_of(&outcome);
            assert_eq!(error.kind, ErrorKind::Unrecordable, "{n} {ch}: {error:?}");
            assert!(error.message.starts_with("result of t.big is too large: "), "{error:?}");
            assert!(error.message.contains("characters") && error.message.contains("1000000"), "{error:?}");
            let Outcome::Failed { calls: Some(calls), .. } = &outcome else { panic!() };
            assert_eq!(calls[0].state, EntryState::Unrecordable);
            assert_eq!(host.ledger.count("t", "echo"), before, "the run ends there");
        }
    }
}

/// Covers BUG-LIM-02, DIFF-01.
#[tokio::test(flavor = "multi_thread")]
async fn the_same_limit_holds_for_arguments_steps_and_what_is_thrown() {
    let host = Host::new();
    let runtime = host.runtime();
    for (n, ch, passes) in SIZES {
        let text = format!("\"{ch}\".repeat({n})");
        let before = host.ledger.count("t", "echo");
        for (code, subject) in [
            (format!("async () => (await t.echo({text})).length"), "arguments to t.echo"),
            (format!("async () => (await codemode.step('s', () => {text})).length"), "result of __step.s"),
            (format!("async () => (await codemode.step('s', async () => {text})).length"), "result of __step.s"),
        ] {
            let outcome = soon(runtime.execute(code.as_str())).await.unwrap();
            if passes {
                assert!(matches!(outcome, Outcome::Completed { .. }), "{code}: {outcome:#?}");
            } else {
                let error = error_of(&outcome);
                assert_eq!(error.kind, ErrorKind::Unrecordable, "{code}: {error:?}");
                assert!(error.message.contains(subject) && error.message.contains("characters"), "{code}: {error:?}");
            }
        }
        let performed = host.ledger.count("t", "echo") - before;
        assert_eq!(performed, u64::from(passes), "{n} {ch}: nothing is performed for what cannot be kept");
        // The final result is returned in any case.
        let outcome = soon(runtime.execute(format!("async () => {text}"))).await.unwrap();
        assert!(matches!(outcome, Outcome::Completed { .. }), "{n} {ch}");
        let kept = runtime.record(&id_of(&outcome)).unwrap().unwrap().execution.result.unwrap();
        assert_eq!(kept.as_str().contains("result omitted from the audit trail"), !passes, "{n} {ch}");
        // And what a closure throws is an error of the code, whatever its size.
        let code = format!(
            "async () => {{ try {{ await codemode.step('s', () => {{ throw new Error({text}); }}); }} catch (e) {{ return e.name; }} }}"
        );
        let outcome = soon(runtime.execute(code.as_str())).await.unwrap();
        assert!(
            matches!(&outcome, Outcome::Completed { .. }) || error_of(&outcome).kind == ErrorKind::Unrecordable,
            "{n} {ch}: {outcome:#?}"
        );
    }
    assert!(runtime.executions(&Query::default()).unwrap().iter().all(|s| s.damaged.is_none()));
}

/// Covers BUG-LIM-02, DIFF-01.
#[tokio::test(flavor = "multi_thread")]
async fn the_source_is_measured_in_the_same_unit() {
    let runtime = Host::new().runtime();
    let frame = "async () => { /**/ return 1; }";
    for ch in ["a", "é", "中", "🙂"] {
        let unit = ch.encode_utf16().count();
        let room = 1_000_000 - frame.len();
        let filled = |room: usize| {
            let text = format!("{}{}", ch.repeat(room / unit), "x".repeat(room % unit));
            frame.replace("/**/", &format!("/*{text}*/"))
        };
        assert_eq!(filled(room).encode_utf16().count(), 1_000_000);
        assert_eq!(result_of(&soon(runtime.execute(filled(room))).await.unwrap()), "1", "{ch}");
        let outcome = soon(runtime.execute(filled(room + 1))).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!((error.kind, outcome.execution()), (ErrorKind::CodeTooLarge, None), "{ch}");
        assert!(error.message.contains("1000001 characters, the limit is 1000000"), "{error:?}");
    }
    assert_eq!(runtime.executions(&Query::default()).unwrap().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_at_the_limit_survives_an_approval() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => {
        const r = await t.big({ n: 999998, ch: '中' });
        const g = await t.gate('🙂'.repeat(499999));
        return [r.length, g.ok]; }";
    let id = id_of(&runtime.execute(code).await.unwrap());
    let shown = runtime.pending(Some(&id)).unwrap().remove(0);
    let picks = Picks::These(vec![Pick { seq: shown.seq, digest: shown.digest }]);
    let outcome = runtime.approve(&id, picks, anna()).await.unwrap();
    assert_eq!(result_of(&outcome), "[999998,true]");
}

/// Covers BUG-LIM-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_small_value_that_is_huge_when_written_out_is_refused() {
    let host = Host::new();
    let runtime = host.runtime();
    let shared = "let v = 'x'; for (let i = 0; i < 40; i++) v = [v, v];";
    for (rest, subject) in [
        ("return await t.echo({ v });", "arguments to t.echo"),
        ("return await t.add({ v });", "arguments to t.add"),
        ("await codemode.step('s', () => v);", "result of __step.s"),
        ("await codemode.step('s', async () => v);", "result of __step.s"),
        ("return v;", "the final result"),
    ] {
        let outcome = soon(runtime.execute(format!("async () => {{ {shared} {rest} }}"))).await.unwrap();
        let error = error_of(&outcome);
        assert!(error.message.contains("too large") && error.message.contains(subject), "{rest}: {error:?}");
        assert!(matches!(error.kind, ErrorKind::Unrecordable | ErrorKind::Limit), "{rest}: {error:?}");
    }
    let runtime = host.clone().limits(|l| l.cpu_ms = 2_000).runtime();
    for rest in [
        "console.log(v); return 1;",
        "return JSON.stringify(v).length;",
        "throw v;",
        "structuredClone(v); return 1;",
        "return String(v).length;",
    ] {
        let outcome = soon(runtime.execute(format!("async () => {{ {shared} {rest} }}"))).await.unwrap();
        match &outcome {
            // A line of the console, or what was thrown, may be cut.
            Outcome::Completed { .. } => {
                assert!(rest.starts_with("console") || rest.starts_with("structured"), "{rest}")
            }
            Outcome::Failed { error, .. } => assert_ne!(error.kind, ErrorKind::Sandbox, "{rest}: {error:?}"),
            other => panic!("{other:#?}"),
        }
    }
    let wide = "const o = {}; for (let i = 0; i < 40; i++) { o.a = { ...o }; o.b = { ...o }; } await t.echo(o);";
    let outcome = soon(runtime.execute(format!("async () => {{ {wide} }}"))).await.unwrap();
    assert!(error_of(&outcome).message.contains("too large"), "{outcome:#?}");
    assert_eq!((host.ledger.count("t", "echo"), host.ledger.count("t", "add")), (0, 0));
    assert_eq!(result_of(&runtime.execute("async () => 1").await.unwrap()), "1");
}
