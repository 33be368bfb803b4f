//! REPLAY: a pass that asks for something else than the journal has ends there, with an error that says what differs.

use codemode_conformance::harness::{Host, approve_all, error_of, id_of, journal_of, result_of};
use codemode_runtime::{ErrorKind, Outcome};

use crate::support::{created, disposed, live_host, record, status};

/// Runs code through one approval.
async fn approved(host: &Host, code: &str) -> Outcome {
    let paused = host.runtime().execute(code).await.unwrap();
    assert!(matches!(paused, Outcome::Paused { .. }), "{paused:#?}");
    approve_all(&host.runtime(), paused).await
}

/// Code whose two passes differ: `first` where the re-executed read says so, else `second`.
fn differing(first: &str, second: &str) -> String {
    format!(
        "async () => {{ const {{ reads }} = await shelf.tick(); let r;
            if (reads === 1) {{ r = {first}; }} else {{ r = {second}; }}
            await shelf.put({{ title: 'x' }}); return 'same'; }}"
    )
}

async fn diverged(first: &str, second: &str) -> String {
    let host = Host::new();
    let outcome = approved(&host, &differing(first, second)).await;
    let error = error_of(&outcome);
    assert_eq!((error.kind, error.name.as_str()), (ErrorKind::Divergence, "ReplayDivergence"));
    assert_eq!(status(&host.runtime(), &id_of(&outcome)), "error");
    assert_eq!(created(&host), Vec::<String>::new());
    error.message.clone()
}

/// Covers REPLAY-05, STEP-03.
#[tokio::test(flavor = "multi_thread")]
async fn another_call_at_the_same_place_is_a_divergence() {
    for (first, second, expected, actual) in [
        ("await codemode.step('a', () => 1)", "await shelf.list()", "__step.a", "shelf.list"),
        ("await shelf.list()", "await codemode.step('a', () => 1)", "shelf.list", "__step.a"),
        ("await codemode.step('a', () => 1)", "await codemode.step('b', () => 1)", "__step.a", "__step.b"),
        ("await shelf.list()", "await shelf.bytes()", "shelf.list", "shelf.bytes"),
        ("await shelf.echo(1)", "await t.echo(1)", "shelf.echo", "t.echo"),
    ] {
        let said = format!("replay divergence at seq 1: expected {expected}, the code asked for {actual}");
        assert_eq!(diverged(first, second).await, said);
    }
}

/// Covers REPLAY-06.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_compared_by_value_whatever_the_order_of_their_members() {
    let host = Host::new();
    let same =
        differing("await shelf.echo({ b: 1, a: { d: 1, c: 2 } })", "await shelf.echo({ a: { c: 2, d: 1 }, b: 1.0 })");
    assert_eq!(result_of(&approved(&host, &same).await), "\"same\"");
    assert_eq!(host.ledger.count("shelf", "echo"), 1);

    let host = Host::new();
    let outcome = approved(&host, &differing("await shelf.echo([1, 2])", "await shelf.echo([2, 1])")).await;
    let error = error_of(&outcome);
    assert!(
        error
            .message
            .starts_with("replay divergence at seq 1: the arguments of shelf.echo differ from the recorded run"),
        "{}",
        error.message
    );
    assert!(error.hint.as_ref().unwrap().contains("codemode.step"), "{error:?}");
}

/// Covers REPLAY-15.
#[tokio::test(flavor = "multi_thread")]
async fn the_arguments_of_a_reexecuted_call_are_compared_and_its_result_is_not() {
    let said = diverged("await t.live({ a: 1 })", "await t.live({ a: 2 })").await;
    assert!(said.starts_with("replay divergence at seq 1: the arguments of t.live differ"), "{said}");
    let host = Host::new();
    let same = differing("await t.live({ a: 1 })", "await t.live({ a: 1 })");
    assert_eq!(result_of(&approved(&host, &same).await), "\"same\"");
    assert_eq!(host.ledger.count("t", "live"), 2);
}

/// Covers WEAK-11, DIFF-09.
#[tokio::test(flavor = "multi_thread")]
async fn an_argument_that_appears_or_vanishes_or_changes_its_type_is_a_divergence() {
    for (first, second) in [
        ("await shelf.echo()", "await shelf.echo({ x: 1 })"),
        ("await shelf.echo({ x: 1 })", "await shelf.echo()"),
        ("await shelf.echo()", "await shelf.echo(null)"),
        ("await shelf.echo(5n)", "await shelf.echo(5)"),
        ("await shelf.echo(5n)", "await shelf.echo({ $cm: ['bigint', '5'] })"),
        ("await shelf.echo(new Uint8Array([1]))", "await shelf.echo(new Uint8Array([2]))"),
        ("await shelf.echo(new Uint8Array([1]))", "await shelf.echo(new Int8Array([1]))"),
        ("await shelf.echo(0)", "await shelf.echo(-0)"),
    ] {
        let said = diverged(first, second).await;
        assert!(said.starts_with("replay divergence at seq 1: the arguments of shelf.echo differ"), "{first}: {said}");
    }
}

