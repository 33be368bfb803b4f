//! A shape to the text of one function expression.

use std::collections::BTreeSet;
use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, Program, Statement};
use oxc_semantic::SemanticBuilder;
use oxc_span::{SourceType, Span};

use super::parse::{message, offset, parse, range};
use super::position::{self, Builder};
use super::shape::{Called, Export, Placed, Shape};
use super::unit::Problem;
use super::{Normalized, unavailable};

/// Makes a function of a program of that shape.
pub(super) fn function(code: &str, shape: &Shape) -> Result<Normalized, Problem> {
    // A program may have its own `input`, which must not clash with the parameter.
    build(code, shape, "input").or_else(|_| build(code, shape, ""))
}

fn build(code: &str, shape: &Shape, parameter: &str) -> Result<Normalized, Problem> {
    let mut built = Builder::default();
    let head = format!("async ({parameter}) => {{");
    let call = |called: Called| match called {
        Called::No => String::new(),
        Called::WithInput => format!("({parameter})"),
    };
    match shape {
        Shape::Nothing => built.keep("async () => {}"),
        Shape::Function(function) => {
            built.blank(&code[..function.start]);
            built.keep(&code[function.clone()]);
        }
        Shape::Statements => {
            built.insert(&head);
            built.keep(code.trim_end());
            built.keep("\n}");
        }
        Shape::LastValue { value, called, placed } => {
            built.insert(&head);
            built.keep(&code[..value.start]);
            returned(&mut built, &code[value.clone()], *placed, &call(*called));
        }
        Shape::Value { value, placed } => {
            built.insert(&head);
            built.blank(&code[..value.start]);
            returned(&mut built, &code[value.clone()], *placed, "");
        }
        Shape::Exported { keyword, export } => {
            built.insert(&head);
            built.keep(&code[..keyword.start]);
            built.blank(&code[keyword.clone()]);
            let (result, called) = match export {
                Export::Named { name, called } => {
                    built.keep(code[keyword.end..].trim_end());
                    (name.clone(), called)
                }
                Export::Value { value, called } => {
                    let name = unused(code);
                    built.insert(&format!("const {name} = "));
                    built.keep(&code[value.clone()]);
                    built.insert(";");
                    built.keep(code[value.end..].trim_end());
                    (name, called)
                }
            };
            built.keep(&format!("\nreturn {result}{}\n}}", call(*called)));
        }
    }
    let invisible = verify(&built)?;
    let function = with_blanks(built.text, &invisible);
    Ok(Normalized { function, shifts: built.shifts, stripped: Vec::new() })
}

fn returned(built: &mut Builder, value: &str, placed: Placed, call: &str) {
    built.insert(match placed {
        Placed::ByItself => "return (",
        Placed::ByName => "undefined; return (",
    });
    built.keep(value);
    built.keep(&format!("){call}\n}}"));
}

/// The text with a blank at each of these places, where a character of one UTF-16 code unit stands.
fn with_blanks(text: String, places: &[Range<usize>]) -> String {
    places.iter().rev().fold(text, |mut text, place| {
        text.replace_range(place.clone(), " ");
        text
    })
}

/// A name that a program does not have.
fn unused(code: &str) -> String {
    const NAME: &str = "$exported";
    let number = |at: usize| code[at + NAME.len()..].split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let taken: BTreeSet<&str> = code.match_indices(NAME).map(|(at, _)| number(at)).collect();
    // One more than are taken.
    let free = (0..=taken.len()).map(|n| n.to_string()).find(|n| !taken.contains(n.as_str()));
    format!("{NAME}{}", free.unwrap_or_default())
}

const HTML_COMMENT: &str = "this starts a comment of HTML in a script: put a blank between its signs, or use //";
/// The sandbox runs strict scripts.
const HEAD: &str = "\"use strict\";(";

/// Checks that the result is one function expression and nothing else, as a script and with its early errors. Gives the
/// places of characters that our parser takes for white space, and others do not.
fn verify(built: &Builder) -> Result<Vec<Range<usize>>, Problem> {
    let allocator = Allocator::default();
    let wrapped = format!("{HEAD}{}\n)", built.text);
    let parsed = parse(&allocator, &wrapped, SourceType::script());
    let problem = |offset: usize, message: String| {
        let (line, column) = position::of(&wrapped, offset);
        // What is in front is on the first line.
        let column = if line == 1 { column.saturating_sub(HEAD.len() as u32).max(1) } else { column };
        Problem { position: (line, position::unshift(&built.shifts, line, column)), message }
    };
    if let Some(at) = html_comment(&wrapped, &parsed.program) {
        return Err(problem(at, HTML_COMMENT.to_owned()));
    }
    if let Some(diagnostic) = parsed.diagnostics.iter().next() {
        return Err(problem(offset(diagnostic), message(diagnostic)));
    }
    if !is_function(&parsed.program) {
        return Err(problem(HEAD.len(), "the code must be one function or a list of statements".to_owned()));
    }
    let checked = SemanticBuilder::new().with_build_nodes(true).with_check_syntax_error(true).build(&parsed.program);
    if let Some(diagnostic) = checked.diagnostics.iter().next() {
        return Err(problem(offset(diagnostic), message(diagnostic)));
    }
    let reason = |kind| unavailable::reason(kind).or_else(|| unavailable::markup(&wrapped, kind));
    match checked.semantic.nodes().iter().find_map(|node| reason(node.kind())) {
        Some((span, message)) => Err(problem(span.start as usize, message.to_owned())),
        None => Ok(invisible(&wrapped, &parsed.irregular_whitespaces)),
    }
}

/// Where a comment of HTML starts, which scripts know and modules do not: it would hide what was parsed as code.
fn html_comment(wrapped: &str, program: &Program<'_>) -> Option<usize> {
    let mut starts = program.comments.iter().map(|comment| comment.span.start as usize);
    starts.find(|&start| wrapped[start..].starts_with("<!--") || wrapped[start..].starts_with("-->"))
}

fn invisible(wrapped: &str, spaces: &[Span]) -> Vec<Range<usize>> {
    let is_other = |span: &&Span| matches!(&wrapped[range(**span)], "\u{200b}" | "\u{180e}" | "\u{85}");
    let place = |span: &Span| span.start as usize - HEAD.len()..span.end as usize - HEAD.len();
    spaces.iter().filter(is_other).map(place).collect()
}

fn is_function(program: &Program<'_>) -> bool {
    let [Statement::ExpressionStatement(only)] = program.body.as_slice() else { return false };
    matches!(
        only.expression.without_parentheses(),
        Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)
    )
}
