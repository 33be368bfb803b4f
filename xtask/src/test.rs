//! All tests of the workspace: those of the host crates, and their documentation's; then what the programs of others say.

use crate::{cargo, insist};

/// With cargo's own runner, one process for each test binary: what a test binary loads once (a compiled sandbox, an
/// engine) serves all its tests. A runner with a process for each test takes three times as long here.
pub(crate) fn run() -> Result<(), String> {
    insist(cargo(&["test", "--no-fail-fast"]), "cargo test --no-fail-fast")?;
    crate::clients::run(&[])
}
