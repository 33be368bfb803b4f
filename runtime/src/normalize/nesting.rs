//! A stack large enough for the parser, and an end to what it may try.
//!
//! The parser recurses with the nesting of the code and a stack overflow ends the process; and it reads some texts
//! again for each bracket that it is in. Both are bounded before it runs, by an estimate from above.

mod levels;
mod literals;
mod scan;
mod text;
mod words;

use std::{panic, thread};

use super::parse::Grammar;
use levels::Cost;
use scan::cost;

/// Stack for one level, several times what was measured, so that unoptimised builds fit too.
const BYTES_PER_LEVEL: usize = 4 * 1024;
/// Up to this many levels the caller's stack is enough.
const INLINE: usize = 100;
/// More levels are refused: 64 MiB of stack.
const MAX_LEVELS: usize = 16_000;
/// More brackets inside each other are refused.
const MAX_BRACKETS: usize = 512;
/// More tokens to read, each as often as it may be tried, are refused.
const MAX_WORK: u64 = 8_000_000;

/// Why the work was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// A parser could need more stack or time than there is.
    TooDeep,
    /// The parser itself failed.
    Broken,
}

/// Does the work with a stack that suits the nesting of `text`.
pub(super) fn with_stack<T: Send>(text: &str, grammar: Grammar, work: impl FnOnce() -> T + Send) -> Result<T, Unread> {
    let levels = check(text, grammar)?;
    if levels <= INLINE {
        return panic::catch_unwind(panic::AssertUnwindSafe(work)).map_err(|_| Unread::Broken);
    }
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("normalize".to_owned());
        let running = builder.stack_size((levels + INLINE) * BYTES_PER_LEVEL).spawn_scoped(scope, work);
        running.map_err(|_| Unread::TooDeep)?.join().map_err(|_| Unread::Broken)
    })
}

/// How many levels a text may have, if it may be parsed.
pub(super) fn check(text: &str, grammar: Grammar) -> Result<usize, Unread> {
    let Cost { levels, brackets, work } = cost(text, grammar);
    let is_bounded = levels <= MAX_LEVELS && brackets <= MAX_BRACKETS && work <= MAX_WORK;
    is_bounded.then_some(levels).ok_or(Unread::TooDeep)
}

#[cfg(test)]
mod tests;
