//! The crash matrix: a real process is killed with SIGKILL at every write to the journal, at both sides of it, and at
//! every boundary of a connector call, and another one goes on. Whatever had been acknowledged is still true, no effect
//! lacks its row, none happens twice except where its class allows that, what connectors keep is exact, and what comes out
//! in the end is what comes out without a kill.
//!
//! `points` kills; `watched` (the store) and `seam` (connectors) have the points; `outside` and `tally` are the world;
//! `child` is a process, which plays a script (`player`); `matrix` is its parent; `seen`, `facts` and `check` look at what
//! is left. The scripts stand beside their tests. Long scripts are killed at points spread over them, and only some of
//! those that go on are killed too; `CODEMODE_CRASH=full` leaves nothing out.
#![cfg(unix)]

mod approvals;
mod calls;
mod check;
mod child;
mod facts;
mod keeping;
mod leaving;
mod matrix;
mod outside;
mod parallel;
mod parts;
mod player;
mod points;
mod script;
mod seam;
mod seen;
mod tally;
mod watched;

use script::{Script, Shape};

/// All scripts.
fn scripts() -> Vec<&'static Script> {
    [calls::SCRIPTS, parallel::SCRIPTS, approvals::SCRIPTS, keeping::SCRIPTS, leaving::SCRIPTS].concat()
}

#[test]
fn the_matrix_has_at_least_five_hundred_points_and_half_of_its_scripts_are_parallel() {
    let scripts = scripts();
    let names: std::collections::BTreeSet<_> = scripts.iter().map(|s| s.name).collect();
    assert_eq!(names.len(), scripts.len(), "each script has a name of its own");
    let parallel = scripts.iter().filter(|s| s.shape == Shape::Parallel).count();
    assert!(scripts.len() >= 12 && parallel * 2 >= scripts.len(), "{parallel} of {}", scripts.len());
    let points: u64 = scripts.iter().map(|s| s.points / matrix::every(s.points)).sum();
    assert!(points >= 500, "{points} points");
}
