//! What the code found out and which code it ran is in the journal: a resumed execution goes on with it, whatever was
//! saved, deleted or configured meanwhile.

use std::sync::Arc;

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, anna, approve_all, id_of, pending_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::journal::Request;
use codemode_runtime::{Entry, Picks};
use serde_json::{Value, json};

use crate::kit::{Home, both, save, save_with, value};

const FIRST: &str = "async (input) => { await t.echo({ v: 1 }); return t.gate({ v: input.v }); }";
const SECOND: &str = "async (input) => { await t.add({ n: 99 }); return t.gate({ v: 0 }); }";

/// Pauses in the snippet, changes it, restarts, approves.
async fn edited_while_paused(home: &Home, edit: impl AsyncFnOnce(&Host)) -> (Host, Value) {
    let host = home.host();
    save(&host.store, "s", FIRST).await;
    let paused = host.runtime().execute("async () => codemode.run(\"s\", { v: 7 })").await.unwrap();
    assert_eq!(pending_of(&paused), ["1 t.gate {\"v\":7}"]);
    edit(&host).await;
    let host = home.restart(host);
    let outcome = host.runtime().approve(&id_of(&paused), Picks::AllPending, anna()).await.unwrap();
    let got = value(&outcome);
    (host, got)
}

fn gates(host: &Host) -> Vec<String> {
    let gate = |e: &codemode_conformance::fixtures::Event| e.kind == EventKind::Performed && e.method == "gate";
    host.ledger.events().into_iter().filter(gate).filter_map(|e| e.args).collect()
}

/// Covers BUG-DUR-13, WEAK-12.
#[tokio::test(flavor = "multi_thread")]
async fn a_snippet_that_is_overwritten_while_a_run_is_paused_is_not_run_anew() {
    for home in both() {
        let (host, got) = edited_while_paused(&home, async |host| {
            save(&host.store, "s", SECOND).await;
        })
        .await;
        assert_eq!(got, json!({ "ok": true, "v": 7 }));
        assert_eq!((gates(&host), host.ledger.count("t", "add")), (vec!["{\"v\":7}".to_owned()], 0));
        assert_eq!(host.ledger.count("t", "echo"), 1);
        assert_eq!(host.runtime().snippet("s").unwrap().unwrap().code, SECOND);
    }
}

/// Covers BUG-DUR-13, PRUNE-08.
#[tokio::test(flavor = "multi_thread")]
async fn a_snippet_that_is_deleted_while_a_run_is_paused_still_ends_that_run() {
    for home in both() {
        let (host, got) = edited_while_paused(&home, async |host| {
            assert!(host.runtime().delete_snippet("s").unwrap());
        })
        .await;
        assert_eq!(got, json!({ "ok": true, "v": 7 }));
        assert_eq!((gates(&host), host.ledger.count("t", "add")), (vec!["{\"v\":7}".to_owned()], 0));
        assert_eq!(host.runtime().snippets().unwrap(), []);
    }
}

/// Covers BUG-DUR-15, WEAK-23.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_finds_on_replay_what_it_found_at_first() {
    for home in both() {
        let host = home.host().with("old", Arc::new(native("old", "archive_item")));
        let code = "async () => {
            const m = await codemode.search('archive item');
            const first = m.results[0].path;
            await t.gate({ first });
            return [first, m.total];
        }";
        let paused = host.runtime().execute(code).await.unwrap();
        assert_eq!(pending_of(&paused), ["0 t.gate {\"first\":\"old.archive_item\"}"]);
        save_with(&host.store, "archive item", "async () => 1", |s| s.description("archive item")).await;
        let host = home.restart(host).with("aa", Arc::new(native("aa", "archive_item")));
        let outcome = approve_all(&host.runtime(), paused).await;
        assert_eq!(value(&outcome), json!(["old.archive_item", 1]));
        let fresh = value(&approve_all(&host.runtime(), host.runtime().execute(code).await.unwrap()).await);
        assert_eq!(fresh[1], 3, "a new execution finds what is there now: {fresh}");
    }
}

fn native(name: &str, method: &str) -> Native {
    let described = Method { description: Some("archive item".to_owned()), ..Method::read(method) };
    Native::new(name).method(described, |_, _| async { Ok(json!(1)) })
}

/// Covers WEAK-23.
#[tokio::test(flavor = "multi_thread")]
async fn docs_refusals_and_missing_snippets_replay_as_they_were() {
    for home in both() {
        let host = home.host();
        save_with(&host.store, "picky", "async () => 'ran'", |s| s.input_schema("{\"type\":\"string\"}")).await;
        let code = "async () => {
            const seen = [
                (await codemode.run('later')).error,
                await codemode.run('picky', 5).catch((e) => e.message),
                (await codemode.describe('later')).kind,
            ];
            await t.gate({ n: 1 });
            return seen;
        }";
        let paused = host.runtime().execute(code).await.unwrap();
        save(&host.store, "later", "async () => 'here now'").await;
        save(&host.store, "picky", "async () => 'ran'").await;
        let host = home.restart(host);
        let seen = value(&approve_all(&host.runtime(), paused).await);
        assert_eq!((&seen[0], &seen[2]), (&json!("snippet \"later\" not found"), &json!("method")));
        assert!(seen[1].as_str().unwrap().starts_with("snippet \"picky\": input: "), "{seen}");
    }
}

/// The text and the input are compared like any other ask.
#[tokio::test(flavor = "multi_thread")]
async fn asking_for_another_snippet_or_with_another_input_is_a_divergence() {
    for asked in ["codemode.run(t2 ? 'b' : 'a', 1)", "codemode.run('a', t2 ? 2 : 1)", "codemode.search(t2 ? 'b' : 'a')"]
    {
        let host = Host::new();
        for name in ["a", "b"] {
            save(&host.store, name, "async (n) => n").await;
        }
        let code = format!("async () => {{ const t2 = (await t.live()).n > 1; await {asked}; await t.gate({{}}) }}");
        let paused = host.runtime().execute(code).await.unwrap();
        let failed = approve_all(&host.runtime(), paused).await;
        let error = codemode_conformance::harness::error_of(&failed);
        assert_eq!(error.kind.as_str(), "divergence", "{asked}: {error:?}");
        assert_eq!(gates(&host), Vec::<String>::new());
    }
}

/// A loop over a snippet does not copy its text each time, and replays all the same.
#[tokio::test(flavor = "multi_thread")]
async fn the_journal_has_each_text_of_a_snippet_once() {
    for home in both() {
        let host = home.host();
        save(&host.store, "s", &format!("async (n) => n * 2 // {}", "x".repeat(10_000))).await;
        let code = "async () => {
            let sum = 0;
            for (let n = 0; n < 50; n++) sum += await codemode.run('s', n);
            await t.gate({ sum });
            for (let n = 0; n < 50; n++) sum += await codemode.run('s', n);
            return sum;
        }";
        let paused = host.runtime().execute(code).await.unwrap();
        let id = id_of(&paused);
        let host = home.restart(host);
        assert_eq!(value(&approve_all(&host.runtime(), paused).await), json!(4_900));
        let entries = host.runtime().record(&id).unwrap().unwrap().entries;
        let of_snippet = |e: &&Entry| matches!(e.request, Request::Snippet { .. });
        let sizes = entries.iter().filter(of_snippet).map(|e| match &e.answer {
            Some(Ok(Some(answer))) => answer.units(),
            other => panic!("{other:?}"),
        });
        let sizes: Vec<u64> = sizes.collect();
        assert_eq!(sizes.len(), 100);
        assert!(sizes.iter().sum::<u64>() < 20_000, "{sizes:?}");
    }
}
