//! Model text to one function expression.
//!
//! A model sends a function, a list of statements, an object, or any of these in a Markdown fence with prose around
//! it. The sandbox runs one function. The text is parsed as one unit and the function is made from its tree, so no
//! text can close the wrapper and run outside of it; what does not parse is refused with its position.
//!
//! Lines keep their numbers: line N of the function is line N of the text, so positions in stack traces are right.

mod fence;
mod nesting;
mod position;
mod unit;

use crate::durable::failure::{CodeError, ErrorKind};
use position::Shift;

/// Text made callable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalized {
    /// The text of one function expression; it is called once, with the input as its only argument.
    pub function: String,
    /// What was put in front of the submitted columns, in order.
    shifts: Vec<Shift>,
}

impl Normalized {
    /// The position in the submitted text of a position in the function. Both count lines from 1 and columns from 1
    /// in UTF-16 code units. Lines are the same; columns differ where something was put in front.
    pub fn source_position(&self, line: u32, column: u32) -> (u32, u32) {
        (line, position::unshift(&self.shifts, line, column))
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
    /// The error that ends the execution; its hint shows the place.
    pub(crate) fn into_error(self) -> CodeError {
        let hint = format!("{}\n{}^", self.source_line, " ".repeat(self.column.saturating_sub(1).min(200) as usize));
        CodeError {
            line: Some(self.line),
            column: Some(self.column),
            ..CodeError::new(ErrorKind::Syntax, self.message).with_hint(hint)
        }
    }
}

/// Makes one function expression of what a model sent.
///
/// The size of the text is the caller's to limit.
///
/// # Errors
///
/// Text that is not JavaScript, several code blocks of which none is the one to run, imports, exports other than a
/// single default one, generators, and nesting so deep that the parser could exhaust its stack.
pub fn normalize(text: &str) -> Result<Normalized, NormalizeError> {
    nesting::with_stack(text, || normalize_here(text)).unwrap_or_else(|| {
        Err(refuse(text, 0, "the code is nested too deeply or too long to be parsed; make it smaller"))
    })
}

fn normalize_here(text: &str) -> Result<Normalized, NormalizeError> {
    let code = match fence::extract(text, unit::comments) {
        Ok(code) => code,
        Err(fence::SeveralBlocks { at }) => {
            let message = "more than one code block: send a single block with the code to run";
            return Err(refuse(text, at, message));
        }
    };
    unit::function(&code).map_err(|problem| {
        let (line, column) = problem.position;
        NormalizeError { line, column, message: problem.message, source_line: position::line(text, line) }
    })
}

fn refuse(text: &str, offset: usize, message: &str) -> NormalizeError {
    let (line, column) = position::of(text, offset);
    NormalizeError { line, column, message: message.to_owned(), source_line: position::line(text, line) }
}

#[cfg(test)]
mod tests;
