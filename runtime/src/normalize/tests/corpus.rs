//! What must hold of every text: of the corpus, of its fragments, and of a soup of tokens.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::normalize::fuzz::fuzz_normalize;

fn corpus() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/normalize");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// Covers NORMALIZE-16.
#[test]
fn every_text_of_the_corpus_becomes_a_function_or_is_refused_with_its_place() {
    let corpus = corpus();
    assert!(corpus.len() >= 20, "the corpus was not found");
    for (_, text) in corpus {
        fuzz_normalize(text.as_bytes());
    }
}

#[test]
fn so_does_every_beginning_and_every_end_of_them() {
    for (_, text) in corpus() {
        for at in (0..text.len()).step_by(7) {
            fuzz_normalize(&text.as_bytes()[..at]);
            fuzz_normalize(&text.as_bytes()[at..]);
        }
    }
}

/// Tokens of both grammars and of Markdown.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "=>",
    "=",
    "==",
    "?",
    ":",
    "?:",
    ",",
    ";",
    ".",
    "?.",
    "...",
    "!",
    "~",
    "+",
    "-",
    "++",
    "--",
    "*",
    "/",
    "/a/g",
    "//",
    "/*",
    "*/",
    "&&",
    "|",
    "??",
    "`",
    "${",
    "'",
    "\"",
    "\n",
    " ",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\r\n",
    "@",
    "#",
    "\\",
    "\\u0061",
    "a",
    "b",
    "é",
    "🙂",
    "0",
    "1.",
    "1n",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "try",
    "catch",
    "return",
    "throw",
    "break",
    "function",
    "async",
    "await",
    "yield",
    "class",
    "extends",
    "static",
    "get",
    "set",
    "new",
    "typeof",
    "void",
    "in",
    "of",
    "let",
    "const",
    "var",
    "import",
    "export",
    "from",
    "this",
    "null",
    "using",
    "as",
    "satisfies",
    "is",
    "implements",
    "keyof",
    "unique",
    "infer",
    "readonly",
    "asserts",
    "abstract",
    "declare",
    "type",
    "interface",
    "namespace",
    "module",
    "global",
    "enum",
    "private",
    "override",
    "accessor",
    "any",
    "string",
    "<!--",
    "-->",
    "#!",
    "```",
    "```ts\n",
    "\n```\n",
    "~~~",
    "<T>",
    "<T,>(",
    "f<T>(",
    "(a: T) =>",
    ": T",
    " as T",
    "x!",
    "a?: b",
    "type A =",
    "interface A {",
    "class A {",
    "input",
    "async (input) => {",
    "export default ",
    "module.exports = ",
    "&lt;",
    "\\n",
    "\u{200b}",
    "```js\n",
    "Here it is:\n",
];

fn soup() -> impl Strategy<Value = String> {
    let token = (0..TOKENS.len(), any::<bool>()).prop_map(|(at, spaced)| {
        let blank = if spaced { " " } else { "" };
        format!("{}{blank}", TOKENS[at])
    });
    prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_soup_of_tokens_becomes_a_function_or_is_refused_with_its_place(text in soup()) {
        fuzz_normalize(text.as_bytes());
    }

    #[test]
    fn so_do_bytes(data in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz_normalize(&data);
    }

    #[test]
    fn so_do_pieces_of_the_corpus_put_together(picks in prop::collection::vec((any::<usize>(), any::<usize>(), 1..40_usize), 1..6)) {
        let corpus = corpus();
        let piece = |(file, at, length): &(usize, usize, usize)| {
            let text = corpus[file % corpus.len()].1.as_bytes();
            let start = at % text.len().max(1);
            text[start..text.len().min(start + length)].to_vec()
        };
        let data: Vec<u8> = picks.iter().flat_map(piece).collect();
        fuzz_normalize(&data);
    }
}
