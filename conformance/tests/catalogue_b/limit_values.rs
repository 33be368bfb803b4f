//! The size of values: 1,000,000 UTF-16 code units pass, one more does not, wherever a value is journaled, and what is
//! too large is never cut or performed.

use std::sync::Arc;

use codemode_conformance::harness::{Host, SIZES, anna, approve_all, error_of, journal_of, pending_of, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::journal::{EntryState, ReplayPolicy};
use codemode_runtime::store::sqlite::{Options, SqliteStore};
use codemode_runtime::{ErrorKind, Outcome, Picks, Status};
use serde_json::json;

use crate::kit::{error_text, hooks, run, shared, stored, wire};
use codemode_conformance::fixtures::EventKind;

/// Covers LIMIT-01, LIMIT-03, runtime#30, DIFF-01.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_a_million_characters_is_recorded_and_one_more_ends_the_execution() {
    let host = Host::new();
    let runtime = host.runtime();
    let fits = runtime.execute("async () => (await shelf.huge({ n: 999998 })).length").await.unwrap();
    assert_eq!(result_of(&fits), "999998");
    let recorded = stored(&runtime, &fits).entries[0].answer.clone().unwrap().unwrap().unwrap();
    assert_eq!(recorded.units(), 1_000_000);

    let over = runtime.execute("async () => (await shelf.huge({ n: 999999 })).length").await.unwrap();
    let error = error_of(&over);
    assert_eq!(error.kind, ErrorKind::Unrecordable);
    assert_eq!(
        error.message,
        "result of shelf.huge is too large: 1000001 characters, the limit is 1000000 (limit `value size`)"
    );
    let advice = error.hint.as_deref().unwrap();
    assert!(advice.contains("file") && advice.contains("short reference"), "{advice}");
    let record = stored(&runtime, &over);
    assert_eq!(record.execution.status, Status::Error);
    assert_eq!(record.entries[0].state, EntryState::Unrecordable);
    assert_eq!(record.entries[0].answer, None);
}

/// Covers LIMIT-01, LIMIT-04, LIMIT-06.
#[tokio::test(flavor = "multi_thread")]
async fn an_argument_of_a_million_characters_is_performed_and_one_more_is_neither_logged_nor_performed() {
    let host = Host::new();
    let runtime = host.runtime();
    let fits = runtime.execute("async () => { await shelf.echo('x'.repeat(999998)); return 'ok'; }").await.unwrap();
    assert_eq!(result_of(&fits), "\"ok\"");
    assert_eq!(host.ledger.count("shelf", "echo"), 1);

    let code = "async () => { try { await shelf.echo('x'.repeat(999999)); } catch (e) {} return 'went on'; }";
    let over = runtime.execute(code).await.unwrap();
    let text = error_text(&over);
    assert!(text.contains("arguments to shelf.echo is too large"), "{text}");
    assert!(text.contains("1000000") && text.contains("characters"), "{text}");
    assert_eq!(stored(&runtime, &over).entries, []);
    assert_eq!(host.ledger.count("shelf", "echo"), 1);
}

/// Covers LIMIT-02, DIFF-01, BUG-LIM-02.
#[tokio::test(flavor = "multi_thread")]
async fn characters_are_counted_and_not_bytes_in_arguments_results_and_steps() {
    for (n, ch, passes) in SIZES {
        let places = [
            ("argument", format!("await t.echo('{ch}'.repeat({n}))"), "arguments to t.echo"),
            ("result", format!("await t.big({{ n: {n}, ch: '{ch}' }})"), "result of t.big"),
            ("step", format!("await codemode.step('s', () => '{ch}'.repeat({n}))"), "result of __step.s"),
        ];
        for (place, expression, subject) in places {
            let outcome = run(&format!("async () => ({expression}).length")).await;
            if passes {
                let units = if ch == "🙂" { 2 * n } else { n };
                assert_eq!(result_of(&outcome), units.to_string(), "{n} {ch} as {place}");
            } else {
                let text = error_text(&outcome);
                assert!(text.contains(subject), "{n} {ch} as {place}: {text}");
                assert!(text.contains("too large") && text.contains("1000000"), "{n} {ch} as {place}: {text}");
                assert!(text.contains("characters") && !text.contains("bytes"), "{n} {ch} as {place}: {text}");
            }
        }
    }
}

