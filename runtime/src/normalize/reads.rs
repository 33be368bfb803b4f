//! What Markdown needs to know of a text: whether it is a program, and which parts of it are only text.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_semantic::SemanticBuilder;
use oxc_span::{GetSpan as _, Span};

use super::nesting::with_stack;
use super::parse::{Grammar, parse, range};
use super::shape::{Shape, shape, value};
use super::whole::Whole;

/// A text that is a program.
pub(super) struct Read {
    /// Comments, strings and the texts of templates.
    texts: Vec<Range<usize>>,
    /// Whether the program is one function and nothing else.
    pub(super) is_function: bool,
}

impl Read {
    /// Whether what stands at an offset is text and not code.
    pub(super) fn is_text(&self, at: usize) -> bool {
        self.texts.iter().any(|text| text.contains(&at))
    }
}

/// Reads a text as a program in either grammar. One that has three backticks in a row as code is none.
pub(super) fn read(code: &str) -> Option<Read> {
    let grammars = [Grammar::JavaScript, Grammar::TypeScript].into_iter();
    grammars.filter_map(|grammar| with_stack(code, grammar, || read_as(code, grammar)).ok().flatten()).next()
}

/// Whether a text is a program and no sentence or value that happens to be one.
pub(super) fn is_code(text: &str) -> bool {
    let has_words = ["return ", "await ", "=>"].iter().any(|word| text.contains(word));
    read(text).is_some_and(|read| read.is_function || has_words)
}

fn read_as(code: &str, grammar: Grammar) -> Option<Read> {
    for whole in Whole::readings(code) {
        let text = whole.text();
        let allocator = Allocator::default();
        let parsed = parse(&allocator, &text, grammar.module());
        if !parsed.diagnostics.is_empty() || !whole.suits(&parsed.program) {
            continue;
        }
        let semantic = SemanticBuilder::new().with_build_nodes(true).build(&parsed.program).semantic;
        if semantic.nodes().iter().any(|node| fence(&text, node.kind()).is_some()) {
            return None;
        }
        let place = |span: Span| whole.offset(span.start as usize)..whole.offset(span.end as usize);
        let comments = parsed.program.comments.iter().map(|comment| place(comment.span));
        let literals = semantic.nodes().iter().filter_map(|node| match node.kind() {
            AstKind::TemplateElement(it) => Some(place(it.span)),
            AstKind::StringLiteral(it) => Some(place(it.span)),
            _ => None,
        });
        let texts = comments.chain(literals).collect();
        let shape = whole.value(&parsed.program).map_or_else(|| shape(&parsed.program), value);
        return Some(Read { texts, is_function: matches!(shape, Ok(Shape::Function(_))) });
    }
    None
}

/// The place of three backticks in a row that are code: an empty template that is a tag or has one. A template as tag
/// always throws, so they are a fence of Markdown.
pub(super) fn fence(text: &str, kind: AstKind<'_>) -> Option<Span> {
    let AstKind::TaggedTemplateExpression(tagged) = kind else { return None };
    let (tag, template) = (range(tagged.tag.span()), range(tagged.quasi.span));
    let is_joined = tag.end == template.start && text[..tag.end].ends_with('`');
    let in_a_row = text[..tag.end].ends_with("``") || text[template.start..].starts_with("``");
    // A tag of this kind is found by itself.
    (is_joined && in_a_row).then(|| Span::new(tag.end as u32 - 1, template.end as u32))
}
