//! Snippets in search and describe, and what is too much for a value.

use std::sync::Arc;

use codemode_conformance::harness::Host;
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use serde_json::json;

use crate::kit::{both, result, save, save_with};

/// Covers SNIPPET-11.
#[tokio::test(flavor = "multi_thread")]
async fn snippets_are_found_and_described() {
    for home in both() {
        let store = home.store();
        save_with(&store, "list-open-prs", "async () => 1", |s| s.description("Show open pull requests")).await;
        save(&store, "triage", "async () => 2").await;
        let runtime = home.host().runtime();
        let found = result(&runtime, "async () => codemode.search('open PULL')").await;
        assert_eq!((&found["total"], &found["truncated"]), (&json!(1), &json!(false)));
        let first = &found["results"][0];
        assert_eq!((&first["path"], &first["kind"]), (&json!("list-open-prs"), &json!("snippet")));
        assert_eq!((&first["connector"], &first["method"]), (&json!("snippet"), &json!("list-open-prs")));
        let all = result(&runtime, "async () => (await codemode.search('snippet')).results.map((r) => r.path)").await;
        assert_eq!(all, json!(["list-open-prs", "triage"]));
        let docs = result(&runtime, "async () => codemode.describe('list-open-prs')").await;
        let types = "Show open pull requests\n\n```ts\nasync () => 1\n```";
        let expected = json!({ "path": "list-open-prs", "description": "Show open pull requests", "types": types, "kind": "snippet" });
        assert_eq!(docs, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_are_found_with_their_flag_and_described() {
    let runtime = Host::new().runtime();
    let put = result(&runtime, "async () => (await codemode.search('shelf.put')).results[0]").await;
    assert_eq!((&put["path"], &put["requiresApproval"]), (&json!("shelf.put"), &json!(true)));
    let docs = result(&runtime, "async () => codemode.describe('shelf.put')").await;
    assert_eq!((&docs["kind"], &docs["requiresApproval"]), (&json!("method"), &json!(true)));
    let shelf = result(&runtime, "async () => codemode.describe('shelf')").await;
    assert_eq!((&shelf["kind"], &shelf["description"]), (&json!("connector"), &json!("Rows and notes on a shelf.")));
    let none = result(&runtime, "async () => codemode.describe('nope')").await;
    assert_eq!((&none["path"], &none["kind"]), (&json!("nope"), &json!("method")));
}

/// Covers BUG-SQL-08.
#[tokio::test(flavor = "multi_thread")]
async fn names_of_snippets_are_never_patterns_nor_sql() {
    for home in both() {
        let store = home.store();
        let long = "n".repeat(3_000);
        let names = ["50%_off", "a'b\"c", "[x]*?", "x\\y", "DROP TABLE x;--", "a\nb", &long];
        for name in names {
            save(&store, name, "async () => 'ran'").await;
        }
        let runtime = home.host().runtime();
        for name in names {
            let code = format!("async () => codemode.run({})", json!(name));
            assert_eq!(result(&runtime, &code).await, json!("ran"), "{name:?}");
        }
        let found = |query: &str| {
            let runtime = runtime.clone();
            let code = format!(
                "async () => (await codemode.search({})).results.filter((r) => r.kind === 'snippet').map((r) => r.path)",
                json!(query)
            );
            async move { result(&runtime, &code).await }
        };
        assert_eq!(found("%").await, json!(["50%_off"]));
        assert_eq!(found("_").await, json!(["50%_off"]));
        assert_eq!(found("*").await, json!(["[x]*?"]));
        assert_eq!(found("'").await, json!(["a'b\"c"]));
        assert_eq!(found("\\").await, json!(["x\\y"]));
        assert_eq!(found("").await, json!([]));
        assert_eq!(found(&long).await, json!([long]));
        assert!(runtime.delete_snippet("50%_off").unwrap());
        let left: Vec<String> = runtime.snippets().unwrap().into_iter().map(|s| s.name).collect();
        assert_eq!(left, ["DROP TABLE x;--", "[x]*?", "a\nb", "a'b\"c", &long, "x\\y"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_found_is_cut_to_the_limit_of_a_value() {
    let store = Host::new().store;
    for n in 0..20 {
        save_with(&store, &format!("item {n:02}"), "async () => 1", |s| s.description("d".repeat(2_000))).await;
    }
    save(&store, "large", &format!("async () => 1 // {}", "x".repeat(50_000))).await;
    let mut many = Native::new("many").instructions("i".repeat(100_000));
    for n in 0..500 {
        let method = Method { description: Some("about ".repeat(100)), ..Method::read(format!("m{n}")) };
        many = many.method(method, |_, _| async { Ok(json!(1)) });
    }
    let host = Host::over(store).with("many", Arc::new(many)).limits(|l| l.value_units = 20_000);
    let runtime = host.runtime();
    let found = result(&runtime, "async () => codemode.search('item')").await;
    assert_eq!((&found["total"], &found["truncated"]), (&json!(20), &json!(true)));
    let shown = found["results"].as_array().unwrap();
    assert!(!shown.is_empty() && shown[0]["path"] == "item 00", "{found}");
    for target in ["large", "many"] {
        let docs = result(&runtime, &format!("async () => codemode.describe('{target}')")).await;
        assert_eq!(docs["path"], target);
        assert!(docs["types"].as_str().unwrap().contains("characters in full"), "{target}");
    }
    assert_eq!(result(&runtime, "async () => (await codemode.search('about')).total").await, json!(500));
}
