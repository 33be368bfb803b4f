//! Tables: columns as wide as their cells. On a terminal the long ones share the room that is left; elsewhere nothing
//! is cut.

use clap::builder::styling::Style;

use super::text::{columns, cut, safe};
use super::{DIM, styled};

/// A cell: text, and how it looks.
pub(crate) struct Cell(pub(crate) String, pub(crate) Style);

impl Cell {
    /// In no special style.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self(text.into(), Style::new())
    }
}

/// Lays rows out under their headings. Columns from `flexible` on are cut where `width` asks for it.
pub(crate) fn table(headings: &[&str], rows: &[Vec<Cell>], flexible: usize, width: Option<usize>) -> String {
    const GAP: usize = 2;
    let mut widths: Vec<usize> = headings.iter().map(|h| columns(h)).collect();
    for row in rows {
        for (width, Cell(text, _)) in widths.iter_mut().zip(row) {
            *width = (*width).max(columns(&line(text)));
        }
    }
    if let Some(width) = width {
        let fixed: usize = widths.iter().take(flexible).map(|w| w + GAP).sum();
        share(&mut widths[flexible.min(headings.len())..], width.saturating_sub(fixed), GAP);
    }
    let head = headings.iter().map(|h| Cell((*h).to_owned(), DIM)).collect::<Vec<_>>();
    let mut out = String::new();
    for row in std::iter::once(&head).chain(rows) {
        // Spaces wait for a cell that needs them, so that no line ends in some.
        let mut spaces = 0;
        for (Cell(text, style), width) in row.iter().zip(&widths) {
            let shown = cut(&line(text), *width);
            if !shown.is_empty() {
                out.extend(std::iter::repeat_n(' ', std::mem::take(&mut spaces)));
            }
            spaces += (width + GAP).saturating_sub(columns(&shown));
            if !shown.is_empty() {
                out.push_str(&styled(*style, shown));
            }
        }
        out.push('\n');
    }
    out
}

fn line(text: &str) -> String {
    safe(text).replace('\n', "⏎")
}

/// Narrows the widest until all fit into the room; none below eight columns.
fn share(widths: &mut [usize], room: usize, gap: usize) {
    const LEAST: usize = 8;
    loop {
        let total: usize = widths.iter().map(|w| w + gap).sum::<usize>().saturating_sub(gap);
        let Some(widest) = widths.iter_mut().max().filter(|w| **w > LEAST && total > room) else { return };
        *widest -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(width: Option<usize>) -> String {
        let row = |a: &str, b: &str, c: &str| vec![Cell::plain(a), Cell::plain(b), Cell::plain(c)];
        let rows = [row("1", "short", "x"), row("22", &"y".repeat(30), "z\n2")];
        anstream::adapter::strip_str(&table(&["N", "ARGS", "RESULT"], &rows, 1, width)).to_string()
    }

    #[test]
    fn columns_line_up_and_nothing_is_cut_without_a_terminal() {
        let y = "y".repeat(30);
        assert_eq!(
            shown(None),
            format!("N   ARGS{}RESULT\n1   short{}x\n22  {y}  z⏎2\n", " ".repeat(28), " ".repeat(27))
        );
    }

    #[test]
    fn on_a_terminal_the_widest_column_gives_way() {
        assert!(shown(Some(30)).lines().all(|l| columns(l) <= 30), "{}", shown(Some(30)));
        assert!(shown(Some(30)).contains("yyy…"), "{}", shown(Some(30)));
    }
}
