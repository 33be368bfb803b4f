//! Builds the connectors that the command carries so that its first run needs no manifest.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    for (name, variable) in [("files", "CODEMODE_FILES_WASM_PATH"), ("notes", "CODEMODE_NOTES_WASM_PATH")] {
        let path = codemode_guests::connector(name, Path::new(&out_dir));
        println!("cargo::rustc-env={variable}={}", path.display());
    }
}
