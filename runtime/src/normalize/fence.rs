//! Code out of Markdown.
//!
//! Three backticks are also JavaScript (a template tagged by a template, which always throws), so a fence is looked for
//! before the text is taken for a program. What is one program with its fences inside of comments and templates is code
//! that has Markdown in it, and stays as it is: so does every function that was made here.

mod blocks;
mod marks;

use std::ops::Range;

use super::parse::Grammar;
use super::reads::{Read, is_code, read};
use blocks::{Block, Rank, blocks};
pub(super) use marks::script;
use marks::{Fence, fences};

/// Why no code is found.
#[derive(Debug)]
pub(super) enum NoCode {
    /// There are several blocks and none is the one to run: where they start, in bytes; at least two.
    Several(Vec<usize>),
    /// There is prose, and a block without code.
    Empty(usize),
}

/// The code of a text.
pub(super) struct Code {
    pub(super) text: String,
    /// What its fence says that it is; without one, JavaScript.
    pub(super) grammar: Grammar,
}

/// Finds the code in a text without byte order mark. Lines that are no code are empty in the result, so that line numbers
/// stay.
pub(super) fn extract(text: &str) -> Result<Code, NoCode> {
    let all = |escapes: &[usize]| masked(text, 0..text.len(), escapes, None);
    if !text.contains("```") && !text.contains("~~~") {
        return Ok(all(&[]));
    }
    if let Some((range, tag)) = single_line(text) {
        return Ok(masked(text, range, &[], tag));
    }
    let fences = fences(text);
    if let Some(escapes) = as_program(text, 0..text.len(), &fences) {
        return Ok(all(&escapes));
    }
    choose(text, blocks(text, &fences))
}

/// Chooses the block to run: what is marked as a script wins over what is not marked, and that over what is marked as
/// something else, such as data. Without a script, code outside of the blocks is what they go with.
fn choose(text: &str, mut blocks: Vec<Block>) -> Result<Code, NoCode> {
    let is_blank = |part: &Range<usize>| text[part.clone()].trim().is_empty();
    let has_script = blocks.iter().any(|block| block.rank == Rank::Script && !is_blank(&block.body));
    if !has_script && let Some(outside) = outside(text, &blocks) {
        let (text, named) = without_language(outside);
        return Ok(Code { text, grammar: named.unwrap_or(Grammar::JavaScript) });
    }
    let all: Vec<Range<usize>> = blocks.iter().map(|block| block.whole.clone()).collect();
    if blocks.iter().any(|block| !is_blank(&block.body)) {
        blocks.retain(|block| !is_blank(&block.body));
    }
    let best = blocks.iter().map(|block| block.rank).min();
    blocks.retain(|block| Some(block.rank) == best);
    match blocks.as_slice() {
        [] => Ok(masked(text, 0..text.len(), &[], None)),
        [only] if is_blank(&only.body) && !blanked(text, &all).trim().is_empty() => {
            Err(NoCode::Empty(only.whole.start))
        }
        [only] => Ok(masked(text, only.body.clone(), &only.escapes, only.tag)),
        several => Err(NoCode::Several(several.iter().map(|block| block.whole.start).collect())),
    }
}

/// The text outside of the blocks, if it is code; a last line in front of a block may be its heading.
fn outside(text: &str, blocks: &[Block]) -> Option<String> {
    let wholes: Vec<Range<usize>> = blocks.iter().map(|block| block.whole.clone()).collect();
    let first = wholes.first()?.start;
    let before = text[..first].trim_end();
    let heading = before.rfind('\n').filter(|_| before.ends_with(':'));
    let found = blanked(text, &wholes);
    let before = || heading.map(|line| before[..line].to_owned());
    Some(found).filter(|code| is_code(code)).or_else(|| before().filter(|code| is_code(code)))
}

/// The text with nothing but line ends in some parts.
fn blanked(text: &str, parts: &[Range<usize>]) -> String {
    let (mut written, mut at) = (String::with_capacity(text.len()), 0);
    for part in parts {
        written.push_str(&text[at..part.start.max(at)]);
        written.extend(text[part.clone()].chars().filter(|&c| c == '\n'));
        at = part.end.max(at);
    }
    written + &text[at..]
}

