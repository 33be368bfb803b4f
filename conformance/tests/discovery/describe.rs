//! `codemode.describe`, in the sandbox and for a host.

use std::sync::Arc;

use codemode_conformance::harness::Host;
use codemode_runtime::connector::Method;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{Limits, Runtime, Store};
use serde_json::{Value, json};

use crate::kit::{echoing, library, result, runtime, save, taking, with};

async fn docs(runtime: &Runtime, target: &str) -> Value {
    result(runtime, &format!("async () => codemode.describe({})", json!(target))).await
}

/// Covers DESCRIBE-01, DESCRIBE-03.
#[tokio::test(flavor = "multi_thread")]
async fn a_method_shows_its_types_and_its_mark() {
    let runtime = library().await;
    assert_eq!(
        docs(&runtime, "github.create_issue").await,
        json!({ "path": "github.create_issue", "description": "Open an issue", "kind": "method", "requiresApproval": true,
            "types": "type CreateIssueInput = Record<string, unknown>\ntype CreateIssueOutput = unknown", "effect": "write" })
    );
    let shelf = Host::new().runtime();
    assert_eq!(docs(&shelf, "shelf.put").await["requiresApproval"], true);
    assert!(docs(&shelf, "shelf.list").await.get("requiresApproval").is_none());
}

/// Covers DESCRIBE-02, CONNECTOR-12, e2e-codemode#5, e2e-llm-codemode#3.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_shows_its_instructions_and_declarations() {
    let github = docs(&library().await, "github").await;
    let types = github["types"].as_str().unwrap();
    assert!(types.starts_with("Use me.\n\ntype ListPullRequestsInput = unknown\n"), "{types}");
    assert!(types.contains("\n\ndeclare const github: {\n"), "{types}");
    assert_eq!((&github["kind"], github.get("requiresApproval")), (&json!("connector"), None));
    let other = docs(&library().await, "repoApi").await;
    assert!(other["types"].as_str().unwrap().contains("\n\ndeclare const repoApi: {\n"), "{other}");
    let shelf = docs(&Host::new().runtime(), "shelf").await;
    let types = shelf["types"].as_str().unwrap();
    assert!(types.contains("\ndeclare const shelf: {\n") && types.matches(") => Promise<").count() == 10, "{types}");
}

/// Covers DESCRIBE-04, DESCRIBE-05, DESCRIBE-06, DESCRIBE-07, DESCRIBE-08, DESCRIBE-09, DESCRIBE-10, DESCRIBE-11, WEAK-27.
#[tokio::test(flavor = "multi_thread")]
async fn targets_mean_the_same_to_code_and_to_a_host() {
    let runtime = library().await;
    let method =
        ["create_issue", "wrong.create_issue", ".create_issue", "github.create_issue.extra", "github.create_issue"];
    for target in method {
        assert_eq!(docs(&runtime, target).await["path"], "github.create_issue", "{target}");
    }
    assert_eq!(docs(&runtime, "github.").await["kind"], "connector");
    let snippet = json!({ "path": "triage", "types": "\n\n```ts\nasync () => 1\n```", "kind": "snippet" });
    assert_eq!(docs(&runtime, "triage").await, snippet);
    for missing in ["nope", "", "github.nope", "github.constructor", "constructor", "__proto__", "hasOwnProperty"] {
        let docs = docs(&runtime, missing).await;
        assert_eq!((&docs["path"], &docs["kind"]), (&json!(missing), &json!("method")));
        assert!(docs["types"].as_str().unwrap().starts_with(&format!("\"{missing}\" not found")), "{docs}");
    }
    for target in ["github", "triage", "create_issue", "nope", "github.create_isue"] {
        assert_eq!(json!(runtime.describe(target).await.unwrap()), docs(&runtime, target).await, "{target}");
    }
    let odd = result(
        &runtime,
        "async () => [(await codemode.describe(undefined)).types, (await codemode.describe(null)).path]",
    )
    .await;
    assert!(odd[0].as_str().unwrap().starts_with("\"undefined\" not found"), "{odd}");
    assert_eq!(odd[1], "null");
}

