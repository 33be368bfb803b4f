//! Characters and words of a text.

/// Whether a text has a word, be it in a string or a comment.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_word_at = |at: usize| text.as_bytes().get(at).copied().is_some_and(is_word);
    text.match_indices(word).any(|(at, _)| {
        let before = at.checked_sub(1).is_some_and(is_word_at);
        !before && !is_word_at(at + word.len())
    })
}

/// An upper bound for the number of tokens.
pub(super) fn tokens(text: &str) -> usize {
    let mut in_word = false;
    let starts = text.chars().filter(|&c| {
        let before = std::mem::replace(&mut in_word, is_word_char(c));
        !(c.is_ascii_whitespace() || is_separator(c) || before && in_word)
    });
    starts.count()
}

pub(super) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

pub(super) fn is_word_char(c: char) -> bool {
    if c.is_ascii() { is_word(c as u8) } else { !is_separator(c) }
}

/// White space beyond ASCII.
pub(super) fn is_separator(c: char) -> bool {
    !c.is_ascii() && (c.is_whitespace() || matches!(c, '\u{180e}' | '\u{200b}' | '\u{feff}'))
}

pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}
