//! What a program is, and what of it is the function to run.

mod common;
mod placed;

use oxc_ast::AstKind;
use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind, Expression, Function, Program,
    Statement, VariableDeclaration,
};
use oxc_span::{GetSpan as _, Span};

use super::parse::range;
use super::unavailable;
pub(super) use placed::Placed;
use placed::placed;

/// The parts of a program, in byte offsets, and how they become a function.
#[derive(Debug)]
pub(super) enum Shape {
    Nothing,
    /// A function already.
    Function(Part),
    /// Statements that return by themselves or not at all.
    Statements,
    /// Statements, the last of which gives the result. What follows it is dropped.
    LastValue {
        value: Part,
        called: Called,
        placed: Placed,
    },
    /// One expression that gives the result; nothing else is kept.
    Value {
        value: Part,
        placed: Placed,
    },
    /// Statements with a default export among them.
    Exported {
        keyword: Part,
        export: Export,
    },
}

/// Byte offsets.
pub(super) type Part = std::ops::Range<usize>;

/// A default export beside other statements.
#[derive(Debug)]
pub(super) enum Export {
    /// A declaration with a name that gives the result.
    Named { name: String, called: Called },
    /// An expression, or a declaration without a name.
    Value { value: Part, called: Called },
}

/// Whether a resulting function is called: a function is no result, so it is what the code wants to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Called {
    No,
    WithInput,
}

impl Shape {
    /// The same at other offsets; only a shape of one part has any that can differ.
    pub(super) fn moved(self, to: impl Fn(usize) -> usize) -> Self {
        let moved = |part: Part| to(part.start)..to(part.end);
        match self {
            Self::Function(part) => Self::Function(moved(part)),
            Self::Value { value, placed } => Self::Value { value: moved(value), placed },
            other => other,
        }
    }
}

type Refused = (Span, &'static str);

/// The shape of a program.
pub(super) fn shape(program: &Program<'_>) -> Result<Shape, Refused> {
    for statement in &program.body {
        if let Some(reason) = module_statement(statement).and_then(unavailable::reason) {
            return Err(reason);
        }
    }
    let mut exports = program.body.iter().filter_map(|statement| match statement {
        Statement::ExportDefaultDeclaration(export) => Some(&**export),
        _ => None,
    });
    if let Some(export) = exports.next() {
        let is_only = program.body.len() + program.directives.len() == 1;
        return if is_only { exported(program, export) } else { exported_among(program, export) };
    }
    if let Some(exported) = common::exported(program) {
        return exported;
    }
    if let Some(labelled) = labelled(program) {
        return labelled;
    }
    if let Some(function) = function_among_semicolons(program) {
        return function;
    }
    match (program.directives.as_slice(), program.body.as_slice()) {
        ([], []) => Ok(Shape::Nothing),
        ([], [Statement::VariableDeclaration(only)]) => match declared(only)? {
            Some(name) => {
                let export = Export::Named { name, called: Called::WithInput };
                Ok(Shape::Exported { keyword: 0..0, export })
            }
            None => Ok(Shape::Statements),
        },
        ([.., last], []) => {
            let value = range(last.expression.span);
            Ok(Shape::LastValue { value, called: Called::No, placed: Placed::ByItself })
        }
        (_, [.., Statement::ExpressionStatement(last)]) => {
            let called = called(program, &last.expression)?;
            let placed = placed(&last.expression);
            Ok(Shape::LastValue { value: range(last.expression.span()), called, placed })
        }
        _ => Ok(Shape::Statements),
    }
}

/// What becomes of labels in front of a value, which would lose it: `Code: async () => 1`, `result: 5`.
fn labelled(program: &Program<'_>) -> Option<Result<Shape, Refused>> {
    const LABEL: &str =
        "this is a label, and the value behind it is lost: remove the label; an object goes in parentheses: ({ a: 1 })";
    fn value<'p, 'a>(statement: &'p Statement<'a>) -> Option<&'p Expression<'a>> {
        let Statement::LabeledStatement(labelled) = statement else { return None };
        let mut body = &labelled.body;
        while let Statement::LabeledStatement(inner) = body {
            body = &inner.body;
        }
        if let Statement::ExpressionStatement(it) = body { Some(&it.expression) } else { None }
    }
    if let ([], [only]) = (program.directives.as_slice(), program.body.as_slice())
        && let Some(value) = value(only)
    {
        match is_function(value) {
            Ok(Called::WithInput) => return Some(Ok(Shape::Function(range(value.span())))),
            Ok(Called::No) => {}
            Err(refused) => return Some(Err(refused)),
        }
    }
    let lost = |statement: &Statement<'_>| value(statement).map(|_| Err((statement.span(), LABEL)));
    program.body.iter().find_map(|statement| match statement {
        Statement::BlockStatement(block) if program.body.len() == 1 => block.body.last().and_then(lost),
        other => lost(other),
    })
}

/// The shape of a text that is one value: an object, or a function without a name.
pub(super) fn value(value: &Expression<'_>) -> Result<Shape, Refused> {
    match value {
        Expression::FunctionExpression(function) => callable(function).map(Shape::Function),
        _ => Ok(Shape::Value { value: range(value.span()), placed: Placed::ByItself }),
    }
}

fn module_statement<'a>(statement: &'a Statement<'a>) -> Option<AstKind<'a>> {
    match statement {
        Statement::ImportDeclaration(it) => Some(AstKind::ImportDeclaration(it)),
        Statement::ExportDeclaration(it) => Some(AstKind::ExportDeclaration(it)),
        Statement::ExportNamedDeclaration(it) => Some(AstKind::ExportNamedDeclaration(it)),
        Statement::ExportFromDeclaration(it) => Some(AstKind::ExportFromDeclaration(it)),
        Statement::ExportAllDeclaration(it) => Some(AstKind::ExportAllDeclaration(it)),
        _ => None,
    }
}

fn exported(program: &Program<'_>, export: &ExportDefaultDeclaration<'_>) -> Result<Shape, Refused> {
    match &export.declaration {
        ExportDefaultDeclarationKind::FunctionDeclaration(function) => callable(function).map(Shape::Function),
        other => {
            let value = range(other.span());
            match other.as_expression().map_or(Ok(Called::No), |value| called(program, value))? {
                Called::WithInput => Ok(Shape::Function(value)),
                Called::No => {
                    Ok(Shape::Value { value, placed: other.as_expression().map_or(Placed::ByItself, placed) })
                }
            }
        }
    }
}

fn exported_among(program: &Program<'_>, export: &ExportDefaultDeclaration<'_>) -> Result<Shape, Refused> {
    let (id, called) = match &export.declaration {
        ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
            callable(function)?;
            (function.id.as_ref(), Called::WithInput)
        }
        ExportDefaultDeclarationKind::ClassDeclaration(class) => (class.id.as_ref(), Called::No),
        other => (None, other.as_expression().map_or(Ok(Called::No), |value| called(program, value))?),
    };
    let value = export.declaration.span();
    let keyword = range(Span::new(export.span.start, value.start));
    let export = match id {
        Some(id) => Export::Named { name: id.name.to_string(), called },
        None => Export::Value { value: range(value), called },
    };
    Ok(Shape::Exported { keyword, export })
}