/// Covers BUG-SRC-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_snippet_hides_no_mark() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    for name in ["t.gate", "t", "codemode", "constructor"] {
        save(&store, name, "").await;
    }
    let t = echoing("t", [Method::write("gate").needs_approval()]);
    let a = echoing("a", [Method::read("b")]);
    let runtime = runtime(store, vec![("t", Arc::new(t)), ("a", Arc::new(a))]);
    let both = docs(&runtime, "t.gate").await;
    assert_eq!((&both["kind"], &both["requiresApproval"]), (&json!("snippet"), &json!(true)));
    assert!(both["types"].as_str().unwrap().contains("t.gate is a method, too:\ntype GateInput"), "{both}");
    assert!(docs(&runtime, "t").await["types"].as_str().unwrap().contains("t is a connector, too"));
    for name in ["codemode", "constructor"] {
        assert_eq!(docs(&runtime, name).await["kind"], "snippet");
    }
    assert_eq!(docs(&runtime, "a.b").await["path"], "a.b");
    let hits = result(
        &runtime,
        "async () => (await codemode.search('t.gate')).results.map((r) => [r.kind, 'requiresApproval' in r])",
    );
    assert_eq!(hits.await, json!([["snippet", false], ["method", true]]));
    assert_eq!(result(&runtime, "async () => codemode.run('t.gate')").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn close_names_are_offered() {
    let types = docs(&Host::new().runtime(), "shelf.putt").await["types"].clone();
    assert!(types.as_str().unwrap().starts_with("\"shelf.putt\" not found; did you mean `shelf.put`"), "{types}");
}

#[tokio::test(flavor = "multi_thread")]
async fn docs_and_declarations_have_settings() {
    let members: Vec<String> = (0..100).map(|n| format!(r#""member{n}":{{"type":"string"}}"#)).collect();
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, members.join(","));
    let host = Host::new().with("big", Arc::new(echoing("big", [taking("a", &schema), taking("b", &schema)])));
    let of = |change: fn(&mut Limits, u32), units: usize| {
        let host = host.clone().limits(|limits| change(limits, u32::try_from(units).unwrap()));
        async move { [docs(&host.runtime(), "big.a").await, docs(&host.runtime(), "big").await] }
    };
    let types = |docs: &Value| docs["types"].as_str().unwrap().to_owned();
    let whole = [docs(&host.runtime(), "big.a").await, docs(&host.runtime(), "big").await];
    let input = types(&whole[0]).split("\ntype AOutput").next().unwrap().len();
    let set_type = |limits: &mut Limits, units| limits.declaration_units = units;
    let set_docs = |limits: &mut Limits, units| limits.docs_units = units;
    assert_eq!(of(set_type, input).await, whole);
    assert!(types(&of(set_type, input - 1).await[0]).starts_with("// Cut to "));
    let block = types(&whole[1]).len();
    assert_eq!(of(set_docs, block).await, whole);
    let cut = types(&of(set_docs, block - 1).await[1]);
    assert!(cut.len() < block && cut.contains("1 more method is left out; describe one to see it:\n\t// b\n"), "{cut}");
}

/// Covers DESCRIBE-03.
#[tokio::test(flavor = "multi_thread")]
async fn the_type_of_a_snippet_s_input_is_shown() {
    use codemode_conformance::harness::id_of;
    use codemode_runtime::SaveSnippet;
    let host = Host::new();
    let runtime = host.runtime();
    let id = id_of(&runtime.execute("async (n) => n").await.unwrap());
    let schema = r#"{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}"#;
    runtime.save_snippet("greet", SaveSnippet::from(id).input_schema(schema)).unwrap();
    let types = docs(&with_store(&host), "greet").await["types"].clone();
    assert_eq!(types, "\n\n```ts\nasync (n) => n\n```\n\ntype GreetInput = {\n    n: number;\n}");
}

fn with_store(host: &Host) -> Runtime {
    Host::over(host.store.clone()).runtime()
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_methods_are_described_within_the_limit() {
    let methods = (0..5_000).map(|n| Method::read(format!("method_{n}")));
    let runtime = with("many", echoing("many", methods));
    let many = docs(&runtime, "many").await;
    let types = many["types"].as_str().unwrap();
    assert!(types.len() <= 100_000 && types.contains("more methods are left out"), "{}", types.len());
    let one = docs(&runtime, "method_4999").await;
    assert_eq!((&one["path"], &one["effect"]), (&json!("many.method_4999"), &json!("read-only")));
}
