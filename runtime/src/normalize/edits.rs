//! What is to be left out of a text, and what is to be put in, at its byte offsets.

use std::ops::Range;

use super::position::{Builder, Shift};

/// Changes to a text. They may be noted in any order.
#[derive(Default)]
pub(super) struct Edits {
    blanks: Vec<Range<usize>>,
    /// Single characters in blanks.
    marks: Vec<(usize, char)>,
    inserts: Vec<(usize, &'static str)>,
}

/// A text after its edits.
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) shifts: Vec<Shift>,
}

impl Edits {
    pub(super) fn is_empty(&self) -> bool {
        self.blanks.is_empty()
    }

    /// Leaves out a part, as blanks.
    pub(super) fn blank(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.blanks.push(range);
        }
    }

    /// Puts a character into a blank, in place of one that ends no line.
    pub(super) fn mark(&mut self, at: usize, mark: char) {
        self.marks.push((at, mark));
    }

    /// Puts text in; what follows on its line moves.
    pub(super) fn insert(&mut self, at: usize, text: &'static str) {
        self.inserts.push((at, text));
    }

    /// Sorts what was noted, so that it can be asked for and applied.
    pub(super) fn sorted(mut self) -> Sorted {
        self.blanks.sort_by_key(|range| (range.start, range.end));
        self.marks.sort_by_key(|mark| mark.0);
        self.marks.dedup_by_key(|mark| mark.0);
        self.inserts.sort_by_key(|insert| insert.0);
        // The first of those that end at a place is the longest.
        let mut ends: Vec<(usize, usize)> = self.blanks.iter().map(|range| (range.end, range.start)).collect();
        ends.sort_unstable();
        ends.dedup_by_key(|end| end.0);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in self.blanks {
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Sorted { blanks: merged, ends, marks: self.marks, inserts: self.inserts }
    }
}

/// Edits in order; blanks that overlap are one.
pub(super) struct Sorted {
    blanks: Vec<Range<usize>>,
    ends: Vec<(usize, usize)>,
    marks: Vec<(usize, char)>,
    inserts: Vec<(usize, &'static str)>,
}

impl Sorted {
    /// Whether a part is left out.
    pub(super) fn hides(&self, part: Range<usize>) -> bool {
        let before = self.blanks.partition_point(|range| range.start <= part.start);
        before > 0 && self.blanks[before - 1].end >= part.end
    }

    /// Where the longest of the noted blanks starts that ends at a place where nothing is put in.
    pub(super) fn blank_before(&self, end: usize) -> Option<usize> {
        let found = self.ends.binary_search_by_key(&end, |range| range.0).ok()?;
        let is_clear = self.inserts.binary_search_by_key(&end, |insert| insert.0).is_err();
        is_clear.then(|| self.ends[found].1)
    }

    /// As [`Edits::mark`].
    pub(super) fn mark(&mut self, at: usize, mark: char) {
        if let Err(place) = self.marks.binary_search_by_key(&at, |mark| mark.0) {
            self.marks.insert(place, (at, mark));
        }
    }

    /// The edited text; the text starts at this offset of that for which the edits were noted.
    pub(super) fn apply(&self, text: &str, start: isize) -> Edited {
        let moved = |at: usize| at.saturating_add_signed(start).min(text.len());
        let mut built = Builder::default();
        let mut inserts = self.inserts.iter().peekable();
        let mut at = 0;
        let mut keep = |built: &mut Builder, at: &mut usize, end: usize| {
            while let Some((place, put)) = inserts.next_if(|insert| moved(insert.0) <= end) {
                built.keep(&text[*at..moved(*place)]);
                *at = moved(*place);
                built.insert(put);
            }
            built.keep(&text[*at..end]);
            *at = end;
        };
        let mut marks = self.marks.as_slice();
        for blank in &self.blanks {
            keep(&mut built, &mut at, moved(blank.start));
            let (before, rest) = marks.split_at(marks.partition_point(|mark| mark.0 < blank.end));
            marks = rest;
            let inside: Vec<(usize, char)> = before.iter().map(|mark| (mark.0 - blank.start, mark.1)).collect();
            built.overwrite(&text[moved(blank.start)..moved(blank.end)], &inside);
            at = moved(blank.end);
        }
        keep(&mut built, &mut at, text.len());
        Edited { text: built.text, shifts: built.shifts }
    }
}
