//! Checks with the programs of others that people really use: TypeScript's own compiler, and clients of protocols. Each
//! check is a folder with a lock file. It is copied below `target/`, so that the sources stay clean, and installed
//! there once for each state of its lock file.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::{self, Tool};
use crate::{cargo, insist};

/// A check.
struct Client {
    name: &'static str,
    /// Its sources, below the workspace.
    folder: &'static str,
    /// What must be on the machine.
    tool: Tool,
    /// What is installed is used again while these files are as they were.
    locks: &'static [&'static str],
    /// Commands in the copied folder that install what it needs.
    install: &'static [&'static [&'static str]],
    /// What is given to cargo in the workspace, before the check. A word `{}` is the copied folder.
    cargo: &'static [&'static [&'static str]],
    /// Commands in the copied folder: the check itself. They find the built programs in the folder that the environment
    /// variable `CODEMODE_BIN` names.
    check: &'static [&'static [&'static str]],
}

const CLIENTS: [Client; 3] = [
    Client {
        name: "typescript",
        folder: "conformance/typescript",
        tool: machine::NODE,
        locks: &["package.json", "package-lock.json"],
        install: &[NPM_CI],
        cargo: &[&["run", "--quiet", "--example", "declarations", "--", "{}"]],
        check: &[&["node", "check.mjs"]],
    },
    Client {
        name: "mcp-js",
        folder: "mcp/clients/js",
        tool: machine::NODE,
        locks: &["package.json", "package-lock.json"],
        install: &[NPM_CI],
        cargo: &[BUILD_COMMAND],
        check: &[&["node", "check.mjs"]],
    },
    Client {
        name: "mcp-py",
        folder: "mcp/clients/py",
        tool: machine::PYTHON,
        locks: &["requirements.txt"],
        install: &[
            &["python3", "-m", "venv", "--clear", ".venv"],
            &[
                ".venv/bin/pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--require-hashes",
                "-r",
                "requirements.txt",
            ],
        ],
        cargo: &[BUILD_COMMAND],
        check: &[&[".venv/bin/python", "check.py"]],
    },
];

// Nothing is chosen by its package: that would be another set of features, and everything be compiled once more.
const BUILD_COMMAND: &[&str] = &["build", "--quiet", "--bin", "codemode"];

const NPM_CI: &[&str] = &["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"];

/// All of them, or the ones that are named.
pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| CLIENTS.iter().all(|client| client.name != **name)) {
        let known: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        return Err(format!("no such client: {unknown}; there are {}", known.join(", ")));
    }
    CLIENTS.iter().filter(|client| names.is_empty() || names.contains(&client.name)).try_for_each(check)
}

fn check(client: &Client) -> Result<(), String> {
    machine::need(&client.tool)?;
    let target = target();
    let folder = target.join("clients").join(client.name);
    let unusable = |error: std::io::Error| format!("{} cannot be used: {error}", folder.display());
    let sources = machine::root().join(client.folder);
    // Read before it is copied: what a check made of it earlier is of no interest.
    let lock = lock(client, &sources).map_err(unusable)?;
    copy(&sources, &folder).map_err(unusable)?;
    let stamp = folder.join("installed");
    if std::fs::read(&stamp).ok().as_deref() != Some(&lock) {
        client.install.iter().try_for_each(|words| in_folder(words, &folder, &target))?;
        std::fs::write(&stamp, &lock).map_err(unusable)?;
    }
    let shown = folder.to_string_lossy();
    for words in client.cargo {
        let words: Vec<&str> = words.iter().map(|word| if *word == "{}" { &*shown } else { word }).collect();
        insist(cargo(&words), &format!("cargo {}", words.join(" ")))?;
    }
    client.check.iter().try_for_each(|words| in_folder(words, &folder, &target))
}

fn lock(client: &Client, sources: &Path) -> std::io::Result<Vec<u8>> {
    let mut all = Vec::new();
    for name in client.locks {
        all.extend(std::fs::read(sources.join(name))?);
    }
    Ok(all)
}

fn in_folder(words: &[&str], folder: &Path, target: &Path) -> Result<(), String> {
    let Some((program, args)) = words.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env("CODEMODE_BIN", target.join("debug"));
    insist(command, &words.join(" "))
}

/// Files over files; what is installed beside them stays.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        // Left by somebody who installed in the sources.
        if name == "node_modules" || name == ".venv" {
            continue;
        }
        let to = to.join(&name);
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            std::fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Where cargo builds, as a whole path: commands run elsewhere.
fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    machine::root().join(target)
}
