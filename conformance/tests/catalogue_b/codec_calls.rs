//! Values on their way to and from connectors that speak plain JSON, and those that speak the tagged form.

use codemode_conformance::harness::{Host, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use serde_json::Value;

use crate::kit::{result, shared};

/// A connector that speaks plain JSON: `take` gives back the argument it got as a text, `give` answers a text as JSON.
fn plain() -> Native {
    Native::new("plain")
        .raw(Method::read("take"), |args, _| async move { Ok(Some(Value::from(args).to_string())) })
        .raw(Method::read("give"), |args, _| async move {
            let text: String = serde_json::from_str(&args.unwrap_or_default()).unwrap_or_default();
            Ok(Some(text))
        })
}

async fn with_plain(code: &str) -> String {
    let host = Host::new().with("plain", shared(plain()));
    result_of(&host.runtime().execute(code).await.unwrap())
}

/// Covers CODEC-07, executor#8, executor#10, executor#11.
#[tokio::test(flavor = "multi_thread")]
async fn bytes_survive_as_arguments_and_results() {
    let code = "async () => {
        const a = await shelf.echo({ data: new Uint8Array([1, 2, 3]) });
        const b = await shelf.echo(new Uint8Array([4, 5, 6]).buffer);
        const c = await shelf.echo(['path', new Uint8Array([10, 20, 30, 40]).subarray(1, 3)]);
        const d = await shelf.bytes();
        return [a.data instanceof Uint8Array, [...a.data], b instanceof ArrayBuffer, [...new Uint8Array(b)], c[0], [...c[1]], [...d]];
    }";
    assert_eq!(result(code).await, r#"[true,[1,2,3],true,[4,5,6],"path",[20,30],[1,2,3,4,5]]"#);
    let host = Host::new();
    host.runtime().execute("async () => shelf.echo({ path: '/a', data: new Uint8Array([1, 2, 3]) })").await.unwrap();
    let got = host.ledger.events().into_iter().find(|e| e.method == "echo").unwrap().args.unwrap();
    assert_eq!(got, r#"{"path":"/a","data":{"$cm":["bytes","Uint8Array","AQID"]}}"#);
}

/// Covers CODEC-07.
#[tokio::test(flavor = "multi_thread")]
async fn bytes_survive_to_a_component_and_back() {
    let host = Host::new().with("kit", crate::connector::testkit("misc"));
    let code = "async () => { const v = await kit.echo({ b: new Uint8Array([7, 8]) }); return [[...v.b], [...await kit.bytes()]]; }";
    assert_eq!(result_of(&host.runtime().execute(code).await.unwrap()), "[[7,8],[0,255]]");
}

/// Covers CODEC-03.
#[tokio::test(flavor = "multi_thread")]
async fn what_plain_json_cannot_say_is_refused_by_its_path_before_the_call() {
    for (argument, message) in [
        ("{ v: 10n }", "arguments to plain.take: args.v is a big integer"),
        ("[new Date(0)]", "arguments to plain.take: args[0] is a Date"),
        ("{ a: { b: new Uint8Array(1) } }", "arguments to plain.take: args.a.b is binary data"),
        ("NaN", "arguments to plain.take: args is a number that is not finite"),
        ("new Map()", "arguments to plain.take: args is a Map"),
    ] {
        let code = format!(
            "async () => {{ try {{ await plain.take({argument}); }} catch (e) {{ return [e.code, e.message]; }} }}"
        );
        let caught: Vec<String> = serde_json::from_str(&with_plain(&code).await).unwrap();
        assert_eq!(caught[0], "invalid-arguments", "{argument}");
        assert!(caught[1].starts_with(message), "{argument}: {}", caught[1]);
    }
    // A connector that speaks the tagged form gets it exactly.
    assert_eq!(result("async () => (await t.echo({ v: 10n })).v === 10n").await, "true");
}

/// Covers CODEC-01, CODEC-08.
#[tokio::test(flavor = "multi_thread")]
async fn a_plain_connector_gets_and_gives_plain_json_exactly() {
    for (js, got) in [
        ("{ b: 1, a: [true, null, 'é'] }", r#"{"b":1,"a":[true,null,"é"]}"#),
        ("{ $cm: ['bigint', '1'] }", r#"{"$cm":["bigint","1"]}"#),
        ("-0", "-0"),
        ("{ gone: undefined }", "{}"),
    ] {
        assert_eq!(with_plain(&format!("async () => plain.take({js})")).await, Value::from(got).to_string(), "{js}");
    }
    let code = "async () => { const v = await plain.give('{\"id\":9223372036854775807,\"small\":12,\"tag\":{\"$cm\":[\"bigint\",\"1\"]}}');
        return [v.id === 9223372036854775807n, v.small, v.tag.$cm]; }";
    assert_eq!(with_plain(code).await, r#"[true,12,["bigint","1"]]"#);
    let broken = "async () => { const out = []; for (const text of ['{', '1e400', '{\"a\":1,\"a\":2}', ''])
        try { await plain.give(text); } catch (e) { out.push(e.code); } return out; }";
    assert_eq!(with_plain(broken).await, r#"["internal","internal","internal","internal"]"#);
}
