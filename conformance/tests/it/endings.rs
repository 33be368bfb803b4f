//! What surrounds the end of a pass: nothing begins after it, hooks run once, state that changed meanwhile is not
//! overwritten, and what the code took back stays taken back.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use codemode_conformance::harness::{Host, anna, approve_all, error_of, id_of, journal_of, result_of};
use codemode_runtime::connector::{
    BoxFuture, Call, CallOutput, Connector, Description, Flag, Hooks, Method, Revert, Reverted, StateSession,
};
use codemode_runtime::durable::write::Scope;
use codemode_runtime::{ExecutionId, Failure, Outcome, Picks, Status};
use tokio::sync::{Barrier, Notify, Semaphore};

/// A connector with effects outside and a counter in its state.
struct Counter {
    /// Calls, and ends of passes, that were performed.
    performed: Mutex<Vec<String>>,
    /// All have read before one of them writes.
    readers: Barrier,
    seen: Mutex<BTreeMap<ExecutionId, u32>>,
    hook: Option<(Notify, Semaphore)>,
    hooks: Hooks,
}

impl Counter {
    fn new(hooks: Hooks) -> Self {
        let (performed, seen) = (Mutex::default(), Mutex::default());
        Self { performed, readers: Barrier::new(2), seen, hook: None, hooks }
    }

    fn performed(&self) -> Vec<String> {
        self.performed.lock().unwrap().clone()
    }

    async fn count(&self, state: &StateSession, wait: bool) {
        let found = state.get(Scope::Connector, "n").unwrap().map_or(0, |v| v[0]);
        if wait {
            self.readers.wait().await;
        }
        state.set(Scope::Connector, "n", vec![found + 1]).unwrap();
    }
}

impl Connector for Counter {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        Box::pin(async {
            let methods = vec![Method::write("pay")];
            Ok(Description { suggested_name: "c".into(), methods, hooks: self.hooks, ..Description::default() })
        })
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        Box::pin(async move {
            self.performed.lock().unwrap().push(call.method);
            self.count(&call.state, call.context.attempt == 1).await;
            Ok(None)
        })
    }

    fn revert(&self, _: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        Box::pin(async { Ok(Reverted::NothingToRevert) })
    }

    fn pass_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        pass: u32,
        _: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            self.performed.lock().unwrap().push(format!("pass {pass}"));
            match &self.hook {
                Some((began, go_on)) => {
                    began.notify_one();
                    drop(go_on.acquire().await);
                }
                None => {
                    let first = {
                        let mut seen = self.seen.lock().unwrap();
                        let times = seen.entry(execution.clone()).or_default();
                        *times += 1;
                        *times == 1
                    };
                    self.count(&state, first).await;
                }
            }
            Ok(())
        })
    }
}

fn after_each_pass() -> Hooks {
    Hooks { pass_ended: Flag::Yes, ..Hooks::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_had_not_begun_when_the_pass_failed_never_begins() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { t.add({ n: 1 }); setTimeout(() => {}, 100000); await t.slow({ ms: 5, v: 1 }); }";
    let failed = runtime.execute(code).await.unwrap();
    assert!(error_of(&failed).message.contains("pass wall time"), "{failed:#?}");
    // Whatever the first one left behind had its time while this one ran.
    runtime.execute("async () => { await t.slow({ ms: 30, v: 1 }); }").await.unwrap();
    assert_eq!(host.ledger.count("t", "add"), 0);
    assert_eq!(journal_of(&runtime, &id_of(&failed)), ["0 t.add reverted", "1 t.slow reverted"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_while_the_hooks_of_the_pass_run_waits_for_them() {
    let counter = Counter { hook: Some((Notify::new(), Semaphore::new(0))), ..Counter::new(after_each_pass()) };
    let counter = Arc::new(counter);
    let runtime = Host::new().with("c", counter.clone()).runtime();
    let first = tokio::spawn({
        let runtime = runtime.clone();
        async move { runtime.execute("async () => { await t.gate({ x: 1 }); return 1; }").await }
    });
    let (began, go_on) = counter.hook.as_ref().unwrap();
    began.notified().await;
    let pending = runtime.pending(None).unwrap();
    let mut approving = pin!(runtime.approve(&pending[0].execution, Picks::AllPending, anna()));
    let early = poll_fn(|context| Poll::Ready(approving.as_mut().poll(context).is_ready())).await;
    assert!(!early, "the hook of the first pass still runs");
    go_on.add_permits(1_000);
    assert_eq!(result_of(&approving.await.unwrap()), "1");
    assert!(matches!(first.await.unwrap().unwrap(), Outcome::Paused { .. }));
    assert_eq!(counter.performed(), ["pass 1", "pass 2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_effect_outside_does_not_happen_twice_because_state_changed_meanwhile() {
    let counter = Arc::new(Counter::new(Hooks::default()));
    let host = Host::new().with("c", counter.clone());
    let code = "async () => (await Promise.allSettled([c.pay(), c.pay()])).map((r) => r.status).sort()";
    let outcome = host.runtime().execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), r#"["fulfilled","rejected"]"#);
    assert_eq!(counter.performed(), ["pay", "pay"]);
    assert_eq!(host.store.state("c", None, "n").unwrap().unwrap().value, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_two_hooks_wrote_at_once_is_both_there() {
    let counter = Arc::new(Counter::new(after_each_pass()));
    let host = Host::new().with("c", counter.clone());
    let runtime = host.runtime();
    let (one, two) = tokio::join!(runtime.execute("async () => 1"), runtime.execute("async () => 2"));
    assert_eq!((result_of(&one.unwrap()), result_of(&two.unwrap())), ("1".to_owned(), "2".to_owned()));
    assert_eq!(host.store.state("c", None, "n").unwrap().unwrap().value, [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_that_a_step_took_back_stays_taken_back_after_an_approval() {
    let host = Host::new();
    let code = "async () => {
        const h = setTimeout(() => t.add({ n: 1 }), 10);
        await codemode.step('s', () => { clearTimeout(h); return 1; });
        await t.gate({ x: 1 });
        await new Promise((r) => setTimeout(r, 40));
        return 'ok'; }";
    let paused = host.runtime().execute(code).await.unwrap();
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&outcome), "\"ok\"");
    assert_eq!(host.ledger.count("t", "add"), 0);
}

/// Whatever it does panics.
struct Careless;

impl Connector for Careless {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        let hooks = after_each_pass();
        Box::pin(async move {
            let methods = vec![Method::write("pay")];
            Ok(Description { suggested_name: "c".into(), methods, hooks, ..Description::default() })
        })
    }

    fn call(&self, _: Call) -> BoxFuture<'_, CallOutput> {
        Box::pin(async { panic!("a careless call") })
    }

    fn revert(&self, _: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        Box::pin(async { Ok(Reverted::NothingToRevert) })
    }

    fn pass_ended<'a>(
        &'a self,
        _: &'a ExecutionId,
        _: u32,
        _: Status,
        _: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async { panic!("a careless hook") })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_panics_is_a_hook_that_failed_and_holds_nobody_up() {
    let runtime = Host::new().with("c", Arc::new(Careless)).runtime();
    let paused = runtime.execute("async () => { await t.gate({ x: 1 }); return 1; }").await.unwrap();
    assert_eq!(result_of(&approve_all(&runtime, paused).await), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_panics_is_a_call_that_failed() {
    let host = Host::new().with("c", Arc::new(Careless));
    let code = "async () => { try { await c.pay(); } catch (e) { return e.message; } }";
    let outcome = host.runtime().execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), r#""c.pay panicked: a careless call""#);
}
