//! The one wasmtime configuration. Instances come from a pool where the address space allows it (a fresh instance in
//! some microseconds), else they are allocated one by one.

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::admission::{DRIVERS, MEMORIES_PER_SEAT, TABLES_PER_SEAT};
use super::limits::{GUEST_STACK_BYTES, MAX_TABLE_ELEMENTS, WASM_STACK_BYTES};

/// The most guests of each kind; a pool for more does not fit into the address space of a process.
pub(crate) const MAX_GUESTS: u32 = 2_000;
/// Address space that one guest is reckoned with when there is no pool, in bytes: its memory limit and some more.
const UNPOOLED_GUEST_BYTES: u64 = 256 << 20;
/// Address space that is left for the process itself when there is no pool, in bytes.
const PROCESS_BYTES: u64 = 512 << 20;

/// How instances are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocation {
    /// From a pool; whether the kernel can say which pages were touched.
    Pooled(PagemapScan),
    /// One by one.
    OnDemand,
}

/// Whether the kernel reports touched pages (Linux 6.7). With it, memory is reset in place and stays resident; without,
/// that would cost more than it gains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PagemapScan {
    Yes,
    No,
}

/// What the machine allowed.
pub(crate) struct Built {
    pub(crate) engine: Engine,
    pub(crate) allocation: Allocation,
    /// Guests of each kind at a time.
    pub(crate) guests: u32,
}

/// Builds the engine for so many guests of each kind, or for fewer where the machine does not allow it. Whatever is less
/// than asked for is said once, with the numbers in effect.
///
/// # Errors
/// Not even the smallest engine can be built.
pub(crate) fn build(wanted: u32) -> wasmtime::Result<Built> {
    let guests = wanted.clamp(1, MAX_GUESTS);
    if guests != wanted {
        tracing::warn!(wanted, effective = guests, "the number of guests at a time is out of bounds");
    }
    let scan = if PoolingAllocationConfig::is_pagemap_scan_available() { PagemapScan::Yes } else { PagemapScan::No };
    let space = address_space();
    // Do not even try where the kernel would have to say no: a reservation that fails half way costs time.
    if space.is_none() {
        let allocation = Allocation::Pooled(scan);
        match Engine::new(&config(allocation, guests)) {
            Ok(engine) => return Ok(Built { engine, allocation, guests }),
            Err(error) => tracing::warn!(%error, "no room for a pool of instances"),
        }
    }
    let fewer = unpooled_guests(guests, space);
    tracing::warn!(
        wanted,
        effective = fewer,
        address_space_bytes = space,
        "instances are allocated one by one, which is slower: the address space of this process is limited (`ulimit -v`)"
    );
    let allocation = Allocation::OnDemand;
    Ok(Built { engine: Engine::new(&config(allocation, fewer))?, allocation, guests: fewer })
}

fn config(allocation: Allocation, guests: u32) -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK_BYTES)
        .async_stack_size(GUEST_STACK_BYTES)
        // Without it the stacks of guests that went deep are never given back.
        .async_stack_zeroing(true);
    match allocation {
        Allocation::Pooled(scan) => {
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(guests, scan)));
        }
        Allocation::OnDemand => {
            // Small reservations: memories grow by moving.
            config
                .allocation_strategy(InstanceAllocationStrategy::OnDemand)
                .memory_reservation(0)
                .memory_reservation_for_growth(1 << 20)
                .memory_guard_size(64 << 10)
                .memory_may_move(true);
        }
    }
    config
}

fn pool(guests: u32, scan: PagemapScan) -> PoolingAllocationConfig {
    // Sandboxes, connector instances, and drivers.
    let seats = guests.saturating_mul(2).saturating_add(DRIVERS);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(seats)
        .total_stacks(seats)
        .total_memories(seats.saturating_mul(MEMORIES_PER_SEAT))
        .total_tables(seats.saturating_mul(TABLES_PER_SEAT))
        // Core instances are only counted; a composed component has dozens of them.
        .total_core_instances(seats.saturating_mul(64))
        // Upper bounds of metadata, not reservations: large language run-times need some mebibytes.
        .max_component_instance_size(64 << 20)
        .max_core_instance_size(16 << 20)
        .max_memories_per_module(8)
        .max_tables_per_module(8)
        .table_elements(MAX_TABLE_ELEMENTS)
        .max_unused_warm_slots(64);
    match scan {
        PagemapScan::Yes => pool
            .pagemap_scan(Enabled::Yes)
            .linear_memory_keep_resident(2 << 20)
            .table_keep_resident(64 << 10)
            .async_stack_keep_resident(256 << 10),
        PagemapScan::No => pool.pagemap_scan(Enabled::No),
    };
    pool
}

/// How many guests fit without a pool.
fn unpooled_guests(wanted: u32, space: Option<u64>) -> u32 {
    let fit = space.map_or(u64::from(u32::MAX), |space| space.saturating_sub(PROCESS_BYTES) / UNPOOLED_GUEST_BYTES / 2);
    wanted.min(u32::try_from(fit).unwrap_or(u32::MAX)).max(1)
}

/// The limit on the address space of this process, in bytes, if there is one.
#[cfg(unix)]
fn address_space() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_pool_the_guests_fit_into_the_address_space() {
        assert_eq!(unpooled_guests(200, Some(4 << 30)), 7);
        assert_eq!(unpooled_guests(200, Some(0)), 1);
        assert_eq!(unpooled_guests(3, Some(u64::MAX)), 3);
        assert_eq!(unpooled_guests(200, None), 200);
    }

    #[test]
    fn every_allocation_is_accepted_by_the_engine() {
        for allocation in [Allocation::Pooled(PagemapScan::No), Allocation::OnDemand] {
            Engine::new(&config(allocation, 2)).unwrap();
        }
    }

    #[test]
    fn absurd_numbers_of_guests_are_clamped() {
        assert_eq!(build(0).unwrap().guests, 1);
        assert!(build(u32::MAX).unwrap().guests <= MAX_GUESTS);
    }
}
