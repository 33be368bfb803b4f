//! Serves a [`Runtime`](codemode_runtime::Runtime) over the Model Context Protocol: over stdio, over any pair of streams,
//! and over streamable HTTP on loopback.
//!
//! A client finds three tools: `codemode` runs code, `search` and `describe` say what code can call. What needs consent is
//! asked of the *person*, by elicitation where the client can do that; else the result says what a person types. Nothing
//! that a model can send approves a call.
//!
//! ```no_run
//! use codemode_mcp::{Access, Options, Server, Token};
//! use codemode_runtime::Runtime;
//! use tokio::net::TcpListener;
//!
//! # async fn serve(runtime: Runtime) -> Result<(), codemode_mcp::Error> {
//! let server = Server::new(runtime, Options::default());
//! let listener = TcpListener::bind("127.0.0.1:0").await.map_err(codemode_mcp::Error::Io)?;
//! let access = Access::new(Token::generate()?);
//! // Both at once, over one runtime; `server.stop()` ends them.
//! let (http, stdio) = tokio::join!(server.http(listener, access), server.stdio());
//! http.and(stdio)
//! # }
//! ```
//!
//! The library never prints, never reads the environment and installs no subscriber; it traces through `tracing`.
#![warn(missing_docs)]

mod access;
mod answer;
mod approval;
mod arguments;
mod error;
mod execution;
mod http;
mod limits;
mod message;
mod options;
mod progress;
mod running;
mod server;
mod session;
mod stdio;
mod tools;

pub use access::{Access, Token};
pub use error::Error;
pub use limits::Limits;
pub use options::Options;
pub use server::Server;
