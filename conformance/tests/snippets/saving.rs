//! SNIPPET-01 to SNIPPET-05, SNIPPET-12, SNIPPET-13: what an application saves, and what it gets back.

use codemode_conformance::harness::{Host, anna, id_of};
use codemode_runtime::{Error, ExecutionId, MAX_SNIPPET_NAME, SaveSnippet, Seq};
use serde_json::json;

use crate::kit::{both, result, save, save_with};

/// Covers SNIPPET-01, SNIPPET-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_snippet_has_the_source_as_it_was_written_and_the_connectors_of_its_execution() {
    for home in both() {
        let runtime = home.host().runtime();
        let code = "```js\nasync (who) => 'hi ' + who // as it was\n```";
        let tried = id_of(&runtime.execute(code).await.unwrap());
        let bare = runtime.save_snippet("greet", SaveSnippet::from(tried.clone())).unwrap();
        assert_eq!((bare.name.as_str(), bare.description.as_str(), bare.code.as_str()), ("greet", "", code));
        assert_eq!((bare.input_schema.clone(), bare.connectors.clone()), (None, vec!["shelf".into(), "t".into()]));
        let started = runtime.record(&tried).unwrap().unwrap().execution.start.created_at;
        assert!(bare.saved_at >= started && bare.saved_at < started + 3_600_000, "epoch milliseconds");
        let full = SaveSnippet::from(tried).description("Greets.").input_schema("{\"type\":\"string\"}");
        let full = runtime.save_snippet("full", full).unwrap();
        assert_eq!(
            (full.description.as_str(), full.input_schema.as_deref()),
            ("Greets.", Some("{\"type\":\"string\"}"))
        );
        assert_eq!(runtime.snippets().unwrap(), [full.clone(), bare.clone()]);
        assert_eq!(runtime.snippet("greet").unwrap(), Some(bare));
    }
}

/// Covers SNIPPET-02.
#[tokio::test(flavor = "multi_thread")]
async fn an_execution_of_any_status_can_be_saved() {
    for home in both() {
        let runtime = home.host().runtime();
        let codes = [
            ("completed", "async () => 1"),
            ("error", "async () => { throw new Error('no') }"),
            ("error", "async () => ((("),
            ("paused", "async () => shelf.put({ title: 'x' })"),
        ];
        for (status, code) in codes {
            let id = id_of(&runtime.execute(code).await.unwrap());
            assert_eq!(runtime.record(&id).unwrap().unwrap().execution.status.as_str(), status);
            assert_eq!(runtime.save_snippet(code, SaveSnippet::from(id)).unwrap().code, code);
        }
        let paused = id_of(&runtime.execute("async () => shelf.put({ title: 'y' })").await.unwrap());
        assert!(runtime.reject(&paused, Seq(0), anna()).await.unwrap());
        assert!(runtime.save_snippet("rejected", SaveSnippet::from(paused)).is_ok());
    }
}

/// Covers SNIPPET-03.
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_execution_is_named() {
    for home in both() {
        let runtime = home.host().runtime();
        let id = ExecutionId::from_text("exec_nope");
        let refused = runtime.save_snippet("s", SaveSnippet::from(id.clone())).unwrap_err();
        assert!(matches!(&refused, Error::NotFound(found) if *found == id), "{refused:?}");
        assert!(refused.to_string().contains("exec_nope"), "{refused}");
        assert_eq!(runtime.snippets().unwrap(), []);
    }
}

/// Covers SNIPPET-05.
#[tokio::test(flavor = "multi_thread")]
async fn saving_again_replaces_description_and_schema_too() {
    for home in both() {
        let store = home.store();
        save_with(&store, "s", "async () => 1", |s| s.description("one").input_schema("{\"type\":\"null\"}")).await;
        let next = save(&store, "s", "async () => 2").await;
        assert_eq!((next.description.as_str(), next.input_schema.clone()), ("", None));
        assert_eq!(store.snippets().unwrap(), [next]);
        assert_eq!(result(&home.host().runtime(), "async () => codemode.run('s', 5)").await, json!(2));
    }
}

/// Covers SNIPPET-12.
#[tokio::test(flavor = "multi_thread")]
async fn snippets_are_listed_by_name_and_deleted_by_their_exact_name() {
    for home in both() {
        let store = home.store();
        for name in ["b", "a", "B", "a_"] {
            save(&store, name, "async () => 1").await;
        }
        let runtime = home.host().runtime();
        let names = || runtime.snippets().unwrap().into_iter().map(|s| s.name).collect::<Vec<_>>();
        assert_eq!(names(), ["B", "a", "a_", "b"]);
        assert!(!runtime.delete_snippet("a%").unwrap());
        assert!(runtime.delete_snippet("a").unwrap());
        assert!(!runtime.delete_snippet("a").unwrap());
        assert_eq!(names(), ["B", "a_", "b"]);
    }
}

