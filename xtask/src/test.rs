//! All tests of the workspace: those of the host crates, and their documentation's.

use crate::{cargo, insist};

/// With nextest where it is installed, because it shows progress and runs test files side by side; else with cargo.
pub(crate) fn run() -> Result<(), String> {
    let nextest = cargo(&["nextest", "--version"]).output().is_ok_and(|output| output.status.success());
    if !nextest {
        return insist(cargo(&["test", "--no-fail-fast"]), "cargo test --no-fail-fast");
    }
    insist(cargo(&["nextest", "run", "--no-fail-fast"]), "cargo nextest run --no-fail-fast")?;
    insist(cargo(&["test", "--doc"]), "cargo test --doc")
}
