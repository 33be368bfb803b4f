//! The command as people and scripts use it: real processes, real files, real exit codes. Nothing here waits for a time
//! to pass.

mod backup;
mod bad_input;
mod bundle;
mod executions;
mod host;
mod interrupt;
mod json;
mod kit;
mod manifest;
mod mcp;
mod new;
mod readme;
mod recover;
mod resolve;
mod retention;
mod rollback;
mod show;
mod snippet;
mod walk;
#[path = "../../../xtask/src/walk.rs"]
mod xtask_walk;
