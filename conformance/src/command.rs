//! Reads the command line, runs the checks and shows what came of them.

mod connector;
mod executor;
mod host;

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use codemode_conformance::check::report::{Judgement, Report, Style, human, json, junit};
use codemode_conformance::check::{Expected, Options, Progress, Rule, Subject, rules};

/// Checks that a connector, an executor or a host keeps its contract.
#[derive(Debug, Parser)]
#[command(name = "codemode-conformance", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 every rule is kept, 1 a rule is broken or an expectation is stale, \
                        2 the command line or a file is wrong, 3 the subject could not be tried.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check a connector component.
    Connector(connector::Args),
    /// Check an executor component.
    Executor(executor::Args),
    /// Check a host: our own runtime, or what another one made of the component.
    Host(host::Args),
    /// List the rules, or explain one.
    Rules {
        /// Only rules whose ids start so.
        #[arg(value_name = "ID")]
        id: Option<String>,
        /// What is written to stdout.
        #[arg(long, value_enum, default_value_t = Output::Human, value_name = "FORM")]
        output: Output,
    },
}

/// What every check takes.
#[derive(Debug, clap::Args)]
struct Run {
    /// Only rules whose ids start so; repeat for more.
    #[arg(long, value_name = "ID")]
    rule: Vec<String>,
    /// The same seed tries the same cases [default: 0].
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    seed: u64,
    /// Cases for each rule (and method).
    #[arg(long, default_value_t = CASES)]
    cases: u32,
    /// How long one call or run may take, in milliseconds.
    #[arg(long, default_value_t = CALL_MS)]
    call_ms: u64,
    /// How long the whole run may take, in milliseconds; what is left then is not tried, and the exit code is 3.
    #[arg(long, default_value_t = RUN_MS)]
    run_ms: u64,
    /// Warnings fail the run too.
    #[arg(long)]
    strict: bool,
    /// Failures that are known, with reasons; one that does not fail any more is an error.
    #[arg(long, value_name = "FILE")]
    expected_failures: Option<PathBuf>,
    /// What is written to stdout.
    #[arg(long, value_enum, default_value_t = Output::Human, value_name = "FORM")]
    output: Output,
    /// Writes a JUnit report as well.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// The form of stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// For people; may change.
    Human,
    /// One JSON value; stable.
    Json,
}

/// What went wrong before anything was tried: the command line or a file (2), or the machine (3).
struct Fault {
    exit: u8,
    message: String,
}

/// Runs the command.
pub(crate) fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Connector(args) => args.run(),
        Command::Executor(args) => args.run(),
        Command::Host(args) => args.run(),
        Command::Rules { id, output } => list(id.as_deref().unwrap_or(""), output),
    };
    match done {
        Ok(exit) => ExitCode::from(exit),
        Err(fault) => {
            let _ = writeln!(io::stderr(), "codemode-conformance: {}", fault.message);
            ExitCode::from(fault.exit)
        }
    }
}

fn usage(message: String) -> Fault {
    Fault { exit: 2, message }
}

/// Cases for each rule, unless the command line says otherwise.
const CASES: u32 = 32;
/// Milliseconds for each call, unless the command line says otherwise.
const CALL_MS: u64 = 2_000;
/// Milliseconds for the whole run, unless the command line says otherwise.
const RUN_MS: u64 = 120_000;

impl Run {
    /// What the command line says about cases beside seed and rule, as it says it.
    fn unusual(&self) -> impl Iterator<Item = String> {
        let cases = (self.cases != CASES).then(|| ["--cases".to_owned(), self.cases.to_string()]);
        let time = (self.call_ms != CALL_MS).then(|| ["--call-ms".to_owned(), self.call_ms.to_string()]);
        cases.into_iter().chain(time).flatten()
    }