/// Covers LIMIT-01, LIMIT-06.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_result_of_a_million_characters_replays_and_one_more_is_an_error_that_names_the_step() {
    let host = Host::new();
    let code = "async () => { const v = await codemode.step('s', () => 'x'.repeat(999998)); await t.gate({});
        return v.length; }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), ["1 t.gate {}"]);
    assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), "999998");

    let runtime = host.runtime();
    let over = runtime.execute("async () => { await codemode.step('s', () => 'x'.repeat(999999)); }").await.unwrap();
    let text = error_text(&over);
    assert!(text.contains("result of __step.s is too large") && text.contains("1000000"), "{text}");
    let record = stored(&runtime, &over);
    assert_eq!(record.entries[0].state, EntryState::Unrecordable);
    assert_eq!(journal_of(&runtime, record.execution.id()), ["0 __step.s error"]);
}

/// Covers LIMIT-01, LIMIT-03, LIMIT-06.
#[tokio::test(flavor = "multi_thread")]
async fn code_of_a_million_characters_runs_and_one_more_is_not_stored() {
    let runtime = Host::new().runtime();
    // An emoji is two code units and four bytes.
    let code_of = |units: usize| {
        let (start, end) = ("async () => '", "'.length");
        let emojis = (units - start.len() - end.len()) / 2;
        let odd = (units - start.len() - end.len()) % 2;
        format!("{start}{}{}{end}", "🙂".repeat(emojis), "x".repeat(odd))
    };
    let fits = code_of(1_000_000);
    assert_eq!(fits.encode_utf16().count(), 1_000_000);
    let outcome = runtime.execute(fits.as_str()).await.unwrap();
    assert_eq!(result_of(&outcome), (1_000_000 - 13 - 8).to_string());

    let over = runtime.execute(code_of(1_000_001)).await.unwrap();
    let Outcome::Failed { execution: None, error, calls: None, .. } = &over else { panic!("{over:#?}") };
    assert_eq!(error.kind, ErrorKind::CodeTooLarge);
    assert_eq!(
        error.message,
        "the execution code is too large: 1000001 characters, the limit is 1000000 (limit `code size`)"
    );
    assert!(error.hint.as_deref().unwrap().contains("file"));
    assert_eq!(runtime.executions(&Default::default()).unwrap().len(), 1);
}

/// Covers LIMIT-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_over_the_limit_ends_the_pass_at_once_whatever_the_code_catches() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { try { await t.addBig({ n: 1, chars: 1000000 }); } catch (e) {} finally {
        console.log('went on'); await t.add({ n: 2 }); } return 'fine'; }";
    let outcome = runtime.execute(code).await.unwrap();
    assert!(error_of(&outcome).message.contains("result of t.addBig is too large"), "{outcome:#?}");
    assert_eq!((host.ledger.count("t", "addBig"), host.ledger.count("t", "add")), (1, 0));
    let record = stored(&runtime, &outcome);
    assert_eq!(record.execution.logs, Vec::<String>::new());
    assert_eq!(journal_of(&runtime, record.execution.id()), ["0 t.addBig error"]);
}

/// Covers LIMIT-07.
#[tokio::test(flavor = "multi_thread")]
async fn a_cyclic_argument_fails_the_execution_and_says_where_and_what_is_allowed() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { const a = { b: [1] }; a.b.push(a); await shelf.echo(a); }";
    let outcome = runtime.execute(code).await.unwrap();
    let error = error_of(&outcome);
    assert_eq!(error.kind, ErrorKind::Unrecordable);
    assert_eq!(error.message, "arguments to shelf.echo: args.b[1] contains itself (a cycle)");
    let hint = error.hint.as_deref().unwrap();
    for allowed in ["JSON values", "byte data", "big integers"] {
        assert!(hint.contains(allowed), "{hint}");
    }
    assert_eq!(stored(&runtime, &outcome).entries, []);
    assert_eq!(host.ledger.count("shelf", "echo"), 0);
}

