//! Why the server could not serve. What a client does wrong is answered to that client and is nothing of this.

use std::net::SocketAddr;

/// Why the server could not serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address is reachable from other machines.
    #[error("{0} is no loopback address: other machines could reach it; use 127.0.0.1 or [::1]")]
    NotLoopback(SocketAddr),
    /// The token cannot protect anything, or no client could send it.
    #[error("the token is refused: {0}")]
    Token(String),
    /// The client on the streams did not begin as the protocol wants it.
    #[error("the client did not begin with `initialize`: {0}")]
    Handshake(String),
    /// A socket or a stream failed.
    #[error("the connection failed: {0}")]
    Io(std::io::Error),
}

impl Error {
    /// A stable word for machines; each has a page under `docs/errors/`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotLoopback(_) => "not_loopback",
            Self::Token(_) => "token",
            Self::Handshake(_) => "handshake",
            Self::Io(_) => "connection",
        }
    }
}
