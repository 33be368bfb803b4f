//! How code reaches what it was given: namespaces side by side, in turn and in parallel, with nothing shipped into the
//! sandbox.

use codemode_conformance::harness::{Host, approve_all, error_of, pending_of, result_of};
use codemode_runtime::Outcome;
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::{Failure, code};
use serde_json::{Value, json};

use crate::kit::{result, run, shared, soon};

fn maths() -> Native {
    Native::new("maths")
        .method_sync(Method::read("add"), |args, _| {
            let args = args.unwrap_or_default();
            let (Some(a), Some(b)) = (args["a"].as_i64(), args["b"].as_i64()) else {
                return Err(Failure::new(
                    code::INVALID_ARGUMENTS,
                    format!("maths.add expects two numbers, not {args}"),
                ));
            };
            Ok(json!(a + b))
        })
        .method_sync(Method::read("fail"), |_, _| Err::<(), _>(Failure::new(code::INTERNAL, "tool error")))
}

fn weather() -> Native {
    Native::new("weather").method_sync(Method::read("at"), |args, _| {
        let place = args.and_then(|a| a["location"].as_str().map(str::to_owned)).unwrap_or_default();
        Ok(json!({ "location": place, "temperature": 66 }))
    })
}

fn host() -> Host {
    let echo = Native::new("myns").method(Method::read("echo"), |args, _| async move { Ok(json!({ "echoed": args })) });
    Host::new().with("maths", shared(maths())).with("weather", shared(weather())).with("myns", shared(echo))
}

async fn on_host(code: &str) -> Outcome {
    soon(host().runtime().execute(code)).await.unwrap()
}

/// Covers EXECUTOR-09, executor#7, iframe-executor#7, e2e-executor#4.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_gets_the_argument_and_its_answer_comes_back() {
    let outcome = on_host("async () => ({ result: await maths.add({ a: 3, b: 4 }) })").await;
    assert_eq!(result_of(&outcome), r#"{"result":7}"#);
    let Outcome::Completed { calls, .. } = &outcome else { panic!("{outcome:#?}") };
    assert_eq!(calls[0].request.args().unwrap().as_str(), r#"{"a":3,"b":4}"#);
    let said = on_host("async () => `Weather in ${(await weather.at({ location: 'London' })).location}`").await;
    assert_eq!(result_of(&said), "\"Weather in London\"");
}

/// Covers EXECUTOR-09, executor#16, executor#32, e2e-executor#7, iframe-executor#12.
#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_one_namespace_can_be_caught_and_the_others_go_on() {
    let uncaught = on_host("async () => maths.fail()").await;
    assert_eq!(error_of(&uncaught).message, "tool error");
    let caught = "async () => { let e; try { await maths.fail(); } catch (x) { e = 'caught: ' + x.message; }
        return [e, await maths.add({ a: 1, b: 2 })]; }";
    assert_eq!(result_of(&on_host(caught).await), r#"["caught: tool error",3]"#);
}

