//! Reads the command line, runs the checks and shows what came of them.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use codemode_conformance::check::connector::{Component, check_connector};
use codemode_conformance::check::report::{Judgement, Report, Style, human, json, junit};
use codemode_conformance::check::{Expected, Options, Progress, Rule, Subject, rules};

/// Checks that a connector keeps its contract with hosts.
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
    Connector(Connector),
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

#[derive(Debug, clap::Args)]
struct Connector {
    /// The component: a file that ends in .wasm.
    file: PathBuf,
    /// A configuration value; repeat for more.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    config: Vec<(String, String)>,
    /// Only rules whose ids start so; repeat for more.
    #[arg(long, value_name = "ID")]
    rule: Vec<String>,
    /// The same seed tries the same cases [default: 0].
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    seed: u64,
    /// Cases for each rule and method.
    #[arg(long, default_value_t = 32)]
    cases: u32,
    /// How long one call may take, in milliseconds.
    #[arg(long, default_value_t = 2_000)]
    call_ms: u64,
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

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write it as KEY=VALUE".to_owned()),
    }
}

/// Runs the command.
pub(crate) fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Connector(args) => connector(&args),
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

fn connector(args: &Connector) -> Result<u8, Fault> {
    let bytes = std::fs::read(&args.file).map_err(|e| usage(format!("{} cannot be read: {e}", args.file.display())))?;
    let expected = expected(args.expected_failures.as_deref())?;
    if let Some(start) =
        args.rule.iter().find(|start| !rules::of(Subject::Connector).iter().any(|r| r.id.starts_with(*start)))
    {
        return Err(usage(format!(
            "no rule for connectors starts with {start}; `codemode-conformance rules` lists them"
        )));
    }
    let options = Options {
        cases: args.cases,
        seed: args.seed,
        only: args.rule.clone(),
        call_ms: args.call_ms,
        ..Options::default()
    };
    let name = args.file.display().to_string();
    let config: BTreeMap<String, String> = args.config.iter().cloned().collect();
    let mut bar = Bar { shown: io::stderr().is_terminal() };
    let component = Component { name: &name, bytes: &bytes, config };
    let report =
        check_connector(&component, &expected, &options, &mut bar).map_err(|message| Fault { exit: 3, message })?;
    bar.clear();
    show(&report, args.output, args.junit.as_deref())
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
