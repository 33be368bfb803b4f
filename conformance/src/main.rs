//! The command `codemode-conformance`: a door to the checks for people and for CI.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::run()
}
