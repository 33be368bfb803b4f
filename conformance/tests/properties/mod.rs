//! How all property tests of this crate are run: as many cases as `PROPTEST_CASES` says, and the seeds of cases that
//! failed kept in `proptest-regressions/`, which is committed, so that they are tried first from then on.

use proptest::test_runner::{Config, FileFailurePersistence};

/// The folder of the seeds; `file!` of a macro would be another one in each test program.
macro_rules! seeds {
    ($name:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/", $name, ".txt")
    };
}
pub(crate) use seeds;

/// The configuration of tests whose seeds are kept in that file. `cases` is how many are tried where `PROPTEST_CASES`
/// says nothing.
pub(crate) fn config(seeds: &'static str, cases: u32) -> Config {
    let default = Config::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { cases };
    let kept = FileFailurePersistence::Direct(seeds);
    // `PROPTEST_DISABLE_FAILURE_PERSISTENCE` took the default away.
    let failure_persistence = default.failure_persistence.as_ref().map(|_| Box::new(kept) as _);
    Config { cases, failure_persistence, ..default }
}
