//! A runtime behind the protocol: any number of clients at once, over streams and over HTTP, and an orderly end.

use std::sync::Arc;
use std::time::Duration;

use codemode_runtime::Runtime;
use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::error::Error;
use crate::http;
use crate::options::Options;
use crate::running::Running;
use crate::session::Session;
use crate::stdio::{Lines, Lost};

/// Serves one runtime. Cheap to clone; all clones are the same server.
#[derive(Clone, Debug)]
pub struct Server(pub(crate) Arc<Shared>);

/// What all clients share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) runtime: Runtime,
    pub(crate) options: Options,
    /// Tool calls of all clients.
    pub(crate) running: Running,
    /// Set once the server is to stop: nothing new begins.
    pub(crate) leaving: CancellationToken,
}

impl Shared {
    pub(crate) fn leave_time(&self) -> Duration {
        Duration::from_millis(self.options.limits.leave_ms)
    }
}

impl Server {
    /// A server over this runtime.
    #[must_use]
    pub fn new(runtime: Runtime, options: Options) -> Self {
        Self(Arc::new(Shared { runtime, options, running: Running::new(), leaving: CancellationToken::new() }))
    }

    /// Serves one client on stdin and stdout, until it is gone or the server stops. Nothing else may write to stdout.
    ///
    /// When the client is gone, its tool calls have the limit `leave time` to end; then their passes are cancelled.
    ///
    /// # Errors
    /// [`Error::Handshake`] when the client does not begin as the protocol wants it.
    pub async fn stdio(&self) -> Result<(), Error> {
        let (read, write) = rmcp::transport::io::stdio_pipes();
        self.serve(read, write).await
    }

    /// The same on any pair of streams: one JSON-RPC message in each line.
    ///
    /// # Errors
    /// As there.
    pub async fn serve<R, W>(&self, read: R, write: W) -> Result<(), Error>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let shared = self.0.clone();
        let lost = Lost::default();
        let session = Session::new(shared.clone(), lost.clone());
        let lines = Lines::new(read, write, shared.clone(), session.calls(), lost);
        let over = CancellationToken::new();
        let mut served = Box::pin(async {
            match serve_server_with_ct(session, lines, over.clone()).await {
                Ok(service) => match service.waiting().await {
                    Ok(QuitReason::JoinError(error)) | Err(error) => Err(Error::Io(std::io::Error::other(error))),
                    Ok(_) => Ok(()),
                },
                // It came and went without a word.
                Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
                Err(error) => Err(Error::Handshake(said(&error))),
            }
        });
        let stopped = async {
            shared.leaving.cancelled().await;
            // What still runs afterwards is left as it is, and recovered by whoever comes next.
            shared.running.none(shared.leave_time()).await;
            over.cancel();
        };
        tokio::select! {
            done = &mut served => done,
            () = stopped => served.await,
        }
    }

    /// Serves any number of clients over streamable HTTP, at the path `/mcp`, until the server stops. The listener must be
    /// bound to a loopback address.
    ///
    /// # Errors
    /// [`Error::NotLoopback`]; [`Error::Io`] when the listener fails.
    pub async fn http(&self, listener: TcpListener, access: Access) -> Result<(), Error> {
        http::serve(self.0.clone(), listener, access).await
    }

    /// Begins to stop: no further client is let in, running tool calls have the limit `leave time` to end, and whatever
    /// waits for a person stays paused. What still runs then is left `running`, to be recovered.
    pub fn stop(&self) {
        self.0.leaving.cancel();
    }
}

fn said(error: &ServerInitializeError) -> String {
    match error {
        ServerInitializeError::ExpectedInitializeRequest(Some(_)) => "it sent something else first".to_owned(),
        ServerInitializeError::InitializeFailed(error) => error.message.to_string(),
        other => other.to_string().chars().take(200).collect(),
    }
}
