//! One file for each command, and what several of them need.

mod approve;
mod backup;
mod delete;
mod drive;
mod executions;
mod expire;
mod export;
mod inspect;
mod integrity;
mod mcp;
mod new;
mod pending;
mod prune;
mod recover;
mod reject;
mod replay;
mod resolve;
mod rollback;
mod run;
mod show;
mod snippet;
mod standing;
mod unresolved;

use std::env;
#[cfg(unix)]
use std::fs;
use std::future::Future;
use std::io::{self, BufRead as _, IsTerminal as _};

use codemode_runtime::By;

use crate::args::{Args, Command, Connector, New};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::{BOLD, Ui, styled};
use crate::setup::Setup;

/// Runs one command.
pub(crate) fn run(args: Args, ui: &Ui) -> Result<Exit, Fault> {
    let setup = || Setup::new(args.global.clone());
    match args.command {
        Command::Run(run) => run::run(&run, &setup()?, ui),
        Command::Approve(approve) => approve::run(approve, &setup()?, ui),
        Command::Reject(reject) => reject::run(reject, &setup()?, ui),
        Command::Pending(pending) => pending::run(&pending, &setup()?, ui),
        Command::Executions(executions) => executions::run(&executions, &setup()?, ui),
        Command::Show(show) => show::run(&show, &setup()?, ui),
        Command::Export(export) => export::run(&export, &setup()?, ui),
        Command::Replay(replay) => replay::run(&replay, &args.global, ui),
        Command::Rollback(rollback) => rollback::run(&rollback, &setup()?, ui),
        Command::Recover(recover) => recover::run(&recover, &setup()?, ui),
        Command::Unresolved(unresolved) => unresolved::run(&unresolved, &setup()?, ui),
        Command::Resolve(resolve) => resolve::run(resolve, &setup()?, ui),
        Command::Expire(expire) => expire::run(&expire, &setup()?, ui),
        Command::Prune(prune) => prune::run(&prune, &setup()?, ui),
        Command::Delete(delete) => delete::run(&delete, &setup()?, ui),
        Command::Backup(backup) => backup::run(&backup, &setup()?, ui),
        Command::IntegrityCheck => integrity::run(&setup()?, ui),
        Command::Snippet(command) => snippet::run(&command, &setup()?, ui),
        Command::Mcp(mcp) => mcp::run(&mcp, &setup()?, ui),
        Command::Connector(Connector::Inspect(inspect)) => inspect::run(&inspect, ui),
        Command::New(New::Connector(new)) => new::connector(&new, ui),
    }
}

/// Runs async work. Two threads, because the store's tickets must settle while one of them waits.
fn block_on<T>(work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Fault::host("threads", format!("threads cannot be started: {error}")))?;
    let done = runtime.block_on(work);
    // What still runs after Ctrl-C must not hold the process.
    runtime.shutdown_background();
    done
}

/// Who decides, as the journal keeps it.
fn by(reason: Option<String>) -> By {
    let by_env = || ["USER", "LOGNAME"].iter().find_map(|v| env::var(v).ok().filter(|name| !name.is_empty()));
    let mut by = By::library(by_env().or_else(user_of_process).unwrap_or_else(|| "unknown user".to_owned()));
    by.channel = "cli".to_owned();
    by.reason = reason;
    by
}

/// The user that this process belongs to, for containers and services that set no environment.
fn user_of_process() -> Option<String> {
    #[cfg(unix)]
    {
        let uid = std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").ok()?).to_string();
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let name = users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            (fields.nth(1) == Some(&uid)).then(|| name.to_owned())
        });
        Some(name.unwrap_or_else(|| format!("uid {uid}")))
    }
    #[cfg(not(unix))]
    None
}

/// What a person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Yes,
    No,
}

/// Asks on the terminal. Whoever cannot be asked has to say so on the command line.
fn ask(ui: &Ui, question: &str) -> Result<Said, Fault> {
    let stdin = io::stdin();
    if !stdin.is_terminal() || !io::stderr().is_terminal() {
        return Err(Fault::usage("no_terminal", "nobody can be asked: this is no terminal")
            .with_hint("say yes on the command line with --yes"));
    }
    ui.draw(format!("{} [y/N] ", styled(BOLD, question)));
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer).map_err(|e| Fault::host("input", format!("the answer cannot be read: {e}")))?;
    Ok(if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") { Said::Yes } else { Said::No })
}