    /// Runs a check of that kind of subject with what the command line says, and shows what came of it.
    fn check(
        &self,
        subject: Subject,
        words: Vec<String>,
        check: impl FnOnce(&Expected, &Options, &mut dyn Progress) -> Result<Report, String>,
    ) -> Result<u8, Fault> {
        let expected = expected(self.expected_failures.as_deref())?;
        let known = |start: &String| {
            start.starts_with("CASE-") || rules::of(subject).iter().any(|rule| rule.id.starts_with(start.as_str()))
        };
        if let Some(start) = self.rule.iter().find(|start| !known(start)) {
            return Err(usage(format!(
                "no rule for {subject}s starts with {start}; `codemode-conformance rules` lists them"
            )));
        }
        let options = Options {
            cases: self.cases,
            seed: self.seed,
            only: self.rule.clone(),
            call_ms: self.call_ms,
            run_ms: self.run_ms,
            cache_dir: cache_dir(),
            words: self.unusual().chain(words).collect(),
            ..Options::default()
        };
        let mut bar = Bar { shown: io::stderr().is_terminal() };
        let report = check(&expected, &options, &mut bar);
        bar.clear();
        let report = report.map_err(|message| Fault { exit: 3, message })?;
        match show(&report, self.output, self.junit.as_deref())? {
            0 if self.strict && !report.warnings().is_empty() => Ok(1),
            exit => Ok(exit),
        }
    }
}

/// Where compiled components are kept: the user's cache, as the command `codemode` does. A relative path in the variable
/// counts as unset, as the base directory specification wants it.
fn cache_dir() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    cache.map(|cache| cache.join("codemode"))
}

fn read(file: &Path) -> Result<Vec<u8>, Fault> {
    std::fs::read(file).map_err(|e| usage(format!("{} cannot be read: {e}", file.display())))
}

fn expected(file: Option<&Path>) -> Result<Expected, Fault> {
    let Some(file) = file else { return Ok(Expected::default()) };
    let text = std::fs::read_to_string(file).map_err(|e| usage(format!("{} cannot be read: {e}", file.display())))?;
    Expected::read(&text).map_err(|reason| usage(format!("{}: {reason}", file.display())))
}

fn show(report: &Report, output: Output, file: Option<&Path>) -> Result<u8, Fault> {
    if let Some(file) = file {
        let text = junit(report).map_err(|error| Fault { exit: 3, message: error.to_string() })?;
        std::fs::write(file, text).map_err(|e| usage(format!("{} cannot be written: {e}", file.display())))?;
    }
    write(&match output {
        Output::Json => format!("{}\n", json(report)),
        Output::Human => human(report, style()),
    });
    Ok(match report.judgement() {
        Judgement::Kept => 0,
        Judgement::Broken => 1,
        Judgement::Untried => 3,
    })
}

fn list(start: &str, output: Output) -> Result<u8, Fault> {
    let chosen: Vec<&Rule> = rules::all().filter(|rule| rule.id.starts_with(start)).collect();
    if chosen.is_empty() {
        return Err(usage(format!("no rule starts with {start}")));
    }
    match output {
        Output::Json => {
            let rule = |r: &&Rule| {
                serde_json::json!({ "id": r.id, "subject": r.subject.as_str(), "severity": r.severity.as_str(),
                    "title": r.title, "demands": r.demands, "why": r.why, "wit": r.wit })
            };
            write(&format!("{}\n", serde_json::Value::from(chosen.iter().map(rule).collect::<Vec<_>>())));
        }
        Output::Human if chosen.len() == 1 => {
            let rule = chosen[0];
            write(&format!(
                "{} {} ({}, since {})\n\n{}\n\nWhy: {}\n",
                rule.id, rule.title, rule.severity, rule.wit, rule.demands, rule.why
            ));
        }
        Output::Human => {
            let line = |r: &&Rule| format!("{:<15} {:<6} {}\n", r.id, r.severity.as_str(), r.title);
            write(&chosen.iter().map(line).collect::<String>());
        }
    }
    Ok(0)
}

fn style() -> Style {
    let wanted = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    if wanted { Style::Coloured } else { Style::Plain }
}

/// To stdout; a reader that went away is no failure.
fn write(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

/// One line on a terminal that says which rule is being tried.
struct Bar {
    shown: bool,
}

impl Bar {
    fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

impl Progress for Bar {
    fn trying(&mut self, rule: &'static Rule, number: usize, of: usize) {
        if self.shown {
            let filled = "█".repeat(number * 20 / of.max(1));
            let _ = write!(io::stderr(), "\r\u{1b}[K{filled:░<20} {number}/{of} {} {}", rule.id, rule.title);
            let _ = io::stderr().flush();
        }
    }
}
