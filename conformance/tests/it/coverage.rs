//! Which test shows which item. Tests say it themselves, in a comment above them: `Covers RUN-01, executor#6, BUG-DUR-01.`
//! The lists in `coverage/` say what is to be shown now, and what comes later; this test holds both against each other
//! and keeps `COVERAGE.md` current. `BLESS=1 cargo test coverage` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const LISTS: [(&str, &str); 3] = [
    ("Behaviour catalogue", "catalogue.txt"),
    ("Cases of the reference suite", "peer.txt"),
    ("Public bug cases", "bugs.txt"),
];

/// Where tests are.
const SOURCES: [&str; 9] = [
    "conformance/tests",
    "conformance/src",
    "runtime/src",
    "runtime/tests",
    "mcp/src",
    "mcp/tests",
    "cli/src",
    "cli/tests",
    "guests/tests",
];

struct Item {
    id: String,
    state: String,
}

#[test]
#[expect(clippy::print_stdout, reason = "the numbers are to be seen in CI")]
fn every_item_that_is_built_has_a_test_and_every_test_names_real_items() {
    let shown = shown();
    let mut problems = Vec::new();
    let mut page = String::from(
        "# Coverage\n\nMade from the `Covers` lines of the tests by `BLESS=1 cargo test coverage`; do not edit.\n",
    );
    let mut known = Vec::new();
    for (title, file) in LISTS {
        let items = items(file);
        let now: Vec<&Item> = items.iter().filter(|i| i.state == "now").collect();
        let covered = now.iter().filter(|i| shown.contains_key(&i.id)).count();
        let _ = write!(page, "\n## {title}\n\n{covered} of {} built now; {} listed.\n\n", now.len(), items.len());
        page.push_str("| item | state | tests |\n|---|---|---|\n");
        for item in &items {
            let tests = shown.get(&item.id).map(|t| t.join(", ")).unwrap_or_default();
            let _ = writeln!(page, "| {} | {} | {tests} |", item.id, item.state);
            if item.state == "now" && tests.is_empty() {
                problems.push(format!("{} is to be shown now, and no test says `Covers {0}`", item.id));
            }
        }
        println!("{title}: {covered} of {} built now have a test", now.len());
        known.extend(items.into_iter().map(|i| i.id));
    }
    for (id, tests) in &shown {
        if !known.contains(id) && !id.starts_with("WEAK-") && !id.starts_with("DIFF-") {
            problems.push(format!("{} says that it covers {id}, which is in no list", tests.join(", ")));
        }
    }
    assert!(problems.is_empty(), "{}\n{} problems", problems.join("\n"), problems.len());
    let path = root().join("conformance/COVERAGE.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, page).unwrap();
    } else {
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == page, "conformance/COVERAGE.md is stale: BLESS=1 cargo test coverage");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn items(file: &str) -> Vec<Item> {
    let path = root().join("conformance/coverage").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .map(|l| {
            let (id, state) = l.split_once(' ').unwrap_or((l, "now"));
            let valid = state == "now" || state.starts_with("later ") || state.starts_with("never ");
            assert!(valid, "{file}: {l}");
            Item { id: id.to_owned(), state: state.to_owned() }
        })
        .collect()
}

/// Item to the names of the tests that say they cover it.
fn shown() -> BTreeMap<String, Vec<String>> {
    let mut files = Vec::new();
    for source in SOURCES {
        rust_files(&root().join(source), &mut files);
    }
    files.sort();
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        for (test, ids) in covers(&text) {
            for id in ids {
                shown.entry(id).or_default().push(format!("`{stem}::{test}`"));
            }
        }
    }
    shown
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The tests of a file with what they cover. A comment counts for the test that follows it, and only for a test.
fn covers(text: &str) -> Vec<(String, Vec<String>)> {
    let (mut ids, mut is_test, mut continues, mut found) = (Vec::new(), false, false, Vec::new());
    for line in text.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///").map(str::trim) {
            let list = match comment.strip_prefix("Covers ") {
                Some(list) => list,
                None if continues => comment,
                None => continue,
            };
            continues = !list.ends_with('.');
            ids.extend(list.trim_end_matches('.').split(',').map(|i| i.trim().to_owned()).filter(|i| !i.is_empty()));
        } else if line.starts_with("#[") {
            is_test |= line.contains("test");
        } else if let Some(rest) = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn ")) {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            if is_test && !ids.is_empty() {
                found.push((name.to_owned(), std::mem::take(&mut ids)));
            }
            (ids, is_test, continues) = (Vec::new(), false, false);
        } else if !line.is_empty() && !line.starts_with("//") {
            (ids, is_test, continues) = (Vec::new(), false, false);
        }
    }
    found
}

#[test]
fn a_covers_line_counts_for_the_test_below_it_only() {
    let text = "/// Covers RUN-01, executor#6,\n/// BUG-DUR-01.\n#[tokio::test]\nasync fn a() {}\n/// Covers RUN-02.\nfn helper() {}\n#[test]\nfn b() {}\n";
    assert_eq!(covers(text), [("a".to_owned(), vec!["RUN-01".to_owned(), "executor#6".into(), "BUG-DUR-01".into()])]);
}
