//! What can be found, prepared once: the words of every item with the fields that have them, so that a query looks at
//! words and not at items.

use std::collections::HashMap;

use super::words::{normalized, words};
use crate::durable::json::prefix;

/// The fields of an item, in the order of their bits. The first two name it.
pub(super) const FIELDS: [Field; 4] = [
    Field { bit: 1, weight: 12 },
    Field { bit: 2, weight: 10 },
    Field { bit: 4, weight: 8 },
    Field { bit: 8, weight: 5 },
];

/// A field: path, method, connector, description (SEARCH-06).
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) bit: u8,
    pub(super) weight: u32,
}

/// So much of a description is searched, in UTF-16 code units.
pub(super) const MAX_SEARCHED: usize = 4_096;

/// An item to be found.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) path: &'a str,
    pub(super) method: &'a str,
    pub(super) connector: &'a str,
    pub(super) description: &'a str,
}

/// An index over items, which are known by their places in the order in which they were given.
#[derive(Default)]
pub(crate) struct Index {
    items: Vec<Item>,
    /// Paths, and the fields of all items in normal form.
    text: String,
    /// The words, each once, with a line feed behind each.
    lexicon: String,
    /// Where each word starts in the lexicon, and where the last one ends.
    starts: Vec<usize>,
    known: HashMap<Box<str>, u32>,
    longest: usize,
    postings: Vec<Vec<Posting>>,
}

/// A word in an item.
#[derive(Clone, Copy)]
pub(super) struct Posting {
    pub(super) item: u32,
    pub(super) fields: u8,
}

type Span = (usize, usize);

struct Item {
    path: Span,
    /// The name without its connector is the end of the path.
    name: Span,
    fields: [Span; 4],
    /// The first words of path and method.
    first: [Option<u32>; 2],
}

impl Index {
    pub(super) fn new<'a>(entries: impl IntoIterator<Item = Entry<'a>>) -> Self {
        let mut index = Self::default();
        for entry in entries {
            index.add(entry);
        }
        index.starts.push(index.lexicon.len());
        index
    }

    fn add(&mut self, entry: Entry<'_>) {
        let item = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        let path = self.keep(entry.path);
        let name = (path.1 - entry.method.len().min(entry.path.len()), path.1);
        let texts = [entry.path, entry.method, entry.connector, prefix(entry.description, MAX_SEARCHED)];
        let mut found: Vec<(u32, u8)> = Vec::new();
        let mut first = [None; 2];
        let fields = std::array::from_fn(|at| {
            let normal = normalized(texts[at]);
            for word in words(&normal) {
                let word = self.word(word);
                if let Some(first) = first.get_mut(at) {
                    first.get_or_insert(word);
                }
                found.push((word, FIELDS[at].bit));
            }
            self.keep(&normal)
        });
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a.0 == b.0) {
            let fields = same.iter().fold(0, |bits, (_, bit)| bits | bit);
            self.postings[same[0].0 as usize].push(Posting { item, fields });
        }
        self.items.push(Item { path, name, fields, first });
    }

    fn keep(&mut self, text: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(text);
        (start, self.text.len())
    }

    fn word(&mut self, word: &str) -> u32 {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let number = u32::try_from(self.starts.len()).unwrap_or(u32::MAX);
        self.known.insert(word.into(), number);
        self.starts.push(self.lexicon.len());
        self.lexicon.extend([word, "\n"]);
        self.longest = self.longest.max(word.len());
        self.postings.push(Vec::new());
        number
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn path(&self, item: usize) -> &str {
        self.span(self.items[item].path)
    }

    /// The name of the method or snippet, as it is.
    pub(super) fn name(&self, item: usize) -> &str {
        self.span(self.items[item].name)
    }

    /// A field in normal form, by its place in [`FIELDS`].
    pub(super) fn field(&self, item: usize, at: usize) -> &str {
        self.span(self.items[item].fields[at])
    }

    fn span(&self, (start, end): Span) -> &str {
        &self.text[start..end]
    }

    /// Whether the path or the method begins with that word.
    pub(super) fn begins_with(&self, item: usize, word: &str) -> bool {
        let number = self.known.get(word).copied();
        number.is_some() && self.items[item].first.contains(&number)
    }

    pub(super) fn postings(&self, word: u32) -> &[Posting] {
        &self.postings[word as usize]
    }

    /// The words of the index that have to do with a word of a query (SEARCH-08).
    pub(super) fn related(&self, word: &str) -> Related {
        let equal = self.known.get(word).copied();
        let (mut longer, mut around) = (Vec::new(), Vec::new());
        let finder = memchr::memmem::Finder::new(word);
        let mut from = 0;
        while let Some(at) = self.lexicon.get(from..).and_then(|rest| finder.find(rest.as_bytes())) {
            let at = from + at;
            // The word that starts last before that place, or there.
            let number = self.starts.partition_point(|start| *start <= at) - 1;
            let it = u32::try_from(number).unwrap_or(u32::MAX);
            if self.starts[number] < at {
                around.push(it);
            } else if Some(it) != equal {
                longer.push(it);
            }
            from = self.starts[number + 1];
        }
        let ends = word.char_indices().map(|(at, _)| at).skip(1).take_while(|at| *at <= self.longest);
        let shorter = ends.filter_map(|at| self.known.get(&word[..at]).copied()).collect();
        Related { equal, longer, shorter, around }
    }
}

/// Words that have to do with another one.
pub(super) struct Related {
    /// It.
    pub(super) equal: Option<u32>,
    /// Those that begin with it.
    pub(super) longer: Vec<u32>,
    /// Those with which it begins.
    pub(super) shorter: Vec<u32>,
    /// Those that have it further inside.
    pub(super) around: Vec<u32>,
}
