//! How well a query fits the items of an index. The points are those of the catalogue (SEARCH-06 to SEARCH-11).

use super::index::{FIELDS, Index};
use super::words::{Query, is_sign};

/// An item that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// Its place in the index.
    pub(super) item: usize,
    pub(super) score: u32,
}

/// Everything in the index that the query finds, in the order of the index.
pub(super) fn matches(index: &Index, query: &Query<'_>) -> Vec<Match> {
    if query.words.is_empty() {
        return literal_matches(index, query);
    }
    let marks = mark(index, query);
    (0..index.len()).filter_map(|item| Some(Match { item, score: total(index, query, &marks, item)? })).collect()
}

/// A query without any word, such as `%`, means the characters that names have. One of signs, such as `🚀`, is looked for
/// in descriptions, too.
fn literal_matches(index: &Index, query: &Query<'_>) -> Vec<Match> {
    if query.literal.is_empty() {
        return Vec::new();
    }
    let [_, name, _, description] = FIELDS;
    let is_told = query.phrase.contains(is_sign);
    let worth = |item: usize| {
        let named = phrase(index.name(item), query.literal).map_or(0, |worth| worth * name.weight);
        let told = if is_told { phrase(index.field(item, 3), &query.phrase) } else { None };
        let score = named + told.map_or(0, |worth| worth * description.weight);
        (score > 0).then_some(Match { item, score })
    };
    (0..index.len()).filter_map(worth).collect()
}

/// What the words of a query gave, item by item.
struct Marks {
    points: Vec<u32>,
    /// How many words matched.
    matched: Vec<u8>,
    /// Fields that contain all of the words; only they can contain the phrase.
    fields: Vec<u8>,
}

fn mark(index: &Index, query: &Query<'_>) -> Marks {
    let count = index.len();
    let mut marks = Marks { points: vec![0; count], matched: vec![0; count], fields: vec![u8::MAX; count] };
    // Fields that this word has matched, and those that contain it.
    let (mut hit, mut contain) = (vec![0_u8; count], vec![0_u8; count]);
    for word in &query.words {
        hit.fill(0);
        contain.fill(0);
        let related = index.related(word);
        // The best relation of a word to a field counts, so they come in that order.
        let levels = [
            (4, u8::MAX, related.equal.as_slice()),
            (2, u8::MAX, related.longer.as_slice()),
            (2, 0, related.shorter.as_slice()),
            (1, u8::MAX, related.around.as_slice()),
        ];
        for (worth, contains, words) in levels {
            for posting in words.iter().flat_map(|word| index.postings(*word)) {
                let item = posting.item as usize;
                let fresh = posting.fields & !hit[item];
                hit[item] |= posting.fields;
                contain[item] |= posting.fields & contains;
                let weights = FIELDS.iter().filter(|field| fresh & field.bit != 0).map(|field| field.weight);
                marks.points[item] += worth * weights.sum::<u32>();
            }
        }
        for item in 0..count {
            marks.matched[item] += u8::from(hit[item] != 0);
            marks.fields[item] &= contain[item];
        }
    }
    marks
}

/// The points of an item; `None` where too few words matched (SEARCH-09).
fn total(index: &Index, query: &Query<'_>, marks: &Marks, item: usize) -> Option<u32> {
    let (matched, words) = (u32::from(marks.matched[item]), u32::try_from(query.words.len()).unwrap_or(u32::MAX));
    if matched == 0 {
        return None;
    }
    let phrases = FIELDS.iter().enumerate().filter(|(_, field)| marks.fields[item] & field.bit != 0);
    // What contains the only word contains the phrase.
    let is_word = query.words.len() == 1 && query.phrase == query.words[0];
    let worth = |at: usize| match index.field(item, at) {
        text if is_word => Some(beginning(text, &query.phrase).unwrap_or(PART)),
        text => phrase(text, &query.phrase),
    };
    let exact: u32 = phrases.filter_map(|(at, field)| Some(field.weight * worth(at)?)).sum();
    let is_enough = if words <= 2 { matched == words } else { 5 * matched >= 3 * words };
    if exact == 0 && !is_enough {
        return None;
    }
    // A tenth for each tenth of the words, rounded half up (SEARCH-10).
    let coverage = if matched == words { 25 } else { (20 * matched + words) / (2 * words) };
    let first = if index.begins_with(item, &query.words[0]) { 8 } else { 0 };
    let is_named = (0..2).any(|at| index.field(item, at) == query.phrase);
    Some(marks.points[item] + exact + coverage + first + if is_named { 20 } else { 0 })
}

/// How much of a text a phrase is (SEARCH-07).
fn phrase(text: &str, phrase: &str) -> Option<u32> {
    beginning(text, phrase).or_else(|| text.contains(phrase).then_some(PART))
}

/// The same for a phrase at the start.
fn beginning(text: &str, phrase: &str) -> Option<u32> {
    let whole = text.len() == phrase.len();
    text.starts_with(phrase).then_some(if whole { 14 } else { 9 })
}

/// What a phrase inside of a text is worth.
const PART: u32 = 6;
