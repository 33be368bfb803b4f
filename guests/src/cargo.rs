//! The nested cargo: one package for one wasm target.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::root;

/// What cargo and rustup set for the host build and what would lead the nested one astray.
const HOST_ONLY: [&str; 6] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_TARGET",
    "TARGET",
];

/// Builds a package; the answer is its wasm file.
pub(crate) fn build(package: &str, target: &str) -> Result<Vec<u8>, String> {
    add_target(target)?;
    let target_dir = root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into())).join("guests");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(root())
        .args(["build", "--profile", "guest", "--target", target, "--package", package, "--target-dir"])
        .arg(&target_dir)
        .stdin(Stdio::null());
    for name in HOST_ONLY {
        command.env_remove(name);
    }
    let output = command.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(explain(package, &String::from_utf8_lossy(&output.stderr)));
    }
    let file = target_dir.join(target).join("guest").join(format!("{}.wasm", package.replace('-', "_")));
    std::fs::read(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// The line that tells what to do, before what the compiler said.
fn explain(package: &str, stderr: &str) -> String {
    const NO_CLANG: &str = "no clang with the WebAssembly back end was found";
    const SHOWN: usize = 40;
    if let Some(line) = stderr.lines().find(|line| line.contains(NO_CLANG)) {
        let at = line.find(NO_CLANG).unwrap_or(0);
        return format!("cannot build {package}: {}", &line[at..]);
    }
    let lines: Vec<_> = stderr.lines().collect();
    let tail = lines[lines.len().saturating_sub(SHOWN)..].join("\n");
    format!("cannot build {package} (set SKIP_GUESTS=1 to go without it)\n{tail}")
}

/// Adds the target to a rustup tool chain that lacks it. Without rustup, whoever installed Rust has to.
fn add_target(target: &str) -> Result<(), String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let installed = Command::new(rustc)
        .current_dir(root())
        .args(["--print", "target-libdir", "--target", target])
        .output()
        .is_ok_and(|output| {
            output.status.success() && PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).exists()
        });
    if installed {
        return Ok(());
    }
    let added = Command::new("rustup").current_dir(root()).args(["target", "add", target]).output();
    match added {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!(
            "the Rust target {target} is missing and could not be added: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(_) => Err(format!("the Rust target {target} is missing; install it (rustup target add {target})")),
    }
}