/// Covers EXECUTOR-12, executor#12, executor#29, executor#30, executor#31, iframe-executor#10, iframe-executor#22,
/// iframe-executor#23, e2e-executor#5, e2e-executor#6.
#[tokio::test(flavor = "multi_thread")]
async fn several_namespaces_live_side_by_side_and_calls_may_follow_each_other() {
    let code =
        "async () => { const sum = await maths.add({ a: 3, b: 4 }); return { sum, pong: await myns.echo(sum) }; }";
    assert_eq!(result_of(&on_host(code).await), r#"{"sum":7,"pong":{"echoed":7}}"#);
    let chain = "async () => { const a = await maths.add({ a: 1, b: 2 }); return maths.add({ a, b: 10 }); }";
    assert_eq!(result_of(&on_host(chain).await), "13");
    let two = "async () => { const w = await weather.at({ location: 'Berlin' });
        return [w.location, await maths.add({ a: w.temperature, b: 0 }), await codemode.step('k', () => 'beside')]; }";
    assert_eq!(result_of(&on_host(two).await), r#"["Berlin",66,"beside"]"#);
    assert_eq!(result_of(&on_host("async () => myns.echo('hello')").await), r#"{"echoed":"hello"}"#);
    let host = Host::new();
    let both = "async () => { await shelf.echo(1); await t.echo(2); return 'done'; }";
    assert_eq!(result_of(&host.runtime().execute(both).await.unwrap()), "\"done\"");
    assert_eq!((host.ledger.count("shelf", "echo"), host.ledger.count("t", "echo")), (1, 1));
}

/// Covers EXECUTOR-26, executor#4, CODEC-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_argument_is_told_from_one_with_null() {
    let host = Host::new();
    let k = Native::new("k").method_sync(Method::read("given"), |args, _| {
        Ok(json!(match args {
            None => "nothing",
            Some(Value::Null) => "null",
            Some(_) => "something",
        }))
    });
    let runtime = host.with("k", shared(k)).runtime();
    let code = "async () => [await k.given(), await k.given(undefined), await k.given(null), await k.given({})]";
    assert_eq!(result_of(&runtime.execute(code).await.unwrap()), r#"["nothing","nothing","null","something"]"#);
}

/// Covers EXECUTOR-14, executor#17.
#[tokio::test(flavor = "multi_thread")]
async fn calls_of_one_run_may_run_in_parallel() {
    // They answer only when all three are there.
    let meet = std::sync::Arc::new(tokio::sync::Barrier::new(3));
    let k = Native::new("k").method(Method::read("meet"), move |args, _| {
        let meet = meet.clone();
        async move {
            meet.wait().await;
            Ok(json!({ "id": args }))
        }
    });
    let runtime = Host::new().with("k", shared(k)).runtime();
    let code = "async () => (await Promise.all(['a', 'b', 'c'].map((id) => k.meet(id)))).map((r) => r.id)";
    assert_eq!(result_of(&soon(runtime.execute(code)).await.unwrap()), r#"["a","b","c"]"#);
}

/// Covers iframe-executor#11, EXECUTOR-02.
#[tokio::test(flavor = "multi_thread")]
async fn runs_beside_each_other_keep_their_own_values() {
    let (runtime, codes) = (host().runtime(), ["1", "2", "3"]);
    let runs = codes.map(|n| {
        let runtime = runtime.clone();
        tokio::spawn(async move {
            let code = format!(
                "async () => {{ globalThis.x = {n}; await maths.add({{ a: 1, b: 1 }}); return globalThis.x; }}"
            );
            runtime.execute(code).await.unwrap()
        })
    });
    let mut ids = Vec::new();
    for (n, run) in codes.into_iter().zip(runs) {
        let outcome = run.await.unwrap();
        assert_eq!(result_of(&outcome), n);
        ids.push(outcome.execution().unwrap().clone());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

/// Covers EXECUTOR-15, executor#21, iframe-executor#20.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_host_closure_holds_is_known_through_its_answer_only() {
    let secret = "s3cret-of-the-host".to_owned();
    let k = Native::new("k").method_sync(Method::read("tell"), move |_, _| Ok(json!(secret.clone())));
    let runtime = Host::new().with("k", shared(k)).runtime();
    let told = runtime.execute("async () => k.tell()").await.unwrap();
    assert_eq!(result_of(&told), "\"s3cret-of-the-host\"");
    let code = "async () => String(k.tell) + Reflect.ownKeys(k.tell).map((key) => String(k.tell[key])).join() + new Error().stack";
    let looked = result_of(&runtime.execute(code).await.unwrap());
    assert!(!looked.contains("s3cret"), "{looked}");
}

/// Covers EXECUTOR-18, executor#37, executor#38, STEP-01.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_runs_its_closure_once_and_replays_what_it_returned() {
    let host = Host::new();
    let code = "async () => { let ran = 0; const v = await codemode.step('compute', () => { ran++; console.log('ran'); return 42; });
        const first = ran; await t.gate({}); return { v, ran: first }; }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), ["1 t.gate {}"]);
    let Outcome::Paused { calls, .. } = &paused else { panic!("{paused:#?}") };
    assert_eq!(calls[0].request.path(), ("__step", "compute"));
    assert_eq!(calls[0].answer.clone().unwrap().unwrap().unwrap().as_str(), "42");
    let runtime = host.runtime();
    let done = approve_all(&runtime, paused).await;
    // What it wrote outside is not replayed: return it.
    assert_eq!(result_of(&done), r#"{"v":42,"ran":0}"#);
    let Outcome::Completed { logs, .. } = &done else { panic!("{done:#?}") };
    assert_eq!(logs, &Vec::<String>::new());
    assert_eq!(result("async () => { let ran = 0; const v = await codemode.step('c', () => { ran++; return 42; }); return { v, ran }; }").await, r#"{"v":42,"ran":1}"#);
}

/// Covers EXECUTOR-21.
#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_has_nothing_under_keys_that_are_no_text_or_that_the_language_looks_up() {
    let code = "async () => [shelf[Symbol.iterator], shelf[Symbol.toPrimitive], codemode[Symbol.iterator], shelf.then,
        shelf.toJSON, shelf.constructor, shelf.__proto__, 'list' in shelf, 'nope' in shelf].map(String)";
    assert_eq!(
        result(code).await,
        r#"["undefined","undefined","undefined","undefined","undefined","undefined","undefined","true","false"]"#
    );
    assert_eq!(result("async () => { const s = await shelf; return s === shelf; }").await, "true");
    let outcome = soon(run("async () => shelf")).await;
    assert_eq!(
        error_of(&outcome).message,
        "the final result: result is a connector namespace, which cannot be recorded"
    );
}

/// Covers e2e-executor#4, EXECUTOR-09.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_checks_its_input_refuses_what_is_wrong() {
    let outcome =
        on_host("async () => { try { await maths.add({ a: 'x' }); } catch (e) { return [e.code, e.message]; } }").await;
    assert_eq!(result_of(&outcome), r#"["invalid-arguments","maths.add expects two numbers, not {\"a\":\"x\"}"]"#);
}

/// Covers iframe-executor#24.
#[tokio::test(flavor = "multi_thread")]
async fn a_method_takes_one_argument_and_several_values_go_as_a_list_in_order() {
    let k = Native::new("k").method_sync(Method::read("join"), |args, _| {
        let parts: Vec<String> = args
            .unwrap_or_default()
            .as_array()
            .into_iter()
            .flatten()
            .map(|v| v.as_str().unwrap_or("?").to_owned())
            .collect();
        Ok(json!(parts.join("/")))
    });
    let runtime = Host::new().with("k", shared(k)).runtime();
    assert_eq!(result_of(&runtime.execute("async () => k.join(['a', 'b', 'c'])").await.unwrap()), "\"a/b/c\"");
    // What follows the first argument is no part of the call.
    let outcome = runtime.execute("async () => t.echo(1, 2)").await.unwrap();
    let Outcome::Completed { calls, .. } = &outcome else { panic!("{outcome:#?}") };
    assert_eq!(calls[0].request.args().unwrap().as_str(), "1");
}
