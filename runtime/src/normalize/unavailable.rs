//! What the grammar has and the sandbox has not, and what to write instead.

use oxc_ast::AstKind;
use oxc_ast::ast::{BinaryOperator, Expression, VariableDeclarationKind};
use oxc_span::{GetSpan as _, Span};

use super::explain::is_entity;
use super::reads::fence;

pub(super) const IMPORT: &str = "import is not available: use the connectors, which are global names";
pub(super) const EXPORT: &str = "export is not available: return the result instead";
const DECORATOR: &str = "decorators are not available: call the function with the class or method yourself";
const ACCESSOR: &str = "accessor fields are not available: write a getter and a setter";
const FENCE: &str = "three backticks are no code: send only the code, or put all of it into one block marked js";
const ENTITY: &str = "this is an HTML entity: send plain characters, not HTML";
const USING: &str = "using is not available: declare a const and release it in a finally block";

/// Why a node cannot be run, with its place.
pub(super) fn reason(kind: AstKind<'_>) -> Option<(Span, &'static str)> {
    let message = match kind {
        AstKind::ImportDeclaration(_) => IMPORT,
        AstKind::ExportNamedDeclaration(_)
        | AstKind::ExportDeclaration(_)
        | AstKind::ExportFromDeclaration(_)
        | AstKind::ExportAllDeclaration(_) => EXPORT,
        AstKind::Decorator(_) => DECORATOR,
        AstKind::AccessorProperty(_) => ACCESSOR,
        AstKind::VariableDeclaration(it)
            if matches!(it.kind, VariableDeclarationKind::Using | VariableDeclarationKind::AwaitUsing) =>
        {
            USING
        }
        _ => return None,
    };
    Some((kind.span(), message))
}

/// Why a node is a piece of Markdown or HTML, which happens to be in the grammar, with its place.
pub(super) fn markup(text: &str, kind: AstKind<'_>) -> Option<(Span, &'static str)> {
    if let Some(span) = fence(text, kind) {
        return Some((span, FENCE));
    }
    // `a &lt; b` is two statements.
    let AstKind::BinaryExpression(both) = kind else { return None };
    let (BinaryOperator::BitwiseAnd, Expression::Identifier(name)) = (both.operator, &both.right) else { return None };
    let (start, end) = (name.span.start as usize, name.span.end as usize);
    let is_it = is_entity(&name.name) && text[..start].ends_with('&') && text[end..].starts_with(';');
    is_it.then_some((name.span, ENTITY))
}
