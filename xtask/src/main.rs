//! What a person types in a clone: `cargo xtask demo` for the first look, `cargo xtask test` and `cargo xtask lint` for
//! every change. It depends on nothing, so that it compiles in a second and can put the machine in order before
//! anything large is built.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command that talks to a person")]

mod clients;
mod demo;
mod lint;
mod machine;
mod mutants;
mod test;
mod walk;

use std::process::{Command, ExitCode};

const HELP: &str = "\
cargo xtask <command>

  demo              build the command and watch a first execution: paused, approved, completed
  demo --no-build   the same with what is built already
  test              all tests, and what the programs of others say
  clients [NAME]    only the latter: TypeScript's compiler, clients of protocols, connectors in other languages
  lint              format, clippy and docs; warnings are errors
  mutants [ARG]     change the rules of durability one place at a time: what no test notices (needs cargo-mutants)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["demo"] => machine::prepare().and_then(|()| demo::build_and_walk()),
        ["demo", "--no-build"] => demo::walk_built(),
        ["test"] => machine::prepare().and_then(|()| test::run()),
        ["clients", ref names @ ..] => machine::prepare().and_then(|()| clients::run(names)),
        ["mutants", ref args @ ..] => mutants::run(args),
        ["lint"] => machine::prepare().and_then(|()| lint::run()),
        [] | ["help" | "-h" | "--help"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => {
            eprintln!("xtask: no such command: {}\n\n{HELP}", args.join(" "));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Cargo, in the workspace.
fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(machine::root()).args(args);
    command
}

/// Says what is run, runs it, and insists on success.
fn insist(mut command: Command, shown: &str) -> Result<(), String> {
    println!("$ {shown}");
    let status = command.status().map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed ({status})")) }
}
