//! The protocol on a pair of streams, one message in each line. Unlike the SDK's own transport it answers what is no message
//! or too large, reads nothing from a client that does not read, and gives running calls their time when the client is gone.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::message::{self, Read};
use crate::running::Running;
use crate::server::Shared;

/// What becomes of the calls of a client that is gone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lost {
    /// It sends nothing more: no question is answered.
    pub(crate) gone: CancellationToken,
    /// Its calls had their time.
    pub(crate) over: CancellationToken,
}

/// How long cancelled passes are waited for beyond their own limit `cancel time`.
const LAST: Duration = Duration::from_secs(1);

/// The transport.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    write: Arc<Mutex<Option<W>>>,
    line: Vec<u8>,
    /// The rest of a line that is refused already.
    skips: Skips,
    unsent: Running,
    calls: Running,
    shared: Arc<Shared>,
    lost: Lost,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Skips {
    Nothing,
    TheLine,
}

/// How far the end of a client got; `receive` may be dropped and called again at each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but requests is of interest until one of them begins the session.
    Begins,
    Reads,
    Gone,
    Over,
    Ended,
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    pub(crate) fn new(read: R, write: W, shared: Arc<Shared>, calls: Running, lost: Lost) -> Self {
        Self {
            read: BufReader::new(read),
            write: Arc::new(Mutex::new(Some(write))),
            line: Vec::new(),
            skips: Skips::Nothing,
            unsent: Running::new(),
            calls,
            shared,
            lost,
            state: State::Begins,
        }
    }

    /// The next message. `None`: the client is gone. Loses nothing when it is dropped while it waits.
    async fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        let limit = self.shared.options.limits.message_bytes;
        loop {
            self.unsent.below(self.shared.options.limits.unsent).await;
            let available = match self.read.fill_buf().await {
                Ok([]) => return None,
                Ok(available) => available,
                Err(error) => {
                    tracing::warn!(%error, "the client cannot be read");
                    return None;
                }
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            let taken = part.len() + usize::from(end.is_some());
            let fits = self.line.len() + part.len() <= limit;
            match self.skips {
                Skips::Nothing if fits => self.line.extend_from_slice(part),
                Skips::Nothing => {
                    self.line = Vec::new();
                    self.skips = Skips::TheLine;
                    self.answer(message::too_large(limit));
                }
                Skips::TheLine => {}
            }
            self.read.consume(taken);
            if end.is_none() {
                continue;
            }
            if self.skips == Skips::TheLine {
                self.skips = Skips::Nothing;
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if line.trim_ascii().is_empty() {
                continue;
            }
            match message::read(&line) {
                Read::Message(message) => {
                    match (self.state, &*message) {
                        (State::Begins, ClientJsonRpcMessage::Request(request)) => {
                            if matches!(request.request, ClientRequest::InitializeRequest(_)) {
                                self.state = State::Reads;
                            }
                        }
                        (State::Begins, _) => continue,
                        _ => {}
                    }
                    return Some(*message);
                }
                Read::Nothing => {}
                Read::Refused(answer) => self.answer(*answer),
            }
        }
    }

    /// Sends an answer of the transport itself.
    fn answer(&mut self, answer: ServerJsonRpcMessage) {
        let sent = Transport::<RoleServer>::send(self, answer);
        drop(tokio::spawn(sent));
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let unsent = self.unsent.enter(usize::MAX);
        let write = self.write.clone();
        async move {
            let _unsent = unsent;
            let mut line = serde_json::to_vec(&item).map_err(io::Error::other)?;
            line.push(b'\n');
            let mut write = write.lock().await;
            let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            write.write_all(&line).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if matches!(self.state, State::Begins | State::Reads) {
            if let Some(message) = self.message().await {
                return Some(message);
            }
            tracing::debug!("the client is gone");
            self.lost.gone.cancel();
            self.state = State::Gone;
        }
        if self.state == State::Gone {
            self.calls.none(self.shared.leave_time()).await;
            self.lost.over.cancel();
            self.state = State::Over;
        }
        if self.state == State::Over {
            self.calls.none(Duration::from_millis(self.shared.runtime.limits().cancel_ms) + LAST).await;
            self.state = State::Ended;
        }
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        // Whoever does not read holds the lock; the process must not wait for it.
        if let Ok(mut write) = self.write.try_lock() {
            drop(write.take());
        }
        Ok(())
    }
}
