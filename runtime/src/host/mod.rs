//! Everything that is said to wasmtime: the one configuration, the threads on which guests run, what a guest may take,
//! and which components are let in. `executor/component.rs` and `connector/component.rs` build on it; nobody else
//! names wasmtime.

mod admission;
mod ambient;
mod cache;
mod cpu;
mod engine;
mod inspect;
mod limits;
mod load;
mod output;
mod pool;
mod state;
#[cfg(test)]
mod tests;
pub(crate) mod trap;

pub use ambient::{Ambient, FIXED_CLOCK_STEP_MS, Fixed};
pub use engine::{Effective, Engine, EngineError, EngineOptions};
pub use inspect::{Capability, Inspection, Kind, Offence};
pub use load::LoadError;

pub use limits::{
    DEFAULT_CONNECTOR_CPU_MS, DEFAULT_MEMORY_BYTES, MAX_COMPONENT_BYTES, MAX_HTTP_TRANSFER_BYTES, MAX_INSTANCES,
    MAX_MEMORIES, MAX_OUTPUT_BYTES, MAX_TABLE_ELEMENTS, MAX_TABLES, MAX_TRANSFER_BYTES, TICK,
};

pub(crate) use admission::Seat;
pub(crate) use cpu::{CpuBreach, Stopped};
pub(crate) use engine::{Lost, check_initial_memory, panic_text};
pub(crate) use limits::{MAX_HANDLES, MAX_TIME_MS, Meter};
pub(crate) use output::Output;
pub(crate) use state::{HostState, nothing_granted};
