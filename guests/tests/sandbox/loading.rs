//! The component itself: how fast an instance is ready, and that one has one run.

use crate::host::{code, result};

#[test]
fn each_run_starts_afresh() {
    result("async () => { globalThis.left = 1; Array.prototype.left = 1; }");
    assert_eq!(result("async () => [typeof left, [].left === undefined]"), "[\"undefined\",true]");
}

/// Not a measurement; a run that took a hundred times as long would mean that the snapshot is gone.
#[test]
fn an_instance_is_ready_at_once() {
    result("async () => 1");
    let fastest = (0..50).map(|_| code("async () => 1 + 1").run().took).min().expect("runs");
    println!("instantiate and run: {fastest:?}");
    assert!(fastest.as_millis() < 20, "{fastest:?}");
}
