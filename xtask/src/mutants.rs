//! Changes the rules of durability one place at a time, and expects the tests to notice each change. By hand, not in CI:
//! it takes half an hour. The rules are copied with their tests into a crate of their own, because only the files of a
//! package are changed, and in place, because each change is then built in a second.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{insist, machine};

/// Cases for each property: enough for what one change breaks.
const CASES: &str = "96";

pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let root = machine::root();
    let tree = root.join("target/mutants/tree");
    copy_rules(root, &tree).map_err(|error| format!("the rules cannot be copied to {}: {error}", tree.display()))?;
    let probe = Command::new("cargo").args(["mutants", "--version"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        return Err("cargo-mutants is missing: cargo install cargo-mutants --locked".to_owned());
    }
    let mut command = Command::new("cargo");
    command.current_dir(&tree).args(["mutants", "--in-place", "--timeout", "15", "--exclude", "**/fuzz.rs", "-o"]);
    command.arg(root.join("target/mutants")).args(args).args(["--", "--lib"]);
    command.env("CARGO_TARGET_DIR", root.join("target/mutants/target"));
    command.env("PROPTEST_CASES", CASES).env("PROPTEST_MAX_SHRINK_ITERS", "0");
    command.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1");
    insist(command, &format!("cargo mutants {}", args.join(" ")))
}

fn copy_rules(root: &Path, tree: &Path) -> std::io::Result<()> {
    if tree.exists() {
        fs::remove_dir_all(tree)?;
    }
    let sources = tree.join("runtime/src");
    copy_folder(&root.join("runtime/src/durable"), &sources.join("durable"))?;
    copy_folder(&root.join("durable-check/src"), &sources)?;
    let library = fs::read_to_string(sources.join("lib.rs"))?;
    let without_path = library.lines().filter(|line| !line.starts_with("#[path"));
    fs::write(sources.join("lib.rs"), without_path.collect::<Vec<_>>().join("\n"))?;
    fs::create_dir_all(tree.join("docs"))?;
    for file in ["docs/values.json", "Cargo.lock", "rust-toolchain.toml"] {
        fs::copy(root.join(file), tree.join(file))?;
    }
    // The package and the workspace in one manifest.
    let package = fs::read_to_string(root.join("durable-check/Cargo.toml"))?;
    let workspace = fs::read_to_string(root.join("Cargo.toml"))?;
    let members = |line: &&str| !line.starts_with("members") && !line.starts_with("default-members");
    let workspace = workspace.lines().filter(members).collect::<Vec<_>>().join("\n");
    let library = "[lib]\npath = \"runtime/src/lib.rs\"\ndoctest = false\n";
    fs::write(tree.join("Cargo.toml"), format!("{package}\n{library}\n{workspace}\n"))
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
