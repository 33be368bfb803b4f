//! Which fences open and close a block.

use std::ops::Range;

use super::super::parse::Grammar;
use super::super::reads::read;
use super::as_program;
use super::marks::Fence;

/// How many closing lines of one block are tried.
const MAX_TRIES: usize = 8;

/// How well a block fits as the one to run; the least fits best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Script,
    Untagged,
    Other,
}

/// A fenced block.
pub(super) struct Block {
    /// All of it, with the lines of its fences.
    pub(super) whole: Range<usize>,
    pub(super) body: Range<usize>,
    /// Where backticks in its body are text.
    pub(super) escapes: Vec<usize>,
    /// What its tag says that it is, if it is a script.
    pub(super) tag: Option<Grammar>,
    pub(super) rank: Rank,
}

/// Where a block ends.
enum Close {
    /// At a fence; between is a program, with these escapes.
    Program(usize, Vec<usize>),
    /// At a fence, whatever is between.
    At(usize),
    /// Before a fence that opens another script.
    Before(usize),
    /// At the end of the text.
    Never,
}

/// The blocks of a text.
pub(super) fn blocks(text: &str, fences: &[Fence<'_>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = fences;
    while let Some((open, after)) = rest.split_first() {
        let to = |close: &Fence<'_>| open.line.start..close.line.end;
        let (block, used) = match close(text, open, after) {
            Close::Program(close, escapes) => {
                let close_fence = &after[close];
                (Some(block(text, open, to(close_fence), body_to(open, close_fence), escapes)), close + 1)
            }
            // A fence in a block that is no script: this one closed something, or holds a document.
            Close::At(close) if open.script().is_none() && after[..close].iter().any(|fence| fence.leads) => (None, 0),
            Close::At(close) => {
                let close_fence = &after[close];
                (Some(block(text, open, to(close_fence), body_to(open, close_fence), Vec::new())), close + 1)
            }
            Close::Before(_) if open.script().is_none() => (None, 0),
            Close::Before(next) => {
                let end = after[next].line.start;
                (Some(block(text, open, open.line.start..end, open.line.end..end, Vec::new())), next)
            }
            Close::Never => (Some(unclosed(text, open, blocks.is_empty())), after.len()),
        };
        blocks.extend(block);
        rest = &after[used..];
    }
    blocks
}

/// The first closing line that leaves a program; further ones only if the lines between are text of the program.
fn close(text: &str, open: &Fence<'_>, after: &[Fence<'_>]) -> Close {
    let closing = |leads: bool| (0..after.len()).filter(move |&at| after[at].leads == leads && after[at].closes(open));
    for at in closing(true).take(MAX_TRIES).chain(closing(false).take(MAX_TRIES)) {
        if let Some(escapes) = as_program(text, body_to(open, &after[at]), &after[..at]) {
            return Close::Program(at, escapes);
        }
    }
    let next = after.iter().position(|fence| fence.leads && fence.script().is_some());
    let first = closing(true).next().or_else(|| closing(false).next());
    match (first, next) {
        (Some(first), Some(next)) if next < first => Close::Before(next),
        (Some(first), _) => Close::At(first),
        (None, Some(next)) => Close::Before(next),
        (None, None) => Close::Never,
    }
}

fn body_to(open: &Fence<'_>, close: &Fence<'_>) -> Range<usize> {
    let end = if close.leads { close.line.start } else { close.at };
    open.line.end.min(end)..end
}

fn block(text: &str, open: &Fence<'_>, whole: Range<usize>, body: Range<usize>, escapes: Vec<usize>) -> Block {
    // Code may start on the line of the fence, where attributes are looked for only if it is none.
    let with_line = open.code_start().map(|at| at..body.end).filter(|_| {
        let is_alone = text[body.clone()].trim().is_empty();
        is_alone || escapes.is_empty() && read(&text[body.clone()]).is_none()
    });
    let body = with_line.filter(|part| read(&text[part.clone()]).is_some()).unwrap_or(body);
    let tag = open.script();
    let rank = match tag {
        Some(_) => Rank::Script,
        None if open.info.is_empty() => Rank::Untagged,
        None => Rank::Other,
    };
    Block { whole, body, escapes, tag, rank }
}

/// A block that nothing closes: the text was cut off at its end, or at its start.
fn unclosed(text: &str, open: &Fence<'_>, is_first: bool) -> Block {
    let body = open.line.end..unclosed_end(text, open);
    let before = 0..if open.leads { open.line.start } else { open.at };
    let is_code = |part: &Range<usize>| read(&text[part.clone()]).is_some();
    let is_blank = |part: &Range<usize>| text[part.clone()].trim().is_empty();
    if is_first
        && open.info.is_empty()
        && !is_blank(&before)
        && (is_blank(&body) || is_code(&before) && !is_code(&body))
    {
        let whole = 0..open.line.end;
        return Block { whole, body: before, escapes: Vec::new(), tag: None, rank: Rank::Untagged };
    }
    block(text, open, open.line.start..text.len(), body, Vec::new())
}

/// Where the code of an unclosed block ends: at marks behind it, be they too few to close it, else at the end.
fn unclosed_end(text: &str, open: &Fence<'_>) -> usize {
    let body = text[open.line.end..].trim_end();
    let code = body.trim_end_matches(open.mark);
    if body.len() - code.len() >= 3 { open.line.end + code.len() } else { text.len() }
}
