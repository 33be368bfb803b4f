//! The command line, as types. Their doc comments are the help that people read.

mod mcp;
mod record;
mod upkeep;

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use codemode_runtime::Status;

pub(crate) use mcp::Mcp;
pub(crate) use record::{Export, Replay};
pub(crate) use upkeep::{Age, Backup, Expire, Prune, Recover, Resolve, Rollback, Unresolved};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Runs code that a model wrote, keeps a journal of every call it makes, and asks before the calls that matter.
#[derive(Debug, Parser)]
#[command(name = "codemode", version, styles = STYLES, after_help = crate::exit::HELP, subcommand_required = true)]
#[command(arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The file with the journals [env: CODEMODE_STORE] [default: codemode/RUNTIME.db in the user's data folder].
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// The runtime and its connectors [default: ./codemode.toml where there is one].
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) manifest: Option<PathBuf>,
    /// What is written to stdout.
    #[arg(long, global = true, value_enum, default_value_t = Output::Human, value_name = "FORM")]
    pub(crate) output: Output,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Says more on stderr; repeat for more. `RUST_LOG` says what exactly.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The form of stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people; may change.
    Human,
    /// One JSON value on one line; stable.
    Json,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run code until it completes, pauses for an approval, or fails.
    Run(Run),
    /// Approve pending calls and go on.
    Approve(Approve),
    /// Reject a pending call, which ends the execution.
    Reject(Reject),
    /// List the calls that wait for a person.
    Pending(Pending),
    /// List executions, newest first.
    Executions(Executions),
    /// Show an execution: its code, journal, logs and result.
    Show(Show),
    /// Write an execution with its journal as a bundle: one text that stands for itself.
    Export(Export),
    /// Replay a bundle offline, and say whether the code still does what is recorded.
    Replay(Replay),
    /// Undo what an execution did, newest call first.
    ///
    /// Shows which calls can be undone and which cannot, asks, and tells call by call what became of it. A pass that still
    /// runs is stopped first. The exit code is 1 when something is left; running it again tries only that.
    Rollback(Rollback),
    /// Go on with what processes that are gone left behind.
    ///
    /// Their code runs again: what is recorded is answered from the journal, and does not happen twice. Executions of
    /// processes that live, however slow, are never touched.
    Recover(Recover),
    /// List the calls of which nobody knows whether they happened.
    ///
    /// They were on their way when their process ended, and may not simply be performed again. The other side may know:
    /// each call carried the key that is shown.
    Unresolved(Unresolved),
    /// Say what happened to a call in doubt, and go on.
    ///
    /// An execution that waits for nothing else goes on at once, and its outcome is shown.
    Resolve(Resolve),
    /// End paused and abandoned executions that nobody decided in time.
    ///
    /// Paused ones end as rejected, those whose process is gone as error. What they did stays done.
    Expire(Expire),
    /// Remove the executions that ended longest ago.
    ///
    /// What is paused or runs stays. `codemode run` does the same by itself, with the limit `executions`.
    Prune(Prune),
    /// Remove an execution and its journal.
    Delete(Delete),
    /// Copy the store to a new file while it is in use.
    Backup(Backup),
    /// Look for damage in the store; changes nothing.
    #[command(alias = "integrity_check")]
    IntegrityCheck,
    /// Save code that ran under a name, for code to run again with `codemode.run`.
    #[command(subcommand)]
    Snippet(Snippet),
    /// Serve models over the Model Context Protocol, on stdio or HTTP.
    ///
    /// They get three tools: `codemode` runs code, `search` and `describe` say what it can call.
    Mcp(Mcp),
    /// Look at connectors.
    #[command(subcommand)]
    Connector(Connector),
    /// Begin something of your own.
    #[command(subcommand)]
    New(New),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The file with the code; `-` reads it from stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Approve {
    /// The execution.
    pub(crate) id: String,
    /// Only these calls [default: all that are pending].
    #[arg(long, value_name = "N")]
    pub(crate) seq: Vec<u32>,
    /// Approves without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Why; kept in the journal.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Reject {
    /// The execution.
    pub(crate) id: String,
    /// The pending call.
    #[arg(value_name = "SEQ")]
    pub(crate) seq: u32,
    /// Why; kept in the journal.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Pending {
    /// Only of this execution.
    pub(crate) id: Option<String>,
}

/// Lines of one page.
pub(crate) const LIMIT: u32 = 20;

#[derive(Debug, clap::Args)]
pub(crate) struct Executions {
    /// Only of this status: running, paused, completed, error, rejected, rolled_back.
    #[arg(long, value_parser = status)]
    pub(crate) status: Option<Status>,
    /// Only those with calls of which nobody knows whether they happened.
    #[arg(long, conflicts_with = "not_reverted")]
    pub(crate) unresolved: bool,
    /// Only those with calls whose revert was tried and failed.
    #[arg(long)]
    pub(crate) not_reverted: bool,
    /// Only those that nothing changed for so long: a number with s, m, h or d, such as 90m.
    #[arg(long, value_name = "AGE", value_parser = upkeep::age)]
    pub(crate) older_than: Option<Age>,
    /// At most so many.
    #[arg(long, value_name = "N", default_value_t = LIMIT, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Only those older than this execution: the next page.
    #[arg(long, value_name = "ID")]
    pub(crate) before: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The execution.
    pub(crate) id: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Delete {
    /// The execution.
    pub(crate) id: String,
    /// Removes without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Snippet {
    /// Save the code of an execution, in place of whatever has that name.
    Save(SaveSnippet),
    /// List snippets by name.
    List,
    /// Show a snippet: its description, input and code.
    Show(NamedSnippet),
    /// Remove a snippet. Executions that have used it go on with what they got.
    Delete(DeleteSnippet),
}

#[derive(Debug, clap::Args)]
pub(crate) struct SaveSnippet {
    /// How code names it.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The execution whose code it is.
    #[arg(long, value_name = "ID")]
    pub(crate) from: String,
    /// What it does, for `codemode.search`.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) description: String,
    /// A file with the JSON Schema that each input must fit.
    #[arg(long, value_name = "FILE")]
    pub(crate) input_schema: Option<PathBuf>,
    /// Saves it although the execution has not completed.
    #[arg(long)]
    pub(crate) any_status: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct NamedSnippet {
    /// Its whole name.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DeleteSnippet {
    /// Its whole name.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Removes without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Connector {
    /// Say what a component offers, what it asks for, and whether it would be let in.
    Inspect(Inspect),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Inspect {
    /// The component (.wasm).
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum New {
    /// Make a folder with a connector in Rust that builds, and keeps every rule of the contract.
    Connector(NewConnector),
}

#[derive(Debug, clap::Args)]
pub(crate) struct NewConnector {
    /// What it is called: lowercase words with dashes between them, such as my-notes.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The folder, which is made, or is empty [default: ./NAME].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) path: Option<PathBuf>,
}

fn status(text: &str) -> Result<Status, String> {
    Status::parse(text).ok_or_else(|| {
        let known: Vec<&str> = Status::ALL.iter().map(|s| s.as_str()).collect();
        format!("known are {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }
}