fn called(program: &Program<'_>, expression: &Expression<'_>) -> Result<Called, Refused> {
    match expression.without_parentheses() {
        Expression::Identifier(name) => named(program, &name.name),
        other => is_function(other),
    }
}

/// A program that is one function, with semicolons around; of several functions, only the last would be called.
fn function_among_semicolons(program: &Program<'_>) -> Option<Result<Shape, Refused>> {
    const SEVERAL: &str = "this function is never called: send one function, or call it";
    let is_empty = |statement: &&Statement<'_>| matches!(statement, Statement::EmptyStatement(_));
    let mut statements = program.body.iter().filter(|statement| !is_empty(statement));
    let (first, second) = (statements.next()?, statements.next());
    match (first, second) {
        (Statement::FunctionDeclaration(function), None) if program.directives.is_empty() => {
            Some(callable(function).map(Shape::Function))
        }
        (Statement::ExpressionStatement(only), second) => match (is_function(&only.expression), second) {
            (Err(refused), _) => Some(Err(refused)),
            (Ok(Called::WithInput), Some(_)) => Some(Err((only.span, SEVERAL))),
            (Ok(Called::WithInput), None) if program.directives.is_empty() => {
                Some(Ok(Shape::Function(range(only.expression.span()))))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The name of a function that is all that a declaration declares: it is what the code wants to run.
fn declared(declaration: &VariableDeclaration<'_>) -> Result<Option<String>, Refused> {
    let [only] = declaration.declarations.as_slice() else { return Ok(None) };
    let (Some(name), Some(value)) = (only.id.get_identifier_name(), &only.init) else { return Ok(None) };
    let is_function = is_function(value)? == Called::WithInput;
    Ok(is_function.then(|| name.to_string()))
}

fn is_function(value: &Expression<'_>) -> Result<Called, Refused> {
    match value.without_parentheses() {
        Expression::ArrowFunctionExpression(_) => Ok(Called::WithInput),
        Expression::FunctionExpression(function) => callable(function).map(|_| Called::WithInput),
        _ => Ok(Called::No),
    }
}

/// Whether a name stands for a function of the program.
fn named(program: &Program<'_>, name: &str) -> Result<Called, Refused> {
    for statement in &program.body {
        match statement.as_declaration() {
            Some(Declaration::FunctionDeclaration(function)) if function.name().is_some_and(|found| found == name) => {
                return callable(function).map(|_| Called::WithInput);
            }
            Some(Declaration::VariableDeclaration(declaration)) if declaration.kind.is_const() => {
                let is_it = |id: &BindingPattern<'_>| id.get_identifier_name().is_some_and(|found| found == name);
                let declarator = declaration.declarations.iter().find(|declarator| is_it(&declarator.id));
                if let Some(value) = declarator.and_then(|declarator| declarator.init.as_ref()) {
                    return is_function(value);
                }
            }
            _ => {}
        }
    }
    Ok(Called::No)
}

/// A declaration is an expression too where it stands alone, and then it is called with the input.
fn callable(function: &Function<'_>) -> Result<Part, Refused> {
    if function.generator {
        return Err((function.span, "a generator cannot be run: use an async function that returns its result"));
    }
    Ok(range(function.span))
}