/// Whether a part is one program although it has fences. Backticks inside of a template are meant as text, although they
/// would end the template: the offsets are where backslashes make text of them.
fn as_program(text: &str, part: Range<usize>, inner: &[Fence<'_>]) -> Option<Vec<usize>> {
    let lines = || inner.iter().filter(|fence| fence.leads);
    if let Some(read) = read(&text[part.clone()]) {
        // Tildes may be operators; three backticks are not, in what can be read.
        let is_text = |fence: &Fence<'_>| fence.mark == '`' || read.is_text(fence.at - part.start);
        if read.is_function || lines().all(is_text) {
            return Some(Vec::new());
        }
    }
    let of_lines: Vec<usize> =
        lines().filter(|fence| fence.mark == '`').flat_map(|fence| fence.at..fence.at + fence.count).collect();
    let of_all = in_a_row(text, part.clone());
    let tries = [&of_lines, &of_all].into_iter().take(if of_lines == of_all { 1 } else { 2 });
    let found = tries.filter(|escapes| !escapes.is_empty()).find(|escapes| {
        let moved = |at: usize| at - part.start + escapes.partition_point(|&escape| escape < at);
        let is_text = |read: &Read| lines().all(|fence| read.is_text(moved(fence.at)));
        read(&escaped(text, part.clone(), escapes)).is_some_and(|read| is_text(&read))
    });
    found.cloned()
}

/// The offsets of all backticks of which three or more stand in a row.
fn in_a_row(text: &str, part: Range<usize>) -> Vec<usize> {
    let mut offsets = Vec::new();
    let mut at = part.start;
    while let Some(found) = text[at..part.end].find("```") {
        let start = at + found;
        at = part.end - text[start..part.end].trim_start_matches('`').len();
        offsets.extend(start..at);
    }
    offsets
}

/// A part with backslashes at offsets of the text.
fn escaped(text: &str, part: Range<usize>, escapes: &[usize]) -> String {
    let mut written = String::with_capacity(part.len() + escapes.len());
    let mut at = part.start;
    for &escape in escapes.iter().filter(|&escape| part.contains(escape)) {
        written.push_str(&text[at..escape]);
        written.push('\\');
        at = escape;
    }
    written.push_str(&text[at..part.end]);
    written
}

/// The part as it stands, behind as many empty lines as there are lines before it.
fn masked(text: &str, part: Range<usize>, escapes: &[usize], tag: Option<Grammar>) -> Code {
    let before = &text[..part.start];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let mut code: String = before.bytes().filter(|&b| b == b'\n').map(char::from).collect();
    // Only a block that starts on the line of its fence has something before it on its line.
    code.extend(before[line_start..].encode_utf16().map(|_| ' '));
    code.push_str(&escaped(text, part, escapes));
    let (text, named) = match tag {
        None => without_language(code),
        Some(_) => (code, None),
    };
    Code { text, grammar: tag.or(named).unwrap_or(Grammar::JavaScript) }
}

/// Code whose first line is only the name of its language, as it is left of a fence that was cut off or copied.
fn without_language(code: String) -> (String, Option<Grammar>) {
    let start = code.len() - code.trim_start().len();
    let Some((line, rest)) = code[start..].split_once('\n') else { return (code, None) };
    let Some(grammar) = script(line.trim_end()) else { return (code, None) };
    let rest = rest.trim_start();
    // The name of a connector, which goes on with its line.
    let goes_on = match rest.strip_prefix('/') {
        Some(rest) => !rest.starts_with(['/', '*']),
        None => rest.is_empty() || rest.starts_with(|c: char| ".,;:?=+-*%&|^<>`)]}".contains(c)),
    };
    let is_operator = ["in", "instanceof"].iter().any(|word| {
        rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_'))
    });
    if goes_on || is_operator {
        return (code, None);
    }
    let blank = " ".repeat(line.trim_end().len());
    let end = start + blank.len();
    (format!("{}{blank}{}", &code[..start], &code[end..]), Some(grammar))
}

/// The code of a text that is one fence on one line, and its tag.
fn single_line(text: &str) -> Option<(Range<usize>, Option<Grammar>)> {
    let trimmed = text.trim();
    if trimmed.contains('\n') {
        return None;
    }
    let inner = trimmed.strip_prefix("```")?.strip_suffix("```")?;
    let (tag, code) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    let grammar = script(tag);
    let code = if grammar.is_none() && !tag.is_empty() { inner } else { code };
    let end = text.trim_end().len() - 3;
    Some((end - code.len()..end, grammar))
}
