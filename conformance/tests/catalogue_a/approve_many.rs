//! APPROVE: the queue of everything that waits, over all executions.

use std::sync::Arc;

use codemode_conformance::harness::{Host, approve_seq, engine, id_of, pending_of, result_of};
use codemode_conformance::store_suite::samples;
use codemode_runtime::Outcome;
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::connector::{BoxFuture, Call, CallOutput, Connector, Description, Method, Revert, Reverted};
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::id::{Op, Seq};
use codemode_runtime::durable::journal::{Approval, Entry, Reach};
use codemode_runtime::durable::write::Write;
use serde_json::json;

use crate::support::{created, parsed, record};

/// Covers APPROVE-10, CONCURRENCY-02, runtime#11, runtime-handle#8.
#[tokio::test(flavor = "multi_thread")]
async fn the_queue_has_the_newest_execution_first_and_inside_one_goes_by_number() {
    let host = Host::new();
    let runtime = host.runtime();
    let put = |titles: &[&str]| {
        let calls: Vec<String> = titles.iter().map(|t| format!("shelf.put({{ title: '{t}' }})")).collect();
        format!("async () => Promise.all([{}])", calls.join(", "))
    };
    let a = id_of(&runtime.execute(put(&["a0", "a1"])).await.unwrap());
    let done = id_of(&runtime.execute("async () => 1").await.unwrap());
    let b = id_of(&runtime.execute(put(&["b0"])).await.unwrap());
    let queue: Vec<_> = runtime
        .pending(None)
        .unwrap()
        .into_iter()
        .map(|p| (p.execution, p.seq.0, p.args.unwrap().as_str().to_owned()))
        .collect();
    assert_eq!(
        queue,
        [
            (b.clone(), 0, r#"{"title":"b0"}"#.to_owned()),
            (a.clone(), 0, r#"{"title":"a0"}"#.to_owned()),
            (a.clone(), 1, r#"{"title":"a1"}"#.to_owned())
        ]
    );
    assert_eq!(runtime.pending(Some(&a)).unwrap().len(), 2);
    assert_eq!(runtime.pending(Some(&done)).unwrap(), []);

    // Each goes its own way.
    let outcome = approve_seq(&runtime, &b, 0).await;
    assert_eq!(parsed(&result_of(&outcome)), json!([{ "id": 1, "title": "b0" }]));
    let half = approve_seq(&runtime, &a, 1).await;
    assert_eq!(pending_of(&half), [r#"0 shelf.put {"title":"a0"}"#]);
    assert_eq!(created(&host), ["b0", "a1"]);
}

/// Covers APPROVE-11, APPROVE-12.
#[tokio::test(flavor = "multi_thread")]
async fn an_entry_left_pending_in_an_execution_that_is_over_is_in_no_queue() {
    let host = Host::new();
    let runtime = host.runtime();
    let id = id_of(&runtime.execute("async () => shelf.list()").await.unwrap());
    let execution = record(&runtime, &id).execution;
    let left = Entry { op: Op(1), seq: Some(Seq(1)), ..samples::pending(1) };
    host.store.commit(&id, execution.version, vec![Write::Asked(Box::new(left))]).unwrap();
    assert_eq!(record(&runtime, &id).entries[1].state.as_str(), "pending");
    assert_eq!((runtime.pending(None).unwrap(), runtime.pending(Some(&id)).unwrap()), (vec![], vec![]));
}

/// Covers OUTPUT-02, runtime#5.
#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_carries_the_journal_of_all_passes() {
    let host = Host::new();
    let code = "async () => { await shelf.list(); return shelf.put({ title: 'x' }); }";
    let paused = host.runtime().execute(code).await.unwrap();
    let Outcome::Paused { calls, .. } = &paused else { panic!("{paused:?}") };
    let states: Vec<_> = calls.iter().map(|c| (c.request.title(), c.state.as_str())).collect();
    assert_eq!(states, [("shelf.list".to_owned(), "applied"), ("shelf.put".to_owned(), "pending")]);
    let calls = crate::support::wire(&paused)["calls"].clone();
    assert_eq!(
        calls,
        json!([
            {
                "seq": 0, "connector": "shelf", "method": "list", "result": [],
                "requiresApproval": false, "state": "applied"
            },
            {
                "seq": 1, "connector": "shelf", "method": "put", "args": { "title": "x" },
                "requiresApproval": true, "state": "pending"
            }
        ])
    );
    let outcome = approve_seq(&host.runtime(), &id_of(&paused), 1).await;
    let after = crate::support::wire(&outcome)["calls"].clone();
    assert_eq!(after[0], calls[0]);
    assert_eq!((&after[1]["state"], &after[1]["result"]), (&json!("applied"), &json!({ "id": 1, "title": "x" })));
}

/// A connector as a host offers it: `decorate` looks at each method that the inner one declares.
struct Decorated {
    inner: Arc<dyn Connector>,
    decorate: fn(&mut Method),
}

impl Connector for Decorated {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        Box::pin(async {
            let mut description = self.inner.describe().await?;
            description.methods.iter_mut().for_each(self.decorate);
            Ok(description)
        })
    }

    fn reach(&self) -> Reach {
        self.inner.reach()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.inner.call(call)
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        self.inner.revert(revert)
    }
}

/// Covers APPROVE-18.
#[tokio::test(flavor = "multi_thread")]
async fn approval_of_a_method_that_was_derived_from_elsewhere_is_marked_by_decorating_it() {
    // The notes component says itself which of its methods need approval; here the host turns that around.
    let bytes = std::fs::read(env!("CODEMODE_NOTES_WASM")).unwrap();
    let notes = ComponentConnector::load(engine(), &bytes, ComponentOptions::new("notes")).unwrap();
    let decorate = |method: &mut Method| {
        method.approval = if method.name == "listNotes" { Approval::Required } else { Approval::NotNeeded };
    };
    let host = Host::new().with("notes", Arc::new(Decorated { inner: Arc::new(notes), decorate }));
    let code = "async () => { const { text } = await notes.createNote({ text: 'a' });
        return [text, (await notes.listNotes()).length]; }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), ["1 notes.listNotes "]);
    assert_eq!(result_of(&approve_seq(&host.runtime(), &id_of(&paused), 1).await), r#"["a",1]"#);
}

/// Covers OUTPUT-02.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_outcome_says_of_the_journal_is_what_the_record_says() {
    let host = Host::new();
    for code in [
        "async () => { await shelf.list(); await codemode.step('s', () => 1); return shelf.tick(); }",
        "async () => { await shelf.jot({ text: 'a' }); return shelf.put({ title: 'x' }); }",
        "async () => { shelf.put({ title: 'x' }); await shelf.fail(); }",
        "async () => { shelf.put({ title: 'x' }); shelf.jot({ text: 'a' }); await shelf.huge({ n: 999999 }); }",
        "async () => { codemode.step('s', () => new Promise(() => 0)); throw 1; }",
    ] {
        let outcome = host.runtime().execute(code).await.unwrap();
        let (Outcome::Completed { calls, .. }
        | Outcome::Paused { calls, .. }
        | Outcome::Failed { calls: Some(calls), .. }) = &outcome
        else {
            panic!("{outcome:?}")
        };
        assert_eq!(*calls, record(&host.runtime(), &id_of(&outcome)).entries, "{code}");
    }
}
