//! Texts as search sees them: a normal form, and the words in it. ASCII is treated as the catalogue says (SEARCH-05);
//! other scripts by the same idea: compatibility forms and accents are folded away, and what is written without spaces
//! is found by its pairs of characters.

use std::borrow::Cow;
use std::collections::BTreeSet;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::CodePointMapDataBorrowed;
use icu_properties::props::GeneralCategory;

use crate::durable::json::prefix;

/// The normal form of a text: `getRepository` and `list-open_prs` become `get repository` and `list open prs`.
pub(super) fn normalized(text: &str) -> String {
    let text = unaccented(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for c in text.chars() {
        if matches!(c, '_' | '.' | '/' | ':' | '-') {
            if !matches!(before, '_' | '.' | '/' | ':' | '-') {
                out.push(' ');
            }
        } else {
            if c.is_uppercase() && (before.is_lowercase() || before.is_numeric()) {
                out.push(' ');
            }
            push_folded(c, &mut out);
        }
        before = c;
    }
    let end = out.trim_end().len();
    out.truncate(end);
    let start = out.len() - out.trim_start().len();
    out.drain(..start);
    out
}

/// Compatibility forms in their plain form, without accents; `é` and `e` with an accent after it are `e`. So are the
/// vowel points of Arabic and Hebrew, which most people leave out, and characters that only join or select forms.
fn unaccented(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let plain: String = decomposed.chars().filter(|c| !is_accent(*c)).collect();
    // Marks that belong to a letter, as in `が`, are part of it again.
    Cow::Owned(ComposingNormalizerBorrowed::new_nfc().normalize(&plain).into_owned())
}

/// What is left out of words.
fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        // Hebrew points; Arabic signs, vowels, the long stroke.
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}'
        | '\u{6df}'..='\u{6e4}' | '\u{6e7}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}'
        // Soft hyphen, joiners, marks without width, selectors of forms.
        | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Letters without case, and those that are variants of a Latin one.
fn push_folded(c: char, out: &mut String) {
    if c.is_ascii() {
        return out.push(c.to_ascii_lowercase());
    }
    for c in c.to_lowercase() {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'þ' => out.push_str("th"),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ħ' => out.push('h'),
            'ı' => out.push('i'),
            'ł' => out.push('l'),
            'ς' => out.push('σ'),
            c => out.push(c),
        }
    }
}

/// What is part of a word.
fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    use GeneralCategory as Category;
    matches!(
        CodePointMapDataBorrowed::<Category>::new().get(c),
        Category::UppercaseLetter
            | Category::LowercaseLetter
            | Category::TitlecaseLetter
            | Category::ModifierLetter
            | Category::OtherLetter
            | Category::NonspacingMark
            | Category::SpacingMark
            | Category::EnclosingMark
            | Category::DecimalNumber
            | Category::LetterNumber
            | Category::OtherNumber
    )
}

/// What stands for something without being a letter: an emoji, the sign of a currency.
pub(super) fn is_sign(c: char) -> bool {
    use GeneralCategory as Category;
    let signs = [Category::OtherSymbol, Category::CurrencySymbol, Category::MathSymbol, Category::ModifierSymbol];
    !c.is_ascii() && signs.contains(&CodePointMapDataBorrowed::<Category>::new().get(c))
}

/// Scripts that put no spaces between words: Han, Hiragana, Katakana, Bopomofo.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3041}'..='\u{30ff}'
        | '\u{3105}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The words of a text in normal form, in order. Of what is written without spaces: each pair of neighbours, or the one
/// character that stands alone.
pub(super) fn words(normal: &str) -> Vec<&str> {
    let mut all = Vec::new();
    for run in runs(normal) {
        let bounds: Vec<usize> = match run.starts_with(is_unspaced) {
            true => run.char_indices().map(|(at, _)| at).chain([run.len()]).collect(),
            false => Vec::new(),
        };
        match bounds.len() {
            0..=2 => all.push(run),
            _ => all.extend(bounds.windows(3).map(|pair| &run[pair[0]..pair[2]])),
        }
    }
    all
}

/// Runs of word characters, of one kind of script each.
fn runs(normal: &str) -> impl Iterator<Item = &str> {
    let mut rest = normal;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| !is_word(c));
        let kind = is_unspaced(rest.chars().next()?);
        let end = rest.find(|c| !is_word(c) || is_unspaced(c) != kind).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

