//! RUN: how a pass ends. The record decides what the outcome is; the code has no say in it.

use std::panic::panic_any;
use std::sync::{Arc, Mutex};

use codemode_conformance::fixtures::{Ledger, shelf};
use codemode_conformance::harness::{Host, approve_all, error_of, executor, id_of, journal_of, pending_of, result_of};
use codemode_conformance::store_suite::samples;
use codemode_runtime::connector::native::Native;
use codemode_runtime::connector::{BoxFuture, Method};
use codemode_runtime::durable::id::{Op, Token, Version};
use codemode_runtime::durable::journal::{EntryState, Rerun};
use codemode_runtime::durable::replay::Settled;
use codemode_runtime::durable::write::Write;
use codemode_runtime::executor::{Dispatch, Executor, Ran, Request};
use codemode_runtime::store::sqlite::{Durability, Options, SqliteStore};
use codemode_runtime::store::{Barrier, StoreError};
use codemode_runtime::{Error, ExecutionId, Outcome, Query, Runtime, Status};
use serde_json::json;

use crate::support::{Disk, Door, created, disposed, memory, parsed, pass_ends, record, soon, status};

/// Covers RUN-09, RUN-14, APPROVE-19, STEP-07, runtime#10, WEAK-04.
#[tokio::test(flavor = "multi_thread")]
async fn code_that_swallows_a_pause_is_paused_all_the_same() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => {
        try { await shelf.put({ title: 'a' }) } catch { await shelf.jot({ text: 'caught' }) }
        finally { await shelf.jot({ text: 'finally' }) }
        try { await shelf.put({ title: 'b' }) } catch {}
        await codemode.step('z', () => { console.log('step') });
        return 'done'; }";
    let outcome = runtime.execute(code).await.unwrap();
    assert_eq!(pending_of(&outcome), [r#"0 shelf.put {"title":"a"}"#]);
    let id = id_of(&outcome);
    assert_eq!(status(&runtime, &id), "paused");
    assert_eq!(journal_of(&runtime, &id), ["0 shelf.put pending"]);
    assert_eq!(record(&runtime, &id).execution.logs, Vec::<String>::new());
    assert_eq!((host.ledger.count("shelf", "put"), host.ledger.count("shelf", "jot")), (0, 0));
}

/// Covers WEAK-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_pause_ends_the_code_although_it_would_go_on_for_ever() {
    let runtime = Host::new().runtime();
    let code = "async () => { try { await shelf.put({ title: 'a' }) } catch {} finally { for (;;) {} } }";
    let outcome = soon(runtime.execute(code)).await.unwrap();
    assert_eq!(pending_of(&outcome), [r#"0 shelf.put {"title":"a"}"#]);
}

/// Covers RUN-13.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_for_a_person_gives_no_provisional_result() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { const r = await shelf.put({ title: 'a' }); console.log(typeof r); return r }";
    let outcome = runtime.execute(code).await.unwrap();
    assert!(matches!(outcome, Outcome::Paused { .. }), "{outcome:?}");
    assert_eq!(created(&host), Vec::<String>::new());
    assert_eq!(record(&runtime, &id_of(&outcome)).execution.logs, Vec::<String>::new());
}

/// Covers RUN-17, iframe-executor#3.
#[tokio::test(flavor = "multi_thread")]
async fn undefined_is_no_result_and_null_is_one() {
    let runtime = Host::new().runtime();
    let nothing = runtime.execute("async () => {}").await.unwrap();
    assert!(matches!(nothing, Outcome::Completed { result: None, .. }), "{nothing:?}");
    assert_eq!(record(&runtime, &id_of(&nothing)).execution.result, None);
    assert_eq!(parsed(&nothing.to_wire()).get("result"), None);
    let null = runtime.execute("async () => null").await.unwrap();
    assert_eq!(parsed(&null.to_wire()).get("result"), Some(&json!(null)));
    assert_eq!(record(&runtime, &id_of(&null)).execution.result.unwrap().as_str(), "null");
}

/// Covers RUN-21.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_is_recorded_first_then_all_passes_end_then_all_executions_then_the_caller_is_told() {
    let story = Arc::new(Mutex::new(Vec::new()));
    let store = memory();
    let mut host = Host::bare(store.clone());
    for name in ["a", "b"] {
        let tell = |what: &'static str| {
            let (story, store) = (story.clone(), store.clone());
            move |id: &ExecutionId| {
                let kept = store.load(id).unwrap().unwrap().execution;
                let result = kept.result.map(|r| r.as_str().to_owned()).unwrap_or_default();
                story.lock().unwrap().push(format!("{what} {} {result}", kept.status));
            }
        };
        let (called, passed, ended) = (tell("call"), tell("pass-ended"), tell("execution-ended"));
        let native = Native::new(name)
            .method_sync(Method::read("one"), move |_, context| {
                called(&context.execution);
                Ok(json!(1))
            })
            .on_pass_ended(move |id, _, status| {
                passed(&id);
                async move {
                    assert_eq!(status.as_str(), "completed");
                    Ok(())
                }
            })
            .on_execution_ended(move |id, _| {
                ended(&id);
                async { Ok(()) }
            });
        host = host.with(name, Arc::new(native));
    }
    let outcome = host.runtime().execute("async () => a.one()").await.unwrap();
    assert_eq!(result_of(&outcome), "1");
    assert_eq!(
        *story.lock().unwrap(),
        [
            "call running ",
            "pass-ended completed 1",
            "pass-ended completed 1",
            "execution-ended completed 1",
            "execution-ended completed 1"
        ]
    );
}

