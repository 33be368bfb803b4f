//! Lines and columns, and how they move when text is put in front.

/// Text that was put into a line of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shift {
    /// From 1.
    line: u32,
    /// Where it starts, in the function; from 1, in UTF-16 code units.
    column: u32,
    /// Its length in UTF-16 code units.
    by: u32,
}

/// A submitted line is shown up to this many characters.
const MAX_LINE: usize = 200;

/// The line and column of a byte offset, from 1, columns in UTF-16 code units.
pub(super) fn of(text: &str, offset: usize) -> (u32, u32) {
    let end = (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let before = &text[..end];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|&b| b == b'\n').count();
    let column = before[start..].trim_start_matches('\u{feff}').encode_utf16().count();
    (number(line), number(column))
}

fn number(from_zero: usize) -> u32 {
    u32::try_from(from_zero).unwrap_or(u32::MAX).saturating_add(1)
}

/// A line by its number from 1, cut where it is long.
pub(super) fn line(text: &str, number: u32) -> String {
    whole_line(text, number).chars().take(MAX_LINE).collect()
}

/// The length of a line in UTF-16 code units.
pub(super) fn line_length(text: &str, number: u32) -> u32 {
    whole_line(text, number).encode_utf16().count() as u32
}

fn whole_line(text: &str, number: u32) -> &str {
    text.lines().nth((number as usize).saturating_sub(1)).unwrap_or("").trim_start_matches('\u{feff}')
}

/// Words as a list in a sentence.
pub(super) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The column in the submitted text of a column in the function.
pub(super) fn unshift(shifts: &[Shift], line: u32, column: u32) -> u32 {
    let mut result = column;
    for shift in shifts.iter().filter(|shift| shift.line == line && shift.column < column) {
        // A column inside of what was put in front is taken for where that stands.
        result -= shift.by.min(column - shift.column);
    }
    result
}

/// Builds a text of submitted parts and remembers what was put in.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) text: String,
    pub(super) shifts: Vec<Shift>,
    /// Where the text ends, from 0.
    line: u32,
    column: u32,
}

impl Builder {
    /// Adds submitted text.
    pub(super) fn keep(&mut self, text: &str) {
        self.text.push_str(text);
        match text.rfind('\n') {
            Some(at) => {
                self.line += text.bytes().filter(|&b| b == b'\n').count() as u32;
                self.column = text[at + 1..].encode_utf16().count() as u32;
            }
            None => self.column += text.encode_utf16().count() as u32,
        }
    }

    /// Adds the lines of submitted text, and the columns of the last one, without the text.
    pub(super) fn blank(&mut self, text: &str) {
        let line_start = text.rfind('\n').map_or(0, |at| at + 1);
        let mut blank: String = text.chars().filter(|&c| c == '\n').collect();
        blank.extend(text[line_start..].encode_utf16().map(|_| ' '));
        self.keep(&blank);
    }

    /// Adds the lines and columns of submitted text, and of the text only single characters, each at the byte offset of
    /// one that ends no line. The offsets ascend.
    pub(super) fn overwrite(&mut self, text: &str, marks: &[(usize, char)]) {
        let mut marks = marks.iter().copied().peekable();
        let mut blank = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            let mark = marks.next_if(|mark| mark.0 == at).map(|mark| mark.1);
            match c {
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => blank.push(c),
                _ => {
                    blank.push(mark.unwrap_or(' '));
                    blank.extend((1..c.len_utf16()).map(|_| ' '));
                }
            }
        }
        self.keep(&blank);
    }

    /// Adds text of our own; it has no line breaks.
    pub(super) fn insert(&mut self, text: &str) {
        let by = text.encode_utf16().count() as u32;
        self.shifts.push(Shift { line: self.line + 1, column: self.column + 1, by });
        self.text.push_str(text);
        self.column += by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units_from_one() {
        assert_eq!(of("a\n🙂é!", 8), (2, 4));
        assert_eq!(of("", 9), (1, 1));
        assert_eq!(of("🙂", 2), (1, 1));
    }

    #[test]
    fn what_is_left_out_keeps_its_lines_and_columns() {
        let mut built = Builder::default();
        built.keep("a\n🙂");
        built.overwrite("é🙂\r\nxy", &[(0, ';'), (8, '!')]);
        built.insert("()");
        assert_eq!(built.text, "a\n🙂;  \r\n! ()");
        assert_eq!(built.shifts, [Shift { line: 3, column: 3, by: 2 }]);
    }

    #[test]
    fn columns_behind_what_was_put_in_move_back() {
        let mut built = Builder::default();
        built.insert("12345");
        built.keep("ab");
        built.insert("123");
        built.keep("cd\nef");
        let columns: Vec<u32> = (1..=12).map(|column| unshift(&built.shifts, 1, column)).collect();
        assert_eq!(columns, [1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 4]);
        assert_eq!(unshift(&built.shifts, 2, 2), 2);
    }
}
