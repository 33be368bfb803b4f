//! The demo: build the command, then walk through the first minute with it.

use std::path::PathBuf;

use crate::walk::{Output, walk};

/// The whole demo.
#[expect(clippy::disallowed_methods, reason = "it says how long it took")]
pub(crate) fn build_and_walk() -> Result<(), String> {
    let start = std::time::Instant::now();
    println!("Building the command; the first time this compiles a WebAssembly engine and takes some minutes.");
    // By its name and not by its package: that would be another set of features than the tests have, and compile twice.
    crate::insist(crate::cargo(&["build", "--bin", "codemode"]), "cargo build --bin codemode")?;
    let built = start.elapsed().as_secs();
    println!("built in {} min {} s\n", built / 60, built % 60);
    walk_built()?;
    let all = start.elapsed().as_secs();
    println!("\nDone in {} min {} s. Your own code: target/debug/codemode run FILE", all / 60, all % 60);
    Ok(())
}

/// The walk with what is built already.
pub(crate) fn walk_built() -> Result<(), String> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| crate::machine::root().join("target"), PathBuf::from);
    let scratch = std::env::temp_dir().join(format!("codemode-demo-{}", std::process::id()));
    let walked = walk(&target.join("debug"), &scratch, Output::Inherited, &mut |line| println!("{line}"));
    // Only our own folder, and it is no loss when it stays.
    let _ = std::fs::remove_dir_all(&scratch);
    walked
}
