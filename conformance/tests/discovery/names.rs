//! Names of third parties' tools, called from code; and names that are nobody's tool.

use std::sync::Arc;

use codemode_conformance::harness::{Host, approve_seq, executor, id_of, result_of};
use codemode_runtime::connector::{Connector, Method};
use codemode_runtime::names::{adapted, exact};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{Outcome, Runtime};
use serde_json::{Value, json};

use crate::kit::{echoing, result, runtime, third_party, with};

/// Calls every tool as `describe` shows it, and gives what arrived under which original name.
async fn called(originals: &[&str]) -> Vec<String> {
    let adapted = adapted(originals.iter().copied());
    let (native, wire) = third_party(&adapted.names);
    let runtime = with("third", native);
    let types = result(&runtime, "async () => (await codemode.describe('third')).types").await;
    let shown: Vec<String> = types
        .as_str()
        .unwrap()
        .lines()
        .filter_map(|line| Some(line.strip_prefix('\t')?.split_once(": (input: ")?.0.to_owned()))
        .collect();
    let calls: Vec<String> = shown.iter().map(|name| format!("await third.{name}({});", json!(name))).collect();
    result(&runtime, &format!("async () => {{ {} }}", calls.join(" "))).await;
    let wire = wire.lock().unwrap().clone();
    assert_eq!(wire.iter().map(|(_, name)| name.as_str().unwrap().to_owned()).collect::<Vec<_>>(), shown);
    wire.into_iter().map(|(original, _)| original).collect()
}

/// Covers BUG-NAM-01, WEAK-28.
#[tokio::test(flavor = "multi_thread")]
async fn names_that_look_alike_are_different_tools() {
    let list = ["a-b", "a.b", "a_b", "a b", "a/b", "ab", "a:b"];
    assert_eq!(called(&list).await, list);
    let names = adapted(list).names;
    assert_eq!((names[2].name.as_str(), names[5].name.as_str()), ("a_b", "ab"));
}

/// Covers BUG-NAM-03.
#[tokio::test(flavor = "multi_thread")]
async fn names_without_latin_letters_are_called() {
    let list = ["日本語", "中文", "émoji", "🚀", "café-list", "cafe\u{301}-list", "---", ""];
    assert_eq!(called(&list).await, list[..7]);
    assert_eq!(adapted(list).left_out.len(), 1, "the nameless one is reported, the others stay");
}

/// Covers BUG-NAM-05, BUG-NAM-06, SANITIZE-01, SANITIZE-02.
#[tokio::test(flavor = "multi_thread")]
async fn digits_and_reserved_words_are_called() {
    let list = [
        "3d_render",
        "2fa-enable",
        "404",
        "ok",
        "delete",
        "Delete",
        "class",
        "await",
        "enum",
        "let",
        "arguments",
        "eval",
        "undefined",
        "NaN",
        "globalThis",
        "static",
        "of",
    ];
    assert_eq!(called(&list).await, list);
    let names: Vec<String> = adapted(list).names.into_iter().map(|c| c.name).collect();
    assert!(names.contains(&"Delete".to_owned()) && names.contains(&"of".to_owned()), "{names:?}");
}

/// Covers BUG-NAM-04.
#[tokio::test(flavor = "multi_thread")]
async fn the_path_of_a_result_is_code_and_a_target() {
    let adapted = adapted(["calendar.respondToEvent", "assets/list", "ns/x.y-z@1"]);
    let (native, wire) = third_party(&adapted.names);
    let runtime = with("third", native);
    let found = result(
        &runtime,
        "async () => {
            const m = await codemode.search('respond to event');
            const d = await codemode.describe(m.results[0].path);
            return [m.results[0].path, d.path, typeof d.types]; }",
    )
    .await;
    let path = found[0].as_str().unwrap();
    assert_eq!(found, json!([path, path, "string"]));
    assert_eq!(result(&runtime, &format!("async () => {path}({{ yes: true }})")).await, "done");
    assert_eq!(*wire.lock().unwrap(), [("calendar.respondToEvent".to_owned(), json!({ "yes": true }))]);
}

/// Covers RESOLVE-06, SCHEMA-31, executor#27, executor#34, iframe-executor#8, iframe-executor#9.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_its_author_can_change_is_called_by_the_plain_rule_or_refused() {
    let names = exact("tools", ["list-items", "api.v2.get"]).unwrap();
    let (native, wire) = third_party(&names);
    let runtime = with("tools", native);
    assert_eq!(
        result(&runtime, "async () => [await tools.list_items({}), await tools.api_v2_get({})]").await,
        json!(["done", "done"])
    );
    let wire: Vec<String> = wire.lock().unwrap().iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(wire, ["list-items", "api.v2.get"]);
    let clash = exact("tools", ["foo-bar", "foo_bar"]).unwrap_err().to_string();
    assert!(clash.contains("\"foo-bar\" and \"foo_bar\" of `tools` both sanitize to `foo_bar`"), "{clash}");
}

