//! Who may hold instances of the pool. An exhausted pool fails at once, so guests queue here instead.
//!
//! Sandboxes and connector instances queue apart: a sandbox holds its seat while it waits for calls, and calls hold
//! theirs without ever waiting for another one, so the two can never lock each other out. Drivers, which wait for
//! sandboxes, have a small queue of their own.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memories that one seat stands for.
pub(crate) const MEMORIES_PER_SEAT: u32 = 2;
/// Tables that one seat stands for.
pub(crate) const TABLES_PER_SEAT: u32 = 8;
/// Seats for drivers: so many run at a time.
pub(crate) const DRIVERS: u32 = 4;

/// Which queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// An executor's instance, for a pass.
    Sandbox,
    /// A connector's instance, for a call.
    Connector,
    /// A component that drives a runtime.
    Driver,
}

/// Both queues.
pub(crate) struct Admission {
    sandboxes: Arc<Semaphore>,
    instances: Arc<Semaphore>,
    drivers: Arc<Semaphore>,
    guests: u32,
}

impl Admission {
    /// `guests` seats for sandboxes, and as many for connectors' instances.
    pub(crate) fn new(guests: u32) -> Self {
        let queue = |seats: u32| Arc::new(Semaphore::new(seats as usize));
        Self { sandboxes: queue(guests), instances: queue(guests), drivers: queue(DRIVERS), guests }
    }

    /// Waits for room for an instance that takes `seats`; more than there are count as all.
    pub(crate) async fn enter(&self, seat: Seat, seats: u32) -> Option<OwnedSemaphorePermit> {
        let (queue, all) = match seat {
            Seat::Sandbox => (&self.sandboxes, self.guests),
            Seat::Connector => (&self.instances, self.guests),
            Seat::Driver => (&self.drivers, DRIVERS),
        };
        Arc::clone(queue).acquire_many_owned(seats.clamp(1, all)).await.ok()
    }
}

/// How many seats an instance with so many memories and tables takes; at least one.
pub(crate) fn seats(memories: u32, tables: u32) -> u32 {
    memories.div_ceil(MEMORIES_PER_SEAT).max(tables.div_ceil(TABLES_PER_SEAT)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composed_components_take_the_seats_that_they_need() {
        assert_eq!(seats(0, 0), 1);
        assert_eq!(seats(1, 3), 1);
        assert_eq!(seats(3, 8), 2);
        assert_eq!(seats(2, 17), 3);
    }

    #[tokio::test]
    async fn drivers_wait_for_each_other_and_for_nobody_else() {
        let admission = Admission::new(1);
        let mut seats = Vec::new();
        for _ in 0..DRIVERS {
            seats.push(admission.enter(Seat::Driver, 1).await.unwrap());
        }
        let more = admission.enter(Seat::Driver, 1);
        assert!(tokio::time::timeout(std::time::Duration::from_millis(5), more).await.is_err());
        let _sandbox = admission.enter(Seat::Sandbox, 1).await.unwrap();
        seats.pop();
        assert!(admission.enter(Seat::Driver, 1).await.is_some());
    }

    #[tokio::test]
    async fn the_two_queues_do_not_share_seats_and_too_large_asks_get_all() {
        let admission = Admission::new(2);
        let _all = admission.enter(Seat::Sandbox, 100).await.unwrap();
        let _one = admission.enter(Seat::Connector, 1).await.unwrap();
        let _two = admission.enter(Seat::Connector, 1).await.unwrap();
        let third = admission.enter(Seat::Connector, 1);
        assert!(tokio::time::timeout(std::time::Duration::from_millis(5), third).await.is_err());
    }
}
