//! The parser, with a stack that suits what it is given.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::{SourceType, Span};

/// What a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    JavaScript,
    TypeScript,
}

impl Grammar {
    /// As a module, where `await` may stand outside of functions.
    pub(super) fn module(self) -> SourceType {
        match self {
            Self::JavaScript => SourceType::mjs(),
            Self::TypeScript => SourceType::ts().with_module(true),
        }
    }
}

/// Parses a text whose nesting is known to be bounded.
pub(super) fn parse<'a>(allocator: &'a Allocator, code: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    Parser::new(allocator, code, source_type).with_options(options).parse()
}

pub(super) fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// Where a diagnostic points to, in bytes.
pub(super) fn offset(diagnostic: &OxcDiagnostic) -> usize {
    let mut offsets = diagnostic.labels.iter().map(|label| label.offset() as usize);
    // The first place of two with the same name is right by itself.
    let is_second = diagnostic.message.ends_with("has already been declared");
    if is_second { offsets.max() } else { offsets.next() }.unwrap_or(0)
}

pub(super) fn message(diagnostic: &OxcDiagnostic) -> String {
    diagnostic.message.trim_end_matches('.').to_owned()
}
