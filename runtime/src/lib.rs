//! Durable Code Mode on WASI components.
//!
//! A model writes one JavaScript function that composes tools. A [`Runtime`] runs it in a fresh WebAssembly sandbox;
//! its tools are [`connector`]s; every call is journaled in a [`store`]. A call that needs approval pauses the
//! execution, and approving it runs the same code again against the journal, so that nothing happens twice.
//!
//! The library never prints, never reads the environment and installs no subscriber; it traces through `tracing`.
//!
//! Feature: `sqlite` (default) brings [`store::sqlite`]; without it only the in-memory store exists.
#![warn(missing_docs)]

mod bindings;
pub mod bundle;
mod catalogue;
pub mod clock;
pub mod connector;
pub mod control;
pub mod discovery;
pub mod durable;
mod error;
pub mod executor;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzz;
pub mod host;
pub mod names;
pub mod normalize;
pub mod outcome;
mod pass;
mod runtime;
mod schema;
mod snippet;
pub mod store;
pub mod tool;
pub mod truncate;

pub use discovery::{Docs, Found, Hit, Kind};
pub use durable::approval::{Pick, Picks};
pub use durable::execution::{Determinism, Execution, Status};
pub use durable::failure::{CodeError, ErrorKind, Failure};
pub use durable::id::{ExecutionId, Seq};
pub use durable::journal::{Entry, EntryState};
pub use durable::limits::Limits;
pub use durable::resolve::{UnresolvedCall, Word};
pub use durable::rollback::{Offer, OfferedCall, RollbackReport, Undone, UndoneCall};
pub use durable::snippet::{MAX_SNIPPET_NAME, Snippet};
pub use durable::value::{Json, ValueLimits};
pub use error::Error;
pub use executor::component::ComponentExecutor;
pub use host::{Engine, EngineOptions};
pub use outcome::{Outcome, PendingCall};
pub use runtime::{
    By, Code, Event, EventKind, Events, Recovered, Resolved, Runtime, RuntimeBuilder, SaveSnippet, Started, Transformed,
};
pub use schema::Validate;
pub use store::{Query, Store};
