//! Builds the components that run inside wasm. It exists so that a plain `cargo build` of the host works: build scripts
//! call it, and it calls cargo again for the wasm targets, into a target directory of its own.
//!
//! `SKIP_GUESTS=1` writes empty files instead, for editors and lints that never run a component.

#![expect(clippy::print_stdout, reason = "a build script talks to cargo on stdout")]

mod cargo;
mod snapshot;
mod stack;

use std::path::{Path, PathBuf};

/// Builds the JavaScript executor into `out_dir`, with the engine already initialised.
///
/// A failure is reported to cargo as error of the build; the path then holds an empty file.
pub fn sandbox(out_dir: &Path) -> PathBuf {
    deliver(out_dir, "sandbox.wasm", &SANDBOX, || snapshot::component(&sandbox_module()?))
}

/// Builds the JavaScript executor into `out_dir` as it is before its engine is initialised: each instance does that
/// itself. It has to do the same as the one that ships, only later.
///
/// A failure is reported to cargo as error of the build; the path then holds an empty file.
pub fn cold_sandbox(out_dir: &Path) -> PathBuf {
    deliver(out_dir, "sandbox-cold.wasm", &SANDBOX, || snapshot::wrapped(&sandbox_module()?))
}

/// What the executor is made of.
const SANDBOX: [&str; 5] = ["sandbox-guest/src", "sandbox-guest/Cargo.toml", "wit", ".cargo/wasm-cc", ".cargo/wasm-ar"];

fn sandbox_module() -> Result<Vec<u8>, String> {
    stack::visible(&cargo::build("codemode-sandbox-guest", "wasm32-unknown-unknown")?)
}

/// Builds the connector `codemode-connector-<name>` of `connectors/<name>` into `out_dir`.
///
/// A failure is reported to cargo as error of the build; the path then holds an empty file.
pub fn connector(name: &str, out_dir: &Path) -> PathBuf {
    let (source, manifest) = (format!("connectors/{name}/src"), format!("connectors/{name}/Cargo.toml"));
    deliver(out_dir, &format!("{name}.wasm"), &[&source, &manifest, "wit"], || {
        cargo::build(&format!("codemode-connector-{name}"), "wasm32-wasip2")
    })
}

/// Builds the component that checks a host into `out_dir`.
///
/// A failure is reported to cargo as error of the build; the path then holds an empty file.
pub fn host_check(out_dir: &Path) -> PathBuf {
    let watched = [
        "conformance/host-guest/src",
        "conformance/host-guest/Cargo.toml",
        "conformance/src/check/host/scenarios",
        "wit/runtime.wit",
        "wit/types.wit",
    ];
    deliver(out_dir, "host-check.wasm", &watched, || cargo::build("codemode-host-check", "wasm32-wasip2"))
}

/// Where the workspace is.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

fn deliver(out_dir: &Path, file: &str, watched: &[&str], build: impl FnOnce() -> Result<Vec<u8>, String>) -> PathBuf {
    println!("cargo::rerun-if-env-changed=SKIP_GUESTS");
    println!("cargo::rerun-if-changed={}", root().join("Cargo.lock").display());
    for path in watched {
        println!("cargo::rerun-if-changed={}", root().join(path).display());
    }
    let skipped = std::env::var_os("SKIP_GUESTS").is_some_and(|value| value == "1");
    let bytes = if skipped { Ok(Vec::new()) } else { build() };
    let bytes = bytes.unwrap_or_else(|message| {
        for line in message.lines() {
            println!("cargo::error={line}");
        }
        Vec::new()
    });
    let path = out_dir.join(file);
    // The same bytes must not look like a change to what includes them.
    if std::fs::read(&path).ok().as_ref() != Some(&bytes)
        && let Err(error) = std::fs::write(&path, &bytes)
    {
        println!("cargo::error=cannot write {}: {error}", path.display());
    }
    path
}