/// Covers LIMIT-08.
#[tokio::test(flavor = "multi_thread")]
async fn a_re_executed_result_is_not_stored_and_not_limited() {
    let live = Method { replay: ReplayPolicy::Reexecute, ..Method::read("huge") };
    let big = Native::new("big").method_sync(live, |args, _| {
        let n = args.and_then(|a| a["n"].as_u64()).unwrap_or(0) as usize;
        Ok(json!("x".repeat(n)))
    });
    let host = Host::new().with("big", shared(big)).limits(|l| l.outcome_units = 1_200_000);
    let runtime = host.runtime();
    let outcome = runtime.execute("async () => (await big.huge({ n: 1199998 })).length").await.unwrap();
    assert_eq!(result_of(&outcome), "1199998");
    let record = stored(&runtime, &outcome);
    assert_eq!((record.entries[0].state, &record.entries[0].answer), (EntryState::Applied, &Some(Ok(None))));
    // Only what the sandbox may take in bounds it.
    let over = runtime.execute("async () => (await big.huge({ n: 1199999 })).length").await.unwrap();
    assert!(error_of(&over).message.contains("result of big.huge is too large: 1200001 characters"), "{over:#?}");
}

/// Covers LIMIT-09, runtime#31.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_final_result_reaches_the_caller_and_the_record_keeps_a_note() {
    let runtime = Host::new().runtime();
    let outcome = runtime.execute("async () => 'y'.repeat(1100000)").await.unwrap();
    let result = result_of(&outcome);
    assert_eq!(result.len(), 1_100_002);
    assert_eq!(result, format!("\"{}\"", "y".repeat(1_100_000)));
    let record = stored(&runtime, &outcome);
    assert_eq!(record.execution.status, Status::Completed);
    assert_eq!(
        record.execution.result.unwrap().as_str(),
        "\"result omitted from the audit trail: 1100002 characters, the limit is 1000000; the caller got the real \
         value\""
    );
    let exact = runtime.execute("async () => 'y'.repeat(999998)").await.unwrap();
    assert_eq!(stored(&runtime, &exact).execution.result.unwrap().units(), 1_000_000);
}

/// Covers LIMIT-06.
#[tokio::test(flavor = "multi_thread")]
async fn a_final_result_over_its_own_limit_is_an_error_that_names_that_limit() {
    let host = Host::new().limits(|l| l.outcome_units = 1_000);
    let runtime = host.runtime();
    let fits = runtime.execute("async () => 'y'.repeat(998)").await.unwrap();
    assert_eq!(result_of(&fits).len(), 1_000);
    let over = runtime.execute("async () => 'y'.repeat(999)").await.unwrap();
    assert_eq!(error_of(&over).kind, ErrorKind::Limit);
    assert_eq!(
        error_of(&over).message,
        "the final result is too large: more than 1000 characters (limit `result size`)"
    );
    // A step that is called like the final result is still a step.
    let host = Host::new().limits(|l| l.value_units = 1_000);
    let step = "async () => { await codemode.step('final result', () => 'y'.repeat(999)); }";
    let step = host.runtime().execute(step).await.unwrap();
    assert!(error_of(&step).message.contains("limit `value size`"), "{step:#?}");
    let function = run("async () => [1, () => 1]").await;
    assert_eq!(error_of(&function).message, "the final result: result[1] is a function, which cannot be recorded");
}

/// Covers LIMIT-10.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_error_text_is_cut_to_a_million_characters() {
    let runtime = Host::new().runtime();
    for (thrown, unit) in [("new Error('x'.repeat(1200000))", "x"), ("new Error('é'.repeat(1200000))", "é")] {
        let outcome = runtime.execute(format!("async () => {{ throw {thrown}; }}")).await.unwrap();
        let message = stored(&runtime, &outcome).execution.error.unwrap().message;
        assert_eq!(message.encode_utf16().count(), 1_000_000);
        assert!(message.starts_with(&unit.repeat(999_000)));
    }
}

