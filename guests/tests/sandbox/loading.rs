//! The component itself: each instance has one run, and nothing of it is left for the next.

use crate::host::result;

#[test]
fn each_run_starts_afresh() {
    result("async () => { globalThis.left = 1; Array.prototype.left = 1; }");
    assert_eq!(result("async () => [typeof left, [].left === undefined]"), "[\"undefined\",true]");
}
