//! What a guest prints on one stream, up to a limit. The rest is counted and not kept: a guest must not fail because it
//! talks too much.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};

/// One output stream of a guest; clones are the same stream.
#[derive(Clone)]
pub(crate) struct Output {
    limit: usize,
    text: Arc<Mutex<Text>>,
}

#[derive(Default)]
struct Text {
    kept: Vec<u8>,
    dropped: u64,
}

impl Output {
    /// An empty stream that keeps so many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, text: Arc::default() }
    }

    /// What was printed so far, and how many bytes of it were not kept.
    pub(crate) fn printed(&self) -> (String, u64) {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        (String::from_utf8_lossy(&text.kept).into_owned(), text.dropped)
    }

    fn take_in(&self, bytes: &[u8]) {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let room = self.limit.saturating_sub(text.kept.len()).min(bytes.len());
        text.kept.extend_from_slice(&bytes[..room]);
        text.dropped = text.dropped.saturating_add((bytes.len() - room) as u64);
    }
}

impl IsTerminal for Output {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Output {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for Output {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        self.take_in(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_beyond_the_limit_is_counted_and_not_kept() {
        let output = Output::new(10);
        output.take_in(b"0123456789");
        assert_eq!(output.printed(), ("0123456789".to_owned(), 0));
        output.take_in(b"abc");
        assert_eq!(output.printed(), ("0123456789".to_owned(), 3));
    }
}