/// Covers BUG-NAM-07, WEAK-27.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_is_no_promise_and_has_no_names_of_the_language() {
    let host = Host::new();
    let outcome = host
        .runtime()
        .execute(
            "async () => {
                const same = await t;
                const s = JSON.stringify({ t });
                const str = String(t) + `${codemode}`;
                const keys = Object.keys(t).length >= 0, has = 'then' in t, ctor = typeof t.constructor;
                return [same === t, typeof s, typeof str, keys, has, t.then === undefined, t[Symbol.iterator] === undefined];
            }",
        )
        .await
        .unwrap();
    assert_eq!(result_of(&outcome), r#"[true,"string","string",true,false,true,true]"#);
    let record = host.runtime().record(&id_of(&outcome)).unwrap().unwrap();
    assert!(record.entries.is_empty(), "{:?}", record.entries);
    for code in ["async () => t", "async () => [t, codemode]"] {
        let outcome = host.runtime().execute(code).await.unwrap();
        match &outcome {
            Outcome::Failed { error, .. } => assert!(error.message.contains("cannot"), "{error:?}"),
            other => assert!(matches!(other, Outcome::Completed { .. }), "{other:?}"),
        }
    }
}

/// Covers BUG-NAM-10, WEAK-29.
#[tokio::test(flavor = "multi_thread")]
async fn names_that_would_hide_a_global_are_refused_at_the_start() {
    let build = |names: &[&str]| {
        let builder = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(executor());
        let add = |builder: codemode_runtime::RuntimeBuilder, name: &&str| {
            builder.connector(*name, Arc::new(echoing("x", [Method::read("echo")])))
        };
        names.iter().fold(builder, add).build()
    };
    for name in [
        "codemode",
        "Promise",
        "JSON",
        "Array",
        "Error",
        "console",
        "globalThis",
        "undefined",
        "await",
        "let",
        "eval",
        "arguments",
        "__host",
        "has space",
        "a-b",
        "",
    ] {
        let refused = build(&[name]).unwrap_err().to_string();
        assert!(refused.contains(&format!("`{name}`")) || refused.contains(&format!("{name:?}")), "{name}: {refused}");
    }
    let runtime = build(&["T", "t", "of", "search", "then", "name"]).unwrap();
    let code = "async () => [await T.echo(1), await t.echo({ a: [2] }), await of.echo('3'), await search.echo(null), await then.echo(5),
        await name.echo(6), [1, 2].map(String).join(), JSON.stringify({ a: new Date(0) })]";
    let expected: Value = json!([1, { "a": [2] }, "3", null, 5, 6, "1,2", r#"{"a":"1970-01-01T00:00:00.000Z"}"#]);
    assert_eq!(result(&runtime, code).await, expected);
}

/// Covers BUG-NAM-12.
#[tokio::test(flavor = "multi_thread")]
async fn two_connectors_of_one_name_are_refused_and_one_under_two_names_is_two() {
    let crm = || -> Arc<dyn Connector> { Arc::new(echoing("crm", [Method::write("put").needs_approval()])) };
    let twice = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(executor());
    let twice = twice.connector("crm", crm()).connector("notes", crm()).connector("crm", crm());
    let refused = twice.build().unwrap_err().to_string();
    assert!(refused.contains("Duplicate connector name `crm` (the connectors number 1 and 3)"), "{refused}");

    let one = crm();
    let runtime = runtime(Arc::new(MemoryStore::new()), vec![("east", one.clone()), ("west", one)]);
    let paused = runtime.execute("async () => [await east.put('e'), await west.put('w')]").await.unwrap();
    let asked = |outcome: &Outcome| match outcome {
        Outcome::Paused { pending, .. } => pending.iter().map(|p| p.connector.clone()).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(asked(&paused), ["east"]);
    let again = approve_seq(&runtime, &id_of(&paused), 0).await;
    assert_eq!(asked(&again), ["west"], "who approved the one has not approved the other");
    let done = approve_seq(&runtime, &id_of(&again), 1).await;
    assert_eq!(result_of(&done), r#"["e","w"]"#);
    let record = runtime.record(&id_of(&done)).unwrap().unwrap();
    let paths: Vec<_> = record.entries.iter().map(|entry| entry.request.path()).collect();
    assert_eq!(paths, [("east", "put"), ("west", "put")]);
}

/// Covers CONNECTOR-13, WEAK-28.
#[tokio::test(flavor = "multi_thread")]
async fn a_method_has_one_name_that_is_shown_called_found_and_described() {
    let (native, wire) = third_party(&exact("shelf", ["get-item"]).unwrap());
    let runtime = with("shelf", native);
    let found = result(
        &runtime,
        "async () => {
            const [{ path, method }] = (await codemode.search('get item')).results;
            const types = (await codemode.describe('shelf')).types;
            return [path, method, types.includes('\\n\\tget_item: (input: GetItemInput)'), await shelf.get_item({}), 'get-item' in shelf]; }",
    )
    .await;
    assert_eq!(found, json!(["shelf.get_item", "get_item", true, "done", false]));
    assert_eq!(wire.lock().unwrap()[0].0, "get-item", "its owner's name goes on the wire");
    let raw = with("shelf", echoing("shelf", [Method::read("get-item")])).search("x").await.unwrap_err().to_string();
    assert!(raw.contains("\"get-item\" of connector `shelf` cannot be called"), "{raw}");
    let twice = echoing("shelf", [Method::read("get_item"), Method::read("get_item")]);
    let twice = with("shelf", twice).search("x").await.unwrap_err().to_string();
    assert!(twice.contains("Duplicate method `get_item` of connector `shelf`"), "{twice}");
}
