//! Model text to one function expression.
//!
//! A model sends a function, a list of statements, an object, or any of these in a Markdown fence with prose around
//! it, in JavaScript or with the types of TypeScript. The sandbox runs one function. The text is parsed as one unit
//! and the function is made from its tree, so no text can close the wrapper and run outside of it; what does not parse
//! is refused with its position.
//!
//! Lines keep their numbers: line N of the function is line N of the text, so positions in stack traces are right.

mod build;
mod edits;
mod explain;
mod fence;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod lexical;
mod nesting;
mod parse;
mod position;
mod quoted;
mod reads;
mod shape;
mod types;
mod unavailable;
mod unit;
mod whole;

use crate::durable::failure::{CodeError, ErrorKind};
use fence::NoCode;
use position::Shift;

/// Text made callable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalized {
    /// The text of one function expression; it is called once, with the input as its only argument.
    pub function: String,
    /// What was put in front of the columns, in order, when the function was made.
    shifts: Vec<Shift>,
    /// The same, when types were left out before.
    stripped: Vec<Shift>,
}

impl Normalized {
    /// The position in the submitted text of a position in the function. Both count lines from 1 and columns from 1
    /// in UTF-16 code units. Lines are the same; columns differ where something was put in front.
    pub fn source_position(&self, line: u32, column: u32) -> (u32, u32) {
        let column = position::unshift(&self.shifts, line, column);
        (line, position::unshift(&self.stripped, line, column))
    }
}

/// Why text was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column}: {})", .source_line.trim())]
pub struct NormalizeError {
    /// From 1.
    pub line: u32,
    /// From 1, in UTF-16 code units.
    pub column: u32,
    /// What is wrong and what to do, for the model.
    pub message: String,
    /// The submitted line, cut where it is long.
    pub source_line: String,
}

impl NormalizeError {
    /// The error that ends the execution.
    pub(crate) fn into_error(self) -> CodeError {
        CodeError {
            line: Some(self.line),
            column: Some(self.column),
            source_line: Some(self.source_line),
            ..CodeError::new(ErrorKind::Syntax, self.message)
        }
    }
}

/// A line of a submitted text by its number from 1, cut where it is long; empty where there is none.
pub(crate) fn source_line(text: &str, line: u32) -> String {
    position::line(text, line)
}

/// Makes one function expression of what a model sent.
///
/// The size of the text is the caller's to limit.
///
/// # Errors
///
/// Text that is neither JavaScript nor TypeScript, TypeScript that is more than types, several code blocks of which
/// none is the one to run, imports, exports other than a single default one, generators, and nesting so deep that the
/// parser could exhaust its stack.
pub fn normalize(text: &str) -> Result<Normalized, NormalizeError> {
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
    let code = fence::extract(plain).map_err(|reason| no_code(plain, &reason))?;
    unit::function(&code.text, code.grammar).map_err(|problem| refused(plain, problem.position, problem.message))
}

fn no_code(text: &str, reason: &NoCode) -> NormalizeError {
    let (at, message) = match reason {
        NoCode::Several(starts) => {
            let lines: Vec<String> = starts.iter().map(|&at| position::of(text, at).0.to_string()).collect();
            let second = starts.get(1).copied().unwrap_or(0);
            let lines = position::listed(&lines);
            (second, format!("more than one code block (lines {lines}): send a single block with the code to run"))
        }
        NoCode::Empty(at) => (*at, "the code block is empty: put the code to run into it".to_owned()),
    };
    refused(text, position::of(text, at), message)
}

fn refused(text: &str, (line, column): (u32, u32), message: String) -> NormalizeError {
    let length = position::line_length(text, line);
    NormalizeError { line, column: column.min(length + 1), message, source_line: position::line(text, line) }
}

#[cfg(test)]
mod tests;
