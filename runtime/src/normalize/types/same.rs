//! Whether a program without its types has the tree that it had with them.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::Program;
use oxc_ast::ast_kind::AstType;
use oxc_semantic::{AstNodes, SemanticBuilder};
use oxc_span::GetSpan as _;

use super::super::edits::Sorted;
use super::super::parse::{Grammar, offset, parse, range};

/// A node that means something without types, by its kind and its depth below others of these.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    kind: AstType,
    depth: u32,
}

/// Compares the tree of a text with types with that of the blanked text.
///
/// # Errors
///
/// The offset in the text with types where they start to differ.
pub(super) fn check(typed: &AstNodes<'_>, edits: &Sorted, blanked: &str) -> Result<(), usize> {
    let allocator = Allocator::default();
    let parsed = parse(&allocator, blanked, Grammar::JavaScript.module());
    if let Some(diagnostic) = parsed.diagnostics.iter().next() {
        return Err(offset(diagnostic));
    }
    compare(typed, edits, &parsed.program)
}

fn compare(typed: &AstNodes<'_>, edits: &Sorted, blanked: &Program<'_>) -> Result<(), usize> {
    let semantic = SemanticBuilder::new().with_build_nodes(true).build(blanked).semantic;
    let mut plain = parts(semantic.nodes(), |_| false);
    let mut last = 0;
    for (part, at) in parts(typed, |part| edits.hides(part)) {
        last = at;
        if plain.next().is_none_or(|found| found.0 != part) {
            return Err(at);
        }
    }
    if plain.next().is_some() { Err(last) } else { Ok(()) }
}

/// The parts of a tree in the order of the text, with their offsets.
fn parts<'n>(
    nodes: &'n AstNodes<'_>,
    hides: impl Fn(Range<usize>) -> bool + 'n,
) -> impl Iterator<Item = (Part, usize)> + 'n {
    // A node comes behind its parent.
    let mut depths: Vec<u32> = vec![0; nodes.len()];
    nodes.iter().filter_map(move |node| {
        let parent = nodes.parent_id(node.id());
        let above = depths.get(parent.index()).copied().unwrap_or(0);
        let part = range(node.kind().span());
        let at = part.start;
        let is_whole = matches!(node.kind(), AstKind::Program(_));
        let counts = is_whole || !is_only_for_types(node.kind()) && !hides(part);
        if let Some(depth) = depths.get_mut(node.id().index()) {
            *depth = above + u32::from(counts);
        }
        counts.then_some((Part { kind: node.kind().ty(), depth: above }, at))
    })
}

/// Whether a node stands for what is in it, or for nothing.
fn is_only_for_types(kind: AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::TSAsExpression(_)
            | AstKind::TSSatisfiesExpression(_)
            | AstKind::TSTypeAssertion(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::TSInstantiationExpression(_)
            | AstKind::ParenthesizedExpression(_)
            | AstKind::EmptyStatement(_)
    )
}
