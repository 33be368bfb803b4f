//! Checks with the programs of others that people really use: TypeScript's own compiler, clients of protocols, and the
//! tools that make components of other languages; and with another JavaScript engine. Each check is a folder with a lock
//! file. It is copied below `target/`, so that the sources stay clean, and installed there once for each state of its lock
//! file.

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
    /// What the check made, which is to be tried then.
    made: Made,
}

/// What a check leaves in its folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Nothing,
    /// A connector in `items.wasm`, with cases, a manifest, and code that uses it.
    Connector,
    /// The core module of an executor.
    Executor,
}

const CLIENTS: [Client; 6] = [
    Client {
        name: "typescript",
        folder: "conformance/typescript",
        tool: machine::NODE,
        locks: &["package.json", "package-lock.json"],
        install: &[NPM_CI],
        cargo: &[&["run", "--quiet", "--example", "declarations", "--", "{}"]],
        check: &[&["node", "check.mjs"]],
        made: Made::Nothing,
    },
    Client {
        name: "mcp-js",
        folder: "mcp/clients/js",
        tool: machine::NODE,
        locks: &["package.json", "package-lock.json"],
        install: &[NPM_CI],
        cargo: &[BUILD_COMMAND],
        check: &[&["node", "check.mjs"]],
        made: Made::Nothing,
    },
    Client {
        name: "mcp-py",
        folder: "mcp/clients/py",
        tool: machine::PYTHON,
        locks: &["requirements.txt"],
        install: &[VENV, PIP_INSTALL],
        cargo: &[BUILD_COMMAND],
        check: &[&[".venv/bin/python", "check.py"]],
        made: Made::Nothing,
    },
    Client {
        name: "connector-js",
        folder: "connectors/items-js",
        tool: machine::NODE,
        locks: &["package.json", "package-lock.json"],
        install: &[NPM_CI],
        cargo: &[BUILD_BOTH],
        check: &[&["npm", "run", "--silent", "build"]],
        made: Made::Connector,
    },
    Client {
        name: "connector-py",
        folder: "connectors/items-py",
        tool: machine::PYTHON,
        locks: &["requirements.txt"],
        install: &[VENV, PIP_INSTALL],
        cargo: &[BUILD_BOTH],
        check: &[COMPONENTIZE_PY],
        made: Made::Connector,
    },
    Client {
        name: "executor-boa",
        folder: "executors/boa",
        tool: machine::RUST,
        locks: &["Cargo.lock"],
        install: &[],
        cargo: &[&["build", "--quiet", "--bin", "codemode-conformance", "--example", "componentize"]],
        check: &[&[
            "cargo",
            "build",
            "--quiet",
            "--locked",
            "--release",
            "--target",
            "wasm32-unknown-unknown",
            "--target-dir",
            "target",
        ]],
        made: Made::Executor,
    },
];

// Nothing is chosen by its package: that would be another set of features, and everything be compiled once more.
const BUILD_COMMAND: &[&str] = &["build", "--quiet", "--bin", "codemode"];

const BUILD_BOTH: &[&str] = &["build", "--quiet", "--bin", "codemode", "--bin", "codemode-conformance"];

const VENV: &[&str] = &["python3", "-m", "venv", "--clear", ".venv"];

const PIP_INSTALL: &[&str] = &[
    ".venv/bin/pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--require-hashes",
    "-r",
    "requirements.txt",
];

const COMPONENTIZE_PY: &[&str] = &[
    ".venv/bin/componentize-py",
    "--wit-path",
    "wit",
    "--world",
    "connector",
    "componentize",
    "--python-path",
    "src",
    "--output",
    "items.wasm",
    "app",
];

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
    client.check.iter().try_for_each(|words| in_folder(words, &folder, &target))?;
    try_made(client.made, &folder, &target)
}

/// The suite; with a connector then one execution from a pause to a rollback, whose code itself fails where an answer is not
/// as it should be.
/// The suite has time enough for a machine that does much else; it takes seconds.
fn try_made(made: Made, folder: &Path, target: &Path) -> Result<(), String> {
    const STORE: [&str; 2] = ["--store", "try.db"];
    let bin = target.join("debug");
    // Journals of an earlier check are of no interest.
    for name in ["try.db", "try.db-wal", "try.db-shm"] {
        let _ = std::fs::remove_file(folder.join(name));
    }
    let connector: [(&str, &[&str], i32); 4] = [
        ("codemode-conformance", &["connector", "items.wasm", "--cases-file", "cases.toml", "--run-ms", "300000"], 0),
        ("codemode", &["run", "try.js", STORE[0], STORE[1]], 3),
        ("codemode", &["approve", "last", "--yes", STORE[0], STORE[1]], 0),
        ("codemode", &["rollback", "last", "--yes", STORE[0], STORE[1]], 0),
    ];
    let module = "target/wasm32-unknown-unknown/release/codemode_executor_boa.wasm";
    // The engine is slow, and the machine may do much else.
    let expected = ["executor", "boa.wasm", "--expected-failures", "expected-failures.toml"];
    let expected = [&expected[..], &["--call-ms", "10000", "--run-ms", "600000"]].concat();
    let executor: [(&str, &[&str], i32); 2] =
        [("examples/componentize", &[module, "boa.wasm"], 0), ("codemode-conformance", &expected, 0)];
    let steps: &[_] = match made {
        Made::Nothing => &[],
        Made::Connector => &connector,
        Made::Executor => &executor,
    };
    for (program, args, exit) in steps {
        let shown = format!("{program} {}", args.join(" "));
        println!("$ {shown}");
        let status = Command::new(bin.join(program)).args(*args).current_dir(folder).status();
        let status = status.map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
        if status.code() != Some(*exit) {
            return Err(format!("`{shown}` ended with {status}, and not with {exit}"));
        }
    }
    Ok(())
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
    // Flags of the workspace's own build would take the place of those in a folder's configuration.
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    insist(command, &words.join(" "))
}

/// Files over files; what is installed beside them stays.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        // Left by somebody who installed in the sources.
        if name == "node_modules" || name == ".venv" || name == "target" {
            continue;
        }
        let to = to.join(&name);
        // A link is followed: the contract lies elsewhere.
        if entry.path().is_dir() {
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
