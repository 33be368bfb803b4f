//! Builds the notes connector, which the command carries so that its first run needs no manifest.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    let notes = codemode_guests::connector("notes", Path::new(&out_dir));
    println!("cargo::rustc-env=CODEMODE_NOTES_WASM_PATH={}", notes.display());
}
