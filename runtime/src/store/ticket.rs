//! What an append gives back: a promise that its writes are durable, to be awaited by the pass or waited for by a
//! thread.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use super::StoreError;

/// Settles when the writes reached their barrier. Dropping it changes nothing for the writes.
#[derive(Debug)]
pub struct Ticket(State);

#[derive(Debug)]
enum State {
    Settled(Result<(), StoreError>),
    Waiting(oneshot::Receiver<Result<(), StoreError>>),
}

/// The other end, kept by the store.
#[derive(Debug)]
pub struct Settle(oneshot::Sender<Result<(), StoreError>>);

/// Makes a ticket and its other end.
#[must_use]
pub fn ticket() -> (Settle, Ticket) {
    let (sender, receiver) = oneshot::channel();
    (Settle(sender), Ticket(State::Waiting(receiver)))
}

impl Settle {
    /// Settles the ticket. Nobody may be waiting any more.
    pub fn with(self, result: Result<(), StoreError>) {
        let _ = self.0.send(result);
    }
}

impl Ticket {
    /// A ticket that needs no waiting.
    #[must_use]
    pub fn settled(result: Result<(), StoreError>) -> Self {
        Self(State::Settled(result))
    }

    /// Blocks the thread until the ticket settles. Not for use inside an async task.
    ///
    /// # Errors
    /// Why the writes were not kept.
    pub fn wait(self) -> Result<(), StoreError> {
        match self.0 {
            State::Settled(result) => result,
            State::Waiting(receiver) => receiver.blocking_recv().unwrap_or(Err(StoreError::Closed)),
        }
    }
}

impl Future for Ticket {
    type Output = Result<(), StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Settled(result) => Poll::Ready(result.clone()),
            State::Waiting(receiver) => Pin::new(receiver).poll(context).map(|r| r.unwrap_or(Err(StoreError::Closed))),
        }
    }
}
