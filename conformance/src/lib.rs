//! What codemode promises, as code that anyone can run: [`check`]s for the CI of whoever wrote a connector, fixtures whose
//! real executions are counted outside, the suite that any store must pass, random programs with an independent model,
//! and a harness over real parts.
#![warn(missing_docs)]

pub mod catalogues;
pub mod check;
pub mod fixtures;
pub mod harness;
pub mod laws;
pub mod model;
pub mod program;
pub mod redact;
pub mod store_suite;
