//! Exports as Node.js has them: `module.exports = …` is a default export in other words.

use oxc_ast::ast::{AssignmentExpression, AssignmentOperator, AssignmentTarget, Expression, Program, Statement};
use oxc_span::{GetSpan as _, Span};

use super::super::parse::range;
use super::super::unavailable::EXPORT;
use super::{Called, Export, Refused, Shape, called, placed};

/// The shape of a program that exports in this way.
pub(super) fn exported(program: &Program<'_>) -> Option<Result<Shape, Refused>> {
    let mut exports = program.body.iter().filter_map(assignment).filter_map(|it| Some((it, exports(&it.left)?)));
    let (export, kind) = exports.next()?;
    if declares(program, ["module", "exports"]) {
        return None;
    }
    let others = exports.next();
    Some(match (kind, others) {
        (Exports::Whole, None) => whole(program, export),
        (Exports::Part, _) => Err((export.span, EXPORT)),
        (Exports::Whole, Some((other, _))) => Err((other.span, EXPORT)),
    })
}

fn whole(program: &Program<'_>, export: &AssignmentExpression<'_>) -> Result<Shape, Refused> {
    let value = range(export.right.span());
    let called = called(program, &export.right)?;
    let is_only = program.body.len() + program.directives.len() == 1;
    Ok(match (is_only, called) {
        (true, Called::WithInput) => Shape::Function(value),
        (true, Called::No) => Shape::Value { value, placed: placed(&export.right) },
        (false, _) => {
            let keyword = range(Span::new(export.span.start, export.right.span().start));
            Shape::Exported { keyword, export: Export::Value { value, called } }
        }
    })
}

fn assignment<'p, 'a>(statement: &'p Statement<'a>) -> Option<&'p AssignmentExpression<'a>> {
    let Statement::ExpressionStatement(statement) = statement else { return None };
    let Expression::AssignmentExpression(assignment) = &statement.expression else { return None };
    (assignment.operator == AssignmentOperator::Assign).then_some(&**assignment)
}

#[derive(Clone, Copy)]
enum Exports {
    /// `module.exports`.
    Whole,
    /// `exports.a` and `module.exports.a`.
    Part,
}

fn exports(target: &AssignmentTarget<'_>) -> Option<Exports> {
    let AssignmentTarget::StaticMemberExpression(member) = target else { return None };
    let is_module = |expression: &Expression<'_>| match expression {
        Expression::StaticMemberExpression(it) => it.property.name == "exports" && it.object.is_specific_id("module"),
        _ => false,
    };
    let is_whole = member.property.name == "exports" && member.object.is_specific_id("module");
    let is_part = is_module(&member.object) || member.object.is_specific_id("exports");
    is_whole.then_some(Exports::Whole).or_else(|| is_part.then_some(Exports::Part))
}

/// Whether a program declares one of these names itself.
fn declares(program: &Program<'_>, names: [&str; 2]) -> bool {
    program.body.iter().any(|statement| match statement {
        Statement::VariableDeclaration(it) => it.declarations.iter().any(|declarator| {
            declarator.id.get_binding_identifiers().iter().any(|id| names.contains(&id.name.as_str()))
        }),
        Statement::FunctionDeclaration(it) => it.name().is_some_and(|name| names.contains(&name.as_str())),
        Statement::ClassDeclaration(it) => it.name().is_some_and(|name| names.contains(&name.as_str())),
        _ => false,
    })
}
