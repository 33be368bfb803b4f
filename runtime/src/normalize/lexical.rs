//! Tokens that the tree has no places for.

/// The end of a token if it is what follows at an offset, white space and comments aside.
pub(super) fn after(text: &str, at: u32, token: &str) -> Option<u32> {
    let start = skip(text, at as usize);
    text[start..].starts_with(token).then_some((start + token.len()) as u32)
}

/// The words that follow each other from an offset on, with their starts, white space and comments aside.
pub(super) fn words(text: &str, at: u32) -> impl Iterator<Item = (u32, &str)> {
    let mut at = at as usize;
    std::iter::from_fn(move || {
        let start = skip(text, at);
        let rest = &text[start..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        at = start + end;
        (end > 0).then_some((start as u32, &rest[..end]))
    })
}

/// The offset of the next token.
pub(super) fn skip(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &text[at..];
        at = text.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
        let rest = &text[at..];
        let comment = if rest.starts_with("//") {
            rest.find(is_line_end).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            return at;
        };
        at += comment;
    }
}

pub(super) fn has_line_end(text: &str) -> bool {
    text.contains(is_line_end)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}
