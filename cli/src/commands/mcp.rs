//! `mcp`: serves the runtime to models, until the client is gone or somebody stops it.

use std::env;
use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use codemode_mcp::{Access, Error, Options, Server, Token};
use codemode_runtime::Runtime;
use tokio::net::TcpListener;

use super::block_on;
use crate::args::{Mcp, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::interrupt;
use crate::output::{DIM, Ui, WAITS, styled};
use crate::setup::{Opening, Setup};

/// Where the token is, when no file is named.
const VARIABLE: &str = "CODEMODE_MCP_TOKEN";

/// How often it is looked whether somebody wants the server to stop.
const LOOK: Duration = Duration::from_millis(100);

pub(super) fn run(args: &Mcp, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let door = args.http.map(|address| Door::new(address, args)).transpose()?;
    let stop = interrupt::stops()?;
    let store = setup.store(Opening::Create)?;
    setup.say_defaults(ui);
    let runtime = setup.runtime(store)?;
    let server = server(runtime, setup);
    block_on(async {
        let stopping = server.clone();
        let ui = *ui;
        tokio::spawn(async move {
            while !stop.is_wanted() {
                tokio::time::sleep(LOOK).await;
            }
            ui.talk(format!(
                "{} running calls have some seconds to end; again ends at once",
                styled(WAITS, "stopping:")
            ));
            stopping.stop();
        });
        match door {
            Some(door) => door.serve(&server, ui).await,
            None => {
                if io::stdin().is_terminal() {
                    ui.talk(
                        "the protocol is spoken on stdin and stdout, by the client that starts this; Ctrl-C ends it",
                    );
                }
                server.stdio().await.map_err(Fault::from)
            }
        }
    })?;
    Ok(Exit::Completed)
}

fn server(runtime: Runtime, setup: &Setup) -> Server {
    Server::new(runtime, Options::default().tool(setup.tool()).command(setup.commands_from_anywhere()))
}

/// Where HTTP is served, and to whom.
struct Door {
    address: SocketAddr,
    access: Access,
    token: Token,
    shown: Shown,
}

impl Door {
    fn new(address: SocketAddr, args: &Mcp) -> Result<Self, Fault> {
        if !address.ip().is_loopback() {
            return Err(Error::NotLoopback(address).into());
        }
        let (token, shown) = token(args.token_file.as_deref())?;
        let access = Access::new(token.clone());
        let access = args.allow_origin.iter().fold(access, |access, origin| access.origin(origin));
        Ok(Self { address, access, token, shown })
    }

    async fn serve(self, server: &Server, ui: Ui) -> Result<(), Fault> {
        let Self { address, access, token, shown } = self;
        let listener = TcpListener::bind(address).await.map_err(|error| {
            Fault::usage("address", format!("{address} cannot be served: {error}")).with_hint("port 0 takes a free one")
        })?;
        let address = listener.local_addr().map_err(Error::Io)?;
        let url = format!("http://{address}/mcp");
        match ui.form() {
            Output::Json => ui.json(&serde_json::json!({ "url": url }))?,
            Output::Human => ui.data(&url)?,
        }
        let secret = if shown == Shown::Once { token.secret() } else { "TOKEN" };
        ui.talk(format!("{}\n{}", styled(DIM, "for the configuration of a client:"), configuration(&url, secret)));
        ui.talk(styled(DIM, "Ctrl-C stops the server"));
        Ok(server.http(listener, access).await?)
    }
}

/// Whether the token is shown: only one that nobody has yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Once,
    Never,
}

fn token(file: Option<&Path>) -> Result<(Token, Shown), Fault> {
    let text = match file {
        Some(path) => Some(String::from_utf8_lossy(&crate::setup::read(path)?).into_owned()),
        None => env::var(VARIABLE).ok().filter(|text| !text.is_empty()),
    };
    Ok(match text {
        Some(text) => (Token::new(&text)?, Shown::Never),
        None => (Token::generate()?, Shown::Once),
    })
}

/// What a person pastes into their client.
fn configuration(url: &str, secret: &str) -> String {
    let servers = serde_json::json!({
        "mcpServers": {
            "codemode": { "type": "http", "url": url, "headers": { "Authorization": format!("Bearer {secret}") } }
        }
    });
    format!("{servers:#}")
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let (code, text) = (error.code(), error.to_string());
        let (message, hint) = text.split_once("; ").map_or((text.as_str(), None), |(m, h)| (m, Some(h)));
        let fault = match error {
            Error::NotLoopback(_) | Error::Token(_) | Error::Handshake(_) => Self::usage(code, message),
            _ => Self::host(code, message),
        };
        match hint {
            Some(hint) => fault.with_hint(hint),
            None => fault,
        }
    }
}
