//! What changed between a pause and its approval: answers of re-executed reads, contracts of methods, connectors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::harness::{Host, anna, approve_all, error_of, id_of, journal_of, pending_of, result_of};
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{Connector, Method};
use codemode_runtime::{EntryState, ErrorKind, Outcome, Picks, Seq, Status};
use serde_json::json;

use crate::kit::{executed, through};

/// Covers BUG-DUR-11, WEAK-17.
#[tokio::test(flavor = "multi_thread")]
async fn an_approved_call_that_is_not_reached_any_more_is_a_divergence() {
    let host = Host::new();
    let code = "async () => {
        const { n } = await t.live();
        if (n === 1) await t.gate({ n });
        return n; }";
    let outcome = through(&host, code).await;
    let error = error_of(&outcome);
    assert_eq!(error.kind, ErrorKind::Divergence);
    assert_eq!(error.message, "replay divergence at seq 1: the recorded call of t.gate was not reached");
    assert_eq!(host.ledger.count("t", "gate"), 0);
    let record = host.store.load(&id_of(&outcome)).unwrap().unwrap();
    assert_eq!(record.execution.status, Status::Error);
    let open = |s: EntryState| matches!(s, EntryState::Executing | EntryState::Pending | EntryState::Unknown);
    assert!(!record.entries.iter().any(|e| open(e.state)), "{:#?}", record.entries);
    let again = host.runtime().approve(&id_of(&outcome), Picks::AllPending, anna()).await.unwrap();
    assert_eq!(error_of(&again).kind, ErrorKind::NotResumable);
}

#[tokio::test(flavor = "multi_thread")]
async fn shorter_passes_of_other_shapes_diverge_too() {
    let shapes = [
        // Never asks again and waits for nothing.
        "if (n === 1) await t.gate({ n }); else return 'short';",
        // Throws before it.
        "if (n === 2) throw new Error('other way'); await t.gate({ n });",
        // Leaves out a recorded read in front of it.
        "if (n === 1) await t.echo({ n: 'first' }); await t.gate({});",
        // Leaves out a step.
        "if (n === 1) await codemode.step('s', () => 1); await t.gate({});",
        // Leaves out a timer.
        "if (n === 1) await new Promise(r => setTimeout(r, 1)); await t.gate({});",
        // Asks for another method at its place.
        "if (n === 1) await t.gate({ n }); else await t.add({ n });",
        // Waits for a promise of its own.
        "if (n === 1) await t.gate({ n }); else await new Promise(() => {});",
        // Catches everything.
        "try { if (n === 1) await t.gate({ n }); else await t.gate({ n: 'other' }); } catch { return 'caught'; }",
    ];
    for shape in shapes {
        let host = Host::new();
        let code = format!("async () => {{ const {{ n }} = await t.live(); {shape} return n; }}");
        let outcome = through(&host, &code).await;
        assert_eq!(error_of(&outcome).kind, ErrorKind::Divergence, "{shape}\n{outcome:#?}");
        let effects = (host.ledger.count("t", "gate"), host.ledger.count("t", "add"));
        assert_eq!(effects, (0, 0), "{shape}");
    }
}

/// Covers BUG-DUR-12.
#[tokio::test(flavor = "multi_thread")]
async fn another_argument_never_gets_the_recorded_answer() {
    let host = Host::new();
    let code = "async () => {
        const { n } = await t.live();
        const r = await t.echo({ who: n === 1 ? 'alice' : 'bob' });
        await t.gate({ who: r.who });
        return r.who; }";
    let outcome = through(&host, code).await;
    let error = error_of(&outcome);
    assert_eq!(error.kind, ErrorKind::Divergence);
    let message = "replay divergence at seq 1: the arguments of t.echo differ from the recorded run at .who";
    assert_eq!(error.message, message);
    assert_eq!(executed(&host.ledger, "echo"), [json!({ "who": "alice" })], "nothing is performed for bob");
    assert_eq!(host.ledger.count("t", "gate"), 0);
}

/// Covers WEAK-10, WEAK-11.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_only_look_alike_diverge_and_those_that_are_alike_do_not() {
    let other = [
        ("", "{ x: 1 }"),
        ("{ x: 1 }", ""),
        ("null", ""),
        ("", "null"),
        ("5n", "'5'"),
        ("5n", "5"),
        ("1", "'1'"),
        ("0", "-0"),
        ("NaN", "null"),
        ("new Date(0)", "new Date(0).toISOString()"),
        ("[1, 2]", "[1, 2, 3]"),
        ("[1, , 2]", "[1, null, 2]"),
        ("{ a: { b: [1, { c: 1 }] } }", "{ a: { b: [1, { c: 2 }] } }"),
        ("{ a: 1 }", "{ a: 1, b: 2 }"),
        ("new Float64Array([1])", "new Float32Array([1])"),
        ("{ $cm: ['bigint', '5'] }", "5n"),
        ("new Map([['a', 1]])", "{ a: 1 }"),
        ("'e\\u0301'", "'\\u00e9'"),
        ("'\\ud800'", "'\\ufffd'"),
    ];
    let alike = [
        ("{ a: 1, b: 2 }", "{ b: 2, a: 1 }"),
        ("{ a: 1, b: undefined }", "{ a: 1 }"),
        ("undefined", ""),
        ("1.0", "1"),
        ("1e21", "1000000000000000000000"),
        ("new Float64Array([1, NaN])", "new Float64Array([1, NaN])"),
        ("new DataView(new ArrayBuffer(3))", "new DataView(new ArrayBuffer(3))"),
        ("'\\u00e9'", "'é'"),
    ];
    let host = Host::new();
    for (first, second, same) in other.iter().map(|(a, b)| (a, b, false)).chain(alike.iter().map(|(a, b)| (a, b, true)))
    {
        let fresh = host.clone().fresh_fixtures();
        let code = format!(
            "async () => {{ const {{ n }} = await t.live(); if (n === 1) await t.echo({first}); else await t.echo({second});
                await t.gate({{}}); return 'end'; }}"
        );
        let outcome = through(&fresh, &code).await;
        if same {
            assert_eq!(result_of(&outcome), "\"end\"", "{first} and {second}");
        } else {
            assert_eq!(error_of(&outcome).kind, ErrorKind::Divergence, "{first} and {second}: {outcome:#?}");
            assert_eq!(fresh.ledger.count("t", "gate"), 0, "{first} and {second}");
        }
        assert_eq!(fresh.ledger.count("t", "echo"), 1, "{first} and {second}");
    }
}

