//! How many tool calls are being worked on, for whoever waits until there are none.

use std::time::Duration;

use tokio::sync::watch;

/// Counts tool calls. All clones count together.
#[derive(Clone, Debug)]
pub(crate) struct Running(watch::Sender<usize>);

/// One that is being worked on, until this is dropped.
#[derive(Debug)]
pub(crate) struct Work(watch::Sender<usize>);

impl Running {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// One more; `None` where there are `limit` already.
    pub(crate) fn enter(&self, limit: usize) -> Option<Work> {
        let entered = self.0.send_if_modified(|count| {
            let room = *count < limit;
            *count += usize::from(room);
            room
        });
        entered.then(|| Work(self.0.clone()))
    }

    /// Waits until there are fewer than `limit`.
    pub(crate) async fn below(&self, limit: usize) {
        // It closes only with its last sender, and `self` is one.
        let _ = self.0.subscribe().wait_for(|count| *count < limit).await;
    }

    /// Waits until there are none, at most for so long.
    pub(crate) async fn none(&self, limit: Duration) {
        let _ = tokio::time::timeout(limit, self.below(1)).await;
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_enter_and_not_one_more() {
        let running = Running::new();
        let held: Vec<Work> = (0..3).map(|_| running.enter(3).expect("room")).collect();
        assert!(running.enter(3).is_none());
        drop(held);
        assert!(running.enter(3).is_some());
    }

    #[tokio::test]
    async fn whoever_waits_hears_of_the_last_one() {
        let running = Running::new();
        let work = running.enter(1);
        let waiter = tokio::spawn({
            let running = running.clone();
            async move { running.below(1).await }
        });
        drop(work);
        waiter.await.expect("it hears of it");
    }
}
