//! The command as people and scripts use it: real processes, real files, real exit codes. Nothing here waits for a time
//! to pass.

mod bad_input;
mod executions;
mod interrupt;
mod json;
mod kit;
mod manifest;
mod readme;
mod walk;
#[path = "../../../xtask/src/walk.rs"]
mod xtask_walk;
