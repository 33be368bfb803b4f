//! A connector that breaks: the call fails in plain words, the instance goes, everybody else goes on.

use std::sync::Arc;
use std::time::Duration;

use codemode_runtime::connector::component::{ComponentConnector, ComponentLimits};
use codemode_runtime::connector::{Connector, Revert};
use codemode_runtime::durable::failure::{EffectState, Failure};
use codemode_runtime::host::{Engine, EngineOptions};

use crate::kit::{TESTKIT, a_call, bytes, call, context, limited, options, testkit, testkit_with};

async fn failure(connector: &dyn Connector, method: &str) -> Failure {
    let failure = call(connector, method, None).await.unwrap_err();
    assert_eq!(failure.code, "internal", "{failure:?}");
    assert_eq!(failure.effect, EffectState::Possible, "{failure:?}");
    assert!(failure.message.starts_with(&format!("kit.{method} was stopped: ")), "{}", failure.message);
    failure
}

/// Waits until nobody but the test holds it.
async fn until_free<T>(held: &Arc<T>) {
    for _ in 0..2_000 {
        if Arc::strong_count(held) == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("{} still hold it", Arc::strong_count(held) - 1);
}

#[tokio::test]
async fn a_trap_fails_its_call_and_no_other() {
    let c = testkit("c");
    assert!(failure(&c, "trap").await.message.contains("`unreachable`"));
    assert_eq!(call(&c, "ok", None).await.unwrap().as_deref(), Some(r#"{"v":1}"#));
}

#[tokio::test]
async fn a_panic_and_an_exit_are_told_apart() {
    let kit = testkit("misc");
    assert!(failure(&kit, "panic").await.message.contains("a panic"));
    assert!(failure(&kit, "exit").await.message.contains("`exit(1)`"));
}

#[tokio::test]
async fn a_trap_inside_a_revert_names_the_revert() {
    let call = a_call("trap", None, 20_000);
    let (method, state) = (call.method, call.state);
    let context = context(1, 20_000);
    let revert = Revert { context, call_key: "exec_1:1".to_owned(), method, args: None, outcome: None, state };
    let failure = testkit("misc").revert(revert).await.unwrap_err();
    assert!(failure.message.starts_with("kit.trap (revert) was stopped"), "{}", failure.message);
}

#[tokio::test]
async fn memory_is_limited_by_name() {
    let kit = limited(|l| l.memory_bytes = 32 << 20);
    let message = failure(&kit, "bomb").await.message;
    assert!(message.contains("out of memory") && message.contains("`connector memory` of 32 MiB"), "{message}");
}

#[tokio::test]
async fn deep_recursion_is_a_stack_overflow() {
    let kit = testkit("misc");
    assert!(failure(&kit, "recurse").await.message.contains("stack overflow"));
    assert!(failure(&kit, "recurseInMemory").await.message.contains("recursion too deep"));
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_cpu_limit() {
    let kit = limited(|l| l.cpu_ms = 100);
    assert!(failure(&kit, "spin").await.message.contains("`connector cpu` of 100 ms"));
}

#[tokio::test]
async fn waiting_does_not_use_up_the_cpu_limit() {
    let kit = testkit_with("t", {
        let mut limits = ComponentLimits::default();
        limits.cpu_ms = 100;
        limits
    });
    let waited = call(&kit, "slow", Some(r#"{"ms":300,"v":1}"#)).await;
    assert_eq!(waited.unwrap().as_deref(), Some("1"));
}

#[tokio::test]
async fn a_guest_that_waits_or_loops_is_dropped_at_the_deadline() {
    for method in ["hang", "spin"] {
        let call = a_call(method, None, 150);
        let state = Arc::clone(&call.state);
        let failure = testkit("misc").call(call).await.unwrap_err();
        assert_eq!((failure.code.as_str(), failure.effect), ("timeout", EffectState::Possible));
        assert!(failure.message.contains("within 150 ms"), "{}", failure.message);
        until_free(&state).await;
    }
}

#[tokio::test]
async fn a_hundred_hanging_calls_leave_nothing_behind() {
    let kit = testkit("misc");
    let calls = (0..100).map(|_| a_call("hang", None, 300)).collect::<Vec<_>>();
    let states = calls.iter().map(|c| Arc::clone(&c.state)).collect::<Vec<_>>();
    let all = calls.into_iter().map(|call| {
        let kit = kit.clone();
        tokio::spawn(async move { kit.call(call).await })
    });
    for one in all.collect::<Vec<_>>() {
        assert_eq!(one.await.unwrap().unwrap_err().code, "timeout");
    }
    for state in &states {
        until_free(state).await;
    }
}

#[tokio::test]
async fn a_dropped_call_stops_the_guest() {
    let kit = testkit("misc");
    for method in ["spin", "hang"] {
        let call = a_call(method, None, 20_000);
        let state = Arc::clone(&call.state);
        assert!(tokio::time::timeout(Duration::from_millis(30), kit.call(call)).await.is_err());
        until_free(&state).await;
    }
}

#[tokio::test]
async fn endless_loops_on_all_threads_do_not_stop_the_others() {
    let mut few = EngineOptions::default();
    (few.guest_threads, few.max_guests) = (2, 16);
    let mut options = options("kit", &[]);
    options.limits.cpu_ms = 300;
    let kit = ComponentConnector::load(&Engine::new(few).unwrap(), &bytes(TESTKIT), options).unwrap();
    let spinning = (0..8).map(|_| {
        let kit = kit.clone();
        tokio::spawn(async move { call(&kit, "spin", None).await })
    });
    let spinning = spinning.collect::<Vec<_>>();
    let other = call(&kit, "echo", Some("1"));
    let other = tokio::time::timeout(Duration::from_secs(10), other).await.expect("it ran beside the loops");
    assert_eq!(other.unwrap().as_deref(), Some("1"));
    for one in spinning {
        assert!(one.await.unwrap().unwrap_err().message.contains("connector cpu"));
    }
}

#[tokio::test]
async fn more_calls_than_instances_wait_for_their_turn() {
    let mut few = EngineOptions::default();
    few.max_guests = 2;
    let engine = Engine::new(few).unwrap();
    let mut options = options("kit", &[("fixture", "t")]);
    options.limits.cpu_ms = 10_000;
    let kit = ComponentConnector::load(&engine, &bytes(TESTKIT), options).unwrap();
    let calls = (0..40).map(|_| {
        let kit = kit.clone();
        tokio::spawn(async move { call(&kit, "slow", Some(r#"{"ms":2,"v":1}"#)).await })
    });
    for one in calls.collect::<Vec<_>>() {
        assert_eq!(one.await.unwrap().unwrap().as_deref(), Some("1"));
    }
    // All instances busy until the deadline: nothing happened, and the text says why.
    let busy = [(); 2].map(|()| {
        let kit = kit.clone();
        tokio::spawn(async move { kit.call(a_call("hang", None, 1_500)).await })
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let failure = kit.call(a_call("echo", None, 100)).await.unwrap_err();
    assert_eq!((failure.code.as_str(), failure.effect), ("timeout", EffectState::None), "{failure:?}");
    assert!(failure.message.contains("max_guests"), "{}", failure.message);
    drop(busy);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn thousands_of_calls_do_not_accumulate_anything() {
    fn resident() -> u64 {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4
    }
    let kit = testkit("c");
    for _ in 0..500 {
        call(&kit, "ok", None).await.unwrap();
    }
    let before = resident();
    // More than any store could hold.
    for _ in 0..12_000 {
        call(&kit, "ok", None).await.unwrap();
    }
    let after = resident();
    // Other tests of the process run at the same time, hence the margin; a kept instance takes 50 KiB.
    assert!(after < before + 300_000, "{before} to {after} KiB");
}
