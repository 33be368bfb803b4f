//! The rules of durability without the rest of the runtime, so that they build in seconds: the folder itself, with its
//! own tests, and a second look at it. `cargo xtask mutants` changes the rules one place at a time and expects these
//! tests to notice.
#![allow(dead_code, unreachable_pub, unused_imports, reason = "what only the rest of the runtime uses")]

#[path = "../../runtime/src/durable/mod.rs"]
pub mod durable;
#[cfg(test)]
mod machine;
#[cfg(test)]
mod stories;
