//! Executors are plugged in, so one may break every rule of its contract. The host must not panic or hang, and the
//! journal must stay true.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use codemode_conformance::fixtures::{Ledger, t};
use codemode_conformance::harness::{anna, error_of, id_of, journal_of};
use codemode_runtime::connector::BoxFuture;
use codemode_runtime::durable::id::Op;
use codemode_runtime::durable::journal::Rerun;
use codemode_runtime::durable::replay::Settled;
use codemode_runtime::executor::{Dispatch, Executor, Ran, Request, StepOutcome};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{Outcome, Runtime, Seq};

type Story = fn(Box<dyn Dispatch>) -> BoxFuture<'static, (Ran, Box<dyn Dispatch>)>;

struct Hostile(Story);

impl Executor for Hostile {
    fn digest(&self) -> &str {
        "hostile"
    }

    fn runtime(&self) -> tokio::runtime::Handle {
        tokio::runtime::Handle::current()
    }

    fn run(&self, _: Request, dispatch: Box<dyn Dispatch>) -> BoxFuture<'_, (Ran, Box<dyn Dispatch>)> {
        (self.0)(dispatch)
    }
}

fn runtime(ledger: &Arc<Ledger>, story: Story) -> Runtime {
    let builder = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(Arc::new(Hostile(story)));
    builder.connector("t", Arc::new(t(ledger))).build().unwrap()
}

fn add(dispatch: &mut dyn Dispatch, method: &str) -> Op {
    dispatch.submit("t".to_owned(), method.to_owned(), Some(r#"{"n":1,"ms":100000}"#.to_owned())).unwrap()
}

fn forged_ops(mut dispatch: Box<dyn Dispatch>) -> BoxFuture<'static, (Ran, Box<dyn Dispatch>)> {
    Box::pin(async move {
        let op = add(&mut *dispatch, "add");
        for forged in [op, Op(1), Op(u32::MAX)] {
            dispatch.cancel(forged);
            for text in ["7", "no json"] {
                let outcome = StepOutcome { result: Ok(Some(text.to_owned())), rerun: Rerun::Yes };
                dispatch.step_exit(forged, outcome).unwrap();
            }
        }
        let answer = dispatch.next(Settled::No).await.unwrap().unwrap();
        assert_eq!(answer.op, op);
        assert_eq!(dispatch.next(Settled::Yes).await.unwrap(), None);
        assert!(dispatch.submit("t".to_owned(), "add".to_owned(), None).is_err(), "nobody would answer");
        (Ran::Returned(None), dispatch)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_ops_and_asks_after_the_end_do_not_reach_the_journal() {
    let ledger = Ledger::in_memory();
    let runtime = runtime(&ledger, forged_ops);
    let outcome = runtime.execute("async () => 1").await.unwrap();
    assert!(error_of(&outcome).message.contains("after the code had ended"), "{outcome:#?}");
    assert_eq!(journal_of(&runtime, &id_of(&outcome)), ["0 t.add applied"]);
    assert_eq!(ledger.count("t", "add"), 1);
}

fn gives_up_early(mut dispatch: Box<dyn Dispatch>) -> BoxFuture<'static, (Ran, Box<dyn Dispatch>)> {
    Box::pin(async move {
        add(&mut *dispatch, "gate");
        add(&mut *dispatch, "slowAdd");
        {
            let mut next = dispatch.next(Settled::No);
            poll_fn(|context| Poll::Ready(next.as_mut().poll(context).is_ready())).await;
        }
        (Ran::Returned(None), dispatch)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_an_executor_did_not_wait_for_stays_in_doubt_after_a_pause_and_a_rejection() {
    let ledger = Ledger::in_memory();
    let runtime = runtime(&ledger, gives_up_early);
    let outcome = runtime.execute("async () => 1").await.unwrap();
    let Outcome::Paused { execution, .. } = &outcome else { panic!("{outcome:#?}") };
    assert_eq!(ledger.count("t", "slowAdd"), 1);
    assert_eq!(journal_of(&runtime, execution), ["0 t.gate pending", "1 t.slowAdd unknown"]);
    assert!(runtime.reject(execution, Seq(0), anna()).await.unwrap());
    assert_eq!(journal_of(&runtime, execution), ["0 t.gate reverted", "1 t.slowAdd unknown"]);
}

fn endless_name(mut dispatch: Box<dyn Dispatch>) -> BoxFuture<'static, (Ran, Box<dyn Dispatch>)> {
    Box::pin(async move {
        let name = "x".repeat(1_000_001);
        assert!(dispatch.step_enter(name).is_err());
        (Ran::Over, dispatch)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_bounded_like_every_journaled_value() {
    let runtime = runtime(&Ledger::in_memory(), endless_name);
    let outcome = runtime.execute("async () => 1").await.unwrap();
    assert!(error_of(&outcome).message.contains("limit `value size`"), "{outcome:#?}");
    assert_eq!(journal_of(&runtime, &id_of(&outcome)), Vec::<String>::new());
}
