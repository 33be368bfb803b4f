//! The behaviour catalogue over real parts, first half: how an execution starts, replays, steps, waits for a person and
//! is refused.

mod support;

mod approve;
mod approve_many;
mod concurrency;
mod ident;
mod ident_rows;
mod lifecycle;
mod reject;
mod replay;
mod replay_crash;
mod replay_divergence;
mod replay_values;
mod run;
mod run_end;
mod run_failures;
mod step;