/// Covers SNIPPET-13.
#[tokio::test(flavor = "multi_thread")]
async fn snippets_survive_restarts_and_other_connectors_and_belong_to_one_runtime() {
    let [_, disk] = both();
    let host = disk.host();
    let saved = save(&host.store, "s", "async () => 7").await;
    let host = disk.restart(host.with(
        "more",
        std::sync::Arc::new(codemode_conformance::fixtures::t(&codemode_conformance::fixtures::Ledger::in_memory())),
    ));
    assert_eq!(host.runtime().snippets().unwrap(), [saved]);
    assert_eq!(result(&host.runtime(), "async () => codemode.run('s')").await, json!(7));
    let other = Host::new().runtime();
    assert_eq!(other.snippets().unwrap(), []);
    let unseen = result(&other, "async () => codemode.run('s')").await;
    assert!(unseen["error"].as_str().unwrap().contains("not found"), "{unseen}");
}

/// A schema of exactly that many characters.
fn schema_of(units: usize) -> String {
    let frame = "{\"description\":\"\"}".len();
    format!("{{\"description\":\"{}\"}}", "é".repeat(units - frame))
}

/// Covers LIMIT-12.
#[tokio::test(flavor = "multi_thread")]
async fn name_description_and_schema_have_limits() {
    let runtime = Host::new().runtime();
    let id = id_of(&runtime.execute("async () => 1").await.unwrap());
    let save = || SaveSnippet::from(id.clone());
    let refused = |name: &str, save: SaveSnippet| match runtime.save_snippet(name, save).unwrap_err() {
        error @ Error::Snippet { .. } => {
            assert_eq!(error.code(), "snippet");
            error.to_string()
        }
        other => panic!("{other:?}"),
    };
    assert!(runtime.save_snippet("s", save().input_schema(schema_of(1_000_000))).is_ok());
    let too_large = refused("s", save().input_schema(schema_of(1_000_001)));
    let said = "the input schema is too large: 1000001 characters, the limit is 1000000 (limit `value size`)";
    assert!(too_large.contains(said), "{too_large}");
    assert!(runtime.save_snippet("s", save().description("é".repeat(1_000_000))).is_ok());
    assert!(refused("s", save().description("é".repeat(1_000_001))).contains("the description is too large"));
    assert!(runtime.save_snippet(&"n".repeat(MAX_SNIPPET_NAME), save()).is_ok());
    let long = refused(&"n".repeat(MAX_SNIPPET_NAME + 1), save());
    assert!(long.contains("limit `snippet name`") && long.len() < 1_000, "{long}");
    assert!(refused("", save()).contains("the name is empty"));
    let stored = runtime.snippet("s").unwrap().unwrap();
    assert_eq!(stored.description.chars().count(), 1_000_000, "what is refused changes nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_is_over_the_limit_by_now_is_not_saved() {
    let host = Host::new();
    let code = "async () => 12";
    let id = id_of(&host.runtime().execute(code).await.unwrap());
    let units = u32::try_from(code.len()).unwrap();
    let under = |limit: u32| host.clone().limits(|l| l.code_units = limit).runtime();
    assert!(under(units).save_snippet("s", SaveSnippet::from(id.clone())).is_ok());
    let refused = under(units - 1).save_snippet("s", SaveSnippet::from(id)).unwrap_err();
    assert!(refused.to_string().contains("(limit `code size`)"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_schema_is_refused_with_its_place() {
    let runtime = Host::new().runtime();
    let id = id_of(&runtime.execute("async () => 1").await.unwrap());
    let refused = |schema: &str| {
        let save = SaveSnippet::from(id.clone()).input_schema(schema);
        runtime.save_snippet("s", save).unwrap_err().to_string()
    };
    assert!(refused("{").contains("the input schema is no JSON"));
    assert!(refused("[]").contains("neither an object nor"));
    assert!(refused("{\"properties\":{\"a\":{\"type\":\"text\"}}}").contains("is not valid at .properties.a.type"));
    assert!(refused("{\"$ref\":\"https://x.test/s.json\"}").contains("remote `$ref`"));
    assert_eq!(runtime.snippets().unwrap(), []);
}

/// Covers PRUNE-08.
#[tokio::test(flavor = "multi_thread")]
async fn snippets_outlive_the_executions_that_they_were_made_of() {
    for home in both() {
        let store = home.store();
        save(&store, "pruned", "async () => 'pruned'").await;
        let runtime = home.host().runtime();
        assert_eq!(runtime.prune_executions(0).unwrap(), 1);
        let id = id_of(&runtime.execute("async () => 'deleted'").await.unwrap());
        runtime.save_snippet("deleted", SaveSnippet::from(id.clone())).unwrap();
        assert!(runtime.delete(&id).await.unwrap());
        let ran = result(&runtime, "async () => [await codemode.run('pruned'), await codemode.run('deleted')]").await;
        assert_eq!(ran, json!(["pruned", "deleted"]));
    }
}
