//! Builds the connectors that the tests load, and tells the tests where they are and where compiled code is kept
//! between two runs.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(out) = std::env::var_os("OUT_DIR") else { return };
    let cache = Path::new(&out).join("compiled");
    println!("cargo::rustc-env=CODEMODE_TEST_CACHE={}", cache.display());
    let connectors = [
        ("doubles", "CODEMODE_DOUBLES_WASM"),
        ("files", "CODEMODE_FILES_WASM"),
        ("ledger", "CODEMODE_LEDGER_WASM"),
        ("notes", "CODEMODE_NOTES_WASM"),
        ("rogues", "CODEMODE_ROGUES_WASM"),
        ("testkit", "CODEMODE_TESTKIT_WASM"),
        ("web", "CODEMODE_WEB_WASM"),
    ];
    for (name, variable) in connectors {
        let path = codemode_guests::connector(name, Path::new(&out));
        println!("cargo::rustc-env={variable}={}", path.display());
    }
    let path = codemode_guests::cold_sandbox(Path::new(&out));
    println!("cargo::rustc-env=CODEMODE_COLD_SANDBOX_WASM={}", path.display());
    let path = codemode_guests::sandbox(Path::new(&out));
    println!("cargo::rustc-env=CODEMODE_WARM_SANDBOX_WASM={}", path.display());
    let path = codemode_guests::host_check(Path::new(&out));
    println!("cargo::rustc-env=CODEMODE_HOST_CHECK_WASM={}", path.display());
}
