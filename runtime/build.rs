//! Finds the sandbox component that is compiled into the library: the one named by `CODEMODE_SANDBOX_WASM`, else the
//! one that ships with the package, else one built here from `sandbox-guest/`.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=CODEMODE_SANDBOX_WASM");
    println!("cargo::rerun-if-changed=build.rs");
    let packaged = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sandbox.wasm");
    // Only where it is there: cargo would take a missing file for a change each time.
    if packaged.is_file() {
        println!("cargo::rerun-if-changed={}", packaged.display());
    }

    let named = env::var_os("CODEMODE_SANDBOX_WASM").map(PathBuf::from);
    let sandbox = match named {
        Some(path) => {
            println!("cargo::rerun-if-changed={}", path.display());
            if !path.is_file() {
                println!("cargo::error=CODEMODE_SANDBOX_WASM names {}, which is no file", path.display());
            }
            path
        }
        None if packaged.is_file() => packaged,
        None => {
            let out_dir = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
            codemode_guests::sandbox(Path::new(&out_dir))
        }
    };
    println!("cargo::rustc-env=CODEMODE_SANDBOX_WASM_PATH={}", sandbox.display());
}
