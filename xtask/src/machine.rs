//! What a build needs beside cargo: two wasm targets, and a clang for the JavaScript engine. Adds what can be added,
//! and says in one line what cannot.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGETS: [&str; 2] = ["wasm32-unknown-unknown", "wasm32-wasip2"];

/// Where the workspace is.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Puts the machine in order.
pub(crate) fn prepare() -> Result<(), String> {
    for target in TARGETS.into_iter().filter(|target| !has_target(target)) {
        println!("adding the Rust target {target}");
        if !quiet("rustup", &["target", "add", target]) {
            return Err(format!("the Rust target {target} is missing; install it: rustup target add {target}"));
        }
    }
    if has_clang() {
        return Ok(());
    }
    println!("no clang with the WebAssembly back end: installing one");
    if install(&["clang", "llvm"]) && has_clang() {
        return Ok(());
    }
    Err("clang with the WebAssembly back end and llvm-ar (14 or later) are needed to build the JavaScript engine; install it, \
         for example: apt-get install clang llvm, dnf install clang llvm, brew install llvm"
        .to_owned())
}

fn has_target(target: &str) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output =
        Command::new(rustc).current_dir(root()).args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| {
        output.status.success() && PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).exists()
    })
}

/// The build asks the same script.
fn has_clang() -> bool {
    let script = root().join(".cargo/wasm-cc");
    Command::new(script)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// A program that some checks need.
pub(crate) struct Tool {
    /// What it is called, and the oldest version that will do.
    what: &'static str,
    /// Commands that succeed where it is there.
    probes: &'static [&'static [&'static str]],
    /// The packages that have it.
    packages: &'static [&'static str],
    /// How to install it.
    advice: &'static str,
}

/// Node.js with npm.
pub(crate) const NODE: Tool = Tool {
    what: "node 18 or later with npm",
    probes: &[
        &["node", "-e", "process.exit(Number(process.versions.node.split('.')[0]) < 18 ? 1 : 0)"],
        &["npm", "--version"],
    ],
    packages: &["nodejs", "npm"],
    advice: "from https://nodejs.org, or for example: apt-get install nodejs npm, dnf install nodejs npm, brew install node",
};

/// What builds the workspace builds more of it.
pub(crate) const RUST: Tool =
    Tool { what: "cargo", probes: &[&["cargo", "--version"]], packages: &["rustup"], advice: "from https://rustup.rs" };

/// Python with its environments.
pub(crate) const PYTHON: Tool = Tool {
    what: "python 3.11 or later with venv",
    probes: &[
        &["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"],
        &["python3", "-c", "import venv, ensurepip"],
    ],
    packages: &["python3", "python3-venv"],
    advice: "from https://www.python.org, or for example: apt-get install python3 python3-venv, dnf install python3, brew install python",
};

/// Sees to it that a program is there.
pub(crate) fn need(tool: &Tool) -> Result<(), String> {
    let Tool { what, probes, packages, advice } = tool;
    let is_there = || probes.iter().all(|words| quiet(words[0], &words[1..]));
    if is_there() {
        return Ok(());
    }
    println!("no {what}: installing it");
    if install(packages) && is_there() {
        return Ok(());
    }
    Err(format!("{what} is needed; install it {advice}"))
}

/// Where this user may install packages without being asked for a password.
fn install(packages: &[&str]) -> bool {
    if !quiet("apt-get", &["--version"]) {
        return false;
    }
    let apt = |words: &[&str]| {
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.trim_ascii() == b"0");
        if is_root {
            return quiet("env", &[&["DEBIAN_FRONTEND=noninteractive", "apt-get"], words].concat());
        }
        quiet("sudo", &[&["-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], words].concat())
    };
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    apt(&install) || (apt(&["update"]) && apt(&install))
}

fn quiet(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.current_dir(root()).args(args).stdin(Stdio::null()).stdout(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
