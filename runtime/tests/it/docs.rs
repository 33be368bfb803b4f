//! Documentation that must not fall behind the code: every error code has a page, and every page a code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The words that a function of that file gives, as in `Self::Thrown => "thrown"`.
fn words(path: &str, function: &str, owner: &str) -> BTreeSet<String> {
    let text = read(path);
    let text = text.split_once(owner).unwrap_or_else(|| panic!("{path} has no {owner}")).1;
    let body = text.split_once(function).unwrap_or_else(|| panic!("{path} has no {function}")).1;
    let body = body.split_once("\n    }\n").expect("a function ends").0;
    let word = |line: &str| Some(line.split_once("=> \"")?.1.split('"').next()?.to_owned());
    body.lines().filter_map(word).collect()
}

#[test]
fn every_error_code_has_a_page_and_every_page_a_code() {
    let sources = [
        ("runtime/src/durable/failure.rs", "fn as_str", "impl ErrorKind"),
        ("runtime/src/error.rs", "fn code", "impl Error "),
        ("runtime/src/store/mod.rs", "fn code", "impl StoreError"),
        ("runtime/src/bundle/mod.rs", "fn code", "impl BundleError"),
        ("runtime/src/host/load.rs", "fn code", "impl LoadError"),
        ("mcp/src/error.rs", "fn code", "impl Error "),
    ];
    let codes: BTreeSet<String> = sources.into_iter().flat_map(|(path, f, owner)| words(path, f, owner)).collect();
    assert!(codes.len() > 30, "the codes were not found: {codes:?}");
    let pages: BTreeSet<String> = fs::read_dir(root().join("docs/errors"))
        .expect("docs/errors can be read")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".md")?.to_owned()))
        .filter(|page| !matches!(page.as_str(), "README" | "command_line"))
        .collect();
    let without_page: Vec<_> = codes.difference(&pages).collect();
    let without_code: Vec<_> = pages.difference(&codes).collect();
    assert!(without_page.is_empty(), "codes without a page in docs/errors: {without_page:?}");
    assert!(without_code.is_empty(), "pages in docs/errors without a code: {without_code:?}");
    let list = read("docs/errors/README.md");
    for code in &codes {
        assert!(list.contains(&format!("[{code}]({code}.md)")), "docs/errors/README.md does not list {code}");
    }
}

#[test]
fn every_page_has_cause_fix_and_example() {
    for entry in fs::read_dir(root().join("docs/errors")).expect("docs/errors can be read") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if matches!(name.as_str(), "README.md" | "command_line.md") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a page can be read");
        for part in ["**Cause.**", "**Fix.**", "**Example.**"] {
            assert!(text.contains(part), "{name} has no {part}");
        }
    }
}

#[test]
fn links_of_the_readme_lead_to_files() {
    for page in ["README.md", "CONTRIBUTING.md", "docs/errors/README.md", "docs/connectors.md"] {
        let folder = root().join(page).parent().expect("a folder").to_owned();
        let text = read(page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            if !link.starts_with("http") {
                assert!(folder.join(file).exists(), "{page} links to {link}, which does not exist");
            }
        }
    }
}

#[test]
fn the_readme_shows_the_example_as_it_is_compiled() {
    let (readme, example) = (read("README.md"), read("runtime/examples/embed.rs"));
    let block = readme.split_once("```rust\n").expect("a rust block").1.split_once("```").expect("its end").0;
    let trimmed = |text: &str| text.split_whitespace().collect::<String>();
    let example = trimmed(&example);
    for statement in
        block.lines().map(str::trim).filter(|l| l.len() > 12 && !l.contains("let outcome = runtime.approve"))
    {
        assert!(example.contains(&trimmed(statement)), "not in embed.rs: {statement}");
    }
    assert!(read("runtime/examples/embed.rs").lines().count() <= 25, "the example has at most 25 lines");
}

#[test]
fn the_example_pauses_and_completes() {
    let tests = std::env::current_exe().expect("this test").parent().expect("its folder").to_owned();
    let example = tests.parent().expect("the profile's folder").join("examples/embed");
    let output = std::process::Command::new(&example).output().unwrap_or_else(|e| panic!("{}: {e}", example.display()));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let statuses: Vec<bool> =
        said.lines().zip(["paused", "completed"]).map(|(l, s)| l.contains(&format!("\"status\":\"{s}\""))).collect();
    assert_eq!(statuses, [true, true], "{said}");
}
