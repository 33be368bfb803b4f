//! One program to one function expression, by its syntax tree.

use std::{borrow::Cow, ops::Range};

use oxc_allocator::Allocator;
use oxc_ast::ast::{ExportDefaultDeclarationKind, Expression, Function, Program, Statement};
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_semantic::SemanticBuilder;
use oxc_span::{GetSpan as _, SourceType, Span};

use super::{
    Normalized, nesting,
    position::{self, Builder},
};

/// What is wrong with a program.
pub(super) struct Problem {
    pub(super) position: (u32, u32),
    pub(super) message: String,
}

const TYPESCRIPT: &str = "JavaScript only: remove type annotations and other TypeScript syntax";

/// The comments of a text, if it is JavaScript.
pub(super) fn comments(code: &str) -> Option<Vec<Range<usize>>> {
    let allocator = Allocator::default();
    let parsed = parse(&allocator, code, SourceType::mjs());
    let range = |span: Span| span.start as usize..span.end as usize;
    parsed.diagnostics.is_empty().then(|| parsed.program.comments.iter().map(|comment| range(comment.span)).collect())
}

/// Makes a function expression of a program.
pub(super) fn function(code: &str) -> Result<Normalized, Problem> {
    let code = &without_hashbang(code);
    let allocator = Allocator::default();
    let parsed = parse(&allocator, code, SourceType::mjs());
    let shape = match expression(code) {
        Some(shape) => shape,
        None if parsed.diagnostics.is_empty() => shape(&parsed.program).map_err(|(span, message)| Problem {
            position: position::of(code, span.start as usize),
            message: message.to_owned(),
        })?,
        None => return Err(syntax_problem(code, parsed)),
    };
    // A program may have its own `input`, which must not clash with the parameter.
    build(code, shape, "input").or_else(|_| build(code, shape, ""))
}

/// A first line for a shell is a comment only at the very start, where the wrapper goes.
fn without_hashbang(code: &str) -> Cow<'_, str> {
    if !code.starts_with("#!") {
        return Cow::Borrowed(code);
    }
    let end = code.find('\n').unwrap_or(code.len());
    Cow::Owned(format!("{}{}", " ".repeat(end), &code[end..]))
}

/// What the text is and how it becomes a function.
#[derive(Clone, Copy)]
enum Shape {
    Nothing,
    /// A function already.
    Function(Span),
    /// Statements that return by themselves or not at all.
    Statements,
    /// Statements, the last of which gives the result. What follows it is dropped.
    LastValue {
        span: Span,
        called: Called,
    },
    /// One expression that gives the result; nothing else is kept.
    Value {
        span: Span,
        called: Called,
    },
}

/// Whether a resulting function is called: a function is no result, so it is what the code wants to run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    No,
    WithInput,
}

