//! How calls cross between code and connectors: as data, through the journal, with nothing of the host behind them.

use codemode_conformance::harness::{Host, anna, id_of, journal_of, pending_of, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::{EffectState, Failure};
use codemode_runtime::{Picks, Seq};
use serde_json::{Value, json};

use crate::kit::{result, run, shared, wire};

/// Covers CONNECTOR-02, SANDBOX-05, WEAK-02.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_can_be_reached_from_a_namespace_is_of_the_host() {
    let code = "async () => {
        const seen = new Set(), odd = [];
        const known = new Set(Object.getOwnPropertyNames(globalThis).map((name) => globalThis[name]));
        const walk = (value, path) => {
            if (value === null || !['object', 'function'].includes(typeof value) || seen.has(value) || known.has(value)) return;
            seen.add(value);
            if (typeof value === 'function' && !/native code/.test(Function.prototype.toString.call(value))) odd.push(path);
            for (const key of Reflect.ownKeys(value)) {
                const d = Object.getOwnPropertyDescriptor(value, key);
                if (d.get || d.set) odd.push(`${path}.${String(key)} is an accessor`); else walk(d.value, `${path}.${String(key)}`);
            }
            const proto = Object.getPrototypeOf(value);
            if (proto !== null && proto !== Function.prototype && proto !== Object.prototype) walk(proto, `${path}.[[proto]]`);
        };
        walk(shelf, 'shelf'); walk(t, 't');
        const members = Reflect.ownKeys(shelf).map(String).sort();
        const ofMethod = Reflect.ownKeys(shelf.list).map(String).sort();
        return { odd, members, ofMethod, proto: Object.getPrototypeOf(shelf) };
    }";
    let found: Value = serde_json::from_str(&result(code).await).unwrap();
    assert_eq!(
        found,
        json!({
            "odd": [], "proto": null, "ofMethod": ["length", "name"],
            "members": ["bytes", "echo", "fail", "huge", "jot", "list", "nap", "put", "tick", "whoami"],
        })
    );
}

/// Covers CONNECTOR-06, EXECUTOR-10, e2e-executor#12, iframe-executor#13, WEAK-27.
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_method_is_an_exception_with_its_name_its_connector_and_close_ones() {
    let host = Host::new();
    let runtime = host.runtime();
    let caught =
        runtime.execute("async () => { try { await shelf.nope({}); } catch (e) { return [e.code, e.message]; } }");
    assert_eq!(
        result_of(&caught.await.unwrap()),
        r#"["unknown-method","Tool \"nope\" not found on shelf; did you mean `nap`?"]"#
    );
    let close =
        runtime.execute("async () => { try { await shelf.lsit(); } catch (e) { return e.message; } }").await.unwrap();
    assert!(result_of(&close).contains("did you mean `list`"), "{close:#?}");
    let uncaught = runtime.execute("async () => shelf.nope({})").await.unwrap();
    let text = wire(&uncaught)["error"].as_str().unwrap().to_owned();
    assert!(text.starts_with("Tool \"nope\" not found on shelf"), "{text}");
    assert_eq!(journal_of(&runtime, &id_of(&uncaught)), ["0 shelf.nope error"]);
    assert_eq!(host.ledger.events().iter().filter(|e| e.method == "nope").count(), 0);
}

/// Covers CONNECTOR-11.
#[tokio::test(flavor = "multi_thread")]
async fn methods_may_answer_at_once_or_later_and_get_argument_and_context() {
    let answer = |args: Option<Value>, id: &str, seq: u32| json!({ "args": args, "id": id, "seq": seq });
    let k = Native::new("k")
        .method_sync(Method::read("now"), move |args, c| Ok(answer(args, c.execution.as_str(), c.seq.0)))
        .method(Method::read("later"), move |args, c| async move {
            tokio::task::yield_now().await;
            Ok(answer(args, c.execution.as_str(), c.seq.0))
        })
        .method_sync(Method::read("context"), |_, c| {
            Ok(json!([c.pass, c.attempt, c.idempotency_key == format!("{}:{}", c.execution, c.seq), c.remaining_ms]))
        });
    let host = Host::new().with("k", shared(k));
    let code = "async () => [await k.now({ a: 1 }), await k.later({ a: 1 }), await k.context()]";
    let outcome = host.runtime().execute(code).await.unwrap();
    let id = id_of(&outcome);
    let expected = json!([
        { "args": { "a": 1 }, "id": id.as_str(), "seq": 0 },
        { "args": { "a": 1 }, "id": id.as_str(), "seq": 1 },
        [1, 1, true, 30_000],
    ]);
    assert_eq!(serde_json::from_str::<Value>(&result_of(&outcome)).unwrap(), expected);
}

