//! `new connector`: a folder with a connector in Rust that builds, runs and keeps every rule before anything is changed in
//! it.

use std::fs;
use std::io;
use std::path::Path;

use codemode_runtime::durable::id::check_connector_names;
use serde_json::json;

use crate::args::{NewConnector, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::text::safe;
use crate::output::{BOLD, GOOD, Ui, styled};
use crate::setup::quoted;

/// What is written, by its path. `connector-name` stands for the name, `connector_name` for the name in code.
const FILES: [(&str, &str); 11] = [
    ("Cargo.toml", include_str!("../../templates/connector/Cargo.toml.txt")),
    ("README.md", include_str!("../../templates/connector/README.md")),
    ("src/lib.rs", include_str!("../../templates/connector/src/lib.rs")),
    ("src/items.rs", include_str!("../../templates/connector/src/items.rs")),
    ("cases.toml", include_str!("../../templates/connector/cases.toml")),
    ("codemode.toml", include_str!("../../templates/connector/codemode.toml.txt")),
    ("try.js", include_str!("../../templates/connector/try.js")),
    (".github/workflows/connector.yml", include_str!("../../templates/connector/connector.yml")),
    // `cargo component` writes bindings that nothing here needs.
    (".gitignore", "/target\n/src/bindings.rs\n"),
    ("wit/types.wit", include_str!("../../../wit/types.wit")),
    ("wit/connector.wit", include_str!("../../../wit/connector.wit")),
];

/// The longest name: what it becomes is a file, a crate and a global in code.
const MAX_NAME: usize = 64;

/// Names that mean something else to Rust or to a file system, or that one of the template's own dependencies has.
const TAKEN: [&str; 42] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "aux",
    "await",
    "become",
    "box",
    "con",
    "core",
    "crate",
    "dyn",
    "extern",
    "final",
    "fn",
    "gen",
    "impl",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "nul",
    "override",
    "priv",
    "prn",
    "proc-macro",
    "pub",
    "ref",
    "serde-json",
    "std",
    "struct",
    "test",
    "trait",
    "type",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "wit-bindgen",
];

pub(super) fn connector(args: &NewConnector, ui: &Ui) -> Result<Exit, Fault> {
    let name = checked(&args.name)?;
    let folder = args.path.as_deref().unwrap_or(Path::new(name));
    let shown = folder.display().to_string();
    empty(folder)?;
    let in_code = name.replace('-', "_");
    for (path, text) in FILES {
        let text = text
            .replace("connector-name", name)
            .replace("connector_name", &in_code)
            .replace("codemode-repository", env!("CARGO_PKG_REPOSITORY"))
            .replace("codemode-version", env!("CARGO_PKG_VERSION"));
        write(&folder.join(path), &text).map_err(|error| unwritable(folder, &error))?;
    }
    let next = [
        format!("cd {}", quoted(&shown)),
        "rustup target add wasm32-wasip2".to_owned(),
        "cargo build --release --target wasm32-wasip2".to_owned(),
        format!("codemode-conformance connector target/wasm32-wasip2/release/{in_code}.wasm --cases-file cases.toml"),
        "codemode run try.js".to_owned(),
    ];
    if ui.form() == Output::Json {
        let files = FILES.map(|(path, _)| path);
        ui.json(&json!({ "name": name, "namespace": in_code, "folder": shown, "files": files, "next": next }))?;
    }
    let lines = next.map(|line| format!("  {}", styled(BOLD, safe(&line)))).join("\n");
    ui.talk(format!("{} {}: a connector in Rust, ready to build\n{lines}", styled(GOOD, "made"), safe(&shown)));
    Ok(Exit::Completed)
}

/// A name that is good for a crate, for a WIT package and, with `_` for `-`, for a global in code.
fn checked(name: &str) -> Result<&str, Fault> {
    let hint = match fault_of(name) {
        None => return Ok(name),
        Some(Unfit::Form) => {
            let near = near(name).unwrap_or_else(|| "my-notes".to_owned());
            format!(
                "use words of lowercase letters and digits with dashes between them, each with a letter first, at most \
                 {MAX_NAME} characters: {near}"
            )
        }
        Some(Unfit::Taken) => "it means something else in Rust or in JavaScript; choose another one".to_owned(),
    };
    let shown: String = name.chars().take(MAX_NAME).collect();
    Err(Fault::usage("connector_name", format!("{shown:?} is no name for a connector")).with_hint(hint))
}

/// Why a name will not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfit {
    Form,
    Taken,
}

fn fault_of(name: &str) -> Option<Unfit> {
    let word = |word: &str| {
        let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(part)
    };
    if name.len() > MAX_NAME || !name.split('-').all(word) {
        return Some(Unfit::Form);
    }
    let is_taken = TAKEN.contains(&name) || check_connector_names([name.replace('-', "_").as_str()]).is_err();
    is_taken.then_some(Unfit::Taken)
}

/// What was meant, where that can be told: `My_Notes` is `my-notes`.
fn near(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    Some(words.join("-")).filter(|near| fault_of(near).is_none())
}

/// Nothing of anybody's is written over.
fn empty(folder: &Path) -> Result<(), Fault> {
    let exists = |what: &str| {
        Err(Fault::usage("folder_exists", format!("{} {what}", folder.display()))
            .with_hint("choose another folder with --path; nothing was written"))
    };
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => exists("is not empty"),
        Ok(false) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => exists("is a file"),
        Err(error) => Err(unwritable(folder, &error)),
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

fn unwritable(folder: &Path, error: &io::Error) -> Fault {
    Fault::usage("unwritable", format!("{} cannot be written: {error}", folder.display()))
        .with_hint("choose another folder with --path")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_with_dashes() {
        for name in ["notes", "my-notes", "a", "s3-files", &"a".repeat(MAX_NAME)] {
            assert!(checked(name).is_ok(), "{name}");
        }
        let long = "a".repeat(MAX_NAME + 1);
        for name in ["", "-", "a-", "-a", "a--b", "A", "my_notes", "2nd", "my-2nd", "a b", "../a", "é", &long] {
            assert_eq!(checked(name).unwrap_err().code, "connector_name", "{name}");
        }
    }

    #[test]
    fn what_was_meant_is_offered_where_it_can_be_told() {
        for (name, meant) in [("My_Notes", "my-notes"), ("../Bag/", "bag"), ("2nd", "my-notes"), ("", "my-notes")] {
            assert!(checked(name).unwrap_err().hint.unwrap().ends_with(&format!(": {meant}")), "{name}");
        }
    }

    #[test]
    fn a_name_that_rust_or_javascript_needs_is_refused() {
        for name in ["fn", "core", "serde-json", "console", "class", "self", "codemode"] {
            assert!(checked(name).unwrap_err().hint.unwrap().contains("means something else"), "{name}");
        }
    }

    #[test]
    fn nothing_is_left_to_be_filled_in_by_hand() {
        let stands_for = ["connector-name", "connector_name", "codemode-repository", "codemode-version"];
        for word in stands_for {
            assert!(FILES.iter().any(|(_, text)| text.contains(word)), "{word} is used nowhere");
        }
        assert!(!env!("CARGO_PKG_REPOSITORY").is_empty());
    }
}
