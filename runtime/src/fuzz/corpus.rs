//! The functions of the fuzzers over the committed corpora, over every part of what is in them, and over random bytes.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::{fuzz_schema, fuzz_search, fuzz_values};

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Every file; and some of its beginnings and ends, `steps` of each.
fn over(name: &str, steps: usize, holds: fn(&[u8])) {
    let corpus = corpus(name);
    assert!(corpus.len() >= 10, "the corpus was not found");
    for data in corpus {
        holds(&data);
        for at in (0..data.len()).step_by(data.len() / steps + 1) {
            holds(&data[..at]);
            holds(&data[at..]);
        }
    }
}

/// Pieces of the corpus, one behind the other.
fn pieces(name: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let all = corpus(name);
    prop::collection::vec((any::<usize>(), any::<usize>(), 1..60_usize), 1..6).prop_map(move |picks| {
        let piece = |(file, at, length): &(usize, usize, usize)| {
            let data = &all[file % all.len()];
            let start = at % data.len().max(1);
            data[start..data.len().min(start + length)].to_vec()
        };
        picks.iter().flat_map(piece).collect()
    })
}

/// Covers SCHEMA-29.
#[test]
fn every_schema_of_the_corpus_is_declared_in_typescript() {
    over("schema", 20, fuzz_schema);
}

#[test]
fn every_value_of_the_corpus_is_refused_or_survives() {
    over("values", 200, fuzz_values);
}

#[test]
fn everything_in_the_corpus_is_searched_and_described() {
    over("search", 20, fuzz_search);
}

proptest! {
    #[test]
    fn so_are_pieces_of_schemas(data in pieces("schema")) {
        fuzz_schema(&data);
    }

    #[test]
    fn so_are_pieces_of_values(data in pieces("values")) {
        fuzz_values(&data);
    }

    #[test]
    fn so_are_pieces_of_catalogues(data in pieces("search")) {
        fuzz_search(&data);
    }

    #[test]
    fn so_are_any_bytes(data in prop::collection::vec(any::<u8>(), 0..120)) {
        fuzz_schema(&data);
        fuzz_values(&data);
        fuzz_search(&data);
    }
}