/// Covers CONNECTOR-15, CONNECTOR-18.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_is_not_reached_before_the_journal_let_the_call_through() {
    let host = Host::new();
    let runtime = host.runtime();
    let refused = [
        "async () => shelf.put({ title: 'z' })",
        "async () => shelf.nope()",
        "async () => shelf.echo('x'.repeat(1000000))",
        "async () => shelf.echo(() => 1)",
    ];
    for code in refused {
        let outcome = runtime.execute(code).await.unwrap();
        assert_ne!(wire(&outcome)["status"], "completed", "{code}");
    }
    let performed =
        |host: &Host| host.ledger.events().iter().filter(|e| !e.key.is_empty() && e.key.contains(':')).count();
    assert_eq!(performed(&host), 0);
    // Rejected: never; approved: once.
    let paused = runtime.execute(refused[0]).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"0 shelf.put {"title":"z"}"#]);
    assert!(runtime.reject(&id_of(&paused), Seq(0), anna()).await.unwrap());
    assert_eq!(performed(&host), 0);
    let paused = runtime.execute(refused[0]).await.unwrap();
    runtime.approve(&id_of(&paused), Picks::AllPending, anna()).await.unwrap();
    assert_eq!((performed(&host), host.ledger.count("shelf", "put")), (1, 1));
}

/// Covers CONNECTOR-16, EXECUTOR-09, executor#3, executor#16, executor#32, iframe-executor#12, e2e-executor#7.
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_a_connector_is_an_exception_with_the_same_message_and_the_code_may_catch_it() {
    assert_eq!(
        result(
            "async () => { try { await shelf.fail(); } catch (e) { return [e instanceof Error, e.name, e.message]; } }"
        )
        .await,
        r#"[true,"ConnectorError","shelf fail"]"#
    );
    let uncaught = run("async () => shelf.fail()").await;
    assert!(wire(&uncaught)["error"].as_str().unwrap().starts_with("shelf fail"), "{uncaught:#?}");
    assert_eq!(wire(&uncaught)["errorInfo"]["message"], "shelf fail");
    let mixed = "async () => { let caught; try { await t.fail({ msg: 'no' }); } catch (e) { caught = [e.name, e.message, e.code, e.details]; }
        return { caught, n: await shelf.echo(3) }; }";
    assert_eq!(result(mixed).await, r#"{"caught":["RateLimit","no","429",{"retryAfter":3}],"n":3}"#);
}

/// Covers CONNECTOR-16.
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_says_whether_something_happened_and_when_to_try_again() {
    let k = Native::new("k").method(Method::write("pay"), |_, _| async {
        let failure = Failure::new("conflict", "card").with_effect(EffectState::Possible);
        Err::<(), _>(Failure { retry_after_ms: Some(1500), ..failure })
    });
    let host = Host::new().with("k", shared(k)).with("kit", crate::connector::testkit("misc"));
    let code = "async () => { try { await k.pay(); } catch (e) { return [e.code, e.effect, e.retryAfterMs]; } }";
    assert_eq!(result_of(&host.runtime().execute(code).await.unwrap()), r#"["conflict","possible",1500]"#);
    let code = "async () => { try { await kit.failWith({ code: 'c', message: 'm', effect: 'happened', name: 'Odd' }); }
        catch (e) { return [e.code, e.message, e.effect, e.name]; } }";
    assert_eq!(result_of(&host.runtime().execute(code).await.unwrap()), r#"["c","m","happened","Odd"]"#);
}

/// Covers CONNECTOR-16, EXECUTOR-09.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_panics_or_traps_fails_its_call_only() {
    let k = Native::new("k").method(Method::read("panic"), |_, _| async { if true { panic!("oops") } else { Ok(()) } });
    let host = Host::new().with("k", shared(k)).with("kit", crate::connector::testkit("c"));
    let code = "async () => { const out = []; for (const f of [k.panic, kit.trap]) { try { await f(); } catch (e) { out.push([e.code, e.effect]); } }
        return [...out, (await kit.ok()).v]; }";
    let outcome = host.runtime().execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), r#"[["internal","possible"],["internal","possible"],1]"#);
}

/// Covers CONNECTOR-01, CONNECTOR-15.
#[tokio::test(flavor = "multi_thread")]
async fn a_component_works_like_a_native_connector() {
    use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
    let bytes = std::fs::read(env!("CODEMODE_NOTES_WASM")).unwrap();
    let engine = codemode_conformance::harness::engine();
    let notes = ComponentConnector::load(engine, &bytes, ComponentOptions::new("notes")).unwrap();
    let host = Host::new().with("notes", shared(notes)).with("kit", crate::connector::testkit("shelf"));
    let runtime = host.runtime();
    let code =
        "async () => { const before = await notes.listNotes(); const made = await notes.createNote({ text: 'milk' });
        return { before, after: await notes.listNotes(), same: made.text, echo: await kit.echo([1n, new Date(0)]) }; }";
    let paused = runtime.execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"1 notes.createNote {"text":"milk"}"#]);
    let done = runtime.approve(&id_of(&paused), Picks::AllPending, anna()).await.unwrap();
    let expected = format!(
        r#"{{"before":[],"after":[{{"id":"{0}:1","text":"milk"}}],"same":"milk","echo":[{{"$cm":["bigint","1"]}},{{"$cm":["date",0]}}]}}"#,
        id_of(&done)
    );
    assert_eq!(result_of(&done), expected);
}
