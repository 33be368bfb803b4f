//! The rules of the architecture that a compiler does not know: who may import what, how long a file may be, how it
//! begins. A failure names the rule, the file and the line.

use std::fs;
use std::path::{Path, PathBuf};

/// A Rust file of the repository.
struct Source {
    /// From the root, with `/`.
    path: String,
    text: String,
}

impl Source {
    /// Lines of code: numbered, without comments. Words in documentation import nothing.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(at, line)| (at + 1, line));
        lines.map(|(at, line)| (at, line.split("//").next().unwrap_or(""))).filter(|(_, line)| !line.trim().is_empty())
    }

    fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.path == *place || (place.ends_with('/') && self.path.starts_with(place)))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root(), &mut found);
    assert!(found.len() > 50, "the sources were not found");
    found
}

fn collect(folder: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("an entry can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Links lead to folders that are read by their own name.
        if path.is_symlink() || name.starts_with('.') || name == "target" || name == "node_modules" {
            continue;
        }
        if path.is_dir() {
            collect(&path, found);
        } else if name.ends_with(".rs") {
            let relative = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
            // A file may go while we look.
            if let Ok(text) = fs::read_to_string(&path) {
                found.push(Source { path: relative, text });
            }
        }
    }
}

/// Whether a line of code names that word, on its own or at the start of a path.
fn names(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

/// The module that a line declares.
fn module(line: &str) -> Option<&str> {
    let line =
        line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
    line.strip_prefix("mod ")?.strip_suffix(';')
}

/// Fails with the rule and every place that breaks it.
fn report(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "\nrule: {rule}\nbroken at:\n  {}\n", broken.join("\n  "));
}

/// Lines of the runtime's sources outside of `places` that name the word.
fn named_outside(word: &str, places: &[&str], below: &[&str]) -> Vec<String> {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|s| s.is_in(below) && !s.is_in(places)) {
        let lines = source.code().filter(|(_, line)| names(line, word));
        broken.extend(lines.map(|(at, line)| format!("{}:{at}: {}", source.path, line.trim())));
    }
    broken
}

#[test]
fn only_the_host_side_names_wasmtime() {
    let places = [
        "runtime/src/bindings.rs",
        "runtime/src/host/",
        "runtime/src/executor/component.rs",
        "runtime/src/executor/component/",
        "runtime/src/connector/component.rs",
        "runtime/src/connector/component/",
        "runtime/src/connector/imports.rs",
        "runtime/src/control/component.rs",
    ];
    let below = ["runtime/src/", "mcp/", "cli/", "conformance/src/", "xtask/"];
    for word in ["wasmtime", "wasmtime_wasi", "wasmtime_wasi_http"] {
        let rule = "nobody but bindings, host, executor::component, connector::component and control::component names wasmtime";
        report(rule, &named_outside(word, &places, &below));
    }
}

#[test]
fn only_the_clock_reads_time() {
    let rule = "only clock.rs names SystemTime and Instant; everything else is handed a clock";
    for word in ["SystemTime", "std::time::Instant"] {
        report(rule, &named_outside(word, &["runtime/src/clock.rs"], &["runtime/src/", "mcp/src/", "cli/src/"]));
    }
}

#[test]
fn only_the_sqlite_store_names_rusqlite() {
    let rule = "only store/sqlite names rusqlite: a rule never depends on how something is stored";
    let places = ["runtime/src/store/sqlite/", "runtime/src/store/sqlite.rs"];
    report(rule, &named_outside("rusqlite", &places, &["runtime/src/", "mcp/", "cli/", "conformance/src/"]));
}

#[test]
fn the_rules_of_durability_import_nothing_but_plain_data() {
    let rule = "durable/ imports only std, serde, serde_json, thiserror, sha2 and itself; from std nothing that does IO, \
                waits or reads the clock";
    // Tests may draw what they hold the rules against.
    let allowed = [
        "std",
        "serde",
        "serde_json",
        "thiserror",
        "sha2",
        "super",
        "self",
        "crate::durable",
        "core",
        "alloc",
        "proptest",
    ];
    let forbidden = ["std::fs", "std::io", "std::net", "std::process", "std::thread", "std::env", "std::time"];
    let mut broken = Vec::new();
    for source in sources().iter().filter(|s| s.is_in(&["runtime/src/durable/"])) {
        let own: Vec<&str> = source.code().filter_map(|(_, line)| module(line)).collect();
        for (at, line) in source.code() {
            let import = line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ").strip_prefix("use ");
            let imports_else = import.is_some_and(|path| {
                let starts = |a: &&str| path.strip_prefix(*a).is_some_and(|rest| rest.starts_with([':', ';', ' ']));
                !allowed.iter().any(starts) && !own.iter().any(starts) && !path.starts_with(char::is_uppercase)
            });
            let does_io = forbidden.iter().any(|f| line.contains(f));
            let reaches_out = line.contains("crate::") && !line.contains("crate::durable") && !line.contains("pub(");
            if imports_else
                || does_io
                || reaches_out
                || ["async fn", "async {", "async move", ".await"].iter().any(|a| line.contains(a))
            {
                broken.push(format!("{}:{at}: {}", source.path, line.trim()));
            }
        }
    }
    report(rule, &broken);
}

#[test]
fn users_of_the_library_use_its_public_face() {
    let rule = "the command and conformance reach the runtime through its crate, never by path";
    let mut broken = Vec::new();
    for source in sources().iter().filter(|s| s.is_in(&["mcp/", "cli/", "conformance/"])) {
        let lines = source.code().filter(|(_, line)| line.contains("#[path") && line.contains("runtime/src"));
        broken.extend(lines.map(|(at, line)| format!("{}:{at}: {}", source.path, line.trim())));
    }
    report(rule, &broken);
}

#[test]
fn no_file_is_longer_than_500_lines() {
    let sources = sources();
    let long = sources.iter().map(|s| (s, s.text.lines().count())).filter(|(_, lines)| *lines > 500);
    let broken: Vec<_> = long.map(|(s, lines)| format!("{}: {lines} lines", s.path)).collect();
    report("files have at most 500 lines, tests included", &broken);
}

#[test]
fn every_module_opens_with_why_it_exists() {
    let sources = sources();
    let silent = sources.iter().filter(|s| {
        let first = s.text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!["));
        !first.is_some_and(|line| line.starts_with("//!"))
    });
    let broken: Vec<_> = silent.map(|s| s.path.clone()).collect();
    report("a module opens with `//!` and why it exists", &broken);
}

#[test]
fn the_main_file_of_the_command_stays_small() {
    let main = fs::read_to_string(root().join("cli/src/main.rs")).expect("cli/src/main.rs can be read");
    let rule = "main.rs has at most 20 lines; what it does lies in modules that tests can reach";
    let lines = main.lines().count();
    report(rule, &(lines > 20).then(|| format!("cli/src/main.rs: {lines} lines")).into_iter().collect::<Vec<_>>());
}