/// An executor of somebody else that breaks its contract, after it asked for `door.keep` where there is a door.
struct Broken {
    way: fn() -> Ran,
    door: Option<Arc<Door>>,
}

impl Executor for Broken {
    fn digest(&self) -> &str {
        "broken"
    }

    fn runtime(&self) -> tokio::runtime::Handle {
        tokio::runtime::Handle::current()
    }

    fn run(&self, _: Request, mut dispatch: Box<dyn Dispatch>) -> BoxFuture<'_, (Ran, Box<dyn Dispatch>)> {
        Box::pin(async move {
            if let Some(door) = &self.door {
                dispatch.submit("door".to_owned(), "keep".to_owned(), None).unwrap();
                tokio::select! {
                    answer = dispatch.next(Settled::No) => panic_any(format!("answered: {answer:?}")),
                    () = door.entered() => {}
                }
            }
            ((self.way)(), dispatch)
        })
    }
}

/// A host whose ledger is that of a connector made elsewhere.
fn watching(ledger: &Arc<Ledger>) -> Host {
    let mut host = Host::bare(memory());
    host.ledger = ledger.clone();
    host
}

/// Covers RUN-23.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_that_breaks_its_contract_is_like_one_that_returned_an_error() {
    let ways: [fn() -> Ran; 2] = [|| Ran::Broke("E1".to_owned()), || panic_any("E1".to_owned())];
    for way in ways {
        let ledger = Ledger::in_memory();
        let host = watching(&ledger);
        let builder = Runtime::builder().store(host.store.clone()).connector("shelf", Arc::new(shelf(&ledger)));
        let runtime = builder.executor(Arc::new(Broken { way, door: None })).build().unwrap();
        let outcome = soon(runtime.execute("async () => 1")).await.unwrap();
        assert!(error_of(&outcome).message.contains("E1"), "{outcome:?}");
        let kept = record(&runtime, &id_of(&outcome)).execution;
        assert_eq!((kept.status, kept.error.as_ref()), (Status::Error, Some(error_of(&outcome))));
        assert_eq!((pass_ends(&host), disposed(&host)), (vec!["error".to_owned()], vec!["error".to_owned()]));
    }
}

/// Covers RUN-23.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_executor_left_in_flight_when_it_panicked_may_have_happened() {
    let door = Door::new();
    let broken = Broken { way: || panic_any("E1"), door: Some(door.clone()) };
    let builder = Runtime::builder().store(memory()).connector("door", door.connector());
    let runtime = builder.executor(Arc::new(broken)).build().unwrap();
    let outcome = soon(runtime.execute("async () => 1")).await.unwrap();
    assert_eq!(error_of(&outcome).message, "the executor broke its contract: it panicked: E1");
    let id = id_of(&outcome);
    assert_eq!((journal_of(&runtime, &id), status(&runtime, &id)), (vec!["0 door.keep unknown".to_owned()], "error"));
    let Outcome::Failed { calls: Some(calls), .. } = &outcome else { panic!("{outcome:?}") };
    assert_eq!(*calls, record(&runtime, &id).entries);
}