/// A connector `t` that only has that method, and counts.
fn changed(method: Option<Method>) -> (Arc<AtomicU32>, Arc<dyn Connector>) {
    let count = Arc::new(AtomicU32::new(0));
    let seen = count.clone();
    let native = Native::new("t").method_sync(Method::read("echo"), |args, _| Ok(args));
    let native = match method {
        Some(method) => native.method_sync(method, move |args, _| {
            seen.fetch_add(1, Ordering::SeqCst);
            Ok(args)
        }),
        None => native,
    };
    (count, Arc::new(native))
}

const GLOB: &str =
    r#"{"type":"object","properties":{"glob":{"type":"string"}},"required":["glob"],"additionalProperties":false}"#;

/// Covers BUG-DUR-14.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_does_not_reach_a_method_that_changed_or_went_away() {
    let gate = || Method::write("gate").needs_approval();
    let cases: [(Option<Method>, ErrorKind, &str); 5] = [
        (Some(Method { input_schema: Some(GLOB.to_owned()), ..gate() }), ErrorKind::ContractChanged, "t.gate changed"),
        (
            Some(Method { output_schema: Some(r#"{"type":"null"}"#.to_owned()), ..gate() }),
            ErrorKind::ContractChanged,
            "t.gate changed",
        ),
        (
            Some(Method { destructive: Some(codemode_runtime::connector::Flag::Yes), ..gate() }),
            ErrorKind::ContractChanged,
            "t.gate changed",
        ),
        (None, ErrorKind::ContractChanged, "t.gate does not exist any more"),
        (Some(Method::write("gates").needs_approval()), ErrorKind::ContractChanged, "t.gate does not exist any more"),
    ];
    for (method, kind, text) in cases {
        let before = Host::new();
        let paused = before.runtime().execute("async () => t.gate({ path: '/tmp/a' })").await.unwrap();
        let id = id_of(&paused);
        let (count, connector) = changed(method);
        let after = before.clone().with("t", connector).runtime();
        let refused = after.approve(&id, Picks::AllPending, anna()).await.unwrap();
        let error = error_of(&refused);
        assert_eq!(error.kind, kind, "{error:?}");
        assert!(error.message.contains(text), "{error:?}");
        assert!(matches!(refused, Outcome::Failed { calls: None, .. }), "no pass ran");
        assert_eq!((count.load(Ordering::SeqCst), before.ledger.count("t", "gate")), (0, 0));
        assert_eq!(after.pending(Some(&id)).unwrap().len(), 1, "it is still pending");
        assert!(after.reject(&id, Seq(0), anna()).await.unwrap());
        assert_eq!(after.record(&id).unwrap().unwrap().execution.status, Status::Rejected);
    }
}

/// Covers BUG-DUR-14.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_without_its_connector_names_it_and_changes_nothing() {
    let host = Host::new();
    let paused = host.runtime().execute("async () => t.gate({ path: '/tmp/a' })").await.unwrap();
    let id = id_of(&paused);
    let without = host.clone().without("t").runtime();
    let refused = without.approve(&id, Picks::AllPending, anna()).await.unwrap();
    assert_eq!(error_of(&refused).kind, ErrorKind::MissingConnector);
    assert!(error_of(&refused).message.contains("\"t\""), "{refused:#?}");
    assert_eq!(without.pending(Some(&id)).unwrap().len(), 1);
    assert_eq!(host.ledger.count("t", "gate"), 0);
    // With the connector back, the same approval works.
    assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), r#"{"ok":true,"path":"/tmp/a"}"#);

    let paused = host.runtime().execute("async () => t.gate({})").await.unwrap();
    assert!(without.reject(&id_of(&paused), Seq(0), anna()).await.unwrap(), "and it can be rejected without it");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_words_in_a_description_do_not_withdraw_an_approval() {
    let first = changed(Some(Method::write("gate").needs_approval()));
    let second = changed(Some(Method {
        description: Some("Now with a description.".to_owned()),
        ..Method::write("gate").needs_approval()
    }));
    let host = Host::new().with("t", first.1);
    let paused = host.runtime().execute("async () => t.gate({ a: 1 })").await.unwrap();
    let outcome = approve_all(&host.with("t", second.1).runtime(), paused).await;
    assert_eq!(result_of(&outcome), r#"{"a":1}"#);
    assert_eq!((first.0.load(Ordering::SeqCst), second.0.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_recorded_replays_though_its_method_is_gone() {
    let host = Host::new();
    let code = "async () => { const a = await t.add({ n: 1 }); await shelf.put({ title: 'x' }); return a.n; }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"1 shelf.put {"title":"x"}"#]);
    let id = id_of(&paused);
    let after = host.clone().with("t", changed(None).1).runtime();
    let outcome = approve_all(&after, paused).await;
    assert_eq!(result_of(&outcome), "1");
    assert_eq!(journal_of(&after, &id), ["0 t.add applied", "1 shelf.put applied"]);
    assert_eq!(host.ledger.count("t", "add"), 1);
}
