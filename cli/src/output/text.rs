//! Text for a terminal: made harmless, cut to fit, and JSON laid out for reading.

use codemode_runtime::durable::journal::STEP_CONNECTOR;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The text without anything that a terminal acts on: controls and marks of writing direction become visible escapes.
/// Line ends stay.
pub(crate) fn safe(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut safe, c| {
        match c {
            '\n' => safe.push(c),
            '\t' => safe.push_str("    "),
            c if c.is_control() || is_hidden(c) => safe.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => safe.push(c),
        }
        safe
    })
}

/// Characters that show nothing and change how others are shown.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Columns on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// The text on one line, cut to that many columns.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let line = safe(text).replace('\n', "⏎");
    if line.width() <= width {
        return line;
    }
    let mut used = 0;
    let kept: String = line
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used < width
        })
        .collect();
    format!("{kept}…")
}

/// JSON in the journal's normal form, laid out for reading: on one line where it is short, else indented. Works on the
/// text, so that no digit changes between what is shown and what is approved.
pub(crate) fn json(normal: &str) -> String {
    const ONE_LINE: usize = 76;
    let text = if normal.width() <= ONE_LINE { spaced(normal) } else { indented(normal) };
    safe(&text)
}

fn spaced(normal: &str) -> String {
    walk(normal, |out, piece| match piece {
        Piece::Colon => out.push_str(": "),
        Piece::Comma(_) => out.push_str(", "),
        Piece::Open(c, _) | Piece::Close(c, _) => out.push(c),
    })
}

fn indented(normal: &str) -> String {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    walk(normal, |out, piece| match piece {
        Piece::Colon => out.push_str(": "),
        Piece::Comma(depth) => {
            out.push(',');
            line(out, depth);
        }
        Piece::Open(c, depth) => {
            out.push(c);
            line(out, depth);
        }
        Piece::Close(c, depth) => {
            line(out, depth);
            out.push(c);
        }
    })
}

enum Piece {
    Open(char, usize),
    Close(char, usize),
    Comma(usize),
    Colon,
}

fn walk(normal: &str, put: impl Fn(&mut String, Piece)) -> String {
    let mut out = String::with_capacity(normal.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut chars = normal.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            out.push(c);
            continue;
        }
        match c {
            '{' | '[' => match chars.next_if(|next| matches!(next, '}' | ']')) {
                Some(end) => out.extend([c, end]),
                None => {
                    depth += 1;
                    put(&mut out, Piece::Open(c, depth));
                }
            },
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                put(&mut out, Piece::Close(c, depth));
            }
            ',' => put(&mut out, Piece::Comma(depth)),
            ':' => put(&mut out, Piece::Colon),
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

/// How people read the name of a call or step.
pub(crate) fn path(connector: &str, method: &str) -> String {
    if connector == STEP_CONNECTOR { format!("step {method}") } else { format!("{connector}.{method}") }
}

/// Each line of the text with that in front.
pub(crate) fn indent(text: &str, front: &str) -> String {
    text.lines().map(|line| format!("{front}{line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_becomes_visible() {
        assert_eq!(safe("a\x1b[2Jb\u{202e}c\r\n\u{9b}"), "a\\u{1b}[2Jb\\u{202e}c\\u{d}\n\\u{9b}");
        assert_eq!(safe("é 🙂 日本"), "é 🙂 日本");
    }

    #[test]
    fn short_json_stays_on_one_line_and_long_json_is_indented() {
        assert_eq!(json(r#"{"a":[1,2],"b":{},"c":"x,:{"}"#), r#"{"a": [1, 2], "b": {}, "c": "x,:{"}"#);
        let long = format!(r#"{{"title":"{}","tags":[],"n":[1,{{"q\"":null}}]}}"#, "x".repeat(80));
        let shown = format!(
            "{{\n  \"title\": \"{}\",\n  \"tags\": [],\n  \"n\": [\n    1,\n    {{\n      \"q\\\"\": null\n    }}\n  ]\n}}",
            "x".repeat(80)
        );
        assert_eq!(json(&long), shown);
    }

    #[test]
    fn numbers_are_shown_as_they_are_recorded() {
        assert_eq!(json("[1e+21,0.1,123456789012345680000]"), "[1e+21, 0.1, 123456789012345680000]");
    }

    #[test]
    fn cutting_counts_columns_and_marks_the_cut() {
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語x", 6), "日本…");
        assert_eq!(cut("a\nb", 9), "a⏎b");
    }
}