/// What is searched for.
pub(super) struct Query<'a> {
    /// As it was asked, without white space around it.
    pub(super) literal: &'a str,
    /// Its normal form; each word once.
    pub(super) phrase: String,
    /// Its words, each once, at most [`MAX_WORDS`].
    pub(super) words: Vec<String>,
}

/// The longest query, in UTF-16 code units; what follows is ignored. No snippet has a longer name.
pub(super) const MAX_QUERY: usize = 4_096;

/// So many words of a query count.
pub(super) const MAX_WORDS: usize = 64;

impl<'a> Query<'a> {
    /// Reads a query. A repeated word counts as if it stood there once (WEAK-26).
    pub(super) fn new(text: &'a str) -> Self {
        let literal = prefix(text, MAX_QUERY).trim();
        let phrase = normalized(literal);
        let all = words(&phrase);
        let mut seen = BTreeSet::new();
        let words: Vec<String> = all.iter().filter(|w| seen.insert(**w)).map(|w| (*w).to_owned()).collect();
        let is_repeating = words.len() < all.len();
        let phrase = if is_repeating { words.join(" ") } else { phrase };
        Self { literal, phrase, words: words.into_iter().take(MAX_WORDS).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Vec<String> {
        words(&normalized(text)).into_iter().map(str::to_owned).collect()
    }

    /// Covers SEARCH-05.
    #[test]
    fn names_fall_apart_into_their_words() {
        for (text, normal) in [
            ("getRepository", "get repository"),
            ("list-open_prs", "list open prs"),
            ("a._-b::c/d", "a b c d"),
            ("  HTTPServer2Go ", "httpserver2 go"),
            ("a  b", "a  b"),
            ("...", ""),
            ("", ""),
            ("don't", "don't"),
        ] {
            assert_eq!(normalized(text), normal, "{text}");
        }
        assert_eq!(words_of("don't_getX (now)"), ["don", "t", "get", "x", "now"]);
        assert!(words_of("*** --").is_empty());
    }

    #[test]
    fn case_compatibility_and_accents_are_folded() {
        for (text, normal) in [
            ("CAFÉ", "cafe"),
            ("cafe\u{301}", "cafe"),
            ("İstanbul", "istanbul"),
            ("STRASSE straße ẞ", "strasse strasse ss"),
            ("ＡＰＩ ﬁle ①", "api file 1"),
            ("ПОРТФЕЛЬ", "портфель"),
            ("ΟΔΟΣ οδος", "οδοσ οδοσ"),
            ("naïveÜber", "naive uber"),
            ("ガ が", "ガ が"),
            ("مُحَمَّد أخبار الطـقس", "محمد اخبار الطقس"),
            ("می\u{200c}خواهم", "میخواهم"),
            ("שָׁלוֹם", "שלום"),
            ("Ærø ŁÓDŹ Đà Nẵng ıslak", "aero lodz da nang islak"),
            ("❤\u{fe0f} 👩\u{200d}💻", "❤ 👩💻"),
        ] {
            assert_eq!(normalized(text), normal, "{text}");
        }
        assert_eq!(words_of("हिन्दी भाषा"), ["हिन्दी", "भाषा"], "marks are part of a word");
        assert_eq!(words_of("e\u{301}"), ["e"]);
    }

    #[test]
    fn what_is_written_without_spaces_is_found_by_pairs() {
        assert_eq!(words_of("查询天气"), ["查询", "询天", "天气"]);
        assert_eq!(words_of("API文档 一"), ["api", "文档", "一"]);
        assert_eq!(words_of("날씨 조회"), ["날씨", "조회"]);
    }

    #[test]
    fn a_query_has_each_word_once_and_a_bounded_length() {
        let query = Query::new(" create Create issue ");
        assert_eq!((query.phrase.as_str(), query.words.len()), ("create issue", 2));
        assert_eq!(Query::new("pull  request!").phrase, "pull  request!", "nothing is repeated, nothing is changed");
        let long = Query::new(&"é".repeat(MAX_QUERY + 10)).literal.chars().count();
        assert_eq!(long, MAX_QUERY);
        assert_eq!(Query::new(&"🙂".repeat(MAX_QUERY)).literal.chars().count(), MAX_QUERY / 2);
        let many: Vec<String> = (0..=MAX_WORDS).map(|n| n.to_string()).collect();
        assert_eq!(Query::new(&many[..MAX_WORDS].join(" ")).words, many[..MAX_WORDS]);
        assert_eq!(Query::new(&many.join(" ")).words, many[..MAX_WORDS]);
    }
}