type Refusal = (Span, &'static str);

fn shape(program: &Program<'_>) -> Result<Shape, Refusal> {
    let is_only = program.body.len() + program.directives.len() == 1;
    for statement in &program.body {
        match statement {
            Statement::ImportDeclaration(import) => {
                return Err((import.span, "import is not available: use the connectors, which are global names"));
            }
            Statement::ExportDefaultDeclaration(_) if is_only => {}
            Statement::ExportDefaultDeclaration(_) => {
                let message = "export default must be the only statement: put the others inside the function";
                return Err((statement.span(), message));
            }
            other if other.as_module_declaration().is_some() => {
                return Err((statement.span(), "export is not available: return the result instead"));
            }
            _ => {}
        }
    }
    match (program.directives.as_slice(), program.body.as_slice()) {
        ([], []) => Ok(Shape::Nothing),
        ([], [Statement::FunctionDeclaration(function)]) => callable(function),
        ([], [Statement::ExpressionStatement(only)]) => match only.expression.without_parentheses() {
            Expression::ArrowFunctionExpression(_) => Ok(Shape::Function(only.expression.span())),
            Expression::FunctionExpression(function) => {
                callable(function)?;
                Ok(Shape::Function(only.expression.span()))
            }
            _ => Ok(Shape::LastValue { span: only.expression.span(), called: Called::No }),
        },
        (_, [Statement::ExportDefaultDeclaration(export)]) => exported(&export.declaration),
        ([.., last], []) => Ok(Shape::LastValue { span: last.expression.span, called: Called::No }),
        (_, [.., Statement::ExpressionStatement(last)]) => {
            Ok(Shape::LastValue { span: last.expression.span(), called: called(&last.expression)? })
        }
        _ => Ok(Shape::Statements),
    }
}

fn exported(declaration: &ExportDefaultDeclarationKind<'_>) -> Result<Shape, Refusal> {
    match declaration {
        ExportDefaultDeclarationKind::FunctionDeclaration(function) => callable(function),
        ExportDefaultDeclarationKind::ClassDeclaration(class) => {
            Ok(Shape::Value { span: class.span, called: Called::No })
        }
        other => match other.as_expression() {
            Some(expression) => match called(expression)? {
                Called::WithInput => Ok(Shape::Function(expression.span())),
                Called::No => Ok(Shape::Value { span: expression.span(), called: Called::No }),
            },
            None => Err((declaration.span(), TYPESCRIPT)),
        },
    }
}

fn called(expression: &Expression<'_>) -> Result<Called, Refusal> {
    match expression.without_parentheses() {
        Expression::ArrowFunctionExpression(_) => Ok(Called::WithInput),
        Expression::FunctionExpression(function) => callable(function).map(|_| Called::WithInput),
        _ => Ok(Called::No),
    }
}

/// A declaration is an expression too where it stands alone, and then it is called with the input.
fn callable(function: &Function<'_>) -> Result<Shape, Refusal> {
    if function.generator {
        return Err((function.span, "a generator cannot be run: use an async function that returns its result"));
    }
    Ok(Shape::Function(function.span))
}

/// What only an expression can be: an object literal, which as a program would be a block of labels, or a function
/// without a name, which as a program would lack one.
fn expression(code: &str) -> Option<Shape> {
    let trimmed = code.trim();
    let text = trimmed.strip_suffix(';').unwrap_or(trimmed);
    if !["{", "function", "async"].iter().any(|start| text.starts_with(start)) {
        return None;
    }
    let allocator = Allocator::default();
    let wrapped = format!("({text}\n)");
    let parsed = parse(&allocator, &wrapped, SourceType::mjs());
    let [Statement::ExpressionStatement(only)] = parsed.program.body.as_slice() else { return None };
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let start = code.len() - code.trim_start().len();
    let shifted = |span: Span| {
        let at = |offset: u32| u32::try_from(start + offset as usize - 1).ok();
        Some(Span::new(at(span.start)?, at(span.end)?))
    };
    match only.expression.without_parentheses() {
        Expression::ObjectExpression(object) => Some(Shape::Value { span: shifted(object.span)?, called: Called::No }),
        Expression::FunctionExpression(function) if function.id.is_none() && !function.generator => {
            Some(Shape::Function(shifted(function.span)?))
        }
        _ => None,
    }
}

fn build(code: &str, shape: Shape, parameter: &str) -> Result<Normalized, Problem> {
    let mut built = Builder::default();
    let slice = |span: Span| &code[span.start as usize..span.end as usize];
    let before = |span: Span| &code[..span.start as usize];
    let head = format!("async ({parameter}) => {{");
    match shape {
        Shape::Nothing => built.keep("async () => {}"),
        Shape::Function(span) => {
            built.blank(before(span));
            built.keep(slice(span));
        }
        Shape::Statements => {
            built.insert(&head);
            built.keep(code.trim_end());
            built.keep("\n}");
        }
        Shape::LastValue { span, called } | Shape::Value { span, called } => {
            built.insert(&head);
            match shape {
                Shape::LastValue { .. } => built.keep(before(span)),
                _ => built.blank(before(span)),
            }
            built.insert("return (");
            built.keep(slice(span));
            built.keep(match called {
                Called::No => ")\n}",
                Called::WithInput if parameter.is_empty() => ")()\n}",
                Called::WithInput => ")(input)\n}",
            });
        }
    }
    verify(&built)?;
    Ok(Normalized { function: built.text, shifts: built.shifts })
}

/// Checks that the result is one function expression and nothing else, as a script and with its early errors.
fn verify(built: &Builder) -> Result<(), Problem> {
    let allocator = Allocator::default();
    let wrapped = format!("({}\n)", built.text);
    let parsed = parse(&allocator, &wrapped, SourceType::script());
    let problem = |offset: usize, message: String| {
        let (line, column) = position::of(&wrapped, offset);
        // The parenthesis in front is on the first line.
        let column = if line == 1 { column.saturating_sub(1).max(1) } else { column };
        Problem { position: (line, position::unshift(&built.shifts, line, column)), message }
    };
    if let Some(diagnostic) = parsed.diagnostics.iter().next() {
        return Err(problem(offset(diagnostic), message(diagnostic)));
    }
    let is_function = match parsed.program.body.as_slice() {
        [Statement::ExpressionStatement(only)] => matches!(
            only.expression.without_parentheses(),
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)
        ),
        _ => false,
    };
    if !is_function {
        return Err(problem(1, "the code must be one function or a list of statements".to_owned()));
    }
    let checked = SemanticBuilder::new_compiler().build(&parsed.program);
    match checked.diagnostics.iter().next() {
        Some(diagnostic) => Err(problem(offset(diagnostic), message(diagnostic))),
        None => Ok(()),
    }
}

fn parse<'a>(allocator: &'a Allocator, code: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    Parser::new(allocator, code, source_type).with_options(options).parse()
}

fn syntax_problem(code: &str, parsed: ParserReturn<'_>) -> Problem {
    let first = parsed.diagnostics.iter().next();
    let position = position::of(code, first.map_or(0, offset));
    let allocator = Allocator::default();
    if nesting::allows_retry(code) && parse(&allocator, code, SourceType::ts()).diagnostics.is_empty() {
        return Problem { position, message: TYPESCRIPT.to_owned() };
    }
    let detail = first.map_or_else(|| "unexpected text".to_owned(), message);
    Problem {
        position,
        message: format!("not valid JavaScript: {detail}; send only the code, without prose or markup"),
    }
}

fn offset(diagnostic: &OxcDiagnostic) -> usize {
    diagnostic.labels.iter().map(|label| label.offset() as usize).next().unwrap_or(0)
}

fn message(diagnostic: &OxcDiagnostic) -> String {
    diagnostic.message.trim_end_matches('.').to_owned()
}
