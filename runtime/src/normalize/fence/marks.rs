//! The lines that may start or end a block of Markdown, and what their tags mean.

use std::ops::Range;

use super::super::parse::Grammar;

/// Further fences are taken for text; each one may cost a few parses.
const MAX_FENCES: usize = 64;

/// At least three backticks or tildes.
pub(super) struct Fence<'a> {
    /// Where the marks start.
    pub(super) at: usize,
    /// Its line with the end of the line.
    pub(super) line: Range<usize>,
    pub(super) mark: char,
    pub(super) count: usize,
    /// What stands behind the marks, and where.
    pub(super) info: &'a str,
    info_at: usize,
    /// Whether nothing stands before the marks on the line.
    pub(super) leads: bool,
}

/// The fences of a text: those that have their line for themselves, and those at the end of a line.
pub(super) fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let range = start..start + line.len();
        start = range.end;
        range
    });
    lines
        .filter_map(|line| Fence::leading(text, line.clone()).or_else(|| Fence::ending(text, line)))
        .take(MAX_FENCES)
        .collect()
}

impl<'a> Fence<'a> {
    fn leading(text: &'a str, line: Range<usize>) -> Option<Self> {
        let trimmed = text[line.clone()].trim_start_matches('\u{feff}').trim();
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = trimmed.trim_start_matches(mark);
        let count = trimmed.len() - info.len();
        let at = text[line.clone()].find(mark)? + line.start;
        let info_at = at + count + info.len() - info.trim_start().len();
        (count >= 3 && !info.contains('`')).then_some(Self {
            at,
            line,
            mark,
            count,
            info: info.trim(),
            info_at,
            leads: true,
        })
    }

    /// `Here it is: ```js`, and `return 1```` at the end of a block.
    fn ending(text: &'a str, line: Range<usize>) -> Option<Self> {
        let content = &text[line.clone()];
        let end = content.rfind("```")? + 3;
        let info = content[end..].trim_end();
        let marks = content[..end].trim_end_matches('`');
        let is_end = info.chars().all(|c| c.is_ascii_alphanumeric()) && !marks.contains("```");
        let (at, info_at) = (line.start + marks.len(), line.start + end);
        is_end.then_some(Self { at, line, mark: '`', count: end - marks.len(), info, info_at, leads: false })
    }

    pub(super) fn closes(&self, open: &Fence<'_>) -> bool {
        self.info.is_empty() && self.mark == open.mark && self.count >= open.count
    }

    /// The first word behind the marks.
    fn tag(&self) -> &'a str {
        self.info.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| !word.is_empty()).unwrap_or("")
    }

    /// What the tag says that the block is, if it is a script.
    pub(super) fn script(&self) -> Option<Grammar> {
        script(self.tag())
    }

    /// Where code may start on the line of the fence: behind the tag.
    pub(super) fn code_start(&self) -> Option<usize> {
        let (_, rest) = self.info.split_once(char::is_whitespace)?;
        let rest = rest.trim_start();
        // Attributes: `title="a.js" {1}`.
        let is_attribute = rest.starts_with('{')
            || rest
                .split_once('=')
                .is_some_and(|(name, value)| name.chars().all(char::is_alphanumeric) && value.starts_with(['"', '\'']));
        (!is_attribute && !rest.is_empty()).then(|| self.info_at + self.info.len() - rest.len())
    }
}

/// What a tag says that the code is, if it is a script.
pub(in super::super) fn script(tag: &str) -> Option<Grammar> {
    const JAVASCRIPT: [&str; 8] = ["js", "javascript", "mjs", "cjs", "jsx", "ecmascript", "node", "nodejs"];
    const TYPESCRIPT: [&str; 5] = ["ts", "typescript", "mts", "cts", "tsx"];
    let is_one_of = |tags: &[&str]| tags.iter().any(|known| known.eq_ignore_ascii_case(tag));
    let typescript = is_one_of(&TYPESCRIPT).then_some(Grammar::TypeScript);
    typescript.or_else(|| is_one_of(&JAVASCRIPT).then_some(Grammar::JavaScript))
}