/// Covers REPLAY-07, REPLAY-09, APPROVE-11, APPROVE-12, LIFECYCLE-10, OUTPUT-07, runtime#12.
#[tokio::test(flavor = "multi_thread")]
async fn chance_in_an_argument_is_caught_and_leaves_nothing_pending() {
    let host = live_host();
    let runtime = host.runtime();
    let code = "async () => { await shelf.list(); return shelf.put({ title: 't' + Math.random() }); }";
    let outcome = approved(&host, code).await;
    let id = id_of(&outcome);
    let error = error_of(&outcome);
    let said = "replay divergence at seq 1: the arguments of shelf.put differ from the recorded run at .title";
    assert_eq!(error.message, said);
    assert_eq!(record(&runtime, &id).execution.error.as_ref(), Some(error));
    assert_eq!(journal_of(&runtime, &id), ["0 shelf.list applied", "1 shelf.put error"]);
    assert_eq!(created(&host), Vec::<String>::new());
    assert_eq!((runtime.pending(None).unwrap(), runtime.pending(Some(&id)).unwrap()), (vec![], vec![]));
    assert_eq!(disposed(&host), ["error"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn chance_and_time_in_an_argument_are_the_same_in_each_pass_by_default() {
    let host = Host::new();
    let code = "async () => { const title = 't' + Math.random() + Date.now() + crypto.randomUUID();
        return (await shelf.put({ title })).title === title; }";
    assert_eq!(result_of(&approved(&host, code).await), "true");
}

/// Covers REPLAY-08.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_runs_after_a_divergence_even_when_the_code_catches_everything() {
    let host = Host::new();
    let code = "async () => {
        const { reads } = await shelf.tick();
        try { await shelf.put({ title: 't' + reads }); } catch {}
        finally { shelf.jot({ text: 'finally' }).catch(() => 0); }
        await shelf.jot({ text: 'later' });
        return 'done'; }";
    let outcome = approved(&host, code).await;
    assert_eq!(error_of(&outcome).kind, ErrorKind::Divergence);
    assert_eq!(journal_of(&host.runtime(), &id_of(&outcome)), ["0 shelf.tick applied", "1 shelf.put error"]);
    assert_eq!((host.ledger.count("shelf", "put"), host.ledger.count("shelf", "jot")), (0, 0));
}

/// Covers REPLAY-09.
#[tokio::test(flavor = "multi_thread")]
async fn entries_that_were_applied_stay_as_they_are_when_a_pass_diverges_on_them() {
    let host = Host::new();
    let outcome = approved(&host, &differing("await shelf.jot({ text: 'a' })", "await shelf.jot({ text: 'b' })")).await;
    let id = id_of(&outcome);
    assert_eq!(error_of(&outcome).kind, ErrorKind::Divergence);
    let entries = record(&host.runtime(), &id).entries;
    assert_eq!(entries[1].state.as_str(), "applied");
    assert_eq!(entries[1].answer, Some(Ok(Some(codemode_conformance::harness::json(r#"{"index":0}"#)))));
    assert_eq!(entries[1].request.args().unwrap().as_str(), r#"{"text":"a"}"#);
    assert_eq!(host.ledger.count("shelf", "jot"), 1);
}

/// Covers WEAK-17.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_that_skips_a_recorded_call_does_not_complete() {
    let host = Host::new();
    let code = "async () => { const { reads } = await shelf.tick(); if (reads === 1) await shelf.put({
        title: 'x' }); return reads; }";
    let outcome = approved(&host, code).await;
    let error = error_of(&outcome);
    assert_eq!(error.kind, ErrorKind::Divergence);
    assert_eq!(error.message, "replay divergence at seq 1: the recorded call of shelf.put was not reached");
    assert_eq!(created(&host), Vec::<String>::new());
    assert_eq!(host.runtime().pending(None).unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_needs_no_step_around_it_and_chance_outside_of_calls_does() {
    let host = live_host();
    let code = "async () => { const { id } = await t.add({ n: 1 }); await shelf.put({ title: 'n' + id }); return id; }";
    assert_eq!(result_of(&approved(&host, code).await), "1");
    assert_eq!(host.ledger.count("t", "add"), 1);

    let unwrapped = "async () => { const k = Math.random(); await shelf.put({ title: 'k' + k }); return 1; }";
    assert_eq!(error_of(&approved(&host, unwrapped).await).kind, ErrorKind::Divergence);
    let wrapped = "async () => { const k = await codemode.step('k', () => Math.random()); await shelf.put({
        title: 'k' + k }); return 1; }";
    assert_eq!(result_of(&approved(&host, wrapped).await), "1");
}
