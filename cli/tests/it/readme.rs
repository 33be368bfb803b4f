//! The README keeps its word: its commands are those that CI runs, and the demo walks as it says.

use std::fs;
use std::path::{Path, PathBuf};

use crate::kit::Kit;
use crate::xtask_walk::{Output, walk};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The lines of the shell blocks, in order.
fn commands(markdown: &str) -> Vec<&str> {
    let blocks = markdown.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_first_two_commands_are_the_demo_and_the_tests() {
    assert_eq!(commands(&read("README.md"))[..2], ["cargo xtask demo", "cargo xtask test"]);
}

#[test]
fn ci_runs_what_the_readme_and_the_guide_tell() {
    let ci = read(".ci/run");
    let lines: Vec<&str> = ci.lines().filter(|line| line.starts_with("cargo ")).collect();
    let (readme, guide) = (read("README.md"), read("CONTRIBUTING.md"));
    let ([demo, test], [also_test, lint]) = (&commands(&readme)[..2], &commands(&guide)[..]) else {
        panic!("the README begins with two commands, and the guide has two");
    };
    assert_eq!(lines, [*test, *demo, *lint]);
    assert_eq!(also_test, test);
}

#[test]
fn the_readme_documents_every_exit_code() {
    let readme = read("README.md");
    for code in [0, 1, 2, 3, 4, 5, 70, 130] {
        assert!(readme.contains(&format!("\n| {code} | ")), "exit code {code} is missing");
    }
}

#[test]
fn every_command_is_in_the_readme() {
    let help = Kit::new().run(&["--help"]).out;
    let block = help.split_once("Commands:").expect("a list of commands").1.split_once("\n\n").expect("its end").0;
    let readme = read("README.md");
    for command in block.lines().filter_map(|l| l.split_whitespace().next()).filter(|c| *c != "help") {
        assert!(readme.contains(&format!("| `codemode {command}")), "{command} is missing");
    }
}

#[test]
fn the_demo_walks_from_a_pause_to_a_recovery() {
    let kit = Kit::new();
    let bin = Path::new(env!("CARGO_BIN_EXE_codemode")).parent().expect("a folder");
    let mut said = String::new();
    walk(bin, &kit.path("demo"), Output::Captured, &mut |line| {
        said.push_str(line);
        said.push('\n');
    })
    .unwrap_or_else(|error| panic!("{error}\n{said}"));
    for part in [
        "$ codemode run create.js",
        "1 call waits for approval",
        "approve: codemode approve exec_",
        "completed exec_",
        "1 call undone, nothing is left",
        "Killed",
        " completed  1 call",
    ] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
}
