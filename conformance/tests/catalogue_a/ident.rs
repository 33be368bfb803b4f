//! IDENT: what a runtime is known by. A name, its store, and nothing else.

use std::sync::Arc;

use codemode_conformance::fixtures::{Ledger, shelf, t};
use codemode_conformance::harness::{Host, anna, approve_seq, executor, id_of, pending_of, result_of};
use codemode_runtime::connector::Connector;
use codemode_runtime::{Error, Picks, Query, Runtime};
use serde_json::json;

use crate::support::{Disk, created, memory, named, parsed, record};

fn shelf_alone() -> Arc<dyn Connector> {
    Arc::new(shelf(&Ledger::in_memory()))
}

/// Covers IDENT-01, runtime#36.
#[tokio::test(flavor = "multi_thread")]
async fn runtimes_of_two_names_have_histories_of_their_own() {
    let disk = Disk::new();
    let unnamed = Runtime::builder().store(disk.open("default")).executor(executor()).build().unwrap();
    assert_eq!(unnamed.name(), "default");
    let other = named("other", disk.open("other"), &[]);
    let of_unnamed = id_of(&unnamed.execute("async () => 1").await.unwrap());
    let of_other = id_of(&other.execute("async () => 2").await.unwrap());
    for (runtime, id) in [(&unnamed, of_unnamed), (&other, of_other)] {
        let listed: Vec<_> = runtime.executions(&Query::default()).unwrap().into_iter().map(|s| s.id).collect();
        assert_eq!(listed, [id]);
    }
}

/// Covers IDENT-02.
#[test]
fn a_runtime_name_takes_letters_digits_and_three_signs() {
    let named = |name: &str| Runtime::builder().name(name).store(memory()).executor(executor()).build();
    for bad in ["bad name", "", "a/b", "ä", "..", "a\n"] {
        let refused = named(bad).unwrap_err();
        assert!(matches!(refused, Error::Name(_)), "{refused:?}");
        let said = format!("the runtime name {bad:?} is not allowed: use ASCII letters, digits, `_`, `-` and `.`");
        assert!(refused.to_string().starts_with(&said), "{refused}");
    }
    assert_eq!(named("a.b-c_1").unwrap().name(), "a.b-c_1");
}

/// Covers IDENT-03.
#[tokio::test(flavor = "multi_thread")]
async fn another_set_of_connectors_is_still_the_same_runtime() {
    let disk = Disk::new();
    let first = named("default", disk.open("default"), &[("shelf", shelf_alone())]);
    let old = id_of(&first.execute("async () => shelf.list()").await.unwrap());
    drop(first);
    let more: [(&str, Arc<dyn Connector>); 2] =
        [("shelf", shelf_alone()), ("other", Arc::new(t(&Ledger::in_memory())))];
    let second = named("default", disk.open("default"), &more);
    let new = id_of(&second.execute("async () => other.echo(1)").await.unwrap());
    let listed: Vec<_> = second.executions(&Query::default()).unwrap().into_iter().map(|s| s.id).collect();
    assert_eq!(listed, [new, old.clone()]);
    let connectors: Vec<String> =
        record(&second, &old).execution.start.namespaces.into_iter().map(|n| n.name).collect();
    assert_eq!(connectors, ["shelf"]);
}

/// Covers APPROVE-09.
#[tokio::test(flavor = "multi_thread")]
async fn approval_needs_every_recorded_connector_even_one_that_the_code_never_used() {
    let host = Host::new();
    let paused = host.runtime().execute("async () => shelf.put({ title: 'x' })").await.unwrap();
    let id = id_of(&paused);
    let start = record(&host.runtime(), &id).execution.start;
    assert_eq!(start.namespaces.iter().map(|n| n.name.as_str()).collect::<Vec<_>>(), ["shelf", "t"]);
    let without = host.clone().without("t").runtime();
    let refused = without.approve(&id, Picks::AllPending, anna()).await.unwrap();
    let said = format!("execution {id} requires connector(s) \"t\" that are not configured");
    assert_eq!(codemode_conformance::harness::error_of(&refused).message, said);
    assert_eq!(created(&host), Vec::<String>::new());
    assert_eq!(parsed(&result_of(&approve_seq(&host.runtime(), &id, 0).await)), json!({ "id": 1, "title": "x" }));
}

/// Covers IDENT-05, runtime-handle#1.
#[test]
fn connector_names_are_checked_when_the_runtime_is_built() {
    let build = |names: &[&str]| {
        let mut builder = Runtime::builder().store(memory()).executor(executor());
        for name in names {
            builder = builder.connector(*name, shelf_alone());
        }
        builder.build().map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(
        build(&["a", "a"]),
        Err(
            "Duplicate connector name `a` (the connectors number 1 and 2): each connector needs a namespace of its own"
                .to_owned()
        )
    );
    let reserved = "the connector name `codemode` is reserved: choose another namespace".to_owned();
    assert_eq!(build(&["codemode"]), Err(reserved));
    assert_eq!(build(&["a", "b"]), Ok(()));
}

/// Covers IDENT-06.
#[test]
fn a_runtime_without_a_store_is_refused_with_the_way_to_give_one() {
    let refused = Runtime::builder().executor(executor()).build().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a runtime needs a store: give one to `RuntimeBuilder::store`, such as `SqliteStore::open(path, options)`"
    );
}

/// Covers IDENT-07, APPROVE-13, APPROVE-17.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_works_when_the_file_is_closed_and_opened_again_between_all_operations() {
    let disk = Disk::new();
    let mut host = disk.host();
    let code = "async () => { const b = await shelf.list(); const c = await shelf.put({
        title: 'hello', at: [1, { x: null }] });
        return { n: b.length, c }; }";
    let paused = host.runtime().execute(code).await.unwrap();
    let id = id_of(&paused);

    host = disk.restart(host);
    let shown = host.runtime().pending(Some(&id)).unwrap();
    assert_eq!(shown.len(), 1);
    assert_eq!(
        pending_of(&paused),
        [format!("1 {}.{} {}", shown[0].connector, shown[0].method, shown[0].args.as_ref().unwrap().as_str())]
    );
    assert_eq!(shown[0].args.as_ref().unwrap().as_str(), r#"{"title":"hello","at":[1,{"x":null}]}"#);

    host = disk.restart(host);
    assert_eq!(host.runtime().pending(None).unwrap(), shown);
    let before = record(&host.runtime(), &id);
    assert_eq!((before.execution.status.as_str(), before.execution.start.code.as_str()), ("paused", code));

    host = disk.restart(host);
    let outcome = approve_seq(&host.runtime(), &id, 1).await;
    assert_eq!(parsed(&result_of(&outcome)), json!({ "n": 0, "c": { "id": 1, "title": "hello" } }));

    host = disk.restart(host);
    let after = record(&host.runtime(), &id);
    assert_eq!(after.execution.status.as_str(), "completed");
    assert_eq!(after.execution.result.unwrap().as_str(), result_of(&outcome));
    assert_eq!(host.runtime().pending(None).unwrap(), []);
    assert_eq!((host.ledger.count("shelf", "list"), created(&host)), (1, vec!["hello".to_owned()]));
}
