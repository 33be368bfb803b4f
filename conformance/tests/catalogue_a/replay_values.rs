//! REPLAY: values come back from the journal as the code first saw them.

use std::sync::Arc;

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, approve_all, id_of, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::{Json, Outcome};
use serde_json::{Value, json};

use crate::support::{parsed, record};

/// Runs code through one approval, and says what the code saw in the first pass (its console line) and in the second.
async fn both(host: &Host, code: &str) -> (String, Outcome) {
    let paused = host.runtime().execute(code).await.unwrap();
    let outcome = approve_all(&host.runtime(), paused).await;
    let logs = record(&host.runtime(), &id_of(&outcome)).execution.logs;
    assert_eq!(logs.len(), 2, "{logs:?}");
    assert_eq!(logs[0], logs[1]);
    (logs[0].clone(), outcome)
}

/// Covers REPLAY-17.
#[tokio::test(flavor = "multi_thread")]
async fn undefined_replays_as_undefined_and_null_as_null() {
    let void = Native::new("k")
        .method_sync(Method::write("nothing"), |_, _| Ok(()))
        .method_sync(Method::write("nil"), |_, _| Ok(Value::Null));
    let host = Host::new().with("k", Arc::new(void));
    let code = "async () => { const v = await k.nothing(), n = await k.nil();
        console.log(typeof v, n === null); await shelf.put({ title: 'x' }); return [typeof v, n]; }";
    let (seen, outcome) = both(&host, code).await;
    assert_eq!((seen.as_str(), result_of(&outcome).as_str()), ("undefined true", r#"["undefined",null]"#));
}

/// Covers REPLAY-18, runtime#29.
#[tokio::test(flavor = "multi_thread")]
async fn bytes_replay_as_bytes() {
    let host = Host::new();
    let code = "async () => { const b = await shelf.bytes(); console.log(b.constructor.name);
        await shelf.put({ title: 'b' }); return { ok: b instanceof Uint8Array, v: Array.from(b) }; }";
    let (seen, outcome) = both(&host, code).await;
    assert_eq!(seen, "Uint8Array");
    assert_eq!(parsed(&result_of(&outcome)), json!({ "ok": true, "v": [1, 2, 3, 4, 5] }));
    assert_eq!(host.ledger.count("shelf", "bytes"), 1);
}

/// Covers REPLAY-19.
#[tokio::test(flavor = "multi_thread")]
async fn big_integers_replay_as_big_integers() {
    let host = Host::new();
    let code = "async () => { const v = await t.raw({ json: '9007199254740993' }), w = await t.echo(5n);
        console.log(typeof v, typeof w); await shelf.put({ title: 'x' }); return [typeof v, String(v), w === 5n]; }";
    let (seen, outcome) = both(&host, code).await;
    assert_eq!(
        (seen.as_str(), result_of(&outcome).as_str()),
        ("bigint bigint", r#"["bigint","9007199254740993",true]"#)
    );
}

/// Covers REPLAY-20, WEAK-11.
#[tokio::test(flavor = "multi_thread")]
async fn no_argument_is_told_from_null() {
    let host = Host::new();
    let code =
        "async () => { const v = await shelf.echo(), n = await shelf.echo(null), u = await shelf.echo(undefined);
        console.log(typeof v, n, typeof u); await shelf.put({ title: 'x' }); return [typeof v, n, typeof u]; }";
    let (seen, outcome) = both(&host, code).await;
    assert_eq!(
        (seen.as_str(), result_of(&outcome).as_str()),
        ("undefined null undefined", r#"["undefined",null,"undefined"]"#)
    );
    let entries = record(&host.runtime(), &id_of(&outcome)).entries;
    let args: Vec<Option<&str>> = entries.iter().take(3).map(|e| e.request.args().map(Json::as_str)).collect();
    assert_eq!(args, [None, Some("null"), None]);
}

/// Covers REPLAY-25.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_first_argument_goes_to_the_connector() {
    let host = Host::new();
    let outcome = host.runtime().execute("async () => shelf.echo(1, 2)").await.unwrap();
    assert_eq!(result_of(&outcome), "1");
    let events = host.ledger.events();
    let given: Vec<Option<&str>> =
        events.iter().filter(|e| e.kind == EventKind::Performed).map(|e| e.args.as_deref()).collect();
    assert_eq!(given, [Some("1")]);
}

/// Covers REPLAY-26.
#[tokio::test(flavor = "multi_thread")]
async fn an_approved_call_gets_the_arguments_that_were_shown() {
    let host = Host::new();
    let code = "async () => {
        const { reads } = await shelf.tick();
        const first = { title: 'x', at: { b: 1, a: [2, 1.0] } }, second = { at: { a: [2, 1], b: 1 }, title: 'x' };
        return shelf.put(reads === 1 ? first : second); }";
    let paused = host.runtime().execute(code).await.unwrap();
    let Outcome::Paused { pending, .. } = &paused else { panic!("{paused:?}") };
    let shown = parsed(pending[0].args.as_ref().unwrap().as_str());
    assert_eq!(shown, json!({ "title": "x", "at": { "b": 1, "a": [2, 1] } }));
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&outcome), r#"{"id":1,"title":"x"}"#);
    let put = host.ledger.events().into_iter().find(|e| e.method == "put").unwrap();
    assert_eq!(parsed(&put.args.unwrap()), shown);
}

/// Covers WEAK-09.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_pass_sees_what_the_replay_sees() {
    let host = Host::new();
    let code = "async () => {
        const all = () => [new Date(0), new Map([[1, 2]]), new Set([3]), NaN, -0, undefined, 7n];
        const s = await codemode.step('s', all);
        const e = await t.echo(s);
        const kinds = (v) => v.map((x) => Object.prototype.toString.call(x).slice(8, -1)).join();
        const show = (v) => kinds(v) + Object.is(v[4], -0) + v[3] + String(v[6]);
        console.log(show(s), show(e)); await shelf.put({ title: 'x' }); return show(s) === show(e); }";
    let (seen, outcome) = both(&host, code).await;
    let one = "Date,Map,Set,Number,Number,Undefined,BigInttrueNaN7";
    assert_eq!((seen, result_of(&outcome)), (format!("{one} {one}"), "true".to_owned()));
}
