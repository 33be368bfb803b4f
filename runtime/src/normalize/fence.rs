//! Code out of Markdown.
//!
//! Three backticks are also JavaScript (a template tagged by a template), so a fence is looked for before the text
//! is taken for a program. A fence line inside a comment of the code does not end it.

use std::ops::Range;

/// Further fence lines are taken for text; each one may cost a few parses.
const MAX_FENCES: usize = 64;
/// How many closing lines of one block are tried.
const MAX_TRIES: usize = 8;

/// There are several blocks and none is the one to run.
#[derive(Debug)]
pub(super) struct SeveralBlocks {
    /// Where the second candidate starts, in bytes.
    pub(super) at: usize,
}

/// Finds the code in `text`. Lines that are no code are empty in the result, so that line numbers stay.
///
/// `comments` gives the comments of a text that is JavaScript.
pub(super) fn extract(
    text: &str,
    comments: impl Fn(&str) -> Option<Vec<Range<usize>>>,
) -> Result<String, SeveralBlocks> {
    let text_start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let whole = || text[text_start..].to_owned();
    if !text.contains("```") && !text.contains("~~~") {
        return Ok(whole());
    }
    if let Some(code) = single_line(text) {
        return Ok(masked(text, code));
    }
    let lines = lines(text);
    let fences: Vec<Fence<'_>> =
        lines.iter().filter_map(|line| Fence::parse(text, line.clone())).take(MAX_FENCES).collect();
    let Some(first) = fences.first() else { return Ok(whole()) };
    // Code that merely quotes a fence in a comment.
    if !text[..first.line.start].trim_start_matches('\u{feff}').trim().is_empty() {
        let code = whole();
        let quoted =
            |spans: Vec<Range<usize>>| fences.iter().all(|fence| inside(&spans, fence.line.start - text_start));
        if comments(&code).is_some_and(quoted) {
            return Ok(code);
        }
    }
    let blocks = blocks(text, &fences, comments);
    let block = match blocks.as_slice() {
        [only] => only,
        several => {
            let mut tagged = several.iter().filter(|block| block.is_script);
            match (tagged.next(), tagged.next()) {
                (Some(only), None) => only,
                (Some(_), Some(second)) => return Err(SeveralBlocks { at: second.at }),
                (None, _) => return Err(SeveralBlocks { at: several.get(1).map_or(0, |block| block.at) }),
            }
        }
    };
    Ok(masked(text, block.body.clone()))
}

/// The range as it stands, behind as many empty lines as there are lines before it.
fn masked(text: &str, range: Range<usize>) -> String {
    let before = &text[..range.start];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let mut code: String = before.bytes().filter(|&b| b == b'\n').map(char::from).collect();
    // Only a block on one line has something before it on its line.
    code.extend(before[line_start..].encode_utf16().map(|_| ' '));
    code.push_str(&text[range]);
    code
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}

fn inside(spans: &[Range<usize>], at: usize) -> bool {
    spans.iter().any(|span| span.contains(&at))
}

/// A line of at least three backticks or tildes.
struct Fence<'a> {
    line: Range<usize>,
    mark: char,
    count: usize,
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn parse(text: &'a str, line: Range<usize>) -> Option<Self> {
        let trimmed = text[line.clone()].trim_start_matches('\u{feff}').trim();
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = trimmed.trim_start_matches(mark);
        let count = trimmed.len() - info.len();
        (count >= 3 && !info.contains('`')).then_some(Self { line, mark, count, info: info.trim() })
    }

    fn closes(&self, open: &Fence<'_>) -> bool {
        self.info.is_empty() && self.mark == open.mark && self.count >= open.count
    }
}

/// A fenced block.
struct Block {
    /// Where its opening line starts.
    at: usize,
    body: Range<usize>,
    is_script: bool,
}

fn blocks(text: &str, fences: &[Fence<'_>], comments: impl Fn(&str) -> Option<Vec<Range<usize>>>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = fences;
    while let Some((open, after)) = rest.split_first() {
        let closing: Vec<usize> = (0..after.len()).filter(|&at| after[at].closes(open)).collect();
        let body_to = |close: usize| open.line.end..after[close].line.start;
        // The first closing line that leaves a program; further ones only if the lines between are comments.
        let complete = |close: usize| {
            let body = body_to(close);
            let start = body.start;
            comments(&text[body]).is_some_and(|spans| {
                after[..close].iter().all(|fence| fence.mark == '~' || inside(&spans, fence.line.start - start))
            })
        };
        let close = match closing.as_slice() {
            [] => None,
            [only] => Some(*only),
            several => several.iter().copied().take(MAX_TRIES).find(|&close| complete(close)).or(Some(several[0])),
        };
        let body = match close {
            Some(close) => body_to(close),
            None => open.line.end..unclosed_end(text, open),
        };
        let tag = open.info.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| !word.is_empty()).unwrap_or("");
        blocks.push(Block { at: open.line.start, body, is_script: is_script(tag) });
        rest = close.map_or(&[], |close| &after[close + 1..]);
    }
    blocks
}

/// Where the code of an unclosed block ends: at a closing fence directly behind the code, else at the end.
fn unclosed_end(text: &str, open: &Fence<'_>) -> usize {
    let body = text[open.line.end..].trim_end();
    let code = body.trim_end_matches(open.mark);
    if body.len() - code.len() >= open.count { open.line.end + code.len() } else { text.len() }
}

fn is_script(tag: &str) -> bool {
    const TAGS: [&str; 10] = ["js", "javascript", "mjs", "cjs", "jsx", "ts", "typescript", "mts", "tsx", "ecmascript"];
    TAGS.iter().any(|known| known.eq_ignore_ascii_case(tag))
}

/// The code of a text that is one fence on one line.
fn single_line(text: &str) -> Option<Range<usize>> {
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    if trimmed.contains('\n') {
        return None;
    }
    let inner = trimmed.strip_prefix("```")?.strip_suffix("```")?;
    let (tag, code) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    let code = if is_script(tag) || tag.is_empty() { code } else { return None };
    let end = text.trim_end().len() - 3;
    Some(end - code.len()..end)
}
