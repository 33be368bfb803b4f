//! What one guest may take of the machine. Every bound has a name that its breach repeats, a default, and a place where
//! it can be changed; a guest that asks for more gets a refusal, never more.

use std::time::Duration;

/// Linear memory of one instance, all its memories together, in bytes: 128 MiB. Setting: `memory_bytes`.
pub const DEFAULT_MEMORY_BYTES: u64 = 128 << 20;
/// CPU time of one connector call, in milliseconds. Setting: `cpu_ms`.
pub const DEFAULT_CONNECTOR_CPU_MS: u64 = 30_000;
/// The largest component that is compiled, in bytes: 128 MiB.
pub const MAX_COMPONENT_BYTES: u64 = 128 << 20;
/// Elements of one table. A JavaScript engine needs about 20,000.
pub const MAX_TABLE_ELEMENTS: usize = 100_000;
/// Core instances in one component instance. A composed component of three parts has about 15.
pub const MAX_INSTANCES: usize = 1_000;
/// Tables in one component instance.
pub const MAX_TABLES: usize = 1_000;
/// Memories in one component instance.
pub const MAX_MEMORIES: usize = 100;
/// Handles that one instance may hold open at a time.
pub(crate) const MAX_HANDLES: usize = 10_000;
/// Handles of an instance that may use http: requests and headers that are never sent are kept by the host.
pub(crate) const MAX_HTTP_HANDLES: usize = 512;
/// Bytes that a guest that may use http may hand to the host in one call: 4 MiB. The parts of a request are kept as they
/// were given, each with a handle; a result of 1,000,000 characters has 3 MiB at most.
pub const MAX_HTTP_TRANSFER_BYTES: usize = 4 << 20;
/// The longest time that is waited for a guest, in milliseconds: a day.
pub(crate) const MAX_TIME_MS: u64 = 86_400_000;
/// Random bytes that one ask of a guest may take.
pub(crate) const MAX_RANDOM_BYTES: u64 = 1 << 20;
/// Bytes that a guest may hand to the host in one call: 64 MiB. What is kept of it has much tighter limits.
pub const MAX_TRANSFER_BYTES: usize = 64 << 20;
/// Standard output, and standard error, of one call that reach the log, in bytes: 64 KiB. The rest is counted.
pub const MAX_OUTPUT_BYTES: usize = 64 << 10;
/// How often a running guest is interrupted so that others get their turn.
pub const TICK: Duration = Duration::from_millis(1);
/// Stack of the wasm code. JavaScript needs a fourth of it for itself; see `sandbox-guest`.
pub(crate) const WASM_STACK_BYTES: usize = 2 << 20;
/// Stack of one guest: that of the wasm code, and what host functions need on top.
pub(crate) const GUEST_STACK_BYTES: usize = WASM_STACK_BYTES + (512 << 10);

/// Counts what one store takes. Refuses growth beyond the limit and remembers that it did, so that the trap that
/// follows can be told as what it is.
#[derive(Debug)]
pub(crate) struct Meter {
    name: &'static str,
    memory_bytes: u64,
    used: u64,
    last_growth: u64,
    breach: Option<String>,
}

impl Meter {
    /// A meter whose breaches start with `name`, as in `connector memory`.
    pub(crate) fn new(name: &'static str, memory_bytes: u64) -> Self {
        Self { name, memory_bytes, used: 0, last_growth: 0, breach: None }
    }

    /// The limit that was hit, in words; `None` while nothing was refused.
    pub(crate) fn breach(&self) -> Option<&str> {
        self.breach.as_deref()
    }

    fn grow_memory(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> bool {
        let growth = desired.saturating_sub(current) as u64;
        if self.used.saturating_add(growth) > self.memory_bytes {
            self.breach = Some(format!("the limit `{}` of {}", self.name, mebibytes(self.memory_bytes)));
            return false;
        }
        if maximum.is_some_and(|max| desired > max) {
            return false;
        }
        self.used = self.used.saturating_add(growth);
        self.last_growth = growth;
        true
    }

    fn grow_table(&mut self, desired: usize) -> bool {
        if desired > MAX_TABLE_ELEMENTS {
            self.breach = Some(format!("the limit `table elements` of {MAX_TABLE_ELEMENTS}"));
            return false;
        }
        true
    }
}

/// A size for people: whole mebibytes where it is one.
pub(crate) fn mebibytes(bytes: u64) -> String {
    if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) {
        format!("{} MiB", bytes >> 20)
    } else {
        format!("{bytes} bytes")
    }
}

impl wasmtime::ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow_memory(current, desired, maximum))
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        self.used = self.used.saturating_sub(std::mem::take(&mut self.last_growth));
        tracing::debug!(%error, "a guest's memory could not grow");
        Ok(())
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow_table(desired))
    }

    fn instances(&self) -> usize {
        MAX_INSTANCES
    }

    fn tables(&self) -> usize {
        MAX_TABLES
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_memories_of_a_store_share_one_limit() {
        let mut meter = Meter::new("connector memory", 3 << 20);
        assert!(meter.grow_memory(0, 1 << 20, None));
        assert!(meter.grow_memory(0, 2 << 20, None));
        assert_eq!(meter.used, 3 << 20);
        assert_eq!(meter.breach(), None);
        assert!(!meter.grow_memory(1 << 20, (1 << 20) + 65_536, None));
        assert_eq!(meter.breach(), Some("the limit `connector memory` of 3 MiB"));
    }

    #[test]
    fn a_growth_beyond_the_guests_own_maximum_is_no_breach_of_ours() {
        let mut meter = Meter::new("connector memory", 3 << 20);
        assert!(!meter.grow_memory(65_536, 1 << 20, Some(65_536)));
        assert_eq!(meter.breach(), None);
        assert_eq!(meter.used, 0);
    }

    #[test]
    fn a_table_over_the_limit_is_refused_by_name() {
        let mut meter = Meter::new("connector memory", 0);
        assert!(meter.grow_table(MAX_TABLE_ELEMENTS));
        assert!(!meter.grow_table(MAX_TABLE_ELEMENTS + 1));
        assert_eq!(meter.breach(), Some("the limit `table elements` of 100000"));
    }

    #[test]
    fn sizes_are_written_for_people() {
        assert_eq!(mebibytes(128 << 20), "128 MiB");
        assert_eq!(mebibytes(1000), "1000 bytes");
    }
}
