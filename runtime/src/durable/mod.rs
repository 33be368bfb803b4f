//! The rules of durability: pure functions over plain data. No IO, no clock, no async, no wasm, no SQL; time comes in
//! as a number, effects go out as [`write::Write`]s and [`replay::Start`]s.
//!
//! Invariants that hold over every journal:
//!
//! 1. Ops are dense from 0 in the order of asking; seqs are dense from 0 over calls and steps.
//! 2. Places of delivery are dense from 0; the clock never decreases with the place.
//! 3. An entry is `executing` before it is performed and answered after; one answer per entry, ever.
//! 4. A pass performs nothing whose answer is recorded, ephemeral reads apart.
//! 5. Nothing fresh is performed while recorded answers are still to be delivered.
//! 6. Paused means: something waits for a person. Terminal means: nothing is pending or executing.
//! 7. Terminal never changes except to rolled back.

pub mod approval;
pub mod decide;
pub mod digest;
#[cfg(test)]
mod drawn;
pub mod ending;
pub mod execution;
pub mod failure;
pub mod finish;
pub mod id;
pub mod journal;
pub mod json;
pub mod limits;
pub mod recovery;
pub mod replay;
pub mod resolve;
pub mod retention;
pub mod rollback;
pub mod snippet;
pub mod value;
pub mod write;
