//! From the command line to an exit code: parse, set up tracing, run one command, report what stopped it.

use clap::Parser as _;
use tracing_subscriber::EnvFilter;

use crate::args::{Args, Global};
use crate::commands;
use crate::exit::Exit;
use crate::output::Ui;

/// Runs the command that the process was started with.
pub(crate) fn main() -> Exit {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // A closed pipe behind `--help` is nobody's failure.
            let _ = error.print();
            return if error.exit_code() == 0 { Exit::Completed } else { Exit::Usage };
        }
    };
    trace(&args.global);
    let ui = Ui::new(args.global.output, args.global.color);
    match commands::run(args, &ui) {
        Ok(exit) => exit,
        Err(fault) => {
            ui.report(&fault);
            fault.exit
        }
    }
}

/// Traces go to stderr. Warnings always; `-v` adds what the runtime does, `-vv` and `-vvv` ever finer steps of it.
fn trace(global: &Global) {
    let by_flag = match global.verbose {
        0 => "warn,rmcp=error",
        1 => "warn,rmcp=error,codemode=info,codemode_runtime=info",
        2 => "info,codemode=debug,codemode_runtime=debug",
        _ => "debug,codemode=trace,codemode_runtime=trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(by_flag));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time();
    // Only a second subscriber in one process would fail here.
    let _ = subscriber.try_init();
}
