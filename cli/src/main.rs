//! The `codemode` command: runs code that a model wrote, shows what it did, and asks a person before what matters.

mod app;
mod args;
mod commands;
mod exit;
mod fault;
mod interrupt;
mod manifest;
mod output;
mod progress;
mod select;
mod setup;

fn main() -> std::process::ExitCode {
    app::main().into()
}
