//! The ways to read a text as a whole: as a program, and as the one value that a program cannot be.
//!
//! As a program, an object would be a block of labels, and a function without a name would lack one.

use std::borrow::Cow;
use std::ops::Range;

use oxc_ast::ast::{Expression, Program, Statement};

use super::lexical;

/// One way to read a text.
pub(super) struct Whole<'a> {
    code: &'a str,
    /// Where the value is, if it is read as one.
    value: Option<Range<usize>>,
}

impl<'a> Whole<'a> {
    /// The ways to read a text, the one that is to be preferred first.
    pub(super) fn readings(code: &'a str) -> impl Iterator<Item = Self> {
        let value = value(code).map(|range| Self { code, value: Some(range) });
        value.into_iter().chain([Self { code, value: None }])
    }

    /// What is parsed.
    pub(super) fn text(&self) -> Cow<'a, str> {
        match &self.value {
            Some(range) => Cow::Owned(format!("({}\n)", &self.code[range.clone()])),
            None => Cow::Borrowed(self.code),
        }
    }

    /// The offset in the code of what is parsed.
    pub(super) fn start(&self) -> isize {
        self.value.as_ref().map_or(0, |range| range.start as isize - 1)
    }

    /// The offset in the code of an offset in what is parsed.
    pub(super) fn offset(&self, at: usize) -> usize {
        at.saturating_add_signed(self.start()).min(self.code.len())
    }

    /// The value, if it is read as one and is one.
    pub(super) fn value<'p, 'b>(&self, program: &'p Program<'b>) -> Option<&'p Expression<'b>> {
        let ([], [Statement::ExpressionStatement(only)], Some(_)) =
            (program.directives.as_slice(), program.body.as_slice(), &self.value)
        else {
            return None;
        };
        let value = only.expression.without_parentheses();
        let suits = match value {
            Expression::ObjectExpression(_) => true,
            Expression::FunctionExpression(function) => function.id.is_none(),
            _ => false,
        };
        suits.then_some(value)
    }

    /// Whether a program can be what it is read as.
    pub(super) fn suits(&self, program: &Program<'_>) -> bool {
        self.value.is_none() || self.value(program).is_some()
    }
}

/// Where a value can be: from its first token to its last brace.
fn value(code: &str) -> Option<Range<usize>> {
    let start = lexical::skip(code, 0);
    if !["{", "function", "async"].iter().any(|token| code[start..].starts_with(token)) {
        return None;
    }
    let end = code.rfind('}')? + 1;
    let mut at = end;
    while at < code.len() {
        let next = lexical::skip(code, at);
        at = if code[next..].starts_with(';') { next + 1 } else { next };
        if at == next && next < code.len() {
            return None;
        }
    }
    (start < end).then_some(start..end)
}