/// Covers LIMIT-13.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_of_re_executed_calls_are_limited_like_others() {
    let host = Host::new();
    let runtime = host.runtime();
    let fits = runtime.execute("async () => shelf.tick('x'.repeat(999998))").await.unwrap();
    assert_eq!(result_of(&fits), r#"{"reads":1}"#);
    let over = runtime.execute("async () => shelf.tick('x'.repeat(999999))").await.unwrap();
    assert!(error_of(&over).message.contains("arguments to shelf.tick is too large"), "{over:#?}");
    assert_eq!(host.ledger.count("shelf", "tick"), 1);
    assert_eq!(stored(&runtime, &over).entries, []);
}

/// Covers BUG-LIM-04, LIMIT-03.
#[tokio::test(flavor = "multi_thread")]
async fn a_small_value_that_explodes_when_written_out_is_too_large() {
    let host = Host::new();
    let doubled = "let v = 'x'; for (let i = 0; i < 40; i++) v = [v, v];";
    for (use_it, subject) in [
        ("await t.echo({ v })", "arguments to t.echo is too large"),
        ("return v", "the final result is too large"),
        ("await codemode.step('s', () => v)", "result of __step.s is too large"),
    ] {
        let outcome = host.runtime().execute(format!("async () => {{ {doubled} {use_it}; }}")).await.unwrap();
        assert!(error_of(&outcome).message.contains(subject), "{use_it}: {outcome:#?}");
    }
    assert_eq!(host.ledger.count("t", "echo"), 0);
    // As a text it has no end; that costs what computing may cost, and no more.
    let host = Host::new().limits(|l| l.cpu_ms = 500);
    let logged = host.runtime().execute(format!("async () => {{ {doubled} console.log(v); }}")).await.unwrap();
    assert_eq!(error_of(&logged).kind, ErrorKind::Limit, "{logged:#?}");
}

/// Covers LIFECYCLE-10, OUTPUT-07.
#[tokio::test(flavor = "multi_thread")]
async fn a_limit_error_carries_its_own_text_and_ends_the_execution_for_the_hooks() {
    let host = Host::new();
    let outcome = host.runtime().execute("async () => shelf.echo('x'.repeat(999999))").await.unwrap();
    let text = wire(&outcome)["error"].as_str().unwrap().to_owned();
    assert!(text.starts_with("arguments to shelf.echo is too large"), "{text}");
    assert_eq!(hooks(&host, EventKind::PassEnded, &outcome), ["error"]);
    assert_eq!(hooks(&host, EventKind::ExecutionEnded, &outcome), ["error"]);
    // It is over: there is nothing to approve.
    let id = outcome.execution().unwrap();
    let again = host.runtime().approve(id, Picks::AllPending, anna()).await.unwrap();
    assert_eq!(error_of(&again).kind, ErrorKind::NotResumable);
}

/// Covers LIMIT-02, BUG-LIM-02.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_takes_every_value_of_the_limit_although_it_has_three_million_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Arc::new(SqliteStore::open(folder.path().join("store.db"), Options::default()).unwrap());
    let code = "async () => { const v = '中'.repeat(999998); const e = await t.echo(v); const s = await codemode.step('s', () => v);
        await t.gate({}); console.log(e === v && s === v); return e; }";
    let host = Host::over(open());
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), ["2 t.gate {}"]);
    let id = paused.execution().unwrap().clone();
    drop(host);
    // Another process finds it as it was.
    let host = Host::over(open());
    let runtime = host.runtime();
    let done = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
    let record = stored(&runtime, &done);
    assert_eq!(record.execution.result.unwrap().units(), 1_000_000);
    assert_eq!(record.execution.logs, ["true"]);
    assert_eq!(host.ledger.count("t", "echo"), 0);
}
