//! Reverts of connectors that keep their own state: what they write commits with the entry, exactly once, or not at
//! all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::harness::{Host, engine, id_of, result_of};
use codemode_runtime::connector::{
    BoxFuture, Call, CallOutput, Connector, Description, Flag, Method, Revert, Reverted, StateSession,
};
use codemode_runtime::durable::failure::code;
use codemode_runtime::durable::write::Scope;
use codemode_runtime::store::StateQuery;
use codemode_runtime::{EntryState, ExecutionId, Failure, Seq, Status, Store};
use tokio::sync::Barrier;

use crate::homes::{homes, lines, record, status};
use crate::kit::{soon, testkit};
use crate::mortal::{BOTH, Mortal};

fn keys(store: &dyn Store, prefix: &str) -> Vec<String> {
    store.state_keys(&StateQuery { connector: "kit", execution: None, prefix, after: None, limit: 1_000 }).unwrap()
}

/// The component's `add` makes a row in its state; its revert removes the row and leaves a note.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_component_made_is_gone_after_the_rollback() {
    for home in homes() {
        let host = Host::bare(home.store.clone()).with("kit", testkit(engine(), "t"));
        let runtime = host.runtime();
        let code = "async () => {
            await Promise.all([1, 2, 3].map((n) => kit.add({ n })));
            return (await kit.list()).length; }";
        let outcome = runtime.execute(code).await.unwrap();
        let id = id_of(&outcome);
        assert_eq!((result_of(&outcome), keys(&*home.store, "row/").len()), ("3".to_owned(), 3));
        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!((report.reverted(), report.left()), (3, 0), "{report:?}");
        assert_eq!((keys(&*home.store, "row/").len(), keys(&*home.store, "reverted/").len()), (0, 3));
        let hook = home.store.state("kit", None, &format!("hook/{id}/end")).unwrap().unwrap();
        assert_eq!(hook.value, b"EndStatus::RolledBack");
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["3 kit.list nothing_to_revert"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_dies_in_a_rollback_leaves_no_call_half_undone() {
    for home in homes() {
        let kit = testkit(engine(), "t");
        let host = Host::bare(home.store.clone()).with("kit", kit.clone());
        let code = "async () => { for (const n of [1, 2, 3]) await kit.add({ n }); }";
        let agrees = |id: &ExecutionId| {
            for entry in record(&host.runtime(), id).entries {
                let key = format!("{id}:{}", entry.seq.unwrap());
                let row = home.store.state("kit", None, &format!("row/{key}")).unwrap();
                let note = home.store.state("kit", None, &format!("reverted/{key}")).unwrap();
                let reverted = entry.state == EntryState::Reverted;
                assert_eq!((row.is_none(), note.is_some()), (reverted, reverted), "{key} in {}", home.name);
            }
        };
        for last in BOTH {
            for at in 0.. {
                let id = id_of(&host.runtime().execute(code).await.unwrap());
                let mortal = Mortal::at(&home.store, at, last);
                let dying = Host::bare(mortal.clone()).with("kit", kit.clone()).runtime();
                let rolled = soon(dying.rollback(&id)).await;
                agrees(&id);
                if !mortal.is_dead() {
                    assert_eq!(rolled.unwrap().reverted(), 3);
                    break;
                }
                let runtime = host.runtime();
                runtime.recover().await.unwrap();
                agrees(&id);
                let report = runtime.rollback(&id).await.unwrap();
                assert_eq!((report.error(), report.status), (None, Some(Status::RolledBack)), "{at} {last:?}");
                agrees(&id);
                assert!(record(&runtime, &id).entries.iter().all(|e| e.state == EntryState::Reverted));
            }
        }
        assert_eq!(keys(&*home.store, "row/").len(), 0);
    }
}

/// A balance in its state. What a payment found is kept with the execution, for its revert.
struct Till {
    readers: Barrier,
    reverts: AtomicU32,
    /// How many of the first reverts wait for each other after they have read.
    together: u32,
    /// Reverts that fail after they have written.
    failing: AtomicU32,
}

impl Till {
    fn new(together: u32, failing: u32) -> Arc<Self> {
        let (reverts, failing) = (AtomicU32::new(0), AtomicU32::new(failing));
        Arc::new(Self { readers: Barrier::new(together.max(1) as usize), reverts, together, failing })
    }

    fn balance(state: &StateSession) -> u8 {
        state.get(Scope::Connector, "balance").unwrap().map_or(0, |v| v[0])
    }
}

fn of_call(seq: Seq) -> String {
    format!("before/{seq}")
}

impl Connector for Till {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        let methods = vec![Method { revertible: Flag::Yes, ..Method::write("pay") }];
        Box::pin(async { Ok(Description { suggested_name: "till".into(), methods, ..Description::default() }) })
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        Box::pin(async move {
            let found = Self::balance(&call.state);
            call.state.set(Scope::Execution, &of_call(call.context.seq), vec![found]).unwrap();
            call.state.set(Scope::Connector, "balance", vec![found + 1]).unwrap();
            Ok(None)
        })
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        Box::pin(async move {
            let found = Self::balance(&revert.state);
            if self.reverts.fetch_add(1, Ordering::SeqCst) < self.together {
                self.readers.wait().await;
            }
            let existed = revert.state.delete(Scope::Execution, &of_call(revert.context.seq)).unwrap();
            revert.state.set(Scope::Connector, "balance", vec![found - 1]).unwrap();
            if self.failing.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok() {
                return Err(Failure::new(code::UNAVAILABLE, "failed after it had written"));
            }
            Ok(if existed { Reverted::Reverted } else { Reverted::NothingToRevert })
        })
    }
}

