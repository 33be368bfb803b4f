//! Snippets: names are data, a save replaces everything, and executions do not matter.

use codemode_runtime::Snippet;
use codemode_runtime::durable::id::Version;
use codemode_runtime::durable::snippet::{MAX_SNIPPET_NAME, SnippetLabel};
use codemode_runtime::durable::write::Write;
use codemode_runtime::store::Store;

use super::Open;
use super::samples::begin;

fn snippet(name: &str) -> Snippet {
    Snippet {
        name: name.to_owned(),
        description: format!("about {name}"),
        code: "async () => 1".to_owned(),
        saved_at: 7,
        input_schema: Some("{\"type\":\"object\"}".to_owned()),
        connectors: vec!["shelf".to_owned(), "t".to_owned()],
    }
}

fn names(store: &dyn Store) -> Vec<String> {
    store.snippets().expect("reads").into_iter().map(|s| s.name).collect()
}

/// Code of any size and characters, and a time beyond what a double holds.
pub fn a_snippet_comes_back_as_it_was_saved(open: Open<'_>) {
    let store = open();
    assert_eq!((store.snippet("a"), names(&*store)), (Ok(None), Vec::new()));
    let large = format!("\u{0}🙂\u{feff}'\"\\{}", "x".repeat(1_000_000));
    let saved = Snippet { saved_at: u64::MAX, code: large, description: "\u{0}d".to_owned(), ..snippet("a") };
    let bare = Snippet { input_schema: None, connectors: Vec::new(), description: String::new(), ..snippet("b") };
    for one in [&saved, &bare] {
        store.save_snippet(one).expect("saves");
        assert_eq!(store.snippet(&one.name), Ok(Some(one.clone())));
    }
    assert_eq!(store.snippets(), Ok(vec![saved.clone(), bare.clone()]));
    let label = |s: &Snippet| SnippetLabel { name: s.name.clone(), description: s.description.clone() };
    assert_eq!(store.snippet_labels(), Ok(vec![label(&saved), label(&bare)]));
}

/// Description and schema too.
pub fn saving_again_replaces_the_whole_snippet(open: Open<'_>) {
    let store = open();
    store.save_snippet(&snippet("a")).expect("saves");
    let next = Snippet {
        description: String::new(),
        code: "2".to_owned(),
        saved_at: 1,
        input_schema: None,
        connectors: vec!["x".to_owned()],
        ..snippet("a")
    };
    store.save_snippet(&next).expect("saves");
    assert_eq!(store.snippets(), Ok(vec![next]));
}

/// As text in UTF-8, which is also the order of code points; not as a person sorts.
pub fn snippets_are_listed_in_byte_order(open: Open<'_>) {
    let store = open();
    for name in ["b", "a", "B", "é", "a-b", "a b", "10", "9", "🙂", "\u{ffff}"] {
        store.save_snippet(&snippet(name)).expect("saves");
    }
    assert_eq!(names(&*store), ["10", "9", "B", "a", "a b", "a-b", "b", "é", "\u{ffff}", "🙂"]);
}

/// Neither SQL nor patterns, and not cut anywhere.
pub fn names_of_snippets_are_taken_literally(open: Open<'_>) {
    let store = open();
    let (long, longer) = ("n".repeat(MAX_SNIPPET_NAME - 1), "n".repeat(MAX_SNIPPET_NAME));
    let all = [
        "50%_off",
        "a'b\"c",
        "[x]*?",
        "x\\y",
        "DROP TABLE x;--",
        "a\nb",
        "%",
        "_",
        "*",
        "'",
        "\\",
        " ",
        "a",
        "A",
        "a ",
        "a\u{0}",
        "a\u{0}b",
        "'); DELETE FROM snippets; --",
        "é",
        "e\u{301}",
        &long,
        &longer,
    ];
    for name in all {
        store.save_snippet(&snippet(name)).expect("saves");
    }
    assert_eq!(names(&*store).len(), all.len());
    for (at, name) in all.iter().enumerate() {
        assert_eq!(store.snippet(name).expect("reads").map(|s| s.name).as_deref(), Some(*name));
        assert_eq!(store.delete_snippet(name), Ok(true), "{name:?}");
        assert_eq!(store.delete_snippet(name), Ok(false), "{name:?} is gone");
        assert_eq!(names(&*store).len(), all.len() - at - 1, "{name:?} alone was deleted");
    }
}

/// PRUNE-08: what it was made of may go.
pub fn snippets_outlive_executions(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    store.save_snippet(&snippet("a")).expect("saves");
    store.commit(&id, Version(1), vec![Write::Delete]).expect("deletes");
    assert_eq!(store.snippet("a"), Ok(Some(snippet("a"))));
}

/// Whoever comes last wins as a whole, and nobody is lost.
pub fn many_save_at_once(open: Open<'_>) {
    let store = open();
    std::thread::scope(|scope| {
        for n in 0..16u64 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..8u64 {
                    let text = format!("{n} {round}");
                    let shared = Snippet { code: text.clone(), description: text.clone(), ..snippet("shared") };
                    store.save_snippet(&shared).expect("saves");
                    store.save_snippet(&Snippet { code: text, ..snippet(&format!("own {n:02}")) }).expect("saves");
                }
            });
        }
    });
    let all = store.snippets().expect("reads");
    assert_eq!(all.len(), 17);
    assert!(all.iter().filter(|s| s.name != "shared").all(|s| s.code.ends_with(" 7")), "{all:?}");
    assert!(all.iter().any(|s| s.name == "shared" && s.code == s.description), "{all:?}");
}
