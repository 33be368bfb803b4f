//! A place in the code: the line, and a mark under it.

use super::text::{columns, safe};
use super::{BAD, DIM, styled};

/// The line with a caret under the column. Lines count from 1, columns from 1 in UTF-16 code units. `None` where the
/// code has no such line.
pub(crate) fn excerpt(code: &str, line: u32, column: u32) -> Option<String> {
    /// Columns shown before and after the place.
    const AROUND: usize = 60;
    let text = code.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
    let mut units = 0;
    let at = text.chars().take_while(|c| {
        units += c.len_utf16();
        units < column.max(1) as usize
    });
    let at = at.count();
    let first = at.saturating_sub(AROUND);
    let before: String = text.chars().skip(first).take(at - first).collect();
    let after: String = text.chars().skip(at).take(AROUND).collect();
    let (before, after) = (safe(&before), safe(&after));
    let (before, after) = if first == 0 {
        (before.trim_start().to_owned(), if before.trim().is_empty() { after.trim_start().to_owned() } else { after })
    } else {
        (format!("…{before}"), after)
    };
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let bar = styled(DIM, "|");
    Some(format!(
        "  {} {bar} {before}{after}\n  {margin} {bar} {}{}",
        styled(DIM, &number),
        " ".repeat(columns(&before)),
        styled(BAD, "^"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(code: &str, line: u32, column: u32) -> Option<String> {
        excerpt(code, line, column).map(|text| anstream::adapter::strip_str(&text).to_string())
    }

    #[test]
    fn the_caret_is_under_the_column() {
        assert_eq!(plain("a\n  foo.bar()", 2, 7).unwrap(), "  2 | foo.bar()\n    |     ^");
        assert_eq!(plain("x", 1, 1).unwrap(), "  1 | x\n    | ^");
    }

    #[test]
    fn columns_are_utf_16_units_and_wide_characters_take_their_room() {
        assert_eq!(plain("'🙂日' + q", 1, 8).unwrap(), "  1 | '🙂日' + q\n    |         ^");
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let code = format!("{}!{}", "a".repeat(500), "b".repeat(500));
        let shown = plain(&code, 1, 501).unwrap();
        assert!(shown.starts_with("  1 | …aaa") && shown.contains("a!b"), "{shown}");
        assert_eq!(shown.lines().nth(1).unwrap().find('^'), Some(6 + 1 + 60));
    }

    #[test]
    fn a_place_outside_of_the_code_shows_nothing() {
        assert_eq!(excerpt("a", 2, 1), None);
        assert_eq!(excerpt("a", 0, 1), None);
        assert!(excerpt("a", 1, 99).is_some());
    }
}
