//! Sizes and cuts in UTF-16 code units, the unit of every text limit.

use std::borrow::Cow;

/// The length of a text in UTF-16 code units, as JavaScript's `length` gives it.
pub fn utf16_len(text: &str) -> u64 {
    if text.is_ascii() {
        return text.len() as u64;
    }
    // One unit for each first byte, one more for characters of four bytes.
    text.bytes().map(|b| u64::from((b & 0xC0) != 0x80) + u64::from(b >= 0xF0)).sum()
}

/// Cuts a text for display to at most `max_units` UTF-16 code units, marker included.
///
/// The cut is on a character boundary and the marker gives the original size. Where not even the marker fits, the
/// text is cut without one. Never for values: those are whole or refused.
pub fn cut(text: &str, max_units: usize) -> Cow<'_, str> {
    // No text has more code units than bytes.
    if text.len() <= max_units {
        return Cow::Borrowed(text);
    }
    let units = utf16_len(text);
    if units <= max_units as u64 {
        return Cow::Borrowed(text);
    }
    let marker = format!("… [cut; {units} characters in full]");
    match max_units.checked_sub(marker.chars().count()) {
        Some(room) => Cow::Owned(format!("{}{marker}", prefix(text, room))),
        None => Cow::Borrowed(prefix(text, max_units)),
    }
}

/// The longest start of `text` of at most `units` code units that ends between characters.
pub fn prefix(text: &str, units: usize) -> &str {
    let mut left = units;
    for (at, c) in text.char_indices() {
        match left.checked_sub(c.len_utf16()) {
            Some(rest) => left = rest,
            None => return &text[..at],
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_javascript() {
        for (text, units) in [("", 0), ("abc", 3), ("é", 1), ("中", 1), ("🙂", 2), ("e\u{301}🙂x", 5)] {
            assert_eq!(utf16_len(text), units, "{text}");
        }
    }

    #[test]
    fn a_text_within_the_limit_is_not_touched() {
        assert_eq!(cut("🙂🙂", 4), "🙂🙂");
        assert_eq!(cut("", 0), "");
    }

    #[test]
    fn a_cut_ends_between_characters_and_counts_the_original() {
        let long = "🙂".repeat(100);
        assert_eq!(cut(&long, 40), format!("{}… [cut; 200 characters in full]", "🙂".repeat(4)));
        for text in ["é", "中", "🙂", "e\u{301}", "👨‍👩"] {
            for max in 0..80 {
                let short = text.repeat(60);
                assert!(utf16_len(&cut(&short, max)) <= max as u64);
            }
        }
    }

    #[test]
    fn a_limit_smaller_than_the_marker_cuts_without_one() {
        assert_eq!(cut("🙂🙂🙂", 3), "🙂");
        assert_eq!(cut("abc", 1), "a");
    }
}