fn balance(store: &dyn Store) -> u8 {
    store.state("till", None, "balance").unwrap().map_or(0, |v| v.value[0])
}

#[tokio::test(flavor = "multi_thread")]
async fn two_reverts_that_read_the_same_are_both_counted() {
    for home in homes() {
        let till = Till::new(2, 0);
        let runtime = home.host().with("till", till.clone()).runtime();
        let code = "async () => till.pay()";
        let (a, b) = (runtime.execute(code).await.unwrap(), runtime.execute(code).await.unwrap());
        let (a, b) = (id_of(&a), id_of(&b));
        assert_eq!(balance(&*home.store), 2);
        let (first, second) = soon(async { tokio::join!(runtime.rollback(&a), runtime.rollback(&b)) }).await;
        assert_eq!((first.unwrap().reverted(), second.unwrap().reverted()), (1, 1), "{}", home.name);
        assert_eq!((balance(&*home.store), till.reverts.load(Ordering::SeqCst)), (0, 3));
        // It was asked again for the same attempt: nothing of the first one counted.
        let numbers = [&a, &b].map(|id| record(&runtime, id).entries[0].revert.as_ref().unwrap().number);
        assert_eq!(numbers, [1, 1]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_revert_wrote_before_it_failed_is_dropped() {
    for home in homes() {
        let till = Till::new(0, 2);
        let runtime = home.host().with("till", till.clone()).runtime();
        let id = id_of(&runtime.execute("async () => { await till.pay(); await till.pay(); }").await.unwrap());
        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!(lines(&report), ["1 till.pay failed", "0 till.pay failed"]);
        assert_eq!((balance(&*home.store), status(&runtime, &id)), (2, Status::Completed));
        for seq in [0, 1] {
            let kept = home.store.state("till", Some(&id), &of_call(Seq(seq))).unwrap();
            assert!(kept.is_some(), "what the call left for its revert is still there");
        }
        assert_eq!(runtime.rollback(&id).await.unwrap().reverted(), 2);
        assert_eq!(balance(&*home.store), 0);
        assert!(home.store.state("till", Some(&id), &of_call(Seq(0))).unwrap().is_none());
    }
}
