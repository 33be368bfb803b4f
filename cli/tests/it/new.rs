//! `codemode new connector`: what it writes builds with plain cargo, keeps every rule of the suite, and runs; what is there
//! already is never written over.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::kit::{Ended, Kit, ended};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

/// Where all new connectors are built: what they depend on is compiled once.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-connector")
}

/// Plain cargo in the folder, as somebody has it who is not in the middle of a build of this workspace.
fn cargo(folder: &Path, words: &[&str]) -> Ended {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words).current_dir(folder).env("CARGO_TARGET_DIR", target());
    for name in
        ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_TARGET"]
    {
        command.env_remove(name);
    }
    ended(command)
}

/// The suite, as CI runs it.
fn conformance(folder: &Path, words: &[&str]) -> Ended {
    let program = Path::new(env!("CARGO_BIN_EXE_codemode")).with_file_name("codemode-conformance");
    assert!(program.exists(), "build it first: cargo build --bin codemode-conformance");
    let mut command = Command::new(program);
    command.args(words).args(["--run-ms", "300000"]).current_dir(folder).env("XDG_CACHE_HOME", target());
    ended(command)
}

#[test]
fn a_new_connector_builds_keeps_every_rule_and_runs() {
    let kit = Kit::new();
    let made = kit.run(&["new", "connector", "my-items"]);
    assert_eq!((made.code, made.out.as_str()), (0, ""), "{made:?}");
    let folder = kit.path("my-items");

    // The versions of this workspace, so that nothing has to be fetched.
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file is copied");
    let built = cargo(&folder, &["build", "--offline", "--release", "--target", "wasm32-wasip2"]);
    assert_eq!(built.code, 0, "{}", built.err);
    assert!(!built.err.contains("warning"), "{}", built.err);
    let wasm = "target/wasm32-wasip2/release/my_items.wasm";
    let check = ["connector", wasm, "--cases-file", "cases.toml"];
    assert!(made.err.contains(&format!("codemode-conformance {}\n", check.join(" "))), "{made:?}");
    let place = folder.join(wasm);
    fs::create_dir_all(place.parent().expect("a folder")).expect("it is made");
    fs::copy(target().join("wasm32-wasip2/release/my_items.wasm"), &place).expect("the component is there");

    let checked = conformance(&folder, &[&check[..], &["--output", "json"]].concat());
    assert_eq!(checked.code, 0, "{checked:?}");
    let report: Value = serde_json::from_str(&checked.out).expect("a report");
    assert_eq!((&report["counts"]["fail"], &report["counts"]["blocked"]), (&0.into(), &0.into()), "{report}");
    // Every rule finds something to try, but for those about what the connector does not have.
    let untried = report["rules"].as_array().expect("rules").iter().filter(|rule| rule["verdict"] != "pass");
    for id in untried.map(|rule| rule["id"].as_str().unwrap_or_default()) {
        assert!(id.starts_with("CONN-HTTP") || id.starts_with("CONN-HOOK"), "{id} was not tried: {report}");
    }

    // The steps of its README.
    let run = |words: &[&str]| {
        let mut command = kit.command(words);
        command.current_dir(&folder);
        ended(command)
    };
    let paused = run(&["run", "try.js"]);
    assert_eq!(paused.code, 3, "{paused:?}");
    assert!(paused.out.contains("my_items.remove"), "{paused:?}");
    let completed = run(&["approve", "last", "--yes", "--output", "json"]);
    let outcome: Value = serde_json::from_str(&completed.out).expect("an outcome");
    assert_eq!(outcome["result"], serde_json::json!({ "added": "buy milk", "before": 1, "after": 0 }), "{outcome}");
    let undone = run(&["rollback", "last", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!(undone.err.contains("2 calls undone"), "{undone:?}");
}

#[test]
fn a_new_connector_is_formatted_as_cargo_fmt_wants_it() {
    let kit = Kit::new();
    assert_eq!(kit.run(&["new", "connector", "my-items"]).code, 0);
    let formatted = cargo(&kit.path("my-items"), &["fmt", "--check"]);
    assert_eq!(formatted.code, 0, "{formatted:?}");
}

#[test]
fn a_new_connector_carries_its_own_name_everywhere() {
    let kit = Kit::new();
    let (code, made) = kit.json(&["new", "connector", "s3-box", "--path", "boxes/s3"]);
    assert_eq!((code, &made["folder"], &made["namespace"]), (0, &"boxes/s3".into(), &"s3_box".into()));
    for file in made["files"].as_array().expect("files") {
        let file = file.as_str().expect("a name");
        let text = fs::read_to_string(kit.path("boxes/s3").join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        for left in ["connector-name", "connector_name", "codemode-repository", "codemode-version"] {
            assert!(!text.contains(left), "{file} still has {left}");
        }
    }
    let manifest = fs::read_to_string(kit.path("boxes/s3/Cargo.toml")).expect("it is there");
    assert!(manifest.starts_with("[package]\nname = \"s3-box\"\n"), "{manifest}");
}

#[test]
fn what_is_there_already_is_never_written_over() {
    let kit = Kit::new();
    let names = |folder: &str| fs::read_dir(kit.path(folder)).expect("a folder").count();
    fs::create_dir(kit.path("mine")).expect("a folder");
    kit.write("mine/notes.txt", "of somebody").write("file", "of somebody");
    kit.run(&["new", "connector", "mine"]).failed(2, "folder_exists");
    kit.run(&["new", "connector", "file"]).failed(2, "folder_exists");
    kit.run(&["new", "connector", "a", "--path", "file/a"]).failed(2, "folder_exists");
    assert_eq!((names("mine"), fs::read(kit.path("file")).expect("a file").len()), (1, 11));
    // An empty folder is as good as none; the second time it is not empty.
    fs::create_dir(kit.path("empty")).expect("a folder");
    assert_eq!(kit.run(&["new", "connector", "empty"]).code, 0);
    kit.run(&["new", "connector", "empty"]).failed(2, "folder_exists");
}

#[test]
fn a_name_that_is_none_is_refused_with_what_is_allowed() {
    let kit = Kit::new();
    for name in ["My-Notes", "my_notes", "2nd", "../up", "a--b", "", "über"] {
        let refused = kit.run(&["new", "connector", name]);
        refused.failed(2, "connector_name");
        assert!(refused.err.contains("lowercase letters and digits with dashes"), "{refused:?}");
    }
    for name in ["fn", "std", "console", "class", "serde-json"] {
        let refused = kit.run(&["new", "connector", name]);
        refused.failed(2, "connector_name");
        assert!(refused.err.contains("means something else"), "{refused:?}");
    }
    assert_eq!(fs::read_dir(kit.path("")).expect("a folder").count(), 0, "nothing was made");
}

/// The text with each run of white space as one space.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn the_guide_shows_the_connectors_as_they_are() {
    let guide = read("docs/connectors.md");
    let of = |folder: &str, files: &[&str]| {
        let text: String = files.iter().map(|file| read(&format!("{folder}/{file}"))).collect();
        flat(&text.replace("connector_name", "my_items").replace("connector-name", "my-items"))
    };
    let sources = [
        ("rust", of("cli/templates/connector", &["src/lib.rs", "src/items.rs"])),
        ("toml", of("cli/templates/connector", &["codemode.toml.txt", "cases.toml"])),
        ("js", of("connectors/items-js", &["src/connector.js", "src/items.js", "src/failure.js"])),
        ("python", of("connectors/items-py", &["src/app.py", "src/items.py", "src/failure.py"])),
    ];
    for (language, source) in sources {
        let fence = format!("```{language}\n");
        let blocks = guide.split(&fence).skip(1).filter_map(|rest| rest.split("```").next());
        let parts: Vec<&str> = blocks.flat_map(|block| block.split("\n\n")).collect();
        assert!(!parts.is_empty(), "the guide shows no {language}");
        for part in parts {
            assert!(source.contains(&flat(part)), "in no file of the connector in {language}:\n{part}");
        }
    }
}

#[test]
fn the_guide_has_the_steps_that_the_command_tells() {
    let kit = Kit::new();
    let made = kit.run(&["new", "connector", "my-items"]);
    let guide = read("docs/connectors.md");
    let steps: Vec<&str> = made.err.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert!(steps.len() >= 5, "{made:?}");
    for step in steps {
        assert!(guide.contains(step), "the guide does not have {step}");
    }
}
