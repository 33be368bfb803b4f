//! Whether an error in a value would be where the value is.

use oxc_ast::ast::Expression;

/// Whether an error in a value is where the value is. The engine notes the places of names, calls and statements that are
/// expressions, which the value was before it was returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Placed {
    ByItself,
    /// Not the place of `null.x`, which would seem to be where the last call was.
    ByName,
}

/// Whether the first that a value looks into has a place.
pub(super) fn placed(value: &Expression<'_>) -> Placed {
    let mut first = value;
    let mut looks_into = false;
    loop {
        first = match first.without_parentheses() {
            Expression::CallExpression(it) => &it.callee,
            Expression::TaggedTemplateExpression(it) => &it.tag,
            Expression::AwaitExpression(it) => &it.argument,
            Expression::UnaryExpression(it) => &it.argument,
            Expression::BinaryExpression(it) => &it.left,
            Expression::LogicalExpression(it) => &it.left,
            Expression::ConditionalExpression(it) => &it.test,
            other => match other.as_member_expression() {
                Some(member) => {
                    looks_into = true;
                    member.object()
                }
                None if looks_into && !matches!(other, Expression::Identifier(_) | Expression::NewExpression(_)) => {
                    return Placed::ByName;
                }
                None => return Placed::ByItself,
            },
        };
    }
}
