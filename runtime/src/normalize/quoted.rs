//! Code that was sent inside of a string: as JSON, in quotes, or in backticks. It would be taken for a value, and the
//! code that was meant would not run.

use oxc_ast::ast::{Expression, ObjectPropertyKind, Program, Statement};
use oxc_span::{GetSpan as _, Span};

use super::reads::is_code;

const STRING: &str = "the code is inside of a string: send the code itself, without quotes around it";
const JSON: &str = "the code is inside of JSON: send the code itself, not an object that holds it";

/// Names under which callers wrap code.
const KEYS: [&str; 6] = ["code", "script", "source", "javascript", "js", "function"];

/// The place of code in a program that is nothing but a string, and what to do instead.
pub(super) fn in_string(program: &Program<'_>) -> Option<(Span, &'static str)> {
    let (span, text) = match (program.directives.as_slice(), program.body.as_slice()) {
        ([only], []) => (only.expression.span, Some(only.expression.value.to_string())),
        ([], [Statement::ExpressionStatement(only)]) => (only.expression.span(), string(&only.expression)),
        _ => return None,
    };
    text.is_some_and(|text| is_code(&text)).then_some((span, STRING))
}

/// The same for a value that is nothing but an object.
pub(super) fn in_object(value: &Expression<'_>) -> Option<(Span, &'static str)> {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let Expression::ObjectExpression(object) = value else { continue };
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            let is_it = property.key.static_name().is_some_and(|name| KEYS.contains(&&*name));
            if is_it && string(&property.value).is_some_and(|text| is_code(&text)) {
                return Some((property.value.span(), JSON));
            }
            open.push(&property.value);
        }
    }
    None
}

fn string(expression: &Expression<'_>) -> Option<String> {
    match expression.without_parentheses() {
        Expression::StringLiteral(it) => Some(it.value.to_string()),
        Expression::TemplateLiteral(it) => it.single_quasi().map(|text| text.to_string()),
        _ => None,
    }
}
