//! The command that serves models: over stdio to the client that started it, or over HTTP to any number of them.

use std::net::SocketAddr;
use std::path::PathBuf;

/// What `mcp --help` says at its end.
const AFTER: &str = "\
Over stdio the client starts the command, and the protocol is all that stdout carries. Over HTTP the token comes from \
--token-file, else from CODEMODE_MCP_TOKEN; without either a new one is made and shown once, with a configuration to paste.

What needs a person is asked of them in the client, where that can show forms; else the model tells them what to type, such \
as `codemode approve ID`. A model cannot approve.

Exit codes: 0 the client is gone or the server was stopped, 2 the command line, an address or a token is wrong, 70 the host \
failed. Configurations for clients are in docs/mcp.md.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Mcp {
    /// Serves over HTTP at this loopback address instead, such as 127.0.0.1:8400; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) http: Option<SocketAddr>,
    /// The file with the token that clients send, 16 to 512 visible ASCII characters.
    #[arg(long, value_name = "PATH", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// Lets pages of this origin in, such as `https://app.example.com`; pages of this machine always are. Repeat for more.
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
}

/// An address as a person writes it.
fn address(text: &str) -> Result<SocketAddr, String> {
    let numbers = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    numbers
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_| "give an address with a port, such as 127.0.0.1:8400".to_owned())
}