/// Covers RUN-24.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_refuses_to_write_about_what_is_not_there() {
    let disk = Disk::new();
    for store in [memory(), disk.open("default")] {
        let unknown = samples::id(404);
        let begin = Write::Asked(Box::new(samples::entry(0)));
        let refused = store.append(&unknown, Token(1), vec![begin], Barrier::Now).await.unwrap_err();
        assert_eq!(refused, StoreError::NotFound(unknown.clone()));
        assert!(refused.to_string().contains(unknown.as_str()));
        let refused = store.commit(&unknown, Version(1), vec![Write::Delete]).unwrap_err();
        assert_eq!(refused, StoreError::NotFound(unknown));

        // An answer without its entry is taken by nobody: nothing changes.
        let id = samples::id(1);
        let execution = samples::execution(&id);
        let token = execution.token;
        store.append(&id, token, vec![Write::Begin(Box::new(execution))], Barrier::Now).await.unwrap();
        let before = store.load(&id).unwrap();
        let reverted = Write::Answered {
            op: Op(7),
            from: &EntryState::ALL,
            state: EntryState::Reverted,
            answer: None,
            rerun: Rerun::No,
            at: 1,
            event: None,
        };
        store.append(&id, token, vec![reverted.clone()], Barrier::Now).await.unwrap();
        assert_eq!(store.load(&id).unwrap(), before);
        // One that must not be lost says so, and the whole batch is refused.
        let required = vec![Write::Require { op: Op(7), states: &EntryState::ALL }, reverted];
        assert_eq!(store.append(&id, token, required, Barrier::Now).await, Err(StoreError::Stale));
    }
}

/// Covers RUN-20.
#[tokio::test(flavor = "multi_thread")]
async fn each_pass_uses_the_parts_of_its_own_process_while_the_record_goes_on() {
    let disk = Disk::new();
    let first = disk.host();
    let paused = first.runtime().execute("async () => [await shelf.whoami(), await shelf.put({ title: 'x' })]").await;
    let id = id_of(paused.as_ref().unwrap());
    let old = first.ledger.clone();
    let second = disk.evict(first);
    let outcome = approve_all(&second.runtime(), paused.unwrap()).await;
    assert_eq!(id_of(&outcome), id);
    assert_eq!(parsed(&result_of(&outcome)), json!([{ "executionId": id.as_str() }, { "id": 1, "title": "x" }]));
    assert_eq!((old.count("shelf", "whoami"), old.count("shelf", "put")), (1, 0));
    assert_eq!((second.ledger.count("shelf", "whoami"), second.ledger.count("shelf", "put")), (0, 1));
    assert_eq!(record(&second.runtime(), &id).execution.start.executor, executor().digest());
}

/// Covers RUN-22.
#[tokio::test(flavor = "multi_thread")]
async fn connectors_hear_of_the_end_of_a_pass_although_the_store_could_not_keep_it() {
    let disk = Disk::new();
    let full = Options { durability: Durability::Process, max_pages: Some(100), ..Options::default() };
    let host = Host::over(Arc::new(SqliteStore::open(disk.path("default"), full).unwrap()));
    let runtime = host.runtime();
    // Room for the record and the call, none for the result.
    let refused = runtime.execute("async () => { await shelf.jot({ text: 'a' }); return 'x'.repeat(900000) }").await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, Error::Store(StoreError::Full(_))), "{refused:?}");
    // It has not ended: what it did is in the journal, for a recovery.
    let id = runtime.executions(&Query::default()).unwrap().remove(0).id;
    assert_eq!((status(&runtime, &id), journal_of(&runtime, &id)), ("running", vec!["0 shelf.jot applied".to_owned()]));
    assert_eq!((pass_ends(&host), disposed(&host)), (vec!["error".to_owned()], vec![]));
}
