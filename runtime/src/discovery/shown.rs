//! Text of third parties on its way to the model: descriptions and instructions. What nobody could see is taken out, so
//! that what a person reads is what the model gets.

use std::borrow::Cow;

/// The text without control characters (tabs and line feeds apart), bidirectional controls, and characters that have no
/// width but can carry text. Every kind of line break becomes a line feed.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t' | b'\n')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\t' | '\n' => out.push(c),
            c if is_invisible(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The same in one line, without white space around it.
pub(crate) fn one_line(text: &str) -> String {
    visible(text.trim()).trim().replace(['\n', '\t'], " ")
}

/// Whether a character does something, or carries something, without being seen. Joiners are part of words and of
/// emoji, and stay.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Direction marks, embeddings, overrides, isolates.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Without width, deprecated formatting, byte order marks, annotations.
        | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        // Tags and selectors that can spell a hidden text; noncharacters.
        | '\u{e0000}'..='\u{e0fff}' | '\u{fdd0}'..='\u{fdef}'
    ) || u32::from(c) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_not_touched() {
        for text in ["", "a b\n\tc", "Größe 天気 🙂 👩\u{200d}👧 می\u{200c}خواهم"] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn what_cannot_be_seen_is_taken_out() {
        let text = "\u{1b}[2J\u{202e}ignore\u{202c} a\0b\u{200b}\u{feff}c\u{e0041}\u{e007f}\u{2066}d\u{9b}";
        assert_eq!(visible(text), "[2Jignore abcd");
        assert_eq!(visible("\u{ffff}x\u{10ffff}"), "x");
    }

    #[test]
    fn every_line_break_is_one_line_feed() {
        assert_eq!(visible("a\nb\r\nc\rd\u{2028}e\u{2029}f\u{85}g\u{c}h"), "a\nb\nc\nd\ne\nf\ng\nh");
        assert_eq!(one_line(" \u{feff} one\ntwo\r\nthree\tfour\0 "), "one two three four");
    }
}
